"""Labelled arrays: the names of the axes, and the labels of rows and columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.display import ShownInNotebook


@dataclass(frozen=True, eq=False)
class Labelled(ShownInNotebook):
    """An array with named axes and labelled rows and columns.

    dims: the name of each axis. labels: the labels along each axis, such as tokens or words.
    """

    values: np.ndarray
    dims: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers without names and labels, for NumPy."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def to_dict(self) -> dict[str, Any]:
        """The names, labels and numbers as lists, for JSON."""
        return {"dims": list(self.dims), "labels": [list(row) for row in self.labels], "values": self.values.tolist()}
