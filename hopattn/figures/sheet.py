"""A figure as data: a sheet of panels, each with marks. Nothing here knows matplotlib.

Numbers of marks are in the units of their panel. A colour is a role of the palette ("ink", "faint", "query", "key",
"value", "plus", "minus", "dim", "paper"), or a number, which counts the colours of the series from 0.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Self

import numpy as np
from pydantic_core import to_jsonable_python

from hopattn.foundation.sentences import LANGUAGES as LANGUAGES
from hopattn.foundation.sentences import Sentence as Sentence
from hopattn.foundation.sentences import in_comma as in_comma
from hopattn.foundation.sentences import in_words as in_words
from hopattn.foundation.sentences import number
from hopattn.foundation.sentences import say as say

Colour = str | int
Colours = Colour | Sequence[Colour]
"""One colour for all, or one for each."""


class LeftOut(Sentence):
    """A note on what a figure leaves out, for its author and not on it; empty where it shows all.

    what: the name of the parts. option: the one that chooses others: a key of `[figure]`, or one of a command.

    >>> LeftOut(1, 3, "runs", "run"), LeftOut(3, 3, "runs")
    ('1 of 3 runs', '')
    """

    option: str

    def __new__(cls, shown: int, of: int, what: str, option: str = "") -> Self:
        note = super().__new__(cls, "{} of {} " + what, shown, of) if shown < of else super().__new__(cls, "")
        note.option = option
        return note


CODE = {"code": True}
"""What tells a field whose texts are for the drawing, and are not read by people."""


@dataclass(frozen=True)
class Mark:
    """What a panel shows. key: its name in the legend, once for each name; of Cells, that of framed or hidden ones."""

    key: str = field(default="", kw_only=True)
    mark: str = field(default="", init=False, metadata=CODE)
    """The name of its class, for JSON."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "mark", type(self).__name__.lower())


@dataclass(frozen=True)
class Cells(Mark):
    """A table of numbers `(rows, columns)` as coloured cells, row 0 at the top, with the words of rows and columns.

    colours: "weights" (from 0), "signed" (both sides of 0), or "picture" (paper to ink). hidden: cells that a mask
    hides, which are hatched. numbers: whether cells show their numbers where there is room, or which cells do. framed:
    cells with a frame, as (row, column). most: of the deepest colour. at: the column and row of the first cell. scale:
    the name of the colours, beside their scale; the scale is left out without a name. square: whether cells are; None
    for yes, unless there are many more of them one way than the other.
    """

    values: np.ndarray
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    hidden: np.ndarray | None = None
    colours: str = field(default="weights", metadata=CODE)
    numbers: bool | np.ndarray = True
    framed: Sequence[tuple[int, int]] = ()
    most: float | None = None
    at: tuple[float, float] = (0, 0)
    row_colours: Colours = field(default="ink", metadata=CODE)
    column_colours: Colours = field(default="ink", metadata=CODE)
    scale: str = ""
    square: bool | None = None


@dataclass(frozen=True)
class Picture(Mark):
    """A picture of neurons `(height, width)`, −1 (paper) to 1 (ink), in a square around a place.

    frame: the colour of a heavy frame. below: a text below it. side: of the square.
    """

    values: np.ndarray
    at: tuple[float, float] = (0, 0)
    below: str = ""
    frame: Colour | None = field(default=None, metadata=CODE)
    side: float = 1.0


@dataclass(frozen=True)
class Bars(Mark):
    """Bars from 0, to both sides of it. at: their places; the default counts from 0. error: half of an interval, or its
    ends `(2, n)` as distances. lying: bars to the right, the first at the top. numbers: whether bars have numbers.
    zero, unit: on a free panel, where 0 lies, and the length of 1. digits: the most decimals of the numbers.
    """

    values: np.ndarray
    names: Sequence[str] = ()
    at: np.ndarray | None = None
    colour: Colours = field(default=0, metadata=CODE)
    error: Any = None
    lying: bool = False
    numbers: bool = True
    width: float = 0.7
    zero: float = 0.0
    unit: float = 1.0
    digits: int = 2


@dataclass(frozen=True)
class Points(Mark):
    """Points `(n, 2)` with names, which the drawing places where they cover least. size: of 1, as usual.

    shades: numbers from −1 (paper) to 1 (ink) inside the points, whose colour is that of their edges.
    """

    at: np.ndarray
    names: Sequence[str] = ()
    colour: Colours = field(default="ink", metadata=CODE)
    hollow: bool = False
    marker: str = field(default="o", metadata=CODE)
    size: float = 1.0
    shades: np.ndarray | None = None


@dataclass(frozen=True)
class Arrows(Mark):
    """Arrows from points `(n, 2)` to points; lines where they have no head. names: texts at their middles.

    width: of 1, as usual, or one for each. bend: the height of an arc, as a part of its length, to the left of its way.
    gap: of an arrow with a head from its ends, of 1, as usual.
    """

    start: np.ndarray
    end: np.ndarray
    colour: Colours = field(default="faint", metadata=CODE)
    width: Any = 1.0
    head: bool = True
    dashed: bool = False
    bend: float = 0.0
    names: Sequence[str] = ()
    gap: float = 1.0


@dataclass(frozen=True)
class Curve(Mark):
    """A curve. name: at its end, or in the legend. error: half of an interval at each point, or its ends `(2, n)` as
    distances. look: "line", "points", "both", "law", thin for a theory, "over", a line on a map, or "path", whose
    edge has the colour and whose middle is paper, so that it is seen on any ground. dash: the number of its dashes, for
    lines in one colour; those of a series have the dashes of their colours. width: of 1, as usual.
    """

    x: Any
    y: Any
    name: str = ""
    colour: Colour = field(default=0, metadata=CODE)
    error: Any = None
    look: str = field(default="line", metadata=CODE)
    dash: int = 0
    width: float = 1.0


@dataclass(frozen=True)
class Nodes(Mark):
    """Texts at points `(n, 2)`, in boxes, in circles, or plain. fill: the colour inside. size: of the text, of 1.

    letters: of a line, for texts that may have several; 0 for texts of one line. sides: the width and the height of
    boxes `(2,)` or `(n, 2)`, in the units of the panel; None for boxes as large as their texts.
    """

    at: np.ndarray
    texts: Sequence[str]
    shape: str = field(default="box", metadata=CODE)
    colour: Colours = field(default="ink", metadata=CODE)
    fill: Colours = field(default="paper", metadata=CODE)
    size: float = 1.0
    bold: bool = False
    align: str = field(default="center", metadata=CODE)
    letters: int = 0
    sides: Any = None


def texts(x: Any, y: Any, words: Iterable[str], colour: Colours = "ink", size: float = 0.82, **look: Any) -> Nodes:
    """Plain texts along a row or down a column. look: as for `Nodes`."""
    at = np.column_stack(np.broadcast_arrays(*np.atleast_1d(x, y)))
    return Nodes(at, [*words], "plain", colour, size=size, **look)


@dataclass(frozen=True)
class Surface(Mark):
    """Numbers over a plane, `(len(y), len(x))`, as colours, with contours at `levels`; NaN is hatched.

    x, y: the middles of the cells, or their edges, of which there is one more. name: of the colours, beside their
    scale; the scale is left out without a name. key: of the deepest colour. most: of the deepest colour.
    """

    values: np.ndarray
    x: Any
    y: Any
    colours: str = field(default="weights", metadata=CODE)
    levels: Any = ()
    name: str = ""
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Rule(Mark):
    """A line across a panel, at a number of one of its axes."""

    x: float | None = None
    y: float | None = None
    dashed: bool = True


@dataclass(frozen=True)
class Panel:
    """Marks on common axes. x, y: the names of the axes.

    layout: "chart"; "plane", whose axes have one unit, with lines through the origin, or a Surface that fills it;
    "grid", which Cells fill; or
    "free", a place without axes in one unit. ticks: the number of each tick and its text. logarithmic: of "x" and "y".
    width, height: beside other panels. colour: of the title.
    """

    marks: Sequence[Mark]
    title: str = ""
    x: str = ""
    y: str = ""
    layout: str = field(default="chart", metadata=CODE)
    x_range: tuple[float | None, float | None] = (None, None)
    y_range: tuple[float | None, float | None] = (None, None)
    x_ticks: Mapping[float, str] | None = None
    y_ticks: Mapping[float, str] | None = None
    logarithmic: str = field(default="", metadata=CODE)
    width: float = 1.0
    height: float = 1.0
    colour: Colour = field(default="ink", metadata=CODE)


@dataclass(frozen=True)
class Sheet:
    """A figure: panels, a title, and notes below.

    places: a letter for each cell of a grid, as in "AAB\\nAAC"; the panels are its letters in their order. The default
    sets the panels in rows. shared: the axes that all panels have in common, of "x" and "y". arrows: from one panel to
    another, by their numbers, with a text. lang: the language of its sentences. size: in inches, for a page to print;
    None for that of the style.
    """

    panels: Sequence[Panel]
    title: str = ""
    notes: Sequence[str] = ()
    places: str = field(default="", metadata=CODE)
    in_a_row: int = 4
    shared: str = field(default="", metadata=CODE)
    arrows: Sequence[tuple[int, int, str]] = ()
    lang: str = field(default="en", metadata=CODE)
    size: tuple[float, float] | None = None

    def to_dict(self) -> dict[str, Any]:
        """The sheet as lists, texts and numbers, for JSON; a number that is not finite is None."""
        return dict(to_jsonable_python(self, inf_nan_mode="null", fallback=lambda part: np.asarray(part).tolist()))

    @property
    def description(self) -> str:
        """The sheet in words, for those who cannot see it: its title, and what each panel shows."""
        lines = [self.title, *(". ".join(filter(None, _told(panel))) for panel in self.panels), *self.notes]
        return ". ".join(line.replace("\n", " ") for line in lines if line)

    def translated(self) -> Self:
        """The sheet with its sentences in its language, without notes on what its author may choose, such as runs."""
        notes = [note for note in self.notes if not isinstance(note, LeftOut) or note.option in ("", "axes")]
        return _with_texts(replace(self, notes=notes), lambda text: in_words(text, self.lang))  # type: ignore[no-any-return]


def texts_of(part: Any) -> list[str]:
    """All texts of a sheet, a panel or a mark that people read."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    _with_texts(part, keep)
    return texts


def _with_texts(part: Any, write: Callable[[str], str]) -> Any:
    """A part of a sheet with the texts that people read written anew."""
    if isinstance(part, str):
        return write(part)
    if is_dataclass(part) and not isinstance(part, type):
        names = [one.name for one in fields(part) if not one.metadata]
        return replace(part, **{name: _with_texts(getattr(part, name), write) for name in names})
    if isinstance(part, Mapping):
        return {key: _with_texts(value, write) for key, value in part.items()}
    return type(part)(_with_texts(inner, write) for inner in part) if isinstance(part, list | tuple) else part


def _told(panel: Panel) -> Iterator[str]:
    """A panel in words."""
    yield panel.title
    yield " against ".join(filter(None, (panel.y, panel.x)))
    for mark in panel.marks:
        names = ", ".join(filter(None, texts_of(mark)))
        numbers: Any = getattr(mark, "values", getattr(mark, "y", ()))
        if isinstance(mark, Cells | Bars | Curve | Surface) and np.size(numbers):
            known = np.asarray(numbers, float)
            if np.isfinite(known).any():
                yield f"{names}: {number(np.nanmin(known))} to {number(np.nanmax(known))}"
        elif names:
            yield names
