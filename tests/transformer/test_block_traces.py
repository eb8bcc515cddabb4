"""The trace of a block: each array is what its name says, computed anew in NumPy; blocks of some parts only."""

import numpy as np
import pytest
from scipy.special import softmax

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import Identity
from tests.each import each

DIM, HIDDEN = 4, 6
RNG = np.random.default_rng(3)
QUERY, KEY, VALUE = (RNG.normal(size=(3, DIM)) for _ in range(3))
OUT, INNER, OUTER = RNG.normal(size=(DIM, 3)), RNG.normal(size=(HIDDEN, DIM)), RNG.normal(size=(DIM, HIDDEN))
BIAS = RNG.normal(size=HIDDEN)
X, SOURCE = RNG.normal(size=(5, DIM)), RNG.normal(size=(3, DIM))


def attention():
    return ha.MultiHead([ha.Head(QUERY, KEY, VALUE, mask="none")], OUT)


def fed():
    return ha.transformer.FeedForward(ha.transformer.Affine(INNER, BIAS), OUTER, "tanh")


def heads_of(words, source):
    """One head of softmax attention, mapped by the output matrix."""
    return softmax(words @ QUERY.T @ (source @ KEY.T).T, axis=-1) @ source @ VALUE.T @ OUT.T


def standard(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


@each("norm_first", [False, True])
@each("residual", [False, True])
def test_a_trace_holds_every_array(norm_first, residual):
    norms = [ha.transformer.LayerNorm()] * 2
    block = ha.Block(attention(), fed(), norms, norm_first, residual=residual)
    trace = block.trace(X)
    assert np.array_equal(trace.state, block(X))
    normed = standard(X) if norm_first else X
    output = heads_of(normed, normed)
    summed = residual * X + output
    attended = summed if norm_first else standard(summed)
    renormed = standard(attended) if norm_first else attended
    hidden = np.tanh(renormed @ INNER.T + BIAS)
    pairs = [*zip(trace.read, (normed, renormed), strict=True), (trace.output, output), (trace.hidden, hidden)]
    pairs += [(trace.given[1], hidden @ OUTER.T), (trace.summed[0], summed), (trace.states[0], attended)]
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_without_a_feed_forward_layer_it_ends_after_the_attention():
    trace = ha.Block(attention(), norms=[ha.transformer.LayerNorm()]).trace(X)
    np.testing.assert_allclose(trace.state, standard(X + heads_of(X, X)), rtol=0, atol=1e-12)
    assert trace.hidden is None and len(trace.states) == 1


def test_keys_and_values_may_come_from_another_text():
    layer = ha.Block(attention(), fed())
    attended = X + heads_of(X, SOURCE)
    expected = attended + np.tanh(attended @ INNER.T + BIAS) @ OUTER.T
    np.testing.assert_allclose(layer(X, source=SOURCE), expected, rtol=0, atol=1e-12)
    assert np.array_equal(ha.transformer.stack([layer], X, source=SOURCE)[0].state, layer(X, source=SOURCE))


@each("crossed", [False, True])
def test_a_stack_and_messages_take_blocks(crossed):
    norms = [ha.transformer.LayerNorm()] * (3 if crossed else 2)
    block = ha.Block(attention(), fed(), norms, cross=attention() if crossed else None)
    source = SOURCE if crossed else None
    assert np.array_equal(ha.transformer.stack([block], X, source=source)[0].state, block(X, source=source))
    passed = ha.transformer.layer_by_messages(block, X, source=source)
    np.testing.assert_allclose(passed.state, block(X, source=source), rtol=1e-12)
    assert [graph.number_of_edges() for graph in passed.graphs] == ([25, 15] if crossed else [25])


@each(
    ("parts", "message"),
    [
        ((fed(), [Identity()]), "norms: expected 2, one for each sub-layer, not 1"),
        ((None, [Identity()] * 2), "norms: expected 1, one for each sub-layer, not 2"),
        ((ha.transformer.FeedForward(np.eye(3), np.ones((DIM, 3))), [Identity()] * 2), "feed_forward"),
        ((ha.transformer.FeedForward(np.ones((3, DIM)), np.eye(3)), [Identity()] * 2), "feed_forward"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, message):
    with pytest.raises(InvalidInput, match=message):
        ha.Block(attention(), *parts)
