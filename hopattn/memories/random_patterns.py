"""Random patterns of a given size, sort and correlation, and damaged cues."""

from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

import numpy as np

from hopattn.foundation.checks import real, whole
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.vectors import normalised

Sort = Literal["spins", "unit", "binary"]
SORTS = ("spins", "unit")
"""The sorts that every memory can store."""
_fraction = partial(real, least=0.0, most=1.0)
EVEN = 0.5
"""The activity of patterns in which both values are as likely."""


def random_patterns(
    rng: np.random.Generator,
    n_patterns: int,
    dim: int,
    sort: str = "spins",
    correlation: float = 0.0,
    activity: float = EVEN,
) -> np.ndarray:
    """Random patterns, `(n_patterns, dim)`: they all correlate with one common pattern, or all have one activity.

    sort: "spins" for ±1, "unit" for directions of unit magnitude, "binary" for 0 and 1. correlation: ρ in [0, 1), the
    expected cosine of any two patterns. A spin equals that of the common pattern with the probability (1 + √ρ)/2. A
    direction is √ρ u + √(1 − ρ) g/√dim, scaled to unit magnitude, with a common direction u and Gaussian g; its ρ is
    exact only for a large dim. activity: a, above 0 and below 1, the probability that a neuron of ±1, or of 0 and 1, is
    1, independently of the others. Raises `InvalidInput` for an unknown sort, a correlation or an activity outside its
    range, or where it has no meaning, and numbers below 1.
    Source: Amit, Gutfreund & Sompolinsky (1987), Phys. Rev. A 35, 2293, for biased spins with a = √ρ; Tsodyks &
    Feigel'man (1988), Europhys. Lett. 6, 101, for the activity (their p is our a).
    """
    count, size = whole(n_patterns, "n_patterns"), whole(dim, "dim")
    reject_unknown("sort", [sort], get_args(Sort))
    shared = real(correlation, "correlation", least=0.0, below=1.0, cure="at 1 all patterns are one")
    real(activity, "activity", above=0.0, below=1.0)
    if sort == "unit" and activity != EVEN:
        raise InvalidInput("activity: directions have none; it is for spins, and for patterns of 0 and 1")
    if shared and (sort == "binary" or activity != EVEN):
        cure = "is for spins with an activity of 0.5 and for directions; leave out one of them"
        raise InvalidInput(f"correlation: {cure}")
    if sort == "binary" or activity != EVEN:
        return np.where(rng.random((count, size)) < activity, 1.0, silent_of(sort))
    if sort == "spins":
        common = rng.choice([-1.0, 1.0], size=size)
        same = rng.random((count, size)) < (1 + np.sqrt(shared)) / 2
        return np.where(same, common, -common)
    common = normalised(rng.standard_normal(size))
    own = rng.standard_normal((count, size)) / np.sqrt(size)
    return np.asarray(normalised(np.sqrt(shared) * common + np.sqrt(1 - shared) * own))


def silent_of(sort: str) -> float:
    """The value of a neuron that is not 1: 0 in patterns of 0 and 1, else −1."""
    return 0.0 if sort == "binary" else -1.0


def damaged(
    patterns: np.ndarray,
    rng: np.random.Generator,
    flip: float | Sequence[float] = 0.0,
    noise: float = 0.0,
    hide: float = 0.0,
    silent: float = -1.0,
) -> np.ndarray:
    """Cues made from patterns `(n, dim)`: some neurons of each row are changed, independently of the other rows.

    flip: the fraction of neurons whose sign is reversed, or one fraction for each row. noise: the standard deviation of
    the Gaussian noise added to every neuron. hide: the fraction of neurons set to 0 (unknown), after flip and noise.
    silent: 0 for patterns of 0 and 1, of which `flip` turns 1 into 0 and 0 into 1. A fraction is rounded to a number of
    neurons. With the same seed, a larger fraction changes every neuron that a smaller one changes, and more patterns
    leave the first rows the same. Raises `InvalidInput` for a fraction outside [0, 1] and a noise below 0.
    """
    n, dim = patterns.shape
    draws = rng.standard_normal((n, 3, dim))
    flip_rank, hide_rank = (np.argsort(draws[:, part], axis=-1) for part in (0, 1))
    added = real(noise, "noise", least=0.0) * draws[:, 2]
    fractions = flip if isinstance(flip, Sequence) else [flip] * n
    turned = np.array([[round(_fraction(fraction, "flip") * dim)] for fraction in fractions])
    flipped = np.where(flip_rank < turned, 1.0 + silent - patterns, patterns)
    return np.where(hide_rank < round(_fraction(hide, "hide") * dim), 0.0, flipped + added)
