"""The page of the command line, from what the commands say of themselves."""

import inspect

import click

from docs.builder.markdown import fenced, plain, table
from hopattn.cli.main import cli
from hopattn.cli.output import WRITTEN, dotted

_KEEP_LINES = "\b\n"  # click's mark of a paragraph whose lines stay as they are


def names() -> list[str]:
    """The names of all commands."""
    return cli.list_commands(click.Context(cli))


def page() -> str:
    """The text below the heading: one section for each command, with its usage, its options and its examples."""
    context = click.Context(cli, info_name="hopattn")
    commands = {name: cli.get_command(context, name) for name in cli.list_commands(context)}
    head = [
        _prose(cli.help or ""),
        _prose(cli.epilog or ""),
        table(
            ["command", "what it does"],
            [
                [f"[`{name}`](#hopattn-{name})", plain(one.get_short_help_str(200))]
                for name, one in commands.items()
                if one
            ],
        ),
    ]
    return "\n\n".join([*head, *(_section(name, one, context) for name, one in commands.items() if one)])


def outputs() -> str:
    """What each command writes for each ending, as a table."""
    rows = [
        [f"`{command}`", f"`{dotted(group)}`", plain(what)]
        for command, forms in WRITTEN.items()
        for group, what in forms.items()
    ]
    return table(["command", "ending", "what it writes"], rows)


def _section(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["hopattn", name, *command.collect_usage_pieces(context)])
    parts = [f"## `hopattn {name}`", fenced(usage, "text"), _prose(command.help or "")]
    options = [option.get_help_record(context) for option in command.params if isinstance(option, click.Option)]
    rows = [[_cell(f"`{record[0]}`"), plain(record[1])] for record in options if record]
    return "\n\n".join([*parts, table(["option", "what it does"], rows)] if rows else parts)


def _cell(code: str) -> str:
    return code.replace("|", "\\|")


def _prose(text: str) -> str:
    """The help of a command: paragraphs, and its examples as code."""
    return "\n\n".join(
        fenced(part.removeprefix(_KEEP_LINES), "text")
        if part.startswith(_KEEP_LINES)
        else plain(" ".join(part.split()))
        for part in inspect.cleandoc(text).split("\n\n")  # Python 3.13 has done so
    )
