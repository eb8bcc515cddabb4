"""`hopattn lint`: the numbers of a lecturer's notes beside the run."""

from functools import cache
from pathlib import Path

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.options import option


@click.command(short_help="Check the numbers in your notes, with a scenario or without.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--scenario",
    "names",
    multiple=True,
    metavar="NAME",
    help="A scenario, its file, or NAME variant VARIANT. Again for another.",
)
@option("--json")
def command(files: tuple[Path, ...], names: tuple[str, ...], as_json: bool) -> int:
    """Find the numbers in a text that follow from others in it, and compare them with what follows.

    \b
    hopattn lint notes.md
    hopattn lint slides.tex --scenario "bank variant river" --scenario mine.toml

    Patterns give W; W and a state give the field and the next state; words and their matrices give Q, K, V; these give
    scores, weights and outputs. The forms that courses use are tried (W x or X·W, with or without 1/N, √d, mask), and
    the one with the fewest misses is kept. With a scenario, the numbers that stand beside its names are compared with
    its run too. Markdown, LaTeX, plain text, HTML and notebooks are read.

    A number that differs is shown with its line and the right value. Exit code 1 if there is one, or a matrix whose
    formula the text states and most of whose numbers differ; 2 if nothing could be compared. A comment in the text
    names the scenario of the lines after it; after "off", nothing is compared:

    \b
    <!-- hopattn: bank -->                in Markdown, HTML and text cells
    % hopattn: bank variant river         in LaTeX
    # hopattn: off                        in plain text

    Tables, vectors beside a word, and sentences are compared: "the weight from banks to financial is .6". Rows of
    softmax weights must sum to 1.
    """
    from hopattn.foundation.threads import single_threaded
    from hopattn.notes.checking import check, total
    from hopattn.notes.known import known
    from hopattn.views.visible import plain

    with single_threaded():
        runs_of = cache(known)
        checked = [check(file, names, runs_of) for file in files]
    findings = [(one, claim) for one in checked for claim in one.findings]
    compared = sum(len(one.claims) for one in checked)
    if as_json:
        from hopattn.results.files import json_text

        rows = [{"file": one.file, "place": one.place(claim.line), **claim._asdict()} for one, claim in findings]
        readings = [{"file": one.file, **reading._asdict()} for one in checked for reading in one.readings]
        table = {"findings": rows, "readings": readings, "compared": compared, "agreed": compared - len(rows)}
        click.echo(portable_json(json_text(table)))
    else:
        for one in checked:
            for claim in one.findings:
                click.echo(plain(f"{one.place(claim.line)}: {claim.sentence}"))
            for reading in one.readings:
                if not reading.is_claimed:
                    click.echo(plain(f"{one.place(reading.line)}: {reading.sentence}"))
            forms = dict.fromkeys(reading.form for reading in one.readings if reading.is_claimed)
            if forms:
                click.echo(plain(f"{one.file}: read as {'; '.join(forms)}"))
        if compared:
            click.echo(total(checked))
    is_wrong = any(reading.is_wrong for one in checked for reading in one.readings)
    for one in checked:
        if not (one.claims or any(reading.is_wrong for reading in one.readings)):
            click.echo(plain(one.nothing), err=True)
    return 1 if findings or is_wrong else 0 if compared else 2
