"""What the gallery shows of each scenario: its figures, its output, and what its source prints."""

import contextlib
import io
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import hopattn as ha
from hopattn.figures.base import Plot
from hopattn.figures.gallery import plots
from hopattn.figures.rendering import drawable, rendered_figure
from hopattn.scenario.files import shipped
from hopattn.scenario.result import Outcome, Result
from hopattn.views.terminal import show_result

PREFERRED = ("induction", "neuron", "program", "layer", "offsets", "alignment", "recall", "states", "attention")
"""The figures of which the first that fits is drawn for a scenario that no figure of the gallery is drawn from."""


@dataclass(frozen=True)
class Picture:
    """A figure of a scenario: its file in the site, what it shows, and its name."""

    file: str
    shows: str
    name: str


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
    fits = {plot.name: plot for plot in drawable(result)}
    return Shown(
        name,
        result.kind,
        result.title,
        result.source,
        result.note,
        path.relative_to(path.parents[2]).as_posix(),
        path.read_text(encoding="utf-8"),
        _output(result),
        tuple(_pictures(name, result, fits, root)),
        tuple(fits),
        result.expectations,
    )


def _output(result: Result) -> str:
    """The text that `hopattn run` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        show_result(result, False)
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().split("\n"))


def _pictures(name: str, result: Result, fits: Mapping[str, Plot], root: Path) -> Iterator[Picture]:
    """The figures of the gallery that are drawn from the scenario; or else the preferred one, drawn here."""
    own = [plot for plot in plots.values() if plot.scenario == name]
    for plot in own:
        yield Picture(f"figures/{plot.name}.{'gif' if plot.moves else 'svg'}", plot.shows, plot.name)
    if own or not fits:
        return
    chosen = fits[next((key for key in PREFERRED if key in fits), next(iter(fits)))]
    file = f"figures/{name}-{chosen.name}.svg"
    data, _ = rendered_figure(chosen, result)
    if not (root / file).is_file() or (root / file).read_bytes() != data:
        (root / file).write_bytes(data)
    yield Picture(file, chosen.shows, chosen.name)
