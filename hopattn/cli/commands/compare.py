"""`hopattn compare`: the same keys, values and cues through several memories, and through attention."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, writes
from hopattn.cli.scenario_names import ScenarioName
from hopattn.foundation.errors import reject_unknown


@click.command(cls=Command, short_help="Compare memories with one another, and with attention.")
@click.argument("source", metavar="[NAME|FILE]", required=False, type=ScenarioName())
@click.option(
    "--models",
    metavar="A,B",
    help="Which memories: hopfield, dense, modern, sparse, linear, nearest (these six), exponential, entmax, normmax; "
    "or your own, as mymodule:LogCosh.",
)
@option("--over", ": beta=0.1:32:log5, load=0.05:0.5:10, dim=16,32,64; also noise, hidden, correlation.")
@option("--set", ": one of those above, as in noise=0.2; also n_patterns, patterns, max_steps.")
@option("--array", " of patterns, in a file with several; or Q,K,V of heads.")
@option("--mask")
@option("--trials", " (20).")
@option("--seed", default=0, show_default=True)
@click.option("--anyway", is_flag=True, help="Begin even if it would take longer than ten minutes.")
@option("--long", " rows and columns, and the key nearest to each answer.")
@option("--json")
@option("--measure", " in the picture: recalled, steps, entropy, distance …")
@writes("compare")
def command(
    source: str | None,
    over: tuple[str, ...],
    set: tuple[str, ...],
    whole: bool,
    measure: str | None,
    outputs: Outputs,
    **options: Any,
) -> None:
    """Compare memories with one another, and with attention.

    For each memory: what it recalls after one step (attention) and at the fixed point (Hopfield), how many steps that
    takes, how far its energy falls, over how many keys it spreads its weight; and whether one step of the softmax is
    attention, which is computed independently (with NumPy, and with PyTorch where it is installed). The output fits on
    a screen of 80 × 24; --long shows the rest.

    \b
    hopattn compare                                     random patterns
    hopattn compare --over load=0.05:0.5:10 --out load.svg --out load.csv
    hopattn compare --set patterns=unit --set load=0.5 --over beta=0.1:32:log5
    hopattn compare bank                                the words of a scenario
    hopattn compare letters.npy --set noise=0.2         patterns of your own (.npy, .npz, .csv, .safetensors)
    hopattn compare heads.npz --mask causal             q, k and v saved from any model, a row a head

    \b
    beta          the inverse temperature of modern, sparse, entmax and normmax; by default √dim over the mean
                  squared length of a key (1/√dim for spins and for the heads of a file), or the scenario's own
    load, dim     patterns a neuron (0.1), and neurons (64); n_patterns is a number instead of a load
    patterns      spins, random ±1 (default), or unit, real vectors of unit magnitude
    noise         the fraction of spins reversed, or the relative length of the noise (0.1)
    hidden        the fraction of a cue that is unknown (0)
    correlation   the expected cosine of two patterns, from 0 to below 1 (0)
    max_steps     of a recall (100)
    """
    if measure is not None:
        from hopattn.figures.comparison import MEASURES

        reject_unknown("--measure", [measure], MEASURES)
    outputs.require_drawn("--measure", measure)
    from hopattn.experiments.comparison.options import compared

    options = {name: value for name, value in options.items() if value is not None and value is not False}
    with _progress() as report:
        result = compared(source, over, set, options | report | {"note": partial(click.echo, err=True)})

    def show() -> None:
        from hopattn.views.comparison_text import show_comparison

        show_comparison(result, whole)
        if whole and result.referees:
            click.echo(f"beside attention: computed independently with {' and with '.join(result.referees)}", err=True)

    outputs.finish("comparison", result, show, measure)


@contextmanager
def _progress() -> Iterator[dict[str, Any]]:
    """The keyword that shows on standard error how many recalls are done, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield {}
        return
    from hopattn.views.tables import progress

    with progress("recalls") as report:
        yield {"report": report}
