"""What is asked of every memory alike: keys, values, cues, which key each cue belongs to, what it may see."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from hopattn.foundation.arrays import as_float, require_dim, require_finite, stored_rows
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.retrieval.masks import resolve

UNKNOWN = -1
"""The target of a cue that belongs to no key that is known."""


@dataclass(frozen=True, eq=False)
class Question:
    """Keys and cues in float64, checked; made by `asked`.

    keys: `(n_keys, dim)`; values: `(n_keys, dim_out)`, the keys themselves where they are what is read out; cues:
    `(n_cues, dim)`; targets: `(n_cues,)`, the key that each cue belongs to, −1 where that is not known; mask: `(n_cues,
    n_keys)`, True = may be seen, or None. where: what a table calls it, such as "head 3". left_out: the cues that were
    left out, since they may see no key. cue_names, key_names: what they are called; empty where they have no names.
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

    @property
    def itself(self) -> bool:
        """Whether a key leads to itself, so that what is read out is a state again."""
        return self.values is self.keys

    @property
    def seen(self) -> np.ndarray:
        """How many keys each cue may see, `(n_cues,)`."""
        if self.mask is None:
            return np.full(len(self.cues), len(self.keys))
        return np.asarray(np.count_nonzero(self.mask, axis=-1))

    @property
    def default_beta(self) -> float:
        """√dim over the mean squared length of a key: 1/√dim for spins, as in attention, whatever the keys' size."""
        square = float(np.mean(np.sum(self.keys**2, axis=-1)))
        if not 0 < square < np.inf:
            raise InvalidInput("beta: there is none that fits keys of this size; say which")
        return float(self.keys.shape[1] ** 0.5 / square)


def asked(
    keys: Any,
    cues: Any,
    values: Any = None,
    targets: Any = None,
    mask: Any = None,
    where: str = "",
    cue_names: Sequence[str] = (),
    key_names: Sequence[str] = (),
) -> Question:
    """A checked question; equal keys and values count as keys that lead to themselves.

    mask: a boolean array, or a name such as "causal". Raises `InvalidInput` for what is empty, not finite, or does not
    fit, and where no cue may see any key.
    """
    stored, given = _rows(keys, "keys"), _rows(np.atleast_2d(np.asarray(as_float(cues, "cues"))), "cues")
    require_dim(given, stored.shape[1], "cues", "keys")
    read = stored if values is None else _rows(values, "values")
    if len(read) != len(stored):
        raise InvalidInput(f"values: {len(read)} rows do not fit {len(stored)} keys")
    read = stored if np.array_equal(read, stored) else read
    allowed = resolve(mask, np.zeros((len(given), len(stored))))
    belongs = _targets(targets, len(given), len(stored))
    if allowed is None:
        return Question(stored, read, given, belongs, None, where, 0, tuple(cue_names), tuple(key_names))
    allowed = np.broadcast_to(allowed, (len(given), len(stored)))
    kept = np.asarray(allowed.any(axis=-1))
    if not kept.any():
        raise InvalidInput("mask: no cue may see any key, so there is nothing to compare")
    names = tuple(compress(cue_names, list(kept)))
    left_out = int(np.sum(~kept))
    return Question(stored, read, given[kept], belongs[kept], allowed[kept], where, left_out, names, tuple(key_names))


def _rows(values: Any, what: str) -> np.ndarray:
    return np.asarray(stored_rows(np.asarray(as_float(values, what)), what), dtype=np.float64)


def _targets(targets: Any, n_cues: int, n_keys: int) -> np.ndarray:
    if targets is None:
        return np.full(n_cues, UNKNOWN)
    try:
        given = np.atleast_1d(np.asarray(targets))
    except (ValueError, TypeError):
        given = np.zeros(0)
    if given.dtype.kind not in "iu" or given.shape != (n_cues,):
        raise InvalidInput(
            f"targets: expected the number of a key for each of {n_cues} cues (−1: not known), not {shortened(targets)}"
        )
    if np.any((given < UNKNOWN) | (given >= n_keys)):
        odd = given[(given < UNKNOWN) | (given >= n_keys)][0]
        raise InvalidInput(f"targets: there is no key {odd}; they are numbered from 0 to {n_keys - 1}")
    return np.asarray(given, dtype=int)


def require_positive_betas(betas: Any) -> None:
    """Raise `InvalidInput` for an inverse temperature that is none."""
    for beta in betas:
        require_finite(np.asarray(beta, dtype=float), "beta")
        if beta <= 0:
            raise InvalidInput(f"beta: expected a positive finite number, not {beta:g}")
