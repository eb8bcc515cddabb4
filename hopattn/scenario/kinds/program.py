"""kind = "program": a text goes through named selections, aggregations and maps (RASP)."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.circuits.rasp import Selection, comparisons, looked_up, mapped, select, sequence, sequence_maps
from hopattn.foundation.errors import shortened, unknown
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.scenario.arithmetic import equals, factor
from hopattn.scenario.arrays import Arrays, labels
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import (
    ByTomlType,
    NameIn,
    Number,
    Parts,
    Refused,
    Table,
    Text,
    TextOrTexts,
    at,
    need,
    need_different,
    need_one_of,
    need_room,
)

MOST = 512
"""The largest number of tokens of a program."""
LISTED = 8
"""The largest number of words that a line of the arithmetic names."""

Values = dict[str, Any]
"""Each sequence `(n,)` and `Selection` so far by its name; None after a step that was refused."""
Constant = Annotated[Annotated[Text, Tag("text")] | Annotated[Number, Tag("number")], ByTomlType]
"""A word or a number."""


def value_of(values: Values, name: str, key: str, selection: bool = False) -> Any:
    """A sequence by its name, or a selection; raises `Refused` at a key for a name that stands for none."""
    value, sort = values.get(name), "a selection; expected a sequence, such as its width"
    if selection:
        sort = "a sequence; expected a step with `select`"
    choices = [word for word, one in values.items() if isinstance(one, Selection) == selection]
    need(name in values, key, lambda: unknown(name, choices))
    if value is None:  # the refusal of that step is told already
        raise Refused()
    need(name in choices, key, f"'{shortened(name)}' is {sort}")
    return value


class ProgramInput(Table):
    """The text of a program."""

    tokens: Annotated[list[Constant], Field(min_length=1)]
    """The words or numbers, in their order; they are the sequence "tokens"."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The tokens as labels."""
        return labels([token if isinstance(token, str) else f"{token:.12g}" for token in self.tokens])

    def values(self) -> Values:
        """The sequences before the first step."""
        need(len(self.tokens) <= MOST, "tokens", f"are {len(self.tokens):,}; a program takes at most {MOST}")
        need_different(self.labels, ("tokens",))
        return {"tokens": sequence(self.tokens, "tokens"), "indices": np.arange(len(self.tokens)) + 0.0}


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

    @property
    def query_side(self) -> str | float:
        """The sequence of the queries, or what every query is."""
        return self.queries or self.keys if self.query is None else self.query

    def compute(self, values: Values) -> Selection:
        """The selection."""
        keys = value_of(values, self.keys, "keys")
        queries = value_of(values, self.queries or self.keys, "queries")
        need(self.query is None or self.queries is None, "query", "replaces `queries`; leave one of them out")
        return select(keys, queries if self.query is None else [self.query] * len(keys), self.where)


class AggregateTable(Table):
    """An aggregation: the mean of the selected numbers, or the one selected word, for each word."""

    selection: Text
    """The step that selects."""
    values: Text = "tokens"
    """The sequence that is read."""
    default: Constant | None = None
    """The result where nothing is selected; without it 0, or the word "none"."""

    def compute(self, values: Values) -> np.ndarray:
        """The aggregated sequence."""
        selection = value_of(values, self.selection, "selection", selection=True)
        return np.asarray(selection.aggregate(value_of(values, self.values, "values"), self.default))


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

    def operands(self, values: Values) -> list[Any]:
        """What it takes, each as long as the text."""
        sequences = [value_of(values, name, "of") for name in self.names]
        return sequences if self.by is None else [*sequences, [self.by] * len(sequences[0])]

    def compute(self, values: Values) -> np.ndarray:
        """The mapped sequence."""
        return mapped(self.how, self.operands(values))


class LookUpTable(Table):
    """A table that gives an entry for each element of a sequence."""

    of: Text = "tokens"
    """The sequence that is looked up."""
    entries: Annotated[dict[Text, Constant], Field(min_length=1)]
    """The entry for each word; a number is looked up as it is written, "2" or "0.5"."""
    otherwise: Constant | None = None
    """The entry for all others."""

    def compute(self, values: Values) -> np.ndarray:
        """The sequence of the entries."""
        every = [*self.entries.values(), *([] if self.otherwise is None else [self.otherwise])]
        mixed = "hold words and numbers; expected one sort, that of `otherwise` too"
        need(len({isinstance(entry, str) for entry in every}) == 1, "entries", mixed)
        return looked_up(value_of(values, self.of, "of"), self.entries, self.otherwise)


class StepTable(Table):
    """One step of a program: a selection, or a sequence that is made of those before."""

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

    def compute(self, values: Values) -> Any:
        """The result of the step: a `Selection`, or a sequence `(n,)`."""
        need_one_of(self, "select", "width", "aggregate", "map", "table")
        for key in ("select", "aggregate", "map", "table"):
            if (table := getattr(self, key)) is not None:
                with at(key, table=table):
                    return table.compute(values)
        return value_of(values, str(self.width), "width", selection=True).width()


class Program(Kind):
    """A text, and a program of named selections, aggregations and maps that it goes through."""

    kind: Literal["program"]
    """Which kind of scenario it is."""
    input: ProgramInput
    """The text that goes in."""
    step: Annotated[list[StepTable], Field(min_length=1)]
    """The steps of the program, in their order."""

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        with at("input", table=self.input):
            values = self.input.values()
        names = self.input.labels
        need_room((30 + 2 * len(self.step)) * len(names) ** 2)
        arrays.add("values", values["tokens"], {"token": names}, stage="tokens")
        with Parts() as parts:
            for i, step in enumerate(self.step):
                with parts.at("step", i):
                    earlier = f"'{shortened(step.name)}' is the name of an earlier sequence or selection"
                    need(step.name not in values, "name", earlier)
                    values[step.name] = result = step.compute(values)
                    if (table := step.select) is not None:
                        query = table.query_side if isinstance(table.query_side, str) else f"{table.query_side:g}"
                        axes = {f"query {query}": names, f"key {table.keys} {table.where}": names}
                        arrays.add("selection", result.scores, axes, stage=step.name)
                    else:
                        arrays.add("values", result, {"token": names}, stage=step.name)
                    if step.aggregate is not None:
                        weights = values[step.aggregate.selection].weights
                        arrays.add("weights", weights, {"query": names, "key": names}, stage=step.name)
                values.setdefault(step.name, None)

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        return ([*arrays][-1 if self.step[-1].aggregate is None else -2],)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        values, names = self.input.values(), self.input.labels
        for step in self.step:
            values[step.name] = step.compute(values)
            heading, lines = _lines(step, values, names)
            yield f"{step.name}: {heading}"
            yield from (f"  {token}{line}" for token, line in zip(names, lines, strict=True))


def _lines(step: StepTable, values: Values, names: tuple[str, ...]) -> tuple[str, list[str]]:
    """What a step does, and its arithmetic at each word, as a reader would work it out by hand."""
    result = values[step.name]
    if (table := step.select) is not None:
        rule = say("select {} {} {}", table.keys, table.where, _text(table.query_side))
        rule = say("every key is selected") if table.where == "true" else rule
        return rule, [say(" selects {}", _selected(names, row)) for row in result.scores]
    results = [_text(value) for value in result]
    if (mean := step.aggregate) is not None:
        rows = zip(values[mean.selection].weights, result, strict=True)
        lines = [f": {_mean(values[mean.values][row > 0], value)}" for row, value in rows]
        return say("the mean of {} over what {} selects", mean.values, mean.selection), lines
    if step.map is not None:
        ends = {"1": say(": yes, 1"), "0": say(": no, 0")} if step.map.how in comparisons else {}
        lines = []
        for terms, text in zip(zip(*step.map.operands(values), strict=True), results, strict=True):
            texts = [_text(term) if k == 0 or isinstance(term, str) else factor(term) for k, term in enumerate(terms)]
            lines.append(f": {_formula(step.map.how, texts)}{ends.get(text, f' = {text}')}")
        by = [] if step.map.by is None else [_text(step.map.by)]
        return _formula(step.map.how, [*step.map.names, *by]), lines
    if step.table is not None:
        entries = zip(values[step.table.of], results, strict=True)
        return say("a table of {}", step.table.of), [f": {_text(before)} → {text}" for before, text in entries]
    return say("how many words {} selects", step.width), [f": {text}" for text in results]


def _mean(entries: np.ndarray, value: Any) -> str:
    """The mean of the selected numbers, or the selected word."""
    if not len(entries):
        return say("nothing is selected: {}", _text(value))
    if entries.dtype.kind == "U" or len(entries) == 1:
        return _text(value)
    terms = " + ".join(factor(term) if i else number(term) for i, term in enumerate(entries[: 2 * LISTED]))
    more = " + …" if len(entries) > 2 * LISTED else ""
    return f"({terms}{more}) / {len(entries)} {equals(value)} {number(value)}"


def _formula(how: str, operands: list[str]) -> str:
    """A map with its operands."""
    sign = sequence_maps[how].sign
    if how in ("minimum", "maximum", "round"):
        return f"{sign}({', '.join(operands)})"
    return f"{sign}{operands[0]}" if how == "negate" else f" {sign} ".join(operands)


def _text(value: Any) -> str:
    return str(value) if isinstance(value, str) else number(value)


def _selected(names: tuple[str, ...], row: np.ndarray) -> str:
    keys = [name for name, weight in zip(names, row, strict=True) if weight]
    if len(keys) > LISTED:
        keys = [*keys[: LISTED - 1], say("… {} in all", str(len(keys)))]
    return ", ".join(keys) or say("nothing")
