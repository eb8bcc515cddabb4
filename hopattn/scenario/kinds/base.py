"""The base class of every kind of scenario.

It holds the keys that all kinds share (title, source, variants, expectations) and the methods that a kind must define.
"""

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import resources
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr

from hopattn.foundation.registry import registered_name
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.expectations import AnyExpectation
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.kinds.without import WithoutTable
from hopattn.scenario.language.paths import known_keys
from hopattn.scenario.language.table import Parts, Table, Text, need, refusal
from hopattn.scenario.practice_table import MOST_PROBLEMS, PracticeTable
from hopattn.scenario.sweep_and_figure import FigureTable, SweepTable
from hopattn.scenario.words.pictures import Strip
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
BESIDE = ("matrices", "vocabulary", "pictures", "spaces", "positions", "input", "cue", "task", "writing", "encoder")
"""The keys of what is read and asked; another key of a kind says what is computed."""
LISTS_OF_FILE = ("variant", "expect", "without", "practice")
"""Fields that a single run does not need; they are left out, so that they are not validated again."""


class Variant(Table):
    """The same scenario with some values changed."""

    name: Text
    """The name that an expectation calls it by."""
    changes: Annotated[dict[str, Any], Field(alias="set", min_length=1)]
    """Paths and their new values, as for --set: "input.tokens", "layer.head.mask", "layer.2.head.1.mask"."""

    def need_new(self, known: Collection[str]) -> None:
        """Refuse changes of keys that belong to the whole file, and a name that is known already."""
        with Parts() as parts:
            with parts.at("name"):
                need(self.name not in known, (), f"'{self.name}' is the name of two variants")
            for text in self.changes:
                with parts.at("set", text):
                    own = text.split(".")[0].strip() not in WHOLE_FILE
                    need(own, (), "belongs to the whole file; a variant changes what is computed")


class Kind(Table):
    """A scenario file of any kind: its keys, and one `compute`."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """The version of the file format."""
    title: Text
    """The subject, in a few words."""
    source: Text | None = None
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

    @classmethod
    def template(cls) -> str:
        """A small file of this kind, with a comment on each part, as a start for a user's own file."""
        return (resources.files("hopattn.scenario") / "templates" / f"{registered_name(cls)}.toml").read_text("utf-8")

    @abstractmethod
    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        """Compute the run, and add each array where it is computed, with its labels.

        Raises `Refused` for tables that do not fit together, and `InvalidInput` for what the core refuses.
        """

    @abstractmethod
    def explain(self, arrays: Arrays) -> Iterator[str]:
        """The arithmetic of a run, line by line, as a lecture writes it."""

    def run(self, rng: np.random.Generator) -> Arrays:
        """Run the scenario: its labelled arrays, with the words that expectations compare them with."""
        self.need_bounds()
        arrays = Arrays()
        self.compute(arrays, rng)
        return arrays

    def need_bounds(self) -> None:
        """Refuse keys that contradict each other, and what would take too long, before anything is computed."""

    def least(self) -> Self:
        """The scenario with trials, sizes and steps at their least, where its run takes seconds; else itself.

        A check runs it instead of the scenario, and asks its arrays for names, rows and words, and never for values.
        """
        return self

    def need_grids(self, arrays: Arrays) -> None:
        """Refuse what a sweep cannot go over or record, what a practice problem cannot draw, and nothing asked."""
        with Parts() as parts:
            with parts.at("sweep"):
                if self.sweep is not None:
                    self.sweep.need_fit(self.written_out, self.is_user_key, arrays)
            with parts.at("practice"):
                if self.practice is not None:
                    self.practice.need_fit(self.written_out, self.is_user_key)
            asked = [i for i, one in enumerate(self.expect) if isinstance(one, Numeric) and one.asked]
            with parts.at():
                if self.practice is not None:
                    need(asked, "practice", "asks nothing; write `asked = true` into an expectation of a number")
                    most = f"is number {MOST_PROBLEMS + 1} that is asked; a sheet has at most {MOST_PROBLEMS} problems"
                    need(len(asked) <= MOST_PROBLEMS, ("expect", asked[: MOST_PROBLEMS + 1][-1], "asked"), most)
                elif asked:
                    lack = "needs a table [practice], which says what is drawn anew"
                    raise refusal(("expect", asked[0], "asked"), lack)

    @property
    def main_table(self) -> str:
        """The first key that says what is computed; the error of a run that fails points to its line."""
        keys = {name: field.alias or name for name, field in type(self).model_fields.items()}
        own = (name for name, key in keys.items() if name not in Kind.model_fields and key not in BESIDE)
        return next((keys[name] for name in own if getattr(self, name) is not None), "kind")

    @classmethod
    def is_user_key(cls, path: tuple[str, ...]) -> bool:
        """Whether the last key of a path is a name that the author of the file chose, such as a word or a cue."""
        return path[-1] not in known_keys(cls, path[:-1])

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
        """The specification of such a run; raises `Refused` for words that the scenario does not have."""
        return self.changed(table, without=[])

    def reading(self) -> str:
        """How something in the file was read that could be meant otherwise; empty for most files."""
        return ""

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows."""
        return tuple(name for name in arrays if {name, Name.parse(name).quantity} & {*self.shown_arrays})

    def strips(self, arrays: Arrays) -> Iterator[Strip]:
        """The pictures that a terminal shows; none for most kinds."""
        return iter(())

    def heads(self) -> Mapping[str, Head]:
        """The heads of the layers, each with the name of its place; none for most kinds."""
        return {}
