"""The arithmetic of layers of attention: every similarity, weight and sum, as a lecture writes it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.explain.arithmetic import (
    added,
    dot,
    equals,
    in_parts,
    short_base,
    vector,
    weighing,
    weighted_sum,
    written,
)
from hopattn.scenario.explain.positions import moved_lines, position_lines, rope_lines, with_bias
from hopattn.scenario.explain.transformer_layer import (
    EXPLAINED_ROWS,
    explain_first_norm,
    explain_sublayers,
    explained_rows,
)
from hopattn.scenario.parts.heads import HeadTable
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.heads import Head

HEAD_ARRAYS = ("queries", "keys", "values", "scores", "mask", "weights", "output")
"""The arrays of each head, in the order of their computation; a head with a bias or a sink has further ones."""


def head_arrays(head: Any) -> tuple[str, ...]:
    """The names of the arrays of a head, which is given by its table or by its trace."""
    sunk = head.sink if isinstance(head, HeadTable) else head.rest
    further = {"bias": head.bias, "rest": sunk}
    return (*HEAD_ARRAYS, *(name for name, given in further.items() if given is not None))


def explain_layers(
    layers: Sequence[LayerTable],
    coding: Encoding,
    arrays: Mapping[str, Labelled],
    *,
    crossed: bool = False,
    first: int = 1,
) -> Iterator[str]:
    """The arithmetic of every layer, head and word.

    arrays: of the run, by name; the first layer reads "input". crossed: the queries come from another text than the
    keys (cross-attention), "source". first: the number of the first layer.
    """
    words, read = arrays["input"], arrays["source" if crossed else "input"]
    yield from position_lines(words, coding)
    yield "the words as they go in:"
    yield from _listed(words, coding)
    if crossed:
        yield "the words that they look at:"
        yield from _listed(read, coding)
    for i, layer in enumerate(layers, start=first):
        built = layer.build(coding, crossed, (len(words.labels[0]), len(read.labels[0])))
        yield from explain_first_norm(built, words, coding.parts, i)
        before = arrays.get(f"layer {i} normed", words)
        if built.attention.heads[0].query.bias is not None:
            yield f"layer {i}, queries, keys and values contain the biases of the file too"
        value_parts = {"": slice(None)} if layer.mapped else coding.parts
        for j, (head, made) in enumerate(zip(layer.heads, built.attention.heads, strict=True), start=1):
            own = {name: arrays[f"layer {i} head {j} {name}"] for name in head_arrays(head)}
            yield f"layer {i}, head {j}:"
            yield from _explain_projections(head, coding, own, (before, read if crossed else before), value_parts)
            yield from _explain_head(head, made, own, value_parts)
        yield from explain_sublayers(built, coding.parts, arrays, words.values, i, layer.mapped)
        words = arrays[f"layer {i} state"]


def _listed(words: Labelled, coding: Encoding) -> Iterator[str]:
    for label, word in zip(words.labels[0], words.values, strict=True):
        yield f"  {label}: {in_parts(word, coding.parts)}"


def _explain_projections(
    head: HeadTable,
    coding: Encoding,
    own: Mapping[str, Labelled],
    words_read: tuple[Labelled, Labelled],
    value_parts: Mapping[str, slice],
) -> Iterator[str]:
    """The projections of the words to queries, keys and values, if they do more than read a part.

    own: the arrays of the head. words_read: the words from which queries, and keys and values, are made. value_parts:
    the named parts of a value.
    """
    for role, name in (("query", "queries"), ("key", "keys"), ("value", "values")):
        projection = head.projection(role)
        if role != "value" and (head.scores is not None or head.weights is not None):
            continue
        if projection.rotate:
            words = words_read[0 if role == "query" else 1]
            yield from moved_lines(projection.rotate, role, coding, words)
        if projection.matrix is not None or projection.scale != 1:
            times = f" times {number(projection.scale)}" if projection.scale != 1 else ""
            yield f"  the {role} of each word{times}{', by the matrix' if projection.matrix is not None else ''}:"
            for label, vector_ in zip(own[name].labels[0], own[name].values, strict=True):
                yield f"    {label}: {in_parts(vector_, value_parts) if role == 'value' else vector(vector_)}"
    yield from rope_lines(head, coding, own, *words_read)


def _explain_head(
    head: HeadTable, made: Head, own: Mapping[str, Labelled], value_parts: Mapping[str, slice]
) -> Iterator[str]:
    rows, names = own["weights"].labels
    scores = own["scores"].values
    separation = made.retrieval.separation
    if len(rows) > EXPLAINED_ROWS:
        yield f"  (of {len(rows)} words, the last is worked out)"
    for row in explained_rows(rows):
        yield f"  {rows[row]}:"
        attended = [int(j) for j in np.flatnonzero(own["mask"].values[row])]
        if head.weights is not None:
            masked = "" if head.mask is None else f"; under the mask {vector(own['weights'].values[row])}"
            yield f"    weights (given): {vector(head.weights[row])}{masked}"
        else:
            yield from _explain_scores(head, own, row, attended, separation)
            added_ = 0.0 if head.bias is None else own["bias"].values / separation.beta
            lines = weighing(separation, (scores + added_)[row, attended].tolist(), [names[j] for j in attended])
            yield from (f"    {line}" for line in lines)
        if attended:
            yield from _explain_output(head, value_parts, own, row)


def _explain_scores(
    head: HeadTable, own: Mapping[str, Labelled], row: int, attended: Sequence[int], separation: Separation
) -> Iterator[str]:
    names = own["weights"].labels[1]
    query = own["queries"].values[row]
    for j in attended:
        score, key = own["scores"].values[row, j], own["keys"].values[j]
        if head.scores:
            product = f"{number(score)} (given)"
        else:
            by_products = head.similarity == "cosine" or similarities[head.similarity].linear
            product = dot(query, key) if by_products else f"{head.similarity} {number(score)}"
        if head.similarity == "cosine" and not head.scores:
            lengths = [float(np.linalg.norm(query)), float(np.linalg.norm(key))]
            sign = equals(score, written(query @ key) / written(lengths).prod())
            product += f"; divided by {' × '.join(map(number, lengths))} {sign} {number(score)}"
        if head.bias is not None:
            beta = separation.beta
            times_beta = name_of(separation) == "softmax" and short_base(beta) is None
            product += with_bias(float(score), float(own["bias"].values[row, j]), beta, times_beta=times_beta)
        yield f"    similarity to {names[j]}: {product}"


def _explain_output(
    head: HeadTable, value_parts: Mapping[str, slice], own: Mapping[str, Labelled], row: int
) -> Iterator[str]:
    weights, output = own["weights"].values[row], own["output"].values[row]
    field = weights @ own["values"].values
    value = head.projection("value")
    plain = value.matrix is None and value.scale == 1
    terms = weighted_sum(weights, [name if plain else f"value({name})" for name in own["weights"].labels[1]])
    if terms == "0":
        yield "    output: 0"
        return
    sign = equals(field, added(written(weights) * own["values"].values.T))
    yield f"    output: {terms} {sign} {in_parts(field, value_parts)}"
    if head.activation != "identity":
        yield f"    {head.activation}: {in_parts(output, value_parts)}"
