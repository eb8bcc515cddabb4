"""Layers of a transformer as a scenario writes them: heads by parts of a vector, matrices, scores or weights, and more.

The rest of a layer is its output matrix, feed-forward layer and norms, or a file with the weights of PyTorch's layer.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field, Tag, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from hopattn.foundation.array_files import named, numbers_below
from hopattn.foundation.endings import NAMED
from hopattn.foundation.errors import in_file, shortened
from hopattn.foundation.writing import counted
from hopattn.positions.distance_biases import Alibi, alibi_slopes
from hopattn.positions.planes import Layout
from hopattn.positions.rotary import Rotary
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import PositionRule, mask_rules, resolve
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import FixedScores, Similarity, similarities
from hopattn.scenario.arrays import numbers
from hopattn.scenario.language.syntax_faults import comma_hint, text_hint
from hopattn.scenario.language.table import (
    MAX_NUMBERS,
    Angle,
    ByTomlType,
    Count,
    EntryIn,
    Matrix,
    NameIn,
    Number,
    Parts,
    PositiveNumber,
    Problem,
    Table,
    TableWithFiles,
    Text,
    Told,
    Vector,
    at,
    fitting,
    need,
    need_unused,
    refusal,
    registry_entry,
    unnamed,
)
from hopattn.scenario.words.vocabulary import OF_MATRICES, POSITION, WORD, Encoding
from hopattn.transformer.blocks import Block, BlockTrace
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.from_torch import with_prefix
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.nonlinearities import NONLINEARITIES
from hopattn.transformer.normalisation import LayerNorm, Normalisation, RMSNorm

ROLES = {"query": "queries", "key": "keys", "value": "values"}
"""The maps of a head, and the arrays of what they give."""
SCALED = "1/sqrt(dim)"
ELEMENT = "one for each element of a vector"
Shape = tuple[int, int]
HIDDEN = -1e9
"""A number that stands for −∞ in a mask that is added to the scores; so does a smaller one."""
LAYERS = ("layer", "encoder", "decoder", "cross")
"""The keys of layers, in a file or in a layer."""
MATRICES = {*ROLES, "output", "inner", "outer", "matrix"}
"""The keys of the matrices that map a vector to another one."""
TABLES = {*LAYERS, *ROLES, "head", "feed_forward", "network", "fast_weights"}
"""The keys of the tables that hold such matrices."""


class MatricesTable(Table):
    """The base of the tables that say how matrices are written: those of a whole file, and of a layer."""

    matrices: Annotated[Literal["left", "right"] | None, Told()] = None
    """How every matrix is written: "left" as the W of W x, (out, in), "right" as the W of x·W, (in, out), as courses
    print it. A file says it for all its layers; by default "left"."""

    @model_validator(mode="before")
    @classmethod
    def _of_layers(cls, document: Any) -> Any:
        """Give the word of a file to each of its layers that has none of its own."""
        word = document.get("matrices") if isinstance(document, dict) else None
        if word not in ("left", "right"):
            return document
        for key in LAYERS:
            if isinstance(layers := document.get(key), list | dict):
                tables = layers if isinstance(layers, list) else [layers]
                tables = [{"matrices": word} | table if isinstance(table, dict) else table for table in tables]
                document = document | {key: tables if isinstance(layers, list) else tables[0]}
        return document

    @property
    def right(self) -> bool:
        """Whether the file writes the W of x·W."""
        return self.matrices == "right"

    def reading(self) -> str:
        """How square matrices are read, where the file does not say it; empty where there are none."""
        if not (names := [*_squares(self)]):
            return ""
        several = len(names) > 1
        read = (
            f"{names[0]} and {len(names) - 1} more are square, and are" if several else f"{names[0]} is square, and is"
        )
        return f'{read} read as the W of W x; write matrices = "right" for x·W, or "left" if W x is meant'


def _squares(table: Table, place: str = "") -> Iterator[str]:
    """The places of square matrices that are not symmetric, where neither file nor layer says how they are written."""
    for key in type(table).model_fields if getattr(table, "matrices", None) is None else ():
        value = getattr(table, key)
        several = isinstance(value, list)
        square = key in MATRICES and several and {len(row) for row in value} == {len(value)}
        if square and not np.array_equal(value, np.transpose(value)):
            yield f"{place}{key}"
        for i, one in enumerate(value if several else [value], start=1):
            if isinstance(one, Table) and key in TABLES:
                yield from _squares(one, f"{place}{key}.{f'{i}.' * several}")


class Projection(Table):
    """The map from a vector to its query, key or value: read a part, multiply by a matrix, rotate, scale."""

    source: Annotated[str | None, Field(alias="from"), Told()] = None
    """The part that is read; by default the whole vector."""
    target: Annotated[str | None, Field(alias="to"), Told()] = None
    """The part that a value is written to; by default the part that it was read from."""
    rotate: Annotated[Angle, Told()] = 0.0
    """The number of positions by which it is moved: 1 moves position p to p + 1."""
    scale: Number = 1.0
    """A number that it is multiplied by."""
    matrix: Annotated[Matrix | None, Told(pools=OF_MATRICES)] = None
    """A matrix, (out, in), that it is multiplied by."""

    def array(self, coding: Encoding, right: bool = False, rows: tuple[int, str] | None = None) -> np.ndarray:
        """The matrix W of y = W x for a query or key, `(size, dim)`; size: of the part, or the rows of `matrix`.

        right, rows: as for `fitting`.
        """
        result: Any = np.eye(coding.dim)[coding.part(self.source, "from")]
        if self.matrix is not None:
            columns = len(result), "one for each element that is read"
            result = fitting(self.matrix, "matrix", columns, rows, right=right) @ result
        if self.rotate:
            need(self.source == POSITION, "rotate", 'rotates positions: it needs from = "position"')
            with at("rotate"):
                moved = coding.offset(self.rotate)
            unlike = f"a position has {len(moved)} elements, but the matrix gives {len(result)}; leave one of them out"
            need(len(moved) == len(result), "rotate", unlike)
            result = moved @ result
        return np.asarray(self.scale * result)

    def value_array(self, coding: Encoding, right: bool = False) -> np.ndarray:
        """The matrix W of y = W x for a value, `(dim, dim)`: the value is written to its part of the vector.

        A value of another number of elements without `to` stays as it is, `(size, dim)`. right: as for `fitting`.
        """
        name = self.target or self.source
        part = coding.part(name, "to" if self.target else "from")
        size, placed = part.stop - part.start, np.zeros((coding.dim, coding.dim))
        array = self.array(coding, right, (size, "one for each element that is written") if self.target else None)
        if self.matrix is not None and len(array) != size:
            return array
        wanted, other = (shortened(one or "the vector") for one in (name, self.source))
        need(len(array) == size, "to", f"the part '{wanted}' has not as many elements as '{other}'")
        placed[part] = array
        return placed


ProjectionOrMatrix = Annotated[Annotated[Projection, Tag("table")] | Annotated[Matrix, Tag("array")], ByTomlType]


class ProjectionsTable(Table):
    """The base of the tables with a projection for each of `ROLES`."""

    def projection(self, role: str) -> Projection:
        """The projection for a role; by default the whole vector as it is."""
        given: Any = getattr(self, role)
        return Projection() if given is None else Projection(matrix=given) if isinstance(given, list) else given

    def arrays(self, coding: Encoding, *, mapped: bool = False, right: bool = False) -> list[np.ndarray]:
        """The matrices W_Q, W_K and W_V of y = W x.

        mapped: whether an output matrix of the layer maps the values back to a vector; they may then have any number of
        elements. right: as for `fitting`.
        """
        made: list[np.ndarray] = []
        with Parts() as parts:
            for role in ROLES:
                with parts.at(role):
                    one = self.projection(role)
                    compared = f"a {role} is compared, not written anywhere; only a value has `to`"
                    need(one.target is None or role == "value", "to", compared)
                    twice = "the layer's `output` says where values are written; leave one of them out"
                    need(one.target is None or not mapped, "to", twice)
                    placed = role == "value" and not mapped
                    made.append(one.value_array(coding, right) if placed else one.array(coding, right))
            bare = [role for role in ROLES if isinstance(getattr(self, role), list)]  # a matrix without a table
            parts.problems = [
                Problem(one.path[: 1 if one.path[0] in bare else None], one.message) for one in parts.problems
            ]
        query, key = map(len, made[:2])
        need(query == key, "key", f"gives {key} numbers, but the query gives {query}")
        return made


def _open(entry: Any) -> Any:
    """Whether a query may attend to a key, where a mask is added to the scores: 0 leaves a score, −∞ takes it away."""
    if isinstance(entry, bool) or not isinstance(entry, int | float):
        return entry
    if entry == 0 or entry <= HIDDEN:
        return entry == 0
    message = f"got {shortened(entry)}; expected true (may attend) or false, or 0 (may attend) or -inf"
    raise PydanticCustomError("mask", "{message}", {"message": message})


Open = Annotated[bool, BeforeValidator(_open), WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "number"}]})]
BoolMatrix = Annotated[list[Annotated[list[Open], Field(min_length=1)]], Field(min_length=1)]
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


def _beta_word(word: str) -> str:
    """The word that `beta` may be instead of a number; raises `PydanticCustomError` for any other."""
    if word != SCALED:
        message = f"got '{shortened(word)}'; expected a positive number or \"{SCALED}\"{text_hint(word)}"
        raise PydanticCustomError("beta", "{message}", {"message": message})
    return word


def beta_of(table: Any, size: int = 1) -> float:
    """The inverse temperature that the keys `beta` and `base` of a table say; size: of a query."""
    need(table.base is None or table.beta == 1.0, "base", "beta and base say the same thing; give one of them")
    beta = size**-0.5 if table.beta == SCALED else table.beta
    return float(beta if table.base is None else math.log(table.base))


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

    arguments: ClassVar[Mapping[str, str]] = {"position": "rope", **{f"w_{role}": role for role in ROLES}}
    query: Annotated[ProjectionOrMatrix | None, Told(pools=OF_MATRICES)] = None
    """The query of a word: the vector by which it looks for other words."""
    key: Annotated[ProjectionOrMatrix | None, Told(pools=OF_MATRICES)] = None
    """The key of a word: the vector by which it is found."""
    value: Annotated[ProjectionOrMatrix | None, Told(pools=OF_MATRICES)] = None
    """The value of a word: the vector that it passes on to the words that attend to it."""
    queries: Annotated[Matrix | None, Told(pools=OF_MATRICES)] = None
    """The queries, where the source prints them with `keys` and `values`, one a row. Then the file has no words of its
    own: the rows are called 1, 2, … or by the names in [input], and the output is the state."""
    keys: Annotated[Matrix | None, Told(pools=OF_MATRICES)] = None
    """The keys, where the source prints them, one a row."""
    values: Annotated[Matrix | None, Told(pools=OF_MATRICES)] = None
    """The values, where the source prints them, one a row; beside queries and keys, or beside scores or weights."""
    scores: Annotated[Matrix | None, Told(pools=OF_MATRICES)] = None
    """The scores, where the source prints them, instead of query and key."""
    weights: Annotated[Matrix | None, Told(pools=("shares", "tenths"))] = None
    """The weights, where the source prints them, instead of query, key and separation. Under a mask, the remaining
    weights of a row are scaled so that the row keeps its sum; without one ("none", the default here) the weights stay
    as they are."""
    similarity: Annotated[str, NameIn(similarities), Told("similarity")] = "dot"
    """How well a query matches a key."""
    separation: Annotated[SeparationChoice, Told("separation")] = "softmax"
    """How scores become weights."""
    activation: Annotated[str, NameIn(activations), Told("activation")] = "identity"
    """The activation of the output: "unit" keeps it at unit magnitude."""
    beta: Annotated[
        Annotated[PositiveNumber, Tag("number")] | Annotated[str, AfterValidator(_beta_word), Tag("text")],
        ByTomlType,
        WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": SCALED}]}),
        Told(),
    ] = 1.0
    """The inverse temperature, which multiplies the scores before the separation."""
    base: Annotated[Annotated[float, Field(gt=1, allow_inf_nan=False)] | None, Told()] = None
    """The base of the powers in the softmax, instead of e: beta = ln base."""
    sink: Number | None = None
    """The logit of a null pattern, which competes with beta times the scores and passes on nothing: the weights of a
    row then sum to less than 1, and the array `rest` holds what is left. 0 is softmax1."""
    mask: Annotated[Mask | None, Told("mask")] = None
    """Which words may be attended to; "causal" by default, and "none" where the queries are other words, or where
    values or weights are printed. A matrix, one row a query, has true and false, or 0 and -inf, which is added to the
    scores."""
    rope: Rope = False
    """Whether queries and keys are turned by their positions (true), or a table with the base and the layout. The
    positions count from 0 in every text, also in the text of the queries where these are other words."""
    bias: Bias | None = None
    """Numbers that are added to beta times the scores: "alibi" falls with the distance of two words, at the slope of
    this head among the heads of its layer or at the slope that a table gives; or a matrix, one row a query."""

    @property
    def wordless(self) -> bool:
        """Whether the file gives what the head compares and mixes, and no words."""
        return any(getattr(self, name) is not None for name in ROLES.values())

    def vectors(self) -> dict[str, np.ndarray]:
        """The queries `(n, dim_key)`, keys `(m, dim_key)` and values `(m, dim_out)`, by the roles of their maps.

        Where the scores or the weights are printed too, queries and keys are zeros of one element.
        """
        table = self.scores or self.weights
        shapes = {} if table is None else {"queries": (len(table), 1), "keys": (len(self.values or [0]), 1)}
        made: dict[str, np.ndarray] = {}
        with Parts() as parts:
            for role, name in ROLES.items():
                with parts.at(name):
                    unused = f"is not used where {'weights' if self.weights else 'scores'} are given"
                    need(name not in shapes or getattr(self, name) is None, (), unused)
                    need(getattr(self, role) is None, (), f"and `{role}` are both given; leave one of them out")
            missing = [name for name in ROLES.values() if name not in shapes and getattr(self, name) is None]
            lack = (
                "is missing; without words, a head needs queries, keys and values, or values beside scores or weights"
            )
            with parts.at():
                need(not missing, tuple(missing[:1]), lack)
            parts.end()
            for role, name in ROLES.items():
                rows = np.zeros(shapes[name]).tolist() if name in shapes else getattr(self, name)
                as_query = role == "key" and "query" in made
                columns = (made["query"].shape[1], "as many as a query") if as_query else (len(rows[0]), "as the first")
                per_key = (len(made["key"]), "one for each key") if role == "value" and "key" in made else None
                with parts.at(name):
                    made[role] = fitting(rows, (), columns, per_key)
        return made

    def build(
        self,
        coding: Encoding,
        crossed: bool,
        shape: Shape,
        place: Shape = (0, 1),
        *,
        mapped: bool = False,
        right: bool = False,
    ) -> Head:
        """The head with its matrices.

        shape: the number of queries and of keys. crossed: whether the queries are other words than the keys. place: the
        number of the head in its layer, from 0, and the number of heads there. mapped, right: as for `arrays`.
        """
        if self.wordless:
            names = [part_of(role, place[0]) for role in ROLES]
            alone = 'stands in the one layer of kind = "attention", in all its heads'
            need({*names} <= coding.parts.keys(), "values" if self.queries is None else "queries", alone)
            matrices = [np.eye(coding.dim)[coding.parts[name]] for name in names]
        else:
            matrices = self.arrays(coding, mapped=mapped, right=right)
        self._need_one_way(shape)
        size = len(matrices[0])
        beta = beta_of(self, size)
        with at("mask"), unnamed("mask"):
            usual = "none" if crossed or self.weights or self.wordless else "causal"
            listed = isinstance(self.mask, list)
            rule = np.array(self.mask) if listed else registry_entry(mask_rules, self.mask or usual)
        if crossed:
            between = "has no meaning between two texts; leave it out or"
            name = getattr(self.mask, "name", self.mask)
            need(not isinstance(rule, PositionRule), "mask", f"'{name}' {between} write \"none\"")
            need(self.bias is None or isinstance(self.bias, list), "bias", f"'alibi' {between} give a matrix")
        pairs = f"turns pairs of numbers, but a query has {size}; give it one more or less"
        need(not (self.rope and size % 2), "rope", pairs)
        with at("separation"), unnamed("separation"):
            separation: Any = registry_entry(separations, self.separation, beta=beta)
        similarity: Similarity = similarities.make(self.similarity)
        if self.scores is not None:
            similarity = FixedScores(np.array(self.scores, dtype=float))
        elif self.weights is not None:
            table = _renormalised(np.array(self.weights, dtype=float), resolve(rule, np.broadcast_to(0.0, shape)))
            similarity, separation = FixedScores(table), "identity"
        bias: Any = self.bias
        rope = RopeTable() if self.rope is True else self.rope
        if isinstance(bias, (str, AlibiTable)):
            slope = None if isinstance(bias, str) else bias.slope
            bias = Alibi(float(alibi_slopes(place[1])[place[0]]) if slope is None else slope)
        parts: Any = {"similarity": similarity, "separation": separation, "activation": self.activation}
        parts["position"] = Rotary(rope.base, layout=rope.layout) if rope else None
        with at(table=self):
            return Head(*matrices, **parts, mask=rule, bias=bias, sink=self.sink)

    def _need_one_way(self, shape: Shape) -> None:
        """Refuse keys that say the same thing, keys without a use, and matrices that do not fit the text."""
        need(not (self.scores and self.weights), "weights", "scores and weights are both given; give one of them")
        unused = {"bias": "weights", "sink": "weights"} if self.weights else {}
        unused |= dict.fromkeys(("query", "key", "rope"), "scores or weights") if self.scores or self.weights else {}
        for name, other in unused.items():
            given = getattr(self, name)
            need(given is None or given is False, name, f"is not used where {other} are given")
        for name in ("scores", "weights", "mask", "bias"):
            table = getattr(self, name)
            if isinstance(table, list) and [len(row) for row in table] != [shape[1]] * shape[0]:
                hint = "" if name == "mask" else comma_hint(table, shape[1])
                fit = f"does not fit {shape[0]} queries and {shape[1]} keys, one row a query"
                raise refusal(name, fit + hint)


def _renormalised(table: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """Weights under a mask: the remaining weights of a row keep their proportions, and the row keeps its sum.

    table: the weights, `(n_queries, n_keys)`. allowed: the mask, or None for no mask.
    """
    remaining = table if allowed is None else np.where(allowed, table, 0.0)
    sums, total = table.sum(axis=-1, keepdims=True), remaining.sum(axis=-1, keepdims=True)
    divided = np.divide(remaining * sums, total, out=np.zeros_like(table), where=total != 0)
    return table if allowed is None else divided


class FeedForwardTable(Table):
    """The feed-forward layer W₂ f(W₁ x + b₁) + b₂, for each word by itself."""

    inner: Annotated[Matrix, Told(pools=OF_MATRICES)]
    """W₁, (hidden, dim): one row for each hidden neuron; (dim, hidden) with matrices = "right". As a memory, it holds a
    key for each hidden neuron."""
    outer: Annotated[Matrix, Told(pools=OF_MATRICES)]
    """W₂, (dim, hidden): one column for each hidden neuron; (hidden, dim) with matrices = "right". As a memory, it
    holds a value for each hidden neuron."""
    inner_bias: Annotated[Vector | None, Told(pools=OF_MATRICES)] = None
    """b₁, a number for each hidden neuron; by default 0."""
    outer_bias: Annotated[Vector | None, Told(pools=OF_MATRICES)] = None
    """b₂, a number for each element of a vector; by default 0."""
    activation: Annotated[str, NameIn(NONLINEARITIES), Told("nonlinearity")] = "relu"
    """The function f of the hidden neurons."""

    def build(self, dim: int, right: bool = False) -> FeedForward:
        """The layer for vectors of `dim` elements; right: as for `fitting`."""
        element, weight = (dim, ELEMENT), fitting(self.inner, "inner", (dim, ELEMENT), right=right)
        hidden = len(weight), f"one for each {'column' if right else 'row'} of `inner`"
        inner = Affine(weight, fitting(self.inner_bias, "inner_bias", hidden))
        weight = fitting(self.outer, "outer", hidden, element, right=right)
        outer = weight, fitting(self.outer_bias, "outer_bias", element)
        return FeedForward(inner, Affine(*outer), self.activation)


class NormTable(Table):
    """A normalisation with its parameters."""

    name: Literal["layer", "rms"]
    """"layer" brings the mean to 0 and the variance to 1, "rms" the mean square to 1."""
    gain: Vector | None = None
    """A number for each element, by which the normalised vector is multiplied; by default 1."""
    shift: Vector | None = None
    """A number for each element, which is added at the end; by default 0."""
    epsilon: PositiveNumber = 1e-5
    """A small number, added to the variance, so that nothing is divided by 0."""

    def build(self, dim: int) -> Normalisation:
        """The normalisation of vectors of `dim` elements."""
        gain, shift = (fitting(getattr(self, key), key, (dim, ELEMENT)) for key in ("gain", "shift"))
        return (LayerNorm if self.name == "layer" else RMSNorm)(gain, shift, epsilon=self.epsilon)


NormChoice = Annotated[
    Annotated[Literal["none", "layer", "rms"], Tag("text")] | Annotated[NormTable, Tag("table")],
    ByTomlType,
]


class TorchTable(TableWithFiles):
    """The weights of a `torch.nn.TransformerEncoderLayer`, from a file of the names and arrays of its `state_dict`."""

    file: Text
    """Its path, from the folder of this scenario: a .npz or a .safetensors."""
    heads: Count
    """The number of heads (`nhead`)."""
    prefix: Text | None = None
    """The beginning of the layer's names, where a file holds several layers: "layers.0" for `layers.0.norm1.weight`."""
    norm_first: bool = False
    """Whether the normalisations come before attention and feed-forward layer; PyTorch's argument of that name."""
    activation: Literal["relu", "gelu"] = "relu"
    """The function of the hidden neurons; PyTorch's argument of that name."""
    epsilon: PositiveNumber = 1e-5
    """PyTorch's `layer_norm_eps`."""
    mask: Mask = "none"
    """Which words may be attended to."""

    def build(self, encoding: Encoding, shape: Shape, crossed: bool = False) -> Block:
        """The layer; shape and crossed as for a head."""
        need(not crossed, (), "an encoder's layer reads one text; leave it out, or the queries of the other text")
        block = self._block(HeadTable(mask=self.mask).build(encoding, False, shape).mask)
        if (dim := block.attention.out.dims[0]) != encoding.dim:
            own = f"is for vectors of {dim} elements; those of this scenario have {encoding.dim}"
            raise refusal("file", f"{named(FilePath(self.file))} {own}")
        return block

    def _block(self, mask: Any) -> Block:
        options = self.model_dump(include={"norm_first", "activation", "epsilon"})
        with in_file(named(self._folder / self.file)):
            block = Block.from_torch(self._state, n_heads=self.heads, mask=mask, **options)
        lack = "has a cross-attention, as the layer of a decoder; expected that of an encoder"
        need(block.cross is None, (), f"block: {lack}")
        return block

    @cached_property
    def _state(self) -> dict[str, np.ndarray]:
        """The names, without the prefix, and the arrays of the layer, in float64; nothing in the file is executed."""
        file, start = self._folder / self.file, "" if self.prefix is None else f"{self.prefix}."
        need(file.suffix.lower() in NAMED, (), f"{named(file)} does not end in {' or '.join(NAMED)}")
        arrays = numbers_below(file, start, most_axes=2, most=MAX_NUMBERS)
        own = arrays if self.prefix is None else with_prefix(arrays, self.prefix)
        need(own or not self.prefix, (), f"{named(file)} holds no name that begins with '{shortened(self.prefix)}.'")
        return own

    @property
    def head_tables(self) -> list[HeadTable]:
        """The heads as tables with the matrices of the file, without the biases, which a table cannot hold."""
        heads = self._block("none").attention.heads
        matrices = [{role: getattr(head, f"w_{role}").tolist() for role in ROLES} for head in heads]
        return [HeadTable(**own, beta=SCALED, mask=self.mask) for own in matrices]


class LayerTable(MatricesTable):
    """Heads side by side, and a feed-forward layer behind them if there is one."""

    head: Annotated[list[HeadTable], Told()] = Field(default_factory=list)
    """The heads. Their outputs are added up, unless `output` maps them. Outputs of another number of elements than a
    word has are side by side."""
    output: Matrix | None = None
    """The matrix W_O, (dim, sum of the heads' widths), or the other way round with matrices = "right", that maps the
    heads' outputs, side by side, back to a vector. A head is as wide as its value."""
    residual: Annotated[bool, Told()] = True
    """Whether the output is added to the words (true) or replaces them (false); the same for the feed-forward layer.
    Outputs that are side by side without `output` need false."""
    feed_forward: Annotated[FeedForwardTable | None, Told()] = None
    """The feed-forward layer."""
    norm: NormChoice = "none"
    """The normalisation of each vector, for attention and feed-forward layer alike: "layer" (mean 0, variance 1), "rms"
    (mean square 1), "none", or a table."""
    norm_first: bool = False
    """Whether the norm comes before attention and feed-forward layer, or after the residual of each."""
    from_torch: TorchTable | None = None
    """The weights of a PyTorch layer from a file, instead of all other keys."""

    @property
    def full(self) -> bool:
        """Whether the layer has more than heads and a residual: an output matrix, a feed-forward layer or a norm."""
        return self.mapped or self.feed_forward is not None or self.norm != "none"

    @property
    def mapped(self) -> bool:
        """Whether an output matrix maps the heads' outputs, each as wide as its value, back to a vector."""
        return self.output is not None or self.from_torch is not None

    @property
    def n_heads(self) -> int:
        """The number of heads, known before a file is read."""
        return len(self.head) if self.from_torch is None else self.from_torch.heads

    @cached_property
    def heads(self) -> list[HeadTable]:
        """The heads, of the file too."""
        return self.head if self.from_torch is None else self.from_torch.head_tables

    @property
    def right(self) -> bool:
        """Whether the file writes the W of x·W; the file of `from_torch` never does."""
        return super().right and self.from_torch is None

    @property
    def wordless(self) -> bool:
        """Whether the heads have their queries, keys and values from the file, and there are no words."""
        return any(head.wordless for head in self.head)

    def sheet(self) -> tuple[Encoding, np.ndarray, np.ndarray]:
        """The encoding whose parts are the queries, keys and values of each head, with the vectors that hold them.

        They are the vectors of the queries, `(n, dim)`, and those of the keys and values, `(m, dim)`.
        """
        slices, blocks, dim = dict[str, slice](), list[tuple[str, np.ndarray]](), 0
        with Parts() as parts:
            for j, head in enumerate(self.head):
                with parts.at("head", j):
                    for role, matrix in head.vectors().items():
                        like = next((first for name, first in blocks if (name == "query") == (role == "query")), matrix)
                        unlike = f"needs {len(like)} rows, as many as in the first head, not {len(matrix)}"
                        need(len(matrix) == len(like), ROLES[role], unlike)
                        blocks.append((role, matrix))
                        slices[part_of(role, j)] = slice(dim, dim := dim + matrix.shape[1])
        n, m = len(blocks[0][1]), len(blocks[1][1])
        queries, keys = np.zeros((n, dim)), np.zeros((m, dim))
        for part, (role, matrix) in zip(slices.values(), blocks, strict=True):
            (queries if role == "query" else keys)[:, part] = matrix
        return Encoding(slices, numbers(dim), {}), queries, keys

    def seen(self, trace: BlockTrace) -> BlockTrace:
        """The trace without queries and keys where the source prints scores or weights in place of them."""
        if trace.attention is None or not self.wordless:
            return trace
        pairs = zip(self.head, trace.heads, strict=True)
        heads = (replace(one, queries=None, keys=None) if head.queries is None else one for head, one in pairs)
        return replace(trace, attention=replace(trace.attention, heads=tuple(heads)))

    def after(self, coding: Encoding, block: Block) -> Encoding:
        """The encoding of the words after the layer; the axes of heads side by side are numbers.

        coding: of the words before it. block: what `build` gives.
        """
        width, widths = block.attention.out.dims[0], {head.value.dims[0] for head in block.attention.heads}
        if width == coding.dim and (self.mapped or widths == {width}):
            return coding
        return Encoding({WORD: slice(0, width)}, numbers(width), {})

    def build(self, encoding: Encoding, crossed: bool, shape: Shape, *, whole: bool = False) -> Block:
        """The layer; shape and crossed as for a head. whole: whether its state must have as many elements as a word.

        Without an output matrix the outputs of the heads are `(n, dim)` each, and the matrix (I I …) maps their
        concatenation to their sum; outputs of another width stay side by side.
        """
        dim, fed = encoding.dim, None
        if self.from_torch is not None:
            own = ("head", "output", "residual", "feed_forward", "norm", "norm_first")
            need_unused(self, own, "comes from the file of `from_torch`; leave one of them out")
            with at("from_torch"):
                return self.from_torch.build(encoding, shape, crossed)
        heads, output = list[Head](), np.eye(dim)
        with Parts() as parts:
            with parts.at():
                need(self.head, (), "has no head; begin one with [[layer.head]], or give from_torch")
                lack = 'says where the norm is, but there is none; give norm = "layer"'
                need(not self.norm_first or self.norm != "none", "norm_first", lack)
            for i, head in enumerate(self.head):
                with parts.at("head", i):
                    place = i, len(self.head)
                    heads.append(head.build(encoding, crossed, shape, place, mapped=self.mapped, right=self.right))
            with parts.at():
                if heads and not parts.problems:
                    output = self._output([head.value.dims[0] for head in heads], dim, whole)
            with parts.at("feed_forward"):
                fed = None if self.feed_forward is None else self.feed_forward.build(len(output), self.right)
            with parts.at("norm"):
                table = NormTable(name=self.norm) if self.norm in ("layer", "rms") else self.norm
                sizes = [dim if self.norm_first else len(output), *[len(output)] * (fed is not None)]
                norms = [table.build(size) for size in sizes] if isinstance(table, NormTable) else []
        residual = self.residual and not self.wordless
        return Block(MultiHead(heads, output), fed, norms=norms, norm_first=self.norm_first, residual=residual)

    def _output(self, widths: list[int], dim: int, whole: bool) -> np.ndarray:
        """The matrix W_O of y = W x. widths: of the heads' outputs. dim: of a word. whole: as for `build`."""
        sum_ = f" ({' + '.join(map(str, widths))})" if len(widths) > 1 else ""
        if self.wordless:
            alone = "the words are not in the file, so that nothing is added to them or normalised; leave it out"
            for key in ("residual", "norm_first"):
                need(key not in self.model_fields_set or not getattr(self, key), key, alone)
        if self.output is not None:
            columns = sum(widths), f"one for each element of the heads' outputs{sum_}"
            rows = None if self.wordless else (dim, ELEMENT)
            return np.asarray(fitting(self.output, "output", columns, rows, right=self.right))
        if {*widths} == {dim}:
            return np.tile(np.eye(dim), len(widths))
        width = sum(widths)
        have = f"the outputs of the heads side by side have {width} numbers{sum_}"
        have = have if sum_ else f"the output of the head has {counted(width, 'number')}"
        shape = f"({width}, {dim})" if self.right else f"({dim}, {width})"
        cure = f"give `output`, a matrix {shape} that maps it back" + ", or write residual = false" * (not whole)
        narrow = next(i for i, one in enumerate(widths) if one != dim)
        free = self.wordless or not (self.residual or whole)
        need(free, ("head", narrow, "value"), f"{have}, and a word has {dim}; {cure}")
        return np.eye(width)


def part_of(role: str, j: int) -> str:
    """The name of the part that holds the printed queries, keys or values of head j, counted from 0."""
    return f"head {j + 1} {ROLES[role]}"
