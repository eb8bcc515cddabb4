"""The result of a comparison: one row for each memory at each point, as table, JSON, CSV and in words."""

import json
from dataclasses import dataclass
from typing import Any

from hopattn.experiments.comparison.columns import HEADINGS
from hopattn.experiments.comparison.paragraph import paragraph
from hopattn.experiments.comparison.row import Row
from hopattn.results.display import Drawable
from hopattn.results.files import csv_text
from hopattn.results.frames import VERSIONS, data_frame, imported, netcdf_attributes


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Drawable):
    """All rows of a comparison.

    about: the subject of the comparison, in words. axes: the names of the grid's axes. seed: of the random numbers.
    referees: the independent attentions that softmax was compared with.
    """

    about: str
    rows: tuple[Row, ...]
    axes: tuple[str, ...]
    seed: int
    referees: tuple[str, ...]

    def __repr__(self) -> str:
        over = f", over {', '.join(self.axes)}" if self.axes else ""
        return f"Comparison({self.about}: {', '.join(self.memories)}{over}, {len(self.rows)} rows, seed {self.seed})"

    @property
    def memories(self) -> tuple[str, ...]:
        """The names of the memories, in their order."""
        return tuple(dict.fromkeys(row.memory for row in self.rows))

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each row."""
        return [row.to_dict() for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, texts and numbers."""
        about = {"about": self.about, "axes": list(self.axes), "seed": self.seed, "referees": list(self.referees)}
        return {**about, "words": self.words(), "rows": self.table()}

    def to_json(self) -> str:
        """Everything as JSON; the same input, seed and versions give the same text."""
        return json.dumps(self.to_dict(), allow_nan=False, indent=1)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with one row for each memory at each point; raises `InvalidInput` if pandas is missing.

        The index is the memory, its place if there are several, and the axes. `attrs` holds the subject, the seed and
        the versions.
        """
        attributes = {"about": self.about, "seed": self.seed, "versions": VERSIONS}
        return data_frame(self._flat(), ["memory", "where", *self.axes], attributes)

    def to_xarray(self) -> Any:
        """An xarray Dataset of the columns of `to_pandas`; raises `InvalidInput` without xarray or pandas."""
        xarray = imported("xarray", "to_xarray")
        frame = self.to_pandas()
        return xarray.Dataset.from_dataframe(frame).assign_attrs(netcdf_attributes(frame.attrs))

    def _flat(self) -> list[dict[str, Any]]:
        """The rows of `table`, with a text in place of each list."""
        rows = self.table()
        for row in rows:
            row["notes"] = "; ".join(f"{name}: {why}" for name, why in row["notes"].items())
            row["named"] = "; ".join(f"{one['cue']}: {one['nearest']}" for one in row["named"])
        return rows

    def to_csv(self) -> str:
        """One line for each row, below the headings of the printed table; None becomes an empty cell."""
        rows = self._flat()
        names = list(dict.fromkeys(name for row in rows for name in row))
        headings = [HEADINGS.get(name, name) for name in names]
        return csv_text(headings, ([row.get(name, "") for name in names] for row in rows))

    def words(self) -> str:
        """The result in one paragraph."""
        return paragraph(self.about, self.rows, self.axes)
