"""Attention heads as a scenario writes them: by parts of a vector, by matrices, or by scores or weights alone."""

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from hopattn.foundation.errors import shortened
from hopattn.positions.distance_biases import Alibi, alibi_slopes
from hopattn.positions.planes import Layout
from hopattn.positions.rotary import Rotary
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import MaskRule, PositionRule, mask_rules, resolve
from hopattn.retrieval.separation import separation_of, separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import FixedScores, Similarity, similarities
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.decimal_commas import comma_hint, text_hint
from hopattn.scenario.language.fields import (
    ByTomlType,
    EntryIn,
    Matrix,
    NameIn,
    Number,
    PositiveNumber,
    Problem,
    Table,
    registry_entry,
)
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.projection import ROLES, ProjectionOrMatrix, ProjectionsTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.heads import Head

BoolMatrix = Annotated[list[Annotated[list[bool], Field(min_length=1)]], Field(min_length=1)]


Mask = Annotated[
    Annotated[str, NameIn(mask_rules), Tag("text")]
    | Annotated[Table, EntryIn(mask_rules), Tag("table")]
    | Annotated[BoolMatrix, Tag("array")],
    ByTomlType,
]
SeparationChoice = Annotated[
    Annotated[str, NameIn(separations), Tag("text")]
    | Annotated[Table, EntryIn(separations, without=("beta", "sink")), Tag("table")],
    ByTomlType,
]


SCALED = "1/sqrt(dim)"


def _beta_word(word: str) -> str:
    """The word that `beta` may be instead of a number; raises `PydanticCustomError` for any other."""
    if word != SCALED:
        message = f"got '{shortened(word)}'; expected a positive number or \"{SCALED}\"{text_hint(word)}"
        raise PydanticCustomError("beta", "{message}", {"message": message})
    return word


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


Rope = Annotated[Annotated[bool, Tag("truth value")] | Annotated[RopeTable, Tag("table")], ByTomlType]
Bias = Annotated[
    Annotated[Literal["alibi"], Tag("text")] | Annotated[AlibiTable, Tag("table")] | Annotated[Matrix, Tag("array")],
    ByTomlType,
]


class HeadTable(ProjectionsTable):
    """One attention head."""

    query: ProjectionOrMatrix | None = None
    """The query of a word: the vector by which it looks for other words."""
    key: ProjectionOrMatrix | None = None
    """The key of a word: the vector by which it is found."""
    value: ProjectionOrMatrix | None = None
    """The value of a word: the vector that it passes on to the words that attend to it."""
    scores: Matrix | None = None
    """The scores, where the source prints them, instead of query and key."""
    weights: Matrix | None = None
    """The weights, where the source prints them, instead of query, key and separation. Under a mask, the remaining
    weights of a row are scaled so that the row keeps its sum; without one ("none", the default here) the weights stay
    as they are."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a query matches a key."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """The activation of the output: "unit" keeps it at unit magnitude."""
    beta: Annotated[
        Annotated[PositiveNumber, Tag("number")] | Annotated[str, AfterValidator(_beta_word), Tag("text")],
        ByTomlType,
        WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": SCALED}]}),
    ] = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    base: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """The base of the powers in the softmax, instead of e: beta = ln base."""
    sink: Number | None = None
    """The logit of a null pattern, which competes with beta times the scores and passes on nothing: the weights of a
    row then sum to less than 1, and the array `rest` holds what is left. 0 is softmax1."""
    mask: Mask | None = None
    """Which words may be attended to; "causal" by default, and "none" where the queries are other words or the weights
    are given."""
    rope: Rope = False
    """Whether queries and keys are turned by their positions (true), or a table with the base and the layout. The
    positions count from 0 in every text, also in the text of the queries where these are other words."""
    bias: Bias | None = None
    """Numbers that are added to beta times the scores: "alibi" falls with the distance of two words, at the slope of
    this head among the heads of its layer or at the slope that a table gives; or a matrix, one row a query."""

    def problems(
        self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path, *, mapped: bool = False
    ) -> Iterator[Problem]:
        """The problems of the head.

        shape: the number of queries and of keys. crossed: whether the queries are other words than the keys. mapped:
        whether an output matrix of the layer maps the head's output, which is then as wide as the value.
        """
        projection_problems = [*self.projection_problems(encoding, path, mapped=mapped)]
        yield from projection_problems
        if self.base is not None and self.beta != 1.0:
            yield Problem((*path, "base"), "beta and base say the same thing; give one of them")
        if self.scores is not None and self.weights is not None:
            yield Problem((*path, "weights"), "scores and weights are both given; give one of them")
        for role in ("query", "key"):
            if getattr(self, role) is not None and (self.scores or self.weights):
                yield Problem((*path, role), "is not used where scores or weights are given")
        for name in ("rope", "bias", "sink"):
            fixed = self.weights is not None or (name == "rope" and self.scores is not None)
            own = getattr(self, name)
            if fixed and own is not None and own is not False:
                given = "scores or weights" if name == "rope" else "weights"
                yield Problem((*path, name), f"is not used where {given} are given")
        for name in ("scores", "weights", "mask", "bias"):
            table = getattr(self, name)
            if isinstance(table, list) and ({len(row) for row in table} != {shape[1]} or len(table) != shape[0]):
                hint = "" if name == "mask" else comma_hint(table, shape[1])
                fit = f"does not fit {shape[0]} queries and {shape[1]} keys, one row a query"
                yield Problem((*path, name), fit + hint)
        rule = self.mask.get("name") if isinstance(self.mask, Mapping) else self.mask
        if crossed and isinstance(rule, str) and issubclass(mask_rules.get(rule, MaskRule), PositionRule):
            yield Problem((*path, "mask"), f"'{rule}' has no meaning between two texts; leave it out or write \"none\"")
        if crossed and self.bias is not None and not isinstance(self.bias, list):
            yield Problem((*path, "bias"), "'alibi' has no meaning between two texts; leave it out or give a matrix")
        yield from self._parameter_problems(path)
        if self.rope and not projection_problems and (size := len(self.projection("query").array(encoding))) % 2:
            yield Problem((*path, "rope"), f"turns pairs of numbers, but a query has {size}; give it one more or less")

    def _parameter_problems(self, path: Path) -> Iterator[Problem]:
        """The problems of the parameters of separation and mask, found by building both; a matrix has none."""
        refused = [*refusals((*path, "separation"), lambda: self._separation(1))]
        yield from refused or refusals((*path, "sink"), lambda: separation_of(self._separation(1), sink=self.sink))
        if not isinstance(self.mask, list):
            yield from refusals((*path, "mask"), lambda: self._mask(crossed=False))

    def build(
        self,
        encoding: Encoding,
        crossed: bool,
        shape: tuple[int, int],
        place: tuple[int, int] = (0, 1),
        *,
        mapped: bool = False,
    ) -> Head:
        """The head with its matrices; shape and crossed as for `problems`, which must have found no problem.

        place: the number of the head in its layer, from 0, and the number of heads there. mapped: as for `problems`.
        """
        query, key, own = (self.projection(role).array(encoding) for role in ROLES)
        value = own if mapped else self.projection("value").value_array(encoding)
        rule = self._mask(crossed)
        separation: Any = self._separation(len(key))
        similarity: Similarity = similarities.make(self.similarity)
        if self.scores is not None:
            similarity = FixedScores(np.array(self.scores, dtype=float))
        elif self.weights is not None:
            table = _renormalised(np.array(self.weights, dtype=float), resolve(rule, np.broadcast_to(0.0, shape)))
            similarity, separation = FixedScores(table), "identity"
        return Head(
            query,
            key,
            value,
            similarity=similarity,
            separation=separation,
            activation=self.activation,
            mask=rule,
            position=rotary(self.rope),
            bias=head_bias(self.bias, place),
            sink=self.sink,
        )

    def _separation(self, dim: int) -> Separation:
        beta = math.log(self.base) if self.base else dim**-0.5 if isinstance(self.beta, str) else self.beta
        return registry_entry(separations, self.separation, beta=beta)

    def _mask(self, crossed: bool) -> MaskRule | np.ndarray:
        if self.mask is None:
            return mask_rules.make("none" if crossed or self.weights else "causal")
        return np.array(self.mask) if isinstance(self.mask, list) else registry_entry(mask_rules, self.mask)


def _renormalised(table: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """Given weights under a mask: the remaining weights of a row keep their proportions, and the row keeps its sum.

    table: the weights, `(n_queries, n_keys)`. allowed: the mask, or None for no mask.
    """
    if allowed is None:
        return table
    remaining = np.where(allowed, table, 0.0)
    total = remaining.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 0.0, remaining * table.sum(axis=-1, keepdims=True) / np.where(total == 0, 1.0, total))


def rotary(rope: bool | RopeTable) -> Rotary | None:
    """The rotary positions of a head; None for none."""
    table = RopeTable() if rope is True else rope
    return Rotary(table.base, layout=table.layout) if isinstance(table, RopeTable) else None


def head_bias(bias: str | AlibiTable | list[list[float]] | None, place: tuple[int, int]) -> Alibi | np.ndarray | None:
    """The bias of a head. place: its number among the heads of its layer, from 0, and the number of these heads."""
    if bias is None:
        return None
    if isinstance(bias, list):
        return np.array(bias, dtype=float)
    slope = bias.slope if isinstance(bias, AlibiTable) else None
    return Alibi(float(alibi_slopes(place[1])[place[0]]) if slope is None else slope)
