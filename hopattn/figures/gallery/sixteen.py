"""The sequences of a task, such as the 16 of A and B of length 4: which model answers which of them right."""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, ClassVar

from hopattn.figures.base import Axes, Figure
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.headings import HEADLINE, NOTE, wrapped
from hopattn.figures.panels import About, Panels, Shown
from hopattn.figures.shapes import framed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import readable_on, short, width
from hopattn.foundation.writing import in_sentence
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


class Sixteen(Panels[Group]):
    """One column for each sequence, its words from top to bottom; below them the right answer and that of each model.

    Runs with other sequences have a panel of their own. A run that is not drawn has its score below the figure.
    """

    shows: ClassVar[str] = "the sequences of a task by model: which answers are right, and which are wrong"
    scenario: ClassVar[str] = "all-a-any-b"

    most: ClassVar[int] = PANELS
    what: ClassVar[tuple[str, str]] = "sets of sequences", "run"
    space: ClassVar[dict[str, float]] = {"h_pad": 0.12}

    def lacks(self, result: Result) -> str:
        if not any(_is_task(run) for run in result.runs):
            return "it has no task"
        if _groups(result):
            return ""
        return f"its sequences are more than {SEQUENCES}, or longer than {WORDS} words"

    def parts(self, result: Result) -> list[Group]:
        return [group[:RUNS] for group in _groups(result)]

    def grid(self, figure: Figure, shown: Shown[Group]) -> list[Axes]:
        rows = [max(map(len, _words(group[0]))) + 1 + len(group) + 2 * GAP for group in shown.parts]
        return list(figure.subplots(len(rows), 1, squeeze=False, height_ratios=rows)[:, 0])

    def panel_of(self, ax: Axes, part: Group, shown: Shown[Group]) -> None:
        _grid(ax, part)

    def about(self, shown: Shown[Group], axes: Sequence[Axes]) -> About:
        drawn = [run for group in shown.parts for run in group]
        others = [run for run in shown.result.runs if _is_task(run) and not any(run is one for one in drawn)]
        scores = "; ".join(f"{_name(run)} {_score(run)}" for run in others)
        wrong = "framed: a wrong answer" * any(not all(_right(run)) for run in drawn)
        notes = "\n".join(filter(None, [wrong, wrapped(f"not drawn: {scores}", NOTE) if scores else ""]))
        always = [_name(run) for run in shown.parts[0] if all(_right(run))]
        rest = [_course(run) for run in shown.parts[0] if not all(_right(run))]
        message = ""
        if always and len(shown.parts[0]) > 1:
            gets = f"{in_sentence(always)} {'gets' if len(always) == 1 else 'get'} all {len(_right(drawn[0]))} right"
            message = "; ".join([gets, *rest])
        return About(notes, message=message if len(message) <= HEADLINE else "")


def _is_task(run: Run) -> bool:
    """Whether a run gives an answer to each sequence."""
    return {"tokens", "answer", "given"} <= run.arrays.keys()


def _groups(result: Result) -> list[Group]:
    """The runs whose sequences have room, in groups with the same sequences."""
    there = [
        run
        for run in result.runs
        if _is_task(run) and len(_words(run)) <= SEQUENCES and max(map(len, _words(run))) <= WORDS
    ]
    keys = dict.fromkeys(map(_question, there))
    return [[run for run in there if _question(run) == key] for key in keys]


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
    return f"{sum(_right(run)):,} of {len(_right(run)):,}"


def _course(run: Run) -> str:
    """The number of right answers of a run with its name, and its answer if it has only one."""
    given = {*run.arrays["given"].values.tolist()}
    return f"{_name(run)}: {sum(_right(run))}" + f", always {min(given)}" * (len(given) == 1)


def _rule(group: Group) -> str:
    """The name of the row of right answers, with their rule if it is about one word."""
    words, answers = _words(group[0]), group[0].arrays["answer"].values.tolist()
    for word, other in permutations(sorted({*answers})) if len({*answers}) == 2 else ():
        if all((word in sequence) == (answer == word) for sequence, answer in zip(words, answers, strict=True)):
            return f"right answer: {word}\nif any {word}, else {other}"
    return "right answer"


def _name(run: Run) -> str:
    return run.name or AS_WRITTEN


def _grid(ax: Axes, group: Group) -> None:
    """Draw the sequences of a group as columns, with the right answers and those of each run below them."""
    sequences = _words(group[0])
    longest, count = max(map(len, sequences)), len(sequences)
    letters, size = _room(ax, group)

    def draw(at: tuple[float, float], text: str, fill: Any, edge: Any = "none", weight: str = "normal") -> None:
        look: dict[str, Any] = {"fill": True, "facecolor": fill, "clip_on": False}
        framed(ax, (at[0] - 0.46, at[1] - 0.45), (0.92, 0.9), edge, 2, **look)
        style: dict[str, Any] = {"color": readable_on(fill), "weight": weight, "fontsize": size}
        ax.text(*at, short(text, letters), ha="center", va="center", **style)

    different = sorted({word for words in sequences for word in words})
    fills = dict(zip(different, (theme().empty, theme().faint), strict=True)) if len(different) == 2 else {}
    for j, words in enumerate(sequences):
        for i, word in enumerate(words, start=longest - len(words)):
            draw((j, i), word, fills.get(word, theme().empty))
    answers, first = longest + GAP, longest + 1 + 2 * GAP
    for j, answer in enumerate(group[0].arrays["answer"].values.tolist()):
        draw((j, answers), answer, theme().paper, weight="bold")
    for i, run in enumerate(group):
        for j, (given, right) in enumerate(zip(run.arrays["given"].values.tolist(), _right(run), strict=True)):
            if right:
                draw((j, first + i), given, theme().dim)
            else:
                cross = " ✗" * bool(width(given) + 2 <= letters)
                draw((j, first + i), given + cross, theme().minus, edge=theme().ink)
        ax.text(count - 0.3, first + i, _score(run), ha="left", va="center", fontsize=scaled(17))
    places = [(longest - 1) / 2, answers, *(first + i for i in range(len(group)))]
    ax.set_yticks(places, ["sequence", _rule(group), *(short(_name(run), NAME) for run in group)])
    ax.tick_params(length=0)
    ax.set(xlim=(-0.5, count - 0.5), ylim=(first + len(group) - 0.5, -0.5), xticks=[])
    ax.spines[:].set_visible(False)


def _room(ax: Axes, group: Group) -> tuple[float, float]:
    """The letters that have room in a cell, and the size of their font: smaller where words are long."""
    figure = ax.figure
    whole = figure.bbox.width * 72 / figure.get_figure(root=True).dpi / LETTER  # in letters of one point
    names = [*_rule(group).split("\n"), *(_name(run) for run in group)]
    sides = scaled(17) * (max(12, *(min(NAME, width(name)) for name in names)) + 10)
    room = (whole - sides) / len(_words(group[0])) * 0.92
    texts = [*(word for words in _words(group[0]) for word in words), *group[0].arrays["answer"].values.tolist()]
    size = min(scaled(17), max(scaled(13), room / (max(map(width, texts)) + 0.6)))
    return max(1.0, float(room / size - 0.6)), float(size)
