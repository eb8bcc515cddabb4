"""A number of a text beside the right one."""

from collections.abc import Sequence
from typing import NamedTuple

from hopattn.notes.known import Value
from hopattn.notes.numbers import Printed


class Claim(NamedTuple):
    """A number that a text gives for something, compared.

    line: its line. about: the words beside it. stands: the number as it stands there. right: the right number in as
    many decimals, or those that it may be; empty where the number agrees. origin: scenario and array, or "softmax" for
    a row of weights that must sum to 1, or the formula if it is inferred from the text; empty where the number agrees.
    """

    line: int
    about: str
    stands: str
    right: str = ""
    origin: str = ""
    is_inferred: bool = False

    @property
    def sentence(self) -> str:
        """The finding in words."""
        if not self.origin:
            return f"{self.about}: {self.stands}, as it should"
        if self.origin == "softmax":
            return f"{self.about}: {self.stands}; the weights of a softmax sum to {self.right}"
        if self.is_inferred:
            return f"{self.about}: {self.stands}; {self.right} is right ({self.origin})"
        return f"{self.about}: {self.stands}; the run gives {self.right} ({self.origin})"


def compared(line: int, about: str, printed: Printed, values: Sequence[Value], accepted: Sequence[Value] = ()) -> Claim:
    """A printed number beside those that it may be, or that are accepted: it agrees if it is one of them, rounded.

    What these may be off themselves counts for a unit of its last decimal at most.
    """
    allowed = [(value.number, min(value.room, 2 * printed.room)) for value in (*values, *accepted)]
    if any(
        printed.agrees(right) or abs(right - printed.value) <= printed.room * (room > 0) + room
        for right, room in allowed
    ):
        return Claim(line, about, printed.text)
    right: dict[str, str] = {}
    for value in sorted(values, key=lambda value: abs(value.number - printed.value)):
        right.setdefault(printed.written(value.number), f"{value.run}: {value.array}")
    return Claim(line, about, printed.text, " or ".join([*right][:MOST]), "; ".join([*right.values()][:MOST]))


MOST = 3
"""The most right numbers that a finding gives."""
