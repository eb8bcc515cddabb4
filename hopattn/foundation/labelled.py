"""Labelled arrays: what stands along each axis."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.display import ShownInNotebook


@dataclass(frozen=True, eq=False)
class Labelled(ShownInNotebook):
    """An array whose axes carry names and whose rows and columns carry labels (tokens, words, axes)."""

    values: np.ndarray
    dims: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers alone, for NumPy."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def to_dict(self) -> dict[str, Any]:
        """Lists and labels, for JSON."""
        return {"dims": list(self.dims), "labels": [list(row) for row in self.labels], "values": self.values.tolist()}
