"""Memories whose similarity is a distance: nearest neighbour, universal Hopfield network, sparse distributed memory."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hopattn.foundation.arrays import Array, first_true, in_numbers_of, namespace, require_dim
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import real, whole
from hopattn.foundation.seeds import generator
from hopattn.foundation.traces import surely
from hopattn.memories.memory import Memory
from hopattn.memories.models.card import named, spin_patterns
from hopattn.memories.random_patterns import random_beta, random_pairs, random_reals, random_spins
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.threshold import Threshold
from hopattn.retrieval.similarity import Hamming, Similarity, similarities


@named(
    source="Millidge et al. 2022",
    energy="none: a distance is no dot product",
    draw=lambda rng: random_pairs(rng, random_reals(rng)),
    answers=True,
)
def nearest(keys: Any, values: Any = None) -> Memory:
    """The nearest neighbour: the value of the key that lies nearest to the cue; exact ties are averaged.

    keys: `(n_patterns, dim)`. values: `(n_patterns, dim_out)`, the keys by default. Raises `InvalidInput` for empty
    sets and for sets that do not fit each other.
    Source: Millidge et al. (2022), ICML, section 3 (Euclidean distance, max separation).

    >>> import hopattn as ha
    >>> ha.nearest([[0.0, 3.0], [4.0, 0.0]]).step([1.0, 1.0])
    array([0., 3.])
    """
    return Memory(keys, values, similarity="euclidean", separation="argmax")


def _draw_universal(rng: np.random.Generator) -> dict[str, Any]:
    similarity = "dot" if rng.random() < 0.5 else str(rng.choice([*similarities]))
    separation, activation = str(rng.choice([*separations])), str(rng.choice([*activations]))
    names = {"similarity": similarity, "separation": separation, "activation": activation}
    return {**random_pairs(rng, random_reals(rng) / 4), **names, "beta": random_beta(rng)}


@named(
    source="Millidge et al. 2022",
    energy="Φ*(x) − Ψ(Kx) for the dot product, else none",
    draw=_draw_universal,
    answers=True,
)
def universal(
    keys: Any,
    values: Any = None,
    similarity: str | Similarity = "manhattan",
    separation: str | Separation = "softmax",
    activation: str | Activation = "identity",
    beta: float | None = None,
) -> Memory:
    """The universal Hopfield network: any similarity, separation and activation, x⁺ = ∇Φ(Vᵀ ∇Ψ(sim(K, x))).

    The arguments are those of `hopattn.Memory`; in the paper, Manhattan distance with softmax performs best. Raises
    `InvalidInput` as `Memory` does. Source: Millidge et al. (2022), ICML.

    >>> import hopattn as ha
    >>> ha.universal([[0.0, 3.0], [4.0, 0.0]], beta=5.0).step([1.0, 1.5]).round(3)
    array([0., 3.])
    """
    return Memory(keys, values, similarity=similarity, separation=separation, activation=activation, beta=beta)


def _draw_sdm(rng: np.random.Generator) -> dict[str, Any]:
    addresses = random_spins(rng)
    values = rng.choice([-1.0, 1.0], size=addresses.shape)
    n, own = addresses.shape[1], rng.random() < 0.7
    near = {"radius": int(rng.integers(0 if own else n // 2, n + 1))}
    drawn = {"addresses": addresses, "values": values, **near}
    return drawn if own else {**drawn, "locations": int(rng.integers(30, 60)), "seed": int(rng.integers(100))}


@named(source="Kanerva 1988", energy="none: the Hamming distance is no dot product", draw=_draw_sdm)
def sdm(
    addresses: ArrayLike,
    values: ArrayLike,
    radius: float,
    locations: int | np.ndarray | None = None,
    rng: Any = None,
    seed: Any = None,
) -> Memory:
    """Kanerva's sparse distributed memory: each value is added to all locations near its address, and read from all
    locations near the cue: x⁺ = sgn(Σ_{l: d(l, x) ≤ r} C_l), with the counters C_l = Σ_{μ: d(l, a_μ) ≤ r} v_μ.

    addresses: `(n_patterns, N)`, ±1. values: `(n_patterns, dim_out)`, ±1. radius: r, a Hamming distance from 0 to N.
    locations: `(n_locations, N)`, ±1, or a number of locations to draw with `seed`, a whole number or a generator;
    `rng` is another name of it. By default the addresses themselves are the locations, each with its own value. Raises
    `InvalidInput` for entries that are not ±1, shapes that do not fit, a radius outside [0, N], an address with no
    location within the radius, and two seeds.
    Source: Kanerva (1988), Sparse Distributed Memory; as a memory of this form, Millidge et al. (2022), section 3.

    >>> import hopattn as ha
    >>> ha.sdm([[1, 1, 1, 1], [-1, -1, 1, 1]], [[1, 1], [1, -1]], radius=1).step([1, 1, 1, -1])
    array([1., 1.])
    """
    own = generator(seed, rng)
    address_rows, value_rows = spin_patterns(addresses, "addresses"), spin_patterns(values, "values")
    n = address_rows.shape[1]
    count = address_rows.shape[0]
    if count != value_rows.shape[0]:
        raise InvalidInput(f"values: {value_rows.shape[0]} rows do not fit {count} addresses")
    if not 0 <= real(radius, "radius") <= n:
        raise InvalidInput(f"radius: expected a number from 0 to {n}, not {quoted(radius)}")
    within = Threshold(t=-float(radius))
    if locations is None:
        keys, counters = address_rows, value_rows
    else:
        keys = in_numbers_of(address_rows, _locations(locations, n, own))
        near = within.weights(Hamming()(address_rows, keys))
        alone = ~namespace(near).any(near != 0, axis=-1)
        if surely(namespace(near).any(alone)):
            lone = first_true(alone)
            raise InvalidInput(f"radius: no location lies within {radius:g} of address {lone}; choose a larger one")
        counters = near.mT @ value_rows
    return Memory(keys, counters, similarity="hamming", separation=within, activation="sign", patterns=value_rows)


def _locations(locations: Any, n: int, rng: np.random.Generator) -> Array:
    if isinstance(locations, (int, np.integer)) and not isinstance(locations, bool):
        count = whole(locations, "locations")
        require_room(count * n, f"{count:,} locations")
        return rng.choice([-1.0, 1.0], size=(count, n))
    rows = spin_patterns(locations, "locations")
    require_dim(rows, n, "locations", "addresses")
    return rows
