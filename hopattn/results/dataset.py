"""Datasets: labelled arrays or rows, of which every export is made here, once for all results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from typing import Any, ClassVar

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.version import __version__
from hopattn.results.display import ShownInNotebook
from hopattn.results.files import csv_text, json_text, npz

VERSIONS = {"hopattn": __version__, "numpy": np.__version__}
"""The versions that numbers depend on."""


def imported(library: str, method: str) -> Any:
    """A library that hopattn does not need otherwise; raises `InvalidInput`, which names the method, without it."""
    try:
        return import_module(library)
    except ImportError:
        raise InvalidInput(f"{method}: {library} is not installed: pip install {library}") from None


class Dataset(ShownInNotebook):
    """A base class for numbers with their labels, which gives every export of them.

    A class states its content, each part once: the rows of `table`, or `_arrays`, or both. Without rows of its own, the
    table has a row for each point of the axes in `_index`, and a column for each number that an array has there;
    without arrays, they are the columns of the table.
    """

    _index: tuple[str, ...] = ()
    """The columns that say which row it is."""
    _titles: ClassVar[Mapping[str, str]] = {}
    """The headings in CSV of columns that are not called by their names there."""
    _columns: ClassVar[tuple[str, ...]] = ()
    """The columns that a table without a row has, too."""
    _rows: ClassVar[str] = "rows"
    """The name of the rows in JSON."""
    _across: str | None = None
    """The name of what the columns are, where they are the labels of an axis."""

    def _axes(self) -> Mapping[str, Sequence[Any] | np.ndarray]:
        """The values along each axis that arrays share."""
        return {}

    def _arrays(self) -> Mapping[str, Any]:
        """The arrays by their names, each a `Labelled`; an axis that arrays share has no labels there."""
        return {}

    def _attributes(self) -> Mapping[str, Any]:
        """What the numbers are of, and where they come from: texts, numbers, lists and mappings by name."""
        return {"versions": VERSIONS}

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each row; a number that is not known is None."""
        axes, index = self._axes(), (*self._index,)
        rows = [dict(zip(index, map(plain, point), strict=True)) for point in product(*(axes[one] for one in index))]
        for name, array in self._arrays().items():
            if array.dims[: len(index)] == index:
                rest = zip(array.dims, array.every_label, strict=True)
                labels = [map(str, axes.get(dim, own)) for dim, own in [*rest][len(index) :]]
                ends = [f"{name} {' '.join(label)}".strip() for label in product(*labels)]
                cells = plain(array.values.reshape(len(rows), len(ends)))
                rows = [row | dict(zip(ends, own, strict=True)) for row, own in zip(rows, cells, strict=True)]
        return rows

    def _cells(self) -> tuple[list[str], list[list[Any]]]:
        """The names of the columns, and each row as numbers and texts."""
        rows = self.table()
        names = list(dict.fromkeys([*self._columns, *(name for row in rows for name in row)]))
        return names, [[_flat(row.get(name)) for name in names] for row in rows]

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """Draw a figure of these numbers; gives (figure, axes). The arguments are those of `hopattn.plot`."""
        return ShownInNotebook._public("plot")(self, name, **options)

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, texts and numbers, for JSON."""
        return {**plain(dict(self._attributes())), self._rows: self.table()}

    def to_json(self) -> str:
        """Everything as JSON; the same input, seed and versions give the same text."""
        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """The rows of `table` as CSV; a cell is empty where there is no number."""
        names, rows = self._cells()
        return csv_text([self._titles.get(name, name) for name in names], rows)

    def to_npz(self) -> bytes:
        """The bytes of an `.npz` archive: the arrays, and the values of the axes that they share, by their names."""
        if not (arrays := {name: array.values for name, array in self._arrays().items()}):
            names, rows = self._cells()
            arrays = {name: _column([row[i] for row in rows]) for i, name in enumerate(names)}
        return npz({**{name: np.asarray(values) for name, values in self._axes().items()}, **arrays})

    def to_pandas(self) -> Any:
        """A pandas DataFrame of `table`; raises `InvalidInput` if pandas is not installed.

        `attrs` says what the numbers are of, and where they come from: seed, settings and versions.
        """
        pandas = imported("pandas", "to_pandas")
        names, rows = self._cells()
        at = [names.index(name) for name in self._index if name in names]
        others = [i for i in range(len(names)) if i not in at]
        labels, index = [tuple(row[i] for i in at) for row in rows], None
        if len(at) == 1:
            index = pandas.Index([label for (label,) in labels], name=names[at[0]])
        elif at:
            index = pandas.MultiIndex.from_tuples(labels, names=[names[i] for i in at])
        columns = pandas.Index([names[i] for i in others], name=self._across)
        frame = pandas.DataFrame([[row[i] for i in others] for row in rows], index, columns)
        frame.attrs = dict(self._attributes())
        return frame

    def to_xarray(self) -> Any:
        """An xarray Dataset of the arrays by their names; raises `InvalidInput` if xarray is not installed.

        Where a dim of an array has other labels than in an array before, or the name of an array, it is named after
        its own array. `attrs` has the texts and numbers of the attributes, and the others as JSON.
        """
        xarray = imported("xarray", "to_xarray")
        attributes = {
            name: value if type(value) in (str, int, float) else json.dumps(plain(value))
            for name, value in self._attributes().items()
        }
        if not (every := self._arrays()):
            return xarray.Dataset.from_dataframe(self.to_pandas()).assign_attrs(attributes)
        axes, arrays, known = self._axes(), dict[str, Any](), dict[str, Any]()
        for name, array in every.items():
            one = array.to_xarray()
            labels = {dim: one.coords[dim].values.tolist() if dim in one.coords else one.sizes[dim] for dim in one.dims}
            other = {
                dim: f"{dim} of {name}"
                for dim, own in labels.items()
                if dim not in axes and (dim in every or known.setdefault(dim, own) != own)
            }
            arrays[name] = one.rename(other)
        return xarray.Dataset(arrays, {name: np.asarray(values) for name, values in axes.items()}, attributes)


@dataclass(frozen=True, eq=False, repr=False)
class Rows(Dataset):
    """A dataset of rows. rows: dictionaries of the same keys. labels: the columns that say which row it is. about: what
    the rows are of, by name.
    """

    rows: Sequence[Mapping[str, Any]]
    labels: tuple[str, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"Rows({len(self.rows)} rows: {', '.join(self.rows[0] if self.rows else ())})"

    @property
    def _index(self) -> tuple[str, ...]:  # type: ignore[override]
        return self.labels

    def _attributes(self) -> Mapping[str, Any]:
        return {**self.about, "versions": VERSIONS}

    def table(self) -> list[dict[str, Any]]:
        return [dict(row) for row in self.rows]


def plain(value: Any) -> Any:
    """Arrays, lists and mappings of numbers and texts as JSON has them: a number that is not finite is None."""
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype.kind == "f" and not np.isfinite(value).all():
            return np.where(np.isfinite(value), value, None).tolist()  # type: ignore[call-overload]
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _flat(cell: Any) -> Any:
    """A cell as a number or a text."""
    if isinstance(cell, Mapping):
        return "; ".join(f"{name}: {_flat(one)}" for name, one in cell.items())
    return "; ".join(map(str, map(_flat, cell))) if isinstance(cell, list | tuple) else cell


def _column(cells: Sequence[Any]) -> np.ndarray:
    """The cells of a column as an array of numbers, NaN for None, or of texts, empty for None."""
    if any(isinstance(cell, str) for cell in cells):
        return np.array(["" if cell is None else str(cell) for cell in cells])
    return np.array([np.nan if cell is None else cell for cell in cells])
