"""Partition: keys and values, in memory or in files, divided into the shards of a memory on many machines."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from hopattn.cluster.calls import workers_of
from hopattn.cluster.connection import connected
from hopattn.cluster.shard import InFile, InMemory, Rows, Shard, kind_of
from hopattn.cluster.sharded_memory import Sharded, ShardLayout
from hopattn.cluster.workers import OnWorkers
from hopattn.foundation.arrays import Array, namespace, stored_rows
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities


@public
def sharded(
    keys: Array,
    cluster: Any,
    values: Array = None,
    *,
    similarity: str | Similarity = "dot",
    separation: str | Separation = "softmax",
    activation: str | Activation = "identity",
    beta: float | None = None,
    sink: float | None = None,
    shards: int | None = None,
) -> Sharded:
    """A memory whose keys lie on the workers of a Dask cluster; its step, energy and recall are `Memory`'s, to 1e-12.

    Parameters
    ----------
    keys
        an array, of which each worker receives its part; the path of a `.npy` or `.safetensors` file that every worker
        can read, of which each worker maps its own rows; or a list of such paths, each file a shard.
    values : None for the keys themselves.
    cluster : the address of a scheduler, or a client or cluster object of Dask.
    shards : the number of shards (default: one for each worker).

    Raises
    ------
    InvalidInput : in the same cases as `Memory`.
    CannotDo : if the cluster does not answer, has too little memory, or is lost.

    Notes
    -----
    The other arguments are those of `Memory`. If a worker is lost, its shards go to other workers, and only their part
    is computed again. Do not change the arrays while the memory is in use.
    """
    separation = separation_of(separation, beta, sink=sink)
    similarity, activation = similarities.make(similarity), activations.make(activation)
    if not similarity.by_pairs:
        raise InvalidInput(
            f"similarity: {quoted(similarity)} looks at all keys of a cue, which lie on several machines"
        )
    connection = connected(cluster)
    try:
        client = connection.client
        key_rows = _vectors(keys, "keys", client)
        value_rows = None if values is None or values is keys else _vectors(values, "values", client)
        parts = _divided(key_rows, value_rows, shards, client)
        on_workers = OnWorkers(client, parts)
        summaries = on_workers.each(Shard.summary)
        for what in ("key", "value"):
            bad = [row for summary in summaries if (row := getattr(summary, f"bad_{what}")) >= 0]
            if bad:
                reason = "holds a NaN, an infinity, or a number so large that sums of its products overflow"
                raise InvalidInput(f"{what}s: row {bad[0]} {reason}; expected smaller finite numbers")
        spans = tuple(range(part.first, part.first + part.count) for part in parts)
        read_out, autoassociative = value_rows or key_rows, value_rows is None
        dims, dtypes = (key_rows.dim, read_out.dim), (key_rows.dtype, read_out.dtype)
        layout = ShardLayout(spans, dims, dtypes, max(summary.largest for summary in summaries), autoassociative)
        return Sharded(
            shards=on_workers,
            layout=layout,
            similarity=similarity,
            separation=separation,
            activation=activation,
            connection=connection,
        )
    except BaseException:
        connection.close()
        raise


@dataclass(frozen=True)
class _Vectors:
    """Keys or values in memory or in files.

    part: a function that gives the rows of a range. edges: the row numbers at which the files of a list begin, and the
    number of all rows; empty if the rows may be divided anywhere.
    """

    count: int
    dim: int
    dtype: np.dtype
    part: Callable[[range], Rows]
    edges: tuple[int, ...] = ()


def _vectors(given: Any, what: str, client: Any) -> _Vectors:
    """The vectors of an array, a path or a list of paths; what: their name in messages."""
    if isinstance(given, (str, os.PathLike)):
        return _in_files([given], what, client)
    if isinstance(given, (list, tuple)) and given and all(isinstance(path, (str, os.PathLike)) for path in given):
        return _in_files(given, what, client)
    rows = stored_rows(given, what, multiplied=True)
    if namespace(rows) is not np:
        raise InvalidInput(f"{what}: a memory on several machines takes NumPy arrays, or paths")
    return _Vectors(len(rows), rows.shape[1], rows.dtype, lambda span: InMemory(rows[span.start : span.stop]))


def _in_files(given: Sequence[Any], what: str, client: Any) -> _Vectors:
    """The rows of several files, one file after the other; the workers read the shapes of the files."""
    paths = [os.path.abspath(path) for path in given]  # noqa: PTH100  # a file that only the workers may see
    try:
        kinds = OnWorkers(client, paths).each(kind_of)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: on a worker: {error}") from None
    for path, (shape, dtype) in zip(paths, kinds, strict=True):
        if len(shape) != 2 or 0 in shape:
            raise InvalidInput(f"{what}: expected (n_patterns, dim) with at least one pattern, not shape {shape}")
        (_, dim), first_dtype = kinds[0]
        if (shape[1], dtype) != (dim, first_dtype):
            raise InvalidInput(
                f"{what}: '{os.path.basename(path)}' has dim {shape[1]} in {np.dtype(dtype)}, "  # noqa: PTH119
                f"and the first file dim {dim} in {np.dtype(first_dtype)}"
            )
    edges = tuple(int(edge) for edge in np.cumsum([0, *(shape[0] for shape, _ in kinds)]))
    if len(paths) == 1:
        return _Vectors(edges[-1], dim, np.dtype(first_dtype), lambda span: InFile(paths[0], kinds[0], span.start))
    files = {edge: InFile(path, kind) for edge, path, kind in zip(edges[:-1], paths, kinds, strict=True)}
    return _Vectors(edges[-1], dim, np.dtype(first_dtype), lambda span: files[span.start], edges)


def _divided(keys: _Vectors, values: _Vectors | None, shards: int | None, client: Any) -> list[Shard]:
    """The shards, in the order of the keys; raises `InvalidInput` for values or a number of shards that do not fit."""
    if values is not None and values.count != keys.count:
        raise InvalidInput(f"values: {values.count} rows do not fit {keys.count} keys")
    edges = keys.edges or (values.edges if values else ())
    if edges and values and values.edges not in ((), edges):
        raise InvalidInput("values: their files do not hold as many rows each as those of the keys")
    if edges and shards is not None:
        raise InvalidInput(f"shards: each of the {len(edges) - 1} files is a shard; leave it out")
    if not edges:
        workers = workers_of(client) if shards is None else ()
        n = min(len(workers), keys.count) if shards is None else whole(shards, "shards", most=keys.count)
        edges = tuple(keys.count * i // n for i in range(n + 1))
    spans = [range(start, stop) for start, stop in pairwise(edges)]
    return [Shard(span.start, len(span), keys.part(span), values.part(span) if values else None) for span in spans]
