"""Layers of heads as a scenario writes them: by parts of a vector, by matrices, or by their scores or weights alone."""

import math
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Field, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from hopattn.foundation.errors import InvalidInput, shortened
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import MaskRule, mask_rules, resolve
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.scenario.language.fields import BySort, EntryIn, Matrix, NameIn, PositiveNumber, Problem, Table, chosen
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.projection import Projection
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.heads import Given, Head, MultiHead
from hopattn.transformer.layers import AttentionLayer

BoolMatrix = Annotated[list[Annotated[list[bool], Field(min_length=1)]], Field(min_length=1)]


ProjectionOrMatrix = Annotated[Annotated[Projection, Tag("table")] | Annotated[Matrix, Tag("array")], BySort]
Mask = Annotated[
    Annotated[str, NameIn(mask_rules), Tag("text")]
    | Annotated[Table, EntryIn(mask_rules), Tag("table")]
    | Annotated[BoolMatrix, Tag("array")],
    BySort,
]
SeparationChoice = Annotated[
    Annotated[str, NameIn(separations), Tag("text")]
    | Annotated[Table, EntryIn(separations, without=("beta",)), Tag("table")],
    BySort,
]


SCALED = "1/sqrt(dim)"


def _beta_word(word: str) -> str:
    if word != SCALED:
        message = f"'{shortened(word)}' stands there; expected a positive number or \"{SCALED}\""
        raise PydanticCustomError("beta", "{message}", {"message": message})
    return word


class HeadTable(Table):
    """One attention head."""

    query: ProjectionOrMatrix | None = None
    """What a word looks for."""
    key: ProjectionOrMatrix | None = None
    """What a word is found by."""
    value: ProjectionOrMatrix | None = None
    """What a word gives."""
    scores: Matrix | None = None
    """The scores, where the source prints them, in place of query and key."""
    weights: Matrix | None = None
    """The weights, where the source prints them, in place of query, key and separation; under a mask, what it leaves of
    a row is scaled to the row's sum, and without one ("none", the default here) the table stands as it is."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well a query matches a key."""
    separation: SeparationChoice = "softmax"
    """How scores become weights."""
    activation: Annotated[str, NameIn(activations)] = "identity"
    """What becomes of the output: "unit" keeps it at unit magnitude."""
    beta: Annotated[
        Annotated[PositiveNumber, Tag("number")] | Annotated[str, AfterValidator(_beta_word), Tag("text")],
        BySort,
        WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": SCALED}]}),
    ] = 1.0
    """What multiplies the scores before the separation (the inverse temperature)."""
    base: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """The base of the powers in the softmax, in place of e: beta = ln base."""
    mask: Mask | None = None
    """Which words may be attended to; "causal" by default, and "none" where the queries are other words or the weights
    are given."""

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """Everything that does not fit, given the number of queries and keys."""
        own = [
            problem
            for role in ("query", "key", "value")
            for problem in self._projection_problems(role, encoding, (*path, role))
        ]
        yield from own
        if self.base is not None and self.beta != 1.0:
            yield Problem((*path, "base"), "beta and base say the same thing; give one of them")
        if self.scores is not None and self.weights is not None:
            yield Problem((*path, "weights"), "scores and weights are both given; give one of them")
        for role in ("query", "key"):
            if getattr(self, role) is not None and (self.scores or self.weights):
                yield Problem((*path, role), "is not used where scores or weights are given")
        for name in ("scores", "weights", "mask"):
            table = getattr(self, name)
            if isinstance(table, list) and ({len(row) for row in table} != {shape[1]} or len(table) != shape[0]):
                yield Problem((*path, name), f"does not fit {shape[0]} queries and {shape[1]} keys, one row a query")
        if crossed and self.mask in ("causal", "strict"):
            yield Problem(
                (*path, "mask"), f"'{self.mask}' has no meaning between two texts; leave it out or write \"none\""
            )
        yield from self._parameter_problems(path)
        if not own:
            yield from self._agreement_problems(encoding, path)

    def _projection_problems(self, role: str, encoding: Encoding, path: Path) -> Iterator[Problem]:
        for problem in self.projection(role).problems(encoding, path, role):
            bare = isinstance(getattr(self, role), list)  # a matrix without its table
            yield Problem(path, problem.message) if bare else problem

    def _parameter_problems(self, path: Path) -> Iterator[Problem]:
        for key, make in (("separation", lambda: self._separation(1)), ("mask", lambda: self._mask(crossed=False))):
            try:
                make()
            except InvalidInput as error:
                yield Problem((*path, key), str(error))

    def _agreement_problems(self, encoding: Encoding, path: Path) -> Iterator[Problem]:
        sizes = [len(self.projection(role).array(encoding)) for role in ("query", "key")]
        if sizes[0] != sizes[1]:
            yield Problem((*path, "key"), f"gives {sizes[1]} numbers, but the query gives {sizes[0]}")

    def build(self, encoding: Encoding, crossed: bool, shape: tuple[int, int]) -> Head:
        """The head, its matrices written out."""
        query, key = (self.projection(role).array(encoding) for role in ("query", "key"))
        value = self.projection("value").written(encoding)
        rule = self._mask(crossed)
        if self.weights is not None:
            table = _renormalised(np.array(self.weights, dtype=float), resolve(rule, np.zeros(shape)))
            similarity: Similarity = Given(table)
            return Head(
                query,
                query,
                value,
                similarity=similarity,
                separation="identity",
                activation=self.activation,
                mask=rule,
            )
        similarity = Given(np.array(self.scores, dtype=float)) if self.scores else similarities.make(self.similarity)
        separation = self._separation(len(key))
        return Head(
            query, key, value, similarity=similarity, separation=separation, activation=self.activation, mask=rule
        )

    def _separation(self, dim: int) -> Separation:
        beta = math.log(self.base) if self.base else dim**-0.5 if isinstance(self.beta, str) else self.beta
        return chosen(separations, self.separation, beta=beta)

    def projection(self, role: str) -> Projection:
        given: Any = getattr(self, role)
        return Projection() if given is None else Projection(matrix=given) if isinstance(given, list) else given

    def _mask(self, crossed: bool) -> MaskRule | np.ndarray:
        if self.mask is None:
            return mask_rules.make("none" if crossed or self.weights else "causal")
        return np.array(self.mask) if isinstance(self.mask, list) else chosen(mask_rules, self.mask)


class LayerTable(Table):
    """Heads side by side, and whether their output is added to the words or takes their place."""

    head: Annotated[list[HeadTable], Field(min_length=1)]
    """The heads; their outputs are added up."""
    residual: bool = True
    """Whether the output is added to the words (true) or takes their place (false)."""

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """Everything that does not fit, head by head."""
        for i, head in enumerate(self.head):
            yield from head.problems(encoding, shape, crossed, (*path, "head", i))

    def build(self, encoding: Encoding, crossed: bool, shape: tuple[int, int]) -> AttentionLayer:
        """The layer: concatenating outputs that fill the whole vector and mapping them by (I I …) adds them up."""
        heads = [head.build(encoding, crossed, shape) for head in self.head]
        return AttentionLayer(MultiHead(heads, np.tile(np.eye(encoding.dim), len(heads))), self.residual)


def _renormalised(table: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """A printed table under a mask: what the mask leaves of a row keeps its proportions, and the row its sum."""
    if allowed is None:
        return table
    kept = np.where(allowed, table, 0.0)
    total = kept.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 0.0, kept * table.sum(axis=-1, keepdims=True) / np.where(total == 0, 1.0, total))
