"""The base class of every figure: what it shows, which results it can draw, how it draws them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import registered_name
from hopattn.results.labelled import Labelled
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.result import Result, Run
from hopattn.scenario.running import run

Figure = Any  # matplotlib.figure.Figure, which is imported only when a figure is drawn
Axes = Any  # matplotlib.axes.Axes
Draw = Callable[[Figure], None]  # draws into the empty figure that it gets
Part = TypeVar("Part")


MOST_CELLS = 1000
"""The longest side of a matrix in a figure, in cells: beyond it, a cell is smaller than a point of the screen."""


class Around(NamedTuple):
    """The texts and signs around a panel in axes of the user: its title, and its signs with their names."""

    title: str = ""
    keys: Sequence[Any] = ()
    names: Sequence[str] = ()


class Plot(ABC):
    """One figure of finished data."""

    name: ClassVar[str]
    """That of its file: the class name in snake case, where the class does not state another."""
    shows: ClassVar[str]
    """The content of the figure in one sentence."""
    scenario: ClassVar[str]
    """The scenario from which the gallery draws this figure."""
    moves: ClassVar[bool] = False
    """Whether the figure also has `frames`."""
    of_one_run: ClassVar[bool] = False
    """Whether it draws the first run alone: for axes of the user, one of several has to be chosen."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = registered_name(cls)

    @abstractmethod
    def lacks(self, result: Result) -> str:
        """The reason why this figure cannot be drawn from a result; an empty string if it can."""

    @abstractmethod
    def draw(self, figure: Figure, result: Result) -> None:
        """Draw a result into an empty figure."""

    def result(self) -> Result:
        """The result from which the gallery draws this figure."""
        return run(load_scenario(self.scenario))

    def panel(self, ax: Axes, result: Result) -> Around:
        """Draw a result into axes, without the figure's title and legend, which it gives back.

        Raises `InvalidInput` for a figure that has several panels, or has them for this result.
        """
        raise InvalidInput(f"figure '{self.name}' has several panels: give it a Figure or a SubFigure as `ax`")

    def frames(self, result: Result) -> list[Draw]:
        """The frames of the animation, each as a function that draws it; empty for a figure that does not move."""
        return []


def too_many_cells(matrices: Iterable[tuple[str, Labelled]]) -> str:
    """The reason why a figure cannot draw these matrices cell by cell; an empty string if it can."""
    largest = max((array.values.shape for _, array in matrices), key=max, default=(0, 0))
    if max(largest) <= MOST_CELLS:
        return ""
    return f"it has {largest[0]:,} × {largest[1]:,} cells; at most {MOST_CELLS:,} × {MOST_CELLS:,} can be distinguished"


def require_drawable(plot: Plot, result: Result) -> None:
    """Raise `InvalidInput` if a figure cannot be drawn from a result."""
    if lack := plot.lacks(result):
        raise InvalidInput(f"figure '{plot.name}' cannot be drawn from '{result.name}': {lack}")


def require_one_run(plot: Plot, result: Result) -> None:
    """Raise `InvalidInput` if a figure of one run could draw several runs of a result."""
    if plot.of_one_run:
        only([run for run in result.runs if not plot.lacks(replace(result, runs=(run,)))], "runs", "run")


def only(parts: Sequence[Part], what: str, option: str) -> Part:
    """The only part of a figure that has one panel for each part.

    Raises `InvalidInput` if there are several. what: their name, such as "heads". option: the option that chooses one.
    """
    if len(parts) > 1:
        raise InvalidInput(f"axes hold one panel, and there are {len(parts)} {what}: choose one with {option}")
    return parts[0]


def arrays_of(run: Run) -> dict[str, Labelled]:
    """The arrays of a run by name. Those of a task's first sequence lose the prefix `sequence 1`."""
    return {name.removeprefix("sequence 1 "): array for name, array in run.arrays.items()}


def between_texts(run: Run) -> list[tuple[str, Labelled]]:
    """The weights of each head whose queries come from another text than its keys, with the name of its place."""
    square = [(place, weights) for place, weights in tables(run, "weights") if weights.dims == ("query", "key")]
    return [(place, weights) for place, weights in square if weights.labels[0] != weights.labels[1]]


def mask_of(run: Run, place: str, weights: Labelled) -> np.ndarray:
    """Which keys the mask of a head lets through, shaped as the weights; all where the head has no mask.

    A column behind those of the keys, the rest that a sink takes, is never masked.
    """
    mask = run.arrays.get(f"{place} mask".strip())
    allowed = np.ones(weights.values.shape, bool)
    if mask is not None:
        allowed[..., : mask.values.shape[-1]] = mask.values
    return allowed


def tables(run: Run, kind: str) -> Iterator[tuple[str, Labelled]]:
    """The arrays of one kind, such as `weights`, each with the name of its place, such as `layer 1 head 1`."""
    yield from ((name.place, array) for name, array in run.find(kind))
