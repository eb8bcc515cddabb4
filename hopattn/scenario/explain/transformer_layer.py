"""The arithmetic of a layer around its heads: output matrix, residual, normalisation, feed-forward layer."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from hopattn.foundation.writing import number, significant
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import MANY, added, dot, equals, factor, in_parts, vector, written
from hopattn.transformer.blocks import AttentionLayer, Block
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.normalisation import Normalisation

EXPLAINED_ROWS = 12
"""The length up to which every word of a text is explained; of a longer text, only the last word."""

Parts = Mapping[str, slice]


def explained_rows(rows: Sequence[str]) -> Sequence[int]:
    """The rows that are explained: all of a short text, the last of a long one."""
    return range(len(rows)) if len(rows) <= EXPLAINED_ROWS else [len(rows) - 1]


def explain_first_norm(layer: Block, words: Labelled, parts: Parts, i: int) -> Iterator[str]:
    """The normalisation of the words before the heads of layer i; nothing where the norm does not come first."""
    if layer.norm_first:
        yield f"layer {i}, the words are normalised before the heads read them:"
        yield from _normalised(layer.norms[0], words.values, words.labels[0], parts)


def explain_sublayers(
    layer: Block, parts: Parts, arrays: Mapping[str, Labelled], before: np.ndarray, i: int, mapped: bool
) -> Iterator[str]:
    """The arithmetic of layer i from the outputs of its heads to its state.

    arrays: of the run, by name. before: the words that go into the layer, `(n, dim)`. mapped: whether an output matrix
    maps the heads' outputs, which are else added up.
    """
    names = arrays[f"layer {i} output"].labels[0]
    heads = [arrays[f"layer {i} head {j} output"].values for j in range(1, len(layer.attention.heads) + 1)]
    output = arrays[f"layer {i} output"].values
    if mapped:
        yield f"layer {i}, the outputs of the heads side by side, by the output matrix:"
        yield from _mapped(layer.attention.out, np.concatenate(heads, axis=-1), output, names, parts)
    elif len(heads) > 1 and not isinstance(layer, AttentionLayer):
        yield f"layer {i}, the outputs of the heads added up:"
        yield from (f"  {names[row]}: {in_parts(output[row], parts)}" for row in explained_rows(names))
    yield from _added(layer, 0, (before, output), names, parts, i)
    if layer.feed_forward is None:
        return
    attended = arrays[f"layer {i} attended"].values
    read = arrays.get(f"layer {i} renormed", arrays[f"layer {i} attended"])
    if layer.norm_first:
        yield f"layer {i}, the words are normalised before the feed-forward layer reads them:"
        yield from _normalised(layer.norms[1], attended, names, parts)
    fed, hidden = (arrays[f"layer {i} {name}"].values for name in ("fed", "hidden"))
    yield f"layer {i}, the feed-forward layer, for each word by itself:"
    yield from _fed(layer.feed_forward, (read.values, hidden, fed), names, parts)
    yield from _added(layer, 1, (attended, fed), names, parts, i)


def _mapped(out: Affine, joined: np.ndarray, output: np.ndarray, names: Sequence[str], parts: Parts) -> Iterator[str]:
    bias = "" if out.bias is None else f" + {vector(np.asarray(out.bias))}"
    yield from (f"  row {k + 1} of it: {vector(row)}" for k, row in enumerate(np.asarray(out.weight)[:MANY]))
    for row in explained_rows(names):
        yield f"  {names[row]}: {vector(joined[row])}, mapped{bias}: {in_parts(output[row], parts)}"


def _added(
    layer: Block, k: int, terms: tuple[np.ndarray, np.ndarray], names: Sequence[str], parts: Parts, i: int
) -> Iterator[str]:
    """The residual of sub-layer k, and the norm behind it. terms: the words before it, and its output."""
    before, given = terms
    rule = "the word with the output added" if layer.residual else "the output replaces the word"
    yield f"layer {i}, {rule if k == 0 else rule.replace('output', 'output of the feed-forward layer')}:"
    total = before + given if layer.residual else given
    for row in explained_rows(names):
        sum_ = ""
        if layer.residual and len(parts) == 1:
            by_hand = added(np.stack([written(before[row]), written(given[row])], axis=-1))
            sum_ = f"{vector(before[row])} + {vector(given[row])} {equals(total[row], by_hand)} "
        yield f"  {names[row]}: {sum_}{in_parts(total[row], parts)}"
    if not layer.norm_first and isinstance(layer.norms[k], Normalisation):
        yield f"layer {i}, normalised:"
        yield from _normalised(layer.norms[k], total, names, parts)


def _normalised(norm: Callable[[Any], Any], words: np.ndarray, names: Sequence[str], parts: Parts) -> Iterator[str]:
    """The mean, the variance and the normalised vector of each word."""
    if not isinstance(norm, Normalisation):
        return
    for row in explained_rows(names):
        x = words[row]
        mean = float(np.mean(x)) if norm.centred else 0.0
        square = float(np.mean((x - mean) ** 2))
        shown = significant(square)
        about = f"mean {number(mean)}, variance {shown}" if norm.centred else f"mean square {shown}"
        minus = f"x − {factor(mean)}" if norm.centred else "x"
        after = "".join(
            f", {verb} {vector(np.asarray(own))}"
            for verb, own in (("times", norm.gain), ("plus", norm.shift))
            if own is not None
        )
        rule = f"({minus})/√({shown} + {number(norm.epsilon)}){after}"
        result = np.asarray(norm(x[None]))[0]
        yield f"  {names[row]}: {vector(x)}: {about}; {rule} {equals(result)} {in_parts(result, parts)}"


def _fed(
    layer: FeedForward, values: tuple[np.ndarray, np.ndarray, np.ndarray], names: Sequence[str], parts: Parts
) -> Iterator[str]:
    """The hidden neurons of each word and their sum. values: what the layer reads, its hidden neurons, its output."""
    read, hidden, fed = values
    inner, bias = np.asarray(layer.inner.weight), layer.inner.bias
    for row in explained_rows(names):
        yield f"  {names[row]}:"
        for k in range(len(inner)) if len(inner) <= MANY else ():
            field = float(inner[k] @ read[row])
            plus = ""
            if bias is not None:
                plus = f"; {number(field)} + {factor(float(bias[k]))} {_total(field, float(bias[k]))}"
            name = "" if layer.activation == "identity" else f"; {layer.activation}: {number(hidden[row, k])}"
            yield f"    hidden neuron {k + 1}: {dot(inner[k], read[row])}{plus}{name}"
        if len(inner) > MANY:
            yield f"    {len(inner)} hidden neurons ({layer.activation}): {vector(hidden[row])}"
        yield f"    output: {_weighted_columns(layer.outer, hidden[row], fed[row])} {in_parts(fed[row], parts)}"


def _weighted_columns(outer: Affine, hidden: np.ndarray, fed: np.ndarray) -> str:
    """The columns of W₂, each times its hidden neuron, and the bias, as a sum up to the sign before its result."""
    columns = np.asarray(outer.weight).T
    active = np.flatnonzero(hidden)
    if len(active) > MANY:
        return f"sum over {len(columns)} hidden neurons {equals(fed)}"
    terms = [f"{factor(hidden[k])}×{vector(columns[k])}" for k in active]
    by_hand = [*(written(hidden[active])[:, None] * written(columns[active]))]
    if outer.bias is not None:
        terms.append(vector(np.asarray(outer.bias)))
        by_hand.append(written(np.asarray(outer.bias)))
    if not terms:
        return "0 ="
    return f"{' + '.join(terms)} {equals(fed, added(np.stack(by_hand, axis=-1)))}"


def _total(field: float, bias: float) -> str:
    """The sum of a field and a bias behind its sign, as it is written."""
    return f"{equals(field + bias, added(written([field, bias])))} {number(field + bias)}"
