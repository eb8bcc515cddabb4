"""Stored patterns or tokens that are taken away for a run of its own, and the arrays of their worth."""

import json
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np
from pydantic import model_validator
from pydantic_core import PydanticCustomError

from hopattn.retrieval.interventions import Worth
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, Axis
from hopattn.scenario.language.fields import Count, Problem, Table, Text, TextOrTexts
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels
from hopattn.transformer.blocks import Block
from hopattn.transformer.multi_head import MultiHead

WORTH, CLOSED, MEASURED = "worth", "closed", "measured"
"""The quantities of a worth: weights and changes of energies, the answers by the formula, and those measured."""
MEANINGS = {CLOSED: "by the formula", MEASURED: "as measured"}
"""The words for the two kinds of answers."""


class WithoutTable(Table):
    """Words that are taken away for a run of its own."""

    key: ClassVar[str]
    """The key that holds them."""
    other: ClassVar[str]
    """The key that holds them in files of other kinds."""
    where: ClassVar[str]
    """The words for these other files."""
    name: Text | None = None
    """The name by which an expectation calls the run as its `variant`; by default "without" and the words."""

    @model_validator(mode="before")
    @classmethod
    def _of_this_kind(cls, given: Any) -> Any:
        """Refuse the key of another kind of file."""
        if isinstance(given, Mapping) and cls.other in given and cls.key not in given:
            message = f"`{cls.other}` is for {cls.where}; write {cls.key} = {json.dumps(str(given[cls.other]))}"
            raise PydanticCustomError("of_another_kind", "{message}", {"message": message})
        return given

    @property
    def taken(self) -> list[str]:
        """The words that are taken away."""
        words = getattr(self, self.key)
        return [words] if isinstance(words, str) else list(words)

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.name or f"without {' and '.join(self.taken)}"

    def numbers(self, words: Sequence[str]) -> tuple[int, ...]:
        """The places of the words that are taken away among these words; `problems` must have found none."""
        known = labels(words)
        return tuple(sorted({ArrayLayout().index(word, known) for word in self.taken}))

    def word_problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        """Words that are not among the columns of a layout, or are there several times, and all of them together."""
        problems = [one for word in self.taken for one in layout.row_problem(word, (*path, self.key), layout.columns)]
        yield from problems
        if not problems and len({layout.index(word, layout.columns) for word in self.taken}) == len(layout.columns):
            yield Problem((*path, self.key), f"takes every {self.key} away; leave at least one")


class WithoutPattern(WithoutTable):
    """Stored patterns that a memory forgets for a run of its own."""

    key: ClassVar[str] = "pattern"
    other: ClassVar[str] = "token"
    where: ClassVar[str] = "a text with heads, and this is a memory"
    pattern: TextOrTexts
    """The stored word or words; `cat#2` is the second of several."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        """Words that are not stored, and a memory in which nothing is left. layout: its columns are the patterns."""
        yield from self.word_problems(layout, path)


class WithoutToken(WithoutTable):
    """Tokens that other words no longer attend to in a run of its own; their own vectors stay in the text."""

    key: ClassVar[str] = "token"
    other: ClassVar[str] = "pattern"
    where: ClassVar[str] = "a memory, and this is a text with heads"
    token: TextOrTexts
    """The token or tokens; `their#2` is the second `their`."""
    at: Text | None = None
    """The only word that no longer attends to them; by default no word does."""
    layer: Count | None = None
    """The only layer in which they are taken away."""
    head: Count | None = None
    """The only head in which they are taken away, of each layer."""

    def problems(self, layout: ArrayLayout, heads: Sequence[int], path: Path) -> Iterator[Problem]:
        """Words that are not in the text, and a layer or head that does not exist.

        layout: its rows are the queries, its columns the tokens. heads: the number of heads of each layer.
        """
        yield from self.word_problems(layout, path)
        if self.at is not None:
            yield from layout.row_problem(self.at, (*path, "at"))
        if self.layer is not None and self.layer > len(heads):
            yield Problem((*path, "layer"), f"got {self.layer}; the last layer is {len(heads)}")
        elif self.head is not None and self.head > (most := max(self._of_layers(heads))):
            yield Problem((*path, "head"), f"got {self.head}; the last head is {most}")

    def _of_layers(self, heads: Sequence[int]) -> Sequence[int]:
        return heads if self.layer is None else heads[self.layer - 1 : self.layer]

    def is_at(self, layer: int, head: int) -> bool:
        """Whether they are taken away in this head of this layer, counted from 1."""
        return self.layer in (None, layer) and self.head in (None, head)

    def row(self, rows: Sequence[str]) -> int | None:
        """The number of the only query that does not attend to them; None for all."""
        return None if self.at is None else ArrayLayout(tuple(rows)).index(self.at)

    def applied(self, layers: Sequence[Block], rows: Sequence[str], tokens: Sequence[str]) -> list[Block]:
        """The layers without the tokens."""
        made = []
        for i, layer in enumerate(layers, start=1):
            own = enumerate(layer.attention.heads, start=1)
            given = self.numbers(tokens), self.row(rows)
            heads = [head.without(*given) if self.is_at(i, j) else head for j, head in own]
            made.append(copy(layer))
            object.__setattr__(made[-1], "attention", MultiHead(heads, layer.attention.out))
        return made


def columns_of(lacks: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of the table of a worth that lacks this; a potential falls by as much as the energy rises."""
    change = "potential fall" if "energy" in lacks else "energy rise"
    by_formula = () if CLOSED in lacks else (change,)
    return ("weight", *(() if "potential" in lacks else (*by_formula, f"measured {change.split()[1]}")))


def meaning(name: str, run: str) -> str:
    """The words for an array of a worth, by its name and that of its run; empty for other arrays.

    >>> meaning("step 1 closed", "without cat")
    ', the answer without cat, by the formula'
    """
    place, _, quantity = name.rpartition(" ")
    if quantity not in MEANINGS:
        return ""
    what = "the end of a recall" if place == "fixed" else "the answer"
    return f", {what} {run if run.startswith('without ') else f'of {run}'}, {MEANINGS[quantity]}"


def worth_arrays(place: str, rows: Axis, answer: Axis, lacks: Mapping[str, str]) -> Iterator[ArraySpec]:
    """The declaration of the arrays of a worth. place: the beginning of their names; answer: the axis of an answer."""
    yield ArraySpec(f"{place} {WORTH}", (rows, ("of", columns_of(lacks))))
    for name in (CLOSED, MEASURED):
        if name not in lacks:
            yield ArraySpec(f"{place} {name}", (rows, answer))


def worth_values(place: str, found: Worth, rows: Any = slice(None)) -> dict[str, np.ndarray]:
    """Their values, for some rows: a number, a slice or numbers."""
    responses = {name: one for name, one in ((CLOSED, found.closed), (MEASURED, found.measured)) if one is not None}
    known = {} if "potential" in found.lacks else responses
    columns: list[Any] = [found.weight]
    columns += [found.before.potential - one.potential for one in known.values()]  # type: ignore[operator]
    answers = {f"{place} {name}": one.answer[rows] for name, one in responses.items()}
    return {f"{place} {WORTH}": np.stack(columns, axis=-1)[rows], **answers}
