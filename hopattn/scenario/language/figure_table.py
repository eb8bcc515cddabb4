"""The table `[figure]` of a scenario: what its figures show, and the names that they give to runs."""

from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath
from pkgutil import iter_modules
from typing import Annotated, Literal

from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Count, Problem, Table, Text
from hopattn.scenario.language.lines import Path

FIGURES = FilePath(__file__).parents[2] / "figures" / "gallery"
"""The folder of the figures, each in the file of its name."""


def figure_names() -> list[str]:
    """The names of all figures; no figure is imported, so that a scenario is read without matplotlib."""
    return [module.name for module in iter_modules([str(FIGURES)])]


class FigureTable(Table):
    """The content of the figures of a scenario. Every key may be left out."""

    title: str | None = None
    """The title above each figure, instead of the scenario's; an empty text leaves it out."""
    gallery: Text | None = None
    """The figure that shows the scenario best, by its name: `hopattn.plot` draws it unless another one is named, and so
    do notebooks and the gallery. By default the first that fits of a list."""
    axes: Annotated[list[Text], Field(min_length=2, max_length=2)] | None = None
    """The two axes of the plane in which words are drawn."""
    highlight: list[Text] = Field(default_factory=list)
    """The words that stand out. By default those of the expectations."""
    lang: Literal["en", "de"] = "en"
    """The language of labels and notes. In German, numbers have a decimal comma; words that have no German form, and
    those of the scenario, stay as they are."""
    names: list[Text] = Field(default_factory=list)
    """The names of the runs in figures, in their order: first the scenario as written, then its variants. A single name
    is that of the scenario as written."""
    run: Text | None = None
    """The only run to draw, by the name of its variant or by its name in `names`."""
    layer: Count | None = None
    """The only layer to draw."""
    head: Count | None = None
    """The only head to draw, of each layer."""
    query: Text | None = None
    """The query to draw, where a figure shows one. By default a word of `highlight`, or else the last query."""

    def why_wrong_names(self, n_runs: int) -> str:
        """Why there are too many or too few names for the runs; empty if there are not."""
        if len(self.names) in (0, 1, n_runs):
            return ""
        each = f", for the scenario as written, or {n_runs}, one for each run" if n_runs > 1 else ""
        return f"holds {len(self.names)} names; expected 1{each}"

    def without_names(self, runs: Sequence[str]) -> "FigureTable":
        """The table without `names`; a run that is drawn alone by such a name has the one of its variant.

        runs: the names of the runs, the empty name first.
        """
        by_name = dict(zip(self.names, (name or "as written" for name in runs), strict=False))
        return self.model_copy(update={"names": [], "run": by_name.get(self.run or "", self.run)})

    def problems(self, runs: Sequence[str], layouts: Sequence[ArrayLayout]) -> Iterator[Problem]:
        """Names of figures that do not exist, and of runs, words and heads that the scenario does not have.

        runs: the names of the runs, the empty name first. layouts: those of the runs; a word may be in any of them.
        """
        if message := self.why_wrong_names(len(runs)):
            yield Problem(("figure", "names"), message)
        if self.gallery is not None and self.gallery not in (figures := figure_names()):
            yield Problem(("figure", "gallery"), unknown(self.gallery, figures))
        yield from duplicate_problems(self.names, ("figure", "names"), "; each run has a name of its own")
        known = [name or "as written" for name in runs] + self.names
        if self.run is not None and self.run not in known:
            yield Problem(("figure", "run"), unknown(self.run, dict.fromkeys(known)))
        yield from duplicate_problems(self.axes or [], ("figure", "axes"), "; a plane has two axes")
        words: list[tuple[Path, str]] = [(("figure", "highlight", i), word) for i, word in enumerate(self.highlight)]
        for path, word in [*words, *([(("figure", "query"), self.query)] if self.query is not None else [])]:
            problems = [[*layout.row_problem(word, path)] for layout in layouts if layout.rows]
            if problems and all(problems):
                yield problems[0][0]
