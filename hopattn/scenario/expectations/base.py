"""What all expectations share: which runs they speak of, and how numbers are compared."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from hopattn.foundation.labelled import Labelled
from hopattn.scenario.explain.arithmetic import ROUNDING
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Number, Problem, Table, Text, TextOrTexts, Tolerance
from hopattn.scenario.language.lines import Path

EXACT = 1e-9
"""How far a computed number may lie from `is` where `within` is not given: rounding, and nothing more."""

FEW_DIGITS, DIGITS, ALL_DIGITS = 4, 6, 12
"""How many digits are shown of a number: enough to compare it, to read it, and to see why it was missed."""

Arrays = Mapping[str, Labelled]


class Verdict(NamedTuple):
    """Whether an expectation was met, what was expected and what was computed, and a note on what the source prints."""

    met: bool
    expected: str
    computed: str
    note: str = ""


class Expectation(Table):
    """What all expectations share."""

    leading: ClassVar[tuple[str, ...]] = ()
    """The keys by which it is told from the others; none for what is only a base."""

    variant: TextOrTexts | None = None
    """The variant or variants that it speaks of; without it, of the scenario as it is written."""

    @property
    def variants(self) -> list[str]:
        """The runs that it speaks of; the scenario as it is written has the empty name."""
        return [""] if self.variant is None else [self.variant] if isinstance(self.variant, str) else self.variant

    @abstractmethod
    def problems(self, layout: Layout, path: Path) -> Iterator[Problem]:
        """The words in it that the run will not know."""

    @abstractmethod
    def judge(self, arrays: Arrays, layout: Layout) -> Verdict:
        """The verdict on a finished run."""

    @abstractmethod
    def sentence(self) -> str:
        """What is expected, in words."""


class Numeric(Expectation):
    """An expectation of a number or of a table of numbers."""

    within: Tolerance = EXACT
    """How far off each number may be."""
    erratum: Text | None = None
    """Why the source is wrong: then the printed number must indeed be off."""

    def compare(self, computed: Any, expected: Any, stated: Any) -> Verdict:
        """Hold a number or table against `is` and against what the source prints."""
        values = np.asarray(computed, dtype=float)
        off = float(np.max(np.abs(values - np.asarray(expected, dtype=float))))
        met, note = off <= self.within * (1 + 1e-12), ""
        if stated is not None:
            agrees = all(rounds_to(value, text) for value, text in zip(values.ravel(), _flat(stated), strict=True))
            met = met and agrees != (self.erratum is not None)
            told = "agrees" if agrees else "is off"
            note = f"the source prints {shown(stated)}, which {told}" + (f": {self.erratum}" if self.erratum else "")
        close = f" ± {self.within:g}" if self.within > EXACT else ""
        digits = DIGITS if met else ALL_DIGITS
        return Verdict(met, f"{shown(expected, digits)}{close}", shown(values.tolist(), digits), note)

    def stated_problems(self, expected: Any, stated: Any, path: Path) -> Iterator[Problem]:
        """An erratum without what the source prints, or a printed table of another shape."""
        if self.erratum is not None and stated is None:
            yield Problem((*path, "erratum"), "needs `stated`, the number that the source prints")
        if stated is not None and shape_of(stated) != shape_of(expected):
            yield Problem((*path, "stated"), f"has shape {shape_of(stated)}, but `is` has shape {shape_of(expected)}")


class Value(Numeric):
    """An expectation of one number."""

    is_: Annotated[Number, Field(alias="is")]
    """The right value."""
    stated: Number | None = None
    """The number that the source prints; it must be the right value, rounded to its decimals (zeros at its end do
    not count)."""


def rounds_to(value: float, printed: float) -> bool:
    """Whether a value, rounded to the decimals of a printed number, gives that number.

    >>> rounds_to(0.7071, 0.71), rounds_to(0.7071, 0.7), rounds_to(0.7071, 0.72)
    (True, True, False)
    """
    exponent = Decimal(repr(float(printed))).normalize().as_tuple().exponent
    half_unit = 0.5 * 10.0 ** min(int(exponent), 0)
    return abs(value - printed) <= half_unit * (1 + 1e-9)


def _flat(values: Any) -> list[float]:
    return [float(value) for value in np.asarray(values, dtype=float).ravel()]


def shape_of(values: Any) -> tuple[int, ...]:
    """The shape of nested lists; a list of unequal rows has the shape (n, -1)."""
    if not isinstance(values, list):
        return ()
    inner = {shape_of(value) for value in values}
    return (len(values), *inner.pop()) if len(inner) == 1 else (len(values), -1)


def shown(values: Any, digits: int = DIGITS) -> str:
    """A number or nested lists of numbers as text.

    >>> shown([1.0, 0.25])
    '(1, 0.25)'
    """
    if isinstance(values, list):
        return "(" + ", ".join(shown(value, digits) for value in values) + ")"
    return f"{0.0 if abs(values) < ROUNDING else values:.{digits}g}"
