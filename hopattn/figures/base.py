"""The form of every figure: what it shows, which results it can draw, how it draws them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.result import Result, Run

Figure = Any  # matplotlib.figure.Figure, which is imported only when one is drawn


class Plot(ABC):
    """One figure of finished data. Its name is that of its file."""

    name: ClassVar[str]
    shows: ClassVar[str]
    """What is to be seen, in a sentence."""
    scenario: ClassVar[str]
    """The scenario that the gallery draws it from."""
    moves: ClassVar[bool] = False
    """Whether it has `frames` too."""

    @abstractmethod
    def lacks(self, result: Result) -> str:
        """What a result lacks that this figure would need, or an empty string where it can be drawn."""

    @abstractmethod
    def draw(self, figure: Figure, result: Result) -> None:
        """Draw a result into an empty figure."""

    def frames(self, result: Result) -> list[Figure]:
        """The figures of an animation; none where the figure does not move."""
        return []


def require_drawable(plot: Plot, result: Result) -> None:
    """Raise `InvalidInput` where a result has nothing for a figure."""
    if lack := plot.lacks(result):
        raise InvalidInput(f"figure '{plot.name}' cannot be drawn from '{result.name}': {lack}")


def tables(run: Run, what: str) -> Iterator[tuple[str, Labelled]]:
    """The arrays of one sort, such as `weights`, with the name of their place: `layer 1 head 1`."""
    for name, array in run.arrays.items():
        place, _, last = name.rpartition(" ")
        if last == what:
            yield place, array
