"""The problem that every memory is given: keys, values, cues, the key that each cue belongs to, and the mask."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from hopattn.experiments.comparison.cost import Size
from hopattn.foundation.arrays import Array, Mask, as_numpy, plain_array, require_finite, shaped, stored_rows
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.retrieval.masks import resolve

UNKNOWN = -1
"""The target of a cue whose key is not known."""


@dataclass(frozen=True, eq=False)
class RecallProblem:
    """Keys, values and cues in float64, already checked; `checked_problem` makes one.

    keys: `(n_keys, dim)`. values: `(n_keys, dim_out)`; the same array as `keys` if the keys themselves are read out.
    cues: `(n_cues, dim)`. targets: `(n_cues,)`, the index of the key that each cue belongs to, −1 if it is not known.
    mask: `(n_cues, n_keys)`, True = may attend, or None. where: the place of the problem in a table, such as "head 3".
    left_out: the number of cues that were left out because they may attend to no key. cue_names, key_names: the names
    of cues and keys, empty if they have none. own_beta: of the head or memory that it comes from, None if it has none.
    """

    keys: np.ndarray
    values: np.ndarray
    cues: np.ndarray
    targets: np.ndarray
    mask: np.ndarray | None
    where: str = ""
    left_out: int = 0
    cue_names: tuple[str, ...] = ()
    key_names: tuple[str, ...] = ()
    own_beta: float | None = None

    @property
    def autoassociative(self) -> bool:
        """Whether values = keys, so that the result of a step is a state again."""
        return self.values is self.keys

    @property
    def visible(self) -> np.ndarray:
        """The number of keys that each cue may attend to, `(n_cues,)`."""
        if self.mask is None:
            return np.full(len(self.cues), len(self.keys))
        return np.asarray(np.count_nonzero(self.mask, axis=-1))

    @property
    def default_beta(self) -> float:
        """`own_beta`, else √dim over the mean squared length of a key, so that the scale of the keys has no effect.

        For spins it is 1/√dim, as in attention. Raises `InvalidInput` if all keys are 0, or too large.
        """
        if self.own_beta is not None:
            return self.own_beta
        with np.errstate(over="ignore", under="ignore"):
            square = float(np.mean(np.sum(self.keys**2, axis=-1)))
        if not 0 < square < np.inf:
            key = int(np.abs(self.keys).max(axis=-1).argmax())
            largest = f"the largest number, {np.abs(self.keys[key]).max():.3g}, is in key {key}"
            raise InvalidInput(f"beta: there is none that fits keys of this size ({largest}); give one")
        return float(self.keys.shape[1] ** 0.5 / square)


def checked_problem(
    keys: Array,
    cues: Array,
    values: Array = None,
    targets: Any = None,
    mask: Mask = None,
    where: str = "",
    names: tuple[Sequence[str], Sequence[str]] = ((), ()),
    own_beta: float | None = None,
) -> RecallProblem:
    """A problem from the user's arrays; values equal to the keys, or None, become the keys themselves.

    The arguments are the fields of `RecallProblem`. names: of the cues and of the keys. mask: a boolean array, or a
    name such as "causal"; cues that may attend to no key are left out. Raises `InvalidInput` for arrays that are empty,
    not finite, or do not fit, for scores that this machine's memory cannot hold, and if no cue may attend to any key.
    """
    require_positive_betas(() if own_beta is None else (own_beta,))
    key_rows, cue_rows = _rows(keys, "keys"), _rows(np.atleast_2d(as_numpy(cues, "cues")), "cues")
    shaped(cue_rows, "cues", "… dim", dim=(key_rows.shape[1], "keys"))
    Size(len(key_rows), len(cue_rows), key_rows.shape[1]).require_room()
    value_rows = key_rows if values is None else _rows(values, "values")
    if len(value_rows) != len(key_rows):
        raise InvalidInput(f"values: {len(value_rows)} rows do not fit {len(key_rows)} keys")
    shape = len(cue_rows), len(key_rows)
    allowed = resolve(mask, np.broadcast_to(0.0, shape))
    indices = _targets(targets, *shape)
    if allowed is not None:
        allowed = np.broadcast_to(allowed, shape)
    used = np.ones(len(cue_rows), dtype=bool) if allowed is None else np.asarray(allowed.any(axis=-1))
    if not used.any():
        raise InvalidInput("mask: no cue may see any key, so there is nothing to compare")
    return RecallProblem(
        keys=key_rows,
        values=key_rows if np.array_equal(value_rows, key_rows) else value_rows,
        cues=cue_rows[used],
        targets=indices[used],
        mask=None if allowed is None else allowed[used],
        where=where,
        left_out=int(np.sum(~used)),
        cue_names=tuple(compress(names[0], used.tolist())),
        key_names=tuple(names[1]),
        own_beta=own_beta,
    )


def _rows(values: Any, what: str) -> np.ndarray:
    return np.asarray(stored_rows(as_numpy(values, what), what), dtype=np.float64)


def _targets(targets: Any, n_cues: int, n_keys: int) -> np.ndarray:
    """The checked targets, `(n_cues,)`."""
    if targets is None:
        return np.full(n_cues, UNKNOWN)
    indices = np.atleast_1d(plain_array(targets, "targets"))
    if indices.dtype.kind not in "iu" or indices.shape != (n_cues,):
        raise InvalidInput(
            f"targets: expected the number of a key for each of {n_cues} cues (−1: not known), not {shortened(targets)}"
        )
    outside = indices[(indices < UNKNOWN) | (indices >= n_keys)]
    if outside.size:
        raise InvalidInput(f"targets: there is no key {outside[0]}; they are numbered from 0 to {n_keys - 1}")
    return np.asarray(indices, dtype=int)


def require_positive_betas(betas: Any) -> None:
    """Raise `InvalidInput` for a beta that is not a positive finite number."""
    for beta in betas:
        require_finite(np.asarray(beta, dtype=float), "beta")
        if beta <= 0:
            raise InvalidInput(f"beta: expected a positive finite number, not {beta:g}")
