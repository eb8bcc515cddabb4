"""Memories as a scenario writes them: a named model, or similarity, separation and activation; and what they store."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from inspect import Parameter
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, ClassVar, Literal, Union, get_args, get_origin

import numpy as np
from pydantic import Field, Tag, field_serializer

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Glauber
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.errors import InvalidInput, quoted, shortened
from hopattn.foundation.sentences import say
from hopattn.memories.memory import Memory
from hopattn.memories.models import named_memories
from hopattn.memories.models.card import CURE_OF_0_AND_1, Card
from hopattn.networks.classical import Hopfield
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.scenario.arrays import Arrays, labelled, labels, numbers
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.layers import SeparationChoice
from hopattn.scenario.language.syntax_faults import comma_hint
from hopattn.scenario.language.table import (
    ByTomlType,
    Count,
    EntryIn,
    Matrix,
    NameIn,
    Number,
    Parts,
    PositiveNumber,
    Refused,
    Table,
    Text,
    Told,
    Vector,
    at,
    fitting,
    need,
    need_different,
    need_known,
    need_unused,
    own_fields,
    registry_entry,
)
from hopattn.scenario.words.cues import OF_STATES, combined_words
from hopattn.scenario.words.pictures import Pictures, Vectors, Words
from hopattn.scenario.words.vocabulary import Vocabulary

NumberOrVector = Annotated[Annotated[Number, Tag("number")] | Annotated[Vector, Tag("array")], ByTomlType]
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
        union = get_origin(parameter.annotation) in (Union, UnionType)
        choices = get_args(parameter.annotation) if union else (parameter.annotation,)
        types = [NumberOrVector] if list[float] in choices else [*filter(None, map(_file_type, choices))]
        if types and name not in (card.stored, card.read_out, "rng"):
            default = ... if parameter.default is parameter.empty else parameter.default
            types += [NoneType] if default is None or NoneType in choices else []
            options[name] = (Union[(*types,)], default)
    return options


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
WordsOrNumbers = Annotated[
    list[Annotated[Annotated[str, Tag("text")] | Annotated[Vector, Tag("array")], ByTomlType]], Field(min_length=1)
]


class ModelTable(Table):
    """A memory, given by its model or by its parts, and the options of its recall."""

    model: Annotated[ModelChoice | None, Told("model")] = None
    """A memory of the literature by its name, instead of the five keys below."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a cue matches a pattern."""
    separation: Annotated[SeparationChoice, Told("separation")] = "softmax"
    """How scores become weights."""
    beta: Annotated[PositiveNumber, Told()] = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    sink: Number | None = None
    """The logit of a null pattern, which competes with beta times the scores and gives nothing: the weights of a cue
    then sum to less than 1, and the array `rest` holds what is left. 0 is softmax1."""
    activation: Annotated[str, NameIn(activations), Told("activation")] = "identity"
    """The function from a neuron's field to its state."""
    update: Annotated[UpdateChoice | None, Told("update")] = None
    """The rule of a step: all neurons together, one by one, at random …; by default the memory's own: spins one after
    the other, in sequence, graded neurons in continuous time, others all together."""
    max_steps: Annotated[Annotated[Count, Field(le=100_000)] | None, Told()] = None
    """The largest number of steps of a recall; 1 is transformer attention. By default 100, or 1 for a linear or nearest
    memory that answers with values."""

    def need_fit(self) -> None:
        """Refuse each key that does not go together with `model`."""
        if self.model is None:
            return
        options = model_options(self.card)
        written = {} if isinstance(self.model, str) else self.model.model_dump(exclude={"name"}, exclude_unset=True)
        with Parts() as parts:
            for key in PARTS:
                cure, value = "leave one of them out", getattr(self, key)
                if key in options and key not in written and not isinstance(value, Table):
                    named = {"name": self.card.name, **written, key: value}.items()
                    texts = (f"{name} = {json.dumps(one).removesuffix('.0')}" for name, one in named)
                    cure = f"write model = {{ {', '.join(texts)} }}"
                with parts.at(key):
                    message = f"is a part of the model '{self.card.name}'; {cure}"
                    need(key not in self.model_fields_set, (), message)

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
        self.need_fit()
        if self.card is None:
            parts: dict[str, Any] = {"similarity": self.similarity, "activation": self.activation, "sink": self.sink}
            with at("separation"):
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
    """The update of the key `update`; an order of neurons counts from 1 in a file, and from 0 in Python."""
    order = getattr(choice, "order", "")
    with at("update", table=choice if isinstance(choice, Table) else None):
        if isinstance(order, str):
            return registry_entry(updates, choice)
        every = [*range(1, len(order) + 1)] if isinstance(order, list) else []
        expected = (
            "expected 'sequence', 'random', or the number of every neuron once, counted from 1, such as [2, 1, 3]"
        )
        message = f"{quoted(order)} does not fit; {expected}"
        need(every and sorted(order, key=str) == sorted(every, key=str), "order", message)
        parameters = choice.model_dump(exclude={"name"}) | {"order": [number - 1 for number in order]}
        return updates.make(choice.name, **parameters)


def add_temperatures(arrays: Arrays, update: Update | None, max_steps: int) -> None:
    """Add the temperature of each step, `(max_steps,)`, on demand and for figures alone, where an update cools."""
    if isinstance(update, Glauber) and update.cooling < 1:
        by_step, axis = [update.temperature_at(k) for k in range(max_steps)], {"step": numbers(max_steps)}
        arrays.add_on_demand("temperature", partial(labelled, by_step, axis))
        arrays.drawn.add("temperature")


class MemoryTable(ModelTable):
    """A memory of words, and the options of its recall."""

    arguments: ClassVar[Mapping[str, str]] = dict.fromkeys(("keys", "patterns"), "stored") | {"values": "read"}
    stored: Annotated[WordsOrNumbers | None, Field(alias="patterns"), Told(pools=(*OF_STATES, "whole"))] = None
    """The words that are stored; or numbers, which are stored as they stand: [[1, 1, -1], …]. Such patterns are called
    1, 2, 3 …, and need no vocabulary. With `couplings`, recalled states are compared with them, and they may be left
    out."""
    couplings: Annotated[Matrix | None, Told(pools=("signs",))] = None
    """Instead of a model: the couplings W of a network, one row for each neuron. Number j of row i leads from neuron j
    to neuron i. Spins are updated by default; `activation` may name other neurons, such as "step" for 0 and 1. One
    after the other, a neuron turns where the energy falls: its coupling to itself then counts half for 0 and 1, and not
    at all for spins; with `update = "sync"` it counts whole."""
    bias: Annotated[NumberOrVector | None, Told()] = None
    """With `couplings`: what is added to the field of every neuron, or of each of them; by default 0."""
    threshold: Annotated[NumberOrVector | None, Told()] = None
    """With `couplings`, instead of `bias`: what is taken off the field of every neuron, or of each of them."""
    read: Annotated[WordsOrNumbers | None, Field(alias="values"), Told(pools=OF_STATES)] = None
    """The words to which the patterns lead, one for each pattern; by default a pattern leads to itself. Values of
    numbers are called value 1, value 2 …"""
    input: Text | None = None
    """The word whose vector is the input of a model with couplings that an input weighs."""
    between: Annotated[list[str], Field(min_length=2, max_length=2)] | None = None
    """Two stored words. The energy is taken on the straight line between them: the measure `barrier` says how far it
    rises above the higher end."""

    @property
    def patterns(self) -> list[str]:
        """The names of the patterns."""
        return _names(self.stored or (), "")

    @property
    def values(self) -> list[str] | None:
        """The names of the values; None where each pattern leads to itself."""
        return None if self.read is None else _names(self.read, "value ")

    @property
    def of_numbers(self) -> bool:
        """Whether every pattern stands there as numbers, so that no word has to have a vector."""
        return not any(isinstance(pattern, str) for pattern in self.stored or ())

    @property
    def has_own_side(self) -> bool:
        """Whether values are of a second side, whose neurons are others, as in a bidirectional memory."""
        return self.card is not None and bool(self.card.read_out == "right")

    def with_numbers(self, words: Words, answers: Words | None = None) -> tuple[Words, Words | None]:
        """The words of a file and those of the second side, with the patterns and values that the table has as numbers.

        Without a second side of its own axes there is None. The axes of numbers without a vocabulary are numbered.
        Raises `Refused` for numbers that do not fit the axes, and for a word with the name of such a pattern.
        """
        axes = words.axes
        if not axes and self.of_numbers:
            axes = numbers(len(self.couplings or (self.stored or ([],))[0]))
        widths = [len(value) for value in self.read or () if not isinstance(value, str)]
        if answers is None and self.has_own_side and widths and widths[0] != len(axes):
            answers = Words(numbers(widths[0]), Vectors({}))
        left = replace(words, axes=axes, vectors=Vectors(words.vectors, words.vectors.absent))
        right = answers and replace(answers, vectors=Vectors(answers.vectors))
        lists = (("patterns", self.stored, self.patterns, left), ("values", self.read, self.values, right or left))
        with Parts() as parts:
            with parts.at("couplings"):
                fitting(self.couplings, (), self._each_neuron(len(axes)), self._each_neuron(len(axes)))
            for key, entries, names, side in lists:
                for i, (entry, name) in enumerate(zip(entries or (), names or (), strict=True)):
                    with parts.at(key, i):
                        if not isinstance(entry, str):
                            fit = f"do not fit the {len(side.axes)} axes ({', '.join(side.axes[:8])})"
                            hint = comma_hint(entry, len(side.axes))
                            need(len(entry) == len(side.axes), (), f"{len(entry)} numbers {fit}{hint}")
                            known = {*words.vectors, *side.vectors}
                            need(name not in known, (), f"is called '{name}', as a word is; rename the word")
                            side.vectors[name] = np.array(entry, dtype=float)
        return left, right

    def need_fit(self) -> None:
        patterns, values, card = self.patterns, self.values, self.card
        if self.couplings is None:
            super().need_fit()
        need(self.stored or self.couplings, "patterns", "is missing; give what is stored, or `couplings`")
        if self.couplings is None:
            own = 'and none are given; a model has its own: model = { name = "hopfield", bias = 1 }'
            need_unused(self, ("bias", "threshold"), f"belongs to `couplings`, {own}")
        else:
            other = "does not go together with `couplings`; leave one of them out"
            need_unused(self, ("model", "similarity", "separation", "sink", "input"), other)
            need(values is None, "values", other)
            both = self.bias is None or self.threshold is None
            need(both, "threshold", "is the bias with the other sign; leave one of them out")
        model = "" if card is None else f"the model '{card.name}'"
        weighs_input = card is not None and "input" in card.parameters
        nothing = "'nothing' is what a recall of no pattern is called; rename the word"
        need("nothing" not in (*patterns, *(values or ())), "patterns", nothing)
        if values is None:
            need(not self.needs_values, (), f"{model} needs values, one for each pattern")
        else:
            need(len(values) == len(patterns), "values", f"{len(values)} values do not fit {len(patterns)} patterns")
            need(card is None or card.read_out, "values", f"{model} leads to its own patterns")
        if self.input is None:
            need(not weighs_input, (), f'{model} needs an input: write input = "a word"')
        unweighed = "is for a model with couplings that an input weighs, 'input_driven'"
        need(self.input is None or weighs_input, "input", unweighed)
        with Parts() as parts:
            for i, word in enumerate(self.between or ()):
                with parts.at("between", i):
                    need_known(word, {*patterns})

    @property
    def asking_for_0_and_1(self) -> str:
        """What asks for neurons of 0 and 1."""
        if self.couplings is not None:
            return 'activation = "step"'
        name = "hopfield" if self.card is None or "activation" not in self.card.parameters else self.card.name
        return f'model = {{ name = "{name}", activation = "step" }}'

    def unknown(self, cue: np.ndarray) -> str:
        """How many neurons of a cue of 0 and 1 are unknown, and what to write if they are not."""
        return say(
            "{} of {} neurons are 0, which is unknown; if 0 means −1, write −1 for 0; neurons of 0 and 1 need {}",
            *(str(np.sum(cue == 0)), str(len(cue)), self.asking_for_0_and_1),
        )

    @contextmanager
    def named_rows(self, cues: Sequence[str] = ()) -> Iterator[None]:
        """Name words instead of rows in what is refused inside; cues: the names of the cues of a recall."""
        try:
            yield
        except Refused:
            raise
        except InvalidInput as error:
            message = str(error).replace(
                CURE_OF_0_AND_1, f"; for 0 and 1, write −1 for 0, or {self.asking_for_0_and_1}"
            )
            words = self.values if message.startswith(("values", "right")) and self.values else self.patterns
            words = list(cues) if message.startswith(("cues", "energy")) else words
            word = lambda match: f"'{shortened(words[int(match[2])])}'"  # noqa: E731
            raise InvalidInput(re.sub(r"\b(row|address) (\d+)", word, message)) from None

    @property
    def steps(self) -> int:
        """The largest number of steps of a recall."""
        answers = self.read is not None and self.card is not None and self.card.answers
        return self.max_steps or (1 if answers else 100)

    @property
    def recalled_words(self) -> list[str]:
        """The words with which a recalled state is compared; a bidirectional memory recalls patterns, not values."""
        return self.patterns if self.values is None or self.has_own_side else self.values

    def build_from_words(
        self,
        words: Mapping[str, np.ndarray],
        rng: np.random.Generator,
        given: Mapping[str, Any] = MappingProxyType({}),
        answers: Mapping[str, np.ndarray] | None = None,
    ) -> AssociativeMemory:
        """The memory of the table's words; raises `Refused` for unknown words, and if the model cannot store them.

        words: the vector of each word, and of each pattern of numbers. rng, given: as of `build`. answers: the vectors
        of the second side, if they are others.
        """
        rows: dict[str, list[np.ndarray]] = {"patterns": [], "values": []}
        sides = {"patterns": (self.patterns, words), "values": (self.values or (), answers or words)}
        with Parts() as parts:
            for key, (names, vectors) in sides.items():
                for i, name in enumerate(names):
                    with parts.at(key, i):
                        rows[key].append(vectors[name])
                with parts.at(key):
                    need_different(labels(names))
            if self.input is not None:
                with parts.at("input"):
                    given = {"input": words[self.input], **given}
        self.need_fit()
        if self.couplings is not None:
            return self._network(rows["patterns"], given)
        values = None if self.read is None else np.stack(rows["values"])
        place = at(table=self) if self.model is None else at("model")
        with place, self.named_rows():
            return self.build(np.stack(rows["patterns"]), values, rng, given)

    def _network(self, patterns: Sequence[np.ndarray], given: Mapping[str, Any]) -> Hopfield:
        """The network of the couplings, whose states are compared with patterns. given: another β of its neurons."""
        key = "bias" if self.threshold is None else "threshold"
        shift = getattr(self, key) or 0.0
        if isinstance(shift, list):
            shift = fitting(shift, key, self._each_neuron(len(self.couplings or ())))
        options = {"beta": self.beta} if "beta" in self.model_fields_set else {}
        options |= {name: value for name, value in given.items() if name == "beta"}
        rows = np.stack(patterns) if patterns else None
        with at(table=self):
            kind = activations.make(self.activation if "activation" in self.model_fields_set else "sign", **options)
            return Hopfield(self.couplings, bias=shift if key == "bias" else -shift, activation=kind, patterns=rows)

    @staticmethod
    def _each_neuron(neurons: int) -> tuple[int, str]:
        return neurons, f"one for each of the {neurons} neurons"


def _names(entries: Sequence[str | Vector], before: str) -> list[str]:
    """The words of a list, and a name for each entry of numbers: its place, after some words."""
    return [entry if isinstance(entry, str) else f"{before}{i}" for i, entry in enumerate(entries, start=1)]


def _unread_answers(table: MemoryTable | None) -> str:
    """Why a memory reads no words of a second side."""
    models = " or ".join(f'model = "{name}"' for name, card in named_memories.items() if card.read_out == "right")
    other = f"the model '{table.card.name}' has one side" if table and table.card else "no model is named here"
    return f"only a memory of two sides has such words: {models}; {other}"


class StoredWords(Kind):
    """The base of the kinds with words and pictures, and mostly a memory of them."""

    written: Annotated[Vocabulary | None, Field(alias="vocabulary"), Told()] = None
    """The words as vectors."""
    pictures: Pictures | None = None
    """The words that are pictures."""

    @property
    def vocabulary(self) -> Words:
        """The words, the pictures, and the patterns of numbers together: in a run of [[without]] those of the whole."""
        return self.sides[0]

    @property
    def answers(self) -> Words | None:
        """The words of the second side of a memory, if they have axes of their own."""
        return self.sides[1]

    @cached_property
    def sides(self) -> tuple[Words, Words | None]:
        """The words of the first side and of the second one."""
        if self._taken is not None:
            whole: tuple[Words, Words | None] = self._taken[0].sides
            return whole
        table: MemoryTable | None = getattr(self, "memory", None)
        lack = "needs [vocabulary] or [pictures]: nothing says which words there are"
        need(self.written or self.pictures or table is None or table.of_numbers, (), lack)
        words, own, answers = combined_words(self.written, self.pictures), getattr(self.written, "answer", None), None
        if own is not None:
            with at("vocabulary", "answer"):
                need(table is not None and table.has_own_side, (), lambda: _unread_answers(table))
                answers = Words(tuple(own.axes), Vectors(own.vectors))
                for name in answers.vectors:
                    twice = f"'{shortened(name)}' is a word of the first side too; rename one of them"
                    need(name not in words.vectors, ("words", name), twice)
        with at("memory"):
            return (words, None) if table is None else table.with_numbers(words, answers)
