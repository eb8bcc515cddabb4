"""Stored patterns or tokens that are taken away for a run of its own, and the arrays of their worth."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar

import numpy as np
from pydantic import model_validator
from pydantic_core import PydanticCustomError

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import listed, number
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.separation.base import Elementwise
from hopattn.retrieval.step import Step
from hopattn.scenario.arithmetic import added, equals, weighted_sum, written
from hopattn.scenario.arrays import Arrays, labelled, labels
from hopattn.scenario.language.table import Count, Parts, Table, Text, TextOrTexts, need
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

    def numbers(self, rows: Sequence[str], words: Mapping[str, np.ndarray] | None = None) -> tuple[int, ...]:
        """The places of the words that are taken away among words or their labels; words: all that there are."""
        known, places = labels(rows), set[int]()
        with Parts() as parts:
            for word in self.taken:
                with parts.at(self.key):
                    places.add(_row(word, known, words))
        need(len(places) < len(known), self.key, f"takes every {self.key} away; leave at least one")
        return tuple(sorted(places))


def _row(label: str, rows: Sequence[str], words: Mapping[str, np.ndarray] | None = None) -> int:
    arrays = Arrays()
    arrays.words = words or {}
    return arrays.row(label, (), rows)


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

    def is_at(self, layer: int, head: int) -> bool:
        """Whether they are taken away in this head of this layer, counted from 1."""
        return self.layer in (None, layer) and self.head in (None, head)

    def places(
        self, tokens: Sequence[str], rows: Sequence[str], words: Mapping[str, np.ndarray]
    ) -> tuple[tuple[int, ...], int | None]:
        """The numbers of the tokens, and that of the only query that does not attend to them; None for all queries.

        rows: the labels of the queries. words: all words that there are.
        """
        with Parts() as parts:
            with parts.at():
                numbers = self.numbers(tokens, words)
            with parts.at("at"):
                row = None if self.at is None else _row(self.at, rows, words)
        return numbers, row

    def applied(self, layers: Sequence[Block], numbers: tuple[int, ...], row: int | None) -> list[Block]:
        """The layers without the tokens. numbers, row: as `places` gives them."""
        heads = [len(layer.attention.heads) for layer in layers]
        need((self.layer or 1) <= len(heads), "layer", f"got {self.layer}; the last layer is {len(heads)}")
        most = max(heads if self.layer is None else heads[self.layer - 1 : self.layer])
        need((self.head or 1) <= most, "head", f"got {self.head}; the last head is {most}")
        made = [copy(layer) for layer in layers]
        for i, layer in enumerate(made, start=1):
            every = enumerate(layer.attention.heads, start=1)
            less = [head.without(numbers, row) if self.is_at(i, j) else head for j, head in every]
            object.__setattr__(layer, "attention", MultiHead(less, layer.attention.out))
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
    what = say("the end of a recall" if place == "fixed" else "the answer")
    of = say("without {}", run.removeprefix("without ")) if run.startswith("without ") else say("of {}", run)
    return f", {what} {of}, {say(MEANINGS[quantity])}"


def add_worth(
    arrays: Arrays, place: str, found: Worth, axes: Mapping[str, Sequence[str]], row: int | None = None
) -> None:
    """Add the arrays of a worth: its weights and changes of energy, and the answers.

    place: the beginning of their names. axes: the labels of the cues or queries and of the elements of an answer. row:
    the number of the only cue or query; None for all.
    """
    (rows, every), (axis, elements) = axes.items()
    index, potentials = slice(row, None if row is None else row + 1), "potential" not in found.lacks
    responses = {name: one for name, one in ((CLOSED, found.closed), (MEASURED, found.measured)) if one is not None}
    changes: Any = [found.before.potential - one.potential for one in responses.values() if potentials]  # type: ignore[operator]
    values = np.stack([found.weight, *changes], axis=-1)
    arrays[f"{place} {WORTH}"] = labelled(values[index], {rows: every[index], "of": columns_of(found.lacks)})
    for name, one in responses.items():
        arrays[f"{place} {name}"] = labelled(one.answer[index], {rows: every[index], axis: elements})


def explain_worth(
    found: Worth, i: int, step: Step, names: Sequence[str], values: np.ndarray, shown: Callable[[Any], str] | None
) -> Iterator[str]:
    """The arithmetic of row i of a worth.

    step: the step from which patterns or tokens are taken. names, values: of these, `(n_taken, dim_out)`. shown: writes
    a vector; None where vectors are pictures, which are not written.
    """
    weights, before, closed, measured = found.weights[i], found.before, found.closed, found.measured
    p, divides = written(np.sum(weights)), not isinstance(step._effective_separation, Elementwise)
    if not np.any(weights):
        yield say("p = 0: nothing changes")
        return
    left, change, answer = float(1 - np.sum(weights)), "", ""
    rest = [f"1 − p {equals(left, 1 - p)} {number(left)}"] * divides
    yield listed([f"p = {number(float(np.sum(weights)))}", *rest])
    if closed is None or found.digits[i] <= 0:  # type: ignore[index]
        yield say(found.lacks.get("closed", "1 − p is 0 up to rounding, so that the formula has no digits left"))
        closed = None
    elif closed.potential is not None:
        fall, beta = float(before.potential[i] - closed.potential[i]), step.separation.beta  # type: ignore[index]
        by_hand = -np.log(np.maximum(written(left), 1e-300)) / written(beta)
        over = "" if beta == 1 else f"/{number(beta)}"
        change = f"−log({number(left)}){over} {equals(fall, by_hand)} " * divides + f"{number(fall)}; "
    if before.potential is not None:
        rise = float(before.potential[i] - measured.potential[i])  # type: ignore[index]
        verb = "potential falls" if "energy" in found.lacks else "energy rises"
        yield say(f"{verb} by {{}}{{}} as measured", change, number(rise))
    if shown is None:
        return
    if closed is not None and not isinstance(step.activation, Identity):
        answer = f"{shown(closed.answer[i])}; "  # the formula is that of the field
    elif closed is not None:
        lost, divisor = weighted_sum(weights, names), float(written(left)) if divides else 1.0
        difference = f"{shown(before.answer[i])} − {f'({lost})' if ' + ' in lost else lost}"
        worked = (written(before.answer[i]) - added(written(weights) * np.asarray(values).T)) / (divisor or 1.0)
        whole = f"({difference})/{number(left)}" if divides else difference
        answer = f"{whole} {equals(closed.answer[i], worked)} {shown(closed.answer[i])}; "
    yield say("answer: {}{} as measured", answer, shown(measured.answer[i]))
    if closed is not None and closed.fixed_point is not None:
        settled = found.settled[i]  # type: ignore[index]
        moved = "to first order, (I − J)⁻¹ moves it to" if settled else "the formula does not hold;"
        points = [shown(one.fixed_point[i]) for one in (before, closed, measured)]  # type: ignore[index]
        yield say(f"fixed point {{}}: {moved} {{}}, {{}} as measured", *points)
