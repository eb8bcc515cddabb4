"""Separations side by side: the weight that a pattern has, as its score runs from low to high beside two others."""

from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.style import COLOURS, FAINT, INK, PAPER, number
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.scenario.result import Result

SCORES = np.linspace(-3.0, 3.0, 601)
OTHERS = (0.0, 1.0)
"""The scores of the two other patterns."""
LOW, HIGH = -0.6, 1.9
"""The weights that are seen: shares lie between 0 and 1, and of the rest it is seen where they leave."""
EXAMPLES = {"n": 3, "k": 2}
"""Parameters with which none is the same as another: power 2 is the identity, subsets of one pattern are sparsemax."""
_SIGNS = {"beta": "β", "alpha": "α"}


class Separations(Plot):
    """Each separation of the registry with β = 1; that of the first run's memory, as it is there, stands out."""

    name: ClassVar[str] = "separations"
    shows: ClassVar[str] = "score in, weight out: what each separation makes of one pattern's score beside two others"
    scenario: ClassVar[str] = "sparse"

    def lacks(self, result: Result) -> str:
        return "" if any(tables(result.runs[0], "separation")) else "it has no memory that weighs its patterns"

    def draw(self, figure: Figure, result: Result) -> None:
        name, own = _own(result)
        figure.suptitle(result.title, wrap=True)
        figure.get_layout_engine().set(h_pad=0.05, w_pad=0.05)
        columns = -(-len(separations) // 3)
        grid = figure.subplots(3, columns, sharex=True, sharey=True)
        for ax, kind in zip(grid.flat, separations, strict=False):
            named = {field.name for field in fields(separations[kind])}
            plain = separations[kind](**{key: value for key, value in EXAMPLES.items() if key in named})
            _curve(ax, weight(plain), {"color": COLOURS[0]})
            ax.set_title(f"{kind.replace('_', ' ')}{_parameters(plain, ', ', ('beta',))}", fontsize=16)
            if kind == name:
                _stand_out(ax, own)
        for ax in grid.flat[len(separations) :]:
            ax.set_axis_off()
        grid.flat[0].set(xlim=(SCORES[0], SCORES[-1]), ylim=(LOW, HIGH), xticks=(-2, 0, 1, 2), yticks=(0, 1))
        figure.supxlabel("score of the pattern, beside others of 0 and 1; solid lines: β = 1", fontsize=17)
        figure.supylabel("its weight", fontsize=17)


def weight(separation: Separation) -> np.ndarray:
    """The weight of a pattern at each of `SCORES`, beside the others."""
    beside = np.broadcast_to(OTHERS, (len(SCORES), len(OTHERS)))
    with np.errstate(over="ignore"):
        return np.asarray(separation.weights(np.column_stack([SCORES, beside])))[:, 0]


def _own(result: Result) -> tuple[str, Separation]:
    """The separation of the first run's memory, with its parameters as they are."""
    name, array = next(tables(result.runs[0], "separation"))
    kind = separations[name]
    whole = {field.name for field in fields(kind) if isinstance(field.default, int)}
    given = dict(zip(array.labels[0], array.values.tolist(), strict=True))
    return name, kind(**{key: int(value) if key in whole else value for key, value in given.items()})


def _curve(ax: Any, weights: np.ndarray, style: dict[str, Any]) -> None:
    """The line, broken where it jumps; where it leaves the panel, how far it goes."""
    jumps = np.flatnonzero(np.abs(np.diff(weights)) > 0.3) + 1
    ax.plot(np.insert(SCORES, jumps, np.nan), np.insert(weights, jumps, np.nan), **style)
    ax.axhline(0, color=FAINT, linewidth=1, zorder=0)
    ax.axhline(1, color=FAINT, linewidth=1, zorder=0)
    ax.axvline(OTHERS[1], color=FAINT, linewidth=1, linestyle=":", zorder=0)


def _stand_out(ax: Any, own: Separation) -> None:
    """This memory's own curve, dashed over the plain one, in a panel with a heavy frame."""
    ax.spines[:].set(visible=True, linewidth=4, color=COLOURS[1])
    _curve(ax, weight(own), {"color": COLOURS[1], "linestyle": (0, (3, 1.5)), "linewidth": 4})
    ax.set_title(ax.get_title(), weight="bold", color=INK, fontsize=16)
    white = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}
    text = f"this memory:\n{_parameters(own, '')}"
    ax.text(0.03, 0.95, text, transform=ax.transAxes, va="top", fontsize=14, bbox=white)


def _parameters(separation: Separation, before: str, without: tuple[str, ...] = ()) -> str:
    """Such as `β = .1, α = 2`, with `before` before it where there are any."""
    names = [field.name for field in fields(separation) if field.name not in without]
    told = ", ".join(f"{_SIGNS.get(name, name)} = {number(getattr(separation, name), 3)}" for name in names)
    return f"{before}{told}" if told else ""
