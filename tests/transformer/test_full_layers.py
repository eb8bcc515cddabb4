"""The layer with all its arrays: it is the block, and each array is what its name says, computed anew in NumPy."""

import numpy as np
import pytest
from scipy.special import softmax

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import Identity
from hopattn.transformer.full_layers import FullLayer
from hopattn.transformer.layers import stack
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
    return ha.FeedForward(ha.Affine(INNER, BIAS), OUTER, "tanh")


def heads_of(words, source):
    """One head of softmax attention, mapped by the output matrix."""
    return softmax(words @ QUERY.T @ (source @ KEY.T).T, axis=-1) @ source @ VALUE.T @ OUT.T


def standard(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


@each("norm_first", [False, True])
@each("residual", [False, True])
def test_it_is_the_block_and_names_its_arrays(norm_first, residual):
    norms = [ha.Normalisation()] * 2
    block = ha.Block(attention(), fed(), norms, norm_first, residual=residual)
    trace = FullLayer.of(block).trace(X)
    assert np.array_equal(trace.state, block(X)) and np.array_equal(trace.state, FullLayer.of(block)(X))
    normed = standard(X) if norm_first else X
    output = heads_of(normed, normed)
    summed = residual * X + output
    attended = summed if norm_first else standard(summed)
    renormed = standard(attended) if norm_first else attended
    hidden = np.tanh(renormed @ INNER.T + BIAS)
    expected = {"normed": normed, "output": output, "attended": attended, "renormed": renormed, "hidden": hidden}
    expected |= {"summed": summed, "fed": hidden @ OUTER.T}
    for name, array in expected.items():
        np.testing.assert_allclose(getattr(trace, name), array, rtol=0, atol=1e-12, err_msg=name)


def test_without_a_feed_forward_layer_it_ends_after_the_attention():
    trace = FullLayer(attention(), None, [ha.Normalisation()]).trace(X)
    np.testing.assert_allclose(trace.state, standard(X + heads_of(X, X)), rtol=0, atol=1e-12)
    assert trace.hidden is trace.fed is trace.renormed is None


def test_keys_and_values_may_come_from_another_text():
    layer = FullLayer(attention(), fed(), [Identity()] * 2)
    attended = X + heads_of(X, SOURCE)
    expected = attended + np.tanh(attended @ INNER.T + BIAS) @ OUTER.T
    np.testing.assert_allclose(layer(X, source=SOURCE), expected, rtol=0, atol=1e-12)
    assert np.array_equal(stack([layer], X, source=SOURCE)[0].state, layer(X, source=SOURCE))


@each(
    ("parts", "message"),
    [
        ((fed(), [Identity()]), "norms: expected 2, one for each sub-layer, not 1"),
        ((None, [Identity()] * 2), "norms: expected 1, one for each sub-layer, not 2"),
        ((ha.FeedForward(np.eye(3), np.ones((DIM, 3))), [Identity()] * 2), "feed_forward"),
        ((ha.FeedForward(np.ones((3, DIM)), np.eye(3)), [Identity()] * 2), "feed_forward"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts, message):
    with pytest.raises(InvalidInput, match=message):
        FullLayer(attention(), *parts)


def test_the_layer_of_a_decoder_is_refused():
    crossed = ha.Block(attention(), fed(), [Identity()] * 3, cross=attention())
    with pytest.raises(InvalidInput, match="has a cross-attention, as the layer of a decoder"):
        FullLayer.of(crossed)
