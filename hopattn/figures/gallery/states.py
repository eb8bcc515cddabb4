"""Every state of a small network, an arrow from each to where it leads: the basins of what it remembers."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.style import COLOURS, FAINT, INK, label
from hopattn.scenario.result import Result, Run

NAMED, BASINS = 64, 6
"""With so many states each has its spins beside it; so many basins are drawn, the largest."""
MARKERS = ("o", "s", "^", "D", "v", "P")
PAIR = 2
"""The spins of a state of rest or a cycle of two stand in the title."""
INNER = 0.35
"""How far from the middle of a basin the states of a cycle lie; the steps to it count from 1."""

Basin = tuple[list[int], list[int]]
"""Its middle, a state of rest or a cycle, and all its members."""


class States(Plot):
    """The first run's basins, a panel each: in the middle what is at rest, further out what is more steps away."""

    name: ClassVar[str] = "states"
    shows: ClassVar[str] = "where every state of a small network leads: basins, and the states of rest in their middle"
    scenario: ClassVar[str] = "basins"

    def lacks(self, result: Result) -> str:
        few = "it has no network of at most 12 spins whose next state does not depend on chance"
        return "" if "successor" in result.runs[0].arrays else few

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        leads = run.arrays["successor"].values
        basins = found_basins(leads)
        figure.suptitle(result.title, wrap=True)
        figure.get_layout_engine().set(h_pad=0.08, w_pad=0.08)
        shown = basins[:BASINS]
        columns = len(shown) if len(shown) < 3 else -(-len(shown) // 2)
        grid = figure.subplots(-(-len(shown) // columns), columns, squeeze=False)
        for i, (ax, (middle, members)) in enumerate(zip(grid.flat, shown, strict=False)):
            _basin(ax, run, (middle, members), i)
            ax.set_title(_title(run, (middle, members)), fontsize=17)
        for ax in grid.flat:
            ax.set_axis_off()
        figure.supxlabel(_below(basins, len(leads), str(run.arrays["way"].values)), fontsize=15)


def found_basins(leads: np.ndarray) -> list[Basin]:
    """The basins of a map from states to states, `(n_states,)`; the largest first."""
    import networkx as nx

    graph = nx.DiGraph(enumerate(leads.tolist()))
    found = []
    for members in nx.weakly_connected_components(graph):
        at, seen = min(members), set()
        while at not in seen:
            seen.add(at)
            at = int(leads[at])
        middle = [at]
        while (at := int(leads[at])) != middle[0]:
            middle.append(at)
        found.append((middle, sorted(members)))
    return sorted(found, key=lambda basin: (-len(basin[1]), basin[1]))


def _around(leads: np.ndarray, basin: Basin) -> dict[int, tuple[float, float]]:
    """A place for each member: on the ring of its steps to the middle, beside those that lead to the same state."""
    order, members = basin
    place, ring = _ring(order, INNER if len(order) > 1 else 0.0), 0
    before: dict[int, list[int]] = {}
    for state in members:
        if state not in place:
            before.setdefault(int(leads[state]), []).append(state)
    while order := [state for after in order for state in before.get(after, ())]:
        ring += 1
        place |= _ring(order, float(ring))
    return place


def _ring(states: list[int], radius: float) -> dict[int, tuple[float, float]]:
    turns = 2 * np.pi * (np.arange(len(states)) + 0.5) / len(states)
    return {state: (radius * np.cos(a), radius * np.sin(a)) for state, a in zip(states, turns.tolist(), strict=True)}


def _basin(ax: Any, run: Run, basin: Basin, i: int) -> None:
    """One basin, its middle large; a few states have arrows and their spins, many have lines."""
    leads = run.arrays["successor"].values
    place, middle, few = _around(leads, basin), basin[0], len(leads) <= NAMED
    outside = [place[state] for state in basin[1] if state not in middle]
    style = {"color": COLOURS[i], "marker": MARKERS[i], "linestyle": "", "markeredgecolor": INK}
    ax.plot(*np.reshape(outside, (-1, 2)).T, **style, markersize=11 if few else 5, markeredgewidth=0.5, zorder=3)
    ax.plot(*np.array([place[state] for state in middle]).T, **style, markersize=26, markeredgewidth=3, zorder=4)
    _arrows(ax, place, leads, middle, few)
    if few:
        _spins(ax, run, place, middle)
    reach = max(1.0, float(np.abs([*place.values()]).max())) + (0.3 if few else 0.1)
    ax.set(xlim=(-reach * 1.15, reach * 1.15), ylim=(-reach, reach))


def _arrows(ax: Any, place: dict[int, tuple[float, float]], leads: np.ndarray, middle: list[int], few: bool) -> None:
    from matplotlib.collections import LineCollection

    going = [(state, int(leads[state])) for state in place if int(leads[state]) != state]
    if not few:
        lines = [(place[state], place[after]) for state, after in going]
        ax.add_collection(LineCollection(lines, colors=FAINT, linewidths=0.5, zorder=1))
        return
    for state, after in going:
        form = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "mutation_scale": 14}
        ends = {"shrinkA": 14 if state in middle else 6, "shrinkB": 15 if after in middle else 7}
        ax.annotate("", place[after], place[state], arrowprops=form | ends, zorder=2)


def _spins(ax: Any, run: Run, place: dict[int, tuple[float, float]], middle: list[int]) -> None:
    """The spins of each state, on the side away from the middle."""
    for state, (x, y) in place.items():
        if (far := float(np.hypot(x, y))) and (state not in middle or len(middle) > PAIR):
            side = "center" if abs(x) < 0.8 * far else "left" if x > 0 else "right"
            height = "center" if side != "center" else "bottom" if y > 0 else "top"
            away = (0, 8 * np.sign(y)) if side == "center" else (9 * np.sign(x), 0)
            away = (2 * away[0], 2 * away[1]) if far == INNER else away
            text = {"textcoords": "offset points", "fontsize": 11, "zorder": 5, "ha": side, "va": height}
            ax.annotate(_signs(run, state), (x, y), away, **text)


def _signs(run: Run, state: int) -> str:
    """The spins of a state, as black and white: ●○●."""
    return run.arrays["successor"].labels[0][state].replace("+", "●").replace("−", "○")


def _title(run: Run, basin: Basin) -> str:
    """What is in the middle of a basin, how many states there are, and its spins where they are told apart."""
    middle, members = basin
    count = f"{_what(run, middle)}: {len(members)} state{'' if len(members) == 1 else 's'}"
    named = len(run.arrays["successor"].values) <= NAMED and len(middle) <= PAIR
    return f"{count}\n{' ⇄ '.join(_signs(run, state) for state in middle)}" if named else count


def _what(run: Run, middle: list[int]) -> str:
    """The stored pattern that a state of rest is, or is the reverse of; a cycle by its length."""
    if len(middle) > 1:
        return f"a cycle of {len(middle)}"
    patterns = run.arrays["patterns"]
    spins = np.array([1.0 if sign == "+" else -1.0 for sign in run.arrays["successor"].labels[0][middle[0]]])
    for name, pattern in zip(patterns.labels[0], patterns.values, strict=True):
        if abs(pattern @ spins) == len(spins):
            return label(name) if pattern @ spins > 0 else f"reversed {label(name)}"
    return "not stored"


def _below(basins: list[Basin], n: int, way: str) -> str:
    """How to read it, and what is left out."""
    read = "●: spin 1, ○: spin −1; an arrow leads" if n <= NAMED else "a line leads"
    left = basins[BASINS:]
    states = sum(len(members) for _, members in left)
    rest = f"\n{len(left)} more basins hold {states} of the {n} states" if left else ""
    return f"{read} inwards, to the state one step later, {way}{rest}"
