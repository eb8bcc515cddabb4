"""Sharding: a memory whose keys lie on many machines (the extra `cluster`).

A cue goes to all workers of a Dask cluster; each gives the largest score of its own keys, the sum of its shares and
their weighted sum of values; merged, these are what all keys together give. What is merged first does not depend on
which worker is first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.cluster.shard import Shard
from hopattn.cluster.workers import Asked
from hopattn.dynamics.likeness import Known
from hopattn.dynamics.ranking import Ranked, merged
from hopattn.dynamics.record import Recall
from hopattn.foundation.arrays import as_float, namespace, require_dim, require_room
from hopattn.foundation.chunks import ranges
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.memory import Stored
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.blockwise.online_sums import Merged
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, as_mask, block, spread
from hopattn.retrieval.separation.base import Merging, Separation, scaled
from hopattn.retrieval.similarity import Similarity

HELD = 2**24
"""How many scores are brought here at once, where a separation needs all scores of a cue."""


@dataclass(frozen=True)
class Layout:
    """What is known of all shards: which keys each has, in their order; the dims and types of keys and values; the
    largest |entry| of the values; whether they are the keys.
    """

    spans: tuple[range, ...]
    dims: tuple[int, int]
    dtypes: tuple[np.dtype, np.dtype]
    largest: float
    itself: bool


@dataclass(frozen=True, eq=False)
class Sharded(Stored):
    """A memory whose keys lie on the workers of a cluster; `sharded` makes one. The same protocol as `Memory`.

    Separations whose blocks of keys merge (softmax, and those in which each pattern weighs by itself) send as many
    numbers as the answer has; of the others, all scores of a cue are brought together. Neurons cannot be updated one
    at a time. Close it, or use it in a `with`, where it was made from an address.
    """

    shards: Asked
    layout: Layout
    similarity: Similarity
    separation: Separation
    activation: Activation
    client: Any = None
    """The connection that is closed with the memory, if it is its own."""

    def __repr__(self) -> str:
        dim, dim_out = self.dims
        shapes = f"{len(self.shards)} shards of keys {(self.n_keys, dim)}, values {(self.n_keys, dim_out)}"
        return f"Sharded({shapes}, {self.similarity!r}, {self.separation!r}, {self.activation!r})"

    def __enter__(self) -> "Sharded":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the cluster, if it was made for this memory."""
        if self.client is not None:
            self.client.close()

    @property
    def n_keys(self) -> int:
        return self.layout.spans[-1].stop

    @property
    def itself(self) -> bool:
        return self.layout.itself

    @property
    def dims(self) -> tuple[int, int]:
        return self.layout.dims

    @property
    def patterns(self) -> np.ndarray:
        """All values, brought here; raises `InvalidInput` where they would not fit into memory."""
        require_room(self.n_keys * self.dims[1], f"the patterns of {len(self.shards)} shards")
        return np.concatenate(self.shards.each(Shard.some, own=[np.arange(s.start, s.stop) for s in self.layout.spans]))

    @property
    def known(self) -> Known:
        return KnownElsewhere(self, self.activation)

    @property
    def lacks_single_updates(self) -> str:
        """Why its neurons cannot be updated one at a time."""
        return self.lacks_energy or "its keys lie on several machines, each of which would be asked for every neuron"

    def one_by_one(self, states: np.ndarray, mask: np.ndarray | None = None) -> Any:
        """There is no such batch of states: raises `InvalidInput` with the reason."""
        raise InvalidInput(f"update: {self.lacks_single_updates}")

    def scores(self, cues: Any) -> np.ndarray:
        """s = sim(K, x), `(n_cues, n_patterns)` or `(n_patterns,)`, brought together here."""
        given = self._cues(cues)
        found, _ = self._scored(np.atleast_2d(given), self._masks(None, given))
        return found[0] if given.ndim == 1 else found

    def weights(self, cues: Any, mask: Any = None) -> np.ndarray:
        """p = ∇Ψ(s), shaped as the scores."""
        given = self._cues(cues)
        found = np.asarray(self.separation.weights(*self._scored(np.atleast_2d(given), self._masks(mask, given))))
        return found[0] if given.ndim == 1 else found

    def field(self, cues: Any, mask: Any = None) -> np.ndarray:
        """h = Vᵀ p: what the activation is given, `(n_cues, dim_out)`."""
        found = self._passed(self.separation, self._cues(cues), mask)
        return np.asarray(scaled(found.field, found.factor))

    def step(self, cues: Any, mask: Any = None) -> np.ndarray:
        """x⁺ = ∇Φ(Vᵀ p): one step of recall, `(n_cues, dim_out)`."""
        states = self._cues(cues)
        found = self._passed(self.retrieval.felt, states, mask)
        before = None if self.lacks_recall else states
        return np.asarray(self.retrieval.responded(found.field, found.factor, before))

    def energy(self, states: Any, mask: Any = None) -> np.ndarray:
        """E(x) = Φ*(x) − Ψ(K x), `(n_cues,)`; raises `InvalidInput` where the memory has no energy."""
        x = self._with_energy(states)
        found = self._passed(self.retrieval.felt, x, mask, read=False, potential=True)
        return np.asarray(self.activation.conjugate(x) - found.potential)

    def step_with_energy(self, states: Any, mask: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """One step, and the energy of the states before it, of one pass over the keys."""
        x = self._with_energy(states)
        found = self._passed(self.retrieval.felt, x, mask, potential=True)
        moved = self.retrieval.responded(found.field, found.factor, x)
        return np.asarray(moved), np.asarray(self.activation.conjugate(x) - found.potential)

    def recall(self, cues: Any, **options: Any) -> Recall:
        """Step until nothing changes: see `hopattn.dynamics.recall.recall` for the options and the record.

        Where the connection is closed with the memory, what the states are like is looked for at once.
        """
        found = super().recall(cues, **options)
        if self.client is not None:
            _ = found.matched
        return found

    def _passed(
        self, separation: Separation, given: np.ndarray, mask: Any, *, read: bool = True, potential: bool = False
    ) -> Merged:
        """What all keys come to for these cues; one cue `(dim,)` drops the axis n."""
        cues, masks = np.atleast_2d(given), self._masks(mask, given)
        if separation.merging is Merging.WHOLE:
            n, dtype = len(cues), np.result_type(cues, *self.layout.dtypes)
            found = Merged(
                np.zeros((n, self.dims[1]), dtype), np.ones((n, 1), dtype), np.zeros(n, dtype), np.ones(n, bool)
            )
        else:
            asked = (self.similarity, separation, cues, read, potential)
            sums, *rest = self.shards.each(Shard.sums, *asked, own=masks)
            for more in rest:
                sums.merge(more)
            found = sums.merged()
        lost = np.flatnonzero(found.lost)
        for some in ranges(range(len(lost)), max(HELD // self.n_keys, 1)):
            self._whole(found, lost[some.start : some.stop], separation, cues, masks, read, potential)
        if given.ndim > 1:
            return found
        factor = found.factor if isinstance(found.factor, float) else found.factor[0]
        return Merged(found.field[0], factor, found.potential[0], found.lost[0])

    def _whole(
        self,
        found: Merged,
        rows: np.ndarray,
        separation: Separation,
        cues: np.ndarray,
        masks: Sequence[Any],
        read: bool,
        potential: bool,
    ) -> None:
        """Write into `found` what some cues come to when all their scores are looked at together."""
        scores, where = self._scored(cues[rows], [_rows(mask, rows) for mask in masks])
        if read:
            weights, found.factor[rows] = separation.factored_weights(scores, where)
            own = [weights[:, span.start : span.stop] for span in self.layout.spans]
            found.field[rows] = sum(self.shards.each(Shard.read_out, own=own))
        if potential:
            found.potential[rows] = separation.potential(scores, where)

    def _scored(self, cues: np.ndarray, masks: Sequence[Any]) -> tuple[np.ndarray, np.ndarray | None]:
        """All scores of cues `(n, dim)`, and where they may be attended to."""
        require_room(len(cues) * self.n_keys, f"scores of {len(cues) * self.n_keys:,} pairs")
        scores, where = zip(*self.shards.each(Shard.scores, self.similarity, cues, own=masks), strict=True)
        return np.hstack(scores), None if where[0] is None else np.hstack(where)

    def _masks(self, mask: Any, given: np.ndarray) -> list[Any]:
        """The part of a mask that each shard has: None, a rule by pairs, or an array `(n, count)`, or with 1 for n."""
        rule, spans = as_mask(mask), self.layout.spans
        shape = (*given.shape[:-1], self.n_keys)
        if isinstance(rule, NoMask):
            return [None] * len(spans)
        if isinstance(rule, PositionRule):
            if given.ndim == 1:
                rule.allowed(np.broadcast_to(0.0, shape), lambda: 0.0)  # which says why it cannot tell
            seen = [block(rule, range(shape[0]), span, (shape[0], shape[1])) for span in spans]
            return [np.ascontiguousarray(np.atleast_2d(part)) for part in seen]
        if isinstance(rule, MaskRule):
            if not rule.by_pairs:
                raise InvalidInput(
                    f"mask: the rule {rule!r} looks at all scores of a cue, which lie on several machines"
                )
            return [rule] * len(spans)
        spread(rule, shape)
        array = np.atleast_2d(np.asarray(rule))
        array = array[:1] if array.strides[0] == 0 else array  # the same for all cues
        return [array if array.shape[1] == 1 else array[:, span.start : span.stop] for span in spans]

    def _with_energy(self, states: Any) -> np.ndarray:
        if self.lacks_energy:
            raise InvalidInput(f"energy: {self.lacks_energy}")
        return self._cues(states)

    def _cues(self, cues: Any) -> np.ndarray:
        states = as_float(cues, "cues")
        if namespace(states) is not np:
            raise InvalidInput("cues: a memory on several machines takes NumPy arrays")
        require_dim(states, self.dims[0], "cues", "keys")
        if states.ndim > 2:
            raise InvalidInput(f"cues: expected (n_cues, dim) or (dim,), not shape {states.shape}")
        return np.asarray(states)


@dataclass(frozen=True, eq=False)
class KnownElsewhere(Known):
    """The values of a sharded memory, which recalled states are compared with where they lie."""

    patterns: Sharded

    def __post_init__(self) -> None:
        """They are NumPy arrays, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.patterns.n_keys, self.patterns.dims[1]

    @property
    def dtype(self) -> np.dtype:
        return self.patterns.layout.dtypes[1]

    @property
    def largest(self) -> float:
        return self.patterns.layout.largest

    def ranked(self, states: np.ndarray) -> Ranked:
        return merged(self.patterns.shards.each(Shard.ranked, states))

    def some(self, numbers: np.ndarray) -> np.ndarray:
        every = np.unique(numbers)
        own = [every[(every >= span.start) & (every < span.stop)] for span in self.patterns.layout.spans]
        rows = np.concatenate(self.patterns.shards.each(Shard.some, own=own))
        return np.asarray(rows[np.searchsorted(every, numbers)])

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        return np.concatenate(self.patterns.shards.each(Shard.overlaps, states), axis=-1)


def _rows(mask: Any, rows: np.ndarray) -> Any:
    """The part of a shard's mask that is for some cues."""
    return mask[rows] if isinstance(mask, np.ndarray) and len(mask) > 1 else mask
