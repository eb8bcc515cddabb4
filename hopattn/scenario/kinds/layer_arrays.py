"""The arrays of a layer of heads: their declaration before the run, and their values after it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hopattn.scenario.explain.attention import head_arrays
from hopattn.scenario.language.array_layout import ArraySpec, Axis, Labels, numbers
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import BlockTrace

SQUARE = ("scores", "bias", "mask", "weights")
"""The arrays of a head with one row for each query and one column for each key."""
INSIDE: dict[str, Callable[[BlockTrace], Any]] = {
    "normed": lambda trace: trace.read[0],
    "summed": lambda trace: trace.summed[0],
    "attended": lambda trace: trace.states[0],
    "renormed": lambda trace: trace.read[1],
    "hidden": lambda trace: trace.hidden,
    "fed": lambda trace: trace.outputs[1],
}
"""The arrays between the heads' output and the state, by name: the words as the heads read them, after the residual of
the attention, and after its norm; those that the feed-forward layer reads, its neurons, and its output."""


def layer_arrays(
    place: str, layer: LayerTable, coding: Encoding, rows: Labels, columns: Labels, referable: bool = True
) -> Iterator[ArraySpec]:
    """The declaration of the arrays of a layer.

    place: the beginning of their names, such as "layer 1". rows, columns: the labels of the queries and of the keys.
    referable: as in `ArraySpec`.
    """
    token, read, axis = ("token", rows), ("token", columns), ("axis", coding.axes)
    for j, head in enumerate(layer.heads, start=1):
        dim, width = len(head.projection("query").array(coding)), layer.width(head, coding)
        square = (("query", rows), ("key", columns))
        compared = axis_of(dim, coding)
        value = axis_of(width, coding) if layer.mapped else axis
        axes: dict[str, tuple[Axis, ...]] = {
            "queries": (token, compared),
            "keys": (read, compared),
            "values": (read, value),
        }
        axes |= dict.fromkeys(SQUARE, square) | {"output": (token, value), "rest": square[:1]}
        yield from (ArraySpec(f"{place} head {j} {name}", axes[name], referable) for name in head_arrays(head))
    yield ArraySpec(f"{place} output", (token, axis), referable)
    for name in layer.own_arrays():
        hidden = ("hidden", numbers(layer.hidden()))
        yield ArraySpec(f"{place} {name}", (token, hidden if name == "hidden" else axis), referable)
    yield ArraySpec(f"{place} state", (token, axis), referable)


def layer_values(place: str, layer: LayerTable, trace: BlockTrace, shape: tuple[int, int]) -> dict[str, np.ndarray]:
    """The values of the arrays of a layer, for the first text of a batch; shape: `(n_queries, n_keys)`."""
    arrays: dict[str, np.ndarray] = {}
    for j, head in enumerate(trace.heads, start=1):
        for name in head_arrays(head):
            array = _of_first_text(getattr(head, name), 1 if name == "rest" else 2)
            arrays[f"{place} head {j} {name}"] = np.broadcast_to(array, shape) if name in SQUARE else array
    own = {"output": trace.output, **{name: INSIDE[name](trace) for name in layer.own_arrays()}, "state": trace.state}
    arrays |= {f"{place} {name}": _of_first_text(array) for name, array in own.items()}
    return arrays


def axis_of(size: int, coding: Encoding) -> Axis:
    """The axis of a query, key or value: that of the words if it is as long as these, else numbered elements."""
    return "axis", coding.axes if size == coding.dim else numbers(size)


def _of_first_text(array: Any, axes: int = 2) -> np.ndarray:
    """A quantity of a head or layer, with so many axes for one text, for the first text.

    A mask of None lets every query attend to every key.
    """
    values = np.asarray(True if array is None else array)
    return values[0] if values.ndim > axes else values
