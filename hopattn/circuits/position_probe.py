"""Positions read out of models without position codes, by a linear probe after each layer.

Under a causal mask the t-th word averages t words. The words' own parts cancel in that average, and what all words have
in common stays. The normalisation gives all vectors one size, so the mean vector of a later position is longer. The
probe of least logistic loss reads such means alone: where they are equal for all positions, the gradient of the loss
at W = 0 is 0, so that its best weights are 0. Another linear rule may then still find some positions, by their spread.
Without a mask, the words of a text are exchangeable, and no probe at all does better than chance.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hopattn.circuits.linear_probe import fit_probe
from hopattn.foundation.arrays import as_float, as_numpy, require_finite, widened
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.objects import entries_of, function
from hopattn.foundation.room import require_room, require_time
from hopattn.foundation.scalars import real, whole
from hopattn.foundation.seeds import Seed, generator
from hopattn.foundation.threads import single_threaded
from hopattn.foundation.traces import constant
from hopattn.transformer.blocks import Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.heads import Head, MultiHead
from hopattn.transformer.normalisation import LayerNorm


@dataclass(frozen=True, eq=False)
class PositionProbe:
    """How well positions are read before the first layer and after each layer, in texts that no probe was fitted to.

    Every array has a row for each place, `(n_layers + 1, …)`.

    accuracy: the part of the words whose position is found. distance: the mean absolute difference of the position that
    is read from the right one. line: the accuracy of a probe that reads one number of each vector, its component along
    the line on which the mean vectors of the positions lie; this is their first principal axis in the training texts.
    rest: the accuracy of a probe of the vectors without that component. component: the mean component at each position,
    `(…, n_positions)`, 0 on average; the line points to the last position of the training texts. mean_length: the
    length of the mean vector of each position, `(…, n_positions)`. n_texts: the number of held-out texts.
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
        """The expected accuracy where nothing in the vectors depends on the position: 1 / n_positions.

        The words of a text are then exchangeable: whatever a probe answers for each, the right positions are a random
        permutation, so that one answer is right on average.
        """
        return 1 / int(self.component.shape[1])

    @property
    def standard_error(self) -> float:
        """The largest standard deviation of the accuracy at chance: 1 / (n_positions √n_texts).

        With c_j words read as position j, the number of right answers under a random permutation has the variance
        (n − Σ c_j²/n) / (n − 1), which is at most 1 (Hoeffding's combinatorial variance).
        """
        return self.chance / math.sqrt(self.n_texts)


def position_probe(layers: Iterable[Any], texts: Any, *, mask: Any = "causal", penalty: float = 1e-2) -> PositionProbe:
    """Read the positions of words by a linear probe before the first layer and after each layer.

    layers: blocks or attention layers without positions, called one after the other with `mask`; their weights stay as
    they are. texts: word vectors, `(n_texts, n_positions, dim)`, of the layers' library; the probes are fitted to the
    first half of the texts, and tested on the second. mask: the mask of every layer, joined with those of its heads.
    penalty: λ of the probes, on vectors of variance 1 in each element. Raises `InvalidInput` for texts of another
    shape, fewer than 2 words or 4 texts, texts that are not finite, and layers that are no list of them.
    Source: Haviv et al. (2022), Findings of EMNLP (probes by layer, mean absolute distance); they probe trained models.

    >>> import hopattn as ha
    >>> blocks, texts = ha.random_blocks(1, 8, 2, seed=0), ha.random_texts(40, 4, 100, 8, seed=1)
    >>> ha.position_probe(blocks, texts).chance
    0.25
    """
    state = as_float(texts, "texts")
    read = _checked_texts(state)
    given = [function(layer, f"layers: entry {i}") for i, layer in enumerate(entries_of(layers, "layers"))]
    half = len(read) // 2
    with single_threaded():
        found = [_read(read, half, penalty)]
        for layer in given:
            state = layer(state, mask=mask)
            found.append(_read(_as_read(state), half, penalty))
    names = (field.name for field in fields(PositionProbe))
    by_place: dict[str, Any] = {name: np.array(row) for name, row in zip(names, zip(*found, strict=True), strict=False)}
    return PositionProbe(**by_place, n_texts=len(read) - half)


def _checked_texts(texts: Any) -> np.ndarray:
    """Finite texts, `(n_texts, n_positions, dim)`, half precision in single precision; else raises `InvalidInput`."""
    state = _as_read(texts)
    if state.ndim != 3 or state.shape[0] < 4 or state.shape[1] < 2 or not state.size:
        raise InvalidInput(f"texts: expected at least 4 of at least 2 words, (n, words, dim), not shape {state.shape}")
    require_finite(state, "texts")
    return state


def _as_read(state: Any) -> np.ndarray:
    """A state of any library as a constant of NumPy, half precision in single precision."""
    return np.asarray(widened(as_numpy(constant(state), "texts")))


def _read(state: np.ndarray, half: int, penalty: float) -> tuple[Any, ...]:
    """The fields of a `PositionProbe` for one place, without `n_texts`; half: the number of training texts."""
    means, held_out = state[:half].mean(axis=0), state[half:].mean(axis=0)
    axis = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)[2][0]
    line = axis if (means[-1] - means.mean(axis=0)) @ axis >= 0 else -axis
    along = (state @ line)[..., None]
    read, by_line, by_rest = (
        _positions(part[:half], part[half:], penalty) for part in (state, along, state - along * line)
    )
    right = np.arange(state.shape[1])
    component = (held_out - held_out.mean(axis=0)) @ line
    accuracies = [float(np.mean(answers == right)) for answers in (read, by_line, by_rest)]
    distance = float(np.mean(np.abs(read - right)))
    return accuracies[0], distance, *accuracies[1:], component, np.linalg.norm(held_out, axis=1)


def _positions(train: np.ndarray, test: np.ndarray, penalty: float) -> np.ndarray:
    """The positions that a probe reads, `(n_test, n)`, fitted to the training texts."""
    n_texts, n, dim = train.shape
    probe = fit_probe(train.reshape(-1, dim), np.tile(np.arange(n), n_texts), n, penalty)
    return probe.classes(test)


def random_blocks(
    n_layers: int, dim: int, n_heads: int, *, norm_first: bool = False, seed: Seed = None, rng: Seed = None
) -> Sequence[Block]:
    """Blocks of a transformer with random weights, without positions and without masks.

    n_heads: heads of dim / n_heads each, whose matrices are of the normal distribution with variance 1/in, with
    β = 1/√(dim of a head). The feed-forward layers have 4·dim neurons, variance 2/in before the ReLU, and no biases.
    Raises `InvalidInput` for numbers that are not positive, and for a dim that is not a multiple of n_heads.
    """
    n_layers, dim, n_heads = whole(n_layers, "n_layers"), whole(dim, "dim"), whole(n_heads, "n_heads")
    if dim % n_heads:
        raise InvalidInput(f"dim: {dim} is not a multiple of {n_heads} heads")
    draw, own = generator(seed, rng), dim // n_heads
    require_room(12 * n_layers * dim**2, f"random_blocks: {n_layers:,} layers of dim {dim:,}")

    def matrix(rows: int, columns: int, gain: float = 1.0) -> np.ndarray:
        return np.asarray((gain / columns) ** 0.5 * draw.standard_normal((rows, columns)))

    blocks = []
    for _ in range(n_layers):
        roles = [[matrix(own, dim) for _ in range(3)] for _ in range(n_heads)]
        heads = [Head(*maps, beta=own**-0.5, mask="none") for maps in roles]
        feed_forward = FeedForward(matrix(4 * dim, dim, 2.0), matrix(dim, 4 * dim))
        blocks.append(Block(MultiHead(heads, matrix(dim, dim)), feed_forward, [LayerNorm()] * 2, norm_first))
    return blocks


def random_texts(
    n_texts: int, length: int, n_words: int, dim: int, *, common: float = 1.0, seed: Seed = None, rng: Seed = None
) -> np.ndarray:
    """Texts of random words, `(n_texts, length, dim)`: each word is drawn anew, so that none tells its position.

    n_words: the number of different words; the vector of each is of the normal distribution. common: the size of one
    further vector of that sort, which all words share; 0 for none. Raises `InvalidInput` for numbers that are not
    positive, and for a size below 0.
    """
    draw = generator(seed, rng)
    shape, size = (whole(n_words, "n_words"), whole(dim, "dim")), (whole(n_texts, "n_texts"), whole(length, "length"))
    require_room((shape[0] + size[0] * size[1]) * shape[1], f"random_texts: {size[0]:,} texts of {size[1]:,} words")
    require_time(100 * (math.prod(shape) + math.prod(size) * shape[1]), f"random_texts: {size[0]:,} texts")
    words = draw.standard_normal(shape) + real(common, "common", least=0.0) * draw.standard_normal(shape[1])
    require_finite(words, "common")
    return np.asarray(words[draw.integers(shape[0], size=size)])
