"""The result of a census: one row for each head, as arrays by layer and head, table, JSON and CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hopattn.circuits.census.measures import CHANCE, MEASURES, OPERATING_CLASS, PARTNER
from hopattn.foundation.boundary import Count, public
from hopattn.foundation.errors import reject_unknown
from hopattn.results.dataset import VERSIONS, Dataset, plain
from hopattn.results.labelled import Labelled


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
class Census(Dataset):
    """The measures of all heads of a model for one text.

    Attributes
    ----------
    about : the model and the text, in words.
    tokens : their number.
    rows
        one for each head, layer by layer. The measures are those of `MEASURES`. Layers and heads count from 0 here, or
        as the layers themselves say; in names of heads, in `table` and in every export they count from 1.
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

    _index = ("layer", "head")

    def table(self) -> list[dict[str, Any]]:
        """One dictionary for each head: its numbers, values by chance and partners; None where one is unknown.

        Layers and heads count from 1, as in their names.
        """
        measures, partners, rows = self.measures, {name for row in self.rows for name in row.partners}, []
        for row in self.rows:
            cells: dict[str, Any] = {"layer": row.layer + 1, "head": row.head + 1}
            for name in measures:
                cells[name] = row.values.get(name)
                if MEASURES[name].chance:
                    cells[name + CHANCE] = row.chances.get(name)
                if name + PARTNER in partners:
                    cells[name + PARTNER] = row.partners.get(name + PARTNER, "")
            rows.append(plain(cells) | {OPERATING_CLASS: row.operating_class})
        return rows

    def _axes(self) -> Mapping[str, Sequence[int]]:
        return {"layer": [i + 1 for i in self.layers], "head": range(1, 2 + max(row.head for row in self.rows))}

    def _arrays(self) -> Mapping[str, Labelled]:
        tables = {name: self.matrix(name) for name in self.measures}
        tables |= {name + CHANCE: self.chance(name) for name in self.measures if MEASURES[name].chance}
        classes = np.full([len(axis) for axis in self._axes().values()], "", dtype="<U3")
        for row in self.rows:
            classes[self.layers.index(row.layer), row.head] = row.operating_class
        return {name: Labelled(one, self._index) for name, one in [*tables.items(), (OPERATING_CLASS, classes)]}

    def _attributes(self) -> Mapping[str, Any]:
        says = {name: MEASURES[name].says for name in self.measures}
        chances = {name: MEASURES[name].chance for name in self.measures if MEASURES[name].chance}
        text = {"about": self.about, "tokens": self.tokens, "words": list(self.words), "copied": self.copied}
        return {**text, "measures": says, "chances": chances, "versions": VERSIONS}
