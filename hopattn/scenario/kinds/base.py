"""What every kind of scenario shares: where it comes from, its variants, what it expects; and what a kind must be
able to do.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.labelled import Labelled
from hopattn.scenario.expectations import AnyExpectation
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import MAX_NUMBERS, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.sweep_table import SweepTable
from hopattn.scenario.words.character_pictures import Strip

WHOLE_FILE = ("schema", "kind", "title", "source", "note", "variant", "expect", "sweep")
"""The keys that no variant can change."""


class Variant(Table):
    """The same scenario with some values changed."""

    name: Text
    """The name that an expectation calls it by."""
    changes: Annotated[dict[str, Any], Field(alias="set", min_length=1)]
    """Paths and their new values, as for --set: "input.tokens", "layer.head.mask", "layer.2.head.1.mask"."""

    def problems(self, path: Path) -> Iterator[Problem]:
        """Changes to what belongs to the whole file."""
        for text in self.changes:
            if text.split(".")[0].strip() in WHOLE_FILE:
                yield Problem((*path, "set", text), "belongs to the whole file; a variant changes what is computed")


class Spec(Table):
    """A scenario file of any kind."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """The version of the file format."""
    title: Text
    """What it shows, in a few words."""
    source: Text
    """Where it comes from: document and section, or "ours"."""
    note: Text | None = None
    """What a reader should know: what was rebuilt, what the trap is."""
    kind: str
    """Which kind of scenario it is."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The seed of everything that is drawn at random."""
    variant: list[Variant] = Field(default_factory=list)
    """The same scenario with some values changed."""
    expect: list[AnyExpectation] = Field(default_factory=list)
    """What must come out."""
    sweep: SweepTable | None = None
    """What `hopattn sweep` goes over."""

    telling: ClassVar[tuple[str, ...]] = ()
    """The sorts of array that say most about a run, for a terminal."""
    working_part: ClassVar[str] = "layer"
    """The part of the file that says what is computed, where a run that fails points to."""
    template: ClassVar[str] = ""
    """A small file of this kind that runs, with a comment on each part, for a person to change."""

    def problems(self) -> Iterator[Problem]:
        """What is wrong in the file, in rounds; each takes for granted that the one before found nothing."""
        for look in (self.part_problems, self.size_problems, self.fit_problems, self.sweep_problems):
            found = [*look()]
            yield from found
            if found:
                return

    def part_problems(self) -> Iterator[Problem]:
        """What is wrong with the parts of a vector; until they are right, nothing has a size."""
        return iter(())

    @abstractmethod
    def fit_problems(self) -> Iterator[Problem]:
        """What does not fit together."""

    def sweep_problems(self) -> Iterator[Problem]:
        """What a sweep cannot go over."""
        if self.sweep is not None:
            yield from self.sweep.problems(self.written_out)

    @property
    def written_out(self) -> dict[str, Any]:
        """The file with all its defaults."""
        return self.model_dump(by_alias=True)

    @abstractmethod
    def size(self) -> int:
        """About how many numbers the run will hold at once."""

    @abstractmethod
    def layout(self) -> Layout:
        """The rows, words, parts and arrays that the run will have; only asked for where there are no problems."""

    @abstractmethod
    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        """Run it."""

    @abstractmethod
    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        """The arithmetic of a run, line by line, as the lecture writes it."""

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows."""
        return tuple(name for name in arrays if name.split()[-1] in self.telling)

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        """The pictures that a terminal shows, where there are any."""
        return iter(())

    def size_problems(self) -> Iterator[Problem]:
        """A run that would not fit into memory, refused before any is taken."""
        if self.size() > MAX_NUMBERS:
            yield Problem((), f"would take about {self.size() * 8 // 2**30 + 1:,} GiB; a scenario may take 1 GiB")
