"""Weights of scores of any size are right, with outliers of any size among them: against forty digits."""

from decimal import Decimal

import numpy as np
import pytest

import hopattn as ha
from tests.draws import count
from tests.retrieval.exact_weights import exact

SEPARATIONS = [("softmax", {}), ("sparsemax", {})]
SEPARATIONS += [("entmax", {"alpha": alpha}) for alpha in (1.5, 1.25, 1.05)] + [
    ("k_subsets", {"k": k}) for k in (1, 2, 4)
]
SEPARATIONS += [("normmax", {"alpha": alpha}) for alpha in (2, 1.5)]
SLOW = {"entmax", "normmax"}
"""Those whose reference takes milliseconds."""
CLOSE = 4
"""The largest error of a weight, in multiples of ε."""


def drawn(rng, dtype, n):
    """Scores of any size with a β that makes their differences of any order, most often 1; some with outliers or ties.

    The sizes are from the smallest normal number to the largest.
    """
    numbers = np.finfo(dtype)
    least, most = np.log10(float(numbers.smallest_normal)) + 1, np.log10(float(numbers.max))
    scale = rng.choice([rng.uniform(least, most - 1e-6), rng.uniform(-2, 2), most - 1e-6])
    scores = rng.choice([rng.uniform(-1, 1, n), rng.normal(size=n) / 4, rng.integers(-2, 3, n) / 2.0])
    outlier = 10.0 ** rng.choice([0, 0, rng.uniform(3, 9), rng.uniform(9, 40)])
    scores[rng.random(n) < 0.3] *= outlier
    scores /= max(1.0, np.abs(scores).max())
    scores = (scores * 10.0**scale).astype(dtype)
    reach = float(np.abs(scores).max()) or 1.0
    wanted = rng.choice([1.0, 1.0, outlier, 10.0 ** rng.uniform(-3, 4)])
    return scores, float(np.clip(float(wanted) / reach, float(numbers.smallest_normal), float(numbers.max) / 2))


def error(found, right):
    """The largest difference from decimal numbers."""
    return max(float(abs(Decimal(float(a)) - b)) for a, b in zip(found, right, strict=True))


def whole(separation, scores):
    return separation.weights(scores), separation.potential(scores)


def streamed(separation, scores):
    """The weights and Ψ of one of a thousand like queries, by blocks of keys of dim 1, of which a mask leaves a few."""
    n, dtype, places = len(scores), scores.dtype, np.linspace(0, 1099, len(scores)).astype(int)
    queries, keys, values, seen = np.ones((1000, 1), dtype), np.zeros((1100, 1), dtype), np.zeros((1100, n), dtype), []
    keys[places, 0], values[places], seen = scores, np.eye(n), np.isin(np.arange(1100), places)
    weights = ha.attention(queries, keys, values, separation=separation, mask=seen)[-1]
    if separation.why_no_entropy:
        return weights, separation.potential(scores)
    return weights, -ha.transformer.free_energy(queries, keys, separation=separation, mask=seen).free[-1]


def worst(name, parameters, dtype, cases, seed=0, how=whole):
    """The largest error of a weight, and of Ψ relative to Σ p|s| + the reach of its entropy, in multiples of ε."""
    rng, eps, found = np.random.default_rng(seed), float(np.finfo(dtype).eps), [0.0, 0.0]
    for _ in range(cases):
        scores, beta = drawn(rng, dtype, int(rng.integers(1, 7)))
        p, psi = exact(name, parameters, scores, beta)
        separation = ha.separations[name](beta=beta, **parameters)
        size = sum(q * abs(Decimal(float(s))) for q, s in zip(p, scores, strict=True)) + len(scores) / Decimal(beta)
        in_range = size < Decimal(float(np.finfo(dtype).max)) / 4
        if how is streamed and not in_range:
            continue
        with np.errstate(over="ignore"):  # Ψ may be beyond the numbers
            weights, potential = how(separation, scores)
        assert weights.dtype == potential.dtype == dtype
        found[0] = max(found[0], error(weights, p) / eps)
        if in_range:
            found[1] = max(found[1], error([potential], [psi]) / eps / float(size))
    return found


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters"), SEPARATIONS)
def test_weights_and_potentials_are_right(name, parameters, dtype):
    weights, potential = worst(name, parameters, dtype, count(400, 6) if name in SLOW else count(2000, 30))
    close = CLOSE * max(1, 0.05 / (parameters.get("alpha", 2) - 1))
    assert weights <= close
    assert potential <= close


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters"), [SEPARATIONS[0], SEPARATIONS[1], ("k_subsets", {"k": 4})])
def test_those_by_blocks_are_right(name, parameters, dtype):
    weights, potential = worst(name, parameters, dtype, count(200, 10), how=streamed)
    assert weights <= 2 * CLOSE
    assert potential <= 4 * CLOSE


@pytest.mark.parametrize(("name", "parameters"), SEPARATIONS)
def test_those_of_any_library_are_right(library, name, parameters):
    def by_library(separation, scores):
        array = library.array(scores)
        return library.numpy(separation.weights(array)), library.numpy(separation.potential(array))

    weights, potential = worst(name, parameters, "float64", count(40, 1), seed=1, how=by_library)
    assert weights <= CLOSE
    assert potential <= CLOSE


def test_attention_to_large_keys_with_a_small_beta_is_that_of_pytorch(torch):
    keys, values = np.eye(2, dtype=np.float32) * np.float32(1e10), np.eye(2, dtype=np.float32)
    right = torch.nn.functional.scaled_dot_product_attention(
        *(torch.asarray(one)[None] for one in (keys[:1], keys, values)), scale=1e-20
    )
    np.testing.assert_allclose(ha.attention(keys[:1], keys, values, beta=1e-20), right[0], rtol=1e-6)


def test_k_subsets_lose_no_pattern_beside_an_outlier():
    assert ha.separations.k_subsets(k=3).weights(np.array([0, -1, -1e17])).tolist() == [1, 1, 1]
    assert ha.separations.k_subsets(k=2).weights(np.array([0, -1e9, -2e9], np.float32)).tolist() == [1, 1, 0]
    memory = ha.memories.k_subsets(np.array([[410, -328], [-181, 283]], np.float32), k=2, beta=1000.0)
    record = memory.recall(np.array([216, 68], np.float32))
    assert record.state.tolist() == [229, -45]
    assert np.all(np.diff(record.energies, axis=0) <= 0)


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
