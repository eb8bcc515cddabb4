"""Titles above figures and panels, and the line below a figure: keys, and what was left out."""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from hopattn.figures.base import Figure
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.measuring import measured_once
from hopattn.figures.remarks import LeftOut, Remarks, remark
from hopattn.figures.style import scaled
from hopattn.figures.text import label, unnumbered
from hopattn.foundation.writing import in_lines
from hopattn.scenario.result import Result, Run

JOINT = "\u00a0"
"""A space at which no line ends."""
HEADLINE, LINES = 78, 2
"""The letters in a line of a headline, and the lines of any title. A longer title is cut."""
NOTE = 92
"""The letters in a line of a note."""
CUT = " …"
"""The end of a title that is cut."""
SHORT_TEXT = 8
"""The number of words up to which a text can be the title of its panel."""


def headline(figure: Figure, result: Result, title: str = "") -> None:
    """Write a title above the figure; a long title is cut.

    title: of this figure; else the result's. A title of `[figure]`, also an empty one, comes before both.
    """
    if text := headline_of(result, title):
        figure.suptitle(balanced(text))


def headline_of(result: Result, title: str = "") -> str:
    """The text of `headline`."""
    stated = result.figure.title
    return (title or result.title) if stated is None else stated


def pads(figure: Figure, **sizes: float) -> None:
    """Set the space around and between panels, if the figure has a constrained layout.

    sizes: `h_pad` and `w_pad` in inches on a slide, `hspace` and `wspace` as parts of a panel.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if isinstance(engine := figure.get_layout_engine(), ConstrainedLayoutEngine):
        given: Any = {name: scaled(size) if name.endswith("pad") else size for name, size in sizes.items()}
        engine.set(**given)


def laid_out(figure: Figure) -> None:
    """Lay a figure out once: cells are square after the second layout only, and labels need to know their places."""
    root: Any = figure.get_figure(root=True)
    if engine := root.get_layout_engine():
        with measured_once(root):
            engine.execute(root)
    for ax in root.axes:
        ax.apply_aspect()


def foot(
    figure: Figure, notes: str | Iterable[str] = (), keys: Sequence[Any] = (), names: Sequence[str] = (), **style: Any
) -> None:
    """Write below a figure, instead of what is there: notes, such as what it leaves out, and signs with their names.

    style: of the legend, where it is another one.
    """
    note = notes if isinstance(notes, str) else note_of(notes)
    if figure.get_supxlabel():
        figure.supxlabel("", in_layout=False)
    if keys:
        look: dict[str, Any] = {"frameon": False, "borderaxespad": 0.1, "title": note or None}
        look |= {"ncols": min(len(keys), 5)}
        figure.legend(list(keys), list(names), loc="outside lower center", **{**look, **style})
    elif note:
        figure.supxlabel(note, fontsize=scaled(15), in_layout=True)


def note_of(parts: Iterable[str]) -> str:
    """The parts of a note that are not empty, on as many lines as they need."""
    return "\n".join(in_lines(filter(None, parts), NOTE))


def left_out(shown: int, of: int, what: str, option: str = "") -> str:
    """A note on what a figure leaves out, such as "1 of 3 runs"; an empty text if it shows all.

    option: the option that chooses others. It is for the author, and a remark on the figure.
    """
    part = LeftOut(shown, of, what, option)
    remark(Remarks({part: None}))
    return str(part) if shown < of else ""


def wrapped(text: str, letters: int, lines: int = LINES) -> str:
    """A text on a few lines of `letters` letters; what is joined by `JOINT` stays on one line."""
    plain = "".join(c if c.isprintable() or c == JOINT else " " for c in text)
    return "\n".join(textwrap.wrap(plain, letters, max_lines=lines, placeholder=CUT))


def balanced(text: str) -> str:
    """A headline; one that needs two lines has them of similar lengths."""
    widest = wrapped(text, HEADLINE)
    if "\n" not in widest or widest.endswith(CUT):
        return widest
    least = max(len(text) // LINES, *map(len, text.split(" ")))
    fills = (wrapped(text, letters) for letters in range(least, HEADLINE))
    return next((fill for fill in fills if not fill.endswith(CUT)), widest)


def run_title(run: Run, letters: int = 30) -> str:
    """The title of the panel of one run."""
    return wrapped(run.name or AS_WRITTEN, letters)


def run_titles(runs: Sequence[Run], texts: Sequence[Sequence[str]], letters: int) -> list[str]:
    """The titles of the panels of several runs: their names, and also their texts if these are short and all differ."""
    if len(runs) < 2:
        return [""]
    with_texts = len({*map(tuple, texts)}) == len(runs) and all(len(text) <= SHORT_TEXT for text in texts)
    names = [run.name or ("" if with_texts else AS_WRITTEN) for run in runs]
    sentences = [" ".join(map(label, unnumbered(text))) if with_texts else "" for text in texts]
    return [wrapped(": ".join(filter(None, both)), letters) for both in zip(names, sentences, strict=True)]
