"""`hopattn practice`: practice problems that are drawn from a scenario."""

import re
from pathlib import Path

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, Thing, writes
from hopattn.cli.scenario_names import ScenarioName

_MARKS = re.compile(r"```\{exercise-(?:start|end)\}\n(?::.*\n)*```\n+")
"""The marks of an exercise in Markdown, which a terminal does not need."""


@click.command(cls=Command, short_help="Draw practice problems from a scenario.")
@click.argument("scenario", metavar="[NAME|FILE]", required=False, type=ScenarioName())
@click.option("--count", type=click.IntRange(1, 100), show_default="5", help="Number of problems.")
@option("--seed", "; another seed, other numbers.", show_default="0")
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Write answers and working.")
@click.option(
    "--mark", "answers", type=click.Path(path_type=Path), metavar="FILE", help="Mark the answers in a TOML file."
)
@option("--list", ": each scenario that can be practised, and its questions.")
@option("--json", ", with --mark or --list.")
@writes("practice")
def command(
    scenario: str | None,
    *,
    count: int | None,
    seed: int | None,
    key: Path | None,
    answers: Path | None,
    listing: bool,
    outputs: Outputs,
) -> int:
    """Draw problems anew from a scenario: other numbers, an answer by hand, and wrong answers that have a reason.

    \b
    hopattn practice --list
    hopattn practice bank
    hopattn practice bank --count 5 --seed 7 --out sheet.md --key key.md
    hopattn practice bank --out upload.xml
    hopattn practice --mark answers.toml

    A scenario of your own needs a table [practice]; hopattn new practice mine.toml makes a first one.

    Without --out and --key, the sheet is printed. The key has the form of the sheet, or is Markdown where the sheet
    itself holds the answers. The same seed draws the same problems on every machine. With --mark, exit code 1 if an
    answer is not right.
    """
    from hopattn.foundation.errors import InvalidInput

    of_sheet = any(one is not None for one in (scenario, count, seed, key)) or bool(outputs.outs)
    if answers is not None:
        if of_sheet or outputs.lang is not None or listing:
            raise InvalidInput("--mark: takes the sheet from its file; leave NAME and the other options out")
        return _mark(answers, outputs.as_json)
    if listing:
        if of_sheet:
            raise InvalidInput("--list: shows what can be practised; leave NAME and the options of a sheet out")
        return _list(outputs.lang or "en", outputs.as_json)
    if outputs.as_json:
        raise InvalidInput("--json: is an option of --mark and --list; --out -.json prints a sheet as JSON")
    if scenario is None:
        raise InvalidInput("practice: needs the name of a scenario; `hopattn practice --list` shows them")
    from hopattn.practice.drawing import PROBLEMS, sheet
    from hopattn.practice.formats import formats
    from hopattn.results.files import require_output, write_over

    form = next((out.form for out in outputs.outs), "md")
    require_output(key, "--key", ".md" if formats[form].upload else f".{form}")
    if key is not None and any(key.absolute() == out.path.absolute().resolve() for out in outputs.outs):
        raise InvalidInput(f"--key: {key} is the file of the sheet too; give two names")
    drawn = sheet(scenario, PROBLEMS if count is None else count, seed or 0, outputs.lang or "en")
    if key is not None:
        write_over(key, formats[form].key(drawn).encode())
        click.echo(str(key), err=True)
    elif not outputs.outs:
        click.echo(_MARKS.sub("", str(formats[form].sheet(drawn))).rstrip("\n"))
    outputs.write(Thing(scenario, lambda form: formats[form].sheet(drawn)))
    return 0


def _list(language: str, as_json: bool) -> int:
    """Print the scenarios that have practice problems, group by group, with their questions."""
    from hopattn.practice.listing import practised
    from hopattn.results.files import json_text

    scenarios = [*practised(language)]
    if as_json:
        click.echo(portable_json(json_text([one._asdict() for one in scenarios])))
        return 0
    from rich.text import Text

    from hopattn.scenario.files import GROUPS
    from hopattn.views.consoles import console
    from hopattn.views.terminal import show, table

    width = max(len(one.name) for one in scenarios)
    for group in dict.fromkeys(one.group for one in scenarios):
        members = [one for one in scenarios if one.group == group]
        rows = [
            row for one in members for row in ((f"{one.name:{width}}", one.title), *(("", q) for q in one.questions))
        ]
        show(console(), Text(GROUPS[group], style="bold"), table(["", ""], rows), Text(""))
    ways = {
        f"hopattn practice {scenarios[0].name}": "problems of a scenario",
        "hopattn new practice mine.toml": "a first table [practice] for a scenario of yours",
    }
    show(console(), table(["", ""], ways.items()))
    return 0


def _mark(file: Path, as_json: bool) -> int:
    """Print the mark of each answer; 1 if one is not right."""
    from dataclasses import asdict

    from hopattn.practice.marking import marked
    from hopattn.results.files import json_text

    marks = marked(file)
    right = sum(mark.verdict == "right" for mark in marks)
    if as_json:
        click.echo(portable_json(json_text([asdict(mark) for mark in marks])))
    else:
        for mark in marks:
            reason = f": likely error: {mark.reason}" if mark.verdict == "wrong" else f": {mark.reason}"
            place = f" ({file}:{mark.line})" if mark.verdict == "unreadable" else ""
            click.echo(f"{mark.number}: {mark.verdict}{reason if mark.reason else ''}{place}")
        click.echo(f"{right} of {len(marks)} right")
    return 0 if right == len(marks) else 1
