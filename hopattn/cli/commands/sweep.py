"""`hopattn sweep`: run a scenario over a grid of its numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopattn.cli.options import Command, option
from hopattn.cli.output import Outputs, writes
from hopattn.cli.scenario_names import ScenarioName
from hopattn.cli.signals import Stopped
from hopattn.foundation.errors import CannotDo

if TYPE_CHECKING:
    from hopattn.experiments.sweeps.table import Sweep
    from hopattn.scenario.loading import Scenario


@click.command(cls=Command, short_help="Run a scenario over a grid of its numbers.")
@click.argument("scenario", metavar="NAME|FILE", type=ScenarioName())
@option("--over", ", as in beta=0.1:32:log20, load=1,2 or model.rule=hebb,storkey.")
@option("--set", ", as for `hopattn run`.")
@option("--trials")
@option("--measure", "; it may be given again.", multiple=True)
@option("--seed", "; replaces the one in the file.")
@option("--workers")
@click.option("--scheduler", default="", metavar="ADDRESS", help="Work on the Dask cluster of this scheduler.")
@click.option(
    "--points",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File of finished points; the same command resumes from it (NAME-points.jsonl).",
)
@option("--json")
@writes("sweep")
def command(scenario: str, points: Path | None, outputs: Outputs, **options: Any) -> None:
    """Run a scenario (a NAME or a FILE) at every point of a grid of its numbers, and print means with 95 % intervals.

    \b
    hopattn sweep capacity
    hopattn sweep capacity --over load=0.02:0.2:10 --trials 50 --out capacity.svg --out capacity.csv
    hopattn sweep capacity --out capacity.pdf --style paper --size 3.4x2.4
    hopattn sweep bank --over layer.head.beta=0.1:10:log5 --set layer.head.separation=softmax \\
        --measure "layer 1 head 1 weights[banks, financial]"

    A KEY is a path as for --set, or its last part where that is the only one. Finished points are kept: the same
    command goes on where it was interrupted, and with all points finished only prints, writes and draws.
    """
    from hopattn.scenario.loading import load_scenario
    from hopattn.views.tables import show_sweep

    loaded = load_scenario(scenario)
    points = points or Path(f"{loaded.name}-points.jsonl")
    result = _finished_sweep(loaded, points, **options)

    outputs.finish(loaded.name, result, lambda: show_sweep(result))
    click.echo(f"finished points are saved in {points}: the same command reuses them; or delete the file", err=True)


def _finished_sweep(
    scenario: "Scenario", file: Path, over: tuple[str, ...], set: tuple[str, ...], **options: Any
) -> "Sweep":
    """The finished sweep; if it is interrupted, the command that continues it is printed.

    file: the checkpoint. over: texts such as beta=0.1:32:log20. set: texts such as layer.head.beta=2. options:
    further keywords of `sweep_scenario`.
    """
    from hopattn.experiments.sweeps.of_scenario import sweep_scenario
    from hopattn.scenario.grids import axes_from
    from hopattn.scenario.language.paths import parse_assignment
    from hopattn.views.tables import progress
    from hopattn.views.visible import visible

    options |= {"measures": options.pop("measure"), "rng": options.pop("seed"), "file": file}
    options["overrides"] = dict(parse_assignment(change) for change in set)
    try:
        with progress() as report:
            options |= {"report": report, "note": lambda text: click.echo(visible(text), err=True)}
            return sweep_scenario(scenario, axes_from(over, words=True) or None, **options)
    except (Stopped, KeyboardInterrupt, CannotDo):
        if file.is_file():
            command_line = click.get_current_context().obj
            some = file.stat().st_size > 0
            message = f"finished points are kept in {file}; go on" if some else "no point is finished yet; begin"
            click.echo(f"{message} with:\n  {command_line}", err=True)
        raise
