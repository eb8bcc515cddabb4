"""The base classes of figures that draw parts of a result, such as runs or heads: a panel for each, or all in one."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from hopattn.figures.base import Around, Axes, Figure, Plot, only
from hopattn.figures.headings import foot, headline, headline_of, laid_out, left_out, pads, run_title
from hopattn.figures.line_names import name_lines
from hopattn.scenario.result import Result, Run

Part = TypeVar("Part")
ROOM = 0.5
"""The least part of the width of a figure that is left for several panels with names beside their lines."""


class About(NamedTuple):
    """The texts around the panels of a figure.

    notes: below the figure. keys, names: the signs below it and their names. titles: of the panels. message: the title
    of the figure, if it is not that of the result. title_style, legend_style: how they differ from other figures.
    """

    notes: Iterable[str] = ()
    keys: Sequence[Any] = ()
    names: Sequence[str] = ()
    titles: Sequence[str] = ()
    message: str = ""
    title_style: Mapping[str, Any] = {}
    legend_style: Mapping[str, Any] = {}


class Shown(NamedTuple, Generic[Part]):
    """The parts of a result that a figure draws, and all parts. in_axes: whether one fills axes of the user."""

    result: Result
    parts: Sequence[Part]
    every: Sequence[Part]
    in_axes: bool = False

    @property
    def of(self) -> int:
        """The number of all parts."""
        return len(self.every)

    def width_of(self, ax: Axes) -> float:
        """The width in pixels that a panel in a row with all others has, before it is laid out."""
        return float(ax.bbox.width if self.in_axes else ax.figure.bbox.width / len(self.parts))


class PartsPlot(Plot, Generic[Part]):
    """A figure of some parts of a result: of the first runs that have the array `needs`, where it names no others."""

    needs: ClassVar[str] = ""
    """The array that a run needs to be drawn."""
    lack: ClassVar[str] = ""
    """The reason why a result without parts cannot be drawn."""
    most: ClassVar[int] = 1
    """The largest number of parts that are drawn."""
    what: ClassVar[tuple[str, str]] = "runs", "run"
    """The name of the parts, and the option that chooses one."""
    space: ClassVar[Mapping[str, float]] = {}
    """The space between panels, as `pads` takes it."""
    beside: ClassVar[bool] = False
    """Whether the keys are lines of the panels, which have their names beside them where they fit."""

    def parts(self, result: Result) -> Sequence[Any]:
        """All parts of a result."""
        return [run for run in result.runs if self.needs in run.arrays]

    @abstractmethod
    def fill(self, figure: Figure, shown: Shown[Part]) -> Sequence[Axes]:
        """Draw the parts into an empty figure; returns their panels."""

    def about(self, shown: Shown[Part], axes: Sequence[Axes]) -> About:
        """The texts around the panels. By default a note says how many parts are left out."""
        return About([self.left_out(shown)])

    def left_out(self, shown: Shown[Part]) -> str:
        """A remark on the parts that are left out; an empty text if all are drawn."""
        return left_out(len(shown.parts), shown.of, *self.what)

    def shown(self, result: Result) -> Shown[Part]:
        """The parts of a result that are drawn."""
        every = self.parts(result)
        return Shown(result, every[: self.most], every)

    def lacks(self, result: Result) -> str:
        return "" if self.parts(result) else self.lack

    def finish(self, figure: Figure, axes: Sequence[Axes], shown: Shown[Part]) -> None:
        """Draw what needs to know where everything else is."""

    def around(self, ax: Axes, shown: Shown[Part]) -> Around:
        """The texts and signs around the only panel: the headline with the title of the panel, and the keys."""
        about, result = self.about(shown, [ax]), shown.result
        titles = about.titles[0] if about.titles else "", result.runs[0].name if len(result.runs) == 1 else ""
        own = titles[0] if titles[1] in titles[0] else "\n".join(filter(None, reversed(titles)))
        title = "\n".join(filter(None, (headline_of(result, about.message), own)))
        return Around(title, about.keys, about.names)

    def draw(self, figure: Figure, result: Result) -> None:
        shown = self.shown(result)
        pads(figure, **self.space)
        axes = self.fill(figure, shown)
        about = self.about(shown, axes)
        headline(figure, result, about.message)
        for ax, title in zip(axes, about.titles, strict=False):
            ax.set_title(title, **about.title_style)
        beside = self.beside and len(about.keys) > 1
        if beside:
            foot(figure, about.notes)
        if not (beside and _named(figure, axes, about)):
            signs = dict(zip(about.names, about.keys, strict=True)) if beside else {}
            keys, names = [*signs.values()] or about.keys, [*signs] or about.names
            foot(figure, about.notes, keys, names, **about.legend_style)
        self.finish(figure, axes, shown)


class Together(PartsPlot[Part]):
    """A figure that draws its parts into one panel."""

    @abstractmethod
    def draw_into(self, ax: Axes, shown: Shown[Part]) -> None:
        """Draw the parts into axes."""

    def fill(self, figure: Figure, shown: Shown[Part]) -> Sequence[Axes]:
        ax = figure.subplots()
        self.draw_into(ax, shown)
        return [ax]

    def panel(self, ax: Axes, result: Result) -> Around:
        shown = self.shown(result)._replace(in_axes=True)
        if len(shown.parts) < shown.of:
            only(shown.every, *self.what)
        self.draw_into(ax, shown)
        return self.around(ax, shown)


class Panels(PartsPlot[Part]):
    """A figure with one panel for each part, in rows of nearly equal length."""

    in_a_row: ClassVar[int] = 4
    """The largest number of panels in a row."""
    shared: ClassVar[Mapping[str, bool]] = {}
    """The axes that panels share: `sharex`, `sharey`."""

    @abstractmethod
    def panel_of(self, ax: Axes, part: Part, shown: Shown[Part]) -> Any:
        """Draw one part, without the title of its panel."""

    def about(self, shown: Shown[Part], axes: Sequence[Axes]) -> About:
        """The texts around the panels. By default the titles are the names of the runs, where there are several."""
        runs = [part for part in shown.parts if isinstance(part, Run) and len(shown.result.runs) > 1]
        return super().about(shown, axes)._replace(titles=[run_title(run) for run in runs])

    def grid(self, figure: Figure, shown: Shown[Part]) -> Sequence[Axes]:
        """The axes of the panels."""
        return grid_of(figure, len(shown.parts), self.in_a_row, **self.shared)

    def fill(self, figure: Figure, shown: Shown[Part]) -> Sequence[Axes]:
        axes = self.grid(figure, shown)
        for ax, part in zip(axes, shown.parts, strict=True):
            self.panel_of(ax, part, shown)
        _name_axes_once(axes, self.shared)
        return axes

    def complete(self, ax: Axes, part: Part, shown: Shown[Part]) -> None:
        """Draw into axes of the user what needs to know where everything else is."""

    def panel(self, ax: Axes, result: Result) -> Around:
        part = only(self.parts(result), *self.what)
        shown = Shown(result, [part], [part], in_axes=True)
        self.panel_of(ax, part, shown)
        self.complete(ax, part, shown)
        return self.around(ax, shown)


def grid_of(figure: Figure, count: int, in_a_row: int, **shared: Any) -> list[Axes]:
    """The axes of some panels, in rows of nearly equal length; the places that are left over stay empty.

    A figure that is higher than wide has half as many in a row.
    """
    width, height = figure.bbox.size
    rows = -(-count // (in_a_row if width >= height else -(-in_a_row // 2)))
    axes: list[Axes] = figure.subplots(rows, -(-count // rows), squeeze=False, **shared).ravel().tolist()
    for ax in axes[count:]:
        ax.remove()
    return axes[:count]


def _named(figure: Figure, axes: Sequence[Axes], about: About) -> bool:
    """Whether the names of all lines fit beside them, each in its own panel; where they do not, none is written."""
    texts: list[Any] = []
    for ax in axes:
        own = [i for i, line in enumerate(about.keys) if line.axes is ax]
        found = name_lines(ax, [about.keys[i] for i in own], [about.names[i] for i in own])
        texts += found
        fit = len(found) == len(own)
        if not fit:
            break
    if fit and len(axes) > 1:
        laid_out(figure)
        fit = min(ax.bbox.width for ax in axes) * len(axes) >= ROOM * figure.bbox.width
    for text in () if fit else texts:
        text.remove()
    return fit


def _name_axes_once(axes: Sequence[Axes], shared: Mapping[str, bool]) -> None:
    """Leave the names of shared axes out where the first panel of the row or the last of the column has them."""
    columns = axes[0].get_subplotspec().get_gridspec().ncols
    for i, ax in enumerate(axes):
        if i % columns and shared.get("sharey"):
            ax.set_ylabel("")
        if i + columns < len(axes) and shared.get("sharex"):
            ax.set_xlabel("")
