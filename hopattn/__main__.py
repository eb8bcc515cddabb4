"""The command `hopattn`, also as `python -m hopattn`."""

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line. Ctrl-C while it is being imported ends the process, without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from hopattn.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
