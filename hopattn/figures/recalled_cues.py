"""Cues in a result: which of them recalled their pattern, when each converged, and the unit of their energies."""

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.scenario.result import Run


def recalled(run: Run) -> np.ndarray:
    """Whether each cue of a recall ends at its own pattern, or at any pattern if none is its own, `(n_cues,)`."""
    arrays = run.arrays
    if "recalled" in arrays and arrays["recalled"].values.ndim:
        return np.asarray(arrays["recalled"].values, dtype=bool)
    if "recalls" not in arrays:
        return np.asarray(arrays["overlaps"].values >= MATCH)
    ends = np.asarray(arrays["recalls"].values != "nothing")
    if "overlaps" in arrays:
        own = dict(zip(arrays["overlaps"].labels[0], arrays["overlaps"].values, strict=True))
        return np.array(
            [end and own.get(name, 1) >= MATCH for name, end in zip(arrays["recalls"].labels[0], ends, strict=True)]
        )
    return ends


def last_steps(rows: np.ndarray) -> np.ndarray:
    """The last step at which each row changes, `(n_rows,)`, for rows `(n_rows, n_steps + 1, …)`."""
    changes = np.diff(rows, axis=1) != 0
    moved = changes.reshape(*changes.shape[:2], -1).any(axis=-1)
    return np.where(moved.any(axis=1), moved.shape[1] - np.argmax(moved[:, ::-1], axis=1), 0)
