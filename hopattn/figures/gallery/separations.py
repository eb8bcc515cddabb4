"""Separations side by side: the weight of a pattern as a function of its score, beside two other patterns."""

from dataclasses import fields, replace
from textwrap import fill
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, tables
from hopattn.figures.headings import foot, headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import number
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.scenario.result import Result

SCORES = np.linspace(-3.0, 3.0, 601)
"""The scores of the pattern whose weight is drawn."""
OTHERS = (0.0, 1.0)
"""The scores of the two other patterns."""
LIMITS = {True: (-0.1, 1.15), False: (-0.6, 2.1)}
"""The limits of the weight axis, of shares and of other weights, which leave the panel."""
FAMILIES = {True: "shares:\nweights sum to 1", False: "no shares:\nany sum of weights"}
"""The two families by whether the weights are shares, each with the name of its axis."""
EXAMPLES = {"n": 3, "k": 2}
"""Parameters for which all separations differ: a power of 2 is the identity, subsets of 1 pattern are sparsemax."""
POWERS = {3: "score²", 4: "score³"}
"""What a power makes of a score above 0, by its n: the derivative of the energy."""
REFERENCE = "softmax"
"""The separation that each panel shows in grey."""
SYMBOLS = {"alpha": "α"}
TITLE = 14
"""The most letters of a title in one line."""


class Separations(Plot):
    """Each separation of the registry, in two families, softmax in grey behind it. The one of the first run's memory
    has a frame and its own parameters. All have β = 1."""

    shows: ClassVar[str] = "score in, weight out: what each separation makes of one pattern's score beside two others"
    scenario: ClassVar[str] = "sparse"

    def lacks(self, result: Result) -> str:
        return "" if any(tables(result.runs[0], "separation")) else "it has no memory that weighs its patterns"

    def draw(self, figure: Figure, result: Result) -> None:
        name, own = _own(result)
        kinds = {name: own}
        for kind in {*separations} - {name}:
            known = {field.name for field in fields(separations[kind])}
            kinds[kind] = separations[kind](**{key: value for key, value in EXAMPLES.items() if key in known})
        order = sorted(kinds, key=lambda kind: (kind != REFERENCE, kind))
        headline(figure, result, "shares stay between 0 and 1; other weights may grow without limit")
        pads(figure, h_pad=0.08, w_pad=0.04)
        families = [[kind for kind in order if is_share(weights_of(kinds[kind])) == share] for share in FAMILIES]
        grid = figure.subplots(2, max(map(len, families)), sharex=True, sharey="row")
        for row, share, family in zip(grid, FAMILIES, families, strict=True):
            for ax, kind in zip(row, family, strict=False):
                _panel(ax, kinds[kind], kind, kind == name)
            for ax in row[len(family) :]:
                ax.set_axis_off()
            row[0].set(ylim=LIMITS[share], ylabel=FAMILIES[share])
        grid[0, 0].set(xlim=(SCORES[0], SCORES[-1]), xticks=(-2, 0, 2))
        figure.align_ylabels(grid[:, 0])
        own_curve = weights_of(replace(own, beta=1.0))
        twins = (kind for kind in order if kind != name and np.allclose(weights_of(kinds[kind]), own_curve))
        twin = next((f", the same as {kind.replace('_', ' ')}" for kind in twins), "")
        how = "across: the score of one pattern; two others have the scores 0 and 1; β = 1 in every panel"
        foot(figure, f"{how}\ndashed: softmax; framed: the separation of this memory{twin}")


def weights_of(separation: Separation) -> np.ndarray:
    """The weights of three patterns: of one at each of `SCORES`, and of the two others, `(len(SCORES), 3)`."""
    others = np.broadcast_to(OTHERS, (len(SCORES), len(OTHERS)))
    with np.errstate(over="ignore"):
        return np.asarray(separation.weights(np.column_stack([SCORES, others])))


def is_share(weights: np.ndarray) -> bool:
    """Whether weights are shares: none is below 0, and they sum to 1."""
    return bool(np.all(weights >= 0) and np.allclose(weights.sum(axis=1), 1))


def _own(result: Result) -> tuple[str, Separation]:
    """The name and the separation of the first run's memory, with its parameters."""
    name, array = next(tables(result.runs[0], "separation"))
    kind = separations[name]
    integers = {field.name for field in fields(kind) if isinstance(field.default, int)}
    parameters = dict(zip(array.labels[0], array.values.tolist(), strict=True))
    return name, kind(**{key: int(value) if key in integers else value for key, value in parameters.items()})


def _panel(ax: Axes, separation: Separation, kind: str, own: bool) -> None:
    """Draw one separation with softmax behind it. own: whether it is that of the memory, which has a frame."""
    for level in (0, 1):
        ax.axhline(level, color=theme().faint, linewidth=scaled(0.8), zorder=0)
    if kind != REFERENCE:
        _curve(ax, weights_of(separations[REFERENCE]())[:, 0], color=theme().faint, linestyle="--", linewidth=scaled(2))
    colour = theme().series[1 if own else 0]
    _curve(ax, weights_of(replace(separation, beta=1.0))[:, 0], color=colour, linewidth=scaled(4))
    ax.set_title(fill(kind.replace("_", " "), TITLE), fontsize=scaled(16), weight="bold" if own else "normal")
    ax.set_yticks((0, 1))
    if own:
        ax.spines[:].set(visible=True, linewidth=scaled(4), color=colour)
    given = {field.name: getattr(separation, field.name) for field in fields(separation)}
    names = [name for name, value in given.items() if name != "beta" and value is not None]
    stated = [f"{SYMBOLS.get(name, name)} = {number(given[name], 3)}" for name in names]
    if text := ", ".join([*filter(None, [POWERS.get(given.get("n", 0)) if "power" in kind else ""]), *stated]):
        box = {"facecolor": theme().paper, "edgecolor": "none", "pad": scaled(1)}
        height = 0.13 if is_share(weights_of(separation)) else 0.05  # above the line of 0, or below it
        ax.text(0.97, height, text, transform=ax.transAxes, ha="right", fontsize=scaled(14), bbox=box)


def _curve(ax: Axes, weights: np.ndarray, **style: Any) -> None:
    """Draw the weights over `SCORES`, with a gap where they jump."""
    jumps = np.flatnonzero(np.abs(np.diff(weights)) > 0.3) + 1
    ax.plot(np.insert(SCORES, jumps, np.nan), np.insert(weights, jumps, np.nan), **style)
