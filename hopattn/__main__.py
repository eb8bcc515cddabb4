"""The command `hopattn`, also as `python -m hopattn`."""

import gc
import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line. Ctrl-C while it is being imported ends the process, without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(100_000)  # nearly all that a short run makes are modules, which stay
    try:
        from hopattn.cli.main import main as run
    except ModuleNotFoundError as error:  # a clone of which nothing is installed
        from hopattn.foundation.errors import missing

        sys.stderr.write(f"{missing(error)}\n")
        sys.exit(3)
    try:
        run()
    finally:
        gc.freeze()  # the process ends: no search for garbage among a hundred thousand objects


if __name__ == "__main__":
    main()
