"""Linear memories: the lecture's cue, linear attention, and linear attention with the delta rule."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.objects import flag
from hopattn.memories.memory import Memory
from hopattn.memories.models.card import named, of_numpy, real_patterns
from hopattn.memories.random_patterns import random_pairs, random_reals, random_shape
from hopattn.networks import learning_rules as learning
from hopattn.networks.associator import Associator
from hopattn.retrieval.features import Features, feature_maps
from hopattn.retrieval.similarity import Dot, FeatureMap

Feature = Literal["identity", "relu", "elu"]


def _draw_linear(rng: np.random.Generator) -> dict[str, Any]:
    feature_map = "identity" if rng.random() < 0.5 else str(rng.choice(get_args(Feature)))
    normalise = feature_map != "identity" and bool(rng.random() < 0.5)
    return {**random_pairs(rng, random_reals(rng) / 4), "feature_map": feature_map, "normalise": normalise}


@named(
    source="LING3804 Lecture Notes 7; Katharopoulos et al. 2020",
    energy="½|x|² − ½ xᵀKᵀK x (identity features)",
    draw=_draw_linear,
    answers=True,
)
def linear(
    keys: Any, values: Any = None, feature_map: Feature | Features = "identity", normalise: bool = False
) -> Memory:
    """The lecture's cue and linear attention: x⁺ = Σ_μ v_μ φ(k_μ)·φ(x), divided by Σ_μ φ(k_μ)·φ(x) where normalised.

    keys: `(n_patterns, dim)`. values: `(n_patterns, dim_out)`, the keys by default. feature_map: φ, "identity", "relu"
    or "elu" (the paper's elu + 1), or an object; `ha.RandomFeatures(n, rng)` bring the answer to short cues and keys
    near the softmax's. normalise: weights that sum to 1; it needs features that are not negative. Only the identity
    without normalisation has an energy. Where the largest singular value of the keys is above 1, that energy has no
    lower bound, and recall may diverge. `ha.linear_attention` gives the same answers without the scores. Raises
    `InvalidInput` for keys and values that do not fit, and for a normalised identity.
    Source: LING3804 Lecture Notes 7, 7.1; Katharopoulos et al. (2020), ICML.

    >>> import hopattn as ha
    >>> ha.linear([[1.0, 0.0], [0.6, 0.8]], [[1.0], [10.0]]).step([1.0, 0.0])
    array([7.])
    """
    if flag(normalise, "normalise") and not feature_maps.make(feature_map).nonnegative:
        raise InvalidInput("normalise: identity features may be negative; choose feature_map='relu' or 'elu'")
    return Memory(
        real_patterns(keys, "keys"),
        values,
        similarity=Dot() if feature_map == "identity" else FeatureMap(feature_map),
        separation="proportional" if normalise else "identity",
    )


def _draw_delta(rng: np.random.Generator) -> dict[str, Any]:
    shape = random_shape(rng)
    pairs = {"keys": rng.normal(size=shape), "values": rng.normal(size=shape)}
    return {**pairs, "rate": float(rng.uniform(0.1, 1.9)), "sweeps": int(rng.integers(1, 4))}


@named(
    source="Widrow & Hoff 1960; Schlag et al. 2021",
    energy="none: values are no states of the cue",
    draw=_draw_delta,
    answers=True,
)
def delta(keys: ArrayLike, values: ArrayLike, rate: float = 1.0, sweeps: int = 1) -> Associator:
    """Linear attention that corrects itself: a pair learned later overwrites the earlier value of its key.

    keys: `(n_patterns, dim)`. values: `(n_patterns, dim_out)`. rate, sweeps: see `ha.learning.delta`. Raises
    `InvalidInput` as that rule does. Source: Schlag, Irie & Schmidhuber (2021), ICML; Widrow & Hoff (1960).

    >>> import hopattn as ha
    >>> ha.delta([[1.0, 0.0], [1.0, 0.0]], [[3.0], [5.0]]).step([1.0, 0.0])
    array([5.])
    """
    answers = of_numpy(real_patterns(values, "values"), "values")
    return Associator(
        learning.delta(of_numpy(real_patterns(keys, "keys"), "keys"), answers, rate, sweeps), patterns=answers
    )
