"""`hopattn practice`: practice problems that are drawn from a scenario."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.scenario_names import ScenarioName

if TYPE_CHECKING:
    from hopattn.practice.formats import Format

_MARKS = re.compile(r"```\{exercise-(?:start|end)\}\n(?::.*\n)*```\n+")
"""The marks of an exercise in Markdown, which a terminal does not need."""
FORMATS = ("html", "json", "md", "moodle", "notebook", "qti", "tex")
"""The formats of a sheet; they are known here so that the command line starts fast."""


@click.command(short_help="Draw practice problems from a scenario.")
@click.argument("scenario", metavar="[NAME|FILE]", required=False, type=ScenarioName())
@click.option("--count", type=click.IntRange(1, 100), show_default="5", help="Number of problems.")
@click.option("--seed", type=click.IntRange(min=0), show_default="0", help="Another seed, other numbers.")
@click.option("--sheet", "sheet_file", type=click.Path(path_type=Path), metavar="FILE", help="Write the sheet.")
@click.option("--key", "key_file", type=click.Path(path_type=Path), metavar="FILE", help="Write answers and working.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="By default that of the sheet's ending, or md.")
@click.option("--lang", "--language", "language", show_default="en", metavar="en|de", help="Language of the sheet.")
@click.option(
    "--check", "answers", type=click.Path(path_type=Path), metavar="FILE", help="Mark the answers in a TOML file."
)
@click.option("--list", "is_list", is_flag=True, help="Show what can be practised: each scenario and its questions.")
@click.option("--json", "as_json", is_flag=True, help="With --check or --list, print JSON only.")
def command(
    scenario: str | None,
    *,
    count: int | None,
    seed: int | None,
    sheet_file: Path | None,
    key_file: Path | None,
    format_: str | None,
    language: str | None,
    answers: Path | None,
    is_list: bool,
    as_json: bool,
) -> int:
    """Draw problems anew from a scenario: other numbers, an answer by hand, and wrong answers that have a reason.

    \b
    hopattn practice --list
    hopattn practice bank
    hopattn practice bank --count 5 --seed 7 --sheet sheet.md --key key.md
    hopattn practice bank --sheet upload.xml --format moodle
    hopattn practice --check answers.toml

    A scenario of your own needs a table [practice]; hopattn new practice mine.toml makes a first one.

    Without --sheet and --key, the sheet is printed. The same seed draws the same problems on every machine. With
    --check, exit code 1 if an answer is not right.

    \b
    md, tex, html      a sheet for print; the key has the same format
    notebook           a Jupyter notebook that checks the answers
    moodle, qti        an upload for Moodle; for Canvas and other platforms (QTI 1.2, needs text2qti)
    json               everything as data
    """
    from hopattn.cli.drawing import language_asked
    from hopattn.foundation.errors import InvalidInput

    lang = language_asked(language) or "en"
    of_sheet = any(one is not None for one in (scenario, count, seed, sheet_file, key_file, format_))
    if answers is not None:
        if of_sheet or language is not None or is_list:
            raise InvalidInput("--check: takes the sheet from its file; leave NAME and the other options out")
        return _check(answers, as_json)
    if is_list:
        if of_sheet:
            raise InvalidInput("--list: shows what can be practised; leave NAME and the options of a sheet out")
        return _list(lang, as_json)
    if as_json:
        raise InvalidInput("--json: is an option of --check and --list; --format json gives a sheet as JSON")
    if scenario is None:
        raise InvalidInput("practice: needs the name of a scenario; `hopattn practice --list` shows them")
    from hopattn.practice.drawing import PROBLEMS, sheet
    from hopattn.practice.formats import formats
    from hopattn.results.files import write_over

    chosen = formats[name := format_ or _of_ending(sheet_file)]
    _require_files(sheet_file, key_file, chosen)
    drawn = sheet(scenario, PROBLEMS if count is None else count, seed or 0, lang)
    if key_file is not None:
        write_over(key_file, chosen.key(drawn).encode())
        click.echo(str(key_file), err=True)
    if sheet_file is not None or key_file is None:
        written = chosen.sheet(drawn)
        if isinstance(written, str) and sheet_file is None:
            click.echo(_MARKS.sub("", written).rstrip("\n"))
            return 0
        if sheet_file is None:
            raise InvalidInput(f"--format {name}: is not a text; give --sheet too")
        write_over(sheet_file, written.encode() if isinstance(written, str) else written)
        click.echo(str(sheet_file), err=True)
    return 0


def _of_ending(file: Path | None) -> str:
    """The format of a file's ending; Markdown for no file."""
    from hopattn.practice.formats import formats
    from hopattn.results.files import require_output

    endings = {one.ending: name for name, one in formats.items()}
    if file is not None:
        require_output(file, "--sheet", *sorted(endings))
    return "md" if file is None else endings[file.suffix.lower()]


def _require_files(sheet_file: Path | None, key_file: Path | None, format_: "Format") -> None:
    """Raise `InvalidInput` for files of the wrong endings, and for one file that is asked for twice."""
    from hopattn.foundation.errors import InvalidInput
    from hopattn.results.files import require_output

    require_output(sheet_file, "--sheet", format_.ending)
    require_output(key_file, "--key", ".md" if format_.upload else format_.ending)
    if sheet_file is not None and sheet_file == key_file:
        raise InvalidInput(f"--key: {key_file} is the file of the sheet too; give two names")


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


def _check(file: Path, as_json: bool) -> int:
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
