"""The arithmetic of layers of attention: every similarity, weight and sum, as a lecture writes it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import WRITTEN_AS_0, listed, number, significant
from hopattn.positions.planes import frequencies
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.arithmetic import (
    LINES,
    MANY,
    addition,
    dot,
    equals,
    factor,
    in_parts,
    product,
    rotated,
    rotation_rows,
    short_base,
    total,
    vector,
    weighing,
    weighted_sum,
    written,
)
from hopattn.scenario.arrays import behind, occurrences
from hopattn.scenario.kinds.layers import ROLES, HeadTable, LayerTable, Projection
from hopattn.scenario.words.vocabulary import POSITION, WORD, Encoding
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import Normalisation

SUBLAYERS = {
    "output": ("normed", "heads read", ""),
    "fed": ("renormed", "feed-forward layer reads", " of the feed-forward layer"),
}
"""The array that each sub-layer gives, with the array that it reads after a norm, and the words for both."""
SHOWN = 4
"""The number of frequencies that are written out."""

ByName = Mapping[str, Any]
Shown = Callable[[Any], str]


def explained_rows(labels: Sequence[str]) -> list[tuple[int, str]]:
    """The rows that are explained, each with its label: all of a short text, the last of a long one."""
    return list(enumerate(labels))[0 if len(labels) <= LINES else -1 :]


def of_head(place: str) -> str:
    """The place of a head, as in `layer 1 head 2`, in words."""
    return say("layer {} head {}", *re.findall(r"\d+", place))


def explain_layers(
    layers: Sequence[LayerTable], coding: Encoding, arrays: ByName, *, crossed: bool = False, first: int = 1
) -> Iterator[str]:
    """The arithmetic of every layer, head and word.

    arrays: of the run, by name; the first layer reads "input", or what the file prints in its place. crossed: the
    queries come from another text than the keys (cross-attention), "source". first: the number of the first layer.
    """
    words, source = arrays.get("input"), arrays.get("source") if crossed else None
    yield from _positions(words, coding) if words is not None else ()
    for title, text in (("the words as they go in:", words), ("the words that they look at:", source)):
        yield from _rows(text, partial(in_parts, parts=coding.parts), say(title)) if text is not None else ()
    for i, layer in enumerate(layers, start=first):
        own = {"source": source, "input": words, **_below(arrays, f"layer {i} ")}
        block = layer.build(coding, crossed, own["head 1 weights"].values.shape)
        after = layer.after(coding, block)
        for line in _layer(layer, block, (coding, after), own):
            yield line if line.startswith(" ") else say("layer {}, {}", str(i), line)
        words, coding = own["state"], after


def _below(arrays: ByName, place: str) -> dict[str, Any]:
    """The arrays whose names begin with a place, by the rest of their names."""
    return {name.removeprefix(place): array for name, array in arrays.items() if name.startswith(place)}


def _rows(words: Labelled, shown: Shown, title: str, indent: str = "") -> Iterator[str]:
    """A line for each word, below a title."""
    yield f"{indent}{title}"
    yield from (f"{indent}  {row}: {shown(word)}" for row, word in zip(words.labels[0], words.values, strict=True))


def _positions(words: Labelled, coding: Encoding) -> Iterator[str]:
    """How the positions become vectors, and how they join the words; nothing for a text without positions."""
    positions = coding.positions
    if positions is None:
        return
    joined = {"add": "is added to the word", "multiply": "multiplies the word", "concatenate": "has a part of its own"}
    if positions.turn is not None:
        angle = f"p·{factor(positions.turn)}°"
        formula = f"(cos {angle}, sin {angle})"
    elif positions.table is not None:
        formula = say("row p of the table, counted from 0")
    else:
        angles = map(_times, frequencies(coding.position_dim, positions.base))
        terms = [listed([f"sin {angle}", f"cos {angle}"]) for angle in angles]
        formula = say("({}) in radians", listed([*terms[:SHOWN], *["…"] * (len(terms) > SHOWN)]))
    first = say("; the first word has p = {}", str(positions.start)) if positions.start else ""
    yield say(f"the vector of position p {joined[positions.how]}: {{}}{{}}", formula, first)
    if positions.how == "concatenate":
        return
    sign, part = "+" if positions.how == "add" else "×", coding.parts[WORD]
    points = positions.vectors(len(words.values), coding.position_dim)
    tokens = occurrences(words.labels[0], coding.words)
    for label, token, state, point in zip(words.labels[0], tokens, words.values[:, part], points, strict=True):
        if (word := coding.words.get(token.word)) is not None:
            whole = np.tile(point, len(word) // len(point))
            yield f"  {label}: {vector(word)} {sign} {vector(whole)} {equals(state)} {vector(state)}"


def _times(step: float) -> str:
    return "p" if step == 1 else f"{number(step)}p"


def _head(
    table: HeadTable, head: Head, coding: Encoding, arrays: ByName, shown: Shown, right: bool = False
) -> Iterator[str]:
    """The maps of the words, and the similarities, weights and sums of each word.

    arrays: of the head, and the words of which each map makes queries, keys and values. shown: writes a value. right:
    whether the file writes the W of x·W.
    """
    weights, (rows, names) = arrays["weights"].values, arrays["weights"].labels
    if table.wordless:
        rows, names = behind(say("query"), rows), behind(say("key"), names)
    separation, value = head.retrieval.separation, table.projection("value")
    scores = arrays["scores"].values + (arrays["bias"].values / separation.beta if table.bias is not None else 0.0)
    plain = value.matrix is None and value.scale == 1 and not table.wordless
    values = names if plain else [say("value({})", name) for name in arrays["weights"].labels[1]]
    yield from _maps(table, head, coding, arrays, shown, right)
    if len(rows) > LINES:
        yield "  " + say("(of {} words, the last is worked out)", str(len(rows)))
    for row, label in explained_rows(rows):
        yield f"  {label}:"
        attended = np.flatnonzero(arrays["mask"].values[row]).tolist()
        if table.weights is not None:
            masked = "" if table.mask is None else say("; under the mask {}", vector(weights[row]))
            yield "    " + say("weights (given): {}{}", vector(table.weights[row]), masked)
        else:
            for j in attended:
                yield "    " + say("similarity to {}: {}", names[j], _similarity(table, head, arrays, row, j))
            lines = weighing(separation, scores[row, attended].tolist(), [names[j] for j in attended])
            yield from (f"    {line}" for line in lines)
        if attended and np.any(np.abs(weights[row]) > WRITTEN_AS_0):
            yield "    " + say("output: {}", weighted_sum(weights[row], values, arrays["values"].values, shown=shown))
            if table.activation != "identity":
                yield f"    {table.activation}: {shown(arrays['output'].values[row])}"
        elif attended:
            yield "    " + say("output: {}", "0")


def _maps(table: HeadTable, head: Head, coding: Encoding, arrays: ByName, shown: Shown, right: bool) -> Iterator[str]:
    """The maps of the words to queries, keys and values that do more than read a part, and the turn by positions."""
    for name in ROLES.values():
        if (vectors := getattr(table, name)) is not None:
            yield from _rows(replace(arrays[name], values=np.array(vectors)), vector, say(f"the {name} (given):"), "  ")
    roles = {} if table.wordless else ROLES
    for role, name in roles.items() if not (table.scores or table.weights) else [*roles.items()][-1:]:
        projection, matrix = table.projection(role), table.projection(role).matrix
        if projection.rotate:
            turn, moved = None if coding.positions is None else coding.positions.turn, coding.offset(projection.rotate)
            rows = say("the rows of the matrix are {}", listed(map(vector, moved)))
            rows = rows if turn is None else rotation_rows(projection.rotate * turn, moved)
            title = say(f"the {role} is the position moved by {{}}: {{}}", number(projection.rotate), rows)
            points = arrays[role].values[:, coding.parts[POSITION]]
            yield from _rows(replace(arrays[role], values=points), partial(rotated, moved), title, "  ")
        if matrix is not None or projection.scale != 1:
            times = say(" times {}", number(projection.scale)) if projection.scale != 1 else ""
            by = say(", by the matrix") if matrix is not None else ""
            if right and matrix is not None:
                by = say(", x·W with {}", _in_rows(matrix))
            sums, made = _sums(role, projection, head, coding, arrays, right), shown if role == "value" else vector
            yield "  " + say(f"the {role} of each word{{}}{{}}:", times, by)
            for row, label in enumerate(arrays[name].labels[0]):
                yield f"    {label}: {made(arrays[name].values[row])}"
                yield from (f"      {line}" for line in (sums[row] if sums else ()))
    if head.position is None:
        return
    steps, half = frequencies(head.query.dims[0], head.position.base), head.position.layout == "half"
    planes = [(i, i + len(steps)) if half else (2 * i - 1, 2 * i) for i in range(1, SHOWN + 1)]
    pairs = zip(planes, steps, strict=False)
    angles = [say("numbers {} and {} by {}", str(a), str(b), _times(step)) for (a, b), step in pairs]
    angles += ["…"] * (len(steps) > SHOWN)
    yield "  " + say("queries and keys are turned by their position p = 0, 1, …: {} radians", listed(angles))
    yield "  " + say("a pair (a, b) turned by an angle x is (a cos x − b sin x, a sin x + b cos x)")
    for role in ("query", "key"):
        yield "  " + say(f"the {role} of each word, turned:")
        after, vectors = arrays[ROLES[role]], getattr(table, ROLES[role])
        plain = getattr(head, role)(arrays[role].values) if vectors is None else vectors
        for p, label in enumerate(after.labels[0]):
            yield "    " + say("{}, p = {}: {} becomes {}", label, str(p), vector(plain[p]), vector(after.values[p]))


def _sums(
    role: str, projection: Projection, head: Head, coding: Encoding, arrays: ByName, right: bool
) -> list[list[str]]:
    """Of each of few words the numbers of its query, key or value as sums; none where more than a matrix makes them."""
    further = projection.scale != 1 or getattr(head, role).bias is not None
    if projection.matrix is None or further or (head.position is not None and role != "value"):
        return []
    words = arrays[role].values[:, coding.part(projection.source, "from")]
    rows = np.transpose(projection.matrix) if right else np.array(projection.matrix)
    return [product(rows, word, right=right) for word in words] if len(words) * len(rows) <= 2 * LINES else []


def _similarity(table: HeadTable, head: Head, arrays: ByName, row: int, j: int) -> str:
    """The similarity s of a query and a key, and its sum with a bias, β s + bias or s + bias / β."""
    s, separation = float(arrays["scores"].values[row, j]), head.retrieval.separation
    query, key, text = arrays["queries"].values[row], arrays["keys"].values[j], f"{table.similarity} {number(s)}"
    if table.scores:
        text = say("{} (given)", number(s))
    elif table.similarity == "cosine":
        lengths = [float(np.linalg.norm(query)), float(np.linalg.norm(key))]
        sign = equals(s, written(query @ key) / written(lengths).prod())
        text = say("{}; divided by {} {} {}", dot(query, key), " × ".join(map(number, lengths)), sign, number(s))
    elif similarities[table.similarity].linear:
        text = dot(query, key)
    if table.bias is None:
        return text
    bias, beta = float(arrays["bias"].values[row, j]), separation.beta
    if beta == 1:
        return say("{}; with the bias {}", text, total([s, bias]))
    by_hand, times = written([s, bias]), written(beta)
    if name_of(separation) == "softmax" and short_base(beta) is None:  # the exponent of e
        terms = [f"{number(beta)}×{factor(s)}", factor(bias)]
        return say("{}; β s + bias = {}", text, addition(terms, by_hand * [times, 1], beta * s + bias, number))
    terms = [number(s), f"{factor(bias)} / {number(beta)}"]
    return say("{}; with the bias {}", text, addition(terms, by_hand / [1, times], s + bias / beta, number))


def _in_rows(matrix: Any) -> str:
    """A matrix as a file of x·W has it: its shape and, of a small one, its rows.

    >>> _in_rows([[1, 0.5], [0, 2]])
    'W (2, 2) = (1, .5), (0, 2)'
    """
    rows, columns = len(matrix), len(matrix[0])
    return f"W ({rows}, {columns})" + f" = {listed(map(vector, matrix))}" * (max(rows, columns) <= MANY)


def _layer(table: LayerTable, block: Block, codings: tuple[Encoding, Encoding], arrays: ByName) -> Iterator[str]:
    """The arithmetic of a layer.

    codings: of the words before it and after it. arrays: of the layer, with "input" and "source", or None there.
    """
    before, coding = arrays["input"], codings[0]
    shown, shown_before = (partial(in_parts, parts=one.parts) for one in codings[::-1])
    for norm, (name, (read, reader, of)) in zip(block.norms, SUBLAYERS.items(), strict=False):
        words, output = arrays.get(read, before), arrays[name]
        after = arrays.get("attended", arrays["state"]) if name == "output" else arrays["state"]
        if block.norm_first:
            yield say(f"the words are normalised before the {reader} them:")
            yield from _normalised(norm, before.values, words, shown_before if name == "output" else shown)
        inside = {**arrays, "input": words, "source": arrays["source"] or words}
        if name == "fed":
            yield from _neurons(block.feed_forward, inside, shown, table.right)
        else:
            yield from _heads(table, block.attention, codings, inside, shown)
        alone = "is the state" if before is None else "replaces the word"
        yield say(f"the word with the output{of} added:" if block.residual else f"the output{of} {alone}:")
        sums = before.values + output.values if block.residual else output.values
        for row, label in explained_rows(output.labels[0]):
            plain = block.residual and len(coding.parts) == 1
            yield f"  {label}: {total([before.values[row], output.values[row]]) if plain else shown(sums[row])}"
        if not block.norm_first and isinstance(norm, Normalisation):
            yield say("normalised:")
            yield from _normalised(norm, sums, after, shown)
        before = after


def _heads(
    table: LayerTable, attention: MultiHead, codings: tuple[Encoding, Encoding], arrays: ByName, shown: Shown
) -> Iterator[str]:
    """The arithmetic of the heads, and of their outputs together.

    arrays: of the layer, with "input" and "source", the words that queries, and keys and values, are made of.
    """
    if attention.heads[0].query.bias is not None:
        yield say("queries, keys and values contain the biases of the file too")
    words = {"query": arrays["input"], "key": arrays["source"], "value": arrays["source"]}
    own = [_below(arrays, f"head {j} ") | words for j in range(1, len(attention.heads) + 1)]
    for j, head in enumerate(attention.heads):
        yield say("head {}:", str(j + 1))
        yield from _head(table.heads[j], head, codings[0], own[j], vector if table.mapped else shown, table.right)
    output = arrays["output"]
    rows = [(row, label, shown(output.values[row])) for row, label in explained_rows(output.labels[0])]
    if table.mapped:
        matrix, title = attention.out.weight, say("the outputs of the heads side by side, by the output matrix:")
        if table.right:
            matrix, shape = matrix.T, map(str, matrix.T.shape)
            title = say("the outputs of the heads side by side, x·W by the output matrix W ({}, {}):", *shape)
        yield title
        yield from ("  " + say("row {} of it: {}", str(k), vector(row)) for k, row in enumerate(matrix[:MANY], start=1))
        bias = "" if attention.out.bias is None else f" + {vector(attention.out.bias)}"
        joined = np.concatenate([one["output"].values for one in own], axis=-1)
        for row, label, result in rows:
            yield "  " + say("{}: {}, mapped{}: {}", label, vector(joined[row]), bias, result)
    elif len(own) > 1 and (table.full or codings[0] is not codings[1]):
        yield say(f"the outputs of the heads {'added up' if codings[0] is codings[1] else 'side by side'}:")
        yield from (f"  {label}: {result}" for _, label, result in rows)


def _neurons(layer: Any, arrays: ByName, shown: Shown, right: bool) -> Iterator[str]:
    """The hidden neurons of each word, and the sum of the columns of W₂, each times its neuron, and the bias.

    arrays: of the layer, with "input", the words that it reads. right: whether the file writes the W of x·W.
    """
    yield say("the feed-forward layer, for each word by itself{}:", ", f(x·W₁ + b₁)·W₂ + b₂" * right)
    inner, outer, name = layer.inner, layer.outer, layer.activation
    for row, label in explained_rows(arrays["fed"].labels[0]):
        yield f"  {label}:"
        x, hidden, fed = (arrays[of].values[row] for of in ("input", "hidden", "fed"))
        few = len(hidden) <= MANY
        for k, line in enumerate(product(inner.weight, x, inner.bias, right=right) if few else ()):
            result = "" if name == "identity" else f"; {name}: {number(hidden[k])}"
            yield "    " + say("hidden neuron {}: {}{}", str(k + 1), line, result)
        if not few:
            yield "    " + say("{} hidden neurons ({}): {}", str(len(hidden)), name, vector(hidden))
        if np.count_nonzero(hidden) > MANY:
            yield "    " + say("output: sum over {} hidden neurons {} {}", str(len(hidden)), equals(fed), shown(fed))
        else:
            yield "    " + say("output: {}", weighted_sum(hidden, (), outer.weight.T, outer.bias, shown))


def _normalised(norm: Any, words: np.ndarray, result: Labelled, shown: Shown) -> Iterator[str]:
    """The mean, the variance and the normalised vector of each word."""
    for row, label in explained_rows(result.labels[0]):
        x, end = words[row], result.values[row]
        mean = float(np.mean(x)) if norm.centred else 0.0
        square = significant(float(np.mean((x - mean) ** 2)))
        about = say("mean square {}", square)
        if norm.centred:
            about = listed([say("mean {}", number(mean)), say("variance {}", square)])
        minus = f"x − {factor(mean)}" if norm.centred else "x"
        after = ((", times {}", norm.gain), (", plus {}", norm.shift))
        then = "".join(say(form, vector(by)) for form, by in after if by is not None)
        rule = f"({minus})/√({square} + {number(norm.epsilon)}){then}"
        yield f"  {label}: {vector(x)}: {about}; {rule} {equals(end)} {shown(end)}"
