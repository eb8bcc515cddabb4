"""kind = "ensemble": random patterns are stored, damaged ones are recalled, and the quality of recall is measured."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.dynamics.record import Recall
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.labelled import Labelled
from hopattn.foundation.registry import name_of
from hopattn.foundation.scalars import COUNTED
from hopattn.foundation.vectors import normalised
from hopattn.memories.crosstalk import BINS, compared, crosstalk, spread_by_theory
from hopattn.memories.random_patterns import Sort, damaged, random_patterns
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout, ArraySpec, all_labelled, shapes
from hopattn.scenario.language.fields import Count, PositiveNumber, Problem, Tolerance
from hopattn.scenario.parts.memories import ModelTable
from hopattn.scenario.words.damaged_cues import IN_PLACE_OF_NOISE, Fraction

TEMPLATE = """\
# Random patterns are stored in a Hopfield network, and recalled from cues of which a tenth is flipped.
schema = 1
title = "my first ensemble"
source = "ours"                          # the document and section that it comes from
kind = "ensemble"

[ensemble]
neurons = 200
load = 0.05                              # patterns for each neuron; or patterns = 10
model = "hopfield"                       # as in [memory]
flip = 0.1                               # the damage to each cue; also noise, hide

[sweep]                                  # what `hopattn sweep` goes over
over = { load = "0.02:0.2:10" }          # ten loads from .02 to .2
trials = 10

[[expect]]
measure = "overlap"
is = 1
within = 0.02
"""

MEASURES = {
    "overlap": "the cosine of the state with the pattern that was cued, on average",
    "recalled": "which part of the cues came nearest to their own pattern, by a cosine of at least 0.95",
    "steps": "how many steps a recall took, on average",
    "converged": "which part of the recalls came to a fixed point",
}
"""The measures of a run, each with its meaning as `explain` writes it."""
CROSSTALK = {
    "signal": "the field of a neuron towards its pattern, or the score of the cue's own pattern, on average",
    "spread": "the standard deviation of the crosstalk of the other patterns",
    "wrong": "in which part of the fields or scores the crosstalk outweighs the signal",
}
"""The measures of a run with `crosstalk = true`."""
MOST_COURSES = 100
"""The number of cues, the first, whose energy a run keeps step by step."""


class EnsembleTable(ModelTable):
    """Random patterns, the memory that stores them, and the cues."""

    place: ClassVar[str] = "ensemble"
    neurons: Count
    """The number of neurons of a pattern."""
    patterns: Count | None = None
    """The number of stored patterns; or give `load`."""
    load: PositiveNumber | None = None
    """The number of stored patterns for each neuron; the number of patterns is rounded, and at least 1."""
    sort: Sort = "spins"
    """The form of a pattern: -1 and 1, or a direction of unit magnitude, to which a damaged cue is scaled again."""
    correlation: Fraction = 0.0
    """The cosine of any two patterns, on average."""
    cues: Count = 1
    """The number of patterns that are cued, at most all."""
    flip: Fraction = 0.0
    """The fraction of a cue's neurons that is reversed."""
    flips: Annotated[list[Fraction], Field(min_length=1)] | None = None
    """Several such fractions: each cued pattern is cued once with each of them, in place of `flip`."""
    noise: Tolerance = 0.0
    """The standard deviation of the Gaussian noise that is added to every neuron."""
    hide: Fraction = 0.0
    """The fraction of a cue's neurons that becomes unknown (0)."""
    crosstalk: bool = False
    """Whether the signal of each cue's own pattern is compared with the crosstalk of the others, before the recall."""
    burn_in: Annotated[int, Field(ge=0)] | None = None
    """The number of first sweeps that `overlap` leaves out; it is the mean over all later sweeps, up to `max_steps`.
    For an update by chance, such as "glauber". Without this key, `overlap` is that of the last state."""

    @property
    def stored(self) -> int:
        """The number of stored patterns."""
        return self.patterns or max(1, round(min((self.load or 0) * self.neurons, COUNTED)))

    @property
    def measures(self) -> dict[str, str]:
        """The measures of a run, each with its meaning."""
        return MEASURES | (CROSSTALK if self.crosstalk else {})

    @property
    def steps(self) -> int:
        """The largest number of steps of a recall."""
        return self.max_steps or 100

    @property
    def own(self) -> np.ndarray:
        """The number of the pattern of each cue, `(n_cues,)`."""
        return np.repeat(np.arange(min(self.cues, self.stored)), len(self.flips or [self.flip]))

    def cued(self, patterns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Damaged patterns, one for each of `own`; directions are scaled to unit magnitude again."""
        flips = self.flips or [self.flip]
        cues = damaged(patterns, rng, flips * (len(patterns) // len(flips)), self.noise, self.hide)
        return cues if self.sort == "spins" else np.asarray(normalised(cues))

    def problems(self) -> Iterator[Problem]:
        """Keys that contradict one another."""
        yield from super().problems()
        if (self.patterns is None) == (self.load is None):
            yield Problem(
                (self.place,), f"needs one of `patterns` and `load`; {'none' if self.load is None else 'both'} is given"
            )
        if self.flips is not None and "flip" in self.model_fields_set:
            yield Problem((self.place, "flip"), "`flips` stands there too; leave one of them out")
        if self.correlation == 1:
            yield Problem((self.place, "correlation"), "at 1 all patterns are one; expected a number below 1")
        if self.needs_values:
            yield Problem((self.place, "model"), f"'{self.card.name}' needs values; random patterns lead to themselves")
        if self.burn_in is not None and self.burn_in >= self.steps:
            yield Problem(
                (self.place, "burn_in"),
                f"{self.burn_in} of {self.steps} sweeps leave none for the mean; expected fewer, or more `max_steps`",
            )

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


class Ensemble(Spec):
    """Random patterns and the memory that recalls them."""

    shown_arrays: ClassVar[tuple[str, ...]] = (*MEASURES, *CROSSTALK)
    main_table: ClassVar[str] = "ensemble"
    template: ClassVar[str] = TEMPLATE
    kind: Literal["ensemble"]
    ensemble: EnsembleTable
    """The patterns, the memory, the cues."""

    def fit_problems(self) -> Iterator[Problem]:
        problems = [*self.ensemble.problems()]
        yield from problems
        if not problems:
            yield from self._memory_problems()

    def _memory_problems(self) -> Iterator[Problem]:
        """Problems with the memory, found on a small memory of the same sort."""
        table = self.ensemble
        rng = np.random.default_rng(self.seed)
        small = min(table.neurons, 8)
        try:
            patterns = random_patterns(rng, 1, small, table.sort)
            memory = table.build(patterns, None, rng)
            update = table.update_rule()
        except InvalidInput as error:
            yield Problem(("ensemble",), str(error))
            return
        if obstacle := update.obstacle(memory) or memory.why_no_recall:
            yield Problem(("ensemble", "update"), obstacle)
        elif table.burn_in is not None and not update.stochastic:
            chance = 'expected an update by chance, such as { name = "glauber", temperature = 0.1 }'
            yield Problem(("ensemble", "burn_in"), f"'{name_of(update)}' comes to rest; {chance}")
        elif reason := memory.activation.why_outside_domain(
            table.cued(patterns[[0] * len(table.flips or [0])], rng)[0]
        ):
            key, advice = ("noise", IN_PLACE_OF_NOISE) if table.noise else ("hide", "")
            yield Problem(("ensemble", key), f"a cue {reason}{advice}")

    def size(self) -> int:
        table = self.ensemble
        cues = len(table.own)
        by_sweep = 1 if table.burn_in is None else table.stored
        return (2 * table.stored + table.neurons + 3 * cues) * table.neurons + cues * table.steps * by_sweep

    def declared_arrays(self) -> list[ArraySpec]:
        names = tuple(str(i + 1) for i in range(len(self.ensemble.own)))
        cue = ("cue", names)
        arrays = [*map(ArraySpec, self.ensemble.measures), ArraySpec("overlaps", (cue,))]
        arrays.append(ArraySpec("status", (cue,), measured=False))
        arrays.append(ArraySpec("start", (cue,), referable=False, measured=False))
        course = (("cue", names[:MOST_COURSES]), ("step", -1))
        arrays.append(ArraySpec("energy", course, referable=False, measured=False))
        if self.ensemble.crosstalk:
            arrays.append(ArraySpec("crosstalk", (("bin", BINS),), referable=False, measured=False))
            arrays += [ArraySpec(name, referable=False, measured=False) for name in ("compared", "theory")]
        return arrays

    def layout(self) -> ArrayLayout:
        return ArrayLayout(measures=tuple(self.ensemble.measures), arrays=shapes(self.declared_arrays()))

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        table = self.ensemble
        patterns = random_patterns(rng, table.stored, table.neurons, table.sort, table.correlation)
        memory: Any = table.build(patterns, None, rng)
        targets = patterns[table.own]
        cues = table.cued(targets, rng)
        keep = () if table.burn_in is None else ("overlaps",)
        result = memory.recall(cues, update=table.update_rule(), max_steps=table.steps, rng=rng, keep=keep)
        arrays = _measured(result, table.overlaps(result, targets), table.own)
        arrays["start"] = cosines(cues, targets)
        arrays["energy"] = np.zeros((len(cues), 0)) if result.energies is None else result.energies
        arrays["energy"] = arrays["energy"][:MOST_COURSES]
        return all_labelled({**arrays, **self._crosstalk(memory, cues)}, self.declared_arrays())

    def _crosstalk(self, memory: Any, cues: np.ndarray) -> dict[str, np.ndarray | Labelled]:
        """The arrays of `crosstalk = true`. theory: the standard deviation, 0 where no theory is known."""
        table = self.ensemble
        if not table.crosstalk:
            return {}
        found, what = crosstalk(memory, cues, table.own), compared(memory)
        plain = not (table.correlation or table.noise or table.hide)
        known = plain and (what == "scores" or table.model in ("hopfield", {"name": "hopfield"}))
        theory = spread_by_theory(what, table.stored, table.neurons) if known else 0.0
        labels = tuple(repr(round(float(centre), 6)) for centre in found.centres)
        return {
            **{name: np.array(getattr(found, name)) for name in CROSSTALK},
            "crosstalk": Labelled(found.density, ("bin",), (labels,)),
            "compared": np.array(what),
            "theory": np.array(theory),
        }

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table = self.ensemble
        damage = f" with {len(table.flips)} fractions of flipped neurons each" if table.flips else ""
        patterns = f"{table.stored} random patterns of {table.neurons} neurons"
        yield f"{patterns}, {min(table.cues, table.stored)} of them cued{damage}"
        sweeps = f"sweeps {table.burn_in + 1} to {table.steps}" if table.burn_in is not None else "the last state"
        for name, meaning in table.measures.items():
            of = f" (of {sweeps})" if name == "overlap" else ""
            yield f"{name} = {arrays[name].values:.4g}: {meaning}{of}"


def _measured(result: Recall, overlaps: np.ndarray, own: np.ndarray) -> dict[str, np.ndarray]:
    """The measures of a recall, and the overlap and status of each cue.

    overlaps: of each cue, `(n_cues,)`. own: the number of the pattern of each cue.
    """
    means: dict[str, Any] = {
        "overlap": overlaps,
        "recalled": result.matched == own,
        "steps": result.steps,
        "converged": result.converged,
    }
    measures = {name: np.array(float(np.mean(values))) for name, values in means.items()}
    return {**measures, "overlaps": overlaps, "status": result.status}


def cosines(states: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The cosine of each state with its pattern, `(n_cues,)`; 0 for a state of zeros."""
    lengths = np.sqrt(np.sum(states**2, axis=-1) * np.sum(targets**2, axis=-1))  # of spins: N, exactly
    products = np.sum(states * targets, axis=-1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))
