"""Memories as a scenario writes them: by the name of a model, or by similarity, separation and activation."""

import re
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np
from pydantic import Field, Tag

from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Recallable, Update
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.memories.models.card import Card
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.scenario.language.fields import (
    BySort,
    Count,
    EntryIn,
    NameIn,
    Number,
    PositiveNumber,
    Problem,
    Table,
    chosen,
    own_fields,
)
from hopattn.scenario.parts.layers import SeparationChoice

_REGISTRIES: dict[Any, Any] = {Separation: separations, Similarity: similarities, Activation: activations}
PARTS = ("similarity", "separation", "beta", "activation")
"""What a memory is made of where no model is named."""


def model_options(card: Card) -> dict[str, tuple[Any, Any]]:
    """The parameters of a model that a file may give: its numbers, choices and names."""
    found = {}
    for name, parameter in card.parameters.items():
        kept = [_simple(choice) for choice in _choices(parameter.annotation)]
        choices = [choice for choice in kept if choice is not None]
        if choices and name not in (card.stored, card.read_out):
            default = ... if parameter.default is parameter.empty else parameter.default
            optional = default is None or NoneType in _choices(parameter.annotation)
            found[name] = (Union[(*choices, *([NoneType] if optional else []))], default)
    return found


def _choices(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _simple(choice: Any) -> Any:
    """How a file writes a value of that type, or None where it cannot."""
    if choice is float:
        return Number
    if choice in (int, bool) or get_origin(choice) is Literal:
        return choice
    return Annotated[str, NameIn(_REGISTRIES[choice])] if choice in _REGISTRIES else None


ModelChoice = Annotated[
    Annotated[str, NameIn(named_memories, model_options), Tag("text")]
    | Annotated[Table, EntryIn(named_memories, parameters=model_options, suffix="Model"), Tag("table")],
    BySort,
]
UpdateChoice = Annotated[
    Annotated[str, NameIn(updates, own_fields), Tag("text")]
    | Annotated[Table, EntryIn(updates, suffix="Update"), Tag("table")],
    BySort,
]


class ModelTable(Table):
    """A memory, by its model or by its parts, and how it is recalled."""

    place: ClassVar[str] = "memory"
    """Where the table stands in a file."""
    model: ModelChoice | None = None
    """A memory of the literature by its name, in place of the four keys below."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a cue matches a pattern."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    beta: PositiveNumber = 1.0
    """What multiplies the scores before the separation (the inverse temperature)."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """What the neurons do with their field."""
    update: UpdateChoice | None = None
    """How a step is done: all neurons together, one by one, by chance …; by default the model's own way, or "sync"."""
    max_steps: Annotated[Count, Field(le=100_000)] | None = None
    """The most steps that a recall may take; 1 is transformer attention. By default 100, and 1 where values are what a
    linear or nearest memory answers with."""

    def problems(self) -> Iterator[Problem]:
        """Keys that do not go together."""
        if self.model is not None:
            for key in PARTS:
                if key in self.model_fields_set:
                    yield Problem(
                        (self.place, key), f"is a part of the model '{self.card.name}'; leave one of them out"
                    )

    @property
    def card(self) -> Any:
        """The model's card, or None where none is named."""
        if self.model is None:
            return None
        return named_memories[self.model if isinstance(self.model, str) else str(getattr(self.model, "name", ""))]

    @property
    def needs_values(self) -> bool:
        """Whether the model cannot be without values."""
        if self.card is None or not self.card.read_out:
            return False
        return bool(self.card.parameters[self.card.read_out].default is Parameter.empty)

    def made(self, patterns: np.ndarray, values: np.ndarray | None, rng: np.random.Generator) -> Recallable:
        """The memory of these patterns; raises `InvalidInput` where they cannot be stored so."""
        if self.card is None:
            separation = chosen(separations, self.separation, beta=self.beta)
            return Memory(
                patterns, values, similarity=self.similarity, separation=separation, activation=self.activation
            )
        build: Callable[..., Recallable] = self.card.build
        given: dict[str, Any] = {}
        if isinstance(self.model, Table):
            given |= self.model.model_dump(exclude={"name"}, exclude_unset=True)
        given |= {} if values is None else {self.card.read_out: values}
        given |= {"rng": rng} if "rng" in self.card.parameters else {}
        return build(patterns, **given)

    def updated(self) -> Update:
        """How a step is done; raises `InvalidInput` for parameters that cannot be."""
        if self.update is None:
            return updates.make("sync" if self.card is None else self.card.update)
        return chosen(updates, self.update)


class MemoryTable(ModelTable):
    """What is stored, and how it is recalled."""

    patterns: Annotated[list[str], Field(min_length=1)]
    """The words that are stored."""
    values: Annotated[list[str], Field(min_length=1)] | None = None
    """The words that they lead to, one for each; by default a pattern leads to itself."""

    def problems(self) -> Iterator[Problem]:
        """Keys that do not go together."""
        yield from super().problems()
        if self.values is not None and len(self.values) != len(self.patterns):
            yield Problem(("memory", "values"), f"{len(self.values)} words do not fit {len(self.patterns)} patterns")
        if self.values is not None and self.card is not None and not self.card.read_out:
            yield Problem(("memory", "values"), f"the model '{self.card.name}' leads to its own patterns")
        elif self.values is None and self.needs_values:
            yield Problem(("memory",), f"the model '{self.card.name}' needs values, one for each pattern")

    def by_word(self, message: str) -> str:
        """A message of a memory with the word in place of the number of its row."""
        words = self.values if message.startswith(("values", "right")) and self.values else self.patterns
        return re.sub(r"\b(row|address) (\d+)", lambda found: f"'{words[int(found[2])]}'", message)

    @property
    def steps(self) -> int:
        """The most steps that a recall may take."""
        answers = self.values is not None and self.card is not None and self.card.answers
        return self.max_steps or (1 if answers else 100)

    @property
    def stored_words(self) -> tuple[str, ...]:
        """The patterns and the values, each once."""
        return tuple(dict.fromkeys((*self.patterns, *(self.values or ()))))

    @property
    def recalled_words(self) -> list[str]:
        """The words that a recalled state is compared with; a bidirectional memory recalls its own side."""
        own_side = self.card is not None and self.card.read_out == "right"
        return self.patterns if self.values is None or own_side else self.values

    def built(self, words: Mapping[str, np.ndarray], rng: np.random.Generator) -> Recallable:
        """The memory of these words; raises `InvalidInput` where they cannot be stored so."""
        patterns = np.stack([words[word] for word in self.patterns])
        return self.made(
            patterns, None if self.values is None else np.stack([words[word] for word in self.values]), rng
        )
