"""`hopattn sweep`: run a scenario over a grid of its numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopattn.cli.code_pages import portable_json
from hopattn.cli.pairs import CommandWithPairs
from hopattn.cli.scenario_names import ScenarioName
from hopattn.cli.signals import Stopped
from hopattn.foundation.errors import CannotDo

if TYPE_CHECKING:
    from hopattn.experiments.sweeps.table import Sweep
    from hopattn.scenario.loading import Scenario


@click.command(cls=CommandWithPairs, short_help="Run a scenario over a grid of its numbers.")
@click.argument("scenario", metavar="NAME|FILE", type=ScenarioName())
@click.option(
    "--over",
    "axes",
    multiple=True,
    metavar="KEY=GRID",
    help="Values to go over, as in beta=0.1:32:log20, load=1,2 or model.rule=hebb,storkey.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Change a value, as for `hopattn run`.")
@click.option("--trials", type=click.IntRange(min=1), help="Trials at each point.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Measure to record at each point.")
@click.option("--seed", "rng", type=click.IntRange(min=0), help="Random seed; replaces the one in the file.")
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes; by default one on each core.")
@click.option("--scheduler", default="", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")
@click.option(
    "--points",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File of finished points; the same command resumes from it (NAME-points.jsonl).",
)
@click.option(
    "--out",
    "outputs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the table as .csv, .npz or .json, or draw it as .svg, .pdf or .png.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON only.")
def command(scenario: str, points: Path | None, outputs: tuple[Path, ...], as_json: bool, **options: Any) -> int:
    """Run a scenario (a NAME or a FILE) at every point of a grid of its numbers, and print means with 95 % intervals.

    \b
    hopattn sweep capacity
    hopattn sweep capacity --over load=0.02:0.2:10 --trials 50 --out capacity.svg
    hopattn sweep bank --over layer.head.beta=0.1:10:log5 --set layer.head.separation=softmax \\
        --measure "layer 1 head 1 weights[banks, financial]"

    A KEY is a path as for --set, or its last part where that is the only one. Finished points are kept: the same
    command goes on where it was interrupted, and with all points finished only prints, writes and draws.
    """
    from hopattn.scenario.loading import load_scenario
    from hopattn.views.sweep_files import require_writable, write_sweep

    require_writable(outputs)
    loaded = load_scenario(scenario)
    points = points or Path(f"{loaded.name}-points.jsonl")
    result = _finished_sweep(loaded, points, **options)
    for path in outputs:
        for note in write_sweep(result, path):
            click.echo(f"{path}: {note}", err=True)
    if as_json:
        from hopattn.results.files import json_text

        click.echo(portable_json(json_text(result.to_dict())))
    else:
        from hopattn.views.tables import show_sweep

        show_sweep(result)
    click.echo(f"finished points are saved in {points}: the same command reuses them; or delete the file", err=True)
    return 0


def _finished_sweep(
    scenario: "Scenario", file: Path, axes: tuple[str, ...], changes: tuple[str, ...], **options: Any
) -> "Sweep":
    """The finished sweep; if it is interrupted, the command that continues it is printed.

    file: the checkpoint. axes: texts such as beta=0.1:32:log20. changes: texts such as layer.head.beta=2. options:
    further keywords of `sweep_scenario`.
    """
    from hopattn.experiments.sweeps.of_scenario import sweep_scenario
    from hopattn.scenario.grids import axes_from
    from hopattn.scenario.language.paths import parse_assignment
    from hopattn.views.tables import progress
    from hopattn.views.visible import visible

    options |= {"file": file, "overrides": dict(parse_assignment(change) for change in changes)}
    try:
        with progress() as report:
            options |= {"report": report, "note": lambda text: click.echo(visible(text), err=True)}
            return sweep_scenario(scenario, axes_from(axes, words=True) or None, **options)
    except (Stopped, KeyboardInterrupt, CannotDo):
        if file.is_file():
            command_line = click.get_current_context().obj
            some = file.stat().st_size > 0
            message = f"finished points are kept in {file}; go on" if some else "no point is finished yet; begin"
            click.echo(f"{message} with:\n  {command_line}", err=True)
        raise
