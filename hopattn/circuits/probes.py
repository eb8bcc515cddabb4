"""Positions read out of models without position codes, by a linear probe after each layer.

    scores s = W x + b          loss = mean over the vectors of Ψ(s) − s_y, + λ/2 |W|²

Ψ is the log of the sum of exponentials, whose gradient is the softmax, and y the right class. The loss is convex.

Under a causal mask the t-th word averages t words. The words' own parts cancel in that average, and what all words have
in common stays, so after the normalisation the mean vector of a later position is longer. The probe reads such means
alone: where they are equal for all positions, its best weights are 0. Without a mask, the words of a text are
exchangeable, and no probe does better than chance.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Mask, as_float, as_numpy, require_finite, widened
from hopattn.foundation.boundary import Count, Positive, public
from hopattn.foundation.checks import Seed, entries_of, function, generator, real, require_room, require_time
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.threads import hold_new_blas, single_threaded
from hopattn.foundation.traces import detached
from hopattn.gradients.curves import random_heads, random_layer, random_matrix
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.transformer.blocks import Block
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import LayerNorm

STEPS_OF_FIT = 1000
"""The largest number of steps of a fit."""


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """A linear classifier. weight: W, `(n_classes, dim)`. bias: b, `(n_classes,)`."""

    weight: np.ndarray
    bias: np.ndarray

    def scores(self, vectors: np.ndarray) -> np.ndarray:
        """W x + b of each vector, `(…, dim)` to `(…, n_classes)`."""
        return np.asarray(vectors @ self.weight.T + self.bias)

    def classes(self, vectors: np.ndarray) -> np.ndarray:
        """The class with the largest score, `(…,)`; of equal scores the first."""
        return np.asarray(np.argmax(self.scores(vectors), axis=-1))


def logistic_loss(
    parameters: np.ndarray, vectors: np.ndarray, classes: np.ndarray, n_classes: int, penalty: float
) -> tuple[float, np.ndarray]:
    """The loss, and its gradient by the parameters: the mean of (p − e_y) xᵀ, + λ W, for the weights p of the softmax.

    parameters: W and then b, flat, `(n_classes · (dim + 1),)`. The rest is as in `fit_probe`.
    """
    weight, bias = np.split(parameters, [n_classes * vectors.shape[1]])
    weight = weight.reshape(n_classes, -1)
    scores, rows, separation = vectors @ weight.T + bias, np.arange(len(vectors)), Softmax()
    loss = np.mean(separation.potential(scores) - scores[rows, classes]) + penalty / 2 * np.sum(weight**2)
    errors = separation.weights(scores)
    errors[rows, classes] -= 1
    errors /= len(vectors)
    gradient = np.concatenate([(errors.T @ vectors + penalty * weight).ravel(), errors.sum(axis=0)])
    return float(loss), gradient


def fit_probe(vectors: np.ndarray, classes: np.ndarray, n_classes: int, penalty: float = 1e-3) -> LinearProbe:
    """The linear probe of least loss, found by L-BFGS from zeros.

    vectors: `(n, dim)`. classes: from 0 to n_classes − 1, `(n,)`. penalty: λ, above 0; it weighs the entries of W for
    vectors that are scaled to a mean of 0 and a variance of 1 in each element.
    """
    from scipy.optimize import minimize  # slow to import, and it brings a BLAS of its own

    hold_new_blas()
    size = np.ldexp(1.0, np.frexp(np.abs(vectors).max(axis=0))[1])  # a power of two, which rounds nothing
    vectors = vectors / size
    mean, deviation = vectors.mean(axis=0), vectors.std(axis=0)
    deviation = np.where(deviation > 1e-12 * np.abs(mean), deviation, 1.0)
    arguments = ((vectors - mean) / deviation, classes, n_classes, penalty)
    start = np.zeros(n_classes * (vectors.shape[1] + 1))
    solution = minimize(logistic_loss, start, arguments, "L-BFGS-B", jac=True, options={"maxiter": STEPS_OF_FIT})
    weight, bias = np.split(solution.x, [n_classes * vectors.shape[1]])
    weight = weight.reshape(n_classes, -1) / deviation
    return LinearProbe(weight / size, bias - weight @ mean)


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionProbe(PublicObject):
    """How well positions are read before the first layer and after each layer, in texts that no probe was fitted to.

    Every array has a row for each place, `(n_layers + 1, …)`.

    Attributes
    ----------
    accuracy : the part of the words whose position is read rightly.
    distance : the mean absolute difference between the position that is read and the right one.
    line
        the accuracy of a probe that reads the component of each vector along the first principal axis of the positions'
        mean vectors in the training texts.
    rest : the accuracy of a probe of the vectors without that component.
    component
        the mean component at each position, `(…, n_positions)`, 0 on average, and above 0 at the last position of the
        training texts.
    mean_length : the length of the mean vector of each position, `(…, n_positions)`.
    n_texts : the number of held-out texts.
    """

    accuracy: np.ndarray
    distance: np.ndarray
    line: np.ndarray
    rest: np.ndarray
    component: np.ndarray
    mean_length: np.ndarray
    n_texts: int

    @property
    def chance(self) -> float:
        """The expected accuracy where the words of a text are exchangeable: 1 / n_positions."""
        return 1 / int(self.component.shape[1])

    @property
    def standard_error(self) -> float:
        """The largest standard deviation of the accuracy at chance: 1 / (n_positions √n_texts).

        With c_j words read as position j, the right answers under a random permutation have the variance
        (n − Σ c_j²/n) / (n − 1) ≤ 1 (Hoeffding's combinatorial variance).
        """
        return self.chance / math.sqrt(self.n_texts)


@public
def position_probe(layers: Iterable[Any], texts: Any, *, mask: Mask = None, penalty: Positive = 1e-2) -> PositionProbe:
    """Read the positions of words by a linear probe before the first layer and after each layer.

    Parameters
    ----------
    layers : blocks or attention layers without positions, called one after the other with `mask`.
    texts
        word vectors, `(n_texts, n_positions, dim)`, of the layers' library; the probes are fitted to the first half of
        the texts, and tested on the second.
    penalty : λ of the probes, on vectors of variance 1 in each element.

    Raises
    ------
    InvalidInput
        for texts of another shape, fewer than 2 words or 4 texts, texts that are not finite, and other layers.

    Notes
    -----
    Source: Haviv et al. (2022), Findings of EMNLP (probes by layer, mean absolute distance); they probe trained models.

    Examples
    --------
    >>> import hopattn as ha
    >>> blocks = ha.circuits.random_blocks(1, 8, 2, rng=0)
    >>> texts = ha.circuits.random_texts(40, 4, n_words=100, dim=8, rng=1)
    >>> ha.circuits.position_probe(blocks, texts, mask="causal").chance
    0.25
    """
    state = as_float(texts, "texts")
    vectors = _as_read(state)
    if vectors.ndim != 3 or vectors.shape[0] < 4 or vectors.shape[1] < 2 or not vectors.size:
        raise InvalidInput(
            f"texts: got shape {vectors.shape}; expected (n, words, dim), at least 4 texts of at least 2 words"
        )
    require_finite(vectors, "texts")
    steps = [function(layer, f"layers: entry {i}") for i, layer in enumerate(entries_of(layers, "layers"))]
    half = len(vectors) // 2
    with single_threaded():
        rows = [_read(vectors, half, penalty)]
        for layer in steps:
            state = layer(state, mask=mask)
            rows.append(_read(_as_read(state), half, penalty))
    by_place: dict[str, Any] = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return PositionProbe(**by_place, n_texts=len(vectors) - half)


def _as_read(state: Any) -> np.ndarray:
    """A state of any library as a constant of NumPy, half precision in single precision."""
    return np.asarray(widened(as_numpy(detached(state), "texts")))


def _read(state: np.ndarray, half: int, penalty: float) -> dict[str, Any]:
    """The fields of a `PositionProbe` for one place, without `n_texts`; half: of training texts."""
    means, test_means = state[:half].mean(axis=0), state[half:].mean(axis=0)
    axis = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2][0]
    line = axis if (means[-1] - means.mean(axis=0)) @ axis >= 0 else -axis
    along, right = (state @ line)[..., None], np.arange(state.shape[1])
    answers = []
    for vectors in (state, along, state - along * line):
        probe = fit_probe(vectors[:half].reshape(-1, vectors.shape[-1]), np.tile(right, half), len(right), penalty)
        answers.append(probe.classes(vectors[half:]))
    accuracy, by_line, by_rest = (float(np.mean(classes == right)) for classes in answers)
    distance = float(np.mean(np.abs(answers[0] - right)))
    return {
        "accuracy": accuracy,
        "distance": distance,
        "line": by_line,
        "rest": by_rest,
        "component": (test_means - test_means.mean(axis=0)) @ line,
        "mean_length": np.linalg.norm(test_means, axis=1),
    }


@public
def random_blocks(
    n_layers: Count, dim: Count, n_heads: Count, *, norm_first: bool = False, rng: Seed = None
) -> Sequence[Block]:
    """Blocks of a transformer with random weights, without positions and without masks.

    The matrices are of the normal distribution, with variance 1/in, or 2/in before the ReLU of the feed-forward layers
    of 4·dim neurons; without biases.

    Parameters
    ----------
    n_layers : their number.
    norm_first : as in `Block`.
    n_heads : of dim / n_heads each, with β = 1/√(dim of a head).
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : for numbers that are not positive, and for a dim that is not a multiple of n_heads.
    """
    if dim % n_heads:
        raise InvalidInput(f"n_heads: {n_heads} heads do not divide the dim {dim}")
    draw = generator(rng=rng)
    require_room(12 * n_layers * dim**2, f"random_blocks: {n_layers:,} layers of dim {dim:,}")
    blocks = []
    for _ in range(n_layers):
        heads, layer = random_heads(draw, dim, n_heads), random_layer(draw, dim)
        blocks.append(
            Block(
                MultiHead(heads, random_matrix(draw, dim, dim)), layer, norms=[LayerNorm()] * 2, norm_first=norm_first
            )
        )
    return blocks


@public
def random_texts(
    n_texts: Count,
    length: Count,
    *,
    n_words: Count,
    dim: Count,
    common: Annotated[float, partial(real, least=0.0, most=1e100)] = 1.0,
    rng: Seed = None,
) -> np.ndarray:
    """Texts of random words, `(n_texts, length, dim)`: each word is drawn anew, so that none shows its position.

    Parameters
    ----------
    n_words : of different words, each a vector of the normal distribution.
    common : the size of one further vector of that sort, which all words share.
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : for numbers that are not positive, and for a size below 0.
    """
    draw, total = generator(rng=rng), n_words + n_texts * length
    require_room(total * dim, f"random_texts: {n_texts:,} texts of {length:,} words")
    require_time(100 * total * dim, f"random_texts: {n_texts:,} texts")
    words = draw.standard_normal((n_words, dim)) + common * draw.standard_normal(dim)
    require_finite(words, "common")
    return np.asarray(words[draw.integers(n_words, size=(n_texts, length))])
