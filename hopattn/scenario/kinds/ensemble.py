"""kind = "ensemble": random patterns are stored, damaged ones are recalled, and it is counted how that goes."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.labelled import Labelled
from hopattn.foundation.vectors import normalised
from hopattn.memories.random_patterns import Sort, damaged, random_patterns
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Count, PositiveNumber, Problem, Tolerance
from hopattn.scenario.parts.memories import ModelTable
from hopattn.scenario.words.damaged_cues import Fraction

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

MEASURES = ("overlap", "recalled", "steps", "converged")


class EnsembleTable(ModelTable):
    """Random patterns, the memory that stores them, and the cues."""

    place: ClassVar[str] = "ensemble"
    neurons: Count
    """How many neurons a pattern has."""
    patterns: Count | None = None
    """How many patterns are stored, or `load`."""
    load: PositiveNumber | None = None
    """How many patterns are stored for each neuron; the number of patterns is rounded, and at least 1."""
    sort: Sort = "spins"
    """What patterns are: -1 and 1, or directions of unit magnitude, to which a damaged cue is scaled again."""
    correlation: Fraction = 0.0
    """The cosine of any two patterns, on average."""
    cues: Count = 1
    """How many patterns are cued, at most all."""
    flip: Fraction = 0.0
    """Which fraction of a cue's neurons is reversed."""
    noise: Tolerance = 0.0
    """The standard deviation of the Gaussian noise that is added to every neuron."""
    hide: Fraction = 0.0
    """Which fraction of a cue's neurons becomes unknown (0)."""

    @property
    def stored(self) -> int:
        """How many patterns are stored."""
        return self.patterns or max(1, round((self.load or 0) * self.neurons))

    @property
    def steps(self) -> int:
        """The most steps that a recall may take."""
        return self.max_steps or 100

    def cued(self, patterns: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Damaged patterns; directions are scaled to unit magnitude again."""
        cues = damaged(patterns, rng, self.flip, self.noise, self.hide)
        return cues if self.sort == "spins" else np.asarray(normalised(cues))

    def problems(self) -> Iterator[Problem]:
        """Keys that do not go together."""
        yield from super().problems()
        if (self.patterns is None) == (self.load is None):
            yield Problem(
                (self.place,), f"needs one of `patterns` and `load`; {'none' if self.load is None else 'both'} is given"
            )
        if self.correlation == 1:
            yield Problem((self.place, "correlation"), "at 1 all patterns are one; expected a number below 1")
        if self.needs_values:
            yield Problem((self.place, "model"), f"'{self.card.name}' needs values; random patterns lead to themselves")


class Ensemble(Spec):
    """Random patterns and the memory that recalls them."""

    telling: ClassVar[tuple[str, ...]] = MEASURES
    working_part: ClassVar[str] = "ensemble"
    template: ClassVar[str] = TEMPLATE
    kind: Literal["ensemble"]
    ensemble: EnsembleTable
    """The patterns, the memory, the cues."""

    def fit_problems(self) -> Iterator[Problem]:
        written = [*self.ensemble.problems()]
        yield from written
        if not written:
            yield from self._memory_problems()

    def _memory_problems(self) -> Iterator[Problem]:
        """What is wrong with a small memory of this sort is wrong with the large one."""
        table = self.ensemble
        rng = np.random.default_rng(self.seed)
        small = min(table.neurons, 8)
        try:
            patterns = random_patterns(rng, 1, small, table.sort)
            memory = table.made(patterns, None, rng)
            update = table.updated()
        except InvalidInput as error:
            yield Problem(("ensemble",), str(error))
            return
        if obstacle := update.obstacle(memory) or memory.lacks_recall:
            yield Problem(("ensemble", "update"), obstacle)
        elif foreign := memory.activation.foreign(table.cued(patterns, rng)[0]):
            yield Problem(("ensemble", "noise" if table.noise else "hide"), f"a cue {foreign}")

    def size(self) -> int:
        table = self.ensemble
        cues = min(table.cues, table.stored)
        return (2 * table.stored + table.neurons + 3 * cues) * table.neurons + cues * table.steps

    def layout(self) -> Layout:
        cues = min(self.ensemble.cues, self.ensemble.stored)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(MEASURES, ())
        return Layout(measures=MEASURES, arrays={**shapes, "overlaps": (cues,), "status": (cues,)})

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        table = self.ensemble
        patterns = random_patterns(rng, table.stored, table.neurons, table.sort, table.correlation)
        memory: Any = table.made(patterns, None, rng)
        whole = patterns[: table.cues]
        cues = table.cued(whole, rng)
        found = memory.recall(cues, update=table.updated(), max_steps=table.steps, rng=rng)
        return _measured(found, whole)

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, cued = self.ensemble, len(arrays["overlaps"].values)
        yield f"{table.stored} random patterns of {table.neurons} neurons, {cued} of them cued"
        for name, told in zip(MEASURES, _TOLD, strict=True):
            yield f"{name} = {arrays[name].values:.4g}: {told}"


_TOLD = (
    "the cosine of the state at the end with the pattern that was cued, on average",
    "which part of the cues came nearest to their own pattern, by a cosine of at least 0.95",
    "how many steps a recall took, on average",
    "which part of the recalls came to a fixed point",
)


def _measured(found: Recall, whole: np.ndarray) -> dict[str, Labelled]:
    """How a recall of cues went, each made of one of these patterns."""
    rows = tuple(str(i + 1) for i in range(len(whole)))
    lengths = np.sqrt(np.sum(found.state**2, axis=-1) * np.sum(whole**2, axis=-1))  # of spins: N, exactly
    products = np.sum(found.state * whole, axis=-1)
    overlaps = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
    means: dict[str, Any] = {
        "overlap": overlaps,
        "recalled": found.matched == np.arange(len(whole)),
        "steps": found.steps,
        "converged": found.converged,
    }
    return {
        **{name: Labelled(np.array(float(np.mean(values)))) for name, values in means.items()},
        "overlaps": Labelled(overlaps, ("cue",), (rows,)),
        "status": Labelled(found.status, ("cue",), (rows,)),
    }
