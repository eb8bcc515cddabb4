"""Curves: the numbers of random trials over a row of points, and their mean, standard error and median."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Curves:
    """Random trials over a row of points, a curve for each name.

    axis: the name of the points. at: the points, `(n,)`. trials: the numbers of each curve by its name, `(n_draws, n)`;
    row i of all curves comes of the same draw.
    """

    axis: str
    at: np.ndarray
    trials: Mapping[str, np.ndarray] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the curves, in order."""
        return tuple(self.trials)

    @property
    def mean(self) -> dict[str, np.ndarray]:
        """The mean over the draws, `(n,)`, of each curve."""
        return {name: trials.mean(axis=0) for name, trials in self.trials.items()}

    @property
    def error(self) -> dict[str, np.ndarray]:
        """The standard error of the mean, `(n,)`, of each curve: deviation / √n_draws; NaN for one draw."""
        return {name: _standard_error(trials) for name, trials in self.trials.items()}

    @property
    def median(self) -> dict[str, np.ndarray]:
        """The median over the draws, `(n,)`, of each curve: the size in a typical draw."""
        return {name: np.median(trials, axis=0) for name, trials in self.trials.items()}


def _standard_error(trials: np.ndarray) -> np.ndarray:
    """The sample's standard deviation / √n_draws, `(n,)`."""
    draws = len(trials)
    return np.full(trials.shape[1:], np.nan) if draws < 2 else np.asarray(trials.std(axis=0, ddof=1) / draws**0.5)
