"""The command line: `hopattn COMMAND`. It finds the commands in `commands/` and turns errors into exit codes.

To start quickly, no file of the command line imports anything heavier than click at its top.
"""

import importlib
import os
import pkgutil
import re
import shlex
import sys
from collections.abc import Sequence
from io import StringIO
from typing import NoReturn

import click

from hopattn.cli import commands
from hopattn.cli.blas_kernel import choose_kernel
from hopattn.cli.completing import require_completion
from hopattn.cli.signals import Stopped, stoppable
from hopattn.cli.source_date import require_date
from hopattn.cli.streams import discard, make_safe, reader_has_left
from hopattn.foundation import kernels
from hopattn.foundation.errors import CannotDo, HopattnError, InvalidInput, bounded, missing, unknown
from hopattn.foundation.used_files import used_files_kept
from hopattn.foundation.version import __version__

_ALONE = f"{__name__}.alone"
"""Where a context keeps whether `hopattn` was given nothing."""
WRONG, CANNOT, INTERRUPTED, UNREAD = 2, 3, 130, 141  # a command returns 0 (all expectations met) or 1 (missed)


FIRST = ("run", "new", "explore", "practice", "lint", "sweep", "list", "heads", "compare")
"""The commands that most people want, in the order of the help; the others come after them."""


class Commands(click.Group):
    """The commands in the folder `commands`, each imported when it is used."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ALONE] = not args
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options and the commands; the commands alone below `hopattn` alone: that is one screen."""
        if ctx.meta.get(_ALONE):
            self.format_commands(ctx, formatter)
        else:
            super().format_options(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in two groups, the first for most people; `hopattn` alone only names the second."""
        names = self.list_commands(ctx)
        further, space = [name for name in names if name not in FIRST], formatter.width - 6 - max(map(len, names))
        for heading, group in (("Commands", FIRST), ("Further commands", further))[: 1 if ctx.meta.get(_ALONE) else 2]:
            loaded = ((name, self.get_command(ctx, name)) for name in group)
            with formatter.section(heading):
                formatter.write_dl([(name, one.get_short_help_str(space)) for name, one in loaded if one is not None])
        if ctx.meta.get(_ALONE):
            formatter.write_paragraph()
            formatter.write_text(f"Further commands: {', '.join(further)}. `hopattn --help` says what they do.")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the exit codes, but not below `hopattn` alone."""
        if not ctx.meta.get(_ALONE):
            super().format_epilog(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help."""
        found = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
        return sorted(found, key=lambda name: FIRST.index(name) if name in FIRST else len(FIRST))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"hopattn.cli.commands.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.list_commands(ctx):
            ctx.fail(_no_command(args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


def _no_command(word: str, known: Sequence[str]) -> str:
    """A message for a word that is no command, such as the name of a scenario."""
    from hopattn.scenario.files import shipped

    if word == "certify":
        return "'certify' is no command; `python -m hopattn.certify mymodule:LogCosh` tests a part of your own"
    if word in shipped():
        return f"'{word}' is a scenario: `hopattn run {word}` runs it"
    return f"command {unknown(word, known)}"


def _print_version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        click.echo(f"hopattn, version {__version__}; kernels: {kernels.in_words()}")
        ctx.exit()


MINUS = re.compile(r"(?:^|(?<=[=:,\[ ]))−(?=[\d.])")
"""The minus sign of print at the beginning of a number."""
EXIT_CODES = (
    "Exit codes: 0 every expectation was met, 1 one was missed, 2 wrong usage or input, 3 it could not be done, "
    "130 interrupted, 141 nobody read the output, 143 terminated."
)


@click.group(cls=Commands, epilog=EXIT_CODES, context_settings={"help_option_names": ["--help", "-h"]})
@click.option(
    *("--version", "version"),
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and the kernels, and exit.",
)
def cli() -> None:
    """Associative memory and attention. Begin: `hopattn list`, `hopattn run bank`."""


def main(arguments: Sequence[str] | None = None, command: click.Command = cli, name: str = "hopattn") -> NoReturn:
    """Run a command, then exit with its exit code. arguments: by default those of the process. name: of the command."""
    make_safe()
    choose_kernel()
    try:
        with stoppable(), used_files_kept():
            try:
                kernels.wanted()
                require_completion()
                require_date()
                given = [MINUS.sub("-", word) for word in (sys.argv[1:] if arguments is None else arguments)]
                command_line = shlex.join([name, *given])  # results and messages repeat it
                code = command.main(given, prog_name=name, standalone_mode=False, color=True, obj=command_line)
            except (KeyboardInterrupt, click.Abort):
                code = _error("interrupted", INTERRUPTED)
            except click.ClickException as error:
                message = StringIO()
                error.show(message)
                code = _error(bounded(message.getvalue().rstrip()), WRONG)  # click quotes a word whole
            except InvalidInput as error:
                code = _error(str(error), WRONG)
            except ModuleNotFoundError as error:
                code = _error(missing(error), CANNOT)
            except (CannotDo, HopattnError, MemoryError) as error:
                code = _error(str(error) or "there is not enough memory", CANNOT)
            except OSError as error:
                code = _error(f"{error.filename or 'output'}: {error.strerror or error}", CANNOT)
            except Exception as error:
                if os.environ.get("HOPATTN_TRACEBACK"):
                    raise
                fault = f"a fault in hopattn itself: {type(error).__name__}: {error}"
                code = _error(f"{fault} (HOPATTN_TRACEBACK=1 shows where; please report it)", CANNOT)
            code = code if isinstance(code, int) else 0
            try:
                if sys.stdout is not None:
                    sys.stdout.flush()
            except OSError as error:  # a full disk
                discard(sys.stdout.fileno())  # else Python would report the error once more when it exits
                code = code if code == CANNOT else _error(f"output: {error.strerror or error}", CANNOT)
            code = UNREAD if code in (0, 1) and reader_has_left() else code
    except Stopped as stopped:
        code = _error(stopped.word, stopped.code)
    sys.exit(code)


def _error(message: str, code: int) -> int:
    """Write a message to standard error; returns the exit code."""
    click.echo(message, err=True, color=True)
    return code
