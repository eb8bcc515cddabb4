"""Labelled arrays: the names of the axes, and the labels of rows and columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np

from hopattn.results.display import Drawable
from hopattn.results.files import csv_text
from hopattn.results.frames import imported

HIDDEN = "·"
"""A cell of a table of weights that the mask hides: its weight is not a number that came out as 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Labelled(Drawable):
    """An array with named axes and labelled rows and columns.

    dims: the name of each axis. labels: the labels along each axis, such as tokens or words. tiny: whether numbers near
    0 are right as they are; else a table shows those below 1e-12 as 0, because they may be rounding errors. hidden: of
    weights, True where a mask hides the key; a table shows these cells as `HIDDEN`. None: nothing is hidden. scales:
    the numbers along each axis that is a scale, such as a temperature, by the name of the axis.
    """

    values: np.ndarray
    dims: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()
    tiny: bool = False
    hidden: np.ndarray | None = None
    scales: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __repr__(self) -> str:
        axes = " × ".join(f"{name}: {length}" for name, length in zip(self._names, self.values.shape, strict=True))
        return f"Labelled({axes or 'a number'})\n{self.values}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The numbers without names and labels, for NumPy."""
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def T(self) -> "Labelled":  # noqa: N802 (as an array has it)
        """The array with its columns as rows."""
        hidden = None if self.hidden is None else self.hidden.T
        return Labelled(self.values.T, self.dims[::-1], self.labels[::-1], self.tiny, hidden, self.scales)

    def to_dict(self) -> dict[str, Any]:
        """The names, labels and numbers as lists, for JSON."""
        return {"dims": list(self.dims), "labels": [list(row) for row in self.labels], "values": self.values.tolist()}

    def to_xarray(self) -> Any:
        """An xarray DataArray with the labels as coordinates; raises `InvalidInput` if xarray is not installed.

        The second of two axes with one name has the number 2 behind its name, because xarray needs different names.
        """
        coordinates = {name: list(labels) for name, labels in zip(self._names, self.labels, strict=False)}
        return imported("xarray", "to_xarray").DataArray(self.values.copy(), coordinates, self._names)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one row for each label of the first axis, and one column for each of the last.

        Every axis before the last is a level of the index. An array of one axis, or of none, has the one column
        "value". Raises `InvalidInput` if pandas is not installed.
        """
        pandas = imported("pandas", "to_pandas")
        names = self._names
        labels = self._labels
        if self.values.ndim < 2:
            index = pandas.Index(list(labels[0]), name=names[0]) if names else None
            return pandas.DataFrame({"value": np.array(self.values, ndmin=1)}, index)
        rows, columns = labels[:-1], pandas.Index(list(labels[-1]), name=names[-1])
        levels = pandas.MultiIndex.from_product(rows, names=names[:-1])
        index = levels if len(rows) > 1 else levels.get_level_values(0)
        return pandas.DataFrame(self.values.reshape(len(index), len(columns)).copy(), index, columns)

    def to_csv(self) -> str:
        """The rows and columns of `to_pandas` as CSV, without pandas: the labels first, then the numbers.

        >>> print(Labelled(np.eye(2), ("to", "from"), (("a", "b"), ("a", "b"))).to_csv(), end="")
        to,a,b
        a,1.0,0.0
        b,0.0,1.0
        """
        levels = self._labels
        columns = levels.pop() if self.values.ndim > 1 else ("value",)
        rows = self.values.reshape(prod(map(len, levels)), len(columns)).tolist()
        lines = ([*label, *row] for label, row in zip(product(*levels), rows, strict=True))
        return csv_text([*self._names[: len(levels)], *columns], lines)

    @property
    def _labels(self) -> list[tuple[str, ...]]:
        """The labels along each axis; an axis without labels counts from 0."""
        more = self.values.shape[len(self.labels) :]
        return [*self.labels, *(tuple(map(str, range(length))) for length in more)]

    @property
    def _names(self) -> list[str]:
        """A name for each axis, all different."""
        names = [*self.dims, *(f"axis {i}" for i in range(len(self.dims), self.values.ndim))]
        earlier = [names[:i].count(name) for i, name in enumerate(names)]
        return [f"{name} {count + 1}" if count else name for name, count in zip(names, earlier, strict=True)]
