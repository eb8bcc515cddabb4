"""The sequences of a task, such as the 16 of A and B of length 4: which model answers which of them right."""

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from hopattn.figures.base import Axes, Figure, Plot, only
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import HEADLINE, foot, headline, pads, wrapped
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import readable_on, short, width
from hopattn.scenario.result import Result, Run

SEQUENCES, WORDS, RUNS, PANELS = 16, 8, 6, 2
"""The largest number of sequences, of words in one, of runs in a panel, and of panels."""
NAME = 28
"""The letters of a name."""
LETTER = 0.6
"""The width of a letter in font sizes."""
GAP = 0.45
"""The room between words and right answers, and between these and the answers of the models, in rows."""

Group = list[Run]
"""Runs with the same sequences and the same right answers."""


class Sixteen(Plot):
    """One column for each sequence, its words from top to bottom; below them the right answer and that of each model.

    Runs with other sequences have a panel of their own. A run that is not drawn has its score below the figure.
    """

    name: ClassVar[str] = "sixteen"
    shows: ClassVar[str] = "the sequences of a task by model: which answers are right, and which are wrong"
    scenario: ClassVar[str] = "all-a-any-b"

    def lacks(self, result: Result) -> str:
        if not any(_is_task(run) for run in result.runs):
            return "it has no task"
        if _groups(result):
            return ""
        return f"its sequences are more than {SEQUENCES}, or longer than {WORDS} words"

    def draw(self, figure: Figure, result: Result) -> None:
        groups = _groups(result)
        shown = [group[:RUNS] for group in groups[:PANELS]]
        headline(figure, result, _message(shown[0]))
        pads(figure, h_pad=0.12)
        rows = [_height(group) for group in shown]
        axes = figure.subplots(len(shown), 1, squeeze=False, height_ratios=rows)[:, 0]
        for ax, group in zip(axes, shown, strict=True):
            _grid(ax, group)
        drawn = [run for group in shown for run in group]
        others = [run for run in result.runs if not any(run is one for one in drawn)]
        wrong = any(not all(_right(run)) for run in drawn)
        foot(figure, "\n".join(filter(None, ["framed: a wrong answer" * wrong, wrapped(_scores(others), 78)])))

    def panel(self, ax: Axes, result: Result) -> None:
        _grid(ax, only([group[:RUNS] for group in _groups(result)], "sets of sequences", "run"))


def _is_task(run: Run) -> bool:
    """Whether a run gives an answer to each sequence."""
    return {"tokens", "answer", "given"} <= run.arrays.keys()


def _groups(result: Result) -> list[Group]:
    """The runs whose sequences have room, in groups with the same sequences."""
    there = [run for run in result.runs if _is_task(run) and _has_room(run)]
    keys = dict.fromkeys(map(_question, there))
    return [[run for run in there if _question(run) == key] for key in keys]


def _has_room(run: Run) -> bool:
    sequences = _words(run)
    return len(sequences) <= SEQUENCES and max(map(len, sequences)) <= WORDS


def _question(run: Run) -> tuple[tuple[str, ...], ...]:
    """The sequences of a run and their right answers."""
    return tuple(map(tuple, (run.arrays["tokens"].values.tolist(), run.arrays["answer"].values.tolist())))


def _words(run: Run) -> list[list[str]]:
    """The words of each sequence."""
    return [text.split(" ") for text in run.arrays["tokens"].values.tolist()]


def _right(run: Run) -> list[bool]:
    """Whether the answer to each sequence is right."""
    return [bool(right) for right in run.arrays["given"].values == run.arrays["answer"].values]


def _score(run: Run) -> str:
    """The number of right answers: 15 of 16."""
    right = _right(run)
    return f"{sum(right):,} of {len(right):,}"


def _name(run: Run) -> str:
    return run.name or AS_WRITTEN


def _message(group: Group) -> str:
    """The title: which models are always right, and the scores of the others; empty if it is long."""
    count = len(_right(group[0]))
    always = [_name(run) for run in group if all(_right(run))]
    others = [f"{_name(run)}: {sum(_right(run))}" for run in group if not all(_right(run))]
    if not always or len(group) == 1:
        return ""
    answer = " and ".join(filter(None, [", ".join(always[:-1]), always[-1]]))
    title = "; ".join([f"{answer} {'gets' if len(always) == 1 else 'get'} all {count} right", *others])
    return title if len(title) <= HEADLINE else ""


def _scores(runs: Sequence[Run]) -> str:
    """The scores of runs that are not drawn."""
    texts = [f"{_name(run)} {_score(run)}" for run in runs if _is_task(run)]
    return f"not drawn: {'; '.join(texts)}" if texts else ""


def _height(group: Group) -> float:
    """The rows of a panel."""
    return max(map(len, _words(group[0]))) + 1 + len(group) + 2 * GAP


def _grid(ax: Axes, group: Group) -> None:
    """Draw the sequences of a group as columns, with the right answers and those of each run below them."""
    sequences = _words(group[0])
    longest, count = max(map(len, sequences)), len(sequences)
    cell = _Cells(ax, *_room(ax, group))
    fills = _fills(sequences)
    for j, words in enumerate(sequences):
        for i, word in enumerate(words, start=longest - len(words)):
            cell.draw((j, i), word, fills.get(word, theme().empty))
    answers, first = longest + GAP, longest + 1 + 2 * GAP
    for j, answer in enumerate(group[0].arrays["answer"].values.tolist()):
        cell.draw((j, answers), answer, theme().paper, weight="bold")
    for i, run in enumerate(group):
        for j, (given, right) in enumerate(zip(run.arrays["given"].values.tolist(), _right(run), strict=True)):
            if right:
                cell.draw((j, first + i), given, theme().dim)
            else:
                cross = " ✗" * bool(width(given) + 2 <= cell.letters)
                cell.draw((j, first + i), given + cross, theme().minus, edge=theme().ink)
        ax.text(count - 0.3, first + i, _score(run), ha="left", va="center", fontsize=scaled(17))
    places = [(longest - 1) / 2, answers, *(first + i for i in range(len(group)))]
    ax.set_yticks(places, ["sequence", "right answer", *(short(_name(run), NAME) for run in group)])
    ax.tick_params(length=0)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(first + len(group) - 0.5, -0.5), xticks=[])
    ax.spines[:].set_visible(False)


def _room(ax: Axes, group: Group) -> tuple[float, float]:
    """The letters that have room in a cell, and the size of their font: smaller where words are long."""
    figure = ax.figure
    whole = figure.bbox.width * 72 / figure.get_figure(root=True).dpi / LETTER  # in letters of one point
    sides = scaled(17) * (max(12, *(min(NAME, width(_name(run))) for run in group)) + 10)
    room = (whole - sides) / len(_words(group[0])) * 0.92
    texts = [*(word for words in _words(group[0]) for word in words), *group[0].arrays["answer"].values.tolist()]
    size = min(scaled(17), max(scaled(13), room / (max(map(width, texts)) + 0.6)))
    return max(1.0, float(room / size - 0.6)), float(size)


class _Cells(NamedTuple):
    """The cells of a panel. letters: that have room in one. size: of their font."""

    ax: Axes
    letters: float
    size: float

    def draw(self, at: tuple[float, float], text: str, fill: Any, edge: Any = "none", weight: str = "normal") -> None:
        """Draw a cell with a text."""
        from matplotlib.patches import Rectangle

        column, row = at
        look: dict[str, Any] = {"facecolor": fill, "edgecolor": edge, "lw": scaled(2), "clip_on": False}
        self.ax.add_patch(Rectangle((column - 0.46, row - 0.45), 0.92, 0.9, **look))
        style: dict[str, Any] = {"color": readable_on(fill), "weight": weight, "fontsize": self.size}
        self.ax.text(column, row, short(text, self.letters), ha="center", va="center", **style)


def _fills(sequences: list[list[str]]) -> dict[str, Any]:
    """The colours of the words: pale and dark where there are two different words."""
    words = sorted({word for words in sequences for word in words})
    return {words[0]: theme().empty, words[1]: theme().faint} if len(words) == 2 else {}
