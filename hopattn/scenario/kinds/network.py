"""kind = "network": layers of neurons that synapses join, or an Energy Transformer block, from cues to a minimum."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.foundation.errors import InvalidInput
from hopattn.networks.energy_transformer import TokenMemory
from hopattn.networks.layers import described
from hopattn.networks.network import Network
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.explain.network import explain_network
from hopattn.scenario.explain.recall import strips
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.kinds.recall_arrays import parts_of_spurious
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec
from hopattn.scenario.language.common_problems import one_of_problems
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.parts.energy_transformers import EnergyTransformerTable
from hopattn.scenario.parts.networks import Cue, CueChoice, NetworkTable
from hopattn.scenario.words.character_pictures import Strip
from hopattn.scenario.words.damaged_cues import Damaged, random_stream
from hopattn.scenario.words.pictures import Pictures
from hopattn.scenario.words.vocabulary import WORD, Vocabulary
from hopattn.scenario.words.word_list import Words, combined_words, vocabulary_problems

NARROW = 16
"""The largest number of neurons whose states a terminal shows."""
LONG = 60
"""The largest number of letters of a value that is repeated."""


class NetworkScenario(Spec):
    """Layers of neurons that descend one energy, and the cues that they start from."""

    name: ClassVar[str] = "network"
    shown_arrays: ClassVar[tuple[str, ...]] = ("activations", "joins", "parts", "status", "recalls", "answers")
    main_table: ClassVar[str] = "network"
    kind: Literal["network"]
    written: Annotated[Vocabulary | None, Field(alias="vocabulary")] = None
    """The words as vectors."""
    pictures: Pictures | None = None
    """The words that are pictures."""
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

    @cached_property
    def vocabulary(self) -> Words:
        """The words and the pictures together."""
        return combined_words(self.written, self.pictures)

    def part_problems(self) -> Iterator[Problem]:
        yield from one_of_problems(self, ("network", "energy_transformer"), ())
        if self.pictures is not None:
            yield from self.pictures.loaded.problems

    def size(self) -> int:
        (total, weights), patterns = self.table.size(len(self.vocabulary.axes)), len(self.table.patterns)
        steps = len(self.cue) * (self.table.max_steps + 1)
        numbers: int = weights + steps * (3 * total + 2 * len(self.vocabulary.axes) + patterns)
        return numbers

    def fit_problems(self) -> Iterator[Problem]:
        words, place = self.vocabulary, "network" if self.network else "energy_transformer"
        found = [*vocabulary_problems(self.written, self.pictures)] or [*self.table.problems(words)]
        yield from found
        if found:
            return
        for name, cue in self.cue.items():
            found += self.table.cue_problems(cue, words, ("cue", name))
        yield from found
        if found:
            return
        try:
            started = self._started(self._root)
        except InvalidInput as error:
            key = ("clamp",) if str(error).startswith("clamp: ") else ()
            yield Problem((place, *key), str(error).removeprefix("clamp: "))
            return
        for name, (memory, state) in zip(self.cue, started, strict=True):
            if reason := memory.activation.why_outside_domain(state):
                yield Problem(("cue", name), reason)
        memory = started[0][0]
        try:
            obstacle = self.table.rule(memory).obstacle(memory)
        except InvalidInput as error:
            obstacle = str(error)
        if obstacle:
            yield Problem((place, "update"), f"{obstacle}{self.table.cure_of_update(memory)}")

    def _started(self, root: int) -> list[tuple[Any, np.ndarray]]:
        """The memory of each cue, and the state from which it starts; the same for one root of the random numbers."""
        built, words = self.table.build(self.vocabulary, root), self.vocabulary
        return [self.table.start(built, cue, words, root, name) for name, cue in self.cue.items()]

    @cached_property
    def _root(self) -> int:
        """The root of a run with the file's own seed."""
        return int(np.random.default_rng(self.seed).integers(2**63))

    @cached_property
    def _first(self) -> tuple[Any, np.ndarray]:
        """The memory and the start of the first cue, whose parts are those of all."""
        return self._started(self._root)[0]

    def declared_arrays(self) -> Iterator[ArraySpec]:
        memory, start = self._first
        parts = self.table.parts(memory)
        neurons = tuple(f"{name} {i + 1}" for name, part in parts.items() for i in range(part.stop - part.start))
        cue, step, neuron = ("cue", tuple(self.cue)), ("step", -1), ("neuron", neurons)
        part, axis = ("part", tuple(memory.energies(start))), ("axis", self.vocabulary.axes)
        if isinstance(memory, TokenMemory):
            yield ArraySpec("known", (cue, ("token", tuple(parts))))
        else:
            layers = ("layer", tuple(parts))
            yield ArraySpec("joins", (("synapse", tuple(str(one.name) for one in memory.synapses)), layers))
            yield ArraySpec("activations", (layers,), measured=False)
        yield ArraySpec("input", (cue, neuron))
        yield ArraySpec("state", (cue, neuron))
        yield ArraySpec("activities", (cue, step, neuron), referable=False, measured=False)
        yield ArraySpec("parts", (cue, part))
        yield ArraySpec("energies", (cue, part, step), referable=False, measured=False)
        yield ArraySpec("energy", (cue, step))
        yield ArraySpec("steps", (cue,))
        yield from (ArraySpec(name, (cue,), measured=False) for name in ("status", "period"))
        if not self.table.patterns:
            return
        yield from (ArraySpec(name, (cue,), measured=False) for name in ("recalls", "spurious", "of", "nearest word"))
        yield ArraySpec("visits", (cue, step), measured=False)
        yield ArraySpec("nearest", (cue, axis), measured=False)
        yield ArraySpec("patterns", (("pattern", tuple(self.table.patterns)), axis), measured=False)
        if self.vocabulary.size is not None:
            yield ArraySpec("trajectory", (cue, step, axis))
        if self.table.answers:
            yield ArraySpec("answer", (cue, axis))
            yield ArraySpec("answers", (cue,), measured=False)

    def layout(self) -> ArrayLayout:
        parts, words = self.table.parts(self._first[0]), self.vocabulary
        main = parts[self.network.named[0]] if self.network and self.network.named else slice(None)
        recallable = (*self.table.patterns, *self.table.answers)
        return replace(
            super().layout(),
            rows=tuple(self.cue),
            words=words.vectors,
            parts={WORD: main, **parts},
            recallable=recallable,
        )

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        root = int(rng.integers(2**63))
        started = self._started(root)
        memory, most = started[0][0], self.table.max_steps
        records = [
            own.recall(x, update=self.table.rule(own), max_steps=most, rng=random_stream(root, name), keep="trajectory")
            for name, (own, x) in zip(self.cue, started, strict=True)
        ]
        longest = max(len(record.trajectory) for record in records)
        states = np.stack([_padded(record.trajectory, longest) for record in records])
        energies = [np.stack([*own.energies(one).values()]) for (own, _), one in zip(started, states, strict=True)]
        values: dict[str, Any] = {}
        if isinstance(memory, TokenMemory):
            values["known"] = [own.held[:: own.block.dim] for own, _ in started]
        else:
            values["activations"] = [_described(memory, name) for name in memory.parts]
            values["joins"] = [[one.layers.count(name) for name in memory.parts] for one in memory.synapses]
        values |= {"input": states[:, 0], "state": states[:, -1], "activities": states}
        values |= {"parts": [one[:, -1] for one in energies], "energies": energies}
        values["energy"] = [_padded(record.energies, longest) for record in records]
        values |= {name: [getattr(record, name) for record in records] for name in ("steps", "status", "period")}
        return values | (self._recalled(memory, states) if self.table.patterns else {})

    def _recalled(self, memory: Any, states: np.ndarray) -> dict[str, Any]:
        """The words that states `(n_cues, n_steps + 1, total)` are compared with, and those that they match."""
        words, names = self.vocabulary, np.array([*self.table.patterns, "nothing"])
        patterns = np.stack([words.vectors[word] for word in self.table.patterns])
        seen = self.table.seen(memory, states, words)
        stored = ReferencePatterns(patterns, self.table.neurons(memory))
        likeness = stored.likeness(seen[:, -1])
        visited = stored.likeness(seen.reshape(-1, seen.shape[-1])).matched.reshape(seen.shape[:2])
        nearest = np.argmax(np.abs(cosine(seen[:, -1], patterns)), axis=-1)
        values: dict[str, Any] = {
            "recalls": names[likeness.matched],
            "spurious": np.where(likeness.spurious == "", "none", likeness.spurious),
            "of": parts_of_spurious(seen[:, -1], likeness, patterns, names),
            "visits": names[visited],
            "nearest": patterns[nearest],
            "nearest word": names[nearest],
            "patterns": patterns,
        }
        if words.size is not None:
            values["trajectory"] = seen
        if self.table.answers:
            others = np.stack([words.vectors[word] for word in self.table.answers])
            layer = self.table.named[1]
            answer = states[:, -1, memory.parts[layer]]
            matched = ReferencePatterns(others, memory[layer].activation).likeness(answer).matched
            values |= {"answer": answer, "answers": np.array([*self.table.answers, "nothing"])[matched]}
        return values

    def shown(self, arrays: Mapping[str, Labelled]) -> tuple[str, ...]:
        """The names of the arrays that a terminal shows; the caption of a strip of pictures replaces some of them."""
        in_caption = ("status", "recalls", "answers") if self._pictures else ()
        small = () if self._pictures or arrays["state"].values.shape[1] > NARROW else ("state",)
        return (*(name for name in super().shown(arrays) if name not in in_caption), *small)

    @property
    def _pictures(self) -> bool:
        """Whether a recall shows pictures."""
        return self.vocabulary.size is not None and bool(self.table.patterns)

    def strips(self, arrays: Mapping[str, Labelled]) -> Iterator[Strip]:
        if self._pictures:
            yield from strips(arrays, self.vocabulary, [self._said(cue) for cue in self.cue.values()])

    def _said(self, cue: Cue) -> str:
        """The values of a cue in words."""
        told = []
        for name, value in cue.items():
            text = value.description(len(self.vocabulary.axes)) if isinstance(value, Damaged) else str(value)
            told.append(f"{name} {text if len(text) <= LONG else 'as given'}")
        return "; ".join(told)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        for i, ((memory, _), cue) in enumerate(zip(self._started(self._root), self.cue.values(), strict=True)):
            yield from explain_network(arrays, i, memory, self._said(cue), self.table.rule(memory))


def _padded(rows: np.ndarray, length: int) -> np.ndarray:
    """The rows `(n, …)`, the last one repeated up to a length."""
    return np.concatenate([rows, np.repeat(rows[-1:], length - len(rows), axis=0)])


def _described(network: Network, name: str) -> str:
    """A layer in words: its activation, and whether it is clamped."""
    return described(network[name]) + " (clamped)" * bool(network.held[network.parts[name]].all())
