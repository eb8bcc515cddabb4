"""Half precision: traces agree with outputs, and every layer keeps the type."""

import numpy as np
import scipy.special

import hopattn as ha
from hopattn.transformer.feed_forward import NONLINEARITIES
from tests.each import each

LARGE = [[300.0, 0.0], [0.0, 300.0]]
"""A text whose scores, 90,000, are beyond half precision."""


def test_the_trace_of_a_head_is_its_output(torch):
    eye, text = np.eye(2, dtype=np.float16), np.array(LARGE, np.float16)
    of_torch = torch.eye(2, dtype=torch.float16), torch.tensor(LARGE, dtype=torch.float16)
    for matrix, x in ((eye, text), of_torch):
        head = ha.Head(matrix, matrix, matrix)
        trace = head.trace(x)
        assert trace.scores.tolist() == [[90000, 0], [0, 90000]]
        assert trace.weights.tolist() == [[1, 0], [0, 1]]
        assert trace.output.dtype == x.dtype and trace.output.tolist() == head(x).tolist() == LARGE


def test_the_trace_of_a_decoder_is_its_output():
    cell = ha.transformer.Recurrent(np.ones((2, 4), np.float16), np.eye(2, dtype=np.float16), activation="identity")
    decoder = ha.transformer.RecurrentDecoder(cell)
    trace = decoder.trace(
        np.zeros((1, 2), np.float16), np.array(LARGE, np.float16), start=np.array([300.0, 0.0], np.float16)
    )
    assert trace.scores.tolist() == [[90000, 0]]
    assert trace.weights.tolist() == [[1, 0]]
    assert trace.contexts.dtype == np.float16 and trace.contexts.tolist() == [[300, 0]]


@each("name", list(NONLINEARITIES))
def test_a_block_of_half_precision_stays_so(name):
    rng = np.random.default_rng(0)
    drawn = [(rng.normal(size=shape) / 2) for shape in ((4, 4), (4, 4), (4, 4), (4, 4), (6, 4), (4, 6), (4,), (4,))]

    def block(dtype):
        query, key, value, out, w_in, w_out, gain, shift = (one.astype(dtype) for one in drawn)
        heads = ha.MultiHead([ha.Head(query, key, value)], out)
        return ha.Block(
            heads, ha.transformer.FeedForward(w_in, w_out, name), [ha.transformer.LayerNorm(gain, shift)] * 2
        )

    x = rng.normal(size=(3, 4))
    found = block(np.float16)(x.astype(np.float16))
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, block(np.float64)(x), atol=0.02)
    assert block(np.float32)(x.astype(np.float32)).dtype == np.float32


def test_gelu_keeps_the_digits_of_half_precision_below_0(torch):
    x = np.array([-4.0, -3.0, -1.0, 0.5], np.float16)
    expected = x.astype(float) * scipy.special.ndtr(x.astype(float))
    for found in (NONLINEARITIES["gelu"](x), NONLINEARITIES["gelu"](torch.tensor(x))):
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=2e-3)
