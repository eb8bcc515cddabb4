"""Saturation: the Jacobian of the softmax vanishes for large scores, and layer normalisation keeps it.

    raw  s          scaled  s/√dim          normalised  (s − mean s)/√(var s + ε)

The scale 1/√dim moves the curve to magnitudes √dim times larger. Layer normalisation makes it flat.
"""

from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.in_range import in_range
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import REPEATED, whole
from hopattn.foundation.seeds import Seed, generator
from hopattn.transformer.gradients.curves import Curves
from hopattn.transformer.gradients.softmax import in_float64, size, softmax_jacobian
from hopattn.transformer.normalisation import Normalisation


def softmax_saturation(
    magnitudes: Any,
    n_scores: int = 16,
    n_draws: int = 200,
    *,
    dim: int = 64,
    beta: float = 1.0,
    kind: str = "spectral",
    seed: Seed = None,
    rng: Seed = None,
) -> Curves:
    """The size of the softmax's Jacobian against the magnitude of the scores, for random scores.

    A draw is one vector of n_scores numbers of the normal distribution, which each magnitude multiplies. The curves are
    "raw", "scaled" (by 1/√dim) and "normalised" (by layer normalisation).

    magnitudes: `(n,)`, positive: the deviation of the scores. kind: "spectral", the largest singular value,
    "frobenius", or "largest", the largest derivative of a weight. seed, rng: a whole number or a generator. Raises
    `InvalidInput` for other magnitudes, for fewer than two scores, and for numbers that are not positive.

    The size in a single draw falls like exp(−βΔ·magnitude), where Δ is the lead of its largest score, and so does the
    median. The mean falls like 1/magnitude only: it comes of the few draws whose two largest scores are nearly alike.
    Source: AT6, Attention and Transformers, layer normalisation; Vaswani et al. (2017), 3.2.1, for 1/√dim (their d_k is
    our dim).

    >>> found = softmax_saturation([1.0, 100.0], seed=0)
    >>> {name: [f"{size:.1e}" for size in sizes] for name, sizes in found.median.items()}
    {'raw': ['2.0e-01', '3.8e-15'], 'scaled': ['7.6e-02', '2.8e-02'], 'normalised': ['2.1e-01', '2.1e-01']}
    """
    n, draws = whole(n_scores, "n_scores", least=2), whole(n_draws, "n_draws", most=REPEATED)
    require_room(draws * n * n, f"Jacobians of {draws:,} draws")
    drawn = generator(seed, rng).normal(size=(draws, n))
    return saturation_of(drawn, magnitudes, dim=dim, beta=beta, kind=kind)


@in_range
def saturation_of(scores: Any, magnitudes: Any, *, dim: int = 64, beta: float = 1.0, kind: str = "spectral") -> Curves:
    """The size of the softmax's Jacobian for given scores `(n_draws, n)` or `(n,)`, multiplied by each magnitude.

    A row of scores is a draw; the other arguments and the curves are those of `softmax_saturation`. Raises
    `InvalidInput` as that does, and for scores that are no rows of at least two finite numbers.

    >>> found = saturation_of([1.0, 0.0], [1.0, 10.0], kind="largest")
    >>> [f"{size:.6f}" for size in found.median["raw"]]  # σ(m)(1 − σ(m))
    ['0.196612', '0.000045']
    """
    points, rows = in_float64(magnitudes, "magnitudes"), np.atleast_2d(in_float64(scores, "scores"))
    if points.ndim != 1 or points.size == 0 or not np.all((points > 0) & np.isfinite(points)):
        raise InvalidInput(f"magnitudes: expected a list of positive numbers, not {quoted(magnitudes)}")
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2 or not np.all(np.isfinite(rows)):
        raise InvalidInput(f"scores: expected rows of at least two finite numbers, not shape {rows.shape}")
    scale, normalise = whole(dim, "dim") ** -0.5, Normalisation()
    sizes: dict[str, list[np.ndarray]] = {"raw": [], "scaled": [], "normalised": []}
    for magnitude in points:
        given = magnitude * rows
        for own, form in zip(sizes.values(), (given, scale * given, normalise(given)), strict=True):
            own.append(size(softmax_jacobian(form, beta), kind))
    return Curves("magnitude", points, {name: np.stack(own, axis=-1) for name, own in sizes.items()})
