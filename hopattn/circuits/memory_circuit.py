"""The induction head of associative memories: three sums of outer products over random vectors, without training.

    W_K1 = Σ_t p_{t+1} p_tᵀ                   layer 1: position t + 1 finds the word before
    W_K2 = Σ_k w_E(k) (W_O1 W_V1 w_E(k))ᵀ     layer 2: a word finds the words after its earlier copies
    W_O2 = Σ_k w_U(k) (W_V2 w_E(k))ᵀ          what it finds there raises the logit of that same word

Word vectors w_E, w_U, positions p and the matrices W_O1, W_V1, W_V2 are random; W_Q is the identity. Source: Bietti et
al. (2023), NeurIPS, Birth of a Transformer: A Memory Viewpoint, section 4.2. Every matrix is (out, in) here as there.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.circuits.trigger_texts import TriggerTexts, trigger_texts
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.objects import instance
from hopattn.foundation.plain_arrays import plain_array
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import REPEATED, positive, whole
from hopattn.foundation.seeds import Seed, generator
from hopattn.foundation.vectors import normalised
from hopattn.transformer.blocks import AttentionLayer
from hopattn.transformer.gradients.curves import Curves
from hopattn.transformer.heads import Head, MultiHead

PROBES = {
    "previous word": "which part of the positions W_K1 leads to the next one",
    "same word": "which part of the words W_K2 leads back to from their copy in layer 1",
    "output": "which part of the words W_O2 leads to their own logit",
}
"""The recall probes of the three memories, each with its meaning."""

BATCH = 16
"""The number of texts that go through the layers together."""


@dataclass(frozen=True, eq=False)
class MemoryCircuit:
    """Two layers of one head each, whose matrices are sums of outer products. Made by `hopattn.memory_circuit`.

    embed, unembed: w_E and w_U, `(n_words, width)`. positions: `(length, width)`. layers: both.
    """

    embed: np.ndarray
    unembed: np.ndarray
    positions: np.ndarray
    layers: tuple[AttentionLayer, AttentionLayer]

    def __call__(self, words: Any) -> np.ndarray:
        """The logits of the next word, `(…, n, n_words)`, for texts `(…, n)` of word numbers from 0 to n_words − 1.

        Raises `InvalidInput` for other numbers and for texts longer than the positions.
        """
        given = plain_array(words, "words")
        n_words, longest = len(self.embed), len(self.positions)
        if given.ndim == 0 or given.size == 0 or given.dtype.kind not in "iu":
            raise InvalidInput("words: expected texts of whole numbers, (…, n)")
        if given.min() < 0 or given.max() >= n_words:
            raise InvalidInput(f"words: expected numbers from 0 to {n_words - 1}, not {given.min()} to {given.max()}")
        if given.shape[-1] > longest:
            raise InvalidInput(f"words: {given.shape[-1]} words are more than the {longest} positions")
        state = self.embed[given] + self.positions[: given.shape[-1]]
        for layer in self.layers:
            state = layer(state)
        return np.asarray(state @ self.unembed.T)

    def accuracy(self, texts: TriggerTexts) -> float:
        """The share of answers that are right: the word with the largest logit is the one that follows the trigger."""
        instance(texts, TriggerTexts, "texts", "texts from hopattn.trigger_texts")
        right = 0
        for start in range(0, len(texts.words), BATCH):
            batch = slice(start, start + BATCH)
            asked = texts.asked[batch]
            answers = self(texts.words[batch]).argmax(axis=-1)
            right += int(np.sum(answers[:, :-1][asked[:, :-1]] == texts.words[batch][:, 1:][asked[:, :-1]]))
        return right / int(texts.asked.sum())

    @property
    def probes(self) -> dict[str, float]:
        """The share of keys that each of the three memories leads to the right value, by `PROBES`, from 0 to 1.

        Each memory is asked alone and without noise. All three near 1 do not make the circuit right: its attention
        must also find one word among all the others of a text.
        """
        first, second = (layer.attention for layer in self.layers)
        copied = self.embed @ first.heads[0].w_value.T @ first.w_out.T
        value = self.embed @ second.heads[0].w_value.T
        return {
            "previous word": _recalled(first.heads[0].w_key, self.positions[:-1], self.positions, shift=1),
            "same word": _recalled(second.heads[0].w_key, copied, self.embed),
            "output": _recalled(second.w_out, value, self.unembed),
        }


def memory_circuit(
    width: int, n_words: int = 65, length: int = 256, *, beta: float = 20.0, seed: Seed = None, rng: Seed = None
) -> MemoryCircuit:
    """An induction head whose three learned matrices are replaced by what they would have to store.

    width: the dim of the words, which holds words, positions and copies of words side by side. n_words, length: the
    numbers of words and of positions, at least 2 each. beta: of both layers. seed, rng: a whole number or a generator.
    Word vectors and positions are random directions of unit magnitude; entries of the random matrices have variance 1 /
    width, so that they keep lengths on average. Raises `InvalidInput` for other numbers.
    Source: Bietti et al. (2023), section 4.2 (their d, N, T are our width, n_words, length).

    >>> circuit = memory_circuit(256, n_words=20, length=32, seed=0)
    >>> circuit.probes
    {'previous word': 1.0, 'same word': 1.0, 'output': 1.0}
    """
    d, n, t = whole(width, "width"), whole(n_words, "n_words", least=2), whole(length, "length", least=2)
    sharp, random = positive(beta, "beta"), generator(seed, rng)
    require_room(
        d * (4 * d + 2 * n + t), f"memory_circuit: matrices of width {d:,} for {n:,} words and {t:,} positions"
    )
    embed, unembed, positions = (np.asarray(normalised(random.standard_normal((count, d)))) for count in (n, n, t))
    w_out, w_value, later_value = random.standard_normal((3, d, d)) / d**0.5
    w_key = positions[1:].T @ positions[:-1]
    later_key = embed.T @ (embed @ w_value.T @ w_out.T)
    later_out = unembed.T @ (embed @ later_value.T)
    same = np.eye(d)
    heads = (Head(same, w_key, w_value, beta=sharp), Head(same, later_key, later_value, beta=sharp))
    outs = (w_out, later_out)
    first, second = (AttentionLayer(MultiHead([head], out)) for head, out in zip(heads, outs, strict=True))
    return MemoryCircuit(embed, unembed, positions, (first, second))


def memory_curves(
    widths: Any,
    n_draws: int = 1,
    *,
    n_words: int = 65,
    length: int = 256,
    n_triggers: int = 5,
    n_texts: int = 4,
    beta: float = 20.0,
    seed: Seed = None,
) -> Curves:
    """The in-context accuracy of memory circuits and their probes against their width.

    A draw is a circuit for each width, and texts with triggers, which all widths read. The curves are "accuracy" and
    the names of `PROBES`. widths: a list of whole numbers. Further arguments: as for `memory_circuit` and
    `trigger_texts`. Raises `InvalidInput` for numbers that do not fit.

    >>> found = memory_curves([32, 256], n_words=20, length=64, seed=0).mean
    >>> bool(found["accuracy"][0] < 0.5 < found["accuracy"][1])
    True
    """
    dims = [whole(width, "widths") for width in np.atleast_1d(plain_array(widths, "widths")).tolist()]
    draws, random = whole(n_draws, "n_draws", most=REPEATED), generator(seed)
    rows: dict[str, list[list[float]]] = {name: [] for name in ("accuracy", *PROBES)}
    for _ in range(draws):
        texts = trigger_texts(n_texts, length, n_words, n_triggers, rng=random)
        circuits = [memory_circuit(d, n_words, length, beta=beta, rng=random) for d in dims]
        rows["accuracy"].append([circuit.accuracy(texts) for circuit in circuits])
        probes = [circuit.probes for circuit in circuits]
        for name in PROBES:
            rows[name].append([own[name] for own in probes])
    return Curves("width", np.array(dims, dtype=np.float64), {name: np.array(own) for name, own in rows.items()})


def _recalled(memory: np.ndarray, keys: np.ndarray, values: np.ndarray, shift: int = 0) -> float:
    """The share of keys whose image is most similar to its own value, that of row i + shift."""
    found = np.argmax(keys @ memory.T @ values.T, axis=-1)
    return float(np.mean(found == np.arange(len(keys)) + shift))
