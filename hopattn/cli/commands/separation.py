"""`hopattn separation`: which β and which memory can tell the patterns of a file apart."""

from functools import partial
from pathlib import Path

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, writes


@click.command(cls=Command, short_help="Say which memory and β can tell your patterns apart.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--error",
    type=float,
    default=0.01,
    show_default=True,
    help="Allowed error of the softmax, as a share of the distance to the nearest pattern.",
)
@option("--array", " of patterns, in a file with several; or Q,K,V of heads.")
@option("--long", " patterns, or all heads.")
@option("--json")
@writes("separation")
def command(file: Path, error: float, array: str | None, whole: bool, outputs: Outputs) -> None:
    """Say how far the patterns of FILE (.npy, .npz, .safetensors, .csv; one a row) are apart, and what follows.

    \b
    Δ        the margin: ξ·ξ less the largest dot product with another pattern, its rival
    distance to the nearest pattern
    reach    the radius of exact recall in one step for β → ∞
    β        the least one: sparse, for exact recall; softmax, for the error; log-sum-ReLU, for
             basins that do not meet; Ramsauer's condition of a well separated pattern
    radius   a damaged cue so near surely returns, at the β that is advised below

    A file with q, k and v has the keys of each head as patterns. The formulas are those of `ha.theory.margins`.
    """
    from hopattn.experiments.separation import separation_of_file
    from hopattn.foundation.checks import real
    from hopattn.views.separation_text import show_separation

    real(error, "--error", above=0.0, below=0.5)
    reports = separation_of_file(file, error, array, partial(click.echo, err=True))
    outputs.finish("separation", reports, lambda: show_separation(reports, whole))
