"""Measures of a model on texts of repeated words: losses, attention patterns, and the energies of its heads."""

import numpy as np

from hopattn.circuits.emergence.model import AttentionOnly
from hopattn.circuits.emergence.recipe import RepeatedTexts
from hopattn.circuits.head_scores import prefix_matching, previous_token
from hopattn.foundation.arrays import Array, namespace
from hopattn.transformer.blocks import AttentionLayer, BlockTrace
from hopattn.transformer.heads import Head, HeadTrace

ITERATIONS = 5
"""How often the last layer is applied to its own output, to follow the energies of its heads."""


def measured(model: AttentionOnly, texts: RepeatedTexts) -> dict[str, np.ndarray]:
    """Every measure of a model, by name.

    "loss of repeated words", "loss of new words": the mean of −log p(next word), in nats. "in-context score": the
    first minus the second; it falls as the model learns to repeat (Olsson et al. 2022 take the loss late in a text
    minus the loss early in it). "previous token", "prefix matching": the scores of each head,
    `(layers, heads)`, see `hopattn.previous_token` and `hopattn.prefix_matching`; means over the texts. "energy falls":
    `(heads, 5)`, see `energy_falls`.
    """
    traces = model.trace(texts.tokens)
    losses = cross_entropy(np.asarray(traces[-1].state) @ model.unembed.T, texts.tokens)
    known, unknown = float(losses[texts.repeated].mean()), float(losses[texts.new].mean())
    weights = np.array([[np.asarray(head.weights) for head in trace.heads] for trace in traces])
    return {
        "loss of repeated words": np.array(known),
        "loss of new words": np.array(unknown),
        "in-context score": np.array(known - unknown),
        "previous token": previous_token(weights).mean(axis=-1),
        "prefix matching": prefix_matching(weights, texts.tokens).mean(axis=-1),
        "energy falls": energy_falls(model.layers[-1], traces[-1], texts),
    }


def cross_entropy(logits: np.ndarray, tokens: np.ndarray) -> np.ndarray:
    """−log p of the next word after each word but the last, `(n_texts, n − 1)`, for logits `(n_texts, n, words)`."""
    scores = logits[:, :-1]
    top = scores.max(axis=-1, keepdims=True)
    normaliser = np.log(np.exp(scores - top).sum(axis=-1)) + top[..., 0]
    return np.asarray(normaliser - np.take_along_axis(scores, tokens[:, 1:, None], axis=-1)[..., 0])


def energy_falls(layer: AttentionLayer, trace: BlockTrace, texts: RepeatedTexts) -> np.ndarray:
    """The share of words at which the energy of each head falls when the layer is applied once more, `(heads, 5)`.

    layer: the last one. trace: its arrays. A head's memory are its keys; its energy at a query q is
    E(q) = ½ |q|² − β⁻¹ log Σ exp(β K q) over the keys that the word may see. The step q ← Kᵀ p of that memory never
    raises it. A layer does something else: it adds to the word what the heads read from their *values*, and the next
    query is W_Q of the sum. So nothing says that the energy falls, and it is only counted. Keys and values are those
    of the first application; the words are those whose successor can be known.
    """
    heads = list(zip(layer.attention.heads, trace.heads, strict=True))
    places = np.pad(texts.repeated, ((0, 0), (0, 1)))
    state, falls = trace.input, []
    before = [_energy(head, own.queries, own) for head, own in heads]
    for _ in range(ITERATIONS):
        queries = [head.query(state) for head, _ in heads]
        outputs = [
            head.retrieval.step(query, own.keys, own.values, own.mask)
            for (head, own), query in zip(heads, queries, strict=True)
        ]
        state = state + layer.attention.out(namespace(state).concat(outputs, axis=-1))
        after = [_energy(head, head.query(state), own) for head, own in heads]
        falls.append([float(np.mean((b > a)[places])) for b, a in zip(before, after, strict=True)])
        before = after
    return np.array(falls).T


def _energy(head: Head, queries: Array, own: HeadTrace) -> np.ndarray:
    """E of each query, `(n_texts, n)`, for the keys that it may see."""
    return np.asarray(head.retrieval.energy(queries, own.keys, own.mask))
