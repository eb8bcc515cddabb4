"""A figure of the gallery: a function from a result to a sheet, with what it shows, and the scenario that it shows.

What a figure needs, it asks the result for; what is missing is the reason why it cannot be drawn.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hopattn.figures.choice import chosen
from hopattn.figures.sheet import LeftOut, Sheet, say
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import Choices
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.result import Result
from hopattn.scenario.running import run

Draw = Callable[[Result], Sheet]
Film = Callable[[Result], Sequence[Sheet]]


@dataclass(frozen=True)
class Figure:
    """A figure of the gallery.

    shows: in one sentence. scenario: the one from which the gallery draws it. draw: from a result to a sheet; raises
    `InvalidInput` with the reason why it cannot. film: its frames, for a figure that moves. research: whether it is in
    the appendix of the gallery, for specialists. source: gives the result by the name of the scenario, where that is
    not a run of it.
    """

    name: str
    shows: str
    scenario: str
    draw: Draw
    film: Film | None = None
    research: bool = False
    source: Callable[[str], Result] | None = None

    def result(self) -> Result:
        """The result from which the gallery draws this figure."""
        return self.source(self.scenario) if self.source else run(load_scenario(self.scenario))

    def sheet(self, result: Result, options: Mapping[str, Any] | None = None) -> Sheet:
        """The sheet of a result. options: as `chosen` takes them.

        Raises `InvalidInput` with the reason if there is none, and for an option that the result does not have.
        """
        return self._sheets(lambda shown: [self.draw(shown)], result, options)[0]

    def frames(self, result: Result) -> list[Sheet]:
        """The frames of a result; raises `InvalidInput` for a figure that does not move, and as `sheet` does."""
        if self.film is None:
            raise InvalidInput(f"figure '{self.name}' does not move; draw it as svg, pdf or png")
        self.sheet(result)  # which says what the result lacks
        return self._sheets(self.film, result)

    def _sheets(self, film: Film, result: Result, options: Mapping[str, Any] | None = None) -> list[Sheet]:
        """The sheets of a film of a result, in its language and with the title that is asked for, else with their own.

        The title of `[figure]` is for the figure that its `gallery` names. A refusal names the figure and the result.
        """
        shown = chosen(result, options)
        stated, lang = shown.figure.title, shown.figure.lang
        if stated and stated == result.figure.title and shown.figure.gallery not in (None, self.name):
            stated = None
        try:
            sheets = film(shown)
        except InvalidInput as error:
            raise InvalidInput(f"figure '{self.name}' cannot be drawn from '{result.name}': {error}") from None
        return [
            replace(one, title=(one.title or result.title) if stated is None else stated, lang=lang) for one in sheets
        ]

    def lacks(self, result: Result) -> str:
        """The reason why this figure cannot be drawn from a result; an empty text if it can."""
        try:
            self.draw(chosen(result))
        except InvalidInput as error:
            return str(error)
        return ""


FIGURES: dict[str, Figure] = {}
"""The figures by name, as their modules fill it."""


def figure(shows: str, scenario: str, film: Film | None = None, **about: Any) -> Callable[[Draw], Draw]:
    """Put a function into the gallery under its own name. The arguments are as in `Figure`."""

    def listed(draw: Draw) -> Draw:
        FIGURES[draw.__name__] = Figure(draw.__name__, shows, scenario, draw, film, **about)
        return draw

    return listed


def gallery() -> Choices[Figure]:
    """All figures by name."""
    import hopattn.figures.gallery  # noqa: F401 (its modules put their figures into the table)

    return Choices("figure", FIGURES)


def need(condition: object, reason: str) -> None:
    """Refuse to draw a figure, with the reason: what is missing, or that there would be nothing to see."""
    if not condition:
        raise InvalidInput(reason)


left_out = LeftOut


def below(name: str, text: str) -> str:
    """A title of a name, and below it what is told of it; one of them alone where the other is empty."""
    return say("{}\n{}", name, text) if name and text else name or text
