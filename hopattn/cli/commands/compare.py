"""`hopattn compare`: the same keys, values and cues through several memories, and through attention."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.drawing import draw_into
from hopattn.cli.pairs import CommandWithPairs
from hopattn.cli.scenario_names import ScenarioName
from hopattn.foundation.errors import InvalidInput, reject_unknown


@click.command(cls=CommandWithPairs, short_help="Compare memories with one another, and with attention.")
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
@click.option("--array", metavar="NAME", help="The array of patterns, in a file with several; or Q,K,V of heads.")
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
    """Compare memories with one another, and with attention.

    For each memory: what it recalls after one step (attention) and at the fixed point (Hopfield), how many steps that
    takes, how far its energy falls, over how many keys it spreads its weight; and whether one step of the softmax is
    attention, which is computed independently (with NumPy, and with PyTorch where it is installed). The output fits on
    a screen of 80 × 24; --all shows the rest.

    \b
    hopattn compare                                     random patterns
    hopattn compare --over load=0.05:0.5:10 --figure load.svg
    hopattn compare --patterns unit --load 0.5 --over beta=0.1:32:log5
    hopattn compare bank                                the words of a scenario
    hopattn compare letters.npy --noise 0.2             patterns of your own (.npy, .npz, .csv, .safetensors)
    hopattn compare heads.npz --mask causal             q, k and v saved from any model, a row a head

    Of a file named by --csv or --figure, only an older table or figure of hopattn is replaced. beta is by default √dim
    over the mean squared length of a key (1/√dim for spins and for the heads of a file), or the scenario's own.
    """
    given = {name: value for name, value in options.items() if value not in (None, ()) and value is not False}
    if measure is not None:
        from hopattn.figures.comparison import MEASURES

        reject_unknown("--measure", [measure], MEASURES)
        if figure_file is None:
            raise InvalidInput("--measure: is what a figure shows; write --figure too")
    from hopattn.results.files import json_text, require_output, write_over

    require_output(figure_file, "--figure", ".svg", ".pdf", ".png")
    require_output(csv_file, "--csv", ".csv")
    from hopattn.experiments.comparison.options import compared

    with _progress() as report:
        result = compared(source, given | report | {"note": partial(click.echo, err=True)})
    if figure_file is not None:
        from hopattn.figures.comparison import comparison_sheet

        draw_into(figure_file, comparison_sheet(result, measure))
    if csv_file is not None:
        write_over(csv_file, result.to_csv().encode())
        click.echo(str(csv_file), err=True)
    if as_json:
        click.echo(portable_json(json_text(result.to_dict())))
        return
    from hopattn.views.comparison_text import show_comparison

    show_comparison(result, whole)
    if whole and result.referees:
        click.echo(f"beside attention: computed independently with {' and with '.join(result.referees)}", err=True)


@contextmanager
def _progress() -> Iterator[dict[str, Any]]:
    """The keyword that shows on standard error how many recalls are done, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield {}
        return
    from hopattn.views.tables import progress

    with progress("recalls") as report:
        yield {"report": report}
