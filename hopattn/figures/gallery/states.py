"""The state space of a small network: an arrow from every state to its successor, and so the basins."""

from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Figure, Plot
from hopattn.figures.headings import headline, pads
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result, Run

BASINS = 6
"""The largest number of basins: those with the most states."""
NAMED = 64
"""The number of states up to which each has its spins beside it."""
MARKERS = ("o", "s", "^", "D", "v", "P")
LISTED = 2
"""The number of states in a middle up to which the title shows their spins."""
INNER = 0.35
"""The radius on which the states of a cycle are drawn. A state `k` steps from the middle is at radius `k`."""

Basin = tuple[list[int], list[int]]
"""The middle of a basin (a fixed point, or the states of a cycle) and all members of the basin, as indices."""


class States(Plot):
    """The basins of the first run, one panel each: a fixed point or a cycle in the middle, other states around it."""

    name: ClassVar[str] = "states"
    shows: ClassVar[str] = "where every state of a small network leads: basins, and the states of rest in their middle"
    scenario: ClassVar[str] = "basins"

    def lacks(self, result: Result) -> str:
        lack = "it has no network of at most 12 spins whose next state does not depend on chance"
        return "" if "successor" in result.runs[0].arrays else lack

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        successors = run.arrays["successor"].values
        basins = basins_of(successors)
        headline(figure, result)
        pads(figure, h_pad=0.08, w_pad=0.08)
        shown = basins[:BASINS]
        columns = len(shown) if len(shown) < 3 else -(-len(shown) // 2)
        grid = figure.subplots(-(-len(shown) // columns), columns, squeeze=False)
        for i, (ax, basin) in enumerate(zip(grid.flat, shown, strict=False)):
            _basin(ax, run, basin, i)
            ax.set_title(_title(run, basin), fontsize=scaled(17))
        for ax in grid.flat:
            ax.set_axis_off()
        figure.supxlabel(_caption(basins, len(successors), str(run.arrays["way"].values)), fontsize=scaled(15))


def basins_of(successors: np.ndarray) -> list[Basin]:
    """The basins of a map from states to states, the largest first. successors: `(n_states,)`."""
    import networkx as nx

    graph = nx.DiGraph(enumerate(successors.tolist()))
    basins = []
    for members in nx.weakly_connected_components(graph):
        at, visited = min(members), set()
        while at not in visited:
            visited.add(at)
            at = int(successors[at])
        middle = [at]
        while (at := int(successors[at])) != middle[0]:
            middle.append(at)
        basins.append((middle, sorted(members)))
    return sorted(basins, key=lambda basin: (-len(basin[1]), basin[1]))


def _places(successors: np.ndarray, basin: Basin) -> dict[int, tuple[float, float]]:
    """The place of each member of a basin, on the ring of its number of steps to the middle.

    States with the same successor are beside one another.
    """
    states, members = basin
    places, steps = _ring(states, INNER if len(states) > 1 else 0.0), 0
    predecessors: dict[int, list[int]] = {}
    for state in members:
        if state not in places:
            predecessors.setdefault(int(successors[state]), []).append(state)
    while states := [state for successor in states for state in predecessors.get(successor, ())]:
        steps += 1
        places |= _ring(states, float(steps))
    return places


def _ring(states: list[int], radius: float) -> dict[int, tuple[float, float]]:
    """The places of states at equal distances on a circle."""
    angles = 2 * np.pi * (np.arange(len(states)) + 0.5) / len(states)
    return {state: (radius * np.cos(a), radius * np.sin(a)) for state, a in zip(states, angles.tolist(), strict=True)}


def _basin(ax: Any, run: Run, basin: Basin, i: int) -> None:
    """Draw basin `i` with a large middle. States of a small network have arrows and their spins, others have lines."""
    successors = run.arrays["successor"].values
    places, middle, few = _places(successors, basin), basin[0], len(successors) <= NAMED
    outside = [places[state] for state in basin[1] if state not in middle]
    style = {"color": theme().series[i], "marker": MARKERS[i], "linestyle": "", "markeredgecolor": theme().ink}
    ax.plot(
        *np.reshape(outside, (-1, 2)).T,
        **style,
        markersize=scaled(11) if few else 5,
        markeredgewidth=scaled(0.5),
        zorder=3,
    )
    ax.plot(
        *np.array([places[state] for state in middle]).T,
        **style,
        markersize=scaled(26),
        markeredgewidth=scaled(3),
        zorder=4,
    )
    _arrows(ax, places, successors, middle, few)
    if few:
        _spins(ax, run, places, middle)
    reach = max(1.0, float(np.abs([*places.values()]).max())) + (0.3 if few else 0.1)
    ax.set(xlim=(-reach * 1.15, reach * 1.15), ylim=(-reach, reach))


def _arrows(
    ax: Any, places: dict[int, tuple[float, float]], successors: np.ndarray, middle: list[int], few: bool
) -> None:
    """Draw an arrow, or a line in a large network, from each state to its successor; none from a fixed point."""
    from matplotlib.collections import LineCollection

    moves = [(state, int(successors[state])) for state in places if int(successors[state]) != state]
    if not few:
        lines = [(places[state], places[successor]) for state, successor in moves]
        ax.add_collection(LineCollection(lines, colors=theme().faint, linewidths=0.5, zorder=1))
        return
    for state, successor in moves:
        style = {"arrowstyle": "-|>", "color": theme().ink, "linewidth": scaled(1.2), "mutation_scale": scaled(14)}
        ends = {"shrinkA": scaled(14) if state in middle else 6, "shrinkB": scaled(15) if successor in middle else 7}
        ax.annotate("", places[successor], places[state], arrowprops=style | ends, zorder=2)


def _spins(ax: Any, run: Run, places: dict[int, tuple[float, float]], middle: list[int]) -> None:
    """Write the spins of each state, on the side away from the middle."""
    for state, (x, y) in places.items():
        if (far := float(np.hypot(x, y))) and (state not in middle or len(middle) > LISTED):
            align = "center" if abs(x) < 0.8 * far else "left" if x > 0 else "right"
            height = "center" if align != "center" else "bottom" if y > 0 else "top"
            offset = (0, 8 * np.sign(y)) if align == "center" else (9 * np.sign(x), 0)
            offset = (2 * offset[0], 2 * offset[1]) if far == INNER else offset
            text = {"textcoords": "offset points", "fontsize": scaled(11), "zorder": 5, "ha": align, "va": height}
            ax.annotate(_signs(run, state), (x, y), offset, **text)


def _signs(run: Run, state: int) -> str:
    """The spins of a state as filled and hollow circles: ●○●."""
    return run.arrays["successor"].labels[0][state].replace("+", "●").replace("−", "○")


def _title(run: Run, basin: Basin) -> str:
    """The middle of a basin and the number of its states; in a small network also the spins of a short middle."""
    middle, members = basin
    count = f"{_name(run, middle)}: {len(members)} state{'' if len(members) == 1 else 's'}"
    named = len(run.arrays["successor"].values) <= NAMED and len(middle) <= LISTED
    return f"{count}\n{' ⇄ '.join(_signs(run, state) for state in middle)}" if named else count


def _name(run: Run, middle: list[int]) -> str:
    """The stored pattern that equals a fixed point or its reverse; of a cycle its length."""
    if len(middle) > 1:
        return f"a cycle of {len(middle)}"
    patterns = run.arrays["patterns"]
    spins = np.array([1.0 if sign == "+" else -1.0 for sign in run.arrays["successor"].labels[0][middle[0]]])
    for name, pattern in zip(patterns.labels[0], patterns.values, strict=True):
        if abs(pattern @ spins) == len(spins):
            return label(name) if pattern @ spins > 0 else f"reversed {label(name)}"
    return "not stored"


def _caption(basins: list[Basin], n: int, update: str) -> str:
    """How to read the figure, and the number of basins and states that it leaves out.

    n: the number of states. update: how the update changes the neurons, in words.
    """
    legend = "●: spin 1, ○: spin −1; an arrow leads" if n <= NAMED else "a line leads"
    others = basins[BASINS:]
    states = sum(len(members) for _, members in others)
    rest = f"\n{len(others)} more basins hold {states} of the {n} states" if others else ""
    return f"{legend} inwards, to the state one step later, {update}{rest}"
