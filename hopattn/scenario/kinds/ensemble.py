"""kind = "ensemble": patterns, random or from a file, are stored, damaged ones are recalled, and recall is measured."""

import math
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr

from hopattn.dynamics.likeness import errors, nearer
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.array_files import named, patterns_in
from hopattn.foundation.checks import COUNTED
from hopattn.foundation.endings import ENDINGS, NAMED
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.vectors import normalised
from hopattn.foundation.writing import shown
from hopattn.memories.crosstalk import compared, crosstalk, histogram, updated_once
from hopattn.memories.kernels import LogSumRelu
from hopattn.memories.random_patterns import EVEN, Sort, damaged, random_patterns, silent_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, numbers
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.models import ModelTable, model_options
from hopattn.scenario.language.table import (
    Count,
    Number,
    PositiveNumber,
    TableWithFiles,
    Text,
    Tolerance,
    at,
    need,
    need_one_of,
    need_room,
    need_unused,
    refusal,
)
from hopattn.scenario.words.cues import INSTEAD_OF_NOISE, Fraction

MEASURES = {
    "overlap": "the cosine of the state with the pattern that was cued, on average",
    "recalled": "fraction of cues whose nearest pattern is their own, with a cosine of at least 0.95",
    "steps": "number of steps of a recall, on average",
    "converged": "fraction of recalls that reached a fixed point",
    "signal": "the field of a neuron towards its pattern, or the score of the cue's own pattern, on average",
    "spread": "the standard deviation of the crosstalk of the other patterns",
    "wrong": "fraction of fields or scores in which the crosstalk outweighs the signal",
    "weight": "the weight that the first step gives the pattern that was cued, on average",
    "bit_error": "fraction of neurons that one update of each alone leaves unlike the pattern",
    "stable": "fraction of cues of which it leaves no neuron unlike the pattern",
    "first": "the distance from the pattern after one step, in lengths of the pattern, on average",
    "second": "that distance after two steps",
    "rest": "that distance at the end of the recall",
    "gain": "the distance that further steps take away, on average: first - rest",
    "nearer": "fraction of cues that end nearer to their pattern than one step takes them; above 0.5, the median gains",
}
"""The measures of a run, each with its meaning as `explain` writes it."""
NUMBERS = ("patterns", "load", "exponent")
"""The keys of which one says how many patterns are stored."""


class StoredTable(ModelTable, TableWithFiles):
    """Patterns, random or from a file, and the memory that stores them."""

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
        """The patterns of the file, `(n_rows, dim)`; raises `Refused` for a file that cannot be read."""
        with at("file"):
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

    @property
    def stored(self) -> int:
        """The number of stored patterns."""
        if self.exponent is not None:
            return round(math.exp(min(self.exponent * self.dim, math.log(COUNTED))))
        return self.patterns or max(1, round(min((self.load or 0) * self.dim, COUNTED)))

    @property
    def least(self) -> int:
        """The least number of patterns that the model stores: one, or as many as a subset of them has."""
        subset = {} if self.card is None else model_options(self.card)
        return min(self.stored, getattr(self.model, "k", subset["k"][1])) if "k" in subset else 1

    @property
    def steps(self) -> int:
        """The largest number of steps of a recall."""
        return self.max_steps or 100

    def at_load(self, load: float) -> Self:
        """The same table with so many patterns for each neuron."""
        return self.model_copy(update={**dict.fromkeys(NUMBERS), "load": load})

    def need_source(self) -> None:
        """Refuse none or two sources of patterns, and keys that belong to the other one."""
        if self.file is None:
            need_one_of(self, "neurons", "file")
            need(self.array is None, "array", "is for a `file`, and none is given")
            return
        random = ("neurons", "sort", "correlation", "activity")
        need_unused(self, random, "is for random patterns; leave it out, or `file`")
        ending = FilePath(self.file).suffix.lower()
        fits = self.array is None or ending in NAMED or ending not in ENDINGS
        need(fits, "array", f"is for {' and '.join(NAMED)} files; a {ending} holds one array")
        self.need_rows(*[key for key in NUMBERS if getattr(self, key) is not None][:1])

    def need_rows(self, *path: str) -> None:
        """Refuse more patterns than the file has; path: of the key that asks for them."""
        if self.file is not None:
            message = f"asks for {self.stored} patterns; {named(FilePath(self.file))} holds {len(self.rows)}"
            need(self.stored <= len(self.rows), path, message)

    def drawn(self, rng: np.random.Generator, least: bool = False) -> np.ndarray:
        """The stored patterns, `(n_patterns, dim)`; with the same seed, more patterns begin with the same ones.

        least: as few patterns of the same sort as the model stores instead, of a few neurons, which a check stores.
        """
        if self.file is not None:
            drawn = slice(self.least) if least else rng.permutation(len(self.rows))[: self.stored]
            return np.asarray(self.rows[drawn])
        whole = not least or isinstance(getattr(self.update, "order", ""), list)  # an order names every neuron
        count, dim = self.least if least else self.stored, self.dim if whole else min(self.dim, 8)
        with at(table=self):
            patterns = random_patterns(rng, count, dim, self.sort, self.correlation, self.activity)
        if least and self.sort != "unit":  # by chance, all neurons could be alike
            return np.tile(np.where(np.arange(dim) % 2, silent_of(self.sort), 1.0), (count, 1))
        return patterns

    def build(self, patterns: np.ndarray, *arguments: Any, **options: Any) -> AssociativeMemory:
        """The memory, as of `ModelTable`; the message about patterns that it cannot store names their file."""
        file = self.file and named(FilePath(self.file))
        cure = f"{file} holds other numbers" if file else 'write sort = "binary"'
        binary = getattr(self.model, "activation", "") != "step" or self.form == "binary"
        need(binary, "file" if file else "sort", f'the neurons of activation "step" are 0 or 1; {cure}')
        if self.needs_values:
            raise refusal("model", f"'{self.card.name}' needs values; random patterns lead to themselves")
        try:
            return super().build(patterns, *arguments, **options)
        except InvalidInput as error:
            if file and str(error).startswith(("patterns: ", "keys: ")):
                raise InvalidInput(f"{file}: {error}") from None
            raise


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

    def cues_of(self, patterns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Damaged patterns, `(n_cues, dim)`; directions are scaled to unit magnitude again.

        patterns: that of each cue, as often one after the other as there are fractions of flips.
        """
        flips = self.flips or [self.flip]
        each = flips * (len(patterns) // len(flips))
        cues = damaged(patterns, rng, each, self.noise, self.hide, silent_of(self.form))
        return np.asarray(normalised(cues)) if self.form == "unit" else cues

    def need_fit(self) -> None:
        """Refuse keys that contradict each other."""
        super().need_fit()
        self.need_source()
        need_one_of(self, *NUMBERS)
        twice = self.flips is not None and "flip" in self.model_fields_set
        need(not twice, "flip", "`flips` is given too; leave one of them out")
        if self.burn_in is not None:
            none = f"{self.burn_in} of {self.steps} sweeps leave none to average; expected fewer, or more `max_steps`"
            need(self.burn_in < self.steps, "burn_in", none)
            need(self.form != "binary", "burn_in", "is for spins, whose overlap is their cosine; leave it out")
        other = not self.crosstalk or self.form != "binary"
        need(other, "crosstalk", "is for patterns of -1 and 1 and for directions; leave it out")

    def need_memory(self, memory: AssociativeMemory, update: Update, cue: np.ndarray) -> None:
        """Refuse an update, a measure or a damage that the memory does not allow; cue: one of them, `(dim,)`."""
        obstacle = update.obstacle(memory) or memory.why_not("recall")
        need(not obstacle, "update", obstacle)
        chance = 'expected an update by chance, such as { name = "glauber", temperature = 0.1 }'
        by_chance = self.burn_in is None or update.stochastic
        need(by_chance, "burn_in", lambda: f"'{name_of(update)}' converges; {chance}")
        weighs = not self.weights or compared(memory) == "scores" or isinstance(memory, LogSumRelu)
        need(weighs, "weights", "this memory does not give each pattern a weight; leave it out")
        spins = memory.activation.discrete and memory.activation.silent == -1
        need(not self.bits or spins, "bits", "the neurons of this memory are not -1 and 1; leave it out")
        reason = memory.activation.why_outside_domain(cue)
        whole = ("file", "") if self.file else ("sort", '; choose another sort: "spins", "unit" or "binary"')
        key, advice = ("noise", INSTEAD_OF_NOISE) if self.noise else ("hide", "") if self.hide else whole
        need(not reason, key, f"a cue {reason}{advice}")


class Ensemble(Kind):
    """Patterns, random or from a file, and the memory that recalls them."""

    shown_arrays: ClassVar[tuple[str, ...]] = tuple(MEASURES)
    kind: Literal["ensemble"]
    ensemble: EnsembleTable
    """The patterns, the memory, the cues."""
    _least: bool = PrivateAttr(default=False)

    def least(self) -> Self:
        """The same with the fewest patterns, of a few neurons, which stand for all of the cues, and one step."""
        small = self.changed(self._taken)
        small._least = True
        return small

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table = self.ensemble
        with at("ensemble"):
            table.need_fit()
        cued, flips, by_sweep = min(table.cues, table.stored), len(table.flips or [0]), table.burn_in is not None
        n_cues = cued * flips
        courses = n_cues * (table.steps * (table.stored if by_sweep else 1) + table.stored * table.weights)
        need_room((2 * table.stored + table.dim + 3 * n_cues) * table.dim + courses)
        steps, keep = 1 if self._least else table.steps, ("overlaps",) if by_sweep else ()
        with at("ensemble"):
            patterns = table.drawn(rng, self._least)
            memory: Any = table.build(patterns, None, rng)
            targets = np.repeat(np.arange(cued) % len(patterns), flips)
            right = patterns[targets]
            cues, update = table.cues_of(right, rng), table.update_rule(memory)
            table.need_memory(memory, update, cues[0])
            result = memory.recall(cues, update=update, max_steps=steps, rng=rng, keep=keep)
        overlaps = cosines(result.state, right)
        if table.burn_in is not None:  # of spins, whose overlap is the cosine; a cue that stops keeps its last state
            sweeps = np.minimum(np.arange(table.burn_in + 1, table.steps + 1), len(result.overlaps) - 1)
            overlaps = result.overlaps[:, np.arange(n_cues), targets][sweeps].mean(axis=0)
        names, same = numbers(n_cues), result.matched == targets
        arrays.add_means(overlap=overlaps, recalled=same, steps=result.steps, converged=result.converged)
        arrays.add("overlaps", overlaps, {"cue": names})
        arrays.add("status", result.status, {"cue": names})
        arrays.add("start", cosines(cues, right), {"cue": names}, drawn=True)
        energies = np.zeros((n_cues, 0)) if result.energies is None else result.energies.T
        arrays.add("energy", energies[:100], {"cue": names[:100], "step": ()}, drawn=True)  # as many as a figure draws
        if table.weights:
            arrays.add_means(weight=np.asarray(memory.weights(cues))[np.arange(n_cues), targets])
        if table.bits:
            wrong = updated_once(memory, cues) != np.asarray(getattr(memory, "values", patterns))[targets]
            arrays.add_means(bit_error=wrong, stable=~wrong.any(axis=1))
        if table.errors:
            one = np.asarray(memory.step(cues))
            first, second, rest = (errors(states, right) for states in (one, memory.step(one), result.state))
            arrays.add_means(first=first, second=second, rest=rest, gain=first - rest, nearer=nearer(rest, first))
        if table.crosstalk:
            self._add_crosstalk(arrays, memory, cues, targets)

    def _add_crosstalk(self, arrays: Arrays, memory: Any, cues: np.ndarray, targets: np.ndarray) -> None:
        """Add the arrays of `crosstalk = true`. theory: the spread among random patterns of Hebb's network, or of dot
        products; 0 where no theory is known."""
        table, what = self.ensemble, compared(memory)
        signal, noise, wrong = crosstalk(memory, cues, targets)
        spread = float(np.std(noise)) if noise.size else 0.0
        arrays.add_means(signal=signal, spread=spread, wrong=wrong if noise.size else np.zeros(1, bool))
        centres, density = histogram(noise, spread, cues.shape[1])
        labels = tuple(repr(round(float(centre), 6)) for centre in centres)
        arrays.add("crosstalk", Labelled(density, ("bin",), (labels,), scales={"bin": centres}), drawn=True)
        arrays.add("compared", what, drawn=True)
        plain = table.file is None and table.activity == EVEN and not (table.correlation or table.noise or table.hide)
        if plain and what == "scores":
            theory = 1 / math.sqrt(table.dim)
        else:  # the field adds the P − 1 other patterns over N − 1 neurons, divided by N
            hebb = plain and table.model == "hopfield"
            theory = math.sqrt((table.stored - 1) * (table.dim - 1)) / table.dim if hebb else 0.0
        arrays.add("theory", theory, drawn=True)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table = self.ensemble
        damage = say(" with {} fractions of flipped neurons each", str(len(table.flips))) if table.flips else ""
        kind = say("{} random patterns", str(table.stored))
        if table.file is not None:
            kind = say("{} of the {} patterns of the file", str(table.stored), str(len(table.rows)))
        cued = str(min(table.cues, table.stored))
        yield say("{} of {} neurons, {} of them cued{}", kind, str(table.dim), cued, damage)
        sweeps = say(" (of the last state)")
        if table.burn_in is not None:
            sweeps = say(" (of sweeps {} to {})", str(table.burn_in + 1), str(table.steps))
        for name in [name for name in MEASURES if name in arrays]:
            of = sweeps if name == "overlap" else ""
            yield f"{name} = {shown(arrays[name].values, 4)}: {say(MEASURES[name])}{of}"


def cosines(states: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The cosine of each state with its pattern, `(n_cues,)`; 0 for a state of zeros."""
    lengths = np.sqrt(np.sum(states**2, axis=-1) * np.sum(targets**2, axis=-1))  # of spins: N, exactly
    products = np.sum(states * targets, axis=-1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))
