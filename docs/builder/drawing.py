"""What the gallery shows of each scenario: its figures, its output, and what its source prints."""

import contextlib
import io
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import hopattn as ha
from hopattn.experiments.sweep.of_scenario import sweep_scenario
from hopattn.figures.gallery import plots
from hopattn.figures.rendering import drawable, favourite, rendered, rendered_figure
from hopattn.figures.sweep import draw_sweep
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import Scenario
from hopattn.scenario.result import Outcome, Result
from hopattn.views.terminal import show_result

SWEEPS = Path(__file__).parent.parent / "sweeps"
"""The finished points of sweeps that take a minute or more, each in the file of its scenario's name."""


@dataclass(frozen=True)
class Picture:
    """A figure of a scenario: its file in the site, what it shows, and the command that draws it."""

    file: str
    shows: str
    command: str


@dataclass(frozen=True)
class Shown:
    """A scenario as the gallery shows it. file: from the root of the repository. fits: every figure that fits it."""

    name: str
    kind: str
    title: str
    source: str
    note: str | None
    file: str
    text: str
    output: str
    pictures: tuple[Picture, ...]
    fits: tuple[str, ...]
    expectations: tuple[Outcome, ...]


def shown(root: Path, processes: int | None = None) -> dict[str, Shown]:
    """Every scenario that comes with hopattn, run and drawn; new figures are written below `root`/figures."""
    (root / "figures").mkdir(parents=True, exist_ok=True)
    work = [(name, path, root) for name, path in shipped().items()]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return {one.name: one for one in pool.map(_shown, work, chunksize=4)}


def _shown(work: tuple[str, Path, Path]) -> Shown:
    name, path, root = work
    result = ha.run(ha.load(path))
    return Shown(
        name,
        result.kind,
        result.title,
        result.source,
        result.note,
        path.relative_to(path.parents[2]).as_posix(),
        path.read_text(encoding="utf-8"),
        _output(result),
        tuple(_pictures(name, result, root)),
        tuple(plot.name for plot in drawable(result)),
        result.expectations,
    )


def _output(result: Result) -> str:
    """The text that `hopattn run` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        show_result(result, False)
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().split("\n"))


def _pictures(name: str, result: Result, root: Path) -> Iterator[Picture]:
    """The figures of the gallery that are drawn from the scenario; else its sweep, or its favourite, drawn here."""
    best = favourite(result)
    own = [plot for plot in plots.values() if plot.scenario == name]
    for plot in sorted(own, key=lambda plot: best is None or plot.name != best.name):
        file = f"figures/{plot.name}.{'gif' if plot.moves else 'svg'}"
        yield Picture(file, plot.shows, f"hopattn run {name} --figures {plot.name}")
    if own:
        return
    if (points := SWEEPS / f"{name}.jsonl").is_file():
        data, shows = _sweep_figure(ha.load(name), points)
        picture = Picture(f"figures/{name}-sweep.svg", shows, f"hopattn sweep {name} --out {name}.svg")
    elif best is not None:
        data, _ = rendered_figure(best, result)
        picture = Picture(f"figures/{name}-{best.name}.svg", best.shows, f"hopattn run {name} --figures {best.name}")
    else:
        return
    path = root / picture.file
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)
    yield picture


def _sweep_figure(scenario: Scenario, points: Path) -> tuple[bytes, str]:
    """The figure of a sweep whose points are all finished, and what it shows."""
    swept = sweep_scenario(scenario, file=points, workers=1)
    shows = " over ".join(" and ".join(names) for names in (swept.values, swept.axes))
    return rendered(lambda figure: draw_sweep(figure, swept), described=(scenario.spec.title, shows))[0], shows
