"""Separations side by side: the weight of a pattern as a function of its score, beside two other patterns."""

from dataclasses import fields
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot, tables
from hopattn.figures.headings import headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.scenario.result import Result

SCORES = np.linspace(-3.0, 3.0, 601)
"""The scores of the pattern whose weight is drawn."""
OTHERS = (0.0, 1.0)
"""The scores of the two other patterns."""
LOW, HIGH = -0.6, 1.9
"""The limits of the weight axis: shares are between 0 and 1, and other weights leave the panel."""
EXAMPLES = {"n": 3, "k": 2}
"""Parameters for which all separations differ: a power of 2 is the identity, subsets of 1 pattern are sparsemax."""
_SYMBOLS = {"beta": "β", "alpha": "α"}


class Separations(Plot):
    """Each separation of the registry with β = 1. The one of the first run's memory stands out, with its parameters."""

    name: ClassVar[str] = "separations"
    shows: ClassVar[str] = "score in, weight out: what each separation makes of one pattern's score beside two others"
    scenario: ClassVar[str] = "sparse"

    def lacks(self, result: Result) -> str:
        return "" if any(tables(result.runs[0], "separation")) else "it has no memory that weighs its patterns"

    def draw(self, figure: Figure, result: Result) -> None:
        name, own = _own(result)
        headline(figure, result)
        pads(figure, h_pad=0.05, w_pad=0.05)
        columns = -(-len(separations) // 3)
        grid = figure.subplots(3, columns, sharex=True, sharey=True)
        for ax, kind in zip(grid.flat, separations, strict=False):
            names = {field.name for field in fields(separations[kind])}
            plain = separations[kind](**{key: value for key, value in EXAMPLES.items() if key in names})
            _curve(ax, weight(plain), {"color": theme().series[0]})
            ax.set_title(f"{kind.replace('_', ' ')}{_parameters(plain, ', ', ('beta',))}", fontsize=scaled(16))
            if kind == name:
                _stand_out(ax, own)
        for ax in grid.flat[len(separations) :]:
            ax.set_axis_off()
        grid.flat[0].set(xlim=(SCORES[0], SCORES[-1]), ylim=(LOW, HIGH), xticks=(-2, 0, 1, 2), yticks=(0, 1))
        figure.supxlabel("score of the pattern, beside others of 0 and 1; solid lines: β = 1", fontsize=scaled(17))
        figure.supylabel("its weight", fontsize=scaled(17))


def weight(separation: Separation) -> np.ndarray:
    """The weight of a pattern at each of `SCORES` beside the others, `(len(SCORES),)`."""
    others = np.broadcast_to(OTHERS, (len(SCORES), len(OTHERS)))
    with np.errstate(over="ignore"):
        return np.asarray(separation.weights(np.column_stack([SCORES, others])))[:, 0]


def _own(result: Result) -> tuple[str, Separation]:
    """The name and the separation of the first run's memory, with its parameters."""
    name, array = next(tables(result.runs[0], "separation"))
    kind = separations[name]
    integers = {field.name for field in fields(kind) if isinstance(field.default, int)}
    parameters = dict(zip(array.labels[0], array.values.tolist(), strict=True))
    return name, kind(**{key: int(value) if key in integers else value for key, value in parameters.items()})


def _curve(ax: Any, weights: np.ndarray, style: dict[str, Any]) -> None:
    """Draw the weights over `SCORES`, with a gap where they jump, and lines at weights 0 and 1 and at score 1."""
    jumps = np.flatnonzero(np.abs(np.diff(weights)) > 0.3) + 1
    ax.plot(np.insert(SCORES, jumps, np.nan), np.insert(weights, jumps, np.nan), **style)
    ax.axhline(0, color=theme().faint, linewidth=scaled(1), zorder=0)
    ax.axhline(1, color=theme().faint, linewidth=scaled(1), zorder=0)
    ax.axvline(OTHERS[1], color=theme().faint, linewidth=scaled(1), linestyle=":", zorder=0)


def _stand_out(ax: Any, own: Separation) -> None:
    """Draw the curve of the run's memory, dashed, over the plain one, and make the frame of the panel heavy."""
    ax.spines[:].set(visible=True, linewidth=scaled(4), color=theme().series[1])
    _curve(ax, weight(own), {"color": theme().series[1], "linestyle": (0, (3, 1.5)), "linewidth": scaled(4)})
    ax.set_title(ax.get_title(), weight="bold", color=theme().ink, fontsize=scaled(16))
    white = {"facecolor": theme().paper, "edgecolor": "none", "pad": scaled(1)}
    text = f"this memory:\n{_parameters(own, '')}"
    ax.text(0.03, 0.95, text, transform=ax.transAxes, va="top", fontsize=scaled(14), bbox=white)


def _parameters(separation: Separation, before: str, without: tuple[str, ...] = ()) -> str:
    """The parameters of a separation, such as `β = .1, α = 2`, after the text `before`; empty without parameters."""
    names = [field.name for field in fields(separation) if field.name not in without]
    text = ", ".join(f"{_SYMBOLS.get(name, name)} = {number(getattr(separation, name), 3)}" for name in names)
    return f"{before}{text}" if text else ""
