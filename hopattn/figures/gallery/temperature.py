"""Softmax by β: the same scores as weights at several β, and the slope of a weight against its score."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot, mask_of, tables
from hopattn.figures.choice import LONG, query_of, query_of_long
from hopattn.figures.headings import foot, headline, left_out, pads
from hopattn.figures.line_names import name_lines
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import cut, ems, indexed, number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation import separations
from hopattn.scenario.result import Result, Run

BETAS = {"β = .5": 0.5, "β = ln 3": float(np.log(3)), "β = 10": 10.0}
"""The inverse temperatures by their names; at ln 3, a score that is larger by 1 has three times the weight."""
FAR, OF_FAR = 4.0, (0.5, 1, 10)
"""The lead of the best score from which on these temperatures would give it all, and what β times the lead is then."""
KEYS, OF_LONG = 8, 5
"""The number of keys that are drawn, those with the largest scores: of a common text, and of a long one."""
LEADS = np.linspace(-4.0, 4.0, 401)
"""The leads of a score over another one, over which the right panel draws its weight; more at small β."""
DASHES = (":", "--", "-")
BARS, HIGH = 0.43, 0.2
"""The width of the bars and the largest height of a tilted name, as parts of the figure's."""
NAME = 16
"""The font size of the names of the keys, on a slide."""


class Temperature(Plot):
    """The scores of one query in the first head of the first run, and their softmax at each β as bars. Beside them,
    the weight of one of two words over the lead of its score, with its slope where the scores are equal."""

    shows: ClassVar[str] = "softmax by β: the same scores give even weights or all to one, and saturated ones no slope"
    scenario: ClassVar[str] = "aaba"

    def lacks(self, result: Result) -> str:
        return "" if _scores(result.runs[0]) else "it has no scores of attention"

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        found = _scores(run)
        place, scores = found[0]
        long = len(scores.labels[1]) > LONG
        query = query_of_long(result, run, scores) if long else query_of(result, scores.labels[0])
        keys = np.flatnonzero(mask_of(run, place, scores)[query]).tolist()
        shown = sorted(sorted(keys, key=lambda j: (-scores.values[query, j], j))[: OF_LONG if long else KEYS])
        headline(figure, result, "a larger β gives more weight to the largest score, until softmax saturates")
        pads(figure, h_pad=0.08, w_pad=0.12)
        left, right = figure.add_gridspec(1, 2, width_ratios=(1.15, 1))
        betas = _betas(scores.values[query, keys])
        _all_bars(left, scores, query, keys, shown, betas)
        slopes = figure.add_subplot(right)
        lines = _slopes(slopes, betas)
        names = [str(line.get_label()) for line in lines]
        remarks = (
            left_out(1, len(result.runs), "runs", "run"),
            left_out(1, len(found), "heads", "head"),
            left_out(1, len(scores.labels[0]), "queries", "query"),
            left_out(len(shown), len(keys), "keys"),
        )
        foot(figure, remarks)
        if not name_lines(slopes, lines, names):
            foot(figure, remarks, lines, names)


def weights_at(beta: float, scores: np.ndarray) -> np.ndarray:
    """The softmax of scores at an inverse temperature."""
    return np.asarray(separations["softmax"](beta=beta).weights(scores))


def _betas(scores: np.ndarray) -> dict[str, float]:
    """The inverse temperatures by their names: smaller ones where the best score is far above the second."""
    lead = float(np.diff(np.sort(scores)[-2:]).sum())
    if lead <= FAR:
        return BETAS
    return {f"β = {number(times / lead, 3)}": times / lead for times in OF_FAR}


def _scores(run: Run) -> list[tuple[str, Labelled]]:
    """The scores of each head, with the name of its place."""
    return [(place, scores) for place, scores in tables(run, "scores") if scores.dims == ("query", "key")]


def _all_bars(
    place: Any, scores: Labelled, query: int, keys: list[int], shown: list[int], betas: dict[str, float]
) -> None:
    """Draw the scores, and below them their weights at each β, all weights on one scale from 0 to 1."""
    values = scores.values[query]
    rows = place.subgridspec(1 + len(betas), 1, height_ratios=[1] * (1 + len(betas)))
    axes = rows.subplots(sharex=True)
    names = [scores.labels[1][j] for j in shown]
    _bars(axes[0], values[shown], theme().faint, "score")
    lowest, highest = min(0.0, float(values[shown].min())), max(0.0, float(values[shown].max()))
    span = highest - lowest or 1.0
    axes[0].set_ylim(lowest - (0.5 * span if lowest < 0 else 0), highest + 0.6 * span)
    for i, (ax, (name, beta)) in enumerate(zip(axes[1:], betas.items(), strict=True)):
        weights = weights_at(beta, values[keys])
        _bars(ax, weights[[keys.index(j) for j in shown]], theme().series[i], name)
        ax.set_ylim(0, 1.6)
    axes[-1].tick_params(axis="x", length=0)
    _name_keys(axes[-1], names)
    whole = BARS * float(axes[-1].figure.bbox.width) * 72 / float(axes[-1].get_figure(root=True).dpi) / scaled(17)
    query_name = cut(scores.labels[0][query], whole - ems("scores and weights of ‘’"))
    axes[0].set_title(f"scores and weights of ‘{query_name}’", fontsize=scaled(17))


def _name_keys(ax: Axes, names: list[str]) -> None:
    """Write the names of the keys below their bars: flat, or tilted where they are wider than their places."""
    points = 72 / float(ax.get_figure(root=True).dpi) / scaled(NAME)
    wide = 0.85 * BARS * float(ax.figure.bbox.width) * points / len(names)
    whole = [indexed(name, np.inf) for name in names]
    look: dict[str, Any] = {}
    if max(map(ems, whole)) > 0.9 * wide:
        whole = [cut(name, HIGH * float(ax.figure.bbox.height) * points) for name in whole]
        look = {"rotation": 40, "ha": "right", "va": "top", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(names)), whole, fontsize=scaled(NAME), **look)


def _bars(ax: Axes, heights: np.ndarray, colour: str, name: str) -> None:
    """Draw bars with their numbers above them, and the name of the row on its left."""
    ax.bar(range(len(heights)), heights, color=colour, width=0.62)
    ax.axhline(0, color=theme().ink, linewidth=scaled(1))
    for i, height in enumerate(heights.tolist()):
        above: Any = {"xytext": (0, scaled(2 if height >= 0 else -2)), "textcoords": "offset points", "ha": "center"}
        above["va"] = "bottom" if height >= 0 else "top"
        ax.annotate(number(height), (i, height), fontsize=scaled(14), **above)
    ax.set_ylabel(name, rotation=0, ha="right", va="center")
    ax.set(yticks=[])
    ax.tick_params(axis="x", length=0)
    ax.spines[:].set_visible(False)


def _slopes(ax: Axes, betas: dict[str, float]) -> list[Any]:
    """Draw the weight of one of two words over the lead of its score at each β; gives the lines, with their slopes."""
    lines = []
    leads = LEADS * max(1.0, BETAS["β = 10"] / max(betas.values()))
    for i, (name, beta) in enumerate(betas.items()):
        weights = weights_at(beta, np.stack([leads, np.zeros_like(leads)], axis=-1))[:, 0]
        slope = beta / 4
        style: dict[str, Any] = {"color": theme().series[i], "linestyle": DASHES[i]}
        lines += ax.plot(leads, weights, label=f"{name}: slope {number(slope, 3)}", **style)
    ax.plot(0, 0.5, "o", color=theme().ink, markersize=scaled(10), zorder=5)
    to: Any = {"arrowstyle": "-|>", "color": theme().faint, "lw": scaled(1.5), "mutation_scale": scaled(14)}
    text: Any = {"fontsize": scaled(15), "ha": "left", "va": "center", "arrowprops": to}
    ax.annotate("saturated:\nno slope,\nno gradient", (0.225 * leads[-1], 1.0), (0.9625 * leads[0], 0.82), **text)
    ax.set(xlim=(leads[0], leads[-1]), ylim=(-0.02, 1.05), yticks=(0, 0.5, 1), xticks=range(-4, 5, 2))
    if betas is not BETAS:
        ax.set_xticks(np.arange(-4, 5, 2) * float(np.floor(leads[-1] / 4)))
    ax.set_yticklabels(["0", ".5", "1"])
    ax.set(xlabel="lead of its score", ylabel="weight of one of two words")
    ax.set_title("slope where scores are equal: β / 4", fontsize=scaled(17))
    return lines
