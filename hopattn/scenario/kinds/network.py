"""kind = "network": layers of neurons that synapses join, or an Energy Transformer block, from cues to a minimum."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from inspect import signature
from itertools import chain
from math import prod
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Tag, WithJsonSchema

from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.layer_by_layer import Layers
from hopattn.foundation.errors import shortened
from hopattn.foundation.registry import Choices
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.writing import listed, number
from hopattn.networks.energy_transformer import EnergyTransformer, Patches, TokenMemory
from hopattn.networks.layers import Layer, described, lengths
from hopattn.networks.network import Network
from hopattn.networks.synapses import Connection, Dense, Function, synapses
from hopattn.retrieval.activation import Identity, activations
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arithmetic import MANY, added, equals, vector, written
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds.couplings import COUPLINGS, add_matrix
from hopattn.scenario.kinds.explained_recall import after, strips
from hopattn.scenario.kinds.explained_turns import Flow
from hopattn.scenario.kinds.layers import Mask, SeparationChoice
from hopattn.scenario.kinds.memory import parts_of_spurious
from hopattn.scenario.kinds.models import StoredWords, UpdateChoice, update_entry
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.table import (
    ByTomlType,
    Count,
    EntryIn,
    NameIn,
    Parts,
    PositiveNumber,
    Table,
    Text,
    at,
    need,
    need_known,
    need_one_of,
    need_room,
    need_unused,
    refusal,
    registry_entry,
    unnamed,
)
from hopattn.scenario.result import named
from hopattn.scenario.words.cues import Damaged, random_stream
from hopattn.scenario.words.pictures import Strip, Words
from hopattn.scenario.words.vocabulary import WORD

OF_PICTURES, OF_MATRICES = ("pictures", "patches", "sharpness"), ("query", "key", "memories")
"""The keys of a block that completes pictures, and of one that is given by its matrices."""
NARROW = 16
"""The largest number of neurons whose states a terminal shows."""
WRITTEN = 4
"""The number of first steps whose energies are written."""

NumbersOrWords = Annotated[list[Any], Field(min_length=1), WithJsonSchema({"type": "array", "minItems": 1})]


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
FORMS: Any = {"separation": SeparationChoice, "beta": PositiveNumber | None, "stride": Count, "mask": Mask | None}
"""The parameters of synapses that are not arrays."""
REGISTRIES: dict[str, Any] = {"separation": separations, "mask": mask_rules}
FILED = Choices("synapse", {name: entry for name, entry in synapses.items() if entry is not Function})
"""The synapses that a file can give."""


def _options(entry: Any) -> dict[str, tuple[Any, Any]]:
    """The parameters of a synapse that a file gives, and the layers that it joins."""
    options: dict[str, tuple[Any, Any]] = {"on": (Annotated[list[Text], Field(min_length=1)], ...)}
    for name, one in signature(entry).parameters.items():
        options[name] = FORMS.get(name, ArrayChoice | None), ... if one.default is one.empty else one.default
    return options


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


@dataclass
class Values:
    """What the values of a file say as numbers. It counts them, and refuses what would not fit into the memory.

    root: of the random numbers; each value has a stream of its own, which does not depend on the others.
    """

    words: Words
    root: int
    count: int = 0

    def count_in(self, numbers: int, path: Path = ()) -> None:
        """Count numbers that are about to be computed."""
        need_room(self.count + numbers, path)
        self.count += numbers

    def of(self, value: Any, stream: str) -> np.ndarray:
        """The numbers of an array or a cue."""
        rng, vectors, words = random_stream(self.root, stream), self.words.vectors, self.words
        if isinstance(value, DrawnTable):
            self.count_in(prod(value.shape))
            return rng.normal(0, value.normal, value.shape)
        if isinstance(value, Damaged):
            need(value.answer is None, "answer", "is for the kind 'memory'; here each layer has a key of its own")
            return value.build(vectors, words.size, rng)
        if isinstance(value, str):
            need_known(value, vectors)
            return vectors[value]
        groups, dim = value if all(isinstance(row, list) for row in value) else [value], len(words.axes)
        if not all(group and all(isinstance(word, str) for word in group) for group in groups):
            try:
                array = np.array(value)
            except ValueError:
                array = np.zeros(0)
            numbers = array.dtype.kind in "if" and 0 not in array.shape and np.isfinite(array).all()
            need(numbers, (), "expected numbers in rows of equal length, words, or groups of words")
            return array.astype(float)
        for word in chain(*groups):
            need_known(word, vectors)
        alike = "expected as many words in each group, one for each layer of the synapse"
        need(len({*map(len, groups)}) == 1, (), alike)
        self.count_in(dim * len(value) if groups is not value else dim ** min(len(value[0]), 99))
        rows = [[vectors[word] for word in group] for group in groups]
        return np.stack(rows[0]) if groups is not value else np.sum([reduce(np.multiply.outer, row) for row in rows], 0)

    def patterns(self, names: Sequence[str], size: int) -> np.ndarray:
        """The vectors of words, `(n_words, size)`; refuses those of another size, and two words of one vector."""
        words: dict[bytes, str] = {}
        for i, word in enumerate(names):
            need_known(word, self.words.vectors, i)
            vector = self.words.vectors[word]
            need(len(vector) == size, (i,), f"'{shortened(word)}' has {len(vector)} elements, the layer {size} neurons")
            both = f"'{shortened(same := words.setdefault((vector + 0.0).tobytes(), word))}' and '{shortened(word)}'"
            need(same == word, (i,), f"{both} are the same pattern; a recall cannot tell them apart")
        return np.array([self.words.vectors[word] for word in names])


class Settling(Table):
    """A system that settles: its neurons change until its energy has a minimum."""

    update: UpdateChoice | None = None
    """The rule of a step; by default one layer, or one token, after another."""
    max_steps: Annotated[Count, Field(le=100_000)] = 100
    """The largest number of steps of a recall."""

    def rule(self, memory: Network) -> Update:
        """The rule of a step."""
        if self.update is None:
            return memory.default_update
        rule, cure = update_entry(self.update), "leave `update` out, for one layer or token after another"
        need(not (obstacle := rule.obstacle(memory)), "update", f"{obstacle}; {cure}")
        return rule


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

    def build(self, name: str, values: Values) -> Layer:
        """The layer, whose patterns fit it."""
        size = prod(lengths(self.shape, "shape"))
        values.count_in(size, ("shape",))
        with at("patterns"):
            values.patterns(self.patterns or [], size)
        neurons: Any = self.activation
        options: Any = {} if self.beta is None else {"beta": self.beta}
        with unnamed(f"layer '{name}'"):
            if not isinstance(neurons, str):
                registry: Any = activations if neurons.name in activations else separations
                neurons, options = registry_entry(registry, neurons, **options), {}
            return Layer(name, self.shape, neurons, tau=self.tau, **options)


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
    def compared(self) -> dict[str, list[str]]:
        """The words of each layer that is compared with words: the first layer recalls, the second one answers."""
        return {name: layer.patterns for name, layer in self.layers.items() if layer.patterns}

    def build(self, values: Values) -> Network:
        """The network."""
        layers, connections = [], []
        with Parts() as parts:
            for name, table in self.layers.items():
                with parts.at("layers", name, table=table):
                    layers.append(table.build(name, values))
            for i, one in enumerate(self.synapses):
                with parts.at("synapses", i, table=one):
                    connections.append(self._connection(one, values, f"synapse {i}"))
            for i, name in enumerate(self.clamp):
                with parts.at("clamp", i):
                    need_known(name, self.layers)
            if len(self.compared) > 2:
                first, second, third, *_ = self.compared
                message = f"is the third layer with patterns; at most two are compared: '{first}' and '{second}'"
                raise refusal(("layers", third, "patterns"), message)
        network = Network(layers, connections)
        return network.clamped(self.clamp) if self.clamp else network

    def _connection(self, table: Any, values: Values, stream: str) -> Connection:
        """A synapse with its layers."""
        arguments: dict[str, Any] = {}
        for name in table.on:
            need_known(name, self.layers, "on")
        for key, value in table:
            with at(key):
                if key in REGISTRIES and isinstance(value, Table):
                    arguments[key] = registry_entry(REGISTRIES[key], value)
                elif value is not None and key not in ("name", "on"):
                    arguments[key] = value if key in FORMS else values.of(value, f"{stream} {key}")
        synapse: Any = synapses[table.name]
        connection: Connection = synapse(**arguments).on(*table.on)
        connection.synapse.require_fit(*(lengths(self.layers[name].shape, "shape") for name in table.on))
        return connection

    def start(self, network: Network, cue: Mapping[str, Any], values: Values, name: str) -> tuple[Network, np.ndarray]:
        """The network and the state from which a cue starts."""
        activities = {}
        with Parts() as parts:
            for layer, value in cue.items():
                with parts.at(layer):
                    need_known(layer, self.layers)
                    numbers, size = values.of(value, f"{name} {layer}"), network[layer].size
                    fit = f"{numbers.size} numbers do not fit the {size} neurons of the layer '{layer}'"
                    need(numbers.size == size, (), fit)
                    activities[layer] = numbers.reshape(network[layer].shape)
        return network, np.asarray(network.join(activities))


class EnergyTransformerTable(Settling):
    """An Energy Transformer block: of pictures, whose hidden patches it completes, or of matrices."""

    arguments: ClassVar[Mapping[str, str]] = {"w_query": "query", "w_key": "key", "n_tokens": "patches"}
    place: ClassVar[str] = "energy_transformer"
    pictures: Annotated[list[Text], Field(min_length=1)] | None = None
    """The pictures of which the block is made, without training."""
    patches: Count = 1
    """With `pictures`: the number of patches of a picture, each of them a token; a patch is a run of pixels."""
    sharpness: PositiveNumber = 4.0
    """With `pictures`: the inverse temperature of the memories, which are their patches."""
    query: ArrayChoice | None = None
    """Instead of pictures: W_Q, of the shape [heads, dim of a head, dim of a token]."""
    key: ArrayChoice | None = None
    """With `query`: W_K, of the same shape."""
    memories: ArrayChoice | None = None
    """With `query`: the vectors that tokens are compared with, one in each row."""
    beta: PositiveNumber | None = None
    """The inverse temperature of the attention; by default 0.5 with `pictures`, else 1/√(dim of a head)."""
    attends_itself: bool = False
    """Whether a token attends to itself too; the energy may rise then."""

    @property
    def compared(self) -> dict[str, list[str]]:
        """The words with which a recall is compared."""
        return {"picture": self.pictures} if self.pictures else {}

    def build(self, values: Values) -> EnergyTransformer:
        """The block."""
        need_one_of(self, "pictures", "query")
        if self.pictures is None:
            need_unused(self, OF_PICTURES, "belongs to `pictures`, and `query` is given")
            absent = [f"`{key}`" for key in OF_MATRICES if getattr(self, key) is None]
            need(not absent, (), f"needs {' and '.join(absent)} beside `query`")
            matrices = []
            for key in OF_MATRICES:
                with at(key):
                    matrices.append(values.of(getattr(self, key), key))
            return EnergyTransformer(*matrices, beta=self.beta, attends_itself=self.attends_itself)
        need_unused(self, OF_MATRICES, "belongs to `query`, and `pictures` is given")
        with at("pictures"):
            rows = values.patterns(self.pictures, len(values.words.axes))
            need(values.words.size, (), "the words are not pictures")
        patches, beta = Patches(rows.shape[1], self.patches), self.beta or 0.5
        values.count_in(len(rows) * patches.n_tokens * patches.dim, ("patches",))
        block = EnergyTransformer.of_pictures(rows, patches, beta=beta, sharpness=self.sharpness)
        return replace(block, attends_itself=self.attends_itself)

    def start(
        self, block: EnergyTransformer, cue: Mapping[str, Any], values: Values, name: str
    ) -> tuple[TokenMemory, np.ndarray]:
        """The memory of this cue, whose known patches are clamped, and the state from which it starts."""
        key, n = "picture" if self.pictures else "tokens", len(values.words.axes)
        for other in cue:
            need_known(other, [key])
        with at(key), unnamed("clamped"):
            tokens, known = values.of(cue[key], f"{name} {key}"), None
            expected = f"{n} pixels" if self.pictures else f"rows of {block.dim} numbers, one for each token"
            fits = tokens.shape == (n,) if self.pictures else tokens.shape[1:] == (block.dim,)
            need(fits, (), f"got shape {tokens.shape}; expected {expected}")
            if self.pictures:
                known = np.all(tokens.reshape(self.patches, -1) != 0, axis=1)
                tokens = Patches(n, self.patches).tokens(tokens)
            need_room(values.count + 2 * len(tokens) ** 2)
            return block.memory(len(tokens), clamped=known), np.asarray(block.norm(tokens)).reshape(-1)


class NetworkScenario(StoredWords):
    """Layers of neurons that descend one energy, and the cues that they start from."""

    name: ClassVar[str] = "network"
    shown_arrays: ClassVar[tuple[str, ...]] = (
        *("activations", "joins", COUPLINGS, "parts"),
        *("status", "recalls", "answers"),
    )
    kind: Literal["network"]
    network: NetworkTable | None = None
    """Layers of neurons, and the synapses that join them."""
    energy_transformer: EnergyTransformerTable | None = None
    """Instead of layers: an Energy Transformer block."""
    cue: Annotated[dict[Text, Annotated[dict[Text, CueChoice], Field(min_length=1)]], Field(min_length=1)]
    """The cues by name, each with the values of some layers: a word, numbers, or a damaged word. A block has "picture"
    or "tokens" instead of layers."""

    @property
    def table(self) -> Any:
        """The table of the system."""
        return self.network or self.energy_transformer

    def _started(self, root: int) -> list[tuple[Any, np.ndarray]]:
        """The memory of each cue, and the state from which it starts; the same for one root of the random numbers."""
        need_one_of(self, "network", "energy_transformer")
        table, values, started = self.table, Values(self.vocabulary, root), list[tuple[Any, np.ndarray]]()
        with at(table.place, table=table):
            built = table.build(values)
        with Parts() as parts:
            for name, cue in self.cue.items():
                with parts.at("cue", name):
                    memory, state = table.start(built, cue, values, name)
                    need(not (reason := memory.activation.why_outside_domain(state)), (), reason)
                    first = len(started[0][1]) if started else len(state)
                    alike = f"has {len(state)} numbers, the first cue {first}; expected as many tokens in all"
                    need(len(state) == first, (), alike)
                    started.append((memory, state))
        compared = 2 * len(self.vocabulary.axes) + sum(map(len, table.compared.values()))
        values.count_in(len(started) * (table.max_steps + 1) * (3 * len(started[0][1]) + compared))
        return started

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        root, table = int(rng.integers(2**63)), self.table
        started, records = self._started(root), []
        with at(table.place, table=table):
            for cue, (memory, state) in zip(self.cue, started, strict=True):
                options = {"max_steps": table.max_steps, "rng": random_stream(root, cue), "keep": "trajectory"}
                records.append(memory.recall(state, update=table.rule(memory), **options))
        lasts = np.array([[len(record.energies) - 1] for record in records])
        steps = np.minimum(np.arange(lasts.max() + 1), lasts)  # after its last step a state stays
        states = np.stack([record.trajectory[rows] for record, rows in zip(records, steps, strict=True)])
        energies = np.stack([[*one.energies(x).values()] for (one, _), x in zip(started, states, strict=True)])
        (memory, start), cues = started[0], {"cue": tuple(self.cue)}
        if isinstance(memory, TokenMemory):
            dim = memory.block.dim
            parts = {f"token {i // dim + 1}": slice(i, i + dim) for i in range(0, memory.total, dim)}
            arrays.add("known", [one.held[::dim] for one, _ in started], {**cues, "token": tuple(parts)})
        else:
            parts, layers = memory.parts, {"layer": tuple(memory.parts)}
            clamped = (" (clamped)" * bool(memory.held[part].all()) for part in parts.values())
            told = [described(layer) + end for layer, end in zip(memory.layers, clamped, strict=True)]
            arrays.add("activations", told, layers)
            joins = {str(one.name): [one.layers.count(layer) for layer in parts] for one in memory.synapses}
            counts = np.array([*joins.values()]).reshape(-1, len(parts))
            arrays.add("joins", counts, {"synapse": tuple(joins), **layers})
            self._add_couplings(arrays, memory)
        neurons = tuple(f"{name} {i + 1}" for name, part in parts.items() for i in range(part.stop - part.start))
        of_neurons, of_parts = {**cues, "neuron": neurons}, {**cues, "part": tuple(memory.energies(start))}
        arrays.add("input", states[:, 0], of_neurons)
        arrays.add("state", states[:, -1], of_neurons)
        arrays.add("activities", states, {**cues, "step": (), "neuron": neurons}, drawn=True)
        arrays.add("parts", energies[..., -1], of_parts)
        arrays.add("energies", energies, {**of_parts, "step": ()}, drawn=True)
        total = [record.energies[rows] for record, rows in zip(records, steps, strict=True)]
        arrays.add("energy", total, {**cues, "step": ()})
        for name in ("steps", "status", "period"):
            arrays.add(name, [getattr(record, name) for record in records], cues, mean=name == "steps")
        main = parts.get(next(iter(table.compared), ""), slice(None))
        arrays.words, arrays.parts = self.vocabulary.vectors, {WORD: main, **parts}
        if table.compared:
            self._compare(arrays, memory, states)

    def _add_couplings(self, arrays: Arrays, network: Network) -> None:
        """Add the matrix of each synapse that joins two layers by one: of several, with the name of the synapse."""
        matrices = {one: one.synapse.weights for one in network.synapses if isinstance(one.synapse, Dense)}
        pairs = [(one, w) for one, w in matrices.items() if w.ndim == 2 and len({*one.layers}) == 2]
        for one, w in pairs:
            sides = ([f"{layer} {i + 1}" for i in range(network[layer].size)] for layer in one.layers)
            axes = dict(zip(("to", "from"), sides, strict=True))
            add_matrix(arrays, partial(np.asarray, w), axes, str(one.name) if len(pairs) > 1 else "")

    def _compare(self, arrays: Arrays, memory: Any, states: np.ndarray) -> None:
        """Add the words that states `(n_cues, n_steps + 1, total)` are compared with, and those that they match."""
        words, cues, axis = self.vocabulary, {"cue": tuple(self.cue)}, {"axis": self.vocabulary.axes}
        (layer, compared), *answering = self.table.compared.items()
        patterns, names = np.stack([words.vectors[word] for word in compared]), np.array([*compared, "nothing"])
        if isinstance(memory, TokenMemory):
            tokens = states.reshape(*states.shape[:2], -1, memory.block.dim)
            pixels = np.asarray(Patches(len(words.axes), tokens.shape[2]).pictures(tokens))
            seen, activation = np.where(np.abs(pixels) > 1e-9, np.sign(pixels), 0.0), Identity()  # 0 where it is hidden
        else:
            seen, activation = states[..., memory.parts[layer]], memory[layer].activation
        stored = ReferencePatterns(patterns, activation)
        likeness = stored.likeness(seen[:, -1])
        nearest = np.argmax(np.abs(cosine(seen[:, -1], patterns)), axis=-1)
        visited = stored.likeness(seen.reshape(-1, seen.shape[-1])).matched.reshape(seen.shape[:2])
        spurious = np.where(likeness.spurious == "", "none", likeness.spurious)
        arrays.add("recalls", names[likeness.matched], cues, recallable=names)
        arrays.add("spurious", spurious, cues)
        arrays.add("of", parts_of_spurious(seen[:, -1], likeness, patterns, names), cues)
        arrays.add("visits", names[visited], {**cues, "step": ()}, recallable=names)
        arrays.add("nearest", patterns[nearest], {**cues, **axis}, mean=False)
        arrays.add("nearest word", names[nearest], cues)
        arrays.add("patterns", patterns, {"pattern": compared, **axis}, mean=False)
        if words.size is not None:
            arrays.add("trajectory", seen, {**cues, "step": (), **axis})
        for layer, others in answering:
            answer = states[:, -1, memory.parts[layer]]
            of_words = ReferencePatterns(np.stack([words.vectors[word] for word in others]), memory[layer].activation)
            arrays.add("answer", answer, {**cues, **axis})
            matched, known = of_words.likeness(answer).matched, np.array([*others, "nothing"])
            arrays.add("answers", known[matched], cues, recallable=known)

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows; the caption of a strip of pictures replaces some of them."""
        names, pictures = super().shown(arrays), "trajectory" in arrays
        small = () if pictures or arrays["state"].values.shape[1] > NARROW else ("state",)
        return (*(name for name in names if not pictures or name not in ("status", "recalls", "answers")), *small)

    def strips(self, arrays: Arrays) -> Iterator[Strip]:
        if "trajectory" in arrays:
            yield from strips(arrays, self.vocabulary, [self._said(cue) for cue in self.cue.values()])

    def _said(self, cue: Mapping[str, Any]) -> str:
        """The values of a cue in words."""
        told = []
        for name, value in cue.items():
            text = str(value)
            if isinstance(value, Damaged):
                text = value.description(len(self.vocabulary.axes))
            elif isinstance(value, list):
                text = f"[{listed(repr(one) if isinstance(one, str) else in_comma(str(one)) for one in value)}]"
            told.append(f"{name} {text if len(text) <= 60 else say('as given')}")
        return "; ".join(told)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        root = int(np.random.default_rng(self.seed).integers(2**63))
        started, neurons = self._started(root), arrays["state"].labels[1]
        for i, (cue, (memory, _)) in enumerate(zip(self.cue, started, strict=True)):
            yield f"{cue}: {self._said(self.cue[cue])}"
            states, steps = arrays["activities"].values[i], int(arrays["steps"].values[i])
            update = self.table.rule(memory)
            if isinstance(update, Layers) and not isinstance(memory, TokenMemory):
                yield from _first_sweep(memory, states[0], states[1])
            elif isinstance(update, Asynchronous):
                flow = Flow(memory, update, states[None, : steps + 1], random_stream(root, cue), self.seed, neurons)
                yield from flow.sweep(0, 0)
                yield from flow.further_sweeps(0, steps)
            else:
                yield f"  {say(update.way)}"
            energies, last = arrays["energies"].values[i], ""
            for t in dict.fromkeys((*range(min(steps, WRITTEN) + 1), steps)):
                total = _total(energies[:, t], arrays["energies"].labels[1])
                if total != last:
                    yield "  " + say("energy {}: {}", after(t) if t else say("of the cue"), total)
                last = total
            yield f"  {after(steps)}: {say(Status(str(arrays['status'].values[i])).meaning)}"
            for verb in ("recalls", "answers"):
                if verb in arrays:
                    yield "  " + say(f"{verb}: {{}}", named(arrays[verb].values[i]))


def _first_sweep(network: Network, before: np.ndarray, after: np.ndarray) -> Iterator[str]:
    """The field and the activity of each layer that is free, with the new activities of those before it."""
    state = before.copy()
    for name, part in network.parts.items():
        if network.held[part].all():
            yield "  " + say("{} is clamped", name)
            continue
        field, kind = network.field(state)[part], described(network[name])
        state[part] = after[part]
        if field.size <= MANY:
            value = f"{equals(field)} {vector(field)}"
            yield "  " + say("field of {} {}; {} gives {}", name, value, kind, vector(after[part]))
        else:
            turned = int(np.sum(np.sign(after[part]) != np.sign(before[part])))
            counts = str(turned), str(field.size)
            yield "  " + say("{}: {} of its field changes the sign of {} of {} neurons", name, kind, *counts)


def _total(parts: np.ndarray, names: tuple[str, ...]) -> str:
    """The energy as the sum of its parts with their names."""
    terms = (f"{number(value)} ({name})" for value, name in zip(parts, names, strict=True))
    total = float(np.sum(parts))
    return f"{' + '.join(terms).replace('+ −', '− ')} {equals(total, added(written(parts)))} {number(total)}"
