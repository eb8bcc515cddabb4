"""The arrays of a recall: their declaration and their computation, for kind = "memory"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Likeness, ReferencePatterns, Spurious
from hopattn.dynamics.record import Recall
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks
from hopattn.landscapes.plane import LINE, POINTS, has_landscape, has_successors, landscape, line_between, successors
from hopattn.memories.interventions import lacking, worth
from hopattn.memories.memory import Memory
from hopattn.networks.associator import Associator, Bidirectional
from hopattn.networks.classical import Hopfield
from hopattn.results.labelled import Labelled
from hopattn.retrieval.interventions import Worth
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.explain.arithmetic import vector
from hopattn.scenario.explain.interventions import explain_worth
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.parts.without import CLOSED, MEASURED, WORTH, worth_arrays, worth_values
from hopattn.scenario.words.word_list import Words

MOST_OVERLAPS = 2**20
"""The largest number of overlaps by cue, step and pattern that a result holds."""
OF_WORTH = (WORTH, CLOSED, MEASURED)
"""The quantities of a worth, as a terminal shows them."""
BLOCK = 1024
"""The number of states that are compared with the patterns at once."""


@dataclass(frozen=True, eq=False)
class Whole:
    """The recall before patterns were taken away, and the numbers of these."""

    arrays: "RecallArrays"
    taken: tuple[int, ...]

    @property
    def names(self) -> list[str]:
        """The names of the patterns that are taken away, or of the values to which they lead."""
        return [labels(self.arrays.table.recalled_words)[i] for i in self.taken]

    def worth(self, cues: np.ndarray) -> Worth:
        """Their worth to these cues."""
        return worth(self.arrays.memory, cues, list(self.taken))


@dataclass(frozen=True, eq=False)
class RecallArrays:
    """The arrays of a recall, and of its memory where they are small enough to show.

    memory: built from the table and the words. tokens: the names of the cues. targets: for each cue the number of the
    pattern that it is or was made of, −1 if it is none. whole: the recall with the patterns that a run of [[without]]
    takes away; None in other runs.
    """

    memory: Any
    table: MemoryTable
    words: Words
    tokens: Sequence[str]
    targets: Sequence[int]
    whole: Whole | None = None

    def declared(self) -> Iterator[ArraySpec]:
        """The declaration of every array."""
        cue, axis, step = ("cue", labels(self.tokens)), ("axis", self.words.axes), ("step", -1)
        for name in ("input", "step 1 field", "step 1 output", "state"):
            yield ArraySpec(name, (cue, axis))
        for name in ("status", "recalls", "spurious", "of"):
            yield ArraySpec(name, (cue,), measured=False)
        yield ArraySpec("steps", (cue,))
        yield ArraySpec("period", (cue,), measured=False)
        yield ArraySpec("visits", (cue, step), measured=False)
        if self._has_targets:
            yield from map(ArraySpec, ("overlap", "recalled"))
            known = tuple(name for name, target in zip(cue[1], self.targets, strict=True) if target >= 0)
            yield ArraySpec("overlaps", (("cue", known),))
            yield ArraySpec("start", (("cue", known),), referable=False, measured=False)
        if self.has_weights:
            pattern = ("pattern", labels(self.table.patterns))
            yield ArraySpec("step 1 scores", (cue, pattern))
            yield ArraySpec("step 1 weights", (cue, pattern))
            if self.memory.separation.sink is not None:
                yield ArraySpec("step 1 rest", (cue,))
        if isinstance(self.memory, Bidirectional):
            yield ArraySpec("answer", (cue, axis))
            yield ArraySpec("answers", (cue,), measured=False)
        if not self.memory.why_not("energy"):
            yield ArraySpec("energy", (cue, step))
        if self._shows_trajectory:
            yield ArraySpec("trajectory", (cue, step, axis))
        if self._shows_course:
            pattern = ("pattern", labels(self.table.recalled_words))
            yield ArraySpec("course", (cue, step, pattern), referable=False, measured=False)
        if self.whole is not None and self.why_no_weights:
            yield ArraySpec(WORTH, referable=False, measured=False)
        elif self.whole is not None:
            lacks = lacking(self.whole.arrays.memory)
            yield from worth_arrays("step 1", cue, axis, lacks)
            if not {"closed", "fixed_point"} & {*lacks}:
                yield from (ArraySpec(f"fixed {name}", (cue, axis)) for name in (CLOSED, MEASURED))
        yield ArraySpec("nearest", (cue, axis), measured=False)
        yield ArraySpec("nearest word", (cue,), measured=False)
        yield from self._declared_of_memory()

    def _declared_of_memory(self) -> Iterator[ArraySpec]:
        dim = len(self.words.axes)
        if self.has_weights:
            for name, array in self._parameters.items():
                yield ArraySpec(name, tuple(zip(array.dims, array.labels, strict=True)))
        if self._has_landscape:
            yield ArraySpec("landscape", (("second axis", POINTS), ("first axis", POINTS)))
        if self._has_successors:
            yield ArraySpec("successor", (("state", 2**dim),), measured=False)
            yield ArraySpec("way", measured=False)
        if self._shows_patterns:
            axes = (("pattern", labels(self.table.recalled_words)), ("axis", self.words.axes))
            yield ArraySpec("patterns", axes, measured=False)
        if self.table.between is not None:
            yield ArraySpec("barrier")
            yield ArraySpec("between", (("place", LINE),), referable=False, measured=False)
            yield ArraySpec("ends", (("end", ("from", "to")),), referable=False, measured=False)

    def computed(self, cues: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
        """Recall the cues `(n_cues, dim)`; return the values of every declared array by name."""
        memory = self.memory
        keep = ("trajectory", "overlaps") if self._shows_course else ("trajectory",)
        update = self.table.update_rule(memory)
        recall = memory.recall(cues, update=update, max_steps=self.table.steps, rng=rng, keep=keep)
        trajectory = recall.trajectory.swapaxes(0, 1)
        values: dict[str, Any] = {
            "input": cues,
            "step 1 field": memory.field(cues),
            "step 1 output": trajectory[:, 1],
            "state": recall.state,
        }
        if self.has_weights:
            values |= {"step 1 scores": memory.scores(cues), "step 1 weights": memory.weights(cues)}
            values |= {} if memory.separation.sink is None else {"step 1 rest": memory.rest(cues)}
        values |= self._recalled(recall)
        if isinstance(memory, Bidirectional):
            values |= self._answers(memory, recall.state)
        if self._shows_trajectory:
            values["trajectory"] = trajectory
        if self._shows_course:
            values["course"] = recall.overlaps.swapaxes(0, 1)
        cosines = np.asarray(cosine(recall.state, memory.patterns))
        nearest = np.argmax(np.abs(cosines), axis=-1)
        values |= {"nearest": memory.patterns[nearest], "nearest word": self._names[nearest]}
        values |= self._measured(recall, cues, cosines) if self._has_targets else {}
        return {**values, **self._worth(cues), **self._of_memory(cues)}

    def _worth(self, cues: np.ndarray) -> dict[str, Any]:
        """The worth of the patterns that are taken away; empty in a run with all patterns."""
        if self.whole is None:
            return {}
        if self.why_no_weights:
            return {WORTH: self.why_no_weights}
        found = self.whole.worth(cues)
        values: dict[str, Any] = {**worth_values("step 1", found)}
        if found.closed is not None and "fixed_point" not in found.lacks:
            points = {CLOSED: found.closed.fixed_point, MEASURED: found.measured.fixed_point}
            values |= {f"fixed {name}": point for name, point in points.items()}
        return values

    def explained_worth(self, cues: np.ndarray) -> Iterator[str]:
        """The arithmetic of that worth; none in a run with all patterns."""
        if self.whole is None:
            return
        if self.why_no_weights:
            yield f"worth: {self.why_no_weights}"
            return
        names, memory, found = self.whole.names, self.whole.arrays.memory, self.whole.worth(cues)
        shown = vector if self.words.size is None else None
        for i, cue in enumerate(labels(self.tokens)):
            yield f"{cue}, the first step without {' and '.join(names)}:"
            lines = explain_worth(found, i, memory.retrieval, names, memory.values[list(self.whole.taken)], shown)
            yield from (f"  {line}" for line in lines)

    def _recalled(self, recall: Recall) -> dict[str, Any]:
        """The end of the recall of each cue, and the pattern and energy after each step."""
        memory, names = self.memory, self._names
        states = recall.trajectory.reshape(-1, recall.trajectory.shape[-1])
        stored = ReferencePatterns(memory.patterns, memory.activation)
        matched = [stored.likeness(states[rows]).matched for rows in blocks(len(states), BLOCK)]
        visited = np.concatenate(matched).reshape(recall.trajectory.shape[:2])
        energies = {} if recall.energies is None else {"energy": recall.energies.T}
        return {
            "status": recall.status,
            "recalls": names[recall.matched],
            "spurious": np.where(recall.spurious == "", "none", recall.spurious),
            "of": parts_of_spurious(recall.state, recall, memory.patterns, names),
            "steps": recall.steps,
            "period": recall.period,
            "visits": names[visited.T],
            **energies,
        }

    def _measured(self, recall: Recall, given: np.ndarray, cosines: np.ndarray) -> dict[str, Any]:
        """The cosines of cue and state with the pattern of the cue, and the means over the cues that have a pattern.

        given: the cues, `(n_cues, dim)`. cosines: of the states with the patterns, `(n_cues, n_patterns)`.
        """
        cues = np.flatnonzero(np.asarray(self.targets) >= 0)
        own = np.asarray(self.targets)[cues]
        matched = np.asarray(recall.matched)[cues]
        patterns = self.memory.patterns
        recalled = (matched >= 0) & np.all(patterns[matched] == patterns[own], axis=-1)  # a pattern may occur twice
        overlaps, start = cosines[cues, own], np.asarray(cosine(given, patterns))[cues, own]
        means = {"overlap": np.mean(overlaps), "recalled": np.mean(recalled)}
        return {**means, "overlaps": overlaps, "start": start}

    def _answers(self, memory: Bidirectional, states: np.ndarray) -> dict[str, np.ndarray]:
        """The final state of the other side, and the name of the pattern that it recalls."""
        answer = memory.answer(states)
        matched = ReferencePatterns(memory.forward.patterns, memory.activation).likeness(answer).matched
        return {"answer": answer, "answers": np.array([*(self.table.values or ()), "nothing"])[matched]}

    @property
    def _parameters(self) -> dict[str, Labelled]:
        """The parameters of the separation as one labelled array `(n_parameters,)`."""
        separation = self.memory.separation
        given = {entry.name: getattr(separation, entry.name) for entry in fields(separation)}
        values = {name: float(value) for name, value in given.items() if value is not None}
        name = f"{name_of(separation)} separation"
        return {name: Labelled(np.array([*values.values()]), ("parameter",), (tuple(values),))}

    def _of_memory(self, cues: np.ndarray) -> dict[str, Any]:
        """The separation's parameters; of a small memory also its energy or successors, and its patterns."""
        arrays: dict[str, Any] = {}
        if self.has_weights:
            arrays |= self._parameters
        if self._has_landscape:
            arrays["landscape"] = landscape(self.memory, cues)
        if self._has_successors:
            arrays |= successors(self.memory, self.table.update_rule(self.memory), len(self.words.axes))
        if self._shows_patterns:
            arrays["patterns"] = self.memory.patterns
        if self.table.between is not None:
            one, other = (self.words.vectors[word] for word in self.table.between)
            arrays |= {"ends": self.table.between, **line_between(self.memory, one, other)}
        return arrays

    @property
    def _names(self) -> np.ndarray:
        """The names of the patterns; the last one, "nothing", is that of the pattern number −1."""
        return np.array([*self.table.recalled_words, "nothing"])

    @property
    def has_weights(self) -> bool:
        """Whether each pattern has a weight, of which a worth is made."""
        return not self.why_no_weights

    @property
    def why_no_weights(self) -> str:
        """Why no pattern has a weight of its own, or an empty string where each has one."""
        if self.table.card is not None and "locations" in self.table.card.parameters:
            return "none, since the weights are those of locations, and not of patterns"
        if isinstance(self.memory, Memory):
            return ""
        if isinstance(self.memory, Hopfield | Associator | Bidirectional):
            return "none, since the couplings hold all patterns together, so that no pattern has a weight"
        return "none, since its formulas are for memories of keys and values"

    @property
    def _has_targets(self) -> bool:
        """Whether some cue belongs to a pattern."""
        return any(target >= 0 for target in self.targets)

    @property
    def _shows_course(self) -> bool:
        """Whether the overlaps of each cue with each pattern after each step are few enough to show."""
        return len(self.tokens) * len(self.memory.patterns) * (self.table.steps + 1) <= MOST_OVERLAPS

    @property
    def _shows_trajectory(self) -> bool:
        """Whether every step of a recall can be drawn: as a picture, or as a point on a plane."""
        return self.words.size is not None or len(self.words.axes) == 2

    @property
    def _shows_patterns(self) -> bool:
        """Whether the patterns can be drawn: as pictures, in a plane, or among all states of a small network."""
        return self._shows_trajectory or self._has_landscape or self._has_successors

    @property
    def _has_landscape(self) -> bool:
        return has_landscape(self.memory, len(self.words.axes))

    @property
    def _has_successors(self) -> bool:
        """Whether every state of a small memory has one successor; no if the update rule is invalid."""
        try:
            return has_successors(self.memory, self.table.update_rule(self.memory), len(self.words.axes))
        except InvalidInput:
            return False


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
