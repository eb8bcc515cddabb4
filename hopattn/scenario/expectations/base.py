"""The base classes of expectations: the runs that they refer to, and the comparison of numbers."""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from inspect import get_annotations
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import Field

from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.writing import WRITTEN_AS_0, shown
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.language.syntax_faults import comma_hint
from hopattn.scenario.language.table import Number, Table, Text, TextOrTexts, Tolerance, need, refusal

EXACT = 1e-9
"""The largest difference of a computed number from `is` if `within` is not given: rounding alone."""

FEW_DIGITS, DIGITS, ALL_DIGITS = 4, 6, 12
"""The number of digits shown: enough to compare a number, to read it, and to tell two apart that `DIGITS` do not."""


class Verdict(NamedTuple):
    """The verdict on an expectation: whether it was met, both values as text, and a note on the printed number.

    margin: by how much a comparison of cosines holds; infinite where no cosines are compared.
    """

    met: bool
    expected: str
    computed: str
    note: str = ""
    margin: float = math.inf


class Expectation(Table):
    """The base of all expectations."""

    variant: TextOrTexts | None = None
    """The variant or variants that it refers to; by default the scenario as written."""

    @classmethod
    def leading(cls) -> tuple[str, ...]:
        """The keys that distinguish this class from the others: the first field that it declares."""
        return (str(cls.key_of(next(iter(get_annotations(cls))))),)

    @property
    def variants(self) -> list[str]:
        """The names of the runs that it refers to; the scenario as written has the empty name."""
        return texts_of(self.variant) or [""]

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it names; figures highlight them."""
        return ()

    @abstractmethod
    def judge(self, arrays: Arrays) -> Verdict:
        """The verdict on a finished run; raises `Refused` for words, labels and arrays that the run does not have."""

    @abstractmethod
    def sentence(self) -> str:
        """The expectation in words."""


class Numeric(Expectation):
    """An expectation of a number or of a table of numbers."""

    is_: Annotated[Any, Field(alias="is")]
    """The right number or numbers."""
    stated: Any = None
    """The number or numbers that the source prints."""
    within: Tolerance = EXACT
    """The largest difference that is allowed for each number."""
    asked: bool = False
    """Whether a practice problem asks for it; needs [practice]."""
    erratum: Text | None = None
    """The reason why the source is wrong; the printed number must then indeed be off."""

    @abstractmethod
    def answer(self, arrays: Arrays) -> Labelled:
        """The number, vector or matrix of a finished run, with the labels of its rows and columns.

        Raises `Refused` for words, labels and arrays that the run does not have.
        """

    def judge(self, arrays: Arrays) -> Verdict:
        answer, shape = self.answer(arrays), shape_of(self.is_)
        values, columns = answer.values, next(reversed(answer.labels), ())
        if len(shape) == 1 and values.ndim == 2 and 1 in values.shape:  # a single row or column
            values = values.ravel()
        need(values.shape == shape, "is", lambda: self.why_unfit(values.shape, columns, arrays.parts))
        lack = "needs `stated`, the number that the source prints"
        need(self.erratum is None or self.stated is not None, "erratum", lack)
        right, note, agrees = np.asarray(self.is_, dtype=float), "", self.erratum is None
        if self.stated is not None:
            if (printed := shape_of(self.stated)) != shape:
                hint = comma_hint(self.stated, max(shape[-1:], default=0))
                raise refusal("stated", f"has shape {printed}, but `is` has shape {shape}{hint}")
            agrees = all(map(rounds_to, values.ravel(), np.ravel(self.stated)))
            note = say(f"the source prints {{}}, which {'agrees' if agrees else 'is off'}", shown(self.stated))
            note += f": {self.erratum}" if self.erratum else ""
        off = float(np.max(np.abs(values - right)))
        near = equal(off, 0, self.within)
        met = near and agrees == (self.erratum is None)
        rounding = WRITTEN_AS_0 * min(1.0, float(np.abs(right).max()) or 1.0)
        texts = told_apart(met, (self.is_, values.tolist()), partial(shown, rounding=rounding))
        close = f" ± {shown(self.within, rounding=0)}" if self.within > EXACT else ""
        if not near:
            how_far = say("off by up to {}" if values.ndim else "off by {}", in_comma(f"{off:.2g}".removeprefix("0")))
            note = f"{note}; {how_far}" if note else how_far
        return Verdict(met, f"{texts[0]}{close}", texts[1], note)

    def why_unfit(self, shape: tuple[int, ...], columns: Sequence[str], parts: Mapping[str, slice]) -> str:
        """Why `is` does not fit a result of this shape. columns: the labels of its last axis. parts: as of `Arrays`."""
        hint = comma_hint(self.is_, shape[-1]) if shape else ""
        return f"has shape {shape_of(self.is_)}; the matrix has shape {shape}{hint}"


class Value(Numeric):
    """An expectation of one number."""

    is_: Annotated[Number, Field(alias="is")]
    """The right value."""
    stated: Number | None = None
    """The number that the source prints; it must be the right value, rounded to its decimals (zeros at its end do
    not count)."""


def told_apart(met: bool, pair: tuple[Any, Any], write: Callable[[Any, int], str]) -> list[str]:
    """The expected and the computed value as texts; with more digits where they differ, but not in the first `DIGITS`.

    write: writes a value with so many digits.
    """
    texts = [write(value, DIGITS) for value in pair]
    return texts if met or texts[0] != texts[1] else [write(value, ALL_DIGITS) for value in pair]


def rounds_to(value: float, printed: float, decimals: int | None = None) -> bool:
    """Whether a value gives a printed number when it is rounded to the decimals of that number.

    decimals: how many are printed; by default as many as the number has, without zeros at its end.

    >>> rounds_to(0.7071, 0.71), rounds_to(0.7071, 0.7), rounds_to(0.7071, 0.72), rounds_to(0.7071, 0.7, 2)
    (True, True, False, False)
    """
    if decimals is None:
        decimals = -min(int(Decimal(repr(float(printed))).normalize().as_tuple().exponent), 0)
    half_unit = 0.5 * 10.0**-decimals
    return abs(value - printed) <= half_unit * (1 + 1e-9)


def equal(value: float, other: float, within: float) -> bool:
    """Whether two numbers differ by no more than a tolerance, up to its rounding."""
    return abs(value - other) <= within * (1 + 1e-12)


def texts_of(choice: str | list[str] | None) -> list[str]:
    """The texts of a key that holds one, several or none."""
    return [choice] if isinstance(choice, str) else choice or []


def shape_of(values: Any) -> tuple[int, ...]:
    """The shape of nested lists; a list of rows of unequal length has the shape (n, -1)."""
    if not isinstance(values, list):
        return ()
    inner = {shape_of(value) for value in values}
    return (len(values), *inner.pop()) if len(inner) == 1 else (len(values), -1)
