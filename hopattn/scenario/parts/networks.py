"""Networks of layers, as a scenario writes them: their layers, and their synapses with arrays of numbers or words."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from inspect import signature
from math import prod
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import AfterValidator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from hopattn.dynamics.updates.base import Update
from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.registry import Choices
from hopattn.networks.layers import Layer
from hopattn.networks.network import Network
from hopattn.networks.synapses import Function, synapses
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.separation import separations
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import (
    ByTomlType,
    Count,
    EntryIn,
    NameIn,
    PositiveNumber,
    Problem,
    Table,
    Text,
    registry_entry,
)
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import Mask, SeparationChoice
from hopattn.scenario.parts.memories import UpdateChoice, update_entry
from hopattn.scenario.words.damaged_cues import Damaged, random_stream
from hopattn.scenario.words.word_list import Words

Cue = Mapping[str, Any]
"""The value of each layer that a cue gives, by its name."""


def _numbers_or_words(value: list[Any]) -> list[Any]:
    """The array itself; raises `PydanticCustomError` unless it holds numbers in a regular shape, or words."""
    rows = [one if isinstance(one, list) else [one] for one in value]
    if all(row and all(isinstance(one, str) for one in row) for row in rows) and len({*map(type, value)}) == 1:
        return value
    try:
        array = np.array(value)
    except ValueError:
        array = np.zeros(0)
    if array.dtype.kind not in "if" or 0 in array.shape or not np.isfinite(array).all():
        expected = "expected numbers in rows of equal length, words, or groups of words"
        raise PydanticCustomError("numbers_or_words", "{message}", {"message": expected})
    return value


NumbersOrWords = Annotated[
    list[Any],
    Field(min_length=1),
    AfterValidator(_numbers_or_words),
    WithJsonSchema({"type": "array", "minItems": 1}),
]


class DrawnTable(Table):
    """Gaussian numbers, which the seed of the scenario decides."""

    normal: PositiveNumber
    """Their standard deviation."""
    shape: Annotated[list[Count], Field(min_length=1)]
    """The length of each axis."""


ArrayChoice = Annotated[Annotated[NumbersOrWords, Tag("array")] | Annotated[DrawnTable, Tag("table")], ByTomlType]
"""Numbers; words, one for each row; groups of words, whose outer products are summed; or random numbers."""
CueChoice = Annotated[
    Annotated[Text, Tag("text")] | Annotated[NumbersOrWords, Tag("array")] | Annotated[Damaged, Tag("table")],
    ByTomlType,
]
"""A word, numbers or the words of rows, or a damaged word."""
FORMS: dict[str, Any] = {
    "separation": SeparationChoice,
    "beta": PositiveNumber | None,
    "stride": Count,
    "mask": Mask | None,
}
"""The parameters of synapses that are not arrays."""
FILED = Choices("synapse", {name: entry for name, entry in synapses.items() if entry is not Function})
"""The synapses that a file can give."""


def _options(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters of a synapse that a file gives, and the layers that it joins."""
    given = {
        name: (FORMS.get(name, ArrayChoice | None), ... if one.default is one.empty else one.default)
        for name, one in signature(entry).parameters.items()
    }
    return {"on": (Annotated[list[Text], Field(min_length=1)], ...), **given}


SynapseChoice = Annotated[Table, EntryIn(FILED, parameters=_options, suffix="SynapseTable")]


class _Lagrangians(Choices[type[Any]]):
    """The activations and the separations, also those that are registered later; of one name, the activation."""

    def __init__(self) -> None:
        self.what = "activation"

    @property
    def _entries(self) -> dict[str, type[Any]]:  # type: ignore[override]
        return {**separations, **activations}


NEURONS = _Lagrangians()
NeuronChoice = Annotated[
    Annotated[str, NameIn(NEURONS), Tag("text")]
    | Annotated[Table, EntryIn(NEURONS, without=("beta",), suffix="LayerTable"), Tag("table")],
    ByTomlType,
]


def array_of(given: Any, words: Words, rng: np.random.Generator) -> np.ndarray:
    """The numbers of a value of a file; its words are known."""
    if isinstance(given, DrawnTable):
        return rng.normal(0, given.normal, given.shape)
    if isinstance(given, Damaged):
        return given.build(words.vectors, words.size, rng)
    if isinstance(given, str):
        return words.vectors[given]
    if isinstance(given[0], str):
        return np.stack([words.vectors[word] for word in given])
    if isinstance(given[0], list) and isinstance(given[0][0], str):
        products = [reduce(np.multiply.outer, [words.vectors[word] for word in group]) for group in given]
        return np.asarray(np.sum(products, axis=0))
    return np.array(given, dtype=float)


def count_of(given: Any, dim: int) -> int:
    """The number of numbers of such a value; dim: that of a word."""
    if isinstance(given, DrawnTable):
        return prod(given.shape)
    if isinstance(given, list) and isinstance(given[0], list) and isinstance(given[0][0], str):
        return int(min(1e15, max(float(dim) ** len(group) for group in given)))
    return dim * len(given) if isinstance(given, list) else dim


def array_problems(given: Any, words: Words, path: Path) -> Iterator[Problem]:
    """Words that are unknown, and groups of unlike lengths."""
    if isinstance(given, Damaged):
        yield from given.problems(words.vectors, words.size, path)
        return
    groups = given if isinstance(given, list) and isinstance(given[0], list) else [given]
    named = [word for group in groups for word in (group if isinstance(group, list) else [group])]
    for word in named:
        if isinstance(word, str) and word not in words.vectors:
            yield Problem(path, unknown(word, words.vectors))
    if any(isinstance(word, str) for word in named) and len({*map(len, groups)}) > 1:
        yield Problem(path, "expected as many words in each group, one for each layer of the synapse")


class Settling(Table):
    """A system that settles: its neurons change until its energy has a minimum."""

    update: UpdateChoice | None = None
    """The rule of a step; by default one layer, or one token, after another."""
    max_steps: Annotated[Count, Field(le=100_000)] = 100
    """The largest number of steps of a recall."""

    def rule(self, memory: Any) -> Update:
        """The rule of a step; raises `InvalidInput` for wrong parameters."""
        return memory.default_update if self.update is None else update_entry(self.update)

    def cure_of_update(self, memory: Any) -> str:
        """A hint for an update that cannot be applied, where the default one can be."""
        if self.update is None or memory.default_update.obstacle(memory):
            return ""
        return "; leave `update` out, for one layer or token after another"


class NeuronLayerTable(Table):
    """A layer of neurons."""

    shape: Annotated[
        Annotated[Count, Tag("number")] | Annotated[list[Count], Field(min_length=1), Tag("array")], ByTomlType
    ]
    """The number of neurons, or one number for each axis."""
    activation: NeuronChoice = "identity"
    """The activation of its neurons, or a separation, by which they compete."""
    beta: PositiveNumber | None = None
    """The steepness of the activation, or the inverse temperature of the separation."""
    tau: PositiveNumber = 1.0
    """The time constant, for updates in continuous time."""
    patterns: Annotated[list[Text], Field(min_length=1)] | None = None
    """The words with which its states are compared."""

    @property
    def size(self) -> int:
        """The number of neurons."""
        return self.shape if isinstance(self.shape, int) else prod(self.shape)

    def build(self, name: str) -> Layer:
        """The layer; raises `InvalidInput` for one without a Lagrangian."""
        chosen: Any = self.activation
        if isinstance(chosen, str):
            return Layer(name, self.shape, chosen, beta=self.beta, tau=self.tau)
        registry: Any = activations if chosen.name in activations else separations
        own = {} if self.beta is None else {"beta": self.beta}
        return Layer(name, self.shape, registry_entry(registry, chosen, **own), tau=self.tau)


class NetworkTable(Settling):
    """Layers of neurons, and the synapses that join them."""

    place: ClassVar[str] = "network"
    layers: Annotated[dict[Text, NeuronLayerTable], Field(min_length=1)]
    """The layers by name."""
    synapses: list[SynapseChoice] = Field(default_factory=list)
    """The synapses, each with its kind as `name`, and `on`, the layers that it joins."""
    clamp: list[Text] = Field(default_factory=list)
    """The layers that keep what the cue says, or what the layers of the cue give them."""

    @property
    def named(self) -> list[str]:
        """The layers that are compared with words: the first one recalls, the second one answers."""
        return [name for name, layer in self.layers.items() if layer.patterns]

    @property
    def patterns(self) -> list[str]:
        """The words with which a recall is compared."""
        return (self.layers[self.named[0]].patterns or []) if self.named else []

    @property
    def answers(self) -> list[str]:
        """The words with which an answer is compared."""
        return (self.layers[self.named[1]].patterns or []) if len(self.named) > 1 else []

    def size(self, dim: int) -> tuple[int, int]:
        """The neurons, and the numbers of all synapses."""
        weights = sum(count_of(own, dim) for one in self.synapses for own in self._arrays(one).values())
        return sum(layer.size for layer in self.layers.values()), weights

    @staticmethod
    def _arrays(table: Table) -> dict[str, Any]:
        """The arrays of a synapse by their keys."""
        return {key: value for key, value in table if key not in ("name", "on", *FORMS) and value is not None}

    def problems(self, words: Words) -> Iterator[Problem]:
        """The problems of the layers and synapses."""
        layers = {}
        for name, table in self.layers.items():
            path: Path = ("network", "layers", name)
            try:
                layers[name] = table.build(name)
            except InvalidInput as error:
                yield Problem(path, str(error).removeprefix(f"layer '{name}': "))
            yield from pattern_problems(table.patterns or [], words, table.size, (*path, "patterns"))
        if len(self.named) > 2:
            yield Problem(
                ("network", "layers", self.named[2], "patterns"),
                f"is the third layer with patterns; at most two are compared: '{self.named[0]}' and '{self.named[1]}'",
            )
        one: Any
        for i, one in enumerate(self.synapses):
            path = ("network", "synapses", i)
            problems = [
                *(Problem((*path, "on"), unknown(name, self.layers)) for name in one.on if name not in self.layers),
                *(
                    problem
                    for key, value in self._arrays(one).items()
                    for problem in array_problems(value, words, (*path, key))
                ),
            ]
            yield from problems
            if not problems and all(name in layers for name in one.on):
                yield from refusals(path, partial(self._alone, i, words), self._start_of(i))
        for i, name in enumerate(self.clamp):
            if name not in self.layers:
                yield Problem(("network", "clamp", i), unknown(name, self.layers))

    def _alone(self, i: int, words: Words) -> Network:
        """One synapse alone, with the layers that it is on."""
        one: Any = self.synapses[i]
        layers = [self.layers[name].build(name) for name in dict.fromkeys(one.on)]
        return Network(layers, [self._synapse(i, words, 0)])

    def build(self, words: Words, root: int) -> Network:
        """The network; raises `InvalidInput` where everything is clamped."""
        layers = [table.build(name) for name, table in self.layers.items()]
        network = Network(layers, [self._synapse(i, words, root) for i in range(len(self.synapses))])
        return network.clamped(self.clamp) if self.clamp else network

    def _synapse(self, i: int, words: Words, root: int) -> Any:
        table: Any = self.synapses[i]
        arrays = {
            key: array_of(value, words, random_stream(root, f"synapse {i} {key}"))
            for key, value in self._arrays(table).items()
        }
        given = {key: getattr(table, key) for key in FORMS if getattr(table, key, None) is not None}
        registries: dict[str, Any] = {"separation": separations, "mask": mask_rules}
        for key, registry in registries.items():
            if isinstance(given.get(key), Table):
                given[key] = registry_entry(registry, given[key])
        return synapses.make(table.name, **arrays, **given).on(*table.on)

    def _start_of(self, i: int) -> str:
        own: Any = self.synapses[i]
        return f"synapse '{'–'.join(own.on)}{' synapse' * (len(own.on) == 1)}': "

    def cue_problems(self, cue: Cue, words: Words, path: Path) -> Iterator[Problem]:
        """Layers that do not exist, and values that do not fit them."""
        for name, value in cue.items():
            if name not in self.layers:
                yield Problem((*path, name), unknown(name, self.layers))
                continue
            problems = [*array_problems(value, words, (*path, name))]
            yield from problems
            size = self.layers[name].size
            if not problems and (given := array_of(value, words, np.random.default_rng(0)).size) != size:
                yield Problem((*path, name), f"{given} numbers do not fit the {size} neurons of the layer '{name}'")

    def start(self, memory: Network, cue: Cue, words: Words, root: int, name: str) -> tuple[Network, np.ndarray]:
        """The network and the state from which a cue starts."""
        given = {
            layer: array_of(value, words, random_stream(root, f"{name} {layer}")).reshape(memory[layer].shape)
            for layer, value in cue.items()
        }
        return memory, np.asarray(memory.join(given))

    def parts(self, memory: Network) -> dict[str, slice]:
        """The part of each layer in a state."""
        return memory.parts

    def seen(self, memory: Network, states: np.ndarray, words: Words) -> np.ndarray:
        """The part of states `(…, total)` that is compared with words, `(…, dim)`."""
        return states[..., memory.parts[self.named[0]]]

    def neurons(self, memory: Network) -> Activation:
        """The activation of that part."""
        activation: Activation = memory[self.named[0]].activation
        return activation


def pattern_problems(patterns: Sequence[str], words: Words, size: int, path: Path) -> Iterator[Problem]:
    """Unknown words, words of another size than the layer, and two words with the same vector."""
    known: dict[bytes, str] = {}
    for i, word in enumerate(patterns):
        vector = words.vectors.get(word)
        if vector is None:
            yield Problem((*path, i), unknown(word, words.vectors))
        elif len(vector) != size:
            yield Problem((*path, i), f"'{shortened(word)}' has {len(vector)} elements, the layer {size} neurons")
        elif (same := known.setdefault((vector + 0.0).tobytes(), word)) != word:
            both = f"'{shortened(same)}' and '{shortened(word)}'"
            yield Problem((*path, i), f"{both} are the same pattern; a recall cannot tell them apart")
