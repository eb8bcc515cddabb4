"""Depth: the gradients at each layer of random stacks, with and without norms and residuals."""

import numpy as np

from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.in_range import in_range
from hopattn.foundation.room import require_room, require_time
from hopattn.foundation.scalars import REPEATED, positive, whole
from hopattn.foundation.seeds import Seed, generator
from hopattn.retrieval.activation import Identity
from hopattn.transformer.blocks import Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.gradients.curves import Curves
from hopattn.transformer.gradients.stack import gradient_flow
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import Normalisation

VARIANTS = {
    f"{norm}, {'residuals' if residual else 'no residuals'}": (norm, residual)
    for residual in (True, False)
    for norm in ("norm first", "norm last", "no norm")
}
"""The stacks that are compared: (norm, residual) by the name of their curve."""


OF = ("words", "scores")
DIM_KEY = 8
"""The dim of the queries of each head; there are as many heads as fit."""


def vanishing_gradients(
    n_layers: int = 12,
    n_draws: int = 10,
    *,
    of: str = "words",
    dim: int = 32,
    n_words: int = 8,
    magnitude: float = 1.0,
    seed: Seed = None,
    rng: Seed = None,
) -> Curves:
    """The norm of the gradient at each layer of random stacks, with and without norms and residuals.

    of: "words", the gradient that arrives at the input of each layer and at the output, where it is 1 (n_layers + 1
    points); or "scores", that of W_Q and W_K of each layer (n_layers points). A draw is a text, a stack, and an
    upstream gradient of norm 1; all curves have the same weights. These are of the normal distribution with variance
    1/in, or 2/in before the ReLU of the feed-forward layer of 4·dim neurons; there are no biases. Heads have dim 8.
    dim: a multiple of 8. magnitude: the deviation of the entries of the text. seed, rng: a whole number or a generator.
    Raises `InvalidInput` for numbers that are not positive, for another dim, and for another `of`.

    Without residuals the words become alike, and with residuals but without norms they grow until the softmax
    saturates: either way the gradients of the scores vanish in the later layers, down to rounding (1e-31) or to 0.
    Those of the words do not, because they also pass through the values.
    Source: Xiong et al. (2020), ICML, for the norm that comes first or last; Noci et al. (2022), NeurIPS, for words
    that become alike; He et al. (2015), ICCV, for 2/in.

    >>> found = vanishing_gradients(8, 3, of="scores", seed=0).median
    >>> {name: bool(norms[-1] < 1e-12) for name, norms in found.items() if "first" in name}
    {'norm first, residuals': False, 'norm first, no residuals': True}
    """
    reject_unknown("of", [of], OF)
    found = stack_gradients(n_layers, n_draws, dim=dim, n_words=n_words, magnitude=magnitude, seed=seed, rng=rng)
    return found[of]


@in_range
def stack_gradients(
    n_layers: int = 12,
    n_draws: int = 10,
    *,
    dim: int = 32,
    n_words: int = 8,
    magnitude: float = 1.0,
    seed: Seed = None,
    rng: Seed = None,
) -> dict[str, Curves]:
    """The curves of `vanishing_gradients`, "words" and "scores", of the same draws; its arguments, and what it raises.

    >>> found = stack_gradients(2, 1, n_words=1, seed=0)  # the weight of one word is 1, whatever its score
    >>> float(found["scores"].mean["no norm, no residuals"].max())
    0.0
    """
    depth, words = whole(n_layers, "n_layers"), whole(n_words, "n_words")
    draws = whole(n_draws, "n_draws", most=REPEATED)
    if whole(dim, "dim") % DIM_KEY:
        raise InvalidInput(f"dim: expected a multiple of {DIM_KEY}, not {dim}")
    told = f"stack_gradients: {depth:,} layers of dim {dim:,}"
    require_room(12 * depth * dim**2 + words * dim, told)
    multiplications = 100 * words * dim * (dim + words) + 10**7  # of a layer in all variants; the least is 10 ms
    require_time(draws * depth * multiplications, f"{told}, of {words:,} words, drawn {draws:,} times,")
    size, random = positive(magnitude, "magnitude"), generator(seed, rng)
    trials: dict[str, dict[str, list[np.ndarray]]] = {of: {name: [] for name in VARIANTS} for of in OF}
    for _ in range(draws):
        x, upstream = size * random.normal(size=(words, dim)), random.normal(size=(words, dim))
        upstream /= np.linalg.norm(upstream)
        parts = [_parts(random, dim) for _ in range(depth)]
        for name, (norm, residual) in VARIANTS.items():
            norms = [Identity() if norm == "no norm" else Normalisation()] * 2
            stack = [Block(*own, norms, norm == "norm first", residual=residual) for own in parts]
            flow = gradient_flow(stack, x, upstream)
            trials["words"][name].append(flow.norms)
            trials["scores"][name].append(flow.score_norms)
    points = {of: np.arange(depth + (of == "words"), dtype=np.float64) for of in OF}
    drawn = {of: {name: np.stack(rows) for name, rows in own.items()} for of, own in trials.items()}
    return {of: Curves("layer", points[of], drawn[of]) for of in OF}


def _parts(rng: np.random.Generator, dim: int) -> tuple[MultiHead, FeedForward]:
    """Random heads, which keep the size of what they read, and a random feed-forward layer."""

    def matrix(rows: int, columns: int, gain: float = 1.0) -> np.ndarray:
        return np.asarray((gain / columns) ** 0.5 * rng.normal(size=(rows, columns)))

    roles = [[matrix(DIM_KEY, dim) for _ in range(3)] for _ in range(dim // DIM_KEY)]
    heads = [Head(*maps, beta=DIM_KEY**-0.5, mask="none") for maps in roles]
    return MultiHead(heads, matrix(dim, dim)), FeedForward(matrix(4 * dim, dim, 2.0), matrix(dim, 4 * dim))
