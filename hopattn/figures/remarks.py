"""Remarks on a figure for its author: how to choose what it leaves out, and what has no room in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

CHOICES = ("run", "layer", "head", "query", "axes")
"""The keys of `[figure]` that choose a part of a result."""


class LeftOut(NamedTuple):
    """How many parts of a kind a figure shows, of how many. option: the option that chooses others."""

    shown: int
    of: int
    what: str
    option: str

    @property
    def options(self) -> list[str]:
        """The names under which a command takes the option, which may be several, such as "run or head"."""
        return [f"figure.{name}" if name in CHOICES else name for name in self.option.split(" or ") if name]

    def __str__(self) -> str:
        return f"{self.shown} of {self.of} {self.what}"


class Fault(NamedTuple):
    """The texts of a figure that lie over others or that its edges cut; of neither, a panel that texts leave no room.

    larger: a size in which they have room, as `--size` takes it; empty where none was found. narrowing: the options
    with which the figure shows less.
    """

    overlapping: int
    cut: int
    size: str
    larger: str
    narrowing: tuple[str, ...]

    def line(self, resizable: bool) -> str:
        """The fault in words, with its cure. resizable: whether there is an option --size."""
        counts = (self.overlapping, "overlap", "overlaps"), (self.cut, "are cut", "is cut")
        found = [f"{n} text{'s' * (n > 1)} {many if n > 1 else one}" for n, many, one in counts if n]
        cures = f"--size {self.larger}" if self.larger and resizable else "", ", ".join(self.narrowing)
        cure = ", or ".join(filter(None, cures))
        return f"{' and '.join(found) or 'a panel has no room'} at {self.size}" + (f"; try {cure}" if cure else "")


@dataclass
class Remarks:
    """The remarks on a figure. parts: those that it can leave out."""

    parts: dict[LeftOut, None] = field(default_factory=dict)
    fault: Fault | None = None

    def advice(self) -> str:
        """The parts that the figure leaves out, and the options that choose them; empty where no option does."""
        chosen = [part for part in self.parts if part.shown < part.of and part.option]
        options = dict.fromkeys(option for part in chosen for option in part.options)
        return f"{', '.join(map(str, chosen))}; choose with {', '.join(options)}" if chosen else ""

    def narrowing(self) -> tuple[str, ...]:
        """The options with which the figure would show fewer parts. A plane has two axes, whichever they are."""
        several = [part for part in self.parts if part.shown > (2 if part.option == "axes" else 1)]
        return tuple(dict.fromkeys(option for part in several for option in part.options))

    def lines(self, resizable: bool = True) -> list[str]:
        """The remarks as sentences, one line each. resizable: whether there is an option --size."""
        return [line for line in (self.advice(), self.fault.line(resizable) if self.fault else "") if line]

    def add(self, other: "Remarks") -> None:
        """Add the remarks of another drawing of the figure, such as a frame; of two faults the worse one stays."""
        self.parts |= other.parts
        if other.fault and (self.fault is None or other.fault[:2] > self.fault[:2]):
            self.fault = other.fault


_collecting: ContextVar[Remarks | None] = ContextVar("collecting", default=None)


@contextmanager
def collected() -> Iterator[Remarks]:
    """A context whose object gets the remarks on all that is drawn in it. Without one, nobody hears them."""
    remarks = Remarks()
    token = _collecting.set(remarks)
    try:
        yield remarks
    finally:
        _collecting.reset(token)


def remark(remarks: Remarks) -> None:
    """Give remarks to the context that collects them."""
    if (collecting := _collecting.get()) is not None:
        collecting.add(remarks)
