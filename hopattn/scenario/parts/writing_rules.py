"""The rule by which a text is written into one matrix, as a scenario writes it: a sum, or the delta rule."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, Tag

from hopattn.retrieval.features import Features, RandomFeatures, feature_maps
from hopattn.retrieval.similarity import FeatureMap
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import ByTomlType, EntryIn, NameIn, Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.projection import ProjectionOrMatrix, ProjectionsTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.delta_state import DeltaState, delta_attention
from hopattn.transformer.heads import Head
from hopattn.transformer.linear_state import LinearState

FeaturesChoice = Annotated[
    Annotated[str, NameIn(feature_maps), Tag("text")]
    | Annotated[Table, EntryIn(feature_maps, without=("rng",), suffix="FeaturesTable"), Tag("table")],
    ByTomlType,
]


MOST_RANDOM = 2**16
"""The largest number of random features: the memory after each word is kept, written out and compared."""


class Written(NamedTuple):
    """A text in one matrix.

    memories: the matrix after each word, `(n, dim_out, n_features)`; its last row is z where outputs are normalised.
    output: the vector that each query reads, `(n_queries, dim_out)`.
    """

    memories: np.ndarray
    output: np.ndarray


class FastWeightsTable(ProjectionsTable):
    """How words are written into one matrix, and how they are read."""

    query: ProjectionOrMatrix | None = None
    """The query of a word: the vector by which it reads the memory."""
    key: ProjectionOrMatrix | None = None
    """The key of a word: the vector under which its value is written."""
    value: ProjectionOrMatrix | None = None
    """The value of a word: the vector that is written."""
    rule: Literal["sum", "delta"] = "sum"
    """How a word is written: "sum" adds v φ(k)ᵀ, which is linear attention; "delta" adds the part of v that the memory
    does not answer to k already, so that a later value overwrites an earlier one."""
    rate: Annotated[float, Field(gt=0, lt=2)] | None = None
    """The rate of the delta rule, above 0 and below 2, by default 1: the part of the error that is corrected."""
    features: FeaturesChoice = "identity"
    """The map φ of queries and keys. "random_features" are drawn by the seed, and estimate exp(β k·q)."""
    normalise: bool = False
    """Whether each output is divided by the sum of its scores φ(k)·φ(q); for the rule "sum"."""

    def problems(self, encoding: Encoding, path: Path) -> Iterator[Problem]:
        """Projections that do not fit, and keys that contradict each other."""
        yield from self.projection_problems(encoding, path)
        if self.rule == "sum" and self.rate is not None:
            yield Problem((*path, "rate"), 'belongs to rule = "delta"; a sum has no rate')
        if self.rule == "delta" and self.normalise:
            yield Problem((*path, "normalise"), 'belongs to rule = "sum"; the delta rule does not divide its outputs')
        if self.n_random > MOST_RANDOM:
            message = f"got {self.n_random:,}; expected at most {MOST_RANDOM:,} random features"
            yield Problem((*path, "features", "n"), message)
            return
        unmade = [*refusals((*path, "features"), lambda: self.phi(np.random.default_rng(0)))]
        yield from unmade
        if not unmade and self.normalise and not self.phi(np.random.default_rng(0)).nonnegative:
            name = self.features if isinstance(self.features, str) else "these"
            yield Problem((*path, "normalise"), f"features '{name}' may be negative; choose 'relu' or 'elu'")

    @property
    def random(self) -> bool:
        """Whether the features are drawn at random."""
        return "random_features" in (self.features, getattr(self.features, "name", None))

    @property
    def n_random(self) -> int:
        """The number of random features; 0 if the features are not random."""
        return int(getattr(self.features, "n", RandomFeatures.n)) if self.random else 0

    def phi(self, rng: np.random.Generator) -> Features:
        """φ as an object; rng: draws random features. Raises `InvalidInput` for parameters out of range."""
        given: Any = self.features
        parameters = {} if isinstance(given, str) else given.model_dump(exclude={"name"})
        drawn = {"rng": rng} if self.random else {}
        return feature_maps.make(given if isinstance(given, str) else given.name, **parameters, **drawn)

    def head(self, encoding: Encoding, phi: Features, crossed: bool) -> Head:
        """The head that computes the same from all scores. crossed: whether the queries are other words."""
        separation = "proportional" if self.normalise else "identity"
        return self._head(encoding, crossed, similarity=FeatureMap(phi), separation=separation)

    def softmax_head(self, encoding: Encoding, phi: Features, crossed: bool) -> Head:
        """The head of softmax attention that random features φ estimate."""
        beta, separation = float(getattr(phi, "beta", 1.0)), "softmax" if self.normalise else "exponential"
        return self._head(encoding, crossed, separation=separation, beta=beta)

    def _head(self, encoding: Encoding, crossed: bool, **parts: Any) -> Head:
        query, key = (self.projection(role).array(encoding) for role in ("query", "key"))
        value = self.projection("value").value_array(encoding)
        return Head(query, key, value, mask="none" if crossed else "causal", **parts)

    def written(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, phi: Features, crossed: bool) -> Written:
        """The text written word by word, `(n, dim)` each; each word reads after itself, other queries at the end."""
        memories: list[Any] = []
        outputs: list[Any] = []
        sums, deltas = LinearState(phi, normalise=self.normalise), DeltaState(phi)
        for i in range(len(k)):
            own = (slice(i, i + 1), slice(None))
            if self.rule == "sum":
                sums = sums.extended(k[own], v[own])
            else:
                _, deltas = deltas.attended(k[own], k[own], v[own], rate=self.rate or 1.0)
            memories.append(sums.matrix if self.rule == "sum" else deltas.couplings)
            if not crossed:
                outputs.append((sums if self.rule == "sum" else deltas).read(q[own]))
        last = sums if self.rule == "sum" else deltas
        return Written(np.stack(memories), last.read(q) if crossed else np.concatenate(outputs))

    def at_once(self, q: np.ndarray, k: np.ndarray, v: np.ndarray, phi: Features, crossed: bool) -> np.ndarray:
        """The output of the delta rule, `(n_queries, dim_out)`, by one system of equations over all pairs of words."""
        n, rate = len(k), self.rate or 1.0
        if not crossed:
            return np.asarray(delta_attention(q, k, v, rate=rate, features=phi, chunk=n))
        _, state = DeltaState(phi).attended(k, k, v, rate=rate, chunk=n)
        return np.asarray(state.read(q))
