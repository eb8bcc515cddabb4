"""kind = "ensemble": patterns, random or from a file, are stored, damaged ones are recalled, and recall is measured."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.dynamics.likeness import errors, nearer
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.crosstalk import BINS, compared, crosstalk, spread_by_theory, updated_once, weighs
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec, Axis, numbers
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.parts.ensembles import BITS, CROSSTALK, ERRORS, MEASURES, WEIGHT, EnsembleTable, cosines
from hopattn.scenario.random_patterns import EVEN
from hopattn.scenario.words.damaged_cues import INSTEAD_OF_NOISE

MOST_COURSES = 100
"""The number of cues, the first, whose energy a run keeps step by step."""


class Ensemble(Spec):
    """Patterns, random or from a file, and the memory that recalls them."""

    shown_arrays: ClassVar[tuple[str, ...]] = (*MEASURES, *CROSSTALK, *WEIGHT, *BITS, *ERRORS)
    main_table: ClassVar[str] = "ensemble"
    kind: Literal["ensemble"]
    ensemble: EnsembleTable
    """The patterns, the memory, the cues."""

    def part_problems(self) -> Iterator[Problem]:
        return self.ensemble.source_problems()

    def fit_problems(self) -> Iterator[Problem]:
        problems = [*self.ensemble.problems()]
        yield from problems
        if not problems:
            yield from self._memory_problems()

    def _memory_problems(self) -> Iterator[Problem]:
        """Problems with the memory, found on a small memory of the same sort."""
        table = self.ensemble
        rng = np.random.default_rng(self.seed)
        try:
            patterns, memory = table.tried(rng)
            update = table.update_rule(memory)
        except InvalidInput as error:
            yield Problem(("ensemble",), str(error))
            return
        if obstacle := update.obstacle(memory) or memory.why_not("recall"):
            yield Problem(("ensemble", "update"), obstacle)
        elif table.burn_in is not None and not update.stochastic:
            chance = 'expected an update by chance, such as { name = "glauber", temperature = 0.1 }'
            yield Problem(("ensemble", "burn_in"), f"'{name_of(update)}' converges; {chance}")
        elif table.weights and not weighs(memory):
            yield Problem(("ensemble", "weights"), "this memory does not give each pattern a weight; leave it out")
        elif table.bits and not (memory.activation.discrete and memory.activation.silent == -1):
            yield Problem(("ensemble", "bits"), "the neurons of this memory are not -1 and 1; leave it out")
        elif reason := memory.activation.why_outside_domain(
            table.cued(patterns[[0] * len(table.flips or [0])], rng)[0]
        ):
            key, advice = ("noise", INSTEAD_OF_NOISE) if table.noise else ("hide", "")
            yield Problem(("ensemble", key), f"a cue {reason}{advice}")

    def size(self) -> int:
        table = self.ensemble
        cues = len(table.own)
        by_sweep = 1 if table.burn_in is None else table.stored
        weights = cues * table.stored if table.weights else 0
        return (2 * table.stored + table.dim + 3 * cues) * table.dim + cues * table.steps * by_sweep + weights

    def declared_arrays(self) -> Iterator[ArraySpec]:
        names = numbers(len(self.ensemble.own))
        cue = ("cue", names)
        yield from map(ArraySpec, self.ensemble.measures)
        yield ArraySpec("overlaps", (cue,))
        yield ArraySpec("status", (cue,), measured=False)
        drawn: dict[str, tuple[Axis, ...]] = {"start": (cue,), "energy": (("cue", names[:MOST_COURSES]), ("step", -1))}
        if self.ensemble.crosstalk:
            drawn |= {"crosstalk": (("bin", BINS),), "compared": (), "theory": ()}
        yield from (ArraySpec(name, axes, referable=False, measured=False) for name, axes in drawn.items())

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table = self.ensemble
        patterns = table.drawn(rng)
        memory: Any = table.build(patterns, None, rng)
        targets = patterns[table.own]
        cues = table.cued(targets, rng)
        keep = () if table.burn_in is None else ("overlaps",)
        result = memory.recall(cues, update=table.update_rule(memory), max_steps=table.steps, rng=rng, keep=keep)
        overlaps, energies = table.overlaps(result, targets), result.energies
        arrays: dict[str, Any] = {
            "overlap": np.mean(overlaps),
            "recalled": np.mean(result.matched == table.own),
            "steps": np.mean(result.steps),
            "converged": np.mean(result.converged),
            "overlaps": overlaps,
            "status": result.status,
            "start": cosines(cues, targets),
            "energy": (np.zeros((len(cues), 0)) if energies is None else energies.T)[:MOST_COURSES],
        }
        if table.weights:
            own = np.arange(len(cues)), table.own
            arrays["weight"] = np.mean(np.asarray(memory.weights(cues))[own])
        if table.bits:
            right = np.asarray(getattr(memory, "values", patterns))[table.own]
            wrong = updated_once(memory, cues) != right
            arrays |= {"bit_error": np.mean(wrong), "stable": np.mean(~wrong.any(axis=1))}
        if table.errors:
            first = np.asarray(memory.step(cues))
            arrays |= _errors((first, np.asarray(memory.step(first)), result.state), targets)
        return {**arrays, **self._crosstalk(memory, cues)}

    def _crosstalk(self, memory: Any, cues: np.ndarray) -> dict[str, Any]:
        """The arrays of `crosstalk = true`. theory: the standard deviation, 0 where no theory is known."""
        table = self.ensemble
        if not table.crosstalk:
            return {}
        found, what = crosstalk(memory, cues, table.own), compared(memory)
        plain = not (table.correlation or table.noise or table.hide)
        known = plain and (what == "scores" or table.model in ("hopfield", {"name": "hopfield"}))
        known = known and table.activity == EVEN and table.file is None
        theory = spread_by_theory(what, table.stored, table.dim) if known else 0.0
        labels = tuple(repr(round(float(centre), 6)) for centre in found.centres)
        return {
            **{name: getattr(found, name) for name in CROSSTALK},
            "crosstalk": Labelled(found.density, ("bin",), (labels,)),
            "compared": what,
            "theory": theory,
        }

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table = self.ensemble
        damage = f" with {len(table.flips)} fractions of flipped neurons each" if table.flips else ""
        kind = "random patterns" if table.file is None else f"of the {len(table.rows)} patterns of the file"
        patterns = f"{table.stored} {kind} of {table.dim} neurons"
        yield f"{patterns}, {min(table.cues, table.stored)} of them cued{damage}"
        sweeps = f"sweeps {table.burn_in + 1} to {table.steps}" if table.burn_in is not None else "the last state"
        for name, meaning in table.measures.items():
            of = f" (of {sweeps})" if name == "overlap" else ""
            yield f"{name} = {arrays[name].values:.4g}: {meaning}{of}"


def _errors(states: tuple[np.ndarray, ...], targets: np.ndarray) -> dict[str, float]:
    """The measures of `errors = true`. states: after one step, after two, and at the end, `(n_cues, dim)`."""
    first, second, rest = (errors(one, targets) for one in states)
    means = {"first": np.mean(first), "second": np.mean(second), "rest": np.mean(rest)}
    return {**means, "gain": np.mean(first - rest), "nearer": np.mean(nearer(rest, first))}
