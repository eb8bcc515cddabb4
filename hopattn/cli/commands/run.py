"""`hopattn run`: run one scenario."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopattn.cli.pairs import CommandWithPairs
from hopattn.cli.scenario_names import ScenarioName

if TYPE_CHECKING:
    from hopattn.scenario.loading import Scenario


@click.command(cls=CommandWithPairs, short_help="Run a scenario.")
@click.argument("scenario", metavar="NAME|FILE|-", type=ScenarioName())
@click.option("--explain", is_flag=True, help="Write the arithmetic, step by step, as the lecture does.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help="Change a value, as in mask=causal or layer.1.head.mask=causal.",
)
@click.option("--seed", type=click.IntRange(min=0), help="The seed of what is drawn at random, in place of the file's.")
@click.option(
    "--figures",
    is_flag=False,
    flag_value="",
    metavar="[FOLDER]",
    help="Draw all figures that there is something for, into a FOLDER (NAME-figures).",
)
@click.option("--format", "formats", metavar="svg,pdf,png,gif", help="The formats of --figures; by default svg.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep everything in a new FOLDER.", metavar="FOLDER")
def command(
    scenario: str,
    explain: bool,
    as_json: bool,
    changes: tuple[str, ...],
    seed: int | None,
    figures: str | None,
    formats: str | None,
    out: Path | None,
) -> int:
    """Run a scenario: one that comes with hopattn by its NAME, a FILE of your own, or - for standard input.

    \b
    hopattn run bank
    hopattn run bank --explain
    hopattn run bank --set layer.head.separation=softmax
    hopattn run bank --set input.tokens='["in", "muddy", "rivers", "banks"]'
    hopattn run letters --set 'cue."half of R".hide="top"'
    hopattn run bank --figures
    hopattn run bank --figures slides --format pdf,png
    hopattn run bank --out results

    The folder of --out holds arrays.npz, result.json, expectations.csv and provenance.json (versions, seed, the
    scenario's hash, the command), all or nothing.
    """
    from hopattn.scenario.language.overrides import parse_assignment
    from hopattn.scenario.running import run

    overrides = dict(parse_assignment(change) for change in changes)
    _require_figures(figures, formats)
    loaded = _loaded(scenario)
    result = run(loaded, seed, overrides, explain=explain)
    if out is not None:
        result.save(out, command=shlex.join(["hopattn", *sys.argv[1:]]))
    if figures is not None:
        from hopattn.figures.rendering import drawable, formats_of, save

        folder = Path(figures or f"{result.name}-figures")
        for plot in drawable(result):
            for path, notes in save(plot, result, folder, formats_of(plot, formats or "svg", by_name=False)):
                click.echo("\n".join([str(path), *(f"{path}: {note}" for note in notes)]), err=True)
    if as_json:
        click.echo(result.to_json())
    else:
        from hopattn.views.terminal import show_result

        show_result(result, explain)
    return 0 if result.ok else 1


def _require_figures(figures: str | None, formats: str | None) -> None:
    """Raise `InvalidInput` for formats without figures, and for an unknown format, before anything is computed."""
    from hopattn.foundation.errors import InvalidInput

    if formats is None:
        return
    if figures is None:
        raise InvalidInput("--format: is the format of figures; write --figures too")
    from hopattn.figures.rendering import require_formats

    require_formats(formats)


def _loaded(scenario: str) -> "Scenario":
    """The scenario of a name or a file; `-` stands for standard input."""
    from hopattn.foundation.errors import InvalidInput
    from hopattn.scenario.files import MAX_BYTES, decode
    from hopattn.scenario.loading import load, parse

    if scenario != "-":
        return load(scenario)
    if sys.stdin is None:
        raise InvalidInput("-: standard input is closed")
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    return parse(decode(data, "-"), "-", "standard input")
