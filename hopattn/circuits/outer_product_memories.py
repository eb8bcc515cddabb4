"""The induction head of associative memories: three sums of outer products over random vectors, without training.

    W_K1 = Σ_t p_{t+1} p_tᵀ                   layer 1: position t + 1 finds the word before
    W_K2 = Σ_k w_E(k) (W_O1 W_V1 w_E(k))ᵀ     layer 2: a word finds the words after its earlier copies
    W_O2 = Σ_k w_U(k) (W_V2 w_E(k))ᵀ          what it finds there raises the logit of that same word

Word vectors w_E, w_U, positions p and the matrices W_O1, W_V1, W_V2 are random; W_Q is the identity; every matrix is
(out, in). Source: Bietti et al. (2023), NeurIPS, Birth of a Transformer: A Memory Viewpoint, section 4.2.

The capacity of one such memory is the number of random keys that the matrix leads to their values:

    W = Σ_k v_k u_kᵀ          s_ji = v_j·W u_i = Σ_k (v_j·v_k)(u_k·u_i)        key i is recalled if s_ii is the largest
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from hopattn.circuits.attention_only import AttentionOnly
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, plain_array
from hopattn.foundation.boundary import Count, Positive, public
from hopattn.foundation.checks import Seed, generator, instance, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import normalised
from hopattn.gradients.curves import Curves, Draws
from hopattn.transformer.blocks import AttentionLayer
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead

PROBES = {
    "previous word": "fraction of positions that W_K1 leads to the next one",
    "same word": "fraction of words that W_K2 leads back to from their copy in layer 1",
    "output": "fraction of words that W_O2 leads to their own logit",
}
"""The recall probes of the three memories, each with its meaning."""
BATCH = 16
"""The number of texts that go through the layers together."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
"""Points and weights for means over a normal distribution; the weights sum to √(2π)."""

TwoOrMore = Annotated[int, partial(whole, least=2)]


@dataclass(frozen=True, eq=False, kw_only=True)
class TriggerTexts(PublicObject):
    """Random texts of word numbers, and the places at which the next word can be known from the text.

    Attributes
    ----------
    words : (n_texts, length)
    asked : (n_texts, length)
        True at a trigger that has stood in this text before with its follower; the next word is then the answer.
    """

    words: np.ndarray
    asked: np.ndarray


@public
def trigger_texts(
    n_texts: Count, *, length: TwoOrMore = 256, n_words: TwoOrMore = 65, n_triggers: int = 5, rng: Seed = None
) -> TriggerTexts:
    """Random texts; in each, every trigger is always followed by the same word, which this text alone decides.

    Each text draws n_triggers different words, and a follower for each from the other words; every word that does not
    follow a trigger is drawn from all words alike.

    Parameters
    ----------
    n_texts : their number.
    length : of each, in words.
    n_triggers : below n_words.
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : for other numbers, and where no trigger comes twice.

    Notes
    -----
    Source: after Bietti et al. (2023), section 3, where the other words follow a bigram model of a language.

    Examples
    --------
    >>> texts = trigger_texts(1, length=12, n_words=4, n_triggers=1, rng=0)
    >>> texts.words[0].tolist(), texts.asked[0].nonzero()[0].tolist()
    ([0, 0, 0, 0, 3, 2, 0, 2, 0, 3, 2, 0], [7, 10])
    """
    if isinstance(n_triggers, int) and n_triggers >= n_words:
        raise InvalidInput(f"n_triggers: {n_triggers} of {n_words} words leave none for a follower; expected fewer")
    triggers, random = whole(n_triggers, "n_triggers", most=n_words - 1), generator(rng=rng)
    require_room(2 * n_texts * length + 2 * n_words, f"trigger_texts: {n_texts:,} texts of {length:,} words")
    texts, repeats = np.empty((n_texts, length), dtype=int), np.zeros((n_texts, length), dtype=bool)
    for text, places in zip(texts, repeats, strict=True):
        order = random.permutation(n_words)
        words = random.choice(order[triggers:], triggers)
        followers = dict(zip(order[:triggers].tolist(), words.tolist(), strict=True))
        text[:] = random.integers(n_words, size=length)
        past_triggers: set[int] = set()
        for i in range(length - 1):
            word = int(text[i])
            if word in followers:
                text[i + 1] = followers[word]
                places[i] = word in past_triggers
                past_triggers.add(word)
    if not repeats.any():
        raise InvalidInput(f"length: no trigger comes twice in {length} words; expected longer texts, or more triggers")
    return TriggerTexts(words=texts, asked=repeats)


class MemoryCircuit(AttentionOnly):
    """Two layers of one head each, whose matrices are sums of outer products. Made by `memory_circuit`."""

    def accuracy(self, texts: TriggerTexts) -> float:
        """The share of answers that are right: the word with the largest logit is the one that follows the trigger."""
        instance(texts, TriggerTexts, "texts", "texts from hopattn.circuits.trigger_texts")
        right = 0
        for start in range(0, len(texts.words), BATCH):
            words, repeats = texts.words[start : start + BATCH], texts.asked[start : start + BATCH, :-1]
            answers = self(words).argmax(axis=-1)[:, :-1]
            right += int(np.sum(answers[repeats] == words[:, 1:][repeats]))
        return right / int(texts.asked.sum())

    @property
    def probes(self) -> dict[str, float]:
        """The share of keys that each memory, asked alone, leads to the right value, by `PROBES`."""
        first, second = (layer.attention for layer in self.layers)
        positions = np.asarray(self.positions)
        copies = self.embed @ first.heads[0].w_value.T @ first.w_out.T
        value = self.embed @ second.heads[0].w_value.T
        return {
            "previous word": _recalled(first.heads[0].w_key, positions[:-1], positions, shift=1),
            "same word": _recalled(second.heads[0].w_key, copies, self.embed),
            "output": _recalled(second.w_out, value, self.unembed),
        }


@public
def memory_circuit(
    width: Count, *, n_words: TwoOrMore = 65, length: TwoOrMore = 256, beta: Positive = 20.0, rng: Seed = None
) -> MemoryCircuit:
    """An induction head whose three learned matrices are replaced by what they would have to store.

    Parameters
    ----------
    width : the dim of the words.
    n_words, length : the numbers of words and of positions, at least 2 each.
    beta : of both layers.
    rng : a whole number or a generator; without it every call draws others.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    Word vectors and positions are random unit vectors; the random matrices have variance 1 / width. Source: Bietti et
    al. (2023), section 4.2 (their d, N, T are our width, n_words, length).

    Examples
    --------
    >>> circuit = memory_circuit(256, n_words=20, length=32, rng=0)
    >>> circuit.probes
    {'previous word': 1.0, 'same word': 1.0, 'output': 1.0}
    """
    d, random, sizes = width, generator(rng=rng), (n_words, n_words, length)
    what = f"memory_circuit: matrices of width {d:,} for {n_words:,} words and {length:,} positions"
    require_room(d * (4 * d + sum(sizes)), what)
    embed, unembed, positions = (np.asarray(normalised(random.standard_normal((n, d)))) for n in sizes)
    w_out, w_value, later_value = random.standard_normal((3, d, d)) / d**0.5
    w_key = positions[1:].T @ positions[:-1]
    later_key = embed.T @ (embed @ w_value.T @ w_out.T)
    later_out = unembed.T @ (embed @ later_value.T)
    matrices = (w_key, w_value, w_out), (later_key, later_value, later_out)
    heads = (MultiHead([Head(np.eye(d), key, value, beta=beta, mask="causal")], out) for key, value, out in matrices)
    return MemoryCircuit(embed=embed, positions=positions, layers=tuple(map(AttentionLayer, heads)), unembed=unembed)


@public
def memory_curves(
    widths: Array,
    *,
    n_draws: Draws = 1,
    n_words: int = 65,
    length: int = 256,
    n_triggers: int = 5,
    n_texts: int = 4,
    beta: float = 20.0,
    rng: Seed = None,
) -> Curves:
    """The in-context accuracy of memory circuits and their probes against their width.

    A draw is a circuit for each width, and texts that all widths read. The curves are "accuracy" and the names of
    `PROBES`.

    Parameters
    ----------
    widths : whole numbers.
    n_draws : at least 1.
    n_texts : of each draw.

    Notes
    -----
    Further arguments, and what is raised: as for `memory_circuit` and `trigger_texts`.

    Examples
    --------
    >>> curves = memory_curves([32, 256], n_words=20, length=64, rng=0).mean
    >>> bool(curves["accuracy"][0] < 0.5 < curves["accuracy"][1])
    True
    """
    dims = [whole(width, "widths") for width in np.atleast_1d(plain_array(widths, "widths")).tolist()]
    random, rows = generator(rng=rng), []
    for _ in range(n_draws):
        texts = trigger_texts(n_texts, length=length, n_words=n_words, n_triggers=n_triggers, rng=random)
        circuits = [memory_circuit(d, n_words=n_words, length=length, beta=beta, rng=random) for d in dims]
        rows.append([{"accuracy": circuit.accuracy(texts), **circuit.probes} for circuit in circuits])
    curves = {name: np.array([[shares[name] for shares in row] for row in rows]) for name in ("accuracy", *PROBES)}
    return Curves("width", np.array(dims, dtype=np.float64), curves)


def _recalled(memory: np.ndarray, keys: np.ndarray, values: np.ndarray, shift: int = 0) -> float:
    """The share of keys whose image is most similar to its own value, that of row i + shift."""
    rows = np.argmax(keys @ memory.T @ values.T, axis=-1)
    return float(np.mean(rows == np.arange(len(keys)) + shift))


@public
def recall_width(n_keys: TwoOrMore, *, spread: Positive = 1.0) -> float:
    """√(8 n ln n): the width from which a memory of outer products loses about one of n random keys, or less.

    For unit vectors of dim d, s_ii − s_ji is 1 plus a sum of about 2n terms of variance 1/d², so that s_ji is the
    larger one with a probability of at most exp(−d²/4n). There are n² such pairs; n² exp(−d²/4n) = 1 is d² = 8 n ln n.

    Parameters
    ----------
    n_keys : n.
    spread
        d times the variance of the product u_i·u_j of two keys, by which the noise grows: √(8 spread n ln n). It is 1
        for random directions, and 2 for those that a matrix with entries of variance 1/d has mapped.

    Raises
    ------
    InvalidInput : for fewer than two keys and a spread that is not positive.

    Notes
    -----
    The derivation is ours, after McEliece et al. (1987), IEEE Transactions on Information Theory 33, 461, on patterns
    of a Hopfield network.

    Examples
    --------
    >>> round(recall_width(65))
    47
    """
    return math.sqrt(8 * spread * n_keys * math.log(n_keys))


@public
def outer_product_recall(n_keys: TwoOrMore, width: Count, *, spread: Positive = 1.0) -> float:
    """The share of n random keys that a memory of outer products recalls, on average, from 0 to 1.

        E_z [E_a Φ(c (1 + σz) / √(σ² + κc²/d))]^(n−1)          c² = (1 − a)/(1 + a),     σ² = κ (n − 2)/d²

    Keys and values are independent random vectors of dim d = width. Alone, the pair of keys i and j adds (1 − a)(1 − b)
    to s_ii − s_ji, with a = v_i·v_j and b = u_i·u_j, of variance 1/d and κ/d. All others add the noise σz to s_ii, and
    a noise of correlation a with it to s_ji. z, a and b are taken as normal, and the rivals j as independent: a share
    above 1/4 is right to .06, and one above .95 to .02. The shares of two keys and of width 1 are exact; a tie is not a
    recall.

    Parameters
    ----------
    n_keys : n.
    spread : κ, as for `recall_width`.

    Raises
    ------
    InvalidInput : for fewer than two keys, a width below 1, and a spread that is not positive.

    Examples
    --------
    >>> round(outer_product_recall(65, 32), 2), round(outer_product_recall(65, 64), 2)
    (0.81, 1.0)
    """
    n, d = n_keys, width
    if d == 1:  # all other values are opposite, and of the n − 1 products of the key no more are 1 than −1
        even = math.exp(math.lgamma(n) - 2 * math.lgamma((n + 1) / 2) - (n - 1) * math.log(2)) if n % 2 else 0.0
        return float((1 + even) * 0.5**n)
    if n == 2:
        return 1.0  # (1 − a)(1 − b) is never negative
    noise, weights = math.sqrt(spread * (n - 2)) / d, WEIGHTS / WEIGHTS.sum()
    a = np.clip(NODES / math.sqrt(d), -0.999, 0.999)
    scale = np.sqrt((1 - a) / (1 + a))
    leads = scale * (1 + noise * NODES[:, None]) / np.sqrt(noise**2 + spread * scale**2 / d)
    ahead = np.array([0.5 * math.erfc(-lead / math.sqrt(2)) for lead in leads.flat]).reshape(leads.shape)
    return float(weights @ (ahead @ weights) ** (n - 1))
