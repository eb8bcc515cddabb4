"""The scores of attention heads as a table: the word before, earlier copies, what followed them, the first word."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from hopattn.circuits.scores import SCORES, even_attention, head_scores
from hopattn.figures.base import Axes, tables
from hopattn.figures.choice import AS_WRITTEN
from hopattn.figures.panels import About, Shown, Together
from hopattn.figures.shapes import cells, colours_of, write_numbers
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut, number, unnumbered
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Result, Run

NAMES = 0.3
"""The largest width of the names of the heads, as a part of the figure's."""

Row = tuple[str, dict[str, float], dict[str, float]]
"""The name of a head, its scores, and those of attention that is spread evenly over all visible words, if these are
known."""


class Heads(Together[Row]):
    """One row for each head of each run whose weights are shares, the first twelve, beside its values by chance."""

    shows: ClassVar[str] = (
        "what each head attends to: the word before, earlier copies, what followed them, the first word"
    )
    scenario: ClassVar[str] = "head-scores"
    lack: ClassVar[str] = "it has no head that shares its attention among words of which one repeats"
    most: ClassVar[int] = 12
    space: ClassVar[Mapping[str, float]] = {"h_pad": 0.1}
    what: ClassVar[tuple[str, str]] = "heads", "run, layer or head"

    def parts(self, result: Result) -> list[Row]:
        rows = [*_rows(result)]
        return [row for row in rows if not _by_chance(row)] or rows

    def draw_into(self, ax: Axes, shown: Shown[Row]) -> None:
        rows = shown.parts
        values = np.array([[*scores.values()] for _, scores, _ in rows])
        chances = np.array([[by_chance.get(name, np.nan) for name in SCORES] for _, _, by_chance in rows])
        least = np.nan_to_num(chances)
        above = np.divide(values - least, 1 - least, out=np.zeros_like(values), where=least < 1)
        image = cells(ax, np.clip(above, 0, 1), colours_of(0.0, 1.0), numbers=False)
        texts = [
            number(score) if np.isnan(chance) else f"{number(score)}   ({number(chance)})"
            for score, chance in zip(values.flat, chances.flat, strict=True)
        ]
        bold, size = (
            (values >= 2 * chances) & (chances > 0),
            scaled(18 if len(rows) < 8 else 15 if len(rows) < 11 else 14),
        )
        write_numbers(ax, image, size, np.reshape(texts, values.shape), bold)
        ax.set_xticks(range(len(SCORES)), [name.replace(" ", "\n") for name in SCORES], fontsize=scaled(17))
        room = NAMES * 72 / float(ax.get_figure(root=True).dpi) * float(ax.figure.bbox.width) / scaled(15)
        ax.set_yticks(range(len(rows)), [cut(name, room) for name, _, _ in rows], fontsize=scaled(15))
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        for edge in range(len(rows) + 1):
            ends = [-0.5, len(SCORES) - 0.5]
            runs = {rows[k][0].partition(": ")[0] for k in (edge - 1, edge) if 0 <= k < len(rows)}
            wide = scaled(2.5 if len(runs) > 1 and any(": " in name for name, _, _ in rows) else 0.8)
            ax.plot(ends, [edge - 0.5] * 2, color=theme().ink, linewidth=wide, solid_capstyle="butt", clip_on=False)

    def about(self, shown: Shown[Row], axes: Sequence[Axes]) -> About:
        if not any(by_chance for _, _, by_chance in shown.parts):
            return super().about(shown, axes)
        even = len([*_rows(shown.result)]) - shown.of
        notes = (
            "in brackets: attention spread evenly over the visible words",
            "bold: at least twice that",
            "colour: how far above that",
            f"left out: {even} heads whose scores are those in brackets" * (even > 0),
            self.left_out(shown),
        )
        return About(notes)


def _rows(result: Result) -> Iterator[Row]:
    """The heads of all runs that have scores."""
    for run in result.runs:
        for place, weights in tables(run, "weights"):
            own_text = weights.dims == ("query", "key") and weights.labels[0] == weights.labels[1]
            words = unnumbered(weights.labels[0]) if own_text else [""]  # one word fits no score
            try:
                seen = _visible(run, place, weights)
                own = head_scores(weights.values, words)
                chance = {} if seen is None else head_scores(even_attention(seen), words)
            except InvalidInput:  # no text that repeats a word, or weights that are not shares
                continue
            own_place = place.removeprefix("sequence 1 ")
            names = [name for name, _ in run.find("weights")]
            if not any(name.head and name.head > 1 for name in names):
                own_place = own_place.removesuffix(" head 1") or own_place
            elif not any(name.layer and name.layer > 1 for name in names):
                own_place = own_place.removeprefix("layer 1 ")
            own_run = run.name or AS_WRITTEN * (len(result.runs) > 1)
            name = ": ".join(filter(None, (own_run, own_place)))
            scores, by_chance = ({key: float(value) for key, value in found.items()} for found in (own, chance))
            yield name, scores, by_chance


def _by_chance(row: Row) -> bool:
    """Whether a head has the scores of attention that is spread evenly."""
    _, scores, by_chance = row
    return bool(by_chance) and all(np.isclose(by_chance[name], score) for name, score in scores.items())


def _visible(run: Run, place: str, weights: Labelled) -> np.ndarray | None:
    """The keys that each row may see, `(n, n)`; None if they are unknown.

    Bare weights have no mask: it is causal if all heads are 0 above the diagonal, and hides nothing if they are 0
    nowhere.
    """
    if mask := run.arrays.get(f"{place} mask"):
        return np.asarray(mask.values, dtype=bool)
    used = np.any([one.values != 0 for _, one in tables(run, "weights") if one.labels == weights.labels], axis=0)
    if not np.triu(used, 1).any():
        return np.tril(np.ones(used.shape, dtype=bool))
    return np.asarray(used) if used.all() else None
