"""Cutting: keys and values, in memory or in files, into the shards of a memory on many machines."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hopattn.cluster.connection import connected
from hopattn.cluster.shard import Facts, InFile, InMemory, Rows, Shard, shape_of
from hopattn.cluster.sharded_memory import Layout, Sharded
from hopattn.cluster.workers import Placed, workers_of
from hopattn.foundation.arrays import namespace, stored_rows
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.scalars import whole
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities


def sharded(
    keys: Any,
    cluster: Any,
    values: Any = None,
    *,
    similarity: str | Similarity = "dot",
    separation: str | Separation = "softmax",
    activation: str | Activation = "identity",
    beta: float | None = None,
    shards: int | None = None,
) -> Sharded:
    """A memory whose keys lie on the workers of a Dask cluster: the step, energy and recall of `Memory`, to 1e-12.

    keys, values: an array, of which each worker is sent its part; the path of a `.npy` or `.safetensors` file that
    every worker can read, of which each maps its own rows only; or a list of such paths, each file a shard. values:
    None for the keys themselves. cluster: the address of a scheduler, or a client or cluster of Dask's. shards: how
    many parts (default: one for each worker). The rest is as for `Memory`. What a worker had that is lost is placed on
    another one, and only that is computed again; arrays must not be changed meanwhile. Raises `InvalidInput` for what
    `Memory` does, and `CannotDo` where the cluster does not answer, has no room, or is lost.
    """
    chosen = separations.make(separation, **({} if beta is None else {"beta": beta}))
    compared, active = similarities.make(similarity), activations.make(activation)
    if not compared.by_pairs:
        raise InvalidInput(f"similarity: {compared!r} looks at all keys of a cue, which lie on several machines")
    client = connected(cluster)
    own = None if client is cluster else client
    try:
        stored = _vectors(keys, "keys", client)
        read_out = None if values is None or values is keys else _vectors(values, "values", client)
        things = _cut(stored, read_out, shards, client)
        placed = Placed(client, things)
        spans = tuple(range(thing.first, thing.first + thing.count) for thing in things)
        facts = placed.each(Shard.facts)
        _require_finite(facts)
        last = read_out or stored
        largest, itself = max(one.largest for one in facts), read_out is None
        layout = Layout(spans, (stored.dim, last.dim), (stored.dtype, last.dtype), largest, itself)
        return Sharded(placed, layout, compared, chosen, active, own)
    except BaseException:
        if own is not None:
            own.close()
        raise


@dataclass(frozen=True)
class _Vectors:
    """Keys or values, wherever they lie: their size, how some are had, and where they must be cut (empty: anywhere)."""

    count: int
    dim: int
    dtype: np.dtype
    some: Callable[[range], Rows]
    edges: tuple[int, ...] = ()


def _vectors(given: Any, what: str, client: Any) -> _Vectors:
    if isinstance(given, (str, os.PathLike)):
        return _in_files([given], what, client)
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, (str, os.PathLike)) for one in given):
        return _in_files(given, what, client)
    rows = stored_rows(given, what)
    if namespace(rows) is not np:
        raise InvalidInput(f"{what}: a memory on several machines takes NumPy arrays, or paths")
    return _Vectors(len(rows), rows.shape[1], rows.dtype, lambda some: InMemory(rows[some.start : some.stop]))


def _in_files(given: Sequence[Any], what: str, client: Any) -> _Vectors:
    """The arrays of files one after the other, as the workers see them."""
    paths = [os.path.abspath(one) for one in given]  # noqa: PTH100  # the path is the workers'; nothing is looked up here
    try:
        told = Placed(client, paths).each(shape_of)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: on a worker: {error}") from None
    for path, (shape, dtype) in zip(paths, told, strict=True):
        if len(shape) != 2 or 0 in shape:
            raise InvalidInput(f"{what}: expected (n_patterns, dim) with at least one pattern, not shape {shape}")
        if (shape[1], dtype) != (told[0][0][1], told[0][1]):
            raise InvalidInput(
                f"{what}: '{os.path.basename(path)}' has dim {shape[1]} in {np.dtype(dtype)}, "  # noqa: PTH119
                f"and the first file dim {told[0][0][1]} in {np.dtype(told[0][1])}"
            )
    edges = tuple(int(edge) for edge in np.cumsum([0, *(shape[0] for shape, _ in told)]))
    dim, dtype = told[0][0][1], np.dtype(told[0][1])
    if len(paths) == 1:
        return _Vectors(edges[-1], dim, dtype, lambda some: InFile(paths[0], some.start))
    return _Vectors(edges[-1], dim, dtype, lambda some: InFile(paths[edges.index(some.start)]), edges)


def _cut(keys: _Vectors, values: _Vectors | None, shards: int | None, client: Any) -> list[Shard]:
    """The shards, in the order of the keys."""
    if values is not None and values.count != keys.count:
        raise InvalidInput(f"values: {values.count} rows do not fit {keys.count} keys")
    edges = keys.edges or (values.edges if values else ())
    if edges and values and values.edges not in ((), edges):
        raise InvalidInput("values: their files do not hold as many rows each as those of the keys")
    if edges and shards is not None:
        raise InvalidInput(f"shards: each of the {len(edges) - 1} files is a shard; leave it out")
    if not edges:
        many = min(len(workers_of(client)), keys.count) if shards is None else whole(shards, "shards", most=keys.count)
        edges = tuple(keys.count * i // many for i in range(many + 1))
    spans = [range(start, stop) for start, stop in pairwise(edges)]
    return [Shard(s.start, len(s), keys.some(s), None if values is None else values.some(s)) for s in spans]


def _require_finite(facts: Sequence[Facts]) -> None:
    for what in ("key", "value"):
        bad = [row for one in facts if (row := getattr(one, f"bad_{what}")) >= 0]
        if bad:
            raise InvalidInput(f"{what}s: row {bad[0]} holds a NaN or an infinity; expected finite numbers")
