"""A memory whose keys lie on many machines: a `dask.array`, whose running sums a tree of tasks merges.

Dask repeats each task that is lost with its worker: one that reads rows of a file, or one that holds rows of an array.
A cue goes to all chunks of keys; what comes back is as large as the answer.
"""

import os
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, wraps
from typing import Any, Self, Unpack

import numpy as np

from hopattn.cluster.connection import computed, connected, on_cluster, require_workers
from hopattn.dynamics.likeness import Ranked, ReferencePatterns, merged, overlaps, ranked
from hopattn.dynamics.record import Recall
from hopattn.foundation.array_files import stored_vectors
from hopattn.foundation.arrays import Array, is_foreign_array, max_safe_entry, stored_rows, widened
from hopattn.foundation.boundary import Fit, public
from hopattn.foundation.checks import require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.threads import blocks, single_threaded
from hopattn.foundation.ties import eps_of
from hopattn.foundation.vectors import largest_entries
from hopattn.memories.memory import KeyValueMemory, have_none
from hopattn.retrieval.blockwise import SCORES_HELD, running_sums
from hopattn.retrieval.masks import NO_MASK, MaskRule, NoMask, PositionRule, Sum, as_mask, on_scores, resolve, terms_of
from hopattn.retrieval.online_softmax import RunningSums, adds_up, concatenated
from hopattn.retrieval.rounding import Ties, of_products, of_scores, undecided
from hopattn.retrieval.separation.base import Separation, too_flat
from hopattn.retrieval.step import Field, Step, StepParts

CHUNK = 2**24
"""The most bytes of a chunk of keys: Dask counts the mapped pages of a file as memory of the worker."""
SCORES_BROUGHT = 2**24
"""The number of scores that are brought here at a time, for cues that need all their scores."""
FAN_IN = 8
"""The number of results that one task merges."""
Work = Callable[[int, np.ndarray, np.ndarray, Any], Any]
"""Work on a chunk, called with the number of its first key, its keys, its values, its part of a mask or of weights."""


@dataclass(frozen=True, init=False)
class ShardedStep(Step):
    """One step over keys and values of Dask. client: None for Dask's own scheduler. largest: |entry| of the values."""

    client: Any
    largest: float

    def __init__(self, client: Any, largest: float, **parts: Unpack[StepParts]) -> None:
        super().__init__(**parts)
        vars(self).update(client=client, largest=largest)

    def _read(
        self, separation: Separation, cues: Array, keys: Array, values: Array | None, bias: Array, **options: Any
    ) -> Field:
        """As of `Step`: by running sums, and from all scores for each cue whose sums cannot give it."""
        mask, rows, similarity = _mask(bias, cues, len(keys)), np.atleast_2d(widened(_of_numpy(cues))), self.similarity
        n, dim, potential = len(rows), 0 if values is None else values.shape[1], options.get("energy", False)
        ties = Ties(eps_of(keys, values), len(keys)) if self.activation.discrete and values is not None else None

        def sums(first: int, k: np.ndarray, v: np.ndarray, part: Any) -> RunningSums:
            read = widened(v) if dim else None
            return running_sums(similarity, separation, rows, widened(k), read, part, potential=potential, ties=ties)

        dtype = np.result_type(rows, *(part.dtype for part in (keys, values) if part is not None))
        array, psi = np.zeros((n, dim), dtype), np.zeros(n, dtype)
        factor, undone = np.ones((n, 1), dtype), np.ones(n, bool)
        if n and adds_up(separation) and not too_flat(separation.beta, rows):
            total = over(self.client, sums, _added, keys, values, mask).result()
            array, factor, psi, undone = total.field[:, :dim], factor * total.factor, total.potential, total.overflowed
            if ties is not None:  # a field that may be only rounding
                undone = undone | undecided(array, total.field[:, dim:], self.largest)
        for some in blocks(int(undone.sum()), max(SCORES_BROUGHT // len(keys), 1)):
            at = np.flatnonzero(undone)[some]
            seen = mask[at] if isinstance(mask, np.ndarray) and len(mask) > 1 else mask
            part = super()._read(separation, rows[at], keys, values, seen, energy=potential)
            psi[at] = part.potential if potential else 0
            if dim:
                array[at], factor[at] = part.array, part.factor
        i: Any = slice(None) if cues.ndim > 1 else 0
        return Field(array[i], factor[i], psi[i])

    def _scores(self, cues: Array, keys: Array) -> Array:
        require_room(cues[..., 0].size * len(keys), "scores of {:,} pairs", cues[..., 0].size * len(keys))
        return self._of_pairs(self.similarity, cues, keys)

    def _rounding(self, cues: Array, keys: Array) -> Any:
        return self._of_pairs(self.similarity.rounding, cues, keys)

    def _slack(self, cues: Array, keys: Array, eps: float) -> Any:
        return self._of_pairs(partial(of_scores, self.similarity, eps=eps), cues, keys)

    def _summed(self, weights: Array, values: Array) -> Array:
        return over(self.client, lambda first, k, v, p: p @ widened(k), sum, values, None, weights)

    def _error(self, spread: tuple[Array, Any], values: Array, ties: Ties) -> Array:
        error = of_products(spread, ties)
        return over(self.client, lambda first, k, v, e: e @ np.abs(widened(k)), sum, values, None, error)

    def _of_pairs(self, formula: Callable[[Array, Array], Any], cues: Array, keys: Array) -> Array:
        """The formula of cues and keys for all pairs of them, `(n_cues, n_patterns)` or `(n_patterns,)`."""
        rows = np.atleast_2d(widened(_of_numpy(cues)))

        def of_chunk(first: int, k: np.ndarray, *_: Any) -> np.ndarray:
            return np.broadcast_to(formula(rows, widened(k)), (len(rows), len(k)))

        pairs = over(self.client, of_chunk, _joined, keys)
        return pairs if cues.ndim > 1 else pairs[0]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sharded(KeyValueMemory):
    """A memory whose keys lie on many machines, with the protocol of `Memory`; `ha.cluster.sharded` makes one.

    A separation whose parts add up (softmax, and those in which a weight depends on its own score alone) sends as many
    numbers as the answer has. For any other separation, all scores of a cue are brought together here. Neurons cannot
    be updated one at a time. Close the memory, or use it in a `with` block, if it was made from an address.

    Parameters
    ----------
    retrieval : one step.
    keys, values : arrays of Dask, `(n_patterns, dim)` and `(n_patterns, dim_out)`, in the same chunks of whole rows.
    connection, temporary : what `close` ends; whether it ends a client that was made for the memory.
    """

    retrieval: ShardedStep
    keys: Any
    values: Any
    connection: ExitStack
    temporary: bool

    def __post_init__(self) -> None:
        if not isinstance(self.retrieval, ShardedStep):
            raise InvalidInput("retrieval: expected the step of a memory that ha.cluster.sharded makes")
        parts = {name: getattr(self.retrieval, name) for name in ("similarity", "separation", "activation")}
        vars(self).update(parts, same_neurons=self.autoassociative)

    def __repr__(self) -> str:
        shapes = f"{self.keys.numblocks[0]} shards of keys {self.keys.shape}, values {self.values.shape}"
        return f"Sharded({shapes}, {self.similarity!r}, {self.separation!r}, {self.activation!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection to the cluster, if the memory was made from an address."""
        self.connection.close()

    def _fit(self, axes: Collection[str]) -> Fit:
        return Fit(sizes={"dim": (self.dim, "keys")})

    @property
    def patterns(self) -> np.ndarray:
        """All values, brought to this machine; raises `InvalidInput` where they would not fit into memory."""
        require_room(self.values.size, f"the patterns of {self.keys.numblocks[0]} shards")
        return np.asarray(computed(self.retrieval.client, self.values))

    @property
    def _reference(self) -> ReferencePatterns:
        return RemotePatterns(self.values, self.activation, self.similarity.distance, step=self.retrieval)

    def _why_not(self, capability: str) -> str:
        if capability == "single-neuron updates":
            apart = "its keys lie on several machines, each of which would be asked for every neuron"
            return self._why_not("energy") or apart
        return super()._why_not(capability)

    @cached_property
    def _value_sizes(self) -> np.ndarray:
        return np.asarray(over(self.retrieval.client, lambda first, k, *_: largest_entries(k), _joined, self.values))

    @wraps(KeyValueMemory.recall)
    def recall(self, cues: Array, **options: Any) -> Recall:  # type: ignore[override]
        record = super().recall(cues, **options)
        if self.temporary:
            _ = record.matched  # `close` ends the connection, and the patterns are then out of reach
        return record

    def _nothing_near(self, states: Array, mask: Any = None) -> np.ndarray:
        """Whether every weight in the step of each state is 0, `(n_cues,)`: it is then 0 in each chunk alone too."""
        cues, separation = np.atleast_2d(states), self.retrieval._effective_separation
        similarity, activation = self.similarity, self.activation

        def none(first: int, keys: np.ndarray, values: np.ndarray, mask: Any) -> np.ndarray:
            flags = np.ones(len(cues), bool)
            for some in blocks(len(keys), max(SCORES_HELD // len(cues), 1)):
                scores = np.asarray(similarity(cues, keys[some]))
                rounding = partial(similarity.rounding, cues, keys[some])
                by_key = isinstance(mask, np.ndarray) and mask.shape[1] > 1
                where = resolve(mask[:, some] if by_key else mask, scores, rounding)
                flags &= have_none(separation(scores, where), activation)
            return flags

        seen = _mask(as_mask(mask), states, self.n_patterns)
        flags = over(self.retrieval.client, none, np.logical_and.reduce, self.keys, None, seen)
        return np.asarray(flags if states.ndim > 1 else flags[0])


@dataclass(frozen=True, eq=False)
class RemotePatterns(ReferencePatterns):
    """The values of a sharded memory; states are compared with them on the machines where they lie."""

    step: ShardedStep = field(kw_only=True)

    @property
    def largest(self) -> float:
        return self.step.largest

    def ranked(self, states: np.ndarray) -> Ranked:
        by_distance = self.by_distance

        def of_chunk(first: int, patterns: np.ndarray, *_: Any) -> Ranked:
            one = ranked(states, patterns, by_distance)
            return replace(one, nearest=one.nearest + first, leading=one.leading + first)

        ranking: Ranked = over(self.step.client, of_chunk, merged, self.patterns)
        return ranking

    def take(self, numbers: np.ndarray) -> np.ndarray:
        every, places = np.unique(numbers, return_inverse=True)
        return np.asarray(computed(self.step.client, self.patterns[every]))[places]

    def overlaps(self, states: np.ndarray) -> np.ndarray:
        return np.asarray(over(self.step.client, lambda first, k, *_: overlaps(states, k), _joined, self.patterns))


@public(parts=Step)
def sharded(
    keys: Array, cluster: Any = None, values: Array = None, *, shards: int | None = None, **parts: Unpack[StepParts]
) -> Sharded:
    """A memory whose keys lie on many machines, by Dask; its step, energy and recall are `Memory`'s, to 1e-12.

    Parameters
    ----------
    keys
        the path of a `.npy` or `.safetensors` file that every worker can read, or a list of such paths; an array, of
        which the scheduler and the workers hold a copy each; or a `dask.array`, whose chunks are made again for each
        step unless you persist it.
    cluster
        the address of a scheduler, or a client or cluster object of Dask (None: Dask's newest client, or its threads on
        this machine).
    values : None for the keys themselves.
    shards : the least number of shards (None: one for each thread of the workers, or the chunks of a `dask.array`).

    Raises
    ------
    InvalidInput : in the same cases as `Memory`.
    CannotDo : if the cluster does not answer, has too little memory, or is lost.

    Notes
    -----
    The other arguments are those of `Memory`. Dask repeats what is lost with a worker. Do not change the arrays while
    the memory is in use.
    """
    step = Step(**parts)
    if not step.similarity.by_pairs:
        raise InvalidInput(
            f"similarity: {quoted(step.similarity)} looks at all keys of a cue, which lie on several machines"
        )
    with ExitStack() as connection:
        client = connection.enter_context(connected(cluster))
        rows = _vectors(keys, "keys", client, shards)
        read_out = rows if values is None or values is keys else _vectors(values, "values", client, shards)
        if len(rows) != len(read_out):
            raise InvalidInput(f"values: {len(read_out)} rows do not fit {len(rows)} keys")
        read_out = rows if read_out is rows else read_out.rechunk({0: rows.chunks[0]})
        *bad, largest = over(client, _summary, np.minimum.reduce, rows, read_out)
        for what, row in zip(("keys", "values"), bad, strict=True):
            if row < len(rows):
                reason = "holds a NaN, an infinity, or a number so large that sums of its products overflow"
                raise InvalidInput(f"{what}: row {row:.0f} {reason}; expected smaller finite numbers")
        far = ShardedStep(client, -float(largest), **vars(step))
        temporary, connection = cluster is not None and client is not cluster, connection.pop_all()
        return Sharded(retrieval=far, keys=rows, values=read_out, connection=connection, temporary=temporary)


def over(
    client: Any, work: Work, merge: Callable[[list[Any]], Any], keys: Any, values: Any = None, columns: Any = None
) -> Any:
    """`merge` of the results of `work` on all chunks, by a tree of tasks; columns: a mask, or weights."""
    import dask.array as da
    from dask import delayed

    chunks, shared = keys.chunks[0], delayed(work)
    first = da.from_array(np.cumsum([0, *chunks[:-1]]), chunks=1, name=False)
    v: Any = (None, None) if values is None or values is keys else (values, "ij")
    by_key = isinstance(columns, np.ndarray) and columns.shape[1] > 1
    part: Any = (da.from_array(columns, chunks=(-1, chunks), name=False), "ji") if by_key else (columns, None)
    arguments = shared, None, first, "i", keys, "ij", *v, *part
    parts = da.blockwise(
        _on_chunk, "ij", *arguments, adjust_chunks={"i": 1, "j": 1}, meta=np.empty((0, 0)), align_arrays=False
    )
    tasks = parts.to_delayed().ravel().tolist()
    while len(tasks := [delayed(merge)(tasks[some]) for some in blocks(len(tasks), FAN_IN)]) > 1:
        pass
    return computed(client, tasks[0])


def _on_chunk(work: Work, first: np.ndarray, keys: Any, values: Any, part: Any) -> Any:
    with single_threaded():
        return work(int(first[0]), keys, keys if values is None else values, part)


def _of_numpy(cues: Any) -> Any:
    """Cues that can be sent to other machines: one `(dim,)`, or a batch of them."""
    if is_foreign_array(cues):
        raise InvalidInput("cues: a memory on several machines takes NumPy arrays")
    if np.ndim(cues) > 2:
        raise InvalidInput(f"cues: got shape {np.shape(cues)}; expected (n_cues, dim) or (dim,)")
    return cues


def _mask(rule: Any, cues: np.ndarray, n_patterns: int) -> Any:
    """A mask for parts of the keys: `NO_MASK`, an array `(n or 1, n_patterns or 1)`, or a rule by pairs."""
    if not all(isinstance(term, NoMask | PositionRule) or not isinstance(term, MaskRule) for term in terms_of(rule)):
        if isinstance(rule, Sum) or not rule.by_pairs:
            raise InvalidInput(
                f"mask: the rule {quoted(rule)} looks at all scores of a cue, which lie on several machines"
            )
        return rule
    array = on_scores(rule, np.broadcast_to(0.0, (*cues.shape[:-1], n_patterns)))[0]
    if array is None:
        return NO_MASK
    array = np.atleast_2d(array)
    return array[:1] if array.strides[0] == 0 else array  # the same for all cues


def _summary(first: int, keys: np.ndarray, values: np.ndarray, _: Any) -> np.ndarray:
    """The first key and the first value that is not finite or too large (∞: none), and −the largest |entry|."""

    def bad(rows: np.ndarray) -> float:
        most = max_safe_entry(rows)
        beyond = np.flatnonzero(~((rows.max(axis=1) <= most) & (rows.min(axis=1) >= -most)))  # a NaN is not inside
        return float(first + beyond[0]) if beyond.size else np.inf

    return np.array([bad(keys), bad(values), -float(largest_entries(values).max())])


def _added(parts: list[RunningSums]) -> RunningSums:
    """The merged sums; the parts, which are results of other tasks, stay as they are."""
    total, *others = (concatenated([part]) for part in parts)
    for other in others:
        total.merge(other)
    return total


def _joined(parts: list[np.ndarray]) -> np.ndarray:
    return np.concatenate(parts, axis=-1)


def _vectors(vectors: Any, what: str, client: Any, shards: int | None) -> Any:
    """Keys or values as a `dask.array` in chunks of whole rows; what: their name in messages."""
    import dask.array as da
    from dask import delayed
    from dask.system import CPU_COUNT

    def chunks(edges: list[int], row: int) -> tuple[int, ...]:
        """Chunks that no edge divides, for rows of so many bytes."""
        m = edges[-1]
        threads = CPU_COUNT if client is None else sum(one["nthreads"] for one in require_workers(client).values())
        n = min(threads, m) if shards is None else whole(shards, "shards", most=m)
        n = max(n, min(-(-m * row // CHUNK), m))
        return tuple(np.diff(np.union1d(edges, m * np.arange(n + 1) // n)).tolist())

    files = [vectors] if isinstance(vectors, (str, os.PathLike)) else vectors
    if isinstance(files, (list, tuple)) and files and all(isinstance(path, (str, os.PathLike)) for path in files):
        paths: list[str] = [os.path.abspath(os.fspath(path)) for path in files]  # noqa: PTH100  # a file that only the workers may see
        try:
            kinds = computed(client, delayed([delayed(kind_of)(path) for path in paths]))
        except InvalidInput as error:
            raise InvalidInput(f"{what}: on a worker: {error}") from None
        (_, *dim), dtype = kinds[0]
        for path, (shape, other_dtype) in zip(paths, kinds, strict=True):
            if len(shape) != 2 or 0 in shape:
                raise InvalidInput(f"{what}: expected (n_patterns, dim) with at least one pattern, not shape {shape}")
            if ([shape[1]], other_dtype) != (dim, dtype):
                raise InvalidInput(
                    f"{what}: '{os.path.basename(path)}' has dim {shape[1]} in {np.dtype(other_dtype)}, "  # noqa: PTH119
                    f"and the first file dim {dim[0]} in {np.dtype(dtype)}"
                )
        edges = np.cumsum([0, *(shape[0] for shape, _ in kinds)]).tolist()
        sizes = chunks(edges, dim[0] * np.dtype(dtype).itemsize)

        def read(span: Any) -> np.ndarray:
            start, stop = span[0].tolist()
            i = int(np.searchsorted(edges, start, "right")) - 1
            return rows_of(paths[i], kinds[i], slice(start - edges[i], stop - edges[i]))

        stops = np.cumsum(sizes)
        spans = da.from_array(np.stack([stops - sizes, stops], axis=1), chunks=(1, 2))
        return da.blockwise(
            read, "ij", spans, "ij", adjust_chunks={"i": sizes, "j": dim[0]}, meta=np.empty((0, 0), dtype)
        )
    if isinstance(vectors, da.Array):
        if vectors.ndim != 2 or 0 in vectors.shape or np.isnan(vectors.shape).any() or vectors.dtype.kind not in "biuf":
            expected = "expected real numbers (n_patterns, dim) in chunks of known sizes"
            raise InvalidInput(f"{what}: {expected}, not {vectors.dtype} of shape {vectors.shape}")
        rows = vectors if vectors.dtype.kind == "f" else vectors.astype(float)
        edges = np.cumsum([0, *vectors.chunks[0]]).tolist()
        return rows.rechunk((tuple(np.diff(np.unique(edges)).tolist()) if shards is None else chunks(edges, 0), -1))
    if is_foreign_array(vectors):
        raise InvalidInput(f"{what}: a memory on several machines takes arrays of NumPy or Dask, or paths")
    rows = stored_rows(vectors, what, multiplied=True)
    array = da.from_array(rows, chunks=(chunks([0, len(rows)], rows[0].nbytes), -1), name=False)
    if client is None:
        return array
    with on_cluster(client):
        return client.persist(array)


def kind_of(path: str) -> tuple[tuple[int, ...], str]:
    """The shape and the dtype of the array in a file."""
    stored = stored_vectors(path)
    return stored.shape, stored.dtype.str


def rows_of(path: str, kind: tuple[tuple[int, ...], str], rows: slice) -> np.ndarray:
    """Rows of the array in a file; raises `InvalidInput` if it is no longer of this kind."""
    if (now := kind_of(path)) != kind:
        before, after = (f"{np.dtype(dtype)} of shape {shape}" for shape, dtype in (kind, now))
        raise InvalidInput(
            f"'{os.path.basename(path)}' has changed since the memory was made: it held {before}, and now "  # noqa: PTH119
            f"{after}; make the memory again"
        )
    return stored_vectors(path).picked(rows)
