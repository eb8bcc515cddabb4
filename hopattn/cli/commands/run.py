"""`hopattn run`: run one scenario."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.drawing import Drawing, drawing_asked, language_asked, names_and_folder, with_drawing_options
from hopattn.cli.pairs import CommandWithPairs
from hopattn.cli.scenario_names import ScenarioName
from hopattn.foundation.errors import InvalidInput, placed

if TYPE_CHECKING:
    from hopattn.results.labelled import Labelled
    from hopattn.scenario.loading import Scenario
    from hopattn.scenario.result import Result


HANDOUTS = ("md", "html", "tex")
"""The formats of a handout; they are known here so that the command line starts fast."""


@click.command(cls=CommandWithPairs, short_help="Run a scenario.")
@click.argument("scenario", metavar="NAME|FILE|-", type=ScenarioName())
@click.option("--explain", is_flag=True, help="Write the arithmetic, step by step, as the lecture does.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option(
    "--csv",
    "array",
    metavar="ARRAY",
    help="Print this array as CSV only, such as couplings, weights or river/weights of a variant.",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a value, as in mask=causal or layer.1.head.mask=causal.",
)
@click.option("--digits", type=click.IntRange(1, 15), default=2, show_default=True, help="Decimals in tables.")
@click.option("--seed", type=click.IntRange(min=0), help="Random seed; replaces the one in the file.")
@click.option(
    "--figures",
    is_flag=False,
    flag_value="",
    metavar="[NAME,…|FOLDER]",
    help="Also draw these figures (default: all that fit the result).",
)
@click.option("--into", type=click.Path(path_type=Path), metavar="FOLDER", help="The folder of the figures.")
@with_drawing_options
@click.option("--out", type=click.Path(path_type=Path), help="Keep everything in a new FOLDER.", metavar="FOLDER")
def command(
    scenario: str,
    explain: bool,
    as_json: bool,
    changes: tuple[str, ...],
    seed: int | None,
    figures: str | None,
    into: Path | None,
    out: Path | None,
    **drawing: Any,
) -> int:
    """Run a scenario: one that comes with hopattn by its NAME, a FILE of your own, or - for standard input.

    \b
    hopattn run bank
    hopattn run bank --explain
    hopattn run bank --digits 4
    hopattn run bank --explain --format html > bank.html
    hopattn run bank --set layer.head.separation=softmax
    hopattn run bank --set input.tokens=in,muddy,rivers,banks
    hopattn run letters --set 'cue."half of R".hide="top"'
    hopattn run bank --figures
    hopattn run bank --figures words,attention --format pdf,png --into slides
    hopattn run bank --figures words --style paper --size 3.4x2.4 --no-title
    hopattn run bank --figures --set figure.run=river
    hopattn run bank --out results
    hopattn run hopfield --csv couplings > couplings.csv

    With --explain, the formats md, html and tex print the arithmetic as a handout. --lang de writes it all in German.

    The folder of --out holds arrays.npz, result.json, expectations.csv and provenance.json (versions, seed, the
    scenario's hash, the command), all or nothing.
    """
    from hopattn.foundation.sentences import language
    from hopattn.scenario.language.paths import parse_assignment
    from hopattn.scenario.running import run

    digits, array = drawing.pop("digits"), drawing.pop("array")
    overrides = dict(parse_assignment(change) for change in changes)
    if as_json and array is not None:
        raise InvalidInput("--csv: prints one array, and --json the whole result; leave one of them out")
    given = "" if overrides or seed is not None or scenario == "-" else scenario
    overrides |= {"figure.lang": lang} if (lang := language_asked(drawing.pop("lang"))) else {}
    handout = _handout_asked(explain, as_json or array is not None, drawing)
    wishes = _figures_asked(figures, into, drawing)
    loaded = _loaded(scenario)
    result = run(loaded, seed, overrides, explain=explain)
    if out is not None:
        result.save(out, command=click.get_current_context().obj)
    drawn = [] if wishes is None else [*_draw(result, figures or "", into, wishes)]
    if as_json:
        click.echo(portable_json(result.to_json()))
    elif array is not None:
        click.echo(_array_named(result, array).to_csv(), nl=False)
    elif handout:
        from hopattn.views.handout import handout as written

        click.echo(written(result, handout), nl=False)
    else:
        import numpy as np

        from hopattn.views.next_steps import next_steps
        from hopattn.views.result_text import show_result

        with language(result.figure.lang):
            with np.errstate(all="ignore"):  # figures and pages that might be drawn, of vectors at the edge of a range
                further = [*next_steps(loaded, result, given, explain, wishes is not None)]
            show_result(result, explain, digits, further)
    for line in drawn:  # at the end, where they are seen
        click.echo(line, err=True)
    return 0 if result.ok else 1


def _array_named(result: "Result", name: str) -> "Labelled":
    """The array that a name means in an expectation; the name of a variant and a slash may stand before it.

    The arrays that figures alone read have their whole names. Raises `InvalidInput` for another name.
    """
    runs = [run for run in result.runs if not run.name or name.startswith(f"{run.name}/")]
    run = max(runs, key=lambda run: len(run.name))
    quantity, arrays = name.removeprefix(f"{run.name}/") if run.name else name, run.arrays
    with placed("--csv"):
        return arrays.as_written(quantity if quantity in arrays.drawn else arrays.name(quantity, ()))


def _handout_asked(explain: bool, as_json: bool, options: dict[str, Any]) -> str:
    """The format of a handout, which is taken from the formats of figures; empty if none is asked for.

    Raises `InvalidInput` for several, for one without --explain, and for one with --json or --csv.
    """
    formats = [name.strip() for name in (options["formats"] or "").split(",")]
    asked = [name for name in formats if name in HANDOUTS]
    if not asked:
        return ""
    if as_json or not explain or len(asked) > 1:
        why = "prints nothing with --json or --csv" if as_json else "needs --explain" if not explain else "stands alone"
        raise InvalidInput(f"--format {asked[0]}: a handout of the arithmetic {why}")
    options["formats"] = ",".join(name for name in formats if name not in HANDOUTS) or None
    return asked[0]


def _figures_asked(figures: str | None, into: Path | None, options: dict[str, Any]) -> Drawing | None:
    """The requested figures, checked before anything is computed; None without --figures.

    Raises `InvalidInput` for an option of drawing without --figures, and for a value that cannot be used.
    """
    if figures is not None:
        names_and_folder(figures, into, "")
        return drawing_asked(**options, lang=None)
    given = [name for name, value in (("into", into), *options.items()) if value]
    if given:
        option = "format" if given[0] == "formats" else given[0].replace("_", "-")
        handout = f"; a handout of --explain is {', '.join(HANDOUTS[:-1])} or {HANDOUTS[-1]}" * (option == "format")
        raise InvalidInput(f"--{option}: is an option of figures; write --figures too{handout}")
    return None


def _draw(result: "Result", figures: str, into: Path | None, wishes: Drawing) -> Iterator[str]:
    """Draw the figures of a result; gives the path of each file, and what there is to say."""
    from hopattn.figures.favourites import drawable, why_no_figures
    from hopattn.figures.figure import gallery

    names, folder = names_and_folder(figures, into, result.name)
    if not names and (reason := why_no_figures(result)):
        yield reason
    figures_named = [gallery()[name] for name in names]
    for figure in figures_named:  # before the first file
        wishes.require_drawable(figure, result)
    for figure in figures_named or drawable(result):
        for path, notes in wishes.files(figure, result, folder, by_name=bool(names), own=True):
            yield from (str(path), *(f"{path}: {note}" for note in notes))


def _loaded(scenario: str) -> "Scenario":
    """The scenario of a name or a file; `-` stands for standard input."""
    from hopattn.scenario.files import MAX_BYTES, decode
    from hopattn.scenario.loading import load_scenario, parse

    if scenario != "-":
        return load_scenario(scenario)
    if sys.stdin is None:
        raise InvalidInput("-: standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return parse(decode(data, "-"), "-", "standard input")
