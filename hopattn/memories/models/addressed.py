"""Memories of keys and values: nearest neighbour, universal network, sparse distributed memory, linear memories."""

from typing import Any, Literal

import numpy as np

from hopattn import learning
from hopattn.foundation.arrays import Array, first_true, in_numbers_of, namespace, require_fitting, shaped
from hopattn.foundation.checks import flag, generator, real, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.traces import known_true
from hopattn.memories.memory import Memory, Stored
from hopattn.memories.models.card import named, real_patterns, spin_patterns
from hopattn.networks.associator import Associator
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.features import Features, feature_maps
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.elementwise import Threshold
from hopattn.retrieval.similarity import Dot, FeatureMap, Hamming, Similarity

Feature = Literal["identity", "relu", "elu"]


@named(source="Millidge et al. 2022", energy="none: a distance is not a dot product", answers=True)
def nearest(keys: Stored, values: Stored | None = None) -> Memory:
    """The nearest neighbour: the value of the key that lies nearest to the cue; exact ties are averaged.

    Parameters
    ----------
    keys : (n_patterns, dim)
    values : (n_patterns, dim_out)
        the keys by default.

    Raises
    ------
    InvalidInput : as `Memory` does.

    Notes
    -----
    Source: Millidge et al. (2022), ICML, section 3 (Euclidean distance, max separation).

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.nearest([[0.0, 3.0], [4.0, 0.0]]).step([1.0, 1.0])
    array([0., 3.])
    """
    return Memory(keys, values, similarity="euclidean", separation="argmax")


@named(source="Millidge et al. 2022", energy="Φ*(x) − Ψ(Kx) for the dot product, else none", answers=True)
def universal(
    keys: Stored,
    values: Stored | None = None,
    *,
    similarity: str | Similarity = "manhattan",
    separation: str | Separation = "softmax",
    activation: str | Activation = "identity",
    beta: float | None = None,
    sink: float | None = None,
) -> Memory:
    """The universal Hopfield network: any similarity, separation and activation, x⁺ = ∇Φ(Vᵀ ∇Ψ(sim(K, x))).

    The arguments and errors are those of `hopattn.Memory`; in the paper, Manhattan distance with softmax performs best.
    Source: Millidge et al. (2022), ICML.

    >>> import hopattn as ha
    >>> ha.memories.universal([[0.0, 3.0], [4.0, 0.0]], beta=5.0).step([1.0, 1.5]).round(3)
    array([0., 3.])
    """
    parts: dict[str, Any] = {"similarity": similarity, "separation": separation, "activation": activation}
    return Memory(keys, values, **parts, beta=beta, sink=sink)


@named(
    source="LING3804 Lecture Notes 7; Katharopoulos et al. 2020",
    energy="½|x|² − ½ xᵀKᵀK x (identity features)",
    answers=True,
)
def linear(
    keys: Stored, values: Stored | None = None, *, feature_map: Feature | Features = "identity", normalise: bool = False
) -> Memory:
    """The lecture's cue and linear attention: x⁺ = Σ_μ v_μ φ(k_μ)·φ(x), divided by Σ_μ φ(k_μ)·φ(x) where normalised.

    Parameters
    ----------
    keys : (n_patterns, dim)
    values : (n_patterns, dim_out)
        the keys by default.
    feature_map
        φ, "identity", "relu" or "elu" (the paper's elu + 1), or an object such as `ha.retrieval.RandomFeatures(n)`.
    normalise : weights that sum to 1; it needs features that are not negative.

    Raises
    ------
    InvalidInput : for keys and values that do not fit, and for a normalised identity.

    Notes
    -----
    Only the identity without normalisation has an energy, without a lower bound where a singular value of the keys is
    above 1; recall may then diverge. `ha.transformer.linear_attention` gives the same answers without the scores.
    Source: LING3804 Lecture Notes 7, 7.1; Katharopoulos et al. (2020), ICML.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.linear([[1.0, 0.0], [0.6, 0.8]], [[1.0], [10.0]]).step([1.0, 0.0])
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


@named(source="Widrow & Hoff 1960; Schlag et al. 2021", energy="none: values are not states of the cue", answers=True)
def delta(keys: Stored, values: Stored, *, rate: float = 1.0, sweeps: int = 1) -> Associator:
    """Linear attention that corrects itself: a pair learned later overwrites the earlier value of its key.

    The arguments and errors are those of `ha.learning.delta`.
    Source: Schlag, Irie & Schmidhuber (2021), ICML; Widrow & Hoff (1960).

    >>> import hopattn as ha
    >>> ha.memories.delta([[1.0, 0.0], [1.0, 0.0]], [[3.0], [5.0]]).step([1.0, 0.0])
    array([5.])
    """
    rows, answers = real_patterns(keys, "keys"), real_patterns(values, "values")
    return Associator(learning.delta(rows, answers, rate=rate, sweeps=sweeps), patterns=answers)


@named(source="Kanerva 1988", energy="none: the Hamming distance is not a dot product")
def sdm(
    addresses: Stored, values: Stored, *, radius: float, locations: int | np.ndarray | None = None, rng: Any = None
) -> Memory:
    """Kanerva's sparse distributed memory: each value is added to all locations near its address, and read from all
    locations near the cue: x⁺ = sgn(Σ_{l: d(l, x) ≤ r} C_l), with the counters C_l = Σ_{μ: d(l, a_μ) ≤ r} v_μ.

    Parameters
    ----------
    addresses : (n_patterns, N)
        ±1.
    values : (n_patterns, dim_out)
        ±1.
    radius : r, a Hamming distance from 0 to N.
    locations : (n_locations, N)
        ±1, or a number of locations to draw; by default the addresses, each with its own value.
    rng : a whole number or a generator.

    Raises
    ------
    InvalidInput : for others, and for an address with no location within the radius.

    Notes
    -----
    Where a sum is 0, a spin stays as the cue has it if the values are the addresses; else it is 0. Source: Kanerva
    (1988), Sparse Distributed Memory; as a memory of this form, Millidge et al. (2022), section 3.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.memories.sdm([[1, 1, 1, 1], [-1, -1, 1, 1]], [[1, 1], [1, -1]], radius=1).step([1, 1, 1, -1])
    array([1., 1.])
    """
    random = generator(rng=rng)
    address_rows = spin_patterns(addresses, "addresses")
    value_rows = address_rows if values is addresses else spin_patterns(values, "values")
    require_fitting(value_rows, address_rows, "values", "addresses")
    count, n = address_rows.shape
    if count != value_rows.shape[0]:
        raise InvalidInput(f"values: {value_rows.shape[0]} rows do not fit {count} addresses")
    within = Threshold(t=-real(radius, "radius", least=0.0, most=n))
    if locations is None:
        keys, counters = address_rows, value_rows
    else:
        keys = in_numbers_of(address_rows, _locations(locations, n, random))
        near = within.weights(Hamming()(address_rows, keys))
        alone = ~namespace(near).any(near != 0, axis=-1)
        if known_true(namespace(near).any(alone)):
            lone = first_true(alone)
            raise InvalidInput(f"radius: no location lies within {radius:g} of address {lone}; choose a larger one")
        counters = near.mT @ value_rows
    parts: Any = {"similarity": "hamming", "separation": within, "activation": "sign", "patterns": value_rows}
    return Memory(keys, counters, **parts, same_neurons=value_rows is address_rows)


def _locations(locations: Any, n: int, rng: np.random.Generator) -> Array:
    if isinstance(locations, (int, np.integer)) and not isinstance(locations, bool):
        count = whole(locations, "locations")
        require_room(count * n, f"{count:,} locations")
        return rng.choice([-1.0, 1.0], size=(count, n))
    rows = spin_patterns(locations, "locations")
    shaped(rows, "locations", "… dim", dim=(n, "addresses"))
    return rows
