"""`hopattn lint`: the numbers of a lecturer's notes beside the run."""

from functools import cache
from pathlib import Path

import click

from hopattn.cli.code_pages import portable_json


@click.command(short_help="Compare the numbers in your notes with the run.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--scenario",
    "names",
    multiple=True,
    metavar="NAME",
    help="A scenario, its file, or NAME variant VARIANT. Again for another.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> int:
    """Find the numbers in a text that stand beside a scenario's names, and compare them with its run.

    \b
    hopattn lint notes.md --scenario bank
    hopattn lint slides.tex --scenario "bank variant river" --scenario mine.toml

    A number that differs is shown with its line and the right value. Exit code 1 if there is one. A comment in the text
    names the scenario of the lines after it; after "off", nothing is compared:

    \b
    <!-- hopattn: bank -->                in Markdown
    % hopattn: bank variant river         in LaTeX
    # hopattn: off                        in plain text

    Tables, vectors beside a word, and sentences are compared: "the weight from banks to financial is .6". Rows of
    softmax weights must sum to 1, also without a scenario.
    """
    from hopattn.foundation.threads import single_threaded
    from hopattn.notes.checking import check, total
    from hopattn.notes.known import known
    from hopattn.views.visible import plain

    with single_threaded():
        runs_of = cache(known)
        checked = [check(file, names, runs_of) for file in files]
    findings = [(one.file, claim) for one in checked for claim in one.findings]
    if as_json:
        from hopattn.results.files import json_text

        rows = [{"file": file, **claim._asdict()} for file, claim in findings]
        compared = sum(len(one.claims) for one in checked)
        text = json_text({"findings": rows, "compared": compared, "agreed": compared - len(rows)})
        click.echo(portable_json(text))
    else:
        for file, claim in findings:
            click.echo(plain(f"{file}:{claim.line}: {claim.sentence}"))
        click.echo(total(checked))
    return 1 if findings else 0
