"""kind = "memory": patterns are stored, and cues are recalled until nothing changes."""

from collections.abc import Iterator
from dataclasses import fields
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.dynamics.likeness import Likeness, ReferencePatterns, Spurious
from hopattn.dynamics.record import Recall
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.errors import shortened
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks
from hopattn.landscapes.plane import has_landscape, has_successors, landscape, line_between, successors
from hopattn.memories.interventions import worth
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arithmetic import vector
from hopattn.scenario.arrays import Arrays, labels
from hopattn.scenario.kinds.explained_recall import explain_recall, strips
from hopattn.scenario.kinds.models import MemoryTable, StoredWords
from hopattn.scenario.kinds.without import (
    CLOSED,
    MEASURED,
    WORTH,
    WithoutTable,
    columns_of,
    explain_worth,
    worth_values,
)
from hopattn.scenario.language.table import Parts, Text, TextOrTexts, at, need, need_room
from hopattn.scenario.words.cues import INSTEAD_OF_NOISE, Damaged, random_stream, vectors_of
from hopattn.scenario.words.pictures import Strip, Vectors
from hopattn.scenario.words.vocabulary import WORD, Input

MOST_OVERLAPS = 2**20
"""The largest number of overlaps by cue, step and pattern that a result holds."""
BLOCK = 1024
"""The number of states that are compared with the patterns at once."""


class WithoutPattern(WithoutTable):
    """Stored patterns that a memory forgets for a run of its own."""

    key: ClassVar[str] = "pattern"
    other: ClassVar[str] = "token"
    where: ClassVar[str] = "a text with heads, and this is a memory"
    pattern: TextOrTexts
    """The stored word or words; `cat#2` is the second of several."""


class MemoryScenario(StoredWords):
    """Stored patterns and the cues that they are recalled from."""

    name: ClassVar[str] = "memory"
    in_caption: ClassVar[tuple[str, ...]] = ("state", "status", "recalls", "answers")
    """Those of the arrays below that the caption of a strip of pictures replaces."""
    shown_arrays: ClassVar[tuple[str, ...]] = ("scores", "weights", WORTH, CLOSED, MEASURED, *in_caption)
    main_table: ClassVar[str] = "memory"
    kind: Literal["memory"]
    memory: MemoryTable
    """The stored patterns, and how they are recalled."""
    cue: dict[Text, Damaged] = Field(default_factory=dict)
    """Cues that are damaged words, or mixed of several, by name."""
    input: Input | None = None
    """The cues; without it, those of [cue], in their order."""
    without: list[WithoutPattern] = Field(default_factory=list)
    """Patterns that are taken away, each for a run of its own."""

    @property
    def tokens(self) -> list[str]:
        """The names of the cues, in their order."""
        return [*self.cue] if self.input is None else self.input.tokens

    @property
    def targets(self) -> list[int]:
        """For each cue the number of the stored pattern that it is, or that it was made of; −1 if there is none."""
        sources = [self.cue[token].of if token in self.cue else token for token in self.tokens]
        stored = self.memory.patterns
        return [stored.index(word) if word in stored else -1 for word in sources]

    def run_without(self, table: WithoutTable) -> Self:
        names, values, rows = self.memory.patterns, self.memory.values, Arrays()
        rows.words = self.vocabulary.vectors
        taken = {rows.row(word, ("pattern",), labels(names)) for word in table.taken}
        left = [i for i in range(len(names)) if i not in taken]
        need(left, "pattern", "takes every pattern away; leave at least one")
        lost = [names[i] for i in sorted(taken) if names[i] in (self.memory.between or ())]
        need(not lost, "pattern", lambda: f"takes '{shortened(lost[0])}' away, which memory.between names")
        update = {"stored": [names[i] for i in left], "read": values and [values[i] for i in left]}
        return self.changed((self, sorted(taken)), without=[], memory=self.memory.model_copy(update=update))

    @cached_property
    def stored(self) -> Any:
        """The memory of a run with the file's own seed."""
        return self._built(self._root)[0]

    @cached_property
    def _root(self) -> int:
        """The root of the random numbers of such a run: the memory and each cue draw from it by their names."""
        return int(np.random.default_rng(self.seed).integers(2**63))

    def _built(self, root: int) -> tuple[Any, np.ndarray]:
        """The memory, and the cues `(n_cues, dim)`; the random numbers of each depend on its name and on the root."""
        words, cues = self.vocabulary, dict.fromkeys(self.cue, np.zeros(len(self.vocabulary.axes)))
        damaged = {name: f"'{shortened(name)}' is a damaged cue; store a word" for name in cues}
        known = Vectors(words.vectors, {**words.vectors.absent, **damaged})
        with Parts() as parts:
            with parts.at("memory"):
                memory = self.memory.build_from_words(known, random_stream(root, "memory"))
            for name, cue in self.cue.items():
                with parts.at("cue", name):
                    need(name not in known, (), f"'{shortened(name)}' is a word already; give the cue another name")
                    cues[name] = cue.build(known, words.size, random_stream(root, name))
            with parts.at("input"):
                tokens = Vectors({**known, **cues}, words.vectors.absent)
                inputs = np.stack([*cues.values()]) if self.input is None else vectors_of(self.input, tokens)
        return memory, inputs

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        root, table, words = int(rng.integers(2**63)), self.memory, self.vocabulary
        dim, steps = len(words.axes), len(self.tokens) * (table.steps + 1)
        need(self.tokens, (), "needs cues: [input] with tokens, or a [cue.name] for each")
        need_room((len(table.patterns) + dim) * dim + steps * (dim + 1) + MOST_OVERLAPS)
        memory, cues = self._built(root)
        with Parts() as parts:
            with parts.at("memory"):
                with at("update"):
                    update = table.update_rule(memory)
                    need(not (obstacle := update.obstacle(memory)), (), obstacle)
                if table.between is not None:
                    need(not (reason := memory.why_not("energy")), "between", f"there is no energy: {reason}")
            for i, (token, cue) in enumerate(zip(self.tokens, cues, strict=True)):
                noisy = token in self.cue and self.cue[token].noise
                place = ("cue", token, *["noise"] * bool(noisy)) if token in self.cue else ("input", "tokens", i)
                with parts.at(*place):
                    reason, advice = memory.activation.why_outside_domain(cue), INSTEAD_OF_NOISE if noisy else ""
                    need(not reason, (), f"'{shortened(token)}' {reason}{advice}")
        arrays.words, arrays.parts, arrays.recallable = words.vectors, {WORD: slice(0, dim)}, table.stored_words
        with at("memory"), table.named_rows(self.tokens):
            self._add_recall(arrays, memory, update, cues, rng)
            self._add_worth(arrays, root, cues)
            self._add_memory(arrays, memory, update, cues)

    def _add_recall(
        self, arrays: Arrays, memory: Any, update: Update, cues: np.ndarray, rng: np.random.Generator
    ) -> None:
        """The first step of each cue, its way and its end, and what the end is like."""
        table, rows = self.memory, labels(self.tokens)
        names = np.array([*table.recalled_words, "nothing"])  # the last one is that of the pattern number −1
        cue, axis, step = {"cue": rows}, {"axis": self.vocabulary.axes}, {"cue": rows, "step": ()}
        few = len(cues) * len(memory.patterns) * (table.steps + 1) <= MOST_OVERLAPS
        keep = ("trajectory", "overlaps") if few else ("trajectory",)
        recall = memory.recall(cues, update=update, max_steps=table.steps, rng=rng, keep=keep)
        trajectory = recall.trajectory.swapaxes(0, 1)
        arrays.add("input", cues, cue | axis)
        arrays.add("field", memory.field(cues), cue | axis, step=1)
        arrays.add("output", trajectory[:, 1], cue | axis, step=1)
        arrays.add("state", recall.state, cue | axis)
        if not self._why_no_weights(memory):
            pattern = {"pattern": labels(table.patterns)}
            arrays.add("scores", memory.scores(cues), cue | pattern, step=1)
            arrays.add("weights", memory.weights(cues), cue | pattern, step=1)
            if memory.separation.sink is not None:
                arrays.add("rest", memory.rest(cues), cue, step=1)
        arrays.add("status", recall.status, cue)
        arrays.add("recalls", names[recall.matched], cue)
        arrays.add("spurious", np.where(recall.spurious == "", "none", recall.spurious), cue)
        arrays.add("of", parts_of_spurious(recall.state, recall, memory.patterns, names), cue)
        arrays.add("steps", recall.steps, cue)
        arrays.add("period", recall.period, cue, mean=False)
        states = recall.trajectory.reshape(-1, cues.shape[1])
        stored = ReferencePatterns(memory.patterns, memory.activation)
        visited = np.concatenate([stored.likeness(states[some]).matched for some in blocks(len(states), BLOCK)])
        arrays.add("visits", names[visited.reshape(recall.trajectory.shape[:2]).T], step)
        if recall.energies is not None:
            arrays.add("energy", recall.energies.T, step)
        if isinstance(memory, Bidirectional):
            answer = memory.answer(recall.state)
            matched = ReferencePatterns(memory.forward.patterns, memory.activation).likeness(answer).matched
            arrays.add("answer", answer, cue | axis)
            arrays.add("answers", np.array([*(table.values or ()), "nothing"])[matched], cue)
        if self._is_drawn:
            arrays.add("trajectory", trajectory, step | axis)
        if few:
            pattern = {"pattern": labels(table.recalled_words)}
            arrays.add("course", recall.overlaps.swapaxes(0, 1), step | pattern, drawn=True)
        cosines = np.asarray(cosine(recall.state, memory.patterns))
        nearest = np.argmax(np.abs(cosines), axis=-1)
        arrays.add("nearest", memory.patterns[nearest], cue | axis, mean=False)
        arrays.add("nearest word", names[nearest], cue)
        some = np.flatnonzero(np.asarray(self.targets) >= 0)
        if some.size:  # cues that are patterns, or were made of one
            own, matched = np.asarray(self.targets)[some], np.asarray(recall.matched)[some]
            alike = np.all(memory.patterns[matched] == memory.patterns[own], axis=-1)  # a pattern may occur twice
            arrays.add("overlap", np.mean(cosines[some, own]))
            arrays.add("recalled", np.mean((matched >= 0) & alike))
            known = {"cue": [rows[i] for i in some]}
            arrays.add("overlaps", cosines[some, own], known)
            arrays.add("start", np.asarray(cosine(cues, memory.patterns))[some, own], known, drawn=True)

    def _add_worth(self, arrays: Arrays, root: int, cues: np.ndarray) -> None:
        """The worth of the patterns that a run of [[without]] takes away."""
        if self._taken is None:
            return
        memory, found = self._worth(root, cues)
        if found is None:
            arrays.add(WORTH, self._why_no_weights(memory), drawn=True)
            return
        cue, axis = {"cue": labels(self.tokens)}, {"axis": self.vocabulary.axes}
        for name, values in worth_values("step 1", found).items():
            axes = cue | ({"of": columns_of(found.lacks)} if name.endswith(WORTH) else axis)
            arrays.add(name, values, axes)
        if found.closed is not None and "fixed_point" not in found.lacks:
            arrays.add(CLOSED, found.closed.fixed_point, cue | axis, stage="fixed")
            arrays.add(MEASURED, found.measured.fixed_point, cue | axis, stage="fixed")

    def _worth(self, root: int, cues: np.ndarray) -> tuple[Any, Worth | None]:
        """The whole memory, and that worth to cues `(n_cues, dim)`; None where no pattern has a weight."""
        whole, taken = self._taken
        memory = whole._built(root)[0]
        return memory, None if self._why_no_weights(memory) else worth(memory, cues, taken)

    def _add_memory(self, arrays: Arrays, memory: Any, update: Update, cues: np.ndarray) -> None:
        """The parameters of the separation; of a small memory its energy or successors, and its patterns."""
        words, dim = self.vocabulary, len(self.vocabulary.axes)
        if not self._why_no_weights(memory):
            given = {one.name: getattr(memory.separation, one.name) for one in fields(memory.separation)}
            values = {name: float(value) for name, value in given.items() if value is not None}
            arrays.add("separation", [*values.values()], {"parameter": tuple(values)}, stage=name_of(memory.separation))
        small = self._is_drawn
        if has_landscape(memory, dim):
            small = True
            arrays.add("landscape", landscape(memory, cues))
        if has_successors(memory, update, dim):
            small = True
            for name, array in successors(memory, update, dim).items():
                arrays.add(name, array, mean=False)
        if small:
            axes = {"pattern": labels(self.memory.recalled_words), "axis": words.axes}
            arrays.add("patterns", memory.patterns, axes, mean=False)
        if self.memory.between is not None:
            arrays.add("ends", self.memory.between, {"end": ("from", "to")}, drawn=True)
            line = line_between(memory, *(words.vectors[word] for word in self.memory.between))
            arrays.add("between", line["between"], drawn=True)
            arrays.add("barrier", line["barrier"])

    @property
    def _is_drawn(self) -> bool:
        """Whether every step of a recall can be drawn: as a picture, or as a point on a plane."""
        return self.vocabulary.size is not None or len(self.vocabulary.axes) == 2

    def _why_no_weights(self, memory: Any) -> str:
        """Why no pattern has a weight, of which a worth is made; empty where each has one."""
        if self.memory.card is not None and "locations" in self.memory.card.parameters:
            return "none, since the weights are those of locations, and not of patterns"
        if isinstance(memory, Memory):
            return ""
        if isinstance(memory, Hopfield | Associator | Bidirectional):
            return "none, since the couplings hold all patterns together, so that no pattern has a weight"
        return "none, since its formulas are for memories of keys and values"

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        in_caption = () if self.vocabulary.size is None else self.in_caption
        return tuple(name for name in super().shown(arrays) if name not in in_caption)

    def strips(self, arrays: Arrays) -> Iterator[Strip]:
        if (size := self.vocabulary.size) is not None:
            damage = [self.cue[name].description(size.pixels) if name in self.cue else "" for name in self.tokens]
            yield from strips(arrays, self.vocabulary, damage)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        yield from explain_recall(arrays, self.stored, self.memory, self.vocabulary)
        if self._taken is None:
            return
        memory, found = self._worth(self._root, arrays["input"].values)
        if found is None:
            yield f"worth: {self._why_no_weights(memory)}"
            return
        whole, taken = self._taken
        names = [labels(whole.memory.recalled_words)[i] for i in taken]
        shown = vector if self.vocabulary.size is None else None
        for i, cue in enumerate(labels(self.tokens)):
            yield f"{cue}, the first step without {' and '.join(names)}:"
            for line in explain_worth(found, i, memory.retrieval, names, memory.values[taken], shown):
                yield f"  {line}"


def parts_of_spurious(
    states: np.ndarray, ended: Recall | Likeness, patterns: np.ndarray, names: np.ndarray
) -> list[str]:
    """The words that each spurious state is made of: the three of a mixture, or the one that is reversed."""
    parts = []
    for state, kind, three in zip(states, ended.spurious, ended.mixture, strict=True):
        reversed_ = int(np.argmin(cosine(state, patterns))) if kind == Spurious.REVERSED else -1
        numbers = three if kind == Spurious.MIXTURE else [reversed_] if reversed_ >= 0 else []
        parts.append(" + ".join(dict.fromkeys(str(names[number]) for number in numbers)))
    return parts
