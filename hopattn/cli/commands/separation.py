"""`hopattn separation`: which β and which memory can tell the patterns of a file apart."""

from functools import partial
from pathlib import Path

import click

from hopattn.cli.code_pages import portable_json


@click.command(short_help="Say which memory and β can tell your patterns apart.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--error",
    type=float,
    default=0.01,
    show_default=True,
    help="Allowed error of the softmax, as a share of the distance to the nearest pattern.",
)
@click.option("--array", metavar="NAME", help="The array of patterns, in a file with several; or Q,K,V of heads.")
@click.option("--all", "whole", is_flag=True, help="Show all patterns, or all heads.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(file: Path, error: float, array: str | None, whole: bool, as_json: bool) -> None:
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

    real(error, "--error", above=0.0, below=0.5)
    reports = separation_of_file(file, error, array, partial(click.echo, err=True))
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text([report.to_dict() for report in reports])))
        return
    from hopattn.views.separation_text import show_separation

    show_separation(reports, whole)
