"""Shapes: the names of axes, of which those of one name have one length."""

import math
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.shown_types import Word

Sizes = dict[str, tuple[int, str]]
"""The length of each axis by its name, and the array that has it; no array where the caller knows it."""


class Of(Word):
    """The axes of an array, each of at least one entry, such as `Of("… n dim")`.

    A `…` stands for any leading axes. A `?` behind the first name says that the axis may be missing: `"… n? dim"` are
    rows of vectors, or one vector. finite: whether every entry must be a finite number. Where an annotation holds a
    check too, the check makes the array.
    """

    def __init__(self, axes: str, finite: bool = False) -> None:
        super().__init__(f"Array[{axes}]")
        self.axes, self.finite, self.leading = axes, finite, axes.startswith("…")
        self.names, self.optional = tuple(axes.replace("…", "").replace("?", "").split()), "?" in axes

    def __repr__(self) -> str:
        return f"Of({self.axes!r})"

    def refusal(self, shape: tuple[int, ...], names: tuple[str, ...], what: str, sizes: Sizes) -> InvalidInput:
        """Why an array of this shape does not fit, and what makes it fit."""
        tail = shape[max(len(shape) - len(names), 0) :] if self.leading else shape
        lengths = {name: sizes[name][0] for name in names if name in sizes and sizes[name][1] != what}
        if len(tail) == len(names):
            lengths = {name: lengths[name] for name, n in zip(names, tail, strict=True) if lengths.get(name, n) != n}
        conditions = [f"{name} = {n}" + f" of {sizes[name][1]}" * bool(sizes[name][1]) for name, n in lengths.items()]
        conditions += ["no axis of length 0"] * (0 in tail)
        form = ", ".join(["…"] * self.leading + list(self.names)) + "," * (len(self.names) == 1 and not self.leading)
        forms = f"({form})" + f" or ({', '.join(self.names[1:])},)" * self.optional
        message = f"{what}: got shape {shape}; expected {forms}" + f" with {', '.join(conditions)}" * bool(conditions)
        dim = lengths.get("dim")
        if self.names == ("dim",) and len(shape) > 1 and math.prod(shape) == dim:
            return InvalidInput(f"{message}; flatten it: x.reshape(-1)")
        if self.names == ("dim",) and len(shape) > 2 and math.prod(shape[1:]) == dim:
            return InvalidInput(f"{message}; flatten each: x.reshape(len(x), -1)")
        pictures = self.names == ("n_patterns", "dim") and len(shape) > 2
        return InvalidInput(message + "; flatten each picture: x.reshape(len(x), -1)" * pictures)


def common_axes(what: str, *leading: tuple[int, ...]) -> tuple[int, ...]:
    """The leading axes to which those of several arrays broadcast; raises `InvalidInput` if they do not."""
    try:
        return np.broadcast_shapes(*leading)
    except ValueError:
        raise InvalidInput(f"{what}: the leading axes {', '.join(map(str, leading))} do not broadcast") from None


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether an array of the first shape broadcasts to the second one."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, full) for n, full in pairs)


def require_broadcast(array: Any, shape: tuple[int, ...], what: str, other: str) -> None:
    """Raise `InvalidInput` unless the array broadcasts to this shape, that of the leading axes of `other`."""
    if not broadcasts(tuple(array.shape), shape):
        raise InvalidInput(f"{what}: shape {tuple(array.shape)} does not fit {other} of shape {shape}")
