"""Curves of random trials: where the softmax saturates, and where the gradients of deep stacks vanish.

    raw  s          scaled  s/√dim          normalised  (s − mean s)/√(var s + ε)

The Jacobian of the softmax vanishes for large scores; 1/√dim moves its curve to magnitudes √dim times larger, and layer
normalisation makes it flat.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.arrays import Array
from hopattn.foundation.boundary import Count, Positive, finite, public
from hopattn.foundation.checks import REPEATED, Seed, generator, require_room, require_time, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.gradients.backward_pass import gradient_flow, in_float64, size, softmax_jacobian
from hopattn.retrieval.activation import Identity
from hopattn.transformer.blocks import Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import LayerNorm

Draws = Annotated[int, partial(whole, most=REPEATED)]
VARIANTS = {
    f"{norm}, {'residuals' if residual else 'no residuals'}": (norm, residual)
    for residual in (True, False)
    for norm in ("norm first", "norm last", "no norm")
}
"""The stacks that are compared: (norm, residual) by the name of their curve."""
OF = ("words", "scores")
DIM_KEY = 8
"""The dim of the queries of each head; there are as many heads as fit."""


@dataclass(frozen=True, eq=False)
class Curves:
    """Random trials over a row of points, a curve for each name.

    axis: the name of the points. at: the points, `(n,)`. trials: the numbers of each curve by its name, `(n_draws, n)`;
    row i of all curves comes from the same draw.
    """

    axis: str
    at: np.ndarray
    trials: Mapping[str, np.ndarray] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the curves, in order."""
        return tuple(self.trials)

    @property
    def mean(self) -> dict[str, np.ndarray]:
        """The mean over the draws, `(n,)`, of each curve."""
        return {name: trials.mean(axis=0) for name, trials in self.trials.items()}

    @property
    def error(self) -> dict[str, np.ndarray]:
        """The standard error of the mean, `(n,)`, of each curve: deviation / √n_draws; NaN for one draw."""
        if len(next(iter(self.trials.values()))) < 2:
            return {name: np.full_like(mean, np.nan) for name, mean in self.mean.items()}
        return {name: trials.std(axis=0, ddof=1) / len(trials) ** 0.5 for name, trials in self.trials.items()}

    @property
    def median(self) -> dict[str, np.ndarray]:
        """The median over the draws, `(n,)`, of each curve: the size in a typical draw."""
        return {name: np.median(trials, axis=0) for name, trials in self.trials.items()}


@public
def softmax_saturation(
    magnitudes: Any,
    *,
    n_scores: Annotated[int, partial(whole, least=2)] = 16,
    n_draws: Draws = 200,
    dim: int = 64,
    beta: float = 1.0,
    kind: str = "spectral",
    rng: Seed = None,
) -> Curves:
    """The size of the softmax's Jacobian against the magnitude of the scores, for random scores.

    A draw is one vector of n_scores numbers of the normal distribution, which each magnitude multiplies. The curves are
    "raw", "scaled" (by 1/√dim) and "normalised" (by layer normalisation).

    Parameters
    ----------
    magnitudes : (n,)
        positive: the deviation of the scores.
    n_draws : at least 1.
    beta : β.
    kind : "spectral", the largest singular value, "frobenius", or "largest", the largest derivative of a weight.
    rng : a seed or a generator.

    Raises
    ------
    InvalidInput : for numbers that are not positive, fewer than two scores.

    Notes
    -----
    The median falls like exp(−βΔ·magnitude), where Δ is the lead of the largest score. The mean falls like 1/magnitude
    only: it comes from the few draws whose two largest scores are nearly alike.
    Source: AT6, Attention and Transformers, layer normalisation; Vaswani et al. (2017), 3.2.1, for 1/√dim (their d_k is
    our dim).

    Examples
    --------
    >>> curves = softmax_saturation([1.0, 100.0], rng=0)
    >>> {name: [f"{size:.1e}" for size in sizes] for name, sizes in curves.median.items()}
    {'raw': ['2.0e-01', '3.8e-15'], 'scaled': ['7.6e-02', '2.8e-02'], 'normalised': ['2.1e-01', '2.1e-01']}
    """
    require_room(n_draws * n_scores**2, f"Jacobians of {n_draws:,} draws")
    scores = generator(rng=rng).normal(size=(n_draws, n_scores))
    return saturation_of(scores, magnitudes, dim=dim, beta=beta, kind=kind)


@public(may_be=finite)
def saturation_of(
    scores: Array, magnitudes: Array, *, dim: int = 64, beta: float = 1.0, kind: str = "spectral"
) -> Curves:
    """The size of the softmax's Jacobian for given scores `(n_draws, n)` or `(n,)`, multiplied by each magnitude.

    A row of scores is a draw, of at least two finite numbers; the rest is as in `softmax_saturation`.

    >>> curves = saturation_of([1.0, 0.0], [1.0, 10.0], kind="largest")
    >>> [f"{size:.6f}" for size in curves.median["raw"]]  # σ(m)(1 − σ(m))
    ['0.196612', '0.000045']
    """
    points, rows = in_float64(magnitudes, "magnitudes"), np.atleast_2d(in_float64(scores, "scores"))
    if points.ndim != 1 or points.size == 0 or not np.all((points > 0) & np.isfinite(points)):
        raise InvalidInput(f"magnitudes: expected a list of positive numbers, not {quoted(magnitudes)}")
    if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2 or not np.all(np.isfinite(rows)):
        raise InvalidInput(f"scores: expected rows of at least two finite numbers, not shape {rows.shape}")
    scale = whole(dim, "dim") ** -0.5
    forms: dict[str, Any] = {"raw": Identity(), "scaled": lambda s: scale * s, "normalised": LayerNorm()}
    sizes = {
        name: np.stack([size(softmax_jacobian(form(m * rows), beta=beta), kind) for m in points], axis=-1)
        for name, form in forms.items()
    }
    return Curves("magnitude", points, sizes)


@public
def vanishing_gradients(
    n_layers: int = 12,
    *,
    n_draws: int = 10,
    of: str = "words",
    dim: int = 32,
    n_words: int = 8,
    magnitude: float = 1.0,
    rng: Seed = None,
) -> Curves:
    """The norm of the gradient at each layer of random stacks, with and without norms and residuals.

    Parameters
    ----------
    of
        "words", the gradient that arrives at the input of each layer and at the output, where it is 1 (n_layers + 1
        points); or "scores", that of W_Q and W_K of each layer (n_layers points). A draw is a text, a stack, and an
        upstream gradient of norm 1; all curves have the same weights: normal numbers of variance 1/in, or 2/in before
        the ReLU of the feed-forward layer of 4·dim neurons, without biases. Heads have dim 8.
    n_draws : at least 1.
    n_words : of the text.
    dim : a multiple of 8.
    magnitude : the deviation of the entries of the text.
    rng : a seed or a generator.

    Raises
    ------
    InvalidInput : for numbers that are not positive, for another dim, and for another `of`.

    Notes
    -----
    Without residuals the words become alike; with residuals but without norms they grow until the softmax saturates.
    Either way the gradients of the scores vanish in the later layers; those of the words also pass through the values.
    Source: Xiong et al. (2020), ICML, for the norm that comes first or last; Noci et al. (2022), NeurIPS, for words
    that become alike; He et al. (2015), ICCV, for 2/in.

    Examples
    --------
    >>> curves = vanishing_gradients(8, n_draws=3, of="scores", rng=0).median
    >>> {name: bool(norms[-1] < 1e-12) for name, norms in curves.items() if "first" in name}
    {'norm first, residuals': False, 'norm first, no residuals': True}
    """
    reject_unknown("of", [of], OF)
    return stack_gradients(n_layers, n_draws=n_draws, dim=dim, n_words=n_words, magnitude=magnitude, rng=rng)[of]


@public(may_be=finite)
def stack_gradients(
    n_layers: Count = 12,
    *,
    n_draws: Draws = 10,
    dim: Count = 32,
    n_words: Count = 8,
    magnitude: Positive = 1.0,
    rng: Seed = None,
) -> dict[str, Curves]:
    """The curves of `vanishing_gradients`, "words" and "scores", of the same draws; its arguments, and what it raises.

    >>> curves = stack_gradients(2, n_draws=1, n_words=1, rng=0)  # the weight of one word is 1, whatever its score
    >>> float(curves["scores"].mean["no norm, no residuals"].max())
    0.0
    """
    if dim % DIM_KEY:
        raise InvalidInput(f"dim: expected a multiple of {DIM_KEY}, not {dim}")
    what = f"stack_gradients: {n_layers:,} layers of dim {dim:,}"
    require_room(12 * n_layers * dim**2 + n_words * dim, what)
    multiplications = 100 * n_words * dim * (dim + n_words) + 10**7  # of a layer in all variants; the least is 10 ms
    require_time(n_draws * n_layers * multiplications, f"{what}, of {n_words:,} words, drawn {n_draws:,} times,")
    random = generator(rng=rng)
    trials: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in VARIANTS}
    for _ in range(n_draws):
        x, upstream = magnitude * random.normal(size=(n_words, dim)), random.normal(size=(n_words, dim))
        upstream /= np.linalg.norm(upstream)
        parts = []
        for _ in range(n_layers):
            heads = MultiHead(random_heads(random, dim, dim // DIM_KEY), random_matrix(random, dim, dim))
            parts.append((heads, random_layer(random, dim)))
        for name, (norm, residual) in VARIANTS.items():
            norms = [Identity() if norm == "no norm" else LayerNorm()] * 2
            stack = [Block(*part, norms=norms, norm_first=norm == "norm first", residual=residual) for part in parts]
            flow = gradient_flow(stack, x, upstream)
            trials[name].append((flow.norms, flow.score_norms))
    curves = [{name: np.stack([draw[i] for draw in draws]) for name, draws in trials.items()} for i in range(2)]
    layers = np.arange(n_layers + 1.0)
    return {"words": Curves("layer", layers, curves[0]), "scores": Curves("layer", layers[:-1], curves[1])}


def random_matrix(rng: np.random.Generator, rows: int, columns: int, gain: float = 1.0) -> np.ndarray:
    """Normal numbers of variance gain/columns; with gain 1, the size of what the matrix reads is kept."""
    return np.asarray((gain / columns) ** 0.5 * rng.normal(size=(rows, columns)))


def random_heads(rng: np.random.Generator, dim: int, n_heads: int) -> list[Head]:
    """Heads of dim / n_heads each without masks and biases, of β = 1/√(dim of a head)."""
    dim_head = dim // n_heads
    roles = [[random_matrix(rng, dim_head, dim) for _ in range(3)] for _ in range(n_heads)]
    return [Head(*maps, beta=dim_head**-0.5) for maps in roles]


def random_layer(rng: np.random.Generator, dim: int) -> FeedForward:
    """A feed-forward layer of 4·dim neurons without biases, of variance 2/in before the ReLU."""
    return FeedForward(random_matrix(rng, 4 * dim, dim, 2.0), random_matrix(rng, dim, 4 * dim))
