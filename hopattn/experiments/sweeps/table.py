"""The result of a sweep: a labelled table of numbers, with means and confidence intervals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import prod
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from hopattn.experiments.sweeps.checkpoint import read_checkpoint
from hopattn.experiments.sweeps.plan import key_of, points_of
from hopattn.experiments.sweeps.sizes import measured
from hopattn.foundation.checks import path_of
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.intervals import mean_interval, share_interval
from hopattn.results.dataset import Dataset, plain
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.files import shipped
from hopattn.scenario.grids import Values, of_words
from hopattn.scenario.loading import Scenario, parse
from hopattn.scenario.sweep_and_figure import MET, entry_of

LOW, HIGH = "_low", "_high"
"""The ends of the names of columns with the ends of an interval."""
WILSON, STUDENT, BOTH = "Wilson", "Student's t", "Wilson for shares, Student's t for means"
"""The names of the intervals of shares, of means, and of both."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sweep(Dataset):
    """The numbers of every trial at every point of a grid.

    Attributes
    ----------
    axes : the numbers or words of each axis; a load is P/N, with P whole, whatever was asked.
    trials : trials at each point.
    values : by name, an array `(*lengths of the axes, trials)`, NaN where a trial has no such number.
    shares : the names of the numbers that are shares of outcomes, such as that of the cues that were recalled.
    scenario : the scenario that was run, None for a function.
    sizes : P and N at each point, as `patterns` and `neurons`, where an axis is a load; else empty.
    about : the seed, the versions, and the description of what was run, by name.
    """

    axes: Mapping[str, Values]
    trials: int
    values: Mapping[str, np.ndarray]
    shares: tuple[str, ...] = ()
    scenario: Scenario | None = None
    sizes: Mapping[str, np.ndarray] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)
    _rows: ClassVar[str] = "points"

    def __repr__(self) -> str:
        axes = ", ".join(f"{name} {_span(values)} ({len(values)})" for name, values in self.axes.items())
        trials = "1 trial" if self.trials == 1 else f"{self.trials} trials"
        return f"Sweep({', '.join(self.values)} over {axes}; {trials}; .table() has the numbers)"

    @classmethod
    def of(cls, axes: Mapping[str, Values], trials: int, results: Sequence[Mapping[str, Any] | None]) -> "Sweep":
        """The table of the results of all points.

        Parameters
        ----------
        results
            for each point, the numbers of its trials by name, None for a missing point; in the order of the grid, where
            the last axis changes fastest.

        Raises
        ------
        InvalidInput : if two points have different names, or if a name is also the name of an axis.

        Notes
        -----
        Of more than `trials`, the first are taken; missing ones are NaN.
        """
        shape = tuple(map(len, axes.values()))
        names = next((result for result in results if result), {})
        for result in results:
            if result is not None and set(result) != set(names):
                raise InvalidInput(f"sweep: one point gives {sorted(result)}, another {sorted(names)}")
        if both := sorted(axes.keys() & names):
            raise InvalidInput(f"sweep: '{both[0]}' is the name of an axis, and of a number that comes out")
        missing: list[Any] = [None] * trials
        values = {
            name: np.array([[*(result or {}).get(name, ()), *missing][:trials] for result in results], dtype=float)
            for name in names
        }
        return cls(
            axes=axes, trials=trials, values={name: rows.reshape(*shape, trials) for name, rows in values.items()}
        )

    def with_scenario(self, scenario: Scenario) -> "Sweep":
        """The sweep as that of a scenario, at the loads P/N that were measured."""
        if self.sizes:
            return replace(self, scenario=scenario)
        axes, values, sizes = measured(scenario.spec, self.axes, self.values)
        return replace(self, axes=axes, values=values, sizes=sizes, scenario=scenario)

    def mean(self, name: str) -> np.ndarray:
        """The mean over the trials that have this number, in the shape of the grid; NaN if no trial has it.

        Raises `InvalidInput` for an unknown name.
        """
        return self._summary(name)[0]

    def interval(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """The lower and the upper end of the 95 % interval of the mean, in the shape of the grid.

        Of a share it is Wilson's interval, of another number Student's t interval; the unit is the trial. NaN below two
        trials, and for a mean whose trials all agree. Raises `InvalidInput` for an unknown name.
        """
        ends = self._summary(name)[1]
        return ends[..., 0], ends[..., 1]

    def _summary(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        reject_unknown("sweep", [name], self.values)
        return (share_interval if name in self.shares else mean_interval)(self.values[name])

    def rule(self, *names: str) -> str:
        """Whose intervals these measures have.

        >>> Sweep(axes={}, trials=2, values={}, shares=("kept",)).rule("kept", "steps")
        "Wilson for shares, Student's t for means"
        """
        rules = {name in self.shares for name in names}
        return BOTH if len(rules) > 1 else WILSON if True in rules else STUDENT

    @property
    def interval_name(self) -> str:
        """The intervals of all measures in words; empty for a single trial."""
        return f"95 % interval ({self.rule(*self.values)}) of {self.trials} trials" if self.trials > 1 else ""

    @property
    def _index(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(self.axes)

    def table(self) -> list[dict[str, Any]]:
        """One row for each point, in the order of the grid.

        A row has the numbers of the point; for a load P and N, as `patterns` and `neurons`; and for each measure the
        mean (`name`) and the ends of its interval (`name_low`, `name_high`), None where there is no such number.
        """
        columns = {name: one.ravel() for name, one in self.sizes.items() if name not in self.axes}
        unmeasured = self.sizes["patterns"].ravel() == 0 if self.sizes else np.zeros(prod(map(len, self.axes.values())))
        for name in self.values:
            mean, ends = self._summary(name)
            columns |= {name: mean.ravel(), f"{name}{LOW}": ends[..., 0].ravel(), f"{name}{HIGH}": ends[..., 1].ravel()}
        lists = {name: plain(column) for name, column in columns.items()}
        points = enumerate(points_of(self.axes))
        return [dict(point) | {name: one[i] for name, one in lists.items()} for i, point in points if not unmeasured[i]]

    def _axes(self) -> Mapping[str, np.ndarray]:
        return {name: np.array(values) for name, values in self.axes.items()}

    def _arrays(self) -> Mapping[str, Labelled]:
        dims = (*self.axes, "trial")
        sizes = {name: Labelled(one, dims[:-1]) for name, one in self.sizes.items() if name not in self.axes}
        return {name: Labelled(rows, dims) for name, rows in self.values.items()} | sizes

    def _attributes(self) -> Mapping[str, Any]:
        intervals = {"shares": list(self.shares), "intervals": self.interval_name}
        return {"axes": plain(dict(self.axes)), "trials": self.trials, **intervals, **self.about}


def load_sweep(file: Any) -> Sweep:
    """The table of a checkpoint, NaN at points and trials that are not finished yet.

    The scenario is that of the text in the file, or the one of this name that comes with hopattn, if it is the same.

    file: the `file` that was given to `sweep`. Raises `InvalidInput` if it cannot be read or is not a checkpoint.
    """
    path = path_of(file, "path")
    head, finished = read_checkpoint(path)
    if "axes" not in head:
        raise InvalidInput(f"{path}:1: expected the axes of a grid, not {quoted(head)}")
    axes = {name: tuple(values) for name, values in head["axes"].items()}
    trials = max((len(rows) for numbers in finished.values() for rows in numbers.values()), default=1)
    sweep = Sweep.of(axes, trials, [finished.get(key_of(point)) for point in points_of(axes)])
    sweep = replace(sweep, about=described(head), shares=tuple(head.get("shares", ())))
    if (scenario := _scenario_of(head, path)) is None:
        return sweep
    if "shares" not in head:
        arrays = scenario.spec.least().run(np.random.default_rng(scenario.spec.seed))
        sweep = replace(sweep, shares=tuple(shares_of(sweep.values, arrays)))
    return sweep.with_scenario(scenario)


def shares_of(measures: Iterable[str], arrays: Arrays) -> list[str]:
    """The measures that are shares of outcomes; arrays: of a run, which say so where they are measured."""
    return [name for name in measures if name == MET or entry_of(name, arrays)[0] in arrays.shares]


def _scenario_of(head: Mapping[str, Any], file: Path) -> Scenario | None:
    """The scenario whose points a file has; None for a function, and for a text that is not known, or has changed."""
    about = head["about"]
    name = about.get("scenario")
    if not isinstance(name, str) or "sha256" not in about:
        return None
    own = shipped().get(name)
    text, where = head.get("text"), str(file)
    if text is None and own is not None:
        text, where = own.read_text("utf-8"), str(own)
    if not isinstance(text, str) or sha256(text.encode()).hexdigest() != about["sha256"]:
        return None
    try:
        return parse(text, where, name, about.get("set", {}))
    except InvalidInput:  # files of patterns that are elsewhere
        return None


def described(head: Mapping[str, Any]) -> dict[str, Any]:
    """The seed, the versions and the settings in the head of a checkpoint."""
    return {name: value for name, value in head.items() if name in ("seed", "versions")} | dict(head["about"])


def _span(values: Values) -> str:
    """The ends of the numbers of an axis, or its words."""
    return ", ".join(values) if of_words(values) else f"{values[0]:g} to {values[-1]:g}"
