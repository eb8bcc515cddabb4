"""The arrays of a layer of heads: their declaration before the run, and their values after it."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from hopattn.scenario.explain.attention import HEAD_ARRAYS
from hopattn.scenario.language.array_layout import ArraySpec, Axis, Labels
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.layers import LayerTrace

SQUARE = ("scores", "mask", "weights")
"""The arrays of a head with one row for each query and one column for each key."""


def layer_arrays(
    place: str, layer: LayerTable, coding: Encoding, rows: Labels, columns: Labels, referable: bool = True
) -> Iterator[ArraySpec]:
    """The declaration of the arrays of a layer.

    place: the beginning of their names, such as "layer 1". rows, columns: the labels of the queries and of the keys.
    referable: as in `ArraySpec`.
    """
    token, read, axis = ("token", rows), ("token", columns), ("axis", coding.axes)
    for j, head in enumerate(layer.head, start=1):
        dim = len(head.projection("query").array(coding))
        compared: Axis = axis if dim == coding.dim else ("axis", tuple(str(k + 1) for k in range(dim)))
        square = (("query", rows), ("key", columns))
        axes = {"queries": (token, compared), "keys": (read, compared), "values": (read, axis)}
        axes |= dict.fromkeys(SQUARE, square) | {"output": (token, axis)}
        yield from (ArraySpec(f"{place} head {j} {name}", axes[name], referable) for name in HEAD_ARRAYS)
    yield ArraySpec(f"{place} output", (token, axis), referable)
    yield ArraySpec(f"{place} state", (token, axis), referable)


def layer_values(place: str, trace: LayerTrace, shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """The values of the arrays of a layer, for the first text of a batch; shape: `(n_queries, n_keys)`."""
    arrays: dict[str, np.ndarray] = {}
    for j, head in enumerate(trace.heads, start=1):
        for name in HEAD_ARRAYS:
            array = _of_first_text(getattr(head, name))
            arrays[f"{place} head {j} {name}"] = np.broadcast_to(array, shape) if name in SQUARE else array
    arrays[f"{place} output"] = _of_first_text(trace.output)
    arrays[f"{place} state"] = _of_first_text(trace.state)
    return arrays


def _of_first_text(array: Any) -> np.ndarray:
    """A quantity of a head or layer for the first text; a mask of None lets every query attend to every key."""
    values = np.asarray(True if array is None else array)
    return values[0] if values.ndim > 2 else values
