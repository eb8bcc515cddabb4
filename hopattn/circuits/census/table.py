"""The result of a census: one row for each head, as arrays by layer and head, table, JSON and CSV."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hopattn.circuits.census.measures import CHANCE, MEASURES, OPERATING_CLASS, PARTNER
from hopattn.foundation.boundary import Count, public
from hopattn.foundation.errors import reject_unknown
from hopattn.results.display import Drawable
from hopattn.results.files import csv_text, json_text
from hopattn.results.frames import VERSIONS, data_frame, dataset


@dataclass(frozen=True, eq=False)
class HeadRow:
    """The measures of one head.

    layer, head: their numbers, from 0. values, chances: by the name of the measure; NaN where it is unknown. partners:
    of each composition the earlier head, named as this one. operating_class: I to IV, or an empty text.
    """

    layer: int
    head: int
    values: dict[str, float]
    chances: dict[str, float]
    partners: dict[str, str]
    operating_class: str

    @property
    def name(self) -> str:
        """The head as "layer.head", both counted from 1."""
        return head_name(self.layer, self.head)


def head_name(layer: int, head: int) -> str:
    """The name of a head whose numbers count from 0: "layer.head", where a person reads both from 1."""
    return f"{layer + 1}.{head + 1}"


class Strong(NamedTuple):
    """A head with a large value of a measure. chance: NaN where the measure has none. partner: of a composition."""

    head: str
    value: float
    chance: float
    partner: str = ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Census(Drawable):
    """The measures of all heads of a model for one text.

    Attributes
    ----------
    about : the model and the text, in words.
    tokens : their number.
    rows
        one for each head, layer by layer. The measures are those of `MEASURES`. Layers and heads count from 0, or as
        the layers themselves say; in names of heads, in CSV and in JSON they count from 1.
    copied : what copying is of, "words" where their vectors are known, or "vectors".
    words : of the tokens.
    """

    about: str
    tokens: int
    rows: tuple[HeadRow, ...]
    copied: str = "vectors"
    words: tuple[str, ...] = ()

    def __repr__(self) -> str:
        strongest = self.strongest("prefix_matching", 1)
        highlight = [f", {strong.head} attends to what followed ({strong.value:.2f})" for strong in strongest]
        return f"Census({self.size}{''.join(highlight)})"

    @property
    def size(self) -> str:
        """The numbers of layers, heads and tokens in words."""
        layers, heads = len(self.layers), len(self.rows)
        parts = [f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in ((layers, "layer"), (heads, "head"))]
        return f"{', '.join(parts)}, {self.tokens:,} tokens"

    @property
    def layers(self) -> tuple[int, ...]:
        """The numbers of the layers, in their order."""
        return tuple(dict.fromkeys(row.layer for row in self.rows))

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that at least one head has."""
        return tuple(
            name for name in MEASURES if np.isfinite([row.values.get(name, np.nan) for row in self.rows]).any()
        )

    def matrix(self, measure: str) -> np.ndarray:
        """One measure of all heads, `(layers, heads)`; NaN where it is unknown. Raises `InvalidInput` for its name."""
        return self._matrix(measure, lambda row: row.values)

    def chance(self, measure: str) -> np.ndarray:
        """The values by chance of a measure, `(layers, heads)`; NaN where it has none."""
        return self._matrix(measure, lambda row: row.chances)

    def _matrix(self, measure: str, of: Any) -> np.ndarray:
        reject_unknown("measure", [measure], MEASURES)
        table = np.full((len(self.layers), 1 + max(row.head for row in self.rows)), np.nan)
        for row in self.rows:
            table[self.layers.index(row.layer), row.head] = of(row).get(measure, np.nan)
        return table

    @public
    def strongest(self, measure: str, count: Count = 5) -> list[Strong]:
        """The heads with the largest values of a measure that are above chance, the largest first."""
        reject_unknown("measure", [measure], MEASURES)
        heads = []
        for row in self.rows:
            value, chance = row.values.get(measure, np.nan), row.chances.get(measure, np.nan)
            if value > (chance if np.isfinite(chance) else -np.inf):
                heads.append(Strong(row.name, value, chance, row.partners.get(measure + PARTNER, "")))
        return sorted(heads, key=lambda head: -head.value)[:count]

    def classes(self) -> dict[str, int]:
        """The number of heads in each operating class, I to IV."""
        classes = [row.operating_class for row in self.rows]
        return {name: classes.count(name) for name in ("I", "II", "III", "IV")}

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each head: its numbers, values by chance and partners; None where one is unknown."""
        measures, partners, rows = self.measures, {name for row in self.rows for name in row.partners}, []
        for row in self.rows:
            cells: dict[str, Any] = {"layer": row.layer, "head": row.head}
            for name in measures:
                cells[name] = _known(row.values.get(name))
                if MEASURES[name].chance:
                    cells[name + CHANCE] = _known(row.chances.get(name))
                if name + PARTNER in partners:
                    cells[name + PARTNER] = row.partners.get(name + PARTNER, "")
            rows.append(cells | {OPERATING_CLASS: row.operating_class})
        return rows

    def _written(self) -> list[dict[str, Any]]:
        """The table as a file has it: layers and heads count from 1."""
        return [row | {"layer": row["layer"] + 1, "head": row["head"] + 1} for row in self.table()]

    def to_dict(self) -> dict[str, Any]:
        """Everything as dictionaries, lists, texts and numbers, for JSON."""
        says = {name: MEASURES[name].says for name in self.measures}
        chances = {name: MEASURES[name].chance for name in self.measures if MEASURES[name].chance}
        return {
            "about": self.about,
            "tokens": self.tokens,
            "words": list(self.words),
            "copied": self.copied,
            "measures": says,
            "chances": chances,
            "rows": self._written(),
        }

    def to_json(self) -> str:
        """Everything as JSON."""
        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """One line for each head; an empty cell where a number is unknown."""
        rows = self._written()
        return csv_text(list(rows[0]), (row.values() for row in rows))

    def to_pandas(self) -> Any:
        """A pandas DataFrame, indexed by layer and head; raises `InvalidInput` if pandas is missing."""
        return data_frame(self.table(), ["layer", "head"], self._attributes())

    def to_xarray(self) -> Any:
        """An xarray Dataset of arrays by layer and head; raises `InvalidInput` if xarray is missing."""
        axes, arrays = ("layer", "head"), dict[str, tuple[tuple[str, str], Any]]()
        for name in self.measures:
            arrays[name] = axes, self.matrix(name)
            if MEASURES[name].chance:
                arrays[name + CHANCE] = axes, self.chance(name)
        classes: np.ndarray = np.full(self.matrix("attention_sink").shape, "", dtype="<U3")
        for row in self.rows:
            classes[self.layers.index(row.layer), row.head] = row.operating_class
        arrays[OPERATING_CLASS] = axes, classes
        coordinates = {"layer": list(self.layers), "head": list(range(classes.shape[1]))}
        return dataset(arrays, coordinates, self._attributes())

    def _attributes(self) -> Mapping[str, Any]:
        text = {"about": self.about, "tokens": self.tokens, "words": list(self.words)}
        return text | {"copied": self.copied, "versions": VERSIONS}


def _known(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else value
