"""Recalls in a result: which cues recalled their patterns, the states as pictures, overlaps, and ends in words."""

from itertools import combinations
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import MATCH, Spurious, overlaps
from hopattn.dynamics.record import Status
from hopattn.figures.headings import JOINT
from hopattn.figures.style import scaled, theme
from hopattn.figures.text import label, power_of_ten
from hopattn.foundation.writing import in_sentence
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.result import Run

EVERY_PATTERN, LEADING = 12, 8
"""Up to the first number of patterns, all are shown; of more patterns, those that the recall comes nearest to."""
PASSED = 2
"""A recall that visits more patterns than this number replays a sequence."""
FRAMES = 14
"""The number of frames of a long recall: at most this number of steps, most of them early."""
LEAST = 12
"""The least number of frames. Between the steps of a short recall, states go over evenly into the next ones."""


def recalled(run: Run) -> np.ndarray:
    """Whether each cue of a recall ends at its own pattern, or at any pattern if none is its own, `(n_cues,)`."""
    arrays = run.arrays
    if "recalled" in arrays and arrays["recalled"].values.ndim:
        return np.asarray(arrays["recalled"].values, dtype=bool)
    if "recalls" not in arrays:
        return np.asarray(arrays["overlaps"].values >= MATCH)
    ends = np.asarray(arrays["recalls"].values != "nothing")
    if "overlaps" in arrays:
        own = dict(zip(arrays["overlaps"].labels[0], arrays["overlaps"].values, strict=True))
        return np.array(
            [end and own.get(name, 1) >= MATCH for name, end in zip(arrays["recalls"].labels[0], ends, strict=True)]
        )
    return ends


def last_steps(rows: np.ndarray) -> np.ndarray:
    """The last step at which each row changes, `(n_rows,)`, for rows `(n_rows, n_steps + 1, …)`."""
    changes = np.diff(rows, axis=1) != 0
    moved = changes.reshape(*changes.shape[:2], -1).any(axis=-1)
    return np.where(moved.any(axis=1), moved.shape[1] - np.argmax(moved[:, ::-1], axis=1), 0)


def last_step(run: Run, i: int) -> int:
    """The number of steps of cue `i`."""
    return int(run.arrays["steps"].values[i])


def states(run: Run, i: int) -> np.ndarray:
    """The states of cue `i`, the cue first, in units of a black pixel, `(n_steps + 1, n_pixels)`."""
    black = float(np.abs(run.arrays["patterns"].values).max(initial=0.0)) or 1.0
    return np.asarray(run.arrays["trajectory"].values[i][: last_step(run, i) + 1] / black)


def picture_steps(run: Run, i: int) -> list[int]:
    """The steps of cue `i` whose pictures differ to the eye, from 0, the cue, to the one that shows the last state."""
    names = [name.removeprefix("… ") for name in run.strips[i].names if name != "answer"]
    steps = [0 if name == "cue" else int(name.split()[1]) for name in names]
    shown = states(run, i)
    same = len(steps) > 1 and np.abs(shown[steps[-1]] - shown[steps[-2]]).max() < 1e-3
    return steps[:-1] if same else steps


def frame_times(last: int) -> list[float]:
    """The time of each frame, in steps; between whole steps one state goes over into the next."""
    if last == 0:
        return [0.0] * LEAST
    if last < LEAST - 1:
        parts = -(-(LEAST - 1) // last)
        return [i / parts for i in range(last * parts + 1)]
    spaced = (np.expm1(np.linspace(0, np.log1p(last), count)) for count in range(FRAMES, 4 * FRAMES))
    steps = [np.unique(np.round(one).astype(int)) for one in spaced]
    return [float(step) for step in max((one for one in steps if len(one) <= FRAMES), key=len)]


def overlaps_by_step(run: Run, i: int) -> np.ndarray:
    """The overlap of each state of cue `i` with each stored pattern, `(n_steps + 1, n_patterns)`."""
    states = run.arrays["trajectory"].values[i][: last_step(run, i) + 1]
    return np.asarray(overlaps(states, run.arrays["patterns"].values))


def leading_patterns(found: np.ndarray) -> list[int]:
    """The patterns whose overlaps are shown, in their order: all, or those that some state comes nearest to."""
    count = found.shape[1]
    if count <= EVERY_PATTERN:
        return list(range(count))
    return sorted(np.argsort(-np.abs(found).max(axis=0), kind="stable")[:LEADING].tolist())


def pattern_names(run: Run) -> tuple[str, ...]:
    """The names of the stored patterns, as labels."""
    return tuple(map(label, run.arrays["patterns"].labels[0]))


def recalls(run: Run, i: int) -> bool:
    """Whether cue `i` recalls a stored pattern."""
    return str(run.arrays["recalls"].values[i]) != "nothing"


def verdict(run: Run, i: int) -> str:
    """The end of the recall of cue `i`, in words: "recalls R", "stays at S reversed"."""
    status = Status(str(run.arrays["status"].values[i]))
    if recalls(run, i):
        name = label(str(run.arrays["recalls"].values[i]))
        visited = len({str(word) for word in run.arrays["visits"].values[i]} - {"nothing"})
        return f"recalls {name}" if visited <= PASSED else f"visits {visited} patterns, the last is {name}"
    if status == Status.NOTHING_NEAR:
        return "finds nothing near"
    if status in (Status.CYCLE, Status.DIVERGED):
        period = int(run.arrays["period"].values[i])
        return f"ends in a cycle of {period}" if status == Status.CYCLE else "grows without bound"
    return f"{'stays' if status == Status.CONVERGED else 'ends'} {_place(run, i)}"


def _place(run: Run, i: int) -> str:
    """The place of a last state that is not a stored pattern, in words."""
    kind, of = (str(run.arrays[name].values[i]) for name in ("spurious", "of"))
    kind = "" if kind == "none" else kind
    if kind == Spurious.REVERSED:
        return f"at {label(of)} reversed"
    if kind == Spurious.MIXTURE:
        graded = bool(np.any(np.abs(np.abs(states(run, i)[-1]) - 1) > 1e-6))
        return f"{'between' if graded else 'at a mixture of'} {in_sentence([label(part) for part in of.split(' + ')])}"
    pair = pair_at_end(run, i)
    return f"at {pair}" if pair else "where nothing is stored"


def pair_at_end(run: Run, i: int) -> str:
    """The two patterns whose sum the last state is, such as "I + L"; an empty text if it is not such a sum."""
    state, patterns = states(run, i)[-1], run.arrays["patterns"].values
    names = pattern_names(run)
    nearest = np.argsort(-np.abs(cosine(state, patterns)), kind="stable")[:3].tolist()
    for one, other in combinations(sorted(nearest), 2):
        total = patterns[one] + patterns[other]
        length = float(np.linalg.norm(total) * np.linalg.norm(state))
        if length and total @ state >= MATCH * length:
            return f"{names[one]}{JOINT}+{JOINT}{names[other]}"
    return ""


def draw_picture(
    ax: Any, values: np.ndarray, shape: tuple[int, int], width: float = 1.0, colour: str = "", most: float = 1.0
) -> None:
    """Draw a picture: 1 is black, −1 white, numbers between them grey; larger numbers set their own scale.

    values: `(n_pixels,)`. shape: rows and columns. width, colour: of the frame. most: the least number that is black.
    """
    most = max(most, float(np.abs(values).max(initial=0.0)))
    ax.imshow(values.reshape(shape), cmap=theme().picture, vmin=-most, vmax=most, interpolation="nearest")
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set(visible=True, color=colour or theme().ink, linewidth=scaled(width))


def energy_scale(energies: np.ndarray) -> tuple[float, str]:
    """A factor for energies, and the name of their axis: large ones are counted in powers of ten."""
    most = float(np.abs(energies[np.isfinite(energies)]).max(initial=0.0))
    power = int(np.floor(np.log10(most))) if most >= 1e4 or 0 < most < 1e-2 else 0
    return 10.0**power, f"energy / {power_of_ten(power)}" if power else "energy"
