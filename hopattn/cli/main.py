"""The command line: `hopattn COMMAND`. One file per command in `commands/`; this one finds them and turns errors into
exit codes.

Nothing heavier than click is imported here or at the top of a command.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from hopattn.cli import commands
from hopattn.cli.blas_kernel import choose_kernel
from hopattn.foundation.errors import CannotDo, HopattnError, InvalidInput, unknown
from hopattn.foundation.version import __version__

WRONG, CANNOT, INTERRUPTED = 2, 3, 130  # 0 and 1, met and missed, are what a command returns


class Commands(click.Group):
    """The commands that lie in the folder `commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        found: click.Command = importlib.import_module(f"hopattn.cli.commands.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.list_commands(ctx):
            ctx.fail(f"command {unknown(args[0], self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hopattn")
def cli() -> None:
    """Associative memory, where attention is one step of recall.

    Scenario files go in, checked numbers come out: `hopattn list` shows those that come with hopattn, `hopattn run
    bank` runs one of them.

    Exit codes: 0 every expectation was met, 1 one was missed, 2 wrong usage or input, 3 it could not be done, 130
    interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with the code that says how it went."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a letter that the terminal lacks is no reason to stop
    choose_kernel()
    code = _code(arguments)
    try:
        sys.stdout.flush()
    except OSError:
        _silence()
    sys.exit(code)


def _code(arguments: Sequence[str] | None) -> int:
    try:
        done = cli.main(arguments, prog_name="hopattn", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        return _complain("interrupted", INTERRUPTED)
    except click.ClickException as error:
        error.show()
        return WRONG
    except InvalidInput as error:
        return _complain(str(error), WRONG)
    except (CannotDo, HopattnError, MemoryError) as error:
        return _complain(str(error) or "there is not enough memory", CANNOT)
    except BrokenPipeError:
        _silence()
        return 0
    except OSError as error:
        return _complain(f"{error.filename or 'output'}: {error.strerror or error}", CANNOT)
    except Exception as error:
        if os.environ.get("HOPATTN_TRACEBACK"):
            raise
        told = f"{type(error).__name__}: {error}"
        return _complain(
            f"a fault in hopattn itself: {told} (HOPATTN_TRACEBACK=1 shows where; please report it)", CANNOT
        )
    return done if isinstance(done, int) else 0


def _complain(message: str, code: int) -> int:
    lines = ["".join(c if c.isprintable() else "�" for c in line) for line in message.split("\n")]
    click.echo("\n".join(lines), err=True)
    return code


def _silence() -> None:
    """The reader of our output has gone: write the rest to nowhere, so that Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
