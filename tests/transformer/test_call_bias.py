"""The bias of a call: with every separation and every β, and in the numbers of the scores."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Retrieval
from tests.each import each


@each(
    ("dtype", "beta", "bias"),
    [
        (np.float32, 1e-20, 40),
        (np.float32, 1e-45, 40),
        (np.float64, 1e-160, 40),
        (np.float64, 1e-308, 1000),
        (np.float64, 5e-324, 1000),
        (np.float64, 1e300, 40),
    ],
)
def test_a_bias_keeps_its_size_at_every_beta(dtype, beta, bias):
    """Scores of 0: the weights are those of the bias alone, exp(−bias) of the second key, which is below rounding."""
    q, keys, values = np.zeros((1, 2), dtype), np.zeros((2, 2), dtype), np.array([[1], [2]], dtype)
    added = np.array([[bias, 0]], dtype)
    assert ha.attention(q, keys, values, beta=beta, bias=added).tolist() == [[1.0]]
    head = ha.Head(np.eye(2, dtype=dtype), np.eye(2, dtype=dtype), np.ones((1, 2), dtype), beta=beta, mask="none")
    weights = head.trace(keys, bias=added).weights
    np.testing.assert_allclose(weights, [[1, 0], [1, 0]], atol=1e-15)
    half = np.array([[np.log(3.0), 0]], dtype)
    np.testing.assert_allclose(ha.attention(q, keys, values, beta=beta, bias=half), [[1.25]], rtol=1e-6)


@given(seed=st.integers(0, 2**32 - 1), beta=st.sampled_from([0.3, 1.0, 2.5]))
@each("name", list(separations))
def test_it_is_the_bias_over_beta_added_to_the_scores_of_every_separation(name, seed, beta):
    """The weights and the potential of the sum, as the separation itself gives them."""
    rng = np.random.default_rng(seed)
    q, k, v, bias = (rng.uniform(0.2, 1, size) for size in ((3, 4), (5, 4), (5, 2), (3, 5)))
    separation = separations[name](beta=beta)
    step = Retrieval(Dot(), separation, Identity())
    expected = separation.weights(q @ k.T + bias / beta)
    np.testing.assert_allclose(step.weights(q, k, bias=bias), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(step(q, k, v, bias=bias).state, expected @ v, rtol=1e-9, atol=1e-12)
    if not separation.why_no_potential:
        found = (q * q).sum(axis=-1) / 2 - step(q, k, bias=bias, energy=True).energy
        np.testing.assert_allclose(found, separation.potential(q @ k.T + bias / beta), rtol=1e-9, atol=1e-12)


@each("dtype", [np.float16, np.float32, np.float64])
@each("of_bias", [np.float16, np.float32, np.float64])
def test_a_bias_does_not_change_the_dtype_of_the_result(dtype, of_bias):
    x, bias = np.eye(3, dtype=dtype), ha.positions.alibi(1, 3)[0].astype(of_bias)
    matrices = [np.eye(3, dtype=dtype)] * 3
    heads = ha.MultiHead([ha.Head(*matrices)], np.eye(3, dtype=dtype))
    assert ha.attention(x, x, x, bias=bias).dtype == dtype
    assert ha.Head(*matrices)(x, bias=bias).dtype == dtype
    assert heads(x, bias=bias).dtype == dtype
    assert ha.Head(*matrices).trace(x, bias=bias).output.dtype == dtype


def test_a_bias_beyond_single_precision_decides_alone():
    x, v = np.zeros((1, 2), np.float32), np.array([[1.0], [2.0]], np.float32)
    for bias, expected in (([[1e300, 0]], 1.0), ([[-1e300, 0]], 2.0), ([[-1e300, -1e300]], 1.5)):
        assert ha.attention(x, np.zeros((2, 2), np.float32), v, bias=np.array(bias)).tolist() == [[expected]]
