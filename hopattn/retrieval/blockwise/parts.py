"""Parts of a pass over blocks: runs of rows, parts of keys and masks, results that are put together."""

from typing import Any

import numpy as np

from hopattn.foundation.threads import ranges
from hopattn.retrieval.blockwise.online_sums import BlockPass
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule


def is_by_scores(mask: Any) -> bool:
    """Whether a mask is a rule that depends on the scores."""
    return isinstance(mask, MaskRule) and not isinstance(mask, (NoMask, PositionRule))


def side_by_side(results: list[BlockPass], leading: tuple[int, ...]) -> BlockPass:
    """The results of several texts as one, with their leading axes."""

    def stacked(parts: list[np.ndarray]) -> np.ndarray:
        return np.stack(parts).reshape(*leading, *parts[0].shape)

    own = results[0].factor
    factor = own if isinstance(own, float) else stacked([one.factor for one in results])
    rest = [stacked([getattr(one, name) for one in results]) for name in ("field", "potential", "overflowed")]
    return BlockPass(rest[0], factor, *rest[1:])


def write(part: BlockPass, rows: range, result: BlockPass) -> None:
    """Write the result of these rows into the result of all."""
    here = slice(rows.start, rows.stop)
    result.field[here], result.factor[here] = part.field, part.factor
    result.potential[here], result.overflowed[here] = part.potential, part.overflowed


def runs(flags: np.ndarray, longest: int) -> list[range]:
    """The runs of neighbouring True flags, none longer than `longest`."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return [part for start, stop in edges.reshape(-1, 2).tolist() for part in ranges(range(start, stop), longest)]


def rows_with_any(visible: np.ndarray | bool) -> slice:
    """The rows from the first to the last that may attend to any key of a block: fewer at the edge of a causal mask."""
    if isinstance(visible, bool):
        return slice(None)
    rows = np.flatnonzero(visible.any(axis=1))
    return slice(int(rows[0]), int(rows[-1]) + 1)


def part_of(rows: np.ndarray, some: range, dtype: np.dtype) -> np.ndarray:
    """Some of the rows, in a dtype."""
    return rows[some.start : some.stop].astype(dtype, copy=False)


def shaped(room: np.ndarray, n: int, m: int) -> np.ndarray:
    """A matrix `(n, m)` without gaps at the beginning of this room."""
    return room[: n * m].reshape(n, m)
