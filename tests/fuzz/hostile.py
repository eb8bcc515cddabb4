"""Values that no parameter, or hardly any, is meant for. Each is made anew, because a call may use it up."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np


class Stubborn:
    """An object that says that it is an array, and then is none."""

    shape, ndim, dtype = (2, 2), 2, np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array")

    def __float__(self):
        raise ValueError("no number")


class Anything:
    """A class whose objects are made of any arguments."""

    def __init__(self, *_, **__):
        pass


def nothing(*_, **__):
    """A function that takes any arguments."""


class NamedNumber(int):
    """A whole number of a class of its own."""


def structured():
    return np.zeros(2, dtype=[("a", float), ("b", int)])


def endless(depth=200):
    """A list that holds a list, and so on."""
    nested = []
    for _ in range(depth):
        nested = [nested]
    return nested


def within_itself():
    values = [1.0]
    values.append(values)
    return values


ROWS = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])

NUMBERS = {
    "0": lambda: 0,
    "-1": lambda: -1,
    "1": lambda: 1,
    "3": lambda: 3,
    "10**9": lambda: 10**9,
    "10**18": lambda: 10**18,
    "10**30": lambda: 10**30,
    "-10**30": lambda: -(10**30),
    "10**400": lambda: 10**400,
    "0.5": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "1e308": lambda: 1e308,
    "5e-324": lambda: 5e-324,
    "True": lambda: True,
    "1j": lambda: 1j,
    "int64": lambda: np.int64(2),
    "float32 nan": lambda: np.float32("nan"),
    "Decimal": lambda: Decimal("NaN"),
    "Fraction": lambda: Fraction(1, 3),
    "own int": lambda: NamedNumber(2),
}
TEXTS = {
    "no text": str,
    "x": lambda: "x",
    "softmax": lambda: "softmax",
    "bytes": lambda: b"x",
    "escape": lambda: "\x1b[31m",
    "surrogate": lambda: "\ud800",
    "null": lambda: "a\0b",
    "long text": lambda: "a" * 10**5,
    "path": lambda: Path("nowhere"),
    "folder": lambda: Path(),
    "device": lambda: "/dev/null",
}
ARRAYS = {
    "()": lambda: np.array(1.0),
    "(0,)": lambda: np.zeros(0),
    "(0, 4)": lambda: np.zeros((0, 4)),
    "(3, 0)": lambda: np.zeros((3, 0)),
    "(4,)": lambda: np.ones(4),
    "(1, 1)": lambda: np.ones((1, 1)),
    "(2, 2, 2, 2)": lambda: np.ones((2, 2, 2, 2)),
    "nan": lambda: np.full((2, 4), np.nan),
    "inf": lambda: np.full((2, 4), np.inf),
    "zeros": lambda: np.zeros((2, 4)),
    "large": lambda: np.full((2, 4), 1e308),
    "small": lambda: np.full((2, 4), 5e-324),
    "float16": lambda: ROWS.astype(np.float16),
    "float32": lambda: ROWS.astype(np.float32),
    "longdouble": lambda: ROWS.astype(np.longdouble),
    "int8": lambda: ROWS.astype(np.int8),
    "uint8": lambda: np.ones((2, 4), np.uint8),
    "bool": lambda: ROWS > 0,
    "big-endian": lambda: ROWS.astype(">f8"),
    "backwards": lambda: ROWS[::-1, ::-1],
    "read-only": lambda: np.broadcast_to(1.0, (2, 4)),
    "masked": lambda: np.ma.masked_array(ROWS, ROWS > 0),
    "all masked": lambda: np.ma.masked_all((2, 4)),
    "matrix": lambda: ROWS.view(np.matrix),
    "objects": lambda: np.array([[None, 1], [2, "x"]], dtype=object),
    "texts": lambda: np.array(["a", "b"]),
    "byte texts": lambda: np.array([b"a", b"b"]),
    "complex": lambda: ROWS * 1j,
    "dates": lambda: np.array(["2000-01-01", "NaT"], dtype="datetime64[D]"),
    "structured": structured,
    "record": lambda: structured().view(np.recarray),
}
THINGS = {
    "None": lambda: None,
    "[]": list,
    "()": tuple,
    "{}": dict,
    "{x: 1}": lambda: {"x": 1},
    "{1: None}": lambda: {1: None},
    "set": lambda: {1, 2},
    "[[]]": lambda: [[]],
    "ragged": lambda: [[1, 2], [3]],
    "[None]": lambda: [None],
    "[text]": lambda: ["a", "b", "a"],
    "[object]": lambda: [object()],
    "[nan]": lambda: [float("nan"), 1.0],
    "[10**400]": lambda: [10**400, 1],
    "nested": endless,
    "within itself": within_itself,
    "range": lambda: range(3),
    "endless range": lambda: range(10**18),
    "generator": lambda: (i for i in range(3)),
    "map": lambda: map(str, range(3)),
    "class": lambda: Anything,
    "Exception": lambda: Exception,
    "object": object,
    "stubborn": Stubborn,
    "function": lambda: nothing,
    "module": lambda: np,
    "Ellipsis": lambda: ...,
    "slice": lambda: slice(None),
    "generator of numbers": lambda: np.random.default_rng(0),
    "old generator": lambda: np.random.RandomState(0),
    "NotImplemented": lambda: NotImplemented,
}

VALUES = {
    f"{kind} {name}": make
    for kind, makes in (("number", NUMBERS), ("text", TEXTS), ("array", ARRAYS), ("thing", THINGS))
    for name, make in makes.items()
}
"""Functions that make a value, by the name of its kind and its own."""
