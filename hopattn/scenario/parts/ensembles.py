"""The table `[ensemble]`: where the patterns come from, how they are damaged, and what is measured of a recall."""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Recall
from hopattn.foundation.array_files import named, patterns_in
from hopattn.foundation.checks import COUNTED
from hopattn.foundation.endings import ENDINGS, NAMED, foreign
from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.foundation.vectors import normalised
from hopattn.scenario.language.common_problems import one_of_problems, refusals, unused_problems
from hopattn.scenario.language.fields import Count, Number, PositiveNumber, Problem, TableWithFiles, Text, Tolerance
from hopattn.scenario.parts.memories import ModelTable
from hopattn.scenario.random_patterns import EVEN, Sort, damaged, random_patterns, silent_of, why_not_together
from hopattn.scenario.words.damaged_cues import Fraction

MEASURES = {
    "overlap": "the cosine of the state with the pattern that was cued, on average",
    "recalled": "fraction of cues whose nearest pattern is their own, with a cosine of at least 0.95",
    "steps": "number of steps of a recall, on average",
    "converged": "fraction of recalls that reached a fixed point",
}
"""The measures of a run, each with its meaning as `explain` writes it."""
CROSSTALK = {
    "signal": "the field of a neuron towards its pattern, or the score of the cue's own pattern, on average",
    "spread": "the standard deviation of the crosstalk of the other patterns",
    "wrong": "fraction of fields or scores in which the crosstalk outweighs the signal",
}
"""The measures of a run with `crosstalk = true`."""
WEIGHT = {"weight": "the weight that the first step gives the pattern that was cued, on average"}
"""The measure of a run with `weights = true`."""
BITS = {
    "bit_error": "fraction of neurons that one update of each alone leaves unlike the pattern",
    "stable": "fraction of cues of which it leaves no neuron unlike the pattern",
}
"""The measures of a run with `bits = true`."""
ERRORS = {
    "first": "the distance from the pattern after one step, in lengths of the pattern, on average",
    "second": "that distance after two steps",
    "rest": "that distance at the end of the recall",
    "gain": "the distance that further steps take away, on average: first - rest",
    "nearer": "fraction of cues that end nearer to their pattern than one step takes them; above 0.5, the median gains",
}
"""The measures of a run with `errors = true`."""
NUMBERS = ("patterns", "load", "exponent")
"""The keys of which one says how many patterns are stored."""


class StoredTable(ModelTable, TableWithFiles):
    """Patterns, random or from a file, and the memory that stores them."""

    place: ClassVar[str] = "ensemble"
    neurons: Count | None = None
    """The number of neurons of a random pattern; or give `file`."""
    file: Text | None = None
    """A file of your own patterns, from the folder of this scenario: a .npy, .npz, .safetensors, .csv, .tsv or .txt.
    Each row is a pattern, or each array of a file with several arrays of one shape. Every run stores other patterns of
    it, drawn at random: as many as `patterns`, `load` or `exponent` says."""
    array: Text | None = None
    """The name of the array, in a file with several. Without it, each array is a pattern."""
    patterns: Count | None = None
    """The number of stored patterns; or give `load` or `exponent`."""
    load: PositiveNumber | None = None
    """The number of stored patterns for each neuron; the number of patterns is rounded, and at least 1."""
    exponent: PositiveNumber | None = None
    """ln P/N: the number of stored patterns P is exp(exponent · N), rounded; for memories of exponentially many."""
    sort: Sort = "spins"
    """The form of a pattern: -1 and 1; a direction of unit magnitude, to which a damaged cue is scaled again; or
    "binary", 0 and 1, for neurons of 0 and 1."""
    correlation: Fraction = 0.0
    """The cosine of any two patterns, on average."""
    activity: Annotated[Number, Field(gt=0, lt=1)] = EVEN
    """The probability that a neuron of a pattern is 1, and not -1 or 0; sparse patterns have a low one."""

    @cached_property
    def rows(self) -> np.ndarray:
        """The patterns of the file, `(n_rows, dim)`; raises `InvalidInput` for a file that cannot be read."""
        return patterns_in(self._folder / str(self.file), self.array).read()

    @property
    def dim(self) -> int:
        """The number of neurons."""
        return self.neurons or self.rows.shape[1]

    @property
    def form(self) -> str:
        """The form of the patterns: the key `sort`, or "spins", "binary" or "free" for those of the file."""
        if self.file is None:
            return self.sort
        return "spins" if np.all(np.abs(self.rows) == 1) else "binary" if np.isin(self.rows, (0, 1)).all() else "free"

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """The stored patterns, `(n_patterns, dim)`; with the same seed, more patterns begin with the same ones."""
        if self.file is None:
            return random_patterns(rng, self.stored, self.dim, self.sort, self.correlation, self.activity)
        return np.asarray(self.rows[rng.permutation(len(self.rows))[: self.stored]])

    def build(
        self,
        patterns: np.ndarray,
        values: np.ndarray | None,
        rng: np.random.Generator,
        given: Mapping[str, Any] = MappingProxyType({}),
    ) -> AssociativeMemory:
        """The memory, as of `ModelTable`; the message about patterns that it cannot store names their file."""
        try:
            return super().build(patterns, values, rng, given)
        except InvalidInput as error:
            if self.file is None or not str(error).startswith(("patterns: ", "keys: ")):
                raise
            raise InvalidInput(f"{named(FilePath(self.file))}: {error}") from None

    @property
    def stored(self) -> int:
        """The number of stored patterns."""
        if self.exponent is not None:
            return round(math.exp(min(self.exponent * self.dim, math.log(COUNTED))))
        return self.patterns or max(1, round(min((self.load or 0) * self.dim, COUNTED)))

    @property
    def steps(self) -> int:
        """The largest number of steps of a recall."""
        return self.max_steps or 100

    def tried(self, rng: np.random.Generator) -> tuple[np.ndarray, AssociativeMemory]:
        """A small memory of the same sort with its patterns, of which there is one."""
        small = min(self.dim, 8)
        if self.file is not None:
            patterns = self.rows[:1]
        elif self.sort == "binary":  # by chance, all could be 0
            patterns = (np.arange(small) % 2 == 0)[None, :] * 1.0
        else:
            patterns = random_patterns(rng, 1, small, self.sort)
        return patterns, self.build(patterns, None, rng)

    def problems(self) -> Iterator[Problem]:
        """Keys that contradict each other."""
        yield from super().problems()
        if self.correlation == 1:
            yield Problem((self.place, "correlation"), "at 1 all patterns are one; expected a number below 1")
        elif reason := why_not_together(self.sort, self.correlation, self.activity):
            key, message = reason.split(": ", 1)
            yield Problem((self.place, key), message)
        if getattr(self.model, "activation", "") == "step" and self.form != "binary":
            message = 'the neurons of activation "step" are 0 or 1; '
            cure = 'write sort = "binary"' if self.file is None else f"{named(FilePath(self.file))} holds other numbers"
            yield Problem((self.place, "sort" if self.file is None else "file"), message + cure)
        if self.needs_values:
            yield Problem((self.place, "model"), f"'{self.card.name}' needs values; random patterns lead to themselves")

    def source_problems(self) -> Iterator[Problem]:
        """Problems of where the patterns come from."""
        if self.file is None:
            yield from one_of_problems(self, ("neurons", "file"), (self.place,))
            if self.array is not None:
                yield Problem((self.place, "array"), "is for a `file`, and none is given")
            return
        random = ("neurons", "sort", "correlation", "activity")
        yield from unused_problems(self, random, (self.place,), "is for random patterns; leave it out, or `file`")
        ending = FilePath(self.file).suffix.lower()
        if ending not in ENDINGS:
            cure = foreign(FilePath(self.file)) or f"does not end in {', '.join(ENDINGS)}"
            yield Problem((self.place, "file"), f"'{shortened(self.file)}' {cure}")
            return
        if self.array is not None and ending not in NAMED:
            yield Problem((self.place, "array"), f"is for {' and '.join(NAMED)} files; a {ending} holds one array")
            return
        unreadable = [*refusals((self.place, "file"), lambda: self.rows)]
        yield from unreadable
        if not unreadable and self.stored > len(self.rows):
            key = next(key for key in NUMBERS if getattr(self, key) is not None)
            message = f"asks for {self.stored} patterns; {named(FilePath(self.file))} holds {len(self.rows)}"
            yield Problem((self.place, key), message)


class EnsembleTable(StoredTable):
    """The patterns, the memory that stores them, and the cues."""

    cues: Count = 1
    """The number of patterns that are cued, at most all."""
    flip: Fraction = 0.0
    """The fraction of a cue's neurons that is reversed."""
    flips: Annotated[list[Fraction], Field(min_length=1)] | None = None
    """Several such fractions: each cued pattern is cued once with each of them, instead of `flip`."""
    noise: Tolerance = 0.0
    """The standard deviation of the Gaussian noise that is added to every neuron."""
    hide: Fraction = 0.0
    """The fraction of a cue's neurons that becomes unknown (0); neurons of 0 and 1 become silent."""
    crosstalk: bool = False
    """Whether the signal of each cue's own pattern is compared with the crosstalk of the others, before the recall."""
    weights: bool = False
    """Whether the weight of each cue's own pattern in the first step is measured; of a memory that gives each pattern a
    weight."""
    bits: bool = False
    """Whether the wrong neurons are counted after one update of each neuron alone, all others as in the cue; in a
    sequence, after one step, with the next pattern as the right one. For memories whose neurons are -1 and 1."""
    errors: bool = False
    """Whether the distance from the cue's own pattern is measured after one step, after two, and at the end."""
    burn_in: Annotated[int, Field(ge=0)] | None = None
    """The number of first sweeps that `overlap` leaves out; it is the mean over all later sweeps, up to `max_steps`.
    For an update by chance, such as "glauber". Without this key, `overlap` is that of the last state."""

    @property
    def measures(self) -> dict[str, str]:
        """The measures of a run, each with its meaning."""
        return (
            MEASURES
            | (CROSSTALK if self.crosstalk else {})
            | (WEIGHT if self.weights else {})
            | (BITS if self.bits else {})
            | (ERRORS if self.errors else {})
        )

    @property
    def own(self) -> np.ndarray:
        """The number of the pattern of each cue, `(n_cues,)`."""
        return np.repeat(np.arange(min(self.cues, self.stored)), len(self.flips or [self.flip]))

    def cued(self, patterns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Damaged patterns, one for each of `own`; directions are scaled to unit magnitude again."""
        flips = self.flips or [self.flip]
        each = flips * (len(patterns) // len(flips))
        cues = damaged(patterns, rng, each, self.noise, self.hide, silent_of(self.form))
        return np.asarray(normalised(cues)) if self.form == "unit" else cues

    def problems(self) -> Iterator[Problem]:
        """Keys that contradict each other."""
        yield from super().problems()
        yield from one_of_problems(self, NUMBERS, (self.place,))
        if self.flips is not None and "flip" in self.model_fields_set:
            yield Problem((self.place, "flip"), "`flips` is given too; leave one of them out")
        if self.burn_in is not None and self.burn_in >= self.steps:
            message = (
                f"{self.burn_in} of {self.steps} sweeps leave none to average; expected fewer, or more `max_steps`"
            )
            yield Problem((self.place, "burn_in"), message)
        if self.burn_in is not None and self.form == "binary":
            yield Problem((self.place, "burn_in"), "is for spins, whose overlap is their cosine; leave it out")
        if self.crosstalk and self.form == "binary":
            yield Problem((self.place, "crosstalk"), "is for patterns of -1 and 1 and for directions; leave it out")

    def overlaps(self, result: Recall, targets: np.ndarray) -> np.ndarray:
        """The cosine of each cue's state with its pattern, `(n_cues,)`: of the last state, or on average over sweeps.

        result: with the overlaps of every sweep if `burn_in` is given. targets: the pattern of each cue,
        `(n_cues, dim)`. The states of an update by chance are spins, and so are their patterns: their overlap
        m = ξ·x / |ξ|² is their cosine. A cue that stops early keeps its last state.
        """
        if self.burn_in is None:
            return cosines(result.state, targets)
        cues = np.arange(len(targets))
        by_sweep = result.overlaps[:, cues, self.own]
        sweeps = np.arange(self.burn_in + 1, self.steps + 1)
        return np.asarray(by_sweep[np.minimum(sweeps, len(by_sweep) - 1)].mean(axis=0))


def cosines(states: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The cosine of each state with its pattern, `(n_cues,)`; 0 for a state of zeros."""
    lengths = np.sqrt(np.sum(states**2, axis=-1) * np.sum(targets**2, axis=-1))  # of spins: N, exactly
    products = np.sum(states * targets, axis=-1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))
