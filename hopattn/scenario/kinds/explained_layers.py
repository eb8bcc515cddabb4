"""The arithmetic of layers of attention: every similarity, weight and sum, as a lecture writes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import number, significant
from hopattn.positions.planes import frequencies
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.arithmetic import (
    MANY,
    added,
    dot,
    equals,
    factor,
    in_parts,
    rotated,
    rotation_rows,
    short_base,
    vector,
    weighing,
    weighted_sum,
    written,
)
from hopattn.scenario.arrays import occurrences
from hopattn.scenario.kinds.layers import HeadTable, LayerTable
from hopattn.scenario.words.vocabulary import POSITION, WORD, Encoding, Positions
from hopattn.transformer.blocks import Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.heads import Head
from hopattn.transformer.normalisation import Normalisation

EXPLAINED_ROWS = 12
"""The length up to which every word of a text is explained; of a longer text, only the last word."""
ARRAYS = {"query": "queries", "key": "keys", "value": "values"}
"""The arrays of a head's maps."""
SHOWN = 4
"""The number of frequencies that are written out."""

Parts = Mapping[str, slice]


def explained_rows(labels: Sequence[str]) -> list[tuple[int, str]]:
    """The rows that are explained, each with its label: all of a short text, the last of a long one."""
    return list(enumerate(labels))[0 if len(labels) <= EXPLAINED_ROWS else -1 :]


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
    words, source = arrays["input"], arrays["source"] if crossed else None
    yield from _positions(words, coding)
    yield "the words as they go in:"
    yield from _words(words, coding.parts)
    if source is not None:
        yield "the words that they look at:"
        yield from _words(source, coding.parts)
    for i, layer in enumerate(layers, start=first):
        parts = _below(arrays, f"layer {i} ")
        for line in _layer_lines(layer, coding, parts, words, source):
            yield line if line.startswith(" ") else f"layer {i}, {line}"
        words = parts["state"]


def _below(arrays: Mapping[str, Labelled], place: str) -> dict[str, Labelled]:
    """The arrays whose names begin with a place, by the rest of their names."""
    return {name.removeprefix(place): array for name, array in arrays.items() if name.startswith(place)}


def _words(words: Labelled, parts: Parts) -> Iterator[str]:
    yield from (f"  {row}: {in_parts(word, parts)}" for row, word in zip(words.labels[0], words.values, strict=True))


def _positions(words: Labelled, coding: Encoding) -> Iterator[str]:
    """How the positions become vectors, and how they join the words; nothing for a text without positions."""
    if coding.positions is None:
        return
    how = coding.positions.how
    joined = {"add": "is added to the word", "multiply": "multiplies the word", "concatenate": "has a part of its own"}
    yield f"the vector of position p {joined[how]}: {_formula(coding.positions, coding.position_dim)}"
    if how == "concatenate":
        return
    places = coding.positions.vectors(len(words.values), coding.position_dim)
    tokens = occurrences(words.labels[0], coding.words)
    for label, token, state, place in zip(words.labels[0], tokens, words.values, places, strict=True):
        if token.word in coding.words:
            word, whole = coding.words[token.word], state[coding.parts[WORD]]
            sign, point = "+" if how == "add" else "×", np.tile(place, len(word) // len(place))
            yield f"  {label}: {vector(word)} {sign} {vector(point)} {equals(whole)} {vector(whole)}"


def _formula(positions: Positions, dim: int) -> str:
    """The vector of position p, in a formula."""
    first = f"; the first word has p = {positions.start}" if positions.start else ""
    if positions.turn is not None:
        angle = f"p·{factor(positions.turn)}°"
        return f"(cos {angle}, sin {angle}){first}"
    if positions.table is not None:
        return f"row p of the table, counted from 0{first}"
    terms = [f"sin {_times(step)}, cos {_times(step)}" for step in frequencies(dim, positions.base)[:SHOWN]]
    return f"({', '.join(terms)}{', …' if dim > 2 * SHOWN else ''}) in radians{first}"


def _times(step: float) -> str:
    return "p" if step == 1 else f"{number(step)}p"


@dataclass(frozen=True, eq=False)
class _HeadLines:
    """The arithmetic of one head.

    own: the arrays of the head. queried, read: the words that queries, and keys and values, are made of. parts: the
    named parts of a value.
    """

    table: HeadTable
    head: Head
    coding: Encoding
    own: Mapping[str, Labelled]
    queried: Labelled
    read: Labelled
    parts: Parts

    def lines(self) -> Iterator[str]:
        """The maps of the words, and the similarities, weights and sums of each word."""
        table, own = self.table, self.own
        rows, names = own["weights"].labels
        separation = self.head.retrieval.separation
        for role, name in ARRAYS.items():
            if role == "value" or not (table.scores or table.weights):
                yield from self._mapped(role, name)
        yield from self._turned()
        if len(rows) > EXPLAINED_ROWS:
            yield f"  (of {len(rows)} words, the last is worked out)"
        for row, label in explained_rows(rows):
            yield f"  {label}:"
            attended = [int(j) for j in np.flatnonzero(own["mask"].values[row])]
            if table.weights is not None:
                masked = "" if table.mask is None else f"; under the mask {vector(own['weights'].values[row])}"
                yield f"    weights (given): {vector(table.weights[row])}{masked}"
            else:
                yield from (f"    similarity to {names[j]}: {self._similarity(row, j)}" for j in attended)
                more = 0.0 if table.bias is None else own["bias"].values / separation.beta
                scores = (own["scores"].values + more)[row, attended].tolist()
                yield from (f"    {line}" for line in weighing(separation, scores, [names[j] for j in attended]))
            if attended:
                yield from self._output(row)

    def _mapped(self, role: str, name: str) -> Iterator[str]:
        """The map of the words to queries, keys or values, if it does more than read a part."""
        projection, matrix = self.table.projection(role), self.table.projection(role).matrix
        if projection.rotate:
            words, moved = self.queried if role == "query" else self.read, self.coding.offset(projection.rotate)
            turn = None if self.coding.positions is None else self.coding.positions.turn
            rows = f"the rows of the matrix are {', '.join(vector(row) for row in moved)}"
            rows = rows if turn is None else rotation_rows(projection.rotate * turn, moved)
            yield f"  the {role} is the position moved by {number(projection.rotate)}: {rows}"
            for label, word in zip(words.labels[0], words.values, strict=True):
                yield f"    {label}: {rotated(moved, word[self.coding.parts[POSITION]])}"
        if matrix is not None or projection.scale != 1:
            times = f" times {number(projection.scale)}" if projection.scale != 1 else ""
            yield f"  the {role} of each word{times}{', by the matrix' if matrix is not None else ''}:"
            for line in _words(self.own[name], self.parts if role == "value" else {"": slice(None)}):
                yield f"  {line}"

    def _turned(self) -> Iterator[str]:
        """The turn of queries and keys by rotary positions."""
        position = self.head.position
        if position is None:
            return
        dim = self.own["queries"].values.shape[1]
        half, steps = position.layout == "half", frequencies(dim, position.base)
        planes = [(i + 1, i + 1 + dim // 2) if half else (2 * i + 1, 2 * i + 2) for i in range(dim // 2)]
        angles = [f"numbers {a} and {b} by {_times(step)}" for (a, b), step in zip(planes, steps, strict=True)][:SHOWN]
        more = ", …" if len(planes) > SHOWN else ""
        yield f"  queries and keys are turned by their position p = 0, 1, …: {', '.join(angles)}{more} radians"
        yield "  a pair (a, b) turned by an angle x is (a cos x − b sin x, a sin x + b cos x)"
        for role, words, matrix in (("query", self.queried, self.head.w_query), ("key", self.read, self.head.w_key)):
            plain = words.values @ matrix.T
            yield f"  the {role} of each word, turned:"
            for p, (label, before) in enumerate(zip(words.labels[0], plain, strict=True)):
                yield f"    {label}, p = {p}: {vector(before)} becomes {vector(self.own[ARRAYS[role]].values[p])}"

    def _similarity(self, row: int, j: int) -> str:
        """The similarity of a query and a key, and its sum with a bias."""
        table, score = self.table, float(self.own["scores"].values[row, j])
        query, key = self.own["queries"].values[row], self.own["keys"].values[j]
        if table.scores:
            product = f"{number(score)} (given)"
        elif table.similarity == "cosine":
            lengths = [float(np.linalg.norm(query)), float(np.linalg.norm(key))]
            sign = equals(score, written(query @ key) / written(lengths).prod())
            divided = f"divided by {' × '.join(map(number, lengths))} {sign} {number(score)}"
            product = f"{dot(query, key)}; {divided}"
        else:
            linear = similarities[table.similarity].linear
            product = dot(query, key) if linear else f"{table.similarity} {number(score)}"
        if table.bias is None:
            return product
        separation = self.head.retrieval.separation
        times_beta = name_of(separation) == "softmax" and short_base(separation.beta) is None
        bias = float(self.own["bias"].values[row, j])
        return product + with_bias(score, bias, separation.beta, times_beta=times_beta)

    def _output(self, row: int) -> Iterator[str]:
        weights, values = self.own["weights"].values[row], self.own["values"].values
        value, names = self.table.projection("value"), self.own["weights"].labels[1]
        plain = value.matrix is None and value.scale == 1
        terms = weighted_sum(weights, [name if plain else f"value({name})" for name in names])
        if terms == "0":
            yield "    output: 0"
            return
        sign = equals(weights @ values, added(written(weights) * values.T))
        yield f"    output: {terms} {sign} {in_parts(weights @ values, self.parts)}"
        if self.table.activation != "identity":
            yield f"    {self.table.activation}: {in_parts(self.own['output'].values[row], self.parts)}"


def with_bias(score: float, bias: float, beta: float, *, times_beta: bool = True) -> str:
    """The sum of a score and a bias, to be written behind the score: β s + bias.

    times_beta: whether the sum is β s + bias, the exponent of e; else s + bias / β, which β or a base takes in.

    >>> with_bias(0.8, -0.5, 1.0), with_bias(0.8, -0.5, 2.0)
    ('; with the bias .8 + (−.5) = .3', '; β s + bias = 2×.8 + (−.5) = 1.1')
    >>> with_bias(0.8, -0.5, 2.0, times_beta=False)
    '; with the bias .8 + (−.5) / 2 = .55'
    """
    if times_beta and beta != 1:
        by_hand = written(beta) * written(score) + written(bias)
        sign = equals(beta * score + bias, np.round(by_hand, 12))
        return f"; β s + bias = {number(beta)}×{factor(score)} + {factor(bias)} {sign} {number(beta * score + bias)}"
    total = score + bias / beta
    divided = "" if beta == 1 else f" / {number(beta)}"
    sign = equals(total, written(score) + written(bias) / beta)
    return f"; with the bias {number(score)} + {factor(bias)}{divided} {sign} {number(total)}"


def _layer_lines(
    table: LayerTable, coding: Encoding, arrays: Mapping[str, Labelled], words: Labelled, source: Labelled | None
) -> Iterator[str]:
    """The arithmetic of a layer.

    arrays: of the layer, by the rest of their names. words: those that go in. source: those that they look at instead.
    """
    layer = table.build(coding, source is not None, (len(words.values), len((source or words).values)))
    parts, heads, output, out = coding.parts, layer.attention.heads, arrays["output"], layer.attention.out
    if layer.norm_first:
        yield "the words are normalised before the heads read them:"
        yield from _normalised(layer.norms[0], words, parts)
    if heads[0].query.bias is not None:
        yield "queries, keys and values contain the biases of the file too"
    queried, value_parts = arrays.get("normed", words), {"": slice(None)} if table.mapped else parts
    for j, (of_head, head) in enumerate(zip(table.heads, heads, strict=True), start=1):
        yield f"head {j}:"
        places = _below(arrays, f"head {j} ")
        yield from _HeadLines(of_head, head, coding, places, queried, source or queried, value_parts).lines()
    rows = explained_rows(output.labels[0])
    results = {label: in_parts(output.values[row], parts) for row, label in rows}
    if table.mapped:
        yield "the outputs of the heads side by side, by the output matrix:"
        yield from (f"  row {k + 1} of it: {vector(row)}" for k, row in enumerate(np.asarray(out.weight)[:MANY]))
        joined = np.concatenate([arrays[f"head {j + 1} output"].values for j in range(len(heads))], axis=-1)
        bias = "" if out.bias is None else f" + {vector(np.asarray(out.bias))}"
        yield from (f"  {label}: {vector(joined[row])}, mapped{bias}: {results[label]}" for row, label in rows)
    elif len(heads) > 1 and table.full:
        yield "the outputs of the heads added up:"
        yield from (f"  {label}: {result}" for label, result in results.items())
    yield from _added(layer, 0, words, output, parts)
    if layer.feed_forward is not None:
        attended, fed = arrays["attended"], arrays["fed"]
        if layer.norm_first:
            yield "the words are normalised before the feed-forward layer reads them:"
            yield from _normalised(layer.norms[1], attended, parts)
        yield "the feed-forward layer, for each word by itself:"
        read = arrays.get("renormed", attended).values
        for row, label in rows:
            yield f"  {label}:"
            yield from _fed(layer.feed_forward, read[row], arrays["hidden"].values[row], fed.values[row], parts)
        yield from _added(layer, 1, attended, fed, parts)


def _added(layer: Block, k: int, before: Labelled, output: Labelled, parts: Parts) -> Iterator[str]:
    """The residual of sub-layer k, and the norm behind it."""
    total = before.values + output.values if layer.residual else output.values
    rule = "the word with the output added" if layer.residual else "the output replaces the word"
    yield f"{rule if k == 0 else rule.replace('output', 'output of the feed-forward layer')}:"
    for row, label in explained_rows(output.labels[0]):
        sum_, terms = "", (before.values[row], output.values[row])
        if layer.residual and len(parts) == 1:
            sign = equals(total[row], added(np.stack([*map(written, terms)], axis=-1)))
            sum_ = f"{' + '.join(map(vector, terms))} {sign} "
        yield f"  {label}: {sum_}{in_parts(total[row], parts)}"
    if not layer.norm_first and isinstance(layer.norms[k], Normalisation):
        yield "normalised:"
        yield from _normalised(layer.norms[k], replace(output, values=total), parts)


def _fed(layer: FeedForward, read: np.ndarray, hidden: np.ndarray, fed: np.ndarray, parts: Parts) -> Iterator[str]:
    """The hidden neurons of a word, and the sum of the columns of W₂, each times its neuron, and the bias."""
    inner, bias = np.asarray(layer.inner.weight), layer.inner.bias
    for k in range(len(inner)) if len(inner) <= MANY else ():
        plus = ""
        if bias is not None:
            field = [float(inner[k] @ read), float(bias[k])]
            sign = equals(sum(field), added(written(field)))
            plus = f"; {number(field[0])} + {factor(field[1])} {sign} {number(sum(field))}"
        name = "" if layer.activation == "identity" else f"; {layer.activation}: {number(hidden[k])}"
        yield f"    hidden neuron {k + 1}: {dot(inner[k], read)}{plus}{name}"
    if len(inner) > MANY:
        yield f"    {len(inner)} hidden neurons ({layer.activation}): {vector(hidden)}"
    columns, active, result = np.asarray(layer.outer.weight).T, np.flatnonzero(hidden), in_parts(fed, parts)
    if len(active) > MANY:
        yield f"    output: sum over {len(columns)} hidden neurons {equals(fed)} {result}"
        return
    terms = [f"{factor(hidden[k])}×{vector(columns[k])}" for k in active]
    by_hand = [*(written(hidden[active])[:, None] * written(columns[active]))]
    if layer.outer.bias is not None:
        terms.append(vector(layer.outer.bias))
        by_hand.append(written(layer.outer.bias))
    sign = equals(fed, added(np.stack(by_hand, axis=-1))) if terms else "="
    yield f"    output: {' + '.join(terms) or '0'} {sign} {result}"


def _normalised(norm: Any, words: Labelled, parts: Parts) -> Iterator[str]:
    """The mean, the variance and the normalised vector of each word."""
    for row, label in explained_rows(words.labels[0]):
        x = words.values[row]
        mean = float(np.mean(x)) if norm.centred else 0.0
        square = float(np.mean((x - mean) ** 2))
        shown = significant(square)
        about = f"mean {number(mean)}, variance {shown}" if norm.centred else f"mean square {shown}"
        minus = f"x − {factor(mean)}" if norm.centred else "x"
        own = {"times": norm.gain, "plus": norm.shift}
        after = "".join(f", {verb} {vector(np.asarray(by))}" for verb, by in own.items() if by is not None)
        rule = f"({minus})/√({shown} + {number(norm.epsilon)}){after}"
        result = np.asarray(norm(x[None]))[0]
        yield f"  {label}: {vector(x)}: {about}; {rule} {equals(result)} {in_parts(result, parts)}"
