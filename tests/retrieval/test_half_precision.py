"""Half precision: sums of many weights keep their size, on every library."""

import numpy as np
import pytest

import hopattn as ha

MANY = 70_000
"""More like keys than the largest number of half precision, 65,504."""


@pytest.mark.parametrize("n_cues", [2, 40])
@pytest.mark.parametrize("separation", ["softmax", "identity", "entmax"])
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


def test_scores_beyond_half_precision_are_those_of_the_weights():
    memory, cues = ha.Memory(np.full((2, 64), 60, np.float16)), np.full((1, 64), 60, np.float16)
    assert memory.scores(cues).tolist() == [[64 * 3600.0] * 2] and memory.weights(cues).tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize("shape", [(2, 3), (600, 3)])
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


@pytest.mark.parametrize(
    ("dtype", "n", "loss"), [("float16", MANY, 0.0), ("bfloat16", 1_000_000, 0.0), ("float32", 400_000, 2e-5)]
)
def test_the_average_of_many_ones_is_one_in_pytorch(torch, dtype, n, loss):
    kind = getattr(torch, dtype)
    keys, ones = torch.zeros(n, 2, dtype=kind), torch.ones(n, 1, dtype=kind)
    for cue in (torch.zeros(1, 2, dtype=kind), torch.zeros(2, dtype=kind)):
        assert abs(ha.Memory(keys, ones).step(cue).double() - 1).max() <= loss
    texts = torch.zeros(2, 1, 2, dtype=kind), keys.expand(2, n, 2), ones
    assert abs(ha.attention(*texts).double() - 1).max() <= loss
