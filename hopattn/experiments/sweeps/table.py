"""The result of a sweep: a labelled table of numbers, with means and confidence intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hopattn.experiments.sweeps.checkpoint import read_checkpoint
from hopattn.experiments.sweeps.plan import key_of, points_of
from hopattn.foundation.checks import path_of
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.results.display import Drawable
from hopattn.results.files import csv_text, npz
from hopattn.results.frames import data_frame, dataset
from hopattn.scenario.grids import Values, of_words
from hopattn.scenario.loading import Scenario

CONFIDENCE = 0.95
"""The confidence level: the fraction of all intervals that hold the true mean if trials are normally distributed."""
ROUNDING = 1e-14
"""A standard error below this part of its mean is a rounding error: NumPy keeps 16 digits."""

HALF = "_ci95"
"""The end of the name of a column with half the length of an interval: letters that every spreadsheet reads."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Sweep(Drawable):
    """The numbers of every trial at every point of a grid.

    Attributes
    ----------
    axes : the numbers or words of each axis.
    trials : trials at each point.
    values : by name, an array `(*lengths of the axes, trials)`, NaN where a trial has no such number.
    scenario : the scenario that was run, None for a function.
    about : the seed, the versions, and the description of what was run, by name.
    """

    axes: Mapping[str, Values]
    trials: int
    values: Mapping[str, np.ndarray]
    scenario: Scenario | None = None
    about: Mapping[str, Any] = field(default_factory=dict)

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

    def mean(self, name: str) -> np.ndarray:
        """The mean over the trials that have this number, in the shape of the grid; NaN if no trial has it.

        Raises `InvalidInput` for an unknown name.
        """
        return self._summary(name)[0]

    def error(self, name: str) -> np.ndarray:
        """Half the length of the confidence interval of the mean, in the shape of the grid; NaN below two trials.

        It is Student's t for `CONFIDENCE`, times the standard error s/√n; 0 where trials differ by rounding alone.
        Raises `InvalidInput` for an unknown name.
        """
        return self._summary(name)[1]

    def _summary(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        reject_unknown("sweep", [name], self.values)
        from scipy.special import stdtrit

        rows = self.values[name]
        known = ~np.isnan(rows)
        n = known.sum(axis=-1)
        with np.errstate(all="ignore"):
            mean = np.where(known, rows, 0.0).sum(axis=-1) / n
            square = np.where(known, rows - mean[..., None], 0.0) ** 2
            deviation = np.sqrt(square.sum(axis=-1) / (n - 1) / n)
            deviation = np.where(deviation > ROUNDING * np.abs(mean), deviation, 0.0)
            t = stdtrit(np.maximum(n - 1, 1), (1 + CONFIDENCE) / 2)
        return mean, np.where(n > 1, t * deviation, np.nan)

    def table(self) -> list[dict[str, Any]]:
        """One row for each point, in the order of the grid.

        A row has the numbers of the point, and for each measure the mean (`name`) and half the length of its confidence
        interval (`name_ci95`), None where there is no such number.
        """
        summaries = {name: [part.ravel() for part in self._summary(name)] for name in self.values}
        rows = []
        for i, point in enumerate(points_of(self.axes)):
            row = dict(point)
            for name, (mean, error) in summaries.items():
                row |= {name: _number(mean[i]), f"{name}{HALF}": _number(error[i])}
            rows.append(row)
        return rows

    def to_csv(self) -> str:
        """The table as CSV; a cell is empty where there is no number."""
        rows = self.table()
        return csv_text(list(rows[0]), (row.values() for row in rows))

    def to_npz(self) -> bytes:
        """Every trial as an `.npz` archive: the axes by their names, and the arrays of `values`."""
        axes = {name: np.array(values) for name, values in self.axes.items()}
        return npz({**axes, **self.values})

    def to_dict(self) -> dict[str, Any]:
        """The axes, the number of trials and the table, for JSON."""
        axes = {name: list(values) for name, values in self.axes.items()}
        return {"axes": axes, "trials": self.trials, "points": self.table()}

    def to_xarray(self) -> Any:
        """An xarray Dataset of every trial with the axes as coordinates; raises `InvalidInput` without xarray.

        `attrs` holds the trials, the seed, the settings and the versions.
        """
        dims = (*self.axes, "trial")
        coordinates = {name: np.array(values) for name, values in self.axes.items()}
        return dataset({name: (dims, rows) for name, rows in self.values.items()}, coordinates, self._attributes)

    def to_pandas(self) -> Any:
        """A pandas DataFrame of `table`, with the axes as its index; raises `InvalidInput` if pandas is missing.

        `attrs` holds the trials, the seed, the settings and the versions.
        """
        return data_frame(self.table(), self.axes, self._attributes)

    @property
    def _attributes(self) -> dict[str, Any]:
        return {"trials": self.trials, **self.about}


def load_sweep(file: Any) -> Sweep:
    """The table of a checkpoint, NaN at points and trials that are not finished yet.

    file: the `file` that was given to `sweep`. Raises `InvalidInput` if it cannot be read or is not a checkpoint.
    """
    path = path_of(file, "path")
    head, finished = read_checkpoint(path)
    if "axes" not in head:
        raise InvalidInput(f"{path}:1: expected the axes of a grid, not {quoted(head)}")
    axes = {name: tuple(values) for name, values in head["axes"].items()}
    trials = max((len(rows) for numbers in finished.values() for rows in numbers.values()), default=1)
    return replace(
        Sweep.of(axes, trials, [finished.get(key_of(point)) for point in points_of(axes)]), about=described(head)
    )


def described(head: Mapping[str, Any]) -> dict[str, Any]:
    """The seed, the versions and the settings in the head of a checkpoint."""
    return {name: value for name, value in head.items() if name in ("seed", "versions")} | dict(head["about"])


def _span(values: Values) -> str:
    """The ends of the numbers of an axis, or its words."""
    return ", ".join(values) if of_words(values) else f"{values[0]:g} to {values[-1]:g}"


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
