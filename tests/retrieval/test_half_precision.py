"""Half precision: sums of many weights keep their size, on every library."""

import numpy as np
import pytest

import hopattn as ha
from tests.each import each

MANY = 70_000
"""More like keys than the largest number of half precision, 65,504."""


@each("n_cues", [2, 40])
@each("separation", ["softmax", "identity", "entmax"])
def test_many_like_keys_share_the_weight(separation, n_cues):
    keys = np.full((MANY, 2), 0.5, np.float16)
    cues = np.full((n_cues, 2), 0.5, np.float16)
    state = ha.Memory(keys, separation=separation, beta=1.0, activation="unit").step(cues)
    assert state.dtype == np.float16
    np.testing.assert_allclose(state.astype(float), np.sqrt(0.5), rtol=1e-3)


def test_the_weights_sum_to_one():
    memory = ha.Memory(np.ones((MANY, 2), np.float16))
    weights = memory.weights(np.ones(2, np.float16))
    assert weights.dtype == np.float16
    assert weights.astype(float).sum() == pytest.approx(1, rel=5e-2)  # each is a subnormal number with few digits


@each("shape", [(2, 3), (600, 3)])
def test_attention_in_half_precision_is_that_in_double_up_to_its_rounding(shape):
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=shape), rng.normal(size=(2000, 3)), rng.normal(size=(2000, 3))
    found = ha.attention(*(one.astype(np.float16) for one in (q, k, v)))
    np.testing.assert_allclose(found.astype(float), ha.attention(q, k, v), atol=4e-3)


def test_attention_of_pytorch(torch):
    like = torch.ones((MANY, 2), dtype=torch.float16)
    found = ha.attention(like[:3], like, like)
    assert found.dtype == torch.float16
    assert torch.allclose(found, like[:3], atol=2e-3)
