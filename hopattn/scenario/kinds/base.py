"""The base class of every kind of scenario.

It holds the keys that all kinds share (title, source, variants, expectations) and the methods that a kind must define.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import resources
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr

from hopattn.foundation.registry import registered_name
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations import AnyExpectation
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, all_labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.fields import MAX_NUMBERS, Problem, Table, Text
from hopattn.scenario.language.figure_table import FigureTable
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import is_user_key
from hopattn.scenario.language.sweep_table import SweepTable
from hopattn.scenario.parts.without import WithoutTable
from hopattn.scenario.practice.practice_table import MOST_PROBLEMS, PracticeTable
from hopattn.scenario.words.character_pictures import Strip
from hopattn.transformer.heads import Head

WHOLE_FILE = (
    "schema",
    "kind",
    "title",
    "source",
    "note",
    "variant",
    "expect",
    "sweep",
    "figure",
    "without",
    "practice",
)
"""The keys that no variant may change."""
LISTS_OF_FILE = ("variant", "expect", "without", "practice")
"""Fields that a single run does not need; they are left out, so that they are not validated again."""


class Variant(Table):
    """The same scenario with some values changed."""

    name: Text
    """The name that an expectation calls it by."""
    changes: Annotated[dict[str, Any], Field(alias="set", min_length=1)]
    """Paths and their new values, as for --set: "input.tokens", "layer.head.mask", "layer.2.head.1.mask"."""

    def problems(self, path: Path, known: Collection[str]) -> Iterator[Problem]:
        """Changes of keys that belong to the whole file, and a name that is known already."""
        if self.name in known:
            yield Problem((*path, "name"), f"'{self.name}' is the name of two variants")
        for text in self.changes:
            if text.split(".")[0].strip() in WHOLE_FILE:
                yield Problem((*path, "set", text), "belongs to the whole file; a variant changes what is computed")


class Spec(Table):
    """A scenario file of any kind."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """The version of the file format."""
    title: Text
    """The subject, in a few words."""
    source: Text
    """Where it comes from: document and section, or "ours"."""
    note: Text | None = None
    """Remarks for the reader, such as what was rebuilt and what is easily misread."""
    kind: str
    """Which kind of scenario it is."""
    seed: Annotated[int, Field(ge=0)] = 0
    """The seed of all random numbers."""
    variant: list[Variant] = Field(default_factory=list)
    """The same scenario with some values changed."""
    expect: list[AnyExpectation] = Field(default_factory=list)
    """The expected results."""
    sweep: SweepTable | None = None
    """The values that `hopattn sweep` goes over."""
    figure: FigureTable = Field(default_factory=FigureTable)
    """The content of the figures."""
    practice: PracticeTable | None = None
    """What a practice problem draws anew, and the errors behind its wrong answers."""

    _taken: Any = PrivateAttr(default=None)
    """The patterns or tokens that a run of [[without]] takes away; None in every other run."""

    shown_arrays: ClassVar[tuple[str, ...]] = ()
    """The arrays that a terminal shows, by their names or the last words of these."""
    main_table: ClassVar[str] = "layer"
    """The table of the file that says what is computed; the error of a run that fails points to its line."""

    @classmethod
    def template(cls) -> str:
        """A small file of this kind, with a comment on each part, as a start for a user's own file."""
        return (resources.files("hopattn.scenario") / "templates" / f"{registered_name(cls)}.toml").read_text("utf-8")

    def problems(self) -> Iterator[Problem]:
        """The problems in the file.

        They are looked for in rounds. A round starts only if the round before found nothing, and relies on that.
        """
        for round_problems in (self.part_problems, self.size_problems, self.fit_problems, self.grid_problems):
            sound = True
            for problem in round_problems():
                sound = False
                yield problem
            if not sound:
                return

    def part_problems(self) -> Iterator[Problem]:
        """Problems with the parts of a vector; the size of a vector is known only without them."""
        return iter(())

    def fit_problems(self) -> Iterator[Problem]:
        """Parts of the file that do not fit together; by default the problems of the main table."""
        yield from getattr(self, self.main_table).problems()

    def grid_problems(self) -> Iterator[Problem]:
        """What a sweep cannot go over or record, what a practice problem cannot draw, and nothing that it asks."""
        if self.sweep is not None:
            yield from self.sweep.problems(self.written_out, self.is_user_key, self.declared)
        if self.practice is not None:
            yield from self.practice.problems(self.written_out, self.is_user_key)
        asked = [
            i for i, expectation in enumerate(self.expect) if isinstance(expectation, Numeric) and expectation.asked
        ]
        if self.practice is not None and not asked:
            yield Problem(("practice",), "asks nothing; write `asked = true` into an expectation of a number")
        if self.practice is not None and len(asked) > MOST_PROBLEMS:
            message = f"is number {MOST_PROBLEMS + 1} that is asked; a sheet has at most {MOST_PROBLEMS} problems"
            yield Problem(("expect", asked[MOST_PROBLEMS], "asked"), message)
        if self.practice is None and asked:
            yield Problem(("expect", asked[0], "asked"), "needs a table [practice], which says what is drawn anew")

    @classmethod
    def is_user_key(cls, path: tuple[str, ...]) -> bool:
        """Whether the last key of a path is a name that the author of the file chose, such as a word or a cue."""
        return is_user_key(cls, path)

    @property
    def written_out(self) -> dict[str, Any]:
        """The file with all its defaults."""
        return self.model_dump(by_alias=True)

    def with_seed(self, seed: int) -> Self:
        """The same scenario with another seed, and without what this one has kept."""
        return self.changed(self._taken, seed=seed)

    def changed(self, taken: Any = None, **changes: Any) -> Self:
        """The same scenario with some fields changed. taken: that of a run of [[without]]."""
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        made: Self = type(self).model_construct(**{**fields, **changes})  # type: ignore[assignment]
        made._taken = taken
        return made

    @property
    def tables_without(self) -> Sequence[WithoutTable]:
        """The tables of [[without]], each of which is a run; none for most kinds."""
        return getattr(self, "without", ())

    def run_without(self, table: WithoutTable) -> Self:
        """The specification of such a run; called only for a specification without problems."""
        return self.changed(table, without=[])

    @abstractmethod
    def size(self) -> int:
        """An estimate of the number of array entries that the run holds at once."""

    @abstractmethod
    def declared_arrays(self) -> Iterable[ArraySpec]:
        """The declaration of every array that the run computes; its names, axes and labels are stated here alone.

        Called only for a specification without problems, or with problems in `input` alone.
        """

    @cached_property
    def declared(self) -> tuple[ArraySpec, ...]:
        """The declared arrays."""
        return tuple(self.declared_arrays())

    def layout(self) -> ArrayLayout:
        """The arrays and measures that an expectation may refer to; a kind adds its rows, words and parts.

        Called under the same conditions as `declared_arrays`.
        """
        return ArrayLayout.of(self.declared)

    def run(self, rng: np.random.Generator) -> dict[str, Labelled]:
        """Run the scenario; return every declared array by name, with its labels."""
        values = self.compute(rng)
        return all_labelled(values, self.declared)

    @abstractmethod
    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        """The values of every declared array by name: numbers, lists or arrays."""

    @abstractmethod
    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        """The arithmetic of a run, line by line, as a lecture writes it."""

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows."""
        return tuple(name for name in arrays if {name, ArrayName.parse(name).quantity} & {*self.shown_arrays})

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        """The pictures that a terminal shows; none for most kinds."""
        return iter(())

    def heads(self) -> Mapping[str, Head]:
        """The heads of the layers, each with the name of its place; none for most kinds."""
        return {}

    def size_problems(self) -> Iterator[Problem]:
        """A run that needs too much memory; it is refused before any memory is allocated."""
        if self.size() > MAX_NUMBERS:
            path, what = self.largest()
            took = f"{self.size() * 8 // 2**30 + 1:,} GiB"
            yield Problem(path, f"{what}{' ' * bool(what)}would take about {took}; a scenario may take 1 GiB")

    def largest(self) -> tuple[Path, str]:
        """The place of what makes a run large and a name for it, where the kind knows them."""
        return (), ""
