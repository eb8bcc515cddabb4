"""The sweep of a scenario over a grid of its numbers."""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from hopattn.experiments.sweeps.plan import Plan, Point, point_text
from hopattn.experiments.sweeps.runner import WorkerOptions, run_plan
from hopattn.experiments.sweeps.table import Sweep, shares_of
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import Seed, each, whole_seed
from hopattn.foundation.errors import InvalidInput, placed, unknown
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.grids import Grid, Values, axes_of, of_words
from hopattn.scenario.language.paths import require_changes
from hopattn.scenario.loading import Scenario, parse
from hopattn.scenario.result import Outcome
from hopattn.scenario.running import once
from hopattn.scenario.sweep_and_figure import MET, entry_of, path_of, require_measured


@dataclass(frozen=True)
class ScenarioTrial:
    """One trial of a scenario at one point: the function of the sweep, which any process can run.

    text, where, name: the scenario file, as for `parse`. changes: the changes of values as JSON, as for --set. paths:
    for each axis its key and the full path of that key. measures: the names of the numbers that a trial gives.
    """

    text: str
    where: str
    name: str
    changes: str
    paths: tuple[tuple[str, str], ...]
    measures: tuple[str, ...]

    def __call__(self, point: Point, seed: np.random.SeedSequence) -> dict[str, float]:
        """The measures of one trial."""
        arrays, outcomes = once(self.at(point), seed)
        with placed(self.where):
            return {name: measured(name, arrays, outcomes) for name in self.measures}

    def at(self, point: Point, ask: bool = False) -> Scenario:
        """The scenario at one point; raises `InvalidScenario` if the point does not fit it. ask: as for `parse`."""
        changes = {**json.loads(self.changes), **{path: point[axis] for axis, path in self.paths}}
        return _parsed(self.text, self.where, self.name, json.dumps(changes), ask)


@lru_cache(maxsize=1)
def _parsed(text: str, where: str, name: str, changes: str, ask: bool) -> Scenario:
    """The scenario, parsed once for all trials of a point, which follow each other."""
    return parse(text, where, name, json.loads(changes), ask=ask)


class ScenarioSweepOptions(WorkerOptions, total=False):
    """The keywords of `sweep_scenario`."""

    trials: int | None
    measures: Sequence[str]
    rng: Seed
    overrides: Mapping[str, Any] | None


@public
def sweep_scenario(
    scenario: Scenario, over: Mapping[str, Grid] | None = None, **options: Unpack[ScenarioSweepOptions]
) -> Sweep:
    """Run a scenario, without its variants, at every point of a grid of its numbers.

    Parameters
    ----------
    scenario : from `hopattn.load`.
    over
        the axes: keys of the scenario and their numbers, in rising order, or their words, such as the rules of a model,
        or a text such as "0.1:32:log20" or "hebb,storkey" (None: those of the file's `[sweep]`).
    trials : trials at each point (None: those of `[sweep]`, or 1).
    measures : names of arrays, of entries such as "overlaps[1]", or "met" (empty: those of `[sweep]`, or of the kind).
    rng : the seed of all trials; a generator gives one that is drawn from it (None: the seed of the scenario).
    overrides : changes of values by path, as for `hopattn.run` (None: none).
    file
        the checkpoint; it keeps the finished points, so that an interrupted sweep can be continued, or given more
        trials (None: none).
    workers : processes of this machine (None: one on each core).
    scheduler : the address of a Dask cluster, used instead of processes ("": none).
    report : called as report(finished points, all points) (None: nothing).
    note : called with a sentence if an incomplete last line of the checkpoint was cut off (default: nothing happens).

    Raises
    ------
    InvalidInput
        , before any point is computed, for keys and measures that the scenario does not have, points that do not fit
        it, and an unknown keyword; for the rest as `hopattn.sweep` does.
    """
    overrides = {} if (given := options.get("overrides")) is None else require_changes(given)
    base = parse(scenario.text, scenario.where, scenario.name, overrides)
    arrays = base.spec.least().run(np.random.default_rng(base.spec.seed))
    table = base.spec.sweep
    axes = (table.axes if table else {}) if over is None else axes_of(over, "over", words=True)
    if not axes:
        raise InvalidInput(
            f"{scenario.where}: nothing to go over; give --over KEY=GRID (in Python over=), or a [sweep] in the file"
        )
    names = options.get("measures")
    asked = () if names is None else each(names, str, "measures", "the name of a measure")
    measures = asked or tuple((table and table.measures) or arrays.measures) or (MET,)
    written = base.spec.written_out
    trial = ScenarioTrial(
        text=scenario.text,
        where=str(Path(scenario.where).absolute()),
        name=scenario.name,
        changes=json.dumps(overrides),
        paths=tuple((key, path_of(key, written, base.spec.is_user_key, values)) for key, values in axes.items()),
        measures=measures,
    )
    line = base.lines.line_of(("sweep", "over"))
    with placed(f"{scenario.where}:{line}: sweep.over") if over is None else nullcontext():
        _require_fitting_ends(trial, axes)
    for name in measures:
        require_measured(name, arrays)
    count = options.get("trials")
    trials = (table.trials if table else 1) if count is None else count
    rng = options.get("rng")
    seed = base.spec.seed if rng is None else whole_seed(rng)
    about = {
        "scenario": trial.name,
        "sha256": sha256(trial.text.encode()).hexdigest(),
        "set": dict(overrides),
        "keys": dict(trial.paths),
        "measures": list(measures),
    }
    plan, shares = Plan(axes, seed, trials, about), shares_of(measures, arrays)
    return run_plan(trial, plan, options, shares=shares, text=scenario.text).with_scenario(base)


def measured(name: str, arrays: Arrays, outcomes: Sequence[Outcome]) -> float:
    """A measure of a run: a number, the mean of an array, one entry of it, or the fraction of expectations met.

    Not a number where the run has no such measure, such as the length of a tour where no tour is valid.

    Raises `InvalidInput` for an array without numbers, and for labels that do not fit the array.
    """
    if name == MET:
        judged = [outcome.met for outcome in outcomes if outcome.met is not None]
        return sum(judged) / len(judged) if judged else float("nan")
    if name in arrays.absent:
        return float("nan")
    array, place = _array(name, arrays)
    values = array.values[place] if place else array.values
    return float(np.mean(values))


def _array(name: str, arrays: Mapping[str, Labelled]) -> tuple[Labelled, tuple[int, ...]]:
    """The array of a measure, and the index of one entry of it; no index for the array itself."""
    wanted, labels = entry_of(name, arrays)
    if wanted not in arrays or arrays[wanted].values.dtype.kind not in "biuf":
        numeric = [key for key, array in arrays.items() if array.values.dtype.kind in "biuf"]
        raise InvalidInput(f"measure '{name}': {unknown(wanted, [*numeric, MET])}")
    array = arrays[wanted]
    if not labels:
        return array, ()
    if len(labels) != len(array.labels):
        raise InvalidInput(f"measure '{name}': has {len(labels)} labels; '{wanted}' has {len(array.labels)} axes")
    for label, axis in zip(labels, array.labels, strict=True):
        if label not in axis:
            raise InvalidInput(f"measure '{name}': {unknown(label, axis)}")
    return array, tuple(axis.index(label) for label, axis in zip(labels, array.labels, strict=True))


def _require_fitting_ends(trial: ScenarioTrial, axes: Mapping[str, Values]) -> None:
    """Raise `InvalidInput` if the scenario does not take the ends and the words of the axes, before any point."""
    ends = {key: values if of_words(values) else dict.fromkeys((values[0], values[-1])) for key, values in axes.items()}
    for values in product(*ends.values()):
        point = dict(zip(axes, values, strict=True))
        try:
            trial.at(point, ask=True)
        except InvalidInput as error:
            raise InvalidInput(f"{point_text(point)}: {error}") from None
