"""Random patterns, and cues that are damaged patterns."""

from typing import Literal, get_args

import numpy as np

from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.scalars import real, whole
from hopattn.foundation.vectors import normalised, unit

Sort = Literal["spins", "unit"]
SORTS = get_args(Sort)


def random_patterns(
    rng: np.random.Generator, n_patterns: int, dim: int, sort: str = "spins", correlation: float = 0.0
) -> np.ndarray:
    """Random patterns that share a common one, `(n_patterns, dim)`.

    sort: "spins", ±1, or "unit", directions of unit magnitude. correlation: the cosine ρ in [0, 1) of any two patterns,
    on average over the draws: a spin is that of a common pattern with the probability (1 + √ρ)/2, a direction is
    √ρ u + √(1 − ρ) g/√dim for a common direction u and Gaussian g, scaled to unit magnitude (where ρ holds for a large
    dim). Raises `InvalidInput` for another sort, a correlation outside, and numbers below 1.
    Source: Amit, Gutfreund & Sompolinsky (1987), Phys. Rev. A 35, 2293, for biased spins with a = √ρ.
    """
    count, size = whole(n_patterns, "n_patterns"), whole(dim, "dim")
    reject_unknown("sort", [sort], SORTS)
    shared = _within(correlation, "correlation")
    if shared == 1:
        raise InvalidInput("correlation: at 1 all patterns are one; expected a number below 1")
    if sort == "spins":
        common = rng.choice([-1.0, 1.0], size=size)
        same = rng.random((count, size)) < (1 + np.sqrt(shared)) / 2
        return np.where(same, common, -common)
    common = normalised(rng.standard_normal(size))
    own = rng.standard_normal((count, size)) / np.sqrt(size)
    return np.asarray(normalised(np.sqrt(shared) * common + np.sqrt(1 - shared) * own))


def damaged(
    patterns: np.ndarray, rng: np.random.Generator, flip: float = 0.0, noise: float = 0.0, hide: float = 0.0
) -> np.ndarray:
    """Cues that are patterns `(n, dim)` with some of their neurons changed, each row by itself.

    flip: which fraction of the neurons is reversed; noise: the standard deviation of what is added to every neuron;
    hide: which fraction becomes unknown (0), whatever it was. A fraction is rounded to a number of neurons. What a
    smaller fraction changes a larger one does too, and more patterns leave the first ones as they are. Raises
    `InvalidInput` for a fraction outside 0 to 1 and a noise below 0.
    """
    n, dim = patterns.shape
    draws = rng.standard_normal((n, 3, dim))
    flipped, hidden = (np.argsort(draws[:, part], axis=-1) for part in (0, 1))
    grain = real(noise, "noise", least=0.0) * draws[:, 2]
    turned = np.where(flipped < round(_within(flip, "flip") * dim), -patterns, patterns)
    return np.where(hidden < round(_within(hide, "hide") * dim), 0.0, turned + grain)


def _within(value: float, what: str) -> float:
    found = real(value, what)
    if not 0 <= found <= 1:
        raise InvalidInput(f"{what}: expected a number from 0 to 1, not {found:g}")
    return found


def drawn_shape(rng: np.random.Generator) -> tuple[int, int]:
    """A random number of patterns and of neurons: loads from a tenth to three patterns a neuron."""
    n = int(rng.integers(2, 17))
    return max(1, round(n * 10 ** rng.uniform(-1, 0.5))), n


def drawn_spins(rng: np.random.Generator) -> np.ndarray:
    """Random patterns of ±1, of a random bias."""
    return np.where(rng.random(drawn_shape(rng)) < rng.uniform(0.3, 0.7), 1.0, -1.0)


def drawn_reals(rng: np.random.Generator) -> np.ndarray:
    """Random patterns of normal numbers, of a random length; half of the time of unit magnitude."""
    rows = rng.normal(size=drawn_shape(rng)) * 10 ** rng.uniform(-1, 1)
    return np.asarray(unit(rows)) if rng.random() < 0.5 else rows


def drawn_beta(rng: np.random.Generator) -> float:
    """A random β from 10⁻² to 10²."""
    return float(10 ** rng.uniform(-2, 2))
