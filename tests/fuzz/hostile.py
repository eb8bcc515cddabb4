"""Values that hardly any parameter is meant for, by the Python that makes them: each is made anew for each call."""

# ruff: noqa: F401 - the expressions name what is imported
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from tests.fuzz.values import nested

ROWS = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])


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


class NamedNumber(int):
    """A whole number of a class of its own."""


def nothing(*_, **__):
    """A function that takes any arguments."""


def structured():
    return np.zeros(2, dtype=[("a", float), ("b", int)])


def within_itself():
    values = [1.0]
    values.append(values)
    return values


EXPRESSIONS = """
0; -1; 1; 3; 10**9; 10**18; 10**30; -(10**30); 10**400; 0.5; float('nan'); float('inf'); float('-inf'); 1e308; 5e-324
True; 1j; np.int64(2); np.float32('nan'); Decimal('NaN'); Fraction(1, 3); NamedNumber(2)
''; 'x'; 'softmax'; b'x'; '\\x1b[31m'; '\\ud800'; 'a\\0b'; 'a' * 10**5; Path('nowhere'); Path(); '/dev/null'
np.array(1.0); np.zeros(0); np.zeros((0, 4)); np.zeros((3, 0)); np.ones(4); np.ones((1, 1)); np.ones((2, 2, 2, 2))
np.full((2, 4), np.nan); np.full((2, 4), np.inf); np.zeros((2, 4)); np.full((2, 4), 1e308); np.full((2, 4), 5e-324)
ROWS.astype('float16'); ROWS.astype('float32'); ROWS.astype('longdouble'); ROWS.astype('int8'); np.ones((2, 4), 'uint8')
ROWS > 0; ROWS.astype('>f8'); ROWS[::-1, ::-1]; np.broadcast_to(1.0, (2, 4)); ROWS.view(np.matrix); ROWS * 1j
np.ma.masked_array(ROWS, ROWS > 0); np.ma.masked_all((2, 4)); np.array([[None, 1], [2, 'x']], dtype=object)
np.array(['a', 'b']); np.array([b'a', b'b']); np.array(['2000-01-01', 'NaT'], dtype='datetime64[D]')
structured(); structured().view(np.recarray)
None; []; (); {}; {'x': 1}; {1: None}; {1, 2}; [[]]; [[1, 2], [3]]; [None]; ['a', 'b', 'a']; [object()]
[float('nan'), 1.0]; [10**400, 1]; nested(200); within_itself(); range(3); range(10**18); (i for i in range(3))
map(str, range(3)); Anything; Exception; object(); Stubborn(); nothing; np; ...; slice(None); NotImplemented
np.random.default_rng(0); np.random.RandomState(0)
"""
VALUES = {
    text: partial(eval, text, globals()) for line in EXPRESSIONS.strip().splitlines() for text in line.split("; ")
}
"""Functions that make a value, by its expression."""
NOT_FINITE = ("nan", "NaN", "inf", "masked", "within_itself")
"""Words in the expressions of values that are not finite numbers."""
