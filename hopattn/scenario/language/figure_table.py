"""The table `[figure]` of a scenario: what its figures show, and the names that they give to runs."""

from typing import Annotated

from pydantic import Field

from hopattn.scenario.language.fields import Count, Table, Text


class FigureTable(Table):
    """The content of the figures of a scenario. Every key may be left out."""

    title: str | None = None
    """The title above each figure, in place of the scenario's; an empty text leaves it out."""
    axes: Annotated[list[Text], Field(min_length=2, max_length=2)] | None = None
    """The two axes of the plane in which words are drawn."""
    highlight: list[Text] = Field(default_factory=list)
    """The words that stand out. By default those of the expectations."""
    names: list[Text] = Field(default_factory=list)
    """The names of the runs in figures, in their order: first the scenario as written, then its variants."""
    run: Text | None = None
    """The only run to draw, by the name of its variant or by its name in `names`."""
    layer: Count | None = None
    """The only layer to draw."""
    head: Count | None = None
    """The only head to draw, of each layer."""
    query: Text | None = None
    """The query to draw, where a figure shows one. By default a word of `highlight`, or else the last query."""
