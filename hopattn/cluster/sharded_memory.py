"""A memory whose keys lie on many machines (the extra `cluster`).

Each cue goes to all workers of a Dask cluster. Every worker returns the running sums of its own keys: the largest
score, the sum of the unnormalised weights, and their weighted sum of values. The sums are merged here in the order of
the shards, so that the result does not depend on which worker answers first.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Annotated, Any

import numpy as np

from hopattn.cluster.connection import Connection
from hopattn.cluster.shard import Shard
from hopattn.cluster.workers import Scattered
from hopattn.dynamics.likeness import Ranked, ReferencePatterns, merged
from hopattn.dynamics.record import Recall
from hopattn.foundation.arrays import Array, Mask, is_foreign_array
from hopattn.foundation.boundary import Fit, Of, finite, public
from hopattn.foundation.checks import require_room
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.threads import ranges
from hopattn.foundation.ties import without_rounding
from hopattn.memories.memory import KeyValueMemory, have_none
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.free_energies import FreeEnergy, free_energy, require_entropy
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, as_mask, block, spread
from hopattn.retrieval.online_softmax import BlockPass, adds_up
from hopattn.retrieval.rounding import Ties, of_products, of_weights, undecided
from hopattn.retrieval.separation.base import Separation, scaled
from hopattn.retrieval.similarity import Similarity
from hopattn.retrieval.step import Step

SCORES_BROUGHT = 2**24
"""The number of scores that are brought here at once, where a separation needs all scores of a cue."""


BFLOAT16 = 2.0**-7
"""ε of bfloat16, a dtype of files that NumPy does not know."""


def _of_numpy(cues: Any, what: str) -> Any:
    """Cues that can be sent to other machines: one `(dim,)`, or a batch of them."""
    if is_foreign_array(cues):
        raise InvalidInput(f"{what}: a memory on several machines takes NumPy arrays")
    if np.ndim(cues) > 2:
        raise InvalidInput(f"{what}: got shape {np.shape(cues)}; expected (n_cues, dim) or (dim,)")
    return cues


Cues = Annotated[Any, _of_numpy, Of("… dim")]


@dataclass(frozen=True)
class ShardLayout:
    """The facts about all shards together.

    spans: the numbers of the keys of each shard, in order. dims, dtypes: those of the keys and of the values. largest:
    the largest |entry| of the values. autoassociative: whether the values are the keys.
    """

    spans: tuple[range, ...]
    dims: tuple[int, int]
    dtypes: tuple[np.dtype, np.dtype]
    largest: float
    autoassociative: bool


@dataclass(frozen=True, eq=False, kw_only=True)
class Sharded(KeyValueMemory):
    """A memory whose keys lie on the workers of a cluster, with the protocol of `Memory`; `ha.cluster.sharded` makes
    one.

    A separation whose parts add up (softmax, and those in which a weight depends on its own score alone) sends as many
    numbers as the answer has. For any other separation, all scores of a cue are brought together here. Neurons cannot
    be updated one at a time.

    Parameters
    ----------
    shards, layout : the parts of the keys, and where they lie.
    connection : to the cluster, where the memory made it.

    Notes
    -----
    Close the memory, or use it in a `with` block, if it was made from an address.
    """

    shards: Scattered
    layout: ShardLayout
    similarity: Similarity
    separation: Separation
    activation: Activation
    connection: Connection | None = None
    """The connection to the cluster."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "retrieval", Step(self.similarity, self.separation, self.activation))

    def __repr__(self) -> str:
        dim, dim_out = self.dims
        shapes = f"{len(self.shards)} shards of keys {(self.n_patterns, dim)}, values {(self.n_patterns, dim_out)}"
        return f"Sharded({shapes}, {self.similarity!r}, {self.separation!r}, {self.activation!r})"

    def __enter__(self) -> "Sharded":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the cluster, if the memory was made from an address."""
        if self.connection is not None:
            self.connection.close()

    @property
    def n_patterns(self) -> int:
        return self.layout.spans[-1].stop

    @property
    def autoassociative(self) -> bool:
        return self.layout.autoassociative

    @property
    def dims(self) -> tuple[int, int]:
        return self.layout.dims

    def _fit(self, axes: Collection[str]) -> Fit:
        fit = Fit()
        fit.sizes["dim"] = self.dims[0], "keys"
        return fit

    @property
    def patterns(self) -> np.ndarray:
        """All values, brought to this machine; raises `InvalidInput` where they would not fit into memory."""
        require_room(self.n_patterns * self.dims[1], f"the patterns of {len(self.shards)} shards")
        return np.concatenate(self.shards.each(Shard.some, own=[np.arange(s.start, s.stop) for s in self.layout.spans]))

    @property
    def _reference(self) -> ReferencePatterns:
        return RemoteReferencePatterns(self, self.activation, self.similarity.distance)

    def _why_not(self, capability: str) -> str:
        if capability == "single-neuron updates":
            apart = "its keys lie on several machines, each of which would be asked for every neuron"
            return self._why_not("energy") or apart
        return super()._why_not(capability)

    @cached_property
    def _value_sizes(self) -> np.ndarray:
        return np.concatenate(self.shards.each(Shard._value_sizes))

    @public
    def scores(self, cues: Cues) -> np.ndarray:
        """s = sim(K, x), `(n_cues, n_patterns)` or `(n_patterns,)`, on this machine."""
        return self._here(cues, None)[0]

    @public
    def weights(self, cues: Cues, mask: Mask = None) -> np.ndarray:
        """p = ∇Ψ(s), shaped as the scores."""
        return np.asarray(self.separation.weights(*self._here(cues, mask)))

    def _nothing_near(self, states: Array, mask: Any = None) -> np.ndarray:
        """Whether every weight in the step of each state is 0, `(n_cues,)`, as of `Memory`."""
        separation = self.retrieval._effective_separation
        cues, masks = np.atleast_2d(states), self._masks(mask, states)
        if adds_up(separation):
            asked = self.similarity, separation, self.activation, cues
            none = np.all(self.shards.each(Shard.have_none, *asked, own=masks), axis=0)
        else:
            none = np.zeros(len(cues), dtype=bool)
            for some in ranges(range(len(cues)), max(SCORES_BROUGHT // self.n_patterns, 1)):
                rows = np.arange(some.start, some.stop)
                scored = self._scored(cues[rows], [_rows(part, rows) for part in masks])
                none[rows] = have_none(separation(*scored), self.activation)
        return np.asarray(none if states.ndim > 1 else none[0])

    @public
    def rest(self, cues: Cues, mask: Mask = None) -> np.ndarray:
        """The weight that the sink takes, `(n_cues,)`; raises `InvalidInput` for a memory without a sink."""
        return np.asarray(self.separation.rest(*self._here(cues, mask)))

    @public(may_be=finite)
    def free_energy(self, cues: Cues, mask: Mask = None) -> FreeEnergy:
        """F = U − S/β of the weights, on this machine; raises `InvalidInput` where they are not a distribution."""
        require_entropy(separation := self.retrieval._effective_separation)
        return free_energy(separation, *self._here(cues, mask))

    def _field_at(self, x: Array, mask: Any) -> np.ndarray:
        result = self._pass(self.separation, x, mask)
        return np.asarray(scaled(result.field, result.factor))

    def _energy_at(self, x: Array, mask: Any) -> np.ndarray:
        result = self._pass(self.retrieval._effective_separation, x, mask, read=False, potential=True)
        return np.asarray(self.retrieval._conjugate(x) - result.potential)

    def _step_at(self, x: Array, mask: Any, *, energy: bool = False) -> tuple[np.ndarray, np.ndarray | None]:
        result = self._pass(self.retrieval._effective_separation, x, mask, potential=energy)
        before = x if self.autoassociative else None
        moved = self.retrieval._activate(result.field, result.factor, before)
        return np.asarray(moved), np.asarray(self.retrieval._conjugate(x) - result.potential) if energy else None

    @wraps(KeyValueMemory.recall)
    def recall(self, cues: Array, **options: Any) -> Recall:  # type: ignore[override]
        record = super().recall(cues, **options)
        if self.connection is not None and self.connection.own:
            _ = record.matched  # `close` ends the connection, and the patterns are then out of reach
        return record

    @property
    def _ties(self) -> Ties:
        every = (float(np.finfo(dtype).eps) if dtype.kind == "f" else BFLOAT16 for dtype in self.layout.dtypes)
        return Ties(max(every), self.n_patterns)

    def _pass(
        self, separation: Separation, given: np.ndarray, mask: Any, *, read: bool = True, potential: bool = False
    ) -> BlockPass:
        """The result of one pass over all keys; one cue `(dim,)` drops the axis of cues."""
        given = _of_numpy(given, "cues")
        cues, masks = np.atleast_2d(given), self._masks(mask, given)
        ties, dim = self._ties if read and self.activation.discrete else None, self.dims[1]
        if not adds_up(separation):
            n, dtype = len(cues), np.result_type(cues, *self.layout.dtypes)
            ones = np.ones((n, 1), dtype)
            result = BlockPass(np.zeros((n, dim), dtype), ones, np.zeros(n, dtype), np.ones(n, bool))
        else:
            asked = (self.similarity, separation, cues, {"potential": potential, "ties": ties}, read)
            sums, *rest = self.shards.each(Shard.sums, *asked, own=masks)
            for more in rest:
                sums.merge(more)
            result = sums.result()
        if result.field.shape[1] > dim:  # a field that may be only rounding
            field, total = np.ascontiguousarray(result.field[:, :dim]), result.field[:, dim:]
            again = result.overflowed | undecided(field, total, self.layout.largest)
            factor = np.ones((len(cues), 1), field.dtype) * result.factor
            result = BlockPass(field, factor, result.potential, again)
        overflowed = np.flatnonzero(result.overflowed)
        for some in ranges(range(len(overflowed)), max(SCORES_BROUGHT // self.n_patterns, 1)):
            self._from_all_scores(result, overflowed[some.start : some.stop], separation, cues, masks, read, potential)
        if given.ndim > 1:
            return result
        factor = result.factor if isinstance(result.factor, float) else result.factor[0]
        return BlockPass(result.field[0], factor, result.potential[0], result.overflowed[0])

    def _from_all_scores(
        self,
        result: BlockPass,
        rows: np.ndarray,
        separation: Separation,
        cues: np.ndarray,
        masks: Sequence[Any],
        read: bool,
        potential: bool,
    ) -> None:
        """Write into `result` the rows that need all their scores."""
        scores, where = self._scored(cues[rows], [_rows(mask, rows) for mask in masks])
        weights = separation(scores, where, potential=potential)
        if read:
            result.factor[rows] = weights.factor
            own = [weights.array[:, span.start : span.stop] for span in self.layout.spans]
            field = sum(self.shards.each(Shard.read_out, False, own=own))
            if self.activation.discrete:
                slack = np.hstack(self.shards.each(Shard.rounding, self.similarity, self._ties.eps, cues[rows]))
                spread = of_weights(separation, scores, where, slack, weights)
                most = of_products(spread, self._ties)
                own = [most[:, span.start : span.stop] for span in self.layout.spans]
                field = without_rounding(field, sum(self.shards.each(Shard.read_out, True, own=own)))
            result.field[rows] = field
        if potential:
            result.potential[rows] = weights.potential

    def _here(self, cues: np.ndarray, mask: Any) -> tuple[np.ndarray, np.ndarray | None]:
        """All scores and their mask; one cue `(dim,)` drops the axis of cues."""
        scores, where = self._scored(np.atleast_2d(cues), self._masks(mask, cues))
        return (scores, where) if cues.ndim > 1 else (scores[0], None if where is None else where[0])

    def _scored(self, cues: np.ndarray, masks: Sequence[Any]) -> tuple[np.ndarray, np.ndarray | None]:
        """All scores of cues `(n, dim)`, and their mask, or None where all keys may be attended to."""
        require_room(len(cues) * self.n_patterns, f"scores of {len(cues) * self.n_patterns:,} pairs")
        scores, where = zip(*self.shards.each(Shard.scores, self.similarity, cues, own=masks), strict=True)
        return np.hstack(scores), None if where[0] is None else np.hstack(where)

    def _masks(self, mask: Any, given: np.ndarray) -> list[Any]:
        """The part of a mask for each shard: None, a rule by pairs, or an array `(n, count)` or `(1, count)`."""
        rule, spans = as_mask(mask), self.layout.spans
        shape = (*given.shape[:-1], self.n_patterns)
        if isinstance(rule, NoMask):
            return [None] * len(spans)
        if isinstance(rule, PositionRule):
            if given.ndim == 1:
                rule.allowed(np.broadcast_to(0.0, shape), lambda: 0.0)  # raises the error that says why
            parts = [block(rule, range(shape[0]), span, (shape[0], shape[1])) for span in spans]
            return [np.ascontiguousarray(np.atleast_2d(part)) for part in parts]
        if isinstance(rule, MaskRule):
            if not rule.by_pairs:
                raise InvalidInput(
                    f"mask: the rule {quoted(rule)} looks at all scores of a cue, which lie on several machines"
                )
            return [rule] * len(spans)
        spread(rule, shape)
        array = np.atleast_2d(np.asarray(rule))
        array = array[:1] if array.strides[0] == 0 else array  # the same for all cues
        return [array if array.shape[1] == 1 else array[:, span.start : span.stop] for span in spans]


@dataclass(frozen=True, eq=False)
class RemoteReferencePatterns(ReferencePatterns):
    """The values of a sharded memory; states are compared with them on the machines where they lie."""

    patterns: Sharded

    def __post_init__(self) -> None:
        """Nothing to check: the shards hold NumPy arrays."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.patterns.n_patterns, self.patterns.dims[1]

    @property
    def dtype(self) -> np.dtype:
        return self.patterns.layout.dtypes[1]

    @property
    def largest(self) -> float:
        return self.patterns.layout.largest

    def ranked(self, states: np.ndarray) -> Ranked:
        return merged(self.patterns.shards.each(Shard.ranked, states, self.by_distance))

    def take(self, numbers: np.ndarray) -> np.ndarray:
        every = np.unique(numbers)
        own = [every[(every >= span.start) & (every < span.stop)] for span in self.patterns.layout.spans]
        rows = np.concatenate(self.patterns.shards.each(Shard.some, own=own))
        return np.asarray(rows[np.searchsorted(every, numbers)])

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        return np.concatenate(self.patterns.shards.each(Shard.overlaps, states), axis=-1)


def _rows(mask: Any, rows: np.ndarray) -> Any:
    """The rows of a shard's mask."""
    return mask[rows] if isinstance(mask, np.ndarray) and len(mask) > 1 else mask
