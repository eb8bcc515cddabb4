"""A scenario over a grid of its numbers."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.experiments.sweep.runner import Report, sweep, told_point
from hopattn.experiments.sweep.table import Sweep
from hopattn.foundation.errors import InvalidInput, reject_unknown, unknown
from hopattn.foundation.grids import Values
from hopattn.foundation.labelled import Labelled
from hopattn.scenario.language.sweep_table import path_of
from hopattn.scenario.loading import Scenario, parse
from hopattn.scenario.result import Outcome
from hopattn.scenario.running import once

_ENTRY = re.compile(r"(?P<array>.+?)\[(?P<labels>.+)\]")
MET = "met"
"""The measure that is the part of the expectations that are met."""


@dataclass(frozen=True)
class ScenarioTrial:
    """One trial of a scenario at one point: what a sweep calls, in any process.

    changes: as for --set, as JSON; paths: for each axis the whole path of its key; measures: what is measured.
    """

    text: str
    where: str
    name: str
    changes: str
    paths: tuple[tuple[str, str], ...]
    measures: tuple[str, ...]

    def __call__(self, point: Mapping[str, int | float], seed: np.random.SeedSequence) -> dict[str, float]:
        """The measures of one trial."""
        arrays, outcomes = once(self.at(point), seed)
        return {name: measured(name, arrays, outcomes) for name in self.measures}

    def at(self, point: Mapping[str, int | float]) -> Scenario:
        """The scenario at one point; raises `InvalidScenario` where the point does not fit it."""
        changes = {**json.loads(self.changes), **{path: point[axis] for axis, path in self.paths}}
        return _parsed(self.text, self.where, self.name, json.dumps(changes))


@lru_cache(maxsize=1)
def _parsed(text: str, where: str, name: str, changes: str) -> Scenario:
    """The trials of one point come one after another: it is read and checked once."""
    return parse(text, where, name, json.loads(changes))


def sweep_scenario(
    scenario: Scenario,
    over: Mapping[str, Values] | None = None,
    *,
    trials: int | None = None,
    measures: Sequence[str] = (),
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    file: Any = None,
    workers: int | None = None,
    scheduler: str = "",
    report: Report | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Sweep:
    """Run a scenario, without its variants, at every point of a grid of its numbers.

    over: keys and their numbers, and trials, measures: in place of what the file's `[sweep]` says. The rest is as for
    `hopattn.sweep` and `hopattn.run`. Raises `InvalidInput` for keys and measures that the scenario does not have and
    points that do not fit it, before any is computed.
    """
    base = parse(scenario.text, scenario.where, scenario.name, overrides or {})
    table = base.spec.sweep
    axes = dict(over or (table.axes if table else {}))
    if not axes:
        raise InvalidInput(f"{scenario.where}: nothing to go over; give --over KEY=GRID, or a [sweep] in the file")
    written = base.spec.written_out
    paths = tuple((key, path_of(key, written)) for key in axes)
    chosen = tuple(measures or (table and table.measures) or base.spec.layout().measures or (MET,))
    changes = json.dumps(dict(overrides or {}))
    trial = ScenarioTrial(scenario.text, str(Path(scenario.where).absolute()), scenario.name, changes, paths, chosen)
    _try_corners(trial, axes)
    known = [name for name in base.spec.layout().arrays if not name.startswith("sequence ")]
    reject_unknown("measure", [_split(name, known)[0] for name in chosen], [*known, MET])
    about = {
        "scenario": scenario.name,
        "sha256": sha256(scenario.text.encode()).hexdigest(),
        "set": dict(overrides or {}),
        "keys": dict(paths),
        "measures": list(chosen),
    }
    count = trials or (table.trials if table else 1)
    root = base.spec.seed if seed is None else seed
    where: dict[str, Any] = {"file": file, "workers": workers, "scheduler": scheduler, "report": report, "note": note}
    return sweep(trial, axes, trials=count, seed=root, about=about, **where)


def measured(name: str, arrays: Mapping[str, Labelled], outcomes: Sequence[Outcome]) -> float:
    """A measure of a run: a number, the mean of an array, one of its entries, or the part of what is expected that is
    met.
    """
    if name == MET:
        judged = [outcome.met for outcome in outcomes if outcome.met is not None]
        return sum(judged) / len(judged) if judged else float("nan")
    array, labels = _array(name, arrays)
    values = array.values[labels] if labels else array.values
    return float(np.mean(values))


def _split(name: str, known: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The array that a measure is of, and the labels of the entry where one is named."""
    found = _ENTRY.fullmatch(name) if name not in known else None
    return (found["array"].strip(), tuple(map(str.strip, found["labels"].split(",")))) if found else (name, ())


def _array(name: str, arrays: Mapping[str, Labelled]) -> tuple[Labelled, tuple[int, ...]]:
    """An array, and the place of an entry of it where one is named."""
    what, labels = _split(name, list(arrays))
    if what not in arrays or arrays[what].values.dtype.kind not in "biuf":
        numeric = [key for key, array in arrays.items() if array.values.dtype.kind in "biuf"]
        raise InvalidInput(f"measure '{name}': {unknown(what, [*numeric, MET])}")
    array = arrays[what]
    if not labels:
        return array, ()
    if len(labels) != len(array.labels):
        raise InvalidInput(f"measure '{name}': has {len(labels)} labels; '{what}' has {len(array.labels)} axes")
    for label, rows in zip(labels, array.labels, strict=True):
        if label not in rows:
            raise InvalidInput(f"measure '{name}': {unknown(label, rows)}")
    return array, tuple(rows.index(label) for label, rows in zip(labels, array.labels, strict=True))


def _try_corners(trial: ScenarioTrial, axes: Mapping[str, Values]) -> None:
    """Look whether the ends of the grid fit the scenario, before any point is begun."""
    ends = {key: dict.fromkeys((values[0], values[-1])) for key, values in axes.items()}
    for values in product(*ends.values()):
        point = dict(zip(axes, values, strict=True))
        try:
            trial.at(point)
        except InvalidInput as error:
            raise InvalidInput(f"{told_point(point)}: {error}") from None
