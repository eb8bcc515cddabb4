"""kind = "memory": patterns are stored, and cues are recalled until nothing changes."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import fields
from functools import cache, cached_property, partial
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from hopattn.dynamics.likeness import Likeness, ReferencePatterns, Spurious
from hopattn.dynamics.record import Recall
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.errors import shortened
from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.threads import blocks
from hopattn.landscapes.plane import has_landscape, has_successors, landscape, line_between, successors, valley
from hopattn.memories.interventions import worth
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.results.labelled import Labelled
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arithmetic import vector
from hopattn.scenario.arrays import Arrays, labelled, labels
from hopattn.scenario.kinds.couplings import COUPLINGS, add_couplings, explained_coupling, is_matrix
from hopattn.scenario.kinds.explained_recall import UNKNOWN, explain_recall, strips
from hopattn.scenario.kinds.explained_sides import explain_sides
from hopattn.scenario.kinds.explained_turns import Flow
from hopattn.scenario.kinds.models import MemoryTable, StoredWords, add_temperatures
from hopattn.scenario.kinds.without import (
    CLOSED,
    MEASURED,
    WORTH,
    WithoutTable,
    add_worth,
    explain_worth,
)
from hopattn.scenario.language.table import (
    Parts,
    Text,
    TextOrTexts,
    Told,
    at,
    fitting,
    need,
    need_known,
    need_one_of,
    need_room,
    need_unused,
)
from hopattn.scenario.words.cues import DAMAGE, INSTEAD_OF_NOISE, SOURCES, Damaged, random_stream, vectors_of
from hopattn.scenario.words.pictures import Strip, Vectors
from hopattn.scenario.words.vocabulary import WORD, Input, VocabularyOfSides

MOST_OVERLAPS = 2**20
"""The largest number of overlaps by cue, step and pattern that a result holds."""
MOST_TURNS = 2**9
"""The largest number of turns that a result holds; of more, they are computed when they are asked for."""
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
    shown_arrays: ClassVar[tuple[str, ...]] = (
        *(UNKNOWN, COUPLINGS, "scores", "weights", WORTH, CLOSED, MEASURED),
        *in_caption,
    )
    kind: Literal["memory"]
    memory: Annotated[MemoryTable, Told()]
    """The stored patterns, and how they are recalled."""
    written: Annotated[VocabularyOfSides | None, Field(alias="vocabulary"), Told()] = None
    """The words as vectors."""
    cue: Annotated[dict[Text, Damaged], Told()] = Field(default_factory=dict)
    """Cues that are damaged words, mixed of several, or numbers, by name."""
    input: Annotated[Input | None, Told()] = None
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
        stored = [*self.memory.patterns, *((self.memory.values or ()) if self.answers else ())]
        return [stored.index(word) % len(self.memory.patterns) if word in stored else -1 for word in sources]

    @property
    def neurons(self) -> tuple[str, ...]:
        """The names of the neurons, with those of a second side behind those of the first one."""
        words, answers = self.sides
        return words.axes if answers is None else (*words.axes, *(f"answer {axis}" for axis in answers.axes))

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
        return self._memory(self._root)

    @cached_property
    def _root(self) -> int:
        """The root of the random numbers of such a run: the memory and each cue draw from it by their names."""
        return int(np.random.default_rng(self.seed).integers(2**63))

    def _memory(self, root: int) -> Any:
        """The memory; its random numbers depend on the root."""
        return self._built(root)[0]

    def _built(self, root: int) -> tuple[Any, np.ndarray]:
        """The memory, and the cues `(n_cues, dim)`; the random numbers of each depend on its name and on the root."""
        (words, answers), cues = self.sides, dict.fromkeys(self.cue, np.zeros(len(self.neurons)))
        damaged = {name: f"'{shortened(name)}' is a damaged cue; store a word" for name in cues}
        known = Vectors(words.vectors, {**words.vectors.absent, **damaged})
        whole = self._both(words.vectors, {} if answers is None else answers.vectors)
        with Parts() as parts:
            with parts.at("memory"):
                other = None if answers is None else Vectors(answers.vectors, damaged)
                memory = self.memory.build_from_words(known, random_stream(root, "memory"), answers=other)
            for name, cue in self.cue.items():
                with parts.at("cue", name):
                    need(name not in whole, (), f"'{shortened(name)}' is a word already; give the cue another name")
                    fitting(cue.state, "state", (len(words.axes), "one for each neuron"))
                    cues[name] = self._cue(cue, known, random_stream(root, name))
            with parts.at("input"):
                tokens = Vectors({**whole, **cues}, words.vectors.absent)
                inputs = np.stack([*cues.values()]) if self.input is None else vectors_of(self.input, tokens)
        return memory, inputs

    @property
    def _answer_axes(self) -> tuple[str, ...] | None:
        return None if self.answers is None else self.answers.axes

    def _both(self, left: Mapping[str, np.ndarray], right: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The states of all neurons for words of the first and of the second side; the other side is unknown (0)."""
        one = [len(words.axes) for words in self.sides if words is not None]
        after, before = (0, sum(one[1:])), (one[0], 0)
        states = {word: np.pad(vector, after) for word, vector in left.items()}
        return states | {word: np.pad(vector, before) for word, vector in right.items()}

    def _cue(self, cue: Damaged, known: Vectors, rng: np.random.Generator) -> np.ndarray:
        """The state of all neurons from which a cue starts."""
        words, answers = self.sides
        if answers is None:
            need(cue.answer is None, "answer", "is for a memory whose second side has words in [vocabulary.answer]")
            return cue.build(known, words.size, rng)
        if cue.of in answers.vectors:
            need(cue.answer is None, "answer", f"is the second side, and '{shortened(str(cue.of))}' is of it already")
            return self._both({}, {"": cue.build(answers.vectors, None, rng)})[""]
        left = right = np.zeros(len(self.neurons))
        if all(getattr(cue, key) is None for key in SOURCES):
            need_one_of(cue, *SOURCES, "answer")
            cure = "to damage a word of the second side, write it as `of`"
            need_unused(cue, DAMAGE, f"is for the first side, and only `answer` is given; {cure}")
        else:
            left = self._both({"": cue.build(known, words.size, rng)}, {})[""]
        if isinstance(cue.answer, str):
            need_known(cue.answer, answers.vectors, "answer")
            right = self._both({}, {"": answers.vectors[cue.answer]})[""]
        elif cue.answer is not None:
            vector = fitting(cue.answer, "answer", (len(answers.axes), "one for each neuron of the second side"))
            right = self._both({}, {"": vector})[""]
        return left + right

    def _started(self, memory: Any) -> tuple[Any, Any]:
        """The memory of all neurons, and the rule of a step; two sides change in turn, the second one first."""
        n, update = len(self.vocabulary.axes), self.memory.update_rule(memory)
        if self.answers is None:
            return memory, update
        turns = Asynchronous(order=[*range(n, len(self.neurons)), *range(n)])
        return memory.both_sides, turns if self.memory.update is None else update

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        root, table, words = int(rng.integers(2**63)), self.memory, self.vocabulary
        dim, steps = len(self.neurons), len(self.tokens) * (table.steps + 1)
        need(self.tokens, (), "needs cues: [input] with tokens, or a [cue.name] for each")
        need_room((len(table.patterns) + dim) * dim + steps * (dim + 1) + MOST_OVERLAPS)
        memory, cues = self._built(root)
        if is_matrix(memory):
            add_couplings(arrays, partial(self._memory, root), words.axes, self._answer_axes)
        with Parts() as parts:
            with parts.at("memory"):
                memory, update = self._started(memory)
                need(not (obstacle := update.obstacle(memory)), "update", obstacle)
                if table.between is not None:
                    need(not (reason := memory.why_not("energy")), "between", f"there is no energy: {reason}")
            for i, (token, cue) in enumerate(zip(self.tokens, cues, strict=True)):
                noisy = token in self.cue and self.cue[token].noise
                place = ("cue", token, *["noise"] * bool(noisy)) if token in self.cue else ("input", "tokens", i)
                with parts.at(*place):
                    reason, advice = memory.activation.why_outside_domain(cue), INSTEAD_OF_NOISE if noisy else ""
                    need(not reason, (), f"'{shortened(token)}' {reason}{advice}")
        arrays.words, arrays.parts = words.vectors, {WORD: slice(0, dim)}
        if self.answers is not None:
            n = len(words.axes)
            arrays.parts = {WORD: slice(0, n), "answer": slice(n, dim)}
        with at("memory"), table.named_rows(self.tokens):
            start = deepcopy(rng)
            self._add_recall(arrays, memory, update, cues, rng)
            if isinstance(update, Asynchronous):
                self._add_turns(arrays, cues, start, root)
            self._add_worth(arrays, root, cues)
            self._add_memory(arrays, memory, update, cues)

    def _add_recall(
        self, arrays: Arrays, memory: Any, update: Update, cues: np.ndarray, rng: np.random.Generator
    ) -> None:
        """The first step of each cue, its way and its end."""
        table, rows = self.memory, labels(self.tokens)
        cue, axis, step = {"cue": rows}, {"axis": self.neurons}, {"cue": rows, "step": ()}
        word = arrays.parts[WORD]
        few = len(cues) * len(memory.patterns) * (table.steps + 1) <= MOST_OVERLAPS
        keep = ("trajectory", "overlaps") if few else ("trajectory",)
        recall = memory.recall(cues, update=update, max_steps=table.steps, rng=rng, keep=keep)
        trajectory = recall.trajectory.swapaxes(0, 1)
        arrays.add("input", cues, cue | axis)
        if self.answers is None and memory.activation.discrete and memory.activation.silent == -1:
            of_0_and_1 = [i for i, one in enumerate(cues) if {*one} == {0, 1}]
            if of_0_and_1:
                unknown = [table.unknown(cues[i]) for i in of_0_and_1]
                arrays.add(UNKNOWN, unknown, {"cue": [rows[i] for i in of_0_and_1]})
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
        if table.patterns:
            self._add_likeness(arrays, memory, recall, cues)
        arrays.add("steps", recall.steps, cue)
        arrays.add("period", recall.period, cue, mean=False)
        add_temperatures(arrays, update, table.steps)
        if recall.energies is not None:
            arrays.add("energy", recall.energies.T, step)
            if table.patterns and self.answers is None and not update.stochastic:
                valleys = cache(partial(self._valleys, memory, trajectory, np.asarray(recall.matched)))
                for name in ("valley", "balls", "neighbours", "apart"):
                    arrays.add_on_demand(name, partial(lambda part: valleys()[part], name))
                    arrays.drawn.add(name)
        if isinstance(memory, Bidirectional) or self.answers is not None:
            answer, known = recall.state[:, word.stop :], memory.patterns[:, word.stop :]
            if isinstance(memory, Bidirectional):
                answer, known = memory.answer(recall.state), memory.forward.patterns
            matched = ReferencePatterns(known, memory.activation).likeness(answer).matched
            arrays.add("answer", answer, cue | {"axis": (self.answers or self.vocabulary).axes})
            words = np.array([*(table.values or ()), "nothing"])
            arrays.add("answers", words[matched], cue, recallable=words)
        if self._is_drawn:
            arrays.add("trajectory", trajectory[..., word], step | {"axis": self.vocabulary.axes})

    def _valleys(self, memory: Any, trajectory: np.ndarray, matched: np.ndarray) -> dict[str, Labelled]:
        """For each cue the energy on the way from another pattern, on which the cue lies, to the one that it recalls.

        The way and its energy, `(n_cues, 2, n_places)`, NaN behind the end of a shorter one; both at each of the
        states, `(n_cues, 2, n_steps + 1)`; the names of the two patterns, and how far along the way they lie.
        """
        start, end, patterns = trajectory[:, 0], trajectory[:, -1], memory.patterns
        back, every = start[:, None] - patterns, np.arange(len(end))
        behind = np.einsum("cd,cpd->cp", end - start, back) / np.maximum(np.linalg.norm(back, axis=-1), 1e-9)
        behind += 1e-9 * np.asarray(cosine(start, patterns))  # of several, the pattern that is most like the cue
        behind[every, matched] = np.where(matched < 0, behind[:, -1], -np.inf)
        others, far = np.argmax(behind, axis=1), np.linalg.norm(end[:, None] - patterns, axis=-1)
        far[every, others] = np.inf
        goals = np.where(matched < 0, np.argmin(far, axis=1), matched)
        if len(patterns) == 2:  # between both, the first one is to the left
            others, goals = np.where(matched < 0, [[0], [1]], [others, goals])
        both = np.stack([others, goals], axis=1)
        found = [valley(memory, states, *patterns[pair]) for states, pair in zip(trajectory, both, strict=True)]
        ways, balls, ends = zip(*found, strict=True)
        longest = max(way.shape[1] for way in ways)
        padded = [np.pad(way, ((0, 0), (0, longest - way.shape[1])), constant_values=np.nan) for way in ways]
        cue: dict[str, Any] = {"cue": labels(self.tokens)}
        part, two = cue | {"part": ("way", "energy")}, cue | {"end": ("from", "to")}
        return {
            "valley": labelled(np.array(padded), part | {"place": ()}),
            "balls": labelled(np.array(balls), part | {"step": ()}),
            "neighbours": labelled(np.array(labels(self.memory.recalled_words))[both], two),
            "apart": labelled(np.array(ends), two),
        }

    def _add_likeness(self, arrays: Arrays, memory: Any, recall: Recall, cues: np.ndarray) -> None:
        """The likeness of the way and the end of each recall to the patterns, or to their first sides."""
        table, rows, word = self.memory, labels(self.tokens), arrays.parts[WORD]
        names = np.array([*table.recalled_words, "nothing"])  # the last one is that of the pattern number −1
        cue, step, axis = {"cue": rows}, {"cue": rows, "step": ()}, {"axis": self.vocabulary.axes}
        patterns, state = memory.patterns[:, word], recall.state[:, word]
        stored = ReferencePatterns(patterns, memory.activation)
        ended = recall if self.answers is None else stored.likeness(state)
        arrays.add("recalls", names[ended.matched], cue, recallable=names)
        arrays.add("spurious", np.where(ended.spurious == "", "none", ended.spurious), cue)
        arrays.add("of", parts_of_spurious(state, ended, patterns, names), cue)
        states = recall.trajectory.reshape(-1, cues.shape[1])[:, word]
        visited = np.concatenate([stored.likeness(states[some]).matched for some in blocks(len(states), BLOCK)])
        arrays.add("visits", names[visited.reshape(recall.trajectory.shape[:2]).T], step, recallable=names)
        if recall.overlaps is not None:
            pattern = {"pattern": labels(table.recalled_words)}
            arrays.add("course", recall.overlaps.swapaxes(0, 1), step | pattern, drawn=True)
        cosines = np.asarray(cosine(state, patterns))
        nearest = np.argmax(np.abs(cosines), axis=-1)
        arrays.add("nearest", patterns[nearest], cue | axis, mean=False)
        arrays.add("nearest word", names[nearest], cue)
        some = np.flatnonzero(np.asarray(self.targets) >= 0)
        if some.size:  # cues that are patterns, or were made of one
            own, matched = np.asarray(self.targets)[some], np.asarray(ended.matched)[some]
            alike = np.all(patterns[matched] == patterns[own], axis=-1)  # a pattern may occur twice
            arrays.add_means(overlap=cosines[some, own], recalled=(matched >= 0) & alike)
            known = {"cue": [rows[i] for i in some]}
            arrays.add("overlaps", cosines[some, own], known)
            arrays.add("start", np.asarray(cosine(cues[:, word], patterns))[some, own], known, drawn=True)

    def _flow(self, stored: Any, cues: np.ndarray, rng: np.random.Generator) -> Flow:
        """The turns of the asynchronous recall of cues that begins with this generator. stored: the memory."""
        memory, update = self._started(stored)
        recall = memory.recall(cues, update=update, max_steps=self.memory.steps, rng=deepcopy(rng), keep="trajectory")
        return Flow(memory, update, recall.trajectory.swapaxes(0, 1), rng, self.seed)

    def _add_turns(self, arrays: Arrays, cues: np.ndarray, start: np.random.Generator, root: int) -> None:
        """The turns of an asynchronous recall: now if they are few, else when they are asked for.

        start: the generator as the recall began.
        """
        compute = partial(self._turns, cues, start, root)
        if cues.size * int(arrays["steps"].values.max()) <= MOST_TURNS:
            arrays.add("turns", compute(), mean=False)
        else:
            arrays.add_on_demand("turns", compute)

    def _turns(self, cues: np.ndarray, start: np.random.Generator, root: int) -> Labelled:
        return self._flow(self._memory(root), cues, deepcopy(start)).array(labels(self.tokens))

    def _add_worth(self, arrays: Arrays, root: int, cues: np.ndarray) -> None:
        """The worth of the patterns that a run of [[without]] takes away."""
        if self._taken is None:
            return
        memory, found = self._worth(root, cues)
        if found is None:
            arrays.add(WORTH, self._why_no_weights(memory), drawn=True)
            return
        cue, axis = {"cue": labels(self.tokens)}, {"axis": self.vocabulary.axes}
        add_worth(arrays, "step 1", found, cue | axis)
        if found.closed is not None and "fixed_point" not in found.lacks:
            arrays.add(CLOSED, found.closed.fixed_point, cue | axis, stage="fixed")
            arrays.add(MEASURED, found.measured.fixed_point, cue | axis, stage="fixed")

    def _worth(self, root: int, cues: np.ndarray) -> tuple[Any, Worth | None]:
        """The whole memory, and that worth to cues `(n_cues, dim)`; None where no pattern has a weight."""
        whole, taken = self._taken
        memory = whole._memory(root)
        return memory, None if self._why_no_weights(memory) else worth(memory, cues, taken)

    def _add_memory(self, arrays: Arrays, memory: Any, update: Update, cues: np.ndarray) -> None:
        """The parameters of the separation; of a small memory its energy or successors, and its patterns."""
        words, dim = self.vocabulary, len(self.neurons)
        if not self._why_no_weights(memory):
            given = {one.name: getattr(memory.separation, one.name) for one in fields(memory.separation)}
            values = {name: float(value) for name, value in given.items() if value is not None}
            arrays.add("separation", [*values.values()], {"parameter": tuple(values)}, stage=name_of(memory.separation))
        small = self._is_drawn
        if has_landscape(memory, dim):
            small = True
            arrays.add("landscape", landscape(memory, cues))
        if self.answers is None and has_successors(memory, update, dim):
            small = True
            for name, array in successors(memory, update, dim).items():
                arrays.add(name, array, mean=False)
        if small:
            axes = {"pattern": labels(self.memory.recalled_words), "axis": words.axes}
            arrays.add("patterns", memory.patterns[:, : len(words.axes)], axes, mean=False)
        if self.memory.between is not None:
            arrays.add("ends", self.memory.between, {"end": ("from", "to")}, drawn=True)
            ends = [words.vectors[word] for word in self.memory.between]
            if self.answers is not None:
                ends = [memory.patterns[self.memory.patterns.index(word)] for word in self.memory.between]
            line = line_between(memory, *ends)
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
            return say("none, since the couplings hold all patterns together, so that no pattern has a weight")
        return say("none, since its formulas are for memories of keys and values")

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        in_caption = () if self.vocabulary.size is None else self.in_caption
        return tuple(name for name in super().shown(arrays) if name not in in_caption)

    def strips(self, arrays: Arrays) -> Iterator[Strip]:
        if (size := self.vocabulary.size) is not None:
            damage = [self.cue[name].description(size.pixels) if name in self.cue else "" for name in self.tokens]
            yield from strips(arrays, self.vocabulary, damage)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        yield from explained_coupling(self.stored, self.vocabulary.axes, self._answer_axes)
        if self.answers is not None:
            update = None if self.memory.update is None else self.memory.update_rule(self.stored)
            yield from explain_sides(arrays, self.stored, update, (self.vocabulary, self.answers))
        else:
            flow, rng = None, np.random.default_rng(self.seed)
            if "turns" in arrays:
                rng.integers(2**63)  # the root
                flow = self._flow(self.stored, arrays["input"].values, rng)
            yield from explain_recall(arrays, self.stored, self.memory, self.vocabulary, flow)
        if self._taken is None:
            return
        memory, found = self._worth(self._root, arrays["input"].values)
        if found is None:
            yield say("worth: {}", self._why_no_weights(memory))
            return
        whole, taken = self._taken
        names = [labels(whole.memory.recalled_words)[i] for i in taken]
        shown = vector if self.vocabulary.size is None else None
        for i, cue in enumerate(labels(self.tokens)):
            yield say("{}, the first step without {}:", cue, say(" and ").join(names))
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
