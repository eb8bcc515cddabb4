"""The positions of one head as a scenario writes them: rotary positions, and a bias of the scores."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Tag

from hopattn.scenario.language.fields import ByTomlType, Matrix, PositiveNumber, Table
from hopattn.transformer.positions.alibi import Alibi, alibi_slopes
from hopattn.transformer.positions.planes import Layout
from hopattn.transformer.positions.rotary import Rotary


class RopeTable(Table):
    """Rotary positions: queries and keys are turned by angles that grow with their position."""

    base: PositiveNumber = 10000.0
    """The base of the frequencies: plane i turns by base^(−2i / dim) radians a position, i = 0, 1, …"""
    layout: Layout = "interleaved"
    """The two axes of a plane: "interleaved" takes neighbours, "half" takes axes that are half a vector apart."""


class AlibiTable(Table):
    """A bias that falls with the distance of two words: −slope · distance."""

    name: Literal["alibi"]
    """The kind of bias."""
    slope: PositiveNumber | None = None
    """The slope; by default that of the paper, 2^(−8j / n) for head j of the n heads of the layer."""


Rope = Annotated[
    Annotated[bool, Tag("truth value")] | Annotated[RopeTable, Tag("table")],
    ByTomlType,
]
Bias = Annotated[
    Annotated[Literal["alibi"], Tag("text")] | Annotated[AlibiTable, Tag("table")] | Annotated[Matrix, Tag("array")],
    ByTomlType,
]


def rotary(rope: bool | RopeTable) -> Rotary | None:
    """The rotary positions of a head; None for none."""
    table = RopeTable() if rope is True else rope
    return Rotary(table.base, table.layout) if isinstance(table, RopeTable) else None


def head_bias(bias: str | AlibiTable | list[list[float]] | None, place: tuple[int, int]) -> Alibi | np.ndarray | None:
    """The bias of a head. place: its number among the heads of its layer, from 0, and the number of these heads."""
    if bias is None:
        return None
    if isinstance(bias, list):
        return np.array(bias, dtype=float)
    slope = bias.slope if isinstance(bias, AlibiTable) else None
    return Alibi(float(alibi_slopes(place[1])[place[0]]) if slope is None else slope)
