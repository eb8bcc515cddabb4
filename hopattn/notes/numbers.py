"""Numbers as a text prints them: .6, 0,6, −.6, 2/3, 60 %."""

import math
import re
from decimal import Decimal
from typing import NamedTuple

from hopattn.foundation.writing import number
from hopattn.scenario.expectations.base import EXACT, rounds_to

NUMBER = r"[+\-−–]?(?:\d+\s?/\s?\d+|(?:\d+(?:[.,]\d+)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\s?\\?%)?"
"""A number in a regular expression."""
_PARTS = re.compile(
    r"([+\-−–]?)\s?(∞|inf|\d*[.,]?\d+(?:[eE][+\-−]?\d+)?)\.?(?:\s?/\s?(\d*\.?\d+))?(\s?\\?%)?", re.ASCII
)
_THOUSANDS = re.compile(r"[1-9]\d{0,2},\d{3}")
_SEPARATORS = (r"\s*;\s*", r"\s*,\s+", r"\s*,\s*", r"\s+")
"""Between the numbers of a vector; the first that gives as many as are wanted, so that 0,6 may be one number."""


class Printed(NamedTuple):
    """A number of a text. decimals: those that are printed, of percents two more; None for a fraction."""

    text: str
    value: float
    decimals: int | None

    @classmethod
    def parse(cls, text: str) -> "Printed | None":
        """The number that a text is; None for another text, and for 1,000, which may be 1 or a thousand.

        >>> Printed.parse("−.60"), Printed.parse("0,6").value, Printed.parse("1/4").value, Printed.parse("1,000")
        (Printed(text='−.60', value=-0.6, decimals=2), 0.6, 0.25, None)
        >>> Printed.parse("1.").value, Printed.parse("− ∞").value, Printed.parse("2.03/4")
        (1.0, -inf, Printed(text='2.03/4', value=0.5075, decimals=2))
        """
        text = text.strip()
        found = _PARTS.fullmatch(text)
        if found is None or len(text) > 40 or _THOUSANDS.fullmatch(found[2]) or not float(found[3] or 1):
            return None
        sign = -1 if found[1] in tuple("-−–") else 1
        if found[2] in ("∞", "inf"):
            return cls(text, sign * math.inf, None)
        exact = sign * Decimal(found[2].replace(",", ".").replace("−", "-"))
        if found[4]:
            exact = exact.scaleb(-2)
        exponent = exact.as_tuple().exponent
        if not isinstance(exponent, int) or abs(exact.adjusted()) > 15:
            return None
        decimals = max(0, -exponent, len((found[3] or "").partition(".")[2]))
        return cls(text, float(exact) / float(found[3] or 1), None if found[3] and not decimals else decimals)

    @property
    def room(self) -> float:
        """How far the right value may lie from it: half a unit of its last decimal."""
        return EXACT if self.decimals is None else 0.5 * 10.0**-self.decimals

    def agrees(self, value: float) -> bool:
        """Whether a value gives this number when it is rounded to its decimals."""
        if self.decimals is None:
            return value == self.value or abs(value - self.value) <= EXACT
        return rounds_to(value, self.value, self.decimals)

    def written(self, value: float) -> str:
        """A value in the form of this number: as many decimals, a comma or a point, a leading zero or none.

        >>> Printed.parse(".60").written(0.8435), Printed.parse("0,6").written(-0.8), Printed.parse("60 %").written(0.8)
        ('.84', '−0,8', '80 %')
        """
        percents = self.text.endswith("%")
        if self.decimals is None or "e" in self.text.lower():
            return number(value)
        scaled, decimals = abs(value) * (100 if percents else 1), max(0, self.decimals - 2 * percents)
        text = f"{scaled:.{decimals}f}" if decimals or percents or scaled % 1 < 1e-9 else f"{scaled:.2f}"
        sign = "−" if value < 0 and float(text) else ""
        if re.match(r"[+\-−–]?\.", self.text) and float(text):
            text = text.removeprefix("0")
        return sign + (text.replace(".", ",") if "," in self.text else text) + (" %" if percents else "")


def in_list(text: str, length: int) -> list[tuple[int, Printed | None]]:
    """The entries of a list of numbers, each with its place in the text; none if it does not have this length.

    >>> [[one.value for _, one in in_list(text, 2)] for text in ("0,6", "0,6, 0,8", ".6 .8", "1, 2, 3")]
    [[0.0, 6.0], [0.6, 0.8], [0.6, 0.8], []]
    """
    for separator in _SEPARATORS:
        parts = list(re.finditer(rf"(?:(?!{separator})[\s\S])+", text))
        if len(parts) == length:
            return [(part.start(), Printed.parse(part[0])) for part in parts]
    return []
