"""The base classes of expectations: the runs that they refer to, and the comparison of numbers."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from hopattn.foundation.writing import WRITTEN_AS_0, shown
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Number, Problem, Table, Text, TextOrTexts, Tolerance
from hopattn.scenario.language.lines import Path

EXACT = 1e-9
"""The largest difference of a computed number from `is` if `within` is not given: rounding alone."""

FEW_DIGITS, DIGITS, ALL_DIGITS = 4, 6, 12
"""The number of digits shown: enough to compare a number, to read it, and to tell two apart that `DIGITS` do not."""

Arrays = Mapping[str, Labelled]


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

    leading: ClassVar[tuple[str, ...]] = ()
    """The keys that distinguish this class from the others; none for a base class."""

    variant: TextOrTexts | None = None
    """The variant or variants that it refers to; by default the scenario as written."""

    @property
    def variants(self) -> list[str]:
        """The names of the runs that it refers to; the scenario as written has the empty name."""
        return [""] if self.variant is None else [self.variant] if isinstance(self.variant, str) else self.variant

    @property
    def words(self) -> tuple[str, ...]:
        """The words that it names; figures highlight them."""
        return ()

    @abstractmethod
    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        """Words, labels and arrays in it that the run does not have; path: its place in the file."""

    @abstractmethod
    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        """The verdict on a finished run."""

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
    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        """The number, vector or matrix of a finished run, with the labels of its rows and columns."""

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        return self.compare(self.answer(arrays, layout).values, self.is_, self.stated)

    def compare(self, computed: Any, expected: Any, stated: Any) -> Verdict:
        """The verdict on a number or table.

        expected: the value of `is`. stated: the number or table that the source prints, or None.
        """
        values = np.asarray(computed, dtype=float)
        off = float(np.max(np.abs(values - np.asarray(expected, dtype=float))))
        met, note = off <= self.within * (1 + 1e-12), ""
        if stated is not None:
            agrees = all(rounds_to(value, text) for value, text in zip(values.ravel(), _flat(stated), strict=True))
            met = met and agrees != (self.erratum is not None)
            verb = "agrees" if agrees else "is off"
            note = f"the source prints {shown(stated)}, which {verb}" + (f": {self.erratum}" if self.erratum else "")
        close = f" ± {self.within:g}" if self.within > EXACT else ""
        rounding = WRITTEN_AS_0 * min(1.0, max(map(abs, _flat(expected)), default=0.0) or 1.0)
        texts = told_apart(met, lambda digits: [shown(of, digits, rounding) for of in (expected, values.tolist())])
        if off > self.within * (1 + 1e-12):
            how_far = f"off by {'up to ' * bool(values.ndim)}{off:.2g}".replace(" 0.", " .")
            note = f"{note}; {how_far}" if note else how_far
        return Verdict(met, f"{texts[0]}{close}", texts[1], note)

    def stated_problems(self, expected: Any, stated: Any, path: Path) -> Iterator[Problem]:
        """An erratum without the printed number, or a printed table of another shape than `is`."""
        if self.erratum is not None and stated is None:
            yield Problem((*path, "erratum"), "needs `stated`, the number that the source prints")
        if stated is not None and shape_of(stated) != shape_of(expected):
            shapes = f"has shape {shape_of(stated)}, but `is` has shape {shape_of(expected)}"
            yield Problem((*path, "stated"), shapes + comma_hint(stated, max(shape_of(expected)[-1:], default=0)))


class Value(Numeric):
    """An expectation of one number."""

    is_: Annotated[Number, Field(alias="is")]
    """The right value."""
    stated: Number | None = None
    """The number that the source prints; it must be the right value, rounded to its decimals (zeros at its end do
    not count)."""


def told_apart(met: bool, written: Callable[[int], list[str]]) -> list[str]:
    """The expected and the computed value as texts; with more digits where they differ, but not in the first `DIGITS`.

    written: gives both with so many digits.
    """
    texts = written(DIGITS)
    return texts if met or texts[0] != texts[1] else written(ALL_DIGITS)


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


def _flat(values: Any) -> list[float]:
    return [float(value) for value in np.asarray(values, dtype=float).ravel()]


def shape_of(values: Any) -> tuple[int, ...]:
    """The shape of nested lists; a list of rows of unequal length has the shape (n, -1)."""
    if not isinstance(values, list):
        return ()
    inner = {shape_of(value) for value in values}
    return (len(values), *inner.pop()) if len(inner) == 1 else (len(values), -1)
