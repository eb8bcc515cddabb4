"""The state space of a small network: an arrow from every state to its successor, and so the basins."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from hopattn.figures.base import Axes, Figure, Plot
from hopattn.figures.headings import foot, headline, left_out, note_of, pads
from hopattn.figures.panels import grid_of
from hopattn.figures.shapes import boxed
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label
from hopattn.scenario.result import Result, Run

BASINS = 6
"""The largest number of basins: those with the most states."""
NAMED = 64
"""The number of states up to which each state is an arrow with a head, and the middle of a basin has its spins."""
WRITTEN, LARGE = 16, 2
"""The numbers of states in a basin, and of panels, up to which each state has its spins."""
IN_A_ROW = 4
"""The largest number of panels in a single row."""
MARKERS = ("o", "s", "^", "v", "P")
"""The marker of each pattern; another fixed point has a diamond."""
LISTED = 2
"""The number of states in a middle up to which the title shows their spins."""
INNER, FIRST = 0.5, 0.7
"""The radius on which the states of a cycle are drawn. Ring `k` has radius `k + FIRST`: the middle needs room."""

Basin = tuple[list[int], list[int]]
"""The middle of a basin (a fixed point, or the states of a cycle) and all members of the basin, as indices."""


class States(Plot):
    """The basins of the first run, one panel each: a fixed point or a cycle in the middle. A state on ring `k` differs
    from the middle in `k` spins. A pattern and its reverse are side by side, the reverse hollow."""

    shows: ClassVar[str] = "where every state of a small network leads: basins, and the fixed points in their middle"
    scenario: ClassVar[str] = "basins"

    def lacks(self, result: Result) -> str:
        lack = "it has no network of at most 12 spins whose next state does not depend on chance"
        return "" if "successor" in result.runs[0].arrays else lack

    def draw(self, figure: Figure, result: Result) -> None:
        run = result.runs[0]
        successors = run.arrays["successor"].values
        basins = basins_of(successors)
        shown = _in_pairs(run, basins[:BASINS])
        headline(figure, result, _message(run, basins))
        pads(figure, h_pad=0.08, w_pad=0.06)
        written = len(successors) <= NAMED and len(shown) <= LARGE and len(shown[0][1]) <= WRITTEN
        axes = grid_of(figure, len(shown), IN_A_ROW if len(shown) <= IN_A_ROW else -(-len(shown) // 2))
        for ax, basin in zip(axes, shown, strict=True):
            _basin(ax, run, basin, written)
        foot(figure, _caption(run, basins, shown, left_out(1, len(result.runs), "runs", "run")))


def _message(run: Run, basins: Sequence[Basin]) -> str:
    """The title: the number of states and of fixed points, if all of them end in one."""
    states = run.arrays["successor"].labels[0]
    if any(len(middle) > 1 for middle, _ in basins):
        return ""
    ends = f"{len(basins)} fixed point{'s' if len(basins) > 1 else ''}"
    return f"all {len(states):,} states of {len(states[0])} neurons lead to {ends}"


def _in_pairs(run: Run, basins: Sequence[Basin]) -> list[Basin]:
    """Basins in their order, but each next to the one of the reversed states; a pattern comes before its reverse."""
    left, ordered = list(basins), []
    last = len(run.arrays["successor"].values) - 1
    while left:
        reverse = {last - state for state in left[0][0]}
        pair = [left[0], *(basin for basin in left[1:] if {*basin[0]} == reverse)]
        ordered += sorted(pair, key=lambda basin: _pattern(run, basin[0])[1])
        left = [basin for basin in left if basin not in pair]
    return ordered


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


def _places(run: Run, basin: Basin) -> dict[int, tuple[float, float]]:
    """The place of each member of a basin: the ring of its distance from the middle, in spins, each at its own angle.

    States with the same successor are next to each other, and neighbours are on different rings where they can be.
    """
    middle, members = basin
    successors, spins = run.arrays["successor"].values, _all_spins(run)
    rings = {s: min(int((spins[s] != spins[m]).sum()) for m in middle) for s in members if s not in middle}
    turns = 2 * np.pi * (np.arange(len(middle)) + 0.5) / len(middle)
    inner = (INNER if len(middle) > 1 else 0.0) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    places: dict[int, tuple[float, float]] = dict(zip(middle, inner.tolist(), strict=True))
    order: dict[int, float] = {}
    for ring in sorted({*rings.values()}):
        first = [s for s in rings if rings[s] == ring and int(successors[s]) in middle]
        order |= {state: (k + 0.5) / len(first) for k, state in enumerate(first)}
    later = [s for s in rings if s not in order]
    while later:
        order |= {s: order[int(successors[s])] + 1e-4 * (1 + s / len(spins)) for s in later if successors[s] in order}
        later = [s for s in later if s not in order]
    for k, state in enumerate(sorted(order, key=lambda s: (order[s], s))):
        angle = 2 * np.pi * (k + 0.5) / len(order)
        radius = rings[state] + FIRST
        places[state] = (float(radius * np.cos(angle)), float(radius * np.sin(angle)))
    return places


def _all_spins(run: Run) -> np.ndarray:
    """The spins of every state, `(n_states, n_spins)`."""
    return np.array([[1 if sign == "+" else -1 for sign in state] for state in run.arrays["successor"].labels[0]])


def _look(run: Run, basin: Basin) -> dict[str, Any]:
    """The look of the states of a basin: colour and marker of the pattern in its middle, hollow if it is reversed."""
    number, reverse = _pattern(run, basin[0])
    colour = theme().series[number % 6] if number >= 0 else theme().faint
    marker = MARKERS[number % len(MARKERS)] if number >= 0 else "D"
    fill = theme().paper if reverse else colour
    return {"marker": marker, "linestyle": "", "markerfacecolor": fill, "markeredgecolor": colour}


def _basin(ax: Axes, run: Run, basin: Basin, written: bool) -> None:
    """Draw a basin. written: whether each state has its spins. Large networks have lines instead of arrows."""
    ax.set_axis_off()
    successors = run.arrays["successor"].values
    places, middle, few = _places(run, basin), basin[0], len(successors) <= NAMED
    outside = [places[state] for state in basin[1] if state not in middle]
    look, size = _look(run, basin) | {"clip_on": False}, 12 if written else 9 if few else 6
    if outside:  # marks without points would stretch the panel to the corner of the figure
        ax.plot(*np.transpose(outside), **look, markersize=scaled(size), markeredgewidth=scaled(2), zorder=3)
    largest = scaled(26 if written else 20)
    inner = np.array([places[state] for state in middle])
    ax.plot(*inner.T, **look, markersize=largest, markeredgewidth=scaled(4), zorder=4)
    _arrows(ax, places, successors, middle, few)
    _rings(ax, places, middle, few)
    if written:
        _spins(ax, run, places, middle)
    reach = max(1 + FIRST, float(np.hypot(*np.array([*places.values()]).T).max()))
    wide, high = (reach + 0.6, reach + 0.4) if written else (reach + 0.25, reach + 0.25)
    ax.set(xlim=(-wide, wide), ylim=(-high, high), aspect="equal")
    ax.set_title(_title(run, basin), fontsize=scaled(17))


def _rings(ax: Axes, places: dict[int, tuple[float, float]], middle: list[int], few: bool) -> None:
    """Draw the rings, with their numbers in a small network."""
    from matplotlib.patches import Circle

    rings = {round(float(np.hypot(*place)) - FIRST) for state, place in places.items() if state not in middle}
    for ring in sorted(rings):
        look: dict[str, Any] = {"edgecolor": theme().faint, "linewidth": scaled(0.8), "linestyle": ":"}
        ax.add_patch(Circle((0, 0), ring + FIRST, fill=False, **look))
        if few:
            boxed(ax, (ring + FIRST, 0), str(ring), fontsize=scaled(14), color=theme().faint)


def _arrows(
    ax: Axes, places: dict[int, tuple[float, float]], successors: np.ndarray, middle: list[int], few: bool
) -> None:
    """Draw an arrow, or a line in a large network, from each state to its successor; none from a fixed point."""
    from matplotlib.collections import LineCollection

    moves = [(state, int(successors[state])) for state in places if int(successors[state]) != state]
    if not few:
        lines = [(places[state], places[successor]) for state, successor in moves]
        ax.add_collection(LineCollection(lines, colors=theme().faint, linewidths=scaled(0.6), zorder=1))
        return
    for state, successor in moves:
        style = {"arrowstyle": "-|>", "color": theme().ink, "linewidth": scaled(1.2), "mutation_scale": scaled(12)}
        far, near = (scaled(14 if one in middle else 7) for one in (state, successor))
        ends = {"shrinkA": far, "shrinkB": near + scaled(1)}
        ax.annotate("", places[successor], places[state], arrowprops=style | ends, zorder=2)


def _spins(ax: Axes, run: Run, places: dict[int, tuple[float, float]], middle: list[int]) -> None:
    """Write the spins of each state above it or below, on the side away from the middle."""
    for state, (x, y) in places.items():
        if state not in middle or len(middle) > LISTED:
            up = 1 if y > 1e-9 else -1
            text: Any = {"textcoords": "offset points", "fontsize": scaled(14), "zorder": 5, "ha": "center"}
            text |= {"va": "bottom" if up > 0 else "top", "xytext": (0, scaled(8) * up)}
            text["bbox"] = {"boxstyle": "square,pad=0", "facecolor": theme().paper, "edgecolor": "none"}
            ax.annotate(_signs(run, state), (x, y), **text)


def _signs(run: Run, state: int) -> str:
    """The spins of a state as signs: + − +."""
    return str(run.arrays["successor"].labels[0][state])


def _title(run: Run, basin: Basin) -> str:
    """The middle of a basin and the number of its states; in a small network also the spins of a short middle."""
    middle, members = basin
    count = f"{len(members)} state{'' if len(members) == 1 else 's'}"
    named = len(run.arrays["successor"].values) <= NAMED and len(middle) <= LISTED
    signs = " ⇄ ".join(_signs(run, state) for state in middle) if named else ""
    return "\n".join([_name(run, middle), f"{count}: {signs}"] if signs else [f"{_name(run, middle)}: {count}"])


def _pattern(run: Run, middle: list[int]) -> tuple[int, bool]:
    """The number of the stored pattern that a fixed point is, and whether it is its reverse; −1 for no pattern."""
    if len(middle) == 1:
        for number, pattern in enumerate(run.arrays["patterns"].values):
            product = float(np.where(pattern > 0, 1, -1) @ _all_spins(run)[middle[0]])
            if abs(product) == len(pattern):
                return number, product < 0
    return -1, False


def _name(run: Run, middle: list[int]) -> str:
    """The stored pattern that equals a fixed point or its reverse; of a cycle its length."""
    if len(middle) > 1:
        return f"a cycle of {len(middle)}"
    number, reverse = _pattern(run, middle)
    name = label(run.arrays["patterns"].labels[0][number]) if number >= 0 else "not stored"
    return f"{name} reversed" if reverse else name


def _caption(run: Run, basins: list[Basin], shown: list[Basin], more: str) -> str:
    """How to read the figure, and the number of basins and states that it leaves out.

    basins: all, of which the figure has those that are shown. more: a further remark.
    """
    n, way = len(run.arrays["successor"].values), run.arrays["way"].values
    arrows = f"{'an arrow' if n <= NAMED else 'a line'} leads to the next state, {way}"
    rings = "ring k: k spins differ from the middle"
    patterns = [_pattern(run, middle) for middle, _ in shown]
    colours = {
        "filled: a stored pattern": any(number >= 0 and not reverse for number, reverse in patterns),
        "hollow: its reverse": any(reverse for _, reverse in patterns),
        "grey: neither": any(number < 0 for number, _ in patterns),
    }
    others = basins[BASINS:]
    states = sum(len(members) for _, members in others)
    rest = f"{len(others)} more basins hold {states} of the {n} states" if others else ""
    low = "neuron 0" if np.any(run.arrays["patterns"].values == 0) else "spin −1"
    signs = f"+ {low.split()[0]} 1, − {low}" if n <= NAMED else ""
    notes = (
        "; ".join(filter(None, (signs, arrows))),
        "; ".join([rings, *(key for key, there in colours.items() if there)]),
    )
    return "\n".join(filter(None, (*notes, note_of((rest, more)))))
