"""`hopattn compare`: the same keys, values and cues through several memories, and through attention."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.pairs import CommandWithPairs
from hopattn.cli.scenario_names import ScenarioName

if TYPE_CHECKING:
    from hopattn.experiments.comparison.result import Comparison


@click.command(cls=CommandWithPairs, short_help="Compare memories with each other and with attention.")
@click.argument("source", metavar="[NAME|FILE]", required=False, type=ScenarioName())
@click.option(
    "--memories",
    metavar="A,B",
    help="Which: hopfield, dense, modern, sparse, linear, nearest (these six), exponential, entmax, normmax; or your "
    "own, as mymodule:LogCosh.",
)
@click.option(
    "--over",
    multiple=True,
    metavar="AXIS=NUMBERS",
    help="A grid: beta=0.1:32:log5, load=0.05:0.5:10, "
    "dim=16,32,64; also noise, hidden, correlation. It may be given again.",
)
@click.option("--beta", type=float, help="The inverse temperature of modern, sparse, entmax and normmax.")
@click.option("--load", type=float, help="Patterns a neuron (0.1).")
@click.option("--dim", type=int, help="The number of neurons (64).")
@click.option("--n-patterns", type=int, help="Number of patterns, instead of a load.")
@click.option("--patterns", metavar="spins|unit", help="Random ±1, or real vectors of unit magnitude (spins).")
@click.option("--noise", type=float, help="The fraction of spins reversed, or the relative length of the noise (0.1).")
@click.option("--hidden", type=float, help="The fraction of a cue that is unknown (0).")
@click.option("--correlation", type=float, help="The expected cosine of two patterns, from 0 to below 1 (0).")
@click.option("--mask", metavar="none|causal|strict", help="Which keys a query of a file may see (none).")
@click.option("--trials", type=int, help="Draws at each point of the grid (20).")
@click.option("--max-steps", type=click.IntRange(min=1), default=100, show_default=True, help="Of a recall.")
@click.option("--seed", "rng", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")
@click.option("--anyway", is_flag=True, help="Begin even if it would take longer than ten minutes.")
@click.option("--all", "whole", is_flag=True, help="Show all rows and columns, and the key nearest to each answer.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), metavar="FILE", help="Write all rows as CSV.")
@click.option(
    "--figure", "figure_file", type=click.Path(path_type=Path), metavar="FILE", help="Draw it: .svg, .pdf or .png."
)
@click.option("--measure", metavar="NAME", help="What the figure shows: recalled, steps, entropy, distance …")
def command(
    source: str | None,
    whole: bool,
    as_json: bool,
    csv_file: Path | None,
    figure_file: Path | None,
    measure: str | None,
    **options: Any,
) -> None:
    """Compare memories: what each recalls after one step (attention) and at the fixed point
    (Hopfield), how many steps that takes, how far its energy falls, over how many keys it spreads its weight; and
    whether one step of the softmax is attention, which is computed independently (with NumPy, and with PyTorch where it
    is installed). The output fits on a screen of 80 × 24; --all shows the rest.

    \b
    hopattn compare                                     random patterns
    hopattn compare --over load=0.05:0.5:10 --figure load.svg
    hopattn compare --patterns unit --load 0.5 --over beta=0.1:32:log5
    hopattn compare bank                                the words of a scenario
    hopattn compare letters.npy --noise 0.2             patterns of your own (.npy, .npz, .csv, .safetensors)
    hopattn compare heads.npz --mask causal             q, k and v saved from any model, a row a head

    A file named by --csv or --figure is replaced. beta is by default √dim over the mean squared length of a key (1/√dim
    for spins and for the heads of a file), or the scenario's own.
    """
    given = {name: value for name, value in options.items() if value not in (None, ()) and value is not False}
    format = _format(figure_file, measure)
    _require_plain_files(csv_file, figure_file)
    if csv_file is not None:
        _require_ending(csv_file, "--csv", ".csv")
    with _progress() as report:
        result = _compared(source, given | report | {"note": partial(click.echo, err=True)})
    if figure_file is not None:
        _draw(result, figure_file, format, measure)
    if csv_file is not None:
        from hopattn.results.files import write_over

        write_over(csv_file, result.to_csv().encode())
        click.echo(str(csv_file), err=True)
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text(result.to_dict())))
        return
    from hopattn.views.tables import show_comparison

    show_comparison(result, whole)
    if whole and result.referees:
        click.echo(f"beside attention: computed independently with {' and with '.join(result.referees)}", err=True)


def _compared(source: str | None, given: dict[str, Any]) -> "Comparison":
    """The comparison on random patterns, a scenario, or a file of patterns or heads, as the source says."""
    from hopattn.experiments.comparison.from_files import holds_heads, is_file_of_arrays
    from hopattn.experiments.comparison.options import of_heads, of_patterns, of_random, of_scenario

    if source is None:
        return of_random(given)
    if not is_file_of_arrays(source):
        return of_scenario(source, given)
    file = Path(source)
    return of_heads(file, given) if holds_heads(file) else of_patterns(file, given)


@contextmanager
def _progress() -> Iterator[dict[str, Any]]:
    """The keyword that shows on standard error how many recalls are done, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield {}
        return
    from hopattn.views.tables import progress

    with progress("recalls") as report:
        yield {"report": report}


def _require_plain_files(*files: Path | None) -> None:
    """Raise `InvalidInput` for a path that exists and is not a plain file, before anything is computed."""
    from hopattn.results.files import require_regular

    for file in files:
        if file is not None:
            require_regular(file)


def _draw(result: "Comparison", file: Path, format: str, measure: str | None) -> None:
    """Draw the comparison into a file."""
    from hopattn.figures.comparison import ComparisonView, draw_comparison
    from hopattn.figures.rendering import rendered
    from hopattn.results.files import write_over

    picture, _ = rendered(lambda figure: draw_comparison(figure, result, ComparisonView(measure)), format)
    write_over(file, picture)
    click.echo(str(file), err=True)


def _format(file: Path | None, measure: str | None) -> str:
    """The format of a figure by the ending of its file, empty without a file.

    Raises `InvalidInput` for another ending, and for a measure that is unknown or has no file.
    """
    from hopattn.foundation.errors import InvalidInput, reject_unknown

    if measure is not None:
        from hopattn.figures.comparison_parts import MEASURES

        reject_unknown("--measure", [measure], MEASURES)
        if file is None:
            raise InvalidInput("--measure: is what a figure shows; write --figure too")
    if file is None:
        return ""
    _require_ending(file, "--figure", ".svg", ".pdf", ".png")
    return file.suffix.lower().removeprefix(".")


def _require_ending(file: Path, option: str, *endings: str) -> None:
    """Raise `InvalidInput` for a file of another ending."""
    from hopattn.foundation.errors import InvalidInput, shortened

    if file.suffix.lower() not in endings:
        *others, last = endings
        expected = f"{', '.join(others)} or {last}" if others else last
        raise InvalidInput(f"{option}: {shortened(file.name)}: expected a file that ends in {expected}")
