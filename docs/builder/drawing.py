"""What the gallery shows of each scenario: its figures, output and interactive page, what its source prints."""

import contextlib
import io
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path, PurePosixPath

import hopattn as ha
from docs.builder.places import ROOT
from docs.builder.thumbnails import cropped
from hopattn.experiments.sweeps.kept import kept_folder, kept_sweep
from hopattn.figures.favourites import drawable, favourite
from hopattn.figures.figure import gallery
from hopattn.figures.files import as_svg
from hopattn.figures.sheet import Sheet
from hopattn.figures.style import STYLES, Style
from hopattn.figures.sweep import sweep_sheet
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import Scenario
from hopattn.scenario.result import Outcome, Result
from hopattn.views.result_text import show_result

Draw = Callable[[Style], bytes]
"""Draws a picture in a style, as SVG."""
EMPTY = b'<svg xmlns="http://www.w3.org/2000/svg" width="720pt" height="405pt" viewBox="0 0 720 405"/>'
"""A picture that is not drawn."""


@dataclass(frozen=True)
class Picture:
    """A figure of a scenario: its file in the site, what it shows, and the command that draws it."""

    file: str
    shows: str
    command: str

    @property
    def thumbnail(self) -> str:
        """The picture of a card: the drawing without the texts around it."""
        return f"thumbnails/{PurePosixPath(self.file).stem}.svg"


@dataclass(frozen=True)
class Shown:
    """A scenario as the gallery shows it.

    file: from the root of the repository. fits: every figure that fits it. written: the files of the site that were
    written for it. page: its interactive page, one of them; None if it has none.
    """

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
    written: tuple[str, ...] = ()
    page: str | None = None


def shown(root: Path, drawn: bool = True, processes: int | None = None) -> dict[str, Shown]:
    """Every scenario that comes with hopattn, run and drawn. Its figures and its interactive page go below `root`.

    drawn: whether pictures are drawn; otherwise those that are not in the repository are empty.
    """
    work = [(name, path, root, drawn) for name, path in shipped().items()]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return {one.name: one for one in pool.map(_shown, work, chunksize=4)}


def write(path: Path, data: bytes) -> None:
    """Write a file where it differs from what is to be in it."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _shown(work: tuple[str, Path, Path, bool]) -> Shown:
    name, path, root, drawn = work
    scenario = ha.load(path)
    result = ha.run(scenario)
    pictures = list(_pictures(scenario, result))
    files = {file: data for one, draw in pictures for file, data in _sheets(one, draw if drawn else _not_drawn)}
    page = _interactive(scenario)
    played = f"extra/play/{name}.html"  # Sphinx copies what lies in `extra` as it is
    if page:
        files[played] = page
    for file, data in files.items():
        write(root / file, data)
    return Shown(
        name,
        result.kind,
        result.title,
        result.source,
        result.note,
        path.relative_to(path.parents[2]).as_posix(),
        path.read_text(encoding="utf-8"),
        _output(result),
        tuple(one for one, _ in pictures),
        tuple(figure.name for figure in drawable(result)),
        result.expectations,
        tuple(files),
        played if page else None,
    )


def _output(result: Result) -> str:
    """The text that `hopattn run` prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        show_result(result, False)
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().split("\n"))


def _pictures(scenario: Scenario, result: Result) -> Iterator[tuple[Picture, Draw]]:
    """The figures of the gallery that are drawn from the scenario; else its sweep, or its favourite."""
    name, best = scenario.name, favourite(result)
    own = [figure for figure in gallery().values() if figure.scenario == name]
    for figure in sorted(own, key=lambda figure: best is None or figure.name != best.name):
        file = f"figures/{figure.name}.svg"
        command = (
            f"hopattn sweep {name} --out {name}.svg"
            if figure.source
            else f"hopattn run {name} --out {name}.svg --figure {figure.name}"
        )
        sheet = figure.sheet(figure.result() if figure.source else result)
        yield Picture(file, figure.shows, command), partial(_drawn, sheet, name)
    if own:
        return
    if (kept_folder() / f"{name}.jsonl").is_file():
        swept = kept_sweep(scenario)
        shows = " over ".join(" and ".join(names) for names in (swept.values, swept.axes))
        picture = Picture(f"figures/{name}-sweep.svg", shows, f"hopattn sweep {name} --out {name}.svg")
        yield picture, partial(_drawn, sweep_sheet(swept), name)
    elif best is not None:
        picture = Picture(f"figures/{name}-{best.name}.svg", best.shows, f"hopattn run {name} --out {name}.svg")
        yield picture, partial(_drawn, best.sheet(result), name)


def _drawn(sheet: Sheet, scenario: str, style: Style) -> bytes:
    return as_svg(sheet, style, scenario)[0]


def _not_drawn(style: Style) -> bytes:
    return EMPTY


def _sheets(one: Picture, draw: Draw) -> Iterator[tuple[str, bytes]]:
    """A picture on a light and a dark sheet, with their thumbnails. The light one may be in the repository already."""
    stem = PurePosixPath(one.file).stem
    committed = ROOT / "figures" / f"{stem}.svg"
    light = committed.read_bytes() if committed.is_file() else draw(STYLES["slide"])
    for folder, svg in (("", light), ("dark/", draw(STYLES["dark"]))):
        yield f"figures/{folder}{stem}.svg", svg
        yield f"thumbnails/{folder}{stem}.svg", cropped(svg)


def _interactive(scenario: Scenario) -> bytes | None:
    """The interactive page of a scenario; None for one that no view can show."""
    if scenario.spec.kind not in ("attention", "memory"):
        return None
    try:
        return ha.explore(scenario).html.encode()
    except InvalidInput:
        return None
