"""The arithmetic of a recurrent network and of its decoder with attention."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.vectors import linear
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import Bilinear, Similarity
from hopattn.scenario.explain.arithmetic import added, dot, equals, vector, weighing, weighted_sum, written
from hopattn.transformer.recurrent import Recurrent, RecurrentDecoder

Arrays = Mapping[str, Labelled]


def explain_reading(cell: Recurrent, words: Labelled, states: Labelled, start: Any) -> Iterator[str]:
    """The state after each word: words `(n, dim)`, states `(n, neurons)`; start: the state before the first word."""
    yield "the network reads:"
    before = np.zeros(states.values.shape[1]) if start is None else np.asarray(start, dtype=float)
    for label, word, state in zip(words.labels[0], words.values, states.values, strict=True):
        yield from _field(f"  {label}", cell, [linear(word, cell.w_input)], before, state)
        before = state


def explain_writing(decoder: RecurrentDecoder, arrays: Arrays, start: Any) -> Iterator[str]:
    """The scores, the weights, the context and the next state before each word that is written.

    arrays: of the run. start: the decoder's first state.
    """
    yield "the decoder writes:"
    keys, contexts, states = (arrays[name].values for name in ("states", "context", "state"))
    rows, names = arrays["weights"].labels
    before = np.zeros(states.shape[1]) if start is None else np.asarray(start, dtype=float)
    for i, row in enumerate(rows):
        yield f"  before {row}, the state {vector(before)} looks back:"
        similarity, scores = decoder.retrieval.similarity, arrays["scores"].values[i]
        yield from (f"    {line}" for line in _scores(similarity, before, keys, scores, names))
        yield from (f"    {line}" for line in weighing(decoder.retrieval.separation, scores.tolist(), names))
        weights = arrays["weights"].values[i]
        sign = equals(contexts[i], added(written(weights) * written(keys).T))
        yield f"    context: {weighted_sum(weights, names)} {sign} {vector(contexts[i])}"
        heard = np.concatenate([arrays["previous"].values[i], contexts[i]])
        yield from _field("    state", decoder.cell, [linear(heard, decoder.cell.w_input)], before, states[i])
        if "output" in arrays:
            yield f"    read out: {vector(arrays['output'].values[i])}, nearest to {arrays['reads'].values[i]}"
        before = states[i]


def _field(
    head: str, cell: Recurrent, heard: Sequence[np.ndarray], before: np.ndarray, state: np.ndarray
) -> Iterator[str]:
    """The sum of what a network hears, its state before and its bias, and the state that follows."""
    terms = [*heard, linear(before, cell.w_hidden), *([cell.bias] if np.any(cell.bias) else [])]
    field = np.sum(terms, axis=0)
    sign = equals(field, added(np.stack([written(term) for term in terms], axis=-1)))
    after = "" if name_of(cell.activation) == "identity" else f"; {name_of(cell.activation)} gives {vector(state)}"
    yield f"{head}: {' + '.join(map(vector, terms))} {sign} {vector(field)}{after}"


def _scores(
    similarity: Similarity, cue: np.ndarray, keys: np.ndarray, scores: np.ndarray, names: Sequence[str]
) -> Iterator[str]:
    """The similarity of a decoder's state to each state of the network."""
    if isinstance(similarity, Bilinear):
        cue = linear(cue, similarity.matrix.T)
        yield f"by the matrix the state is {vector(cue)}"
    for name, key, score in zip(names, keys, scores, strict=True):
        products = similarity.linear or isinstance(similarity, Bilinear)
        shown = dot(cue, key) if products else f"{name_of(similarity)} {number(float(score))}"
        yield f"similarity to {name}: {shown}"
