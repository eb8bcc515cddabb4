"""What a person sees of a recall of pictures: the way from each cue to where it ended, and how pixels agree."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hopattn.record import Status
from hopattn.scenario.arithmetic import equals, number
from hopattn.scenario.drawing import Size, Strip, drawn
from hopattn.scenario.result import Labelled

FRAMES = 8
"""So many pictures are shown of a recall; of a longer one, the first and the last."""

_ENDED = {
    Status.CONVERGED: "converged after",
    Status.CYCLE: "in a cycle of two after",
    Status.LIMIT: "stopped after",
    Status.DIVERGED: "diverged after",
    Status.ANSWERED: "answered after",
}


def strips(arrays: Mapping[str, Labelled], size: Size, told: Sequence[str]) -> Iterator[Strip]:
    """For each cue its way, picture by picture; told: for each cue what it is made of, or an empty text."""
    for i, label in enumerate(arrays["input"].labels[0]):
        steps, status = int(arrays["steps"].values[i]), Status(str(arrays["status"].values[i]))
        last = max(1, steps - 1) if status is Status.CONVERGED else steps  # its last step moved nothing
        chosen = [*range(last + 1)] if last < FRAMES else [*range(FRAMES - 1), last]
        recalled = arrays["recalls"].values[i]
        sentence = f"recalls {recalled}, {_ENDED[status]} {steps} step{'' if steps == 1 else 's'}"
        heading = f"{label}: {told[i]}" if told[i] else label
        names = tuple(f"step {t}" if t else "cue" for t in chosen)
        yield Strip(heading, size, names, arrays["trajectory"].values[i, chosen], sentence)


def agreement(cue: np.ndarray, pattern: np.ndarray) -> str:
    """The dot product of two pictures: the pixels that agree less those that differ, where there are no shades.

    >>> agreement(np.array([1, -1, 0]), np.array([1, 1, 1]))
    '1 pixel agrees, 1 differs: 1 − 1 = 0'
    """
    products = cue * pattern
    total = float(products.sum())
    if np.isin(cue, (-1, 0, 1)).all() and np.isin(pattern, (-1, 0, 1)).all():
        same, other = int(np.sum(products > 0)), int(np.sum(products < 0))
        agree = "1 pixel agrees" if same == 1 else f"{same} pixels agree"
        return f"{agree}, {other} {'differs' if other == 1 else 'differ'}: {same} − {other} = {number(total)}"
    return f"sum of {len(products)} products {equals(total)} {number(total)}"


def inset(picture: np.ndarray, size: Size) -> Iterator[str]:
    """A picture in the working, set in."""
    for row in drawn(picture, size):
        yield f"    {row}"
