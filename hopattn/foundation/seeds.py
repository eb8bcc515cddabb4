"""Seeds: the one source of random numbers of a function, which a caller names `seed` or `rng`."""

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.scalars import whole

Seed = int | np.random.Generator | None
"""A whole number of at least 0, or a generator; None where it is not given."""


def generator(seed: Seed = None, rng: Seed = None) -> np.random.Generator:
    """The generator of a seed; a generator is returned as it is, and without either the numbers differ in each call.

    Raises `InvalidInput` if both are given, and for anything that is neither a seed nor a generator.

    >>> int(generator(rng=1).integers(100)) == int(generator(seed=1).integers(100))
    True
    """
    name, given = _one_of(seed, rng)
    if given is None or isinstance(given, np.random.Generator):
        return np.random.default_rng(given)
    try:
        return np.random.default_rng(whole(given, name, least=0, most=None))
    except InvalidInput:
        wanted = "a seed or a numpy.random.Generator"
        raise InvalidInput(f"{name}: expected {wanted}, not {quoted(given)}") from None


def whole_seed(seed: Seed, rng: Seed, default: int) -> int:
    """The seed as a whole number, which a result can name; a generator gives one that is drawn from it.

    default: the seed if neither is given. Raises `InvalidInput` as `generator` does.
    """
    name, given = _one_of(seed, rng)
    if given is None:
        return default
    if isinstance(given, np.random.Generator):
        return int(given.integers(2**63))
    return whole(given, name, least=0, most=None)


def _one_of(seed: Seed, rng: Seed) -> tuple[str, Seed]:
    """The name and the value of the one that is given; `("seed", None)` for neither."""
    if seed is not None and rng is not None:
        raise InvalidInput("seed and rng: both name the source of random numbers; give one of them")
    return ("seed", seed) if rng is None else ("rng", rng)
