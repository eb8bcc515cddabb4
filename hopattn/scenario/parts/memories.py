"""Memories as a scenario writes them: a named model, or similarity, separation and activation."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np
from pydantic import Field, Tag, field_serializer

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.errors import InvalidInput, quoted, shortened, unknown
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.memories.models.card import Card
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.scenario.language.common_problems import unused_problems
from hopattn.scenario.language.fields import (
    ByTomlType,
    Count,
    EntryIn,
    NameIn,
    Number,
    PositiveNumber,
    Problem,
    Table,
    Text,
    own_fields,
    registry_entry,
)
from hopattn.scenario.parts.heads import SeparationChoice

_REGISTRIES: dict[Any, Any] = {Separation: separations, Similarity: similarities, Activation: activations}
PARTS = ("similarity", "separation", "beta", "sink", "activation")
"""The keys that define a memory without a named model."""


def model_options(card: Card) -> dict[str, tuple[Any, Any]]:
    """The parameters of a model that a file may give, name → (type, default): numbers, truth values, choices and names.

    The stored patterns, the values and the random numbers are not among them. The default of a required parameter is
    `...`.
    """
    options = {}
    for name, parameter in card.parameters.items():
        types = [_file_type(choice) for choice in _choices(parameter.annotation)]
        choices = [choice for choice in types if choice is not None]
        if choices and name not in (card.stored, card.read_out, "rng"):
            default = ... if parameter.default is parameter.empty else parameter.default
            optional = default is None or NoneType in _choices(parameter.annotation)
            options[name] = (Union[(*choices, *([NoneType] if optional else []))], default)
    return options


def _choices(annotation: Any) -> tuple[Any, ...]:
    """The choices of a union, or the annotation itself."""
    return get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)


def _file_type(choice: Any) -> Any:
    """The type by which a file gives a value of a Python type; None if a file cannot give it."""
    if choice is float:
        return Number
    if choice in (int, bool) or get_origin(choice) is Literal:
        return choice
    return Annotated[str, NameIn(_REGISTRIES[choice])] if choice in _REGISTRIES else None


ModelChoice = Annotated[
    Annotated[str, NameIn(named_memories, model_options), Tag("text")]
    | Annotated[Table, EntryIn(named_memories, parameters=model_options, suffix="Model"), Tag("table")],
    ByTomlType,
]
UpdateChoice = Annotated[
    Annotated[str, NameIn(updates, own_fields), Tag("text")]
    | Annotated[Table, EntryIn(updates, suffix="Update"), Tag("table")],
    ByTomlType,
]


class ModelTable(Table):
    """A memory, given by its model or by its parts, and the options of its recall."""

    place: ClassVar[str] = "memory"
    """The name of the table in a file."""
    model: ModelChoice | None = None
    """A memory of the literature by its name, instead of the five keys below."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a cue matches a pattern."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    beta: PositiveNumber = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    sink: Number | None = None
    """The logit of a null pattern, which competes with beta times the scores and gives nothing: the weights of a cue
    then sum to less than 1, and the array `rest` holds what is left. 0 is softmax1."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """The function from a neuron's field to its state."""
    update: UpdateChoice | None = None
    """The rule of a step: all neurons together, one by one, at random …; by default the memory's own: spins one after
    the other, in sequence, graded neurons in continuous time, others all together."""
    max_steps: Annotated[Count, Field(le=100_000)] | None = None
    """The largest number of steps of a recall; 1 is transformer attention. By default 100, or 1 for a linear or nearest
    memory that answers with values."""

    def problems(self) -> Iterator[Problem]:
        """One problem for each key that does not go together with `model`."""
        if self.model is not None:
            start, options = f"is a part of the model '{self.card.name}'", model_options(self.card)
            written = {} if isinstance(self.model, str) else self.model.model_dump(exclude={"name"}, exclude_unset=True)
            for key in PARTS:
                cure, value = "leave one of them out", getattr(self, key)
                if key in options and key not in written and not isinstance(value, Table):
                    named = {"name": self.card.name, **written, key: value}.items()
                    parts = (f"{name} = {json.dumps(one).removesuffix('.0')}" for name, one in named)
                    cure = f"write model = {{ {', '.join(parts)} }}"
                yield from unused_problems(self, [key], (self.place,), f"{start}; {cure}")

    @field_serializer("model")
    def _written_out(self, model: Any) -> Any:
        """A model given by its name alone with its defaults, so that a change or a sweep finds them."""
        if model is None or self.card is None:
            return model
        defaults = {name: default for name, (_, default) in model_options(self.card).items() if default is not ...}
        return {"name": model, **defaults} if isinstance(model, str) else model.model_dump(by_alias=True)

    @property
    def card(self) -> Any:
        """The card of the named model; None without a named model."""
        if self.model is None:
            return None
        return named_memories[self.model if isinstance(self.model, str) else str(getattr(self.model, "name", ""))]

    @property
    def needs_values(self) -> bool:
        """Whether the model requires values."""
        if self.card is None or not self.card.read_out:
            return False
        return bool(self.card.parameters[self.card.read_out].default is Parameter.empty)

    @property
    def needs_input(self) -> bool:
        """Whether the model has couplings that an input weighs."""
        return self.card is not None and "input" in self.card.parameters

    def build(
        self,
        patterns: np.ndarray,
        values: np.ndarray | None,
        rng: np.random.Generator,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> AssociativeMemory:
        """The memory that stores patterns `(n_patterns, dim)` and values `(n_patterns, n)`.

        rng: for models that use random numbers. given: other arguments, by the names of the model's parameters, which
        come before those of the file. Raises `InvalidInput` if the model cannot store the patterns.
        """
        if self.card is None:
            parts: dict[str, Any] = {"similarity": self.similarity, "activation": self.activation, "sink": self.sink}
            separation = registry_entry(separations, self.separation, beta=given.get("beta", self.beta))
            return Memory(patterns, values, separation=separation, **parts)
        build: Callable[..., AssociativeMemory] = self.card.build
        arguments: dict[str, Any] = {}
        if isinstance(self.model, Table):
            arguments = self.model.model_dump(exclude={"name"}, exclude_unset=True)
        arguments |= given
        arguments |= {} if values is None else {self.card.read_out: values}
        arguments |= {"rng": rng} if "rng" in self.card.parameters else {}
        for name, parameter in self.card.parameters.items():
            if parameter.default is Parameter.empty and name not in (self.card.stored, *arguments):
                raise InvalidInput(f"model: '{self.card.name}' needs {name}, which kind = \"memory\" has a key for")
        return build(patterns, **arguments)

    def update_rule(self, memory: AssociativeMemory) -> Update:
        """The rule of a step: the key `update`, or the memory's own; raises `InvalidInput` for wrong parameters."""
        return memory.default_update if self.update is None else update_entry(self.update)


def update_entry(choice: Any) -> Update:
    """The update that a file asks for; an order of neurons counts from 1 there, and from 0 in Python."""
    if not isinstance(order := getattr(choice, "order", None), list):
        return registry_entry(updates, choice)
    if sorted(order, key=str) != sorted(range(1, len(order) + 1), key=str):
        expected = "expected 'sequence', 'random', or the number of every neuron once, counted from 1"
        raise InvalidInput(f"order: {expected}, not {quoted(order)}")
    return updates.make(choice.name, order=[number - 1 for number in order])


class MemoryTable(ModelTable):
    """A memory of words, and the options of its recall."""

    patterns: Annotated[list[str], Field(min_length=1)]
    """The words that are stored."""
    values: Annotated[list[str], Field(min_length=1)] | None = None
    """The words to which the patterns lead, one for each pattern; by default a pattern leads to itself."""
    input: Text | None = None
    """The word whose vector is the input of a model with couplings that an input weighs."""
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Two stored words. The energy is taken on the straight line between them: the measure `barrier` says how far it
    rises above the higher end."""

    def problems(self) -> Iterator[Problem]:
        """One problem for each key that does not go together with others."""
        yield from super().problems()
        if self.values is not None and len(self.values) != len(self.patterns):
            yield Problem(("memory", "values"), f"{len(self.values)} words do not fit {len(self.patterns)} patterns")
        if self.values is not None and self.card is not None and not self.card.read_out:
            yield Problem(("memory", "values"), f"the model '{self.card.name}' leads to its own patterns")
        elif self.values is None and self.needs_values:
            yield Problem(("memory",), f"the model '{self.card.name}' needs values, one for each pattern")
        if self.input is not None and not self.needs_input:
            yield Problem(("memory", "input"), "is for a model with couplings that an input weighs, 'input_driven'")
        elif self.input is None and self.needs_input:
            yield Problem(("memory",), f"the model '{self.card.name}' needs an input: write input = \"a word\"")
        for i, word in enumerate(self.between or ()):
            if word not in self.patterns:
                yield Problem(("memory", "between", i), unknown(word, dict.fromkeys(self.patterns)))

    def words_for_rows(self, message: str, cues: Sequence[str] = ()) -> str:
        """A memory's error message, with words instead of row numbers; cues: the names of the cues of a recall."""
        words = self.values if message.startswith(("values", "right")) and self.values else self.patterns
        words = list(cues) if message.startswith(("cues", "energy")) else words
        return re.sub(r"\b(row|address) (\d+)", lambda match: f"'{shortened(words[int(match[2])])}'", message)

    @property
    def steps(self) -> int:
        """The largest number of steps of a recall."""
        answers = self.values is not None and self.card is not None and self.card.answers
        return self.max_steps or (1 if answers else 100)

    @property
    def stored_words(self) -> tuple[str, ...]:
        """The patterns and the values, each once."""
        return tuple(dict.fromkeys((*self.patterns, *(self.values or ()))))

    @property
    def recalled_words(self) -> list[str]:
        """The words with which a recalled state is compared; a bidirectional memory recalls patterns, not values."""
        own_side = self.card is not None and self.card.read_out == "right"
        return self.patterns if self.values is None or own_side else self.values

    def build_from_words(
        self,
        words: Mapping[str, np.ndarray],
        rng: np.random.Generator,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> AssociativeMemory:
        """The memory of the table's words; raises `InvalidInput` if the model cannot store them.

        words: the vector of each word. rng, given: as of `build`.
        """
        patterns = np.stack([words[word] for word in self.patterns])
        values = None if self.values is None else np.stack([words[word] for word in self.values])
        own = {} if self.input is None else {"input": words[self.input]}
        return self.build(patterns, values, rng, {**own, **given})
