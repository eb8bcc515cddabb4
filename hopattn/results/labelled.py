"""Labelled arrays: the names of the axes, and the labels of rows and columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np

from hopattn.results.dataset import Dataset, imported, plain

HIDDEN = "·"
"""A cell of a table of weights that the mask hides: its weight is not a number that came out as 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Labelled(Dataset):
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

    def _cells(self) -> tuple[list[str], list[list[Any]]]:
        """A row for each label of the axes before the last, and a column for each label of the last.

        An array of one axis, or of none, has the one column "value".

        >>> print(Labelled(np.eye(2), ("to", "from"), (("a", "b"), ("a", "b"))).to_csv(), end="")
        to,a,b
        a,1.0,0.0
        b,0.0,1.0
        """
        levels = self.every_label
        columns = levels.pop() if self.values.ndim > 1 else ("value",)
        rows = self.values.reshape(prod(map(len, levels)), len(columns)).tolist()
        cells = [[*label, *row] for label, row in zip(product(*levels), rows, strict=True)]
        return [*self._names[: len(levels)], *columns], cells

    @property
    def _index(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self._names[: max(self.values.ndim - 1, min(self.values.ndim, 1))],)

    @property
    def _across(self) -> str | None:  # type: ignore[override]
        return self._names[-1] if self.values.ndim > 1 else None

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each row of `to_csv`."""
        names, rows = self._cells()
        return [dict(zip(names, plain(row), strict=True)) for row in rows]

    def _arrays(self) -> Mapping[str, "Labelled"]:
        return {"values": self}

    def _axes(self) -> Mapping[str, Any]:
        return dict(zip(self._names, self.every_label, strict=True))

    def _attributes(self) -> Mapping[str, Any]:
        return {}

    def to_dict(self) -> dict[str, Any]:
        """The names, labels and numbers as lists, for JSON."""
        return {"dims": list(self.dims), "labels": [list(row) for row in self.labels], "values": plain(self.values)}

    def to_xarray(self) -> Any:
        """An xarray DataArray with the labels as coordinates; raises `InvalidInput` if xarray is not installed.

        The second of two axes with one name has the number 2 behind its name, because xarray needs different names.
        """
        coordinates = {name: list(labels) for name, labels in zip(self._names, self.labels, strict=False)}
        return imported("xarray", "to_xarray").DataArray(self.values.copy(), coordinates, self._names)

    @property
    def every_label(self) -> list[tuple[str, ...]]:
        """The labels along each axis; an axis without labels counts from 0."""
        more = self.values.shape[len(self.labels) :]
        return [*self.labels, *(tuple(map(str, range(length))) for length in more)]

    @property
    def _names(self) -> list[str]:
        """A name for each axis, all different."""
        names = [*self.dims, *(f"axis {i}" for i in range(len(self.dims), self.values.ndim))]
        earlier = [names[:i].count(name) for i, name in enumerate(names)]
        return [f"{name} {count + 1}" if count else name for name, count in zip(names, earlier, strict=True)]
