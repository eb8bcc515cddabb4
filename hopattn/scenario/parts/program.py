"""The steps of a program in attention heads, as a file writes them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, Tag

from hopattn.circuits.rasp import comparisons, looked_up, mapped, select, sequence_maps
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.scenario.language.common_problems import one_of_problems
from hopattn.scenario.language.fields import ByTomlType, NameIn, Number, Problem, Table, Text, TextOrTexts
from hopattn.scenario.language.lines import Path

SELECTION, WORDS, NUMBERS = "selection", "words", "numbers"

Sorts = Mapping[str, str | None]
"""The sort of each sequence and selection so far: one of the three above, or None after a faulty step."""

Constant = Annotated[Annotated[Text, Tag("text")] | Annotated[Number, Tag("number")], ByTomlType]
"""A word or a number."""


class SelectTable(Table):
    """A selection: which words each word selects."""

    keys: Text = "tokens"
    """The sequence of the keys: "tokens", "indices" (0, 1, 2, …), or the name of a step before."""
    queries: Text | None = None
    """The sequence of the queries; by default that of the keys."""
    query: Constant | None = None
    """A word or a number that is every query, instead of `queries`."""
    where: Annotated[str, NameIn(comparisons)] = "=="
    """The comparison: a key is selected if `key where query` holds; "true" selects every key."""

    def problems(self, sorts: Sorts, path: Path) -> Iterator[Problem]:
        """Unknown sequences, and two sorts of queries."""
        yield from sequence_problems([self.keys], sorts, (*path, "keys"))
        if self.queries is not None:
            yield from sequence_problems([self.queries], sorts, (*path, "queries"))
            if self.query is not None:
                yield Problem((*path, "query"), "replaces `queries`; leave one of them out")

    @property
    def axis_names(self) -> tuple[str, str]:
        """The names of the selection's axes, which state its rule: "query opposite" and "key indices =="."""
        query = self.query if isinstance(self.query, str) or self.query is None else f"{self.query:g}"
        return f"query {query or self.queries or self.keys}", f"key {self.keys} {self.where}"

    def sort(self, sorts: Sorts) -> str | None:
        """The sort of the result."""
        return SELECTION

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The selection."""
        keys = values[self.keys]
        queries = values[self.queries or self.keys] if self.query is None else [self.query] * len(keys)
        return select(keys, queries, self.where)


class AggregateTable(Table):
    """An aggregation: the mean of the selected numbers, or the one selected word, for each word."""

    selection: Text
    """The step that selects."""
    values: Text = "tokens"
    """The sequence that is read."""
    default: Constant | None = None
    """The result where nothing is selected; without it 0, or the word "none"."""

    def problems(self, sorts: Sorts, path: Path) -> Iterator[Problem]:
        """An unknown selection or sequence."""
        yield from selection_problems(self.selection, sorts, (*path, "selection"))
        yield from sequence_problems([self.values], sorts, (*path, "values"))

    def sort(self, sorts: Sorts) -> str | None:
        """The sort of the result."""
        return sorts.get(self.values)

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The aggregated sequence."""
        return values[self.selection].aggregate(values[self.values], self.default)


class MapTable(Table):
    """A map of sequences, element by element."""

    how: Annotated[str, NameIn(sequence_maps, lambda entry: {})]
    """The map; a comparison gives 1 where it holds, else 0."""
    of: TextOrTexts
    """The sequence or sequences that it takes, in their order."""
    by: Constant | None = None
    """A word or a number as the last operand."""

    @property
    def names(self) -> list[str]:
        """The sequences that it takes."""
        return [self.of] if isinstance(self.of, str) else self.of

    def problems(self, sorts: Sorts, path: Path) -> Iterator[Problem]:
        """Unknown sequences."""
        yield from sequence_problems(self.names, sorts, (*path, "of"))

    def sort(self, sorts: Sorts) -> str | None:
        """The sort of the result."""
        return NUMBERS

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The mapped sequence."""
        constant = [] if self.by is None else [[self.by]]
        return mapped(self.how, [*(values[name] for name in self.names), *constant])


class LookUpTable(Table):
    """A table that gives an entry for each element of a sequence."""

    of: Text = "tokens"
    """The sequence that is looked up."""
    entries: Annotated[dict[Text, Constant], Field(min_length=1)]
    """The entry for each word; a number is looked up as it is written, "2" or "0.5"."""
    otherwise: Constant | None = None
    """The entry for all others."""

    def problems(self, sorts: Sorts, path: Path) -> Iterator[Problem]:
        """An unknown sequence, and entries of two sorts."""
        yield from sequence_problems([self.of], sorts, (*path, "of"))
        if len({isinstance(entry, str) for entry in self._all}) > 1:
            yield Problem((*path, "entries"), "hold words and numbers; expected one sort, that of `otherwise` too")

    @property
    def _all(self) -> list[str | float]:
        return [*self.entries.values(), *([] if self.otherwise is None else [self.otherwise])]

    def sort(self, sorts: Sorts) -> str | None:
        """The sort of the result."""
        return WORDS if isinstance(self._all[0], str) else NUMBERS

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The sequence of the entries."""
        return looked_up(values[self.of], self.entries, self.otherwise)


Part = SelectTable | AggregateTable | MapTable | LookUpTable


class StepTable(Table):
    """One step of a program: a selection, or a sequence that is made of those before."""

    forms: ClassVar[tuple[str, ...]] = ("select", "width", "aggregate", "map", "table")

    name: Text
    """The name by which later steps and expectations call it."""
    select: SelectTable | None = None
    """A selection: which words each word selects."""
    width: Text | None = None
    """The number of words that each word selects in a selection, which is named here."""
    aggregate: AggregateTable | None = None
    """The mean of the selected numbers, or the one selected word."""
    map: MapTable | None = None
    """A map of sequences, element by element."""
    table: LookUpTable | None = None
    """A table that gives an entry for each element of a sequence."""

    @property
    def part(self) -> Part | None:
        """The table of the step; None for a width."""
        return self.select or self.aggregate or self.map or self.table

    def problems(self, sorts: Sorts, path: Path) -> Iterator[Problem]:
        """No form or several, a name that is taken, and the problems of the form."""
        given = [form for form in self.forms if getattr(self, form) is not None]
        if self.name in sorts:
            yield Problem((*path, "name"), f"'{shortened(self.name)}' is the name of an earlier sequence or selection")
        forms = [*one_of_problems(self, self.forms, path)]
        yield from forms
        if not forms and self.part is not None:
            yield from self.part.problems(sorts, (*path, given[0]))
        elif not forms and self.width is not None:
            yield from selection_problems(self.width, sorts, (*path, "width"))

    def sort(self, sorts: Sorts) -> str | None:
        """The sort of the result: "selection", "words" or "numbers"; None if the step is faulty."""
        return NUMBERS if self.part is None else self.part.sort(sorts)

    def compute(self, values: Mapping[str, Any]) -> Any:
        """The result of the step: a `Selection`, or a sequence `(n,)`."""
        return values[str(self.width)].width() if self.part is None else self.part.compute(values)


def sequence_problems(names: Sequence[str], sorts: Sorts, path: Path) -> Iterator[Problem]:
    """Names that stand for no sequence so far."""
    for name in names:
        if sorts.get(name) == SELECTION:
            yield Problem(path, f"'{shortened(name)}' is a selection; expected a sequence, such as its width")
        elif name not in sorts:
            yield Problem(path, unknown(name, [known for known, sort in sorts.items() if sort != SELECTION]))


def selection_problems(name: str, sorts: Sorts, path: Path) -> Iterator[Problem]:
    """A name that stands for no selection so far."""
    if sorts.get(name) in (WORDS, NUMBERS):
        yield Problem(path, f"'{shortened(name)}' is a sequence; expected a step with `select`")
    elif name not in sorts:
        yield Problem(path, unknown(name, [known for known, sort in sorts.items() if sort == SELECTION]))


def computed(steps: Sequence[StepTable], start: Mapping[str, Any]) -> dict[str, Any]:
    """The results of the steps by name, after those of `start`; raises `FaultyStep` for one that cannot be computed."""
    values = dict(start)
    for i, step in enumerate(steps):
        try:
            values[step.name] = step.compute(values)
        except InvalidInput as error:
            raise FaultyStep(i, str(error)) from None
    return values


class FaultyStep(InvalidInput):
    """A step that cannot be computed for these tokens. step: its number, from 0."""

    def __init__(self, step: int, message: str) -> None:
        super().__init__(f"step {step + 1}: {message}")
        self.step, self.message = step, message
