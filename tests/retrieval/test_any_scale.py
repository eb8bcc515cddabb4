"""Weights of scores of any size are right, with outliers of any size among them: against forty digits."""

from decimal import Decimal

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation import kernels
from hopattn.retrieval.blockwise import Blocks, stream
from hopattn.retrieval.similarity import Dot
from tests.counts import count
from tests.retrieval.exact_weights import exact

SEPARATIONS = [
    ("softmax", {}),
    ("sparsemax", {}),
    ("entmax", {"alpha": 1.5}),
    ("entmax", {"alpha": 1.25}),
    ("normmax", {"alpha": 2}),
    ("normmax", {"alpha": 1.5}),
    ("k_subsets", {"k": 1}),
    ("k_subsets", {"k": 2}),
    ("k_subsets", {"k": 4}),
]
SLOW = {"entmax", "normmax"}
"""Those whose reference takes milliseconds."""
BLOCKS = Blocks(cues=1, keys=2, threads=1)
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
    given = (scores * 10.0**scale).astype(dtype)
    reach = float(np.abs(given).max()) or 1.0
    wanted = rng.choice([1.0, 1.0, outlier, 10.0 ** rng.uniform(-3, 4)])
    return given, float(np.clip(float(wanted) / reach, float(numbers.smallest_normal), float(numbers.max) / 2))


def error(found, right):
    """The largest difference from decimal numbers."""
    return max(float(abs(Decimal(float(a)) - b)) for a, b in zip(found, right, strict=True))


def whole(separation, scores):
    return separation.weights(scores), separation.potential(scores)


def streamed(separation, scores):
    """The weights and Ψ of two like cues by blocks of two keys: of dim 1, so that a key is a score."""
    like = np.ones((2, 1), scores.dtype)
    found = stream(
        Dot(), separation, like, scores[:, None], np.eye(len(scores), dtype=scores.dtype), potential=True, sizes=BLOCKS
    )
    return found.field[0], found.potential[1]


def worst(name, parameters, dtype, cases, seed=0, how=whole):
    """The largest error of a weight, and of Ψ relative to Σ p|s| + the reach of its entropy, in multiples of ε."""
    rng, eps, found = np.random.default_rng(seed), float(np.finfo(dtype).eps), [0.0, 0.0]
    for _ in range(cases):
        scores, beta = drawn(rng, dtype, int(rng.integers(1, 7)))
        p, psi = exact(name, parameters, scores, beta)
        separation = ha.separations[name](beta=beta, **parameters)
        with np.errstate(over="ignore"):  # Ψ may be beyond the numbers
            weights, potential = how(separation, scores)
        assert weights.dtype == potential.dtype == dtype
        found[0] = max(found[0], error(weights, p) / eps)
        size = sum(q * abs(Decimal(float(s))) for q, s in zip(p, scores, strict=True)) + len(scores) / Decimal(beta)
        if size < Decimal(float(np.finfo(dtype).max)) / 4:
            found[1] = max(found[1], error([potential], [psi]) / eps / float(size))
    return found


@pytest.fixture(params=[False, True], ids=["numpy", "compiled"])
def either_kernel(request, monkeypatch):
    if request.param:
        request.getfixturevalue("loops_of_thresholds")
        monkeypatch.delenv(kernels.VARIABLE, raising=False)
        monkeypatch.setattr(kernels, "LARGE", dict.fromkeys(kernels.LARGE, 0))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters"), SEPARATIONS)
def test_weights_and_potentials_are_right(either_kernel, name, parameters, dtype):
    weights, potential = worst(name, parameters, dtype, count(400, 4) if name in SLOW else count(2000, 30))
    assert weights <= CLOSE
    assert potential <= CLOSE


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters"), [SEPARATIONS[0], SEPARATIONS[1], SEPARATIONS[-1]])
def test_those_by_blocks_are_right(either_kernel, name, parameters, dtype):
    weights, potential = worst(name, parameters, dtype, count(1000, 20), how=streamed)
    assert weights <= 2 * CLOSE
    assert potential <= 4 * CLOSE


@pytest.mark.parametrize(("name", "parameters"), SEPARATIONS)
def test_those_of_any_library_are_right(library, name, parameters):
    def by_library(separation, scores):
        given = library.array(scores)
        return library.numpy(separation.weights(given)), library.numpy(separation.potential(given))

    weights, potential = worst(name, parameters, "float64", count(40, 1), seed=1, how=by_library)
    assert weights <= CLOSE
    assert potential <= CLOSE


def test_attention_to_large_keys_with_a_small_beta_is_that_of_pytorch(torch):
    keys, values = np.eye(2, dtype=np.float32) * np.float32(1e10), np.eye(2, dtype=np.float32)
    given = (torch.asarray(one)[None] for one in (keys[:1], keys, values))
    right = torch.nn.functional.scaled_dot_product_attention(*given, scale=1e-20)
    np.testing.assert_allclose(ha.attention(keys[:1], keys, values, beta=1e-20), right[0], rtol=1e-6)


def test_k_subsets_lose_no_pattern_beside_an_outlier():
    assert ha.separations.k_subsets(k=3).weights(np.array([0, -1, -1e17])).tolist() == [1, 1, 1]
    assert ha.separations.k_subsets(k=2).weights(np.array([0, -1e9, -2e9], np.float32)).tolist() == [1, 1, 0]
    memory = ha.memories.k_subsets(np.array([[410, -328], [-181, 283]], np.float32), k=2, beta=1000.0)
    record = memory.recall(np.array([216, 68], np.float32))
    assert record.state.tolist() == [229, -45]
    assert np.all(np.diff(record.energies) <= 0)


@pytest.mark.parametrize("beta", [1e-2, 1e-6])
def test_of_one_visible_key_the_potential_is_its_score_by_blocks_too(either_kernel, beta):
    rng = np.random.default_rng(0)
    cues, keys = (rng.normal(size=(70, 4)).astype(np.float32) for _ in range(2))
    softmax, one = ha.separations.softmax(beta=beta), np.eye(70, dtype=bool)
    found = stream(Dot(), softmax, cues, keys, keys, one, potential=True, sizes=Blocks(16, 16, 1))
    np.testing.assert_allclose(found.potential, np.sum(cues.astype(float) * keys, axis=1), rtol=0, atol=1e-5)
