"""Random features against their formula and the exponential of the dot product; positivity at every size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.features import feature_maps
from hopattn.retrieval.similarity import FeatureMap
from tests.draws import arrays, count

RNG = np.random.default_rng(0)
QUERY, KEY = 0.8 * ha.unit(RNG.normal(size=4)), 0.9 * ha.unit(RNG.normal(size=4))


def estimates(n, trials, orthogonal=True, beta=1.0, query=QUERY, key=KEY):
    """The estimate of exp(β k·q) by each of the seeds from 0 on."""
    made = [ha.retrieval.RandomFeatures(n, rng=seed, orthogonal=orthogonal, beta=beta) for seed in range(trials)]
    return np.array([one.kernel(query, key[None])[0] for one in made])


@pytest.mark.parametrize("orthogonal", [True, False])
def test_features_are_the_formula_of_the_paper(orthogonal):
    phi = ha.retrieval.RandomFeatures(7, rng=3, orthogonal=orthogonal, beta=0.5)
    x, w = RNG.normal(size=(2, 3)), phi.directions(3)
    expected = [[np.exp(np.sqrt(0.5) * w_i @ row - 0.25 * row @ row) / np.sqrt(7) for w_i in w] for row in x]
    np.testing.assert_allclose(phi(x), expected, rtol=1e-13)
    np.testing.assert_allclose(phi.kernel(x, x), np.array(expected) @ np.transpose(expected), rtol=1e-13)
    np.testing.assert_allclose(phi.kernel(x[0], x), phi.kernel(x, x)[0], rtol=1e-13)


@pytest.mark.parametrize("orthogonal", [True, False])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_the_mean_over_the_seeds_is_the_exponential(orthogonal, beta):
    """2,000 seeds (300 in a quick run), of 8 features each: the mean lies within 4 standard errors."""
    found = estimates(8, count(2000, 300), orthogonal, beta)
    error = found.std(ddof=1) / np.sqrt(len(found))
    assert error < 0.1 * np.exp(beta * QUERY @ KEY)
    assert abs(found.mean() - np.exp(beta * QUERY @ KEY)) < 4 * error


def test_the_error_falls_like_one_over_the_root_of_the_number_of_features():
    """16 times the independent features: a quarter of the error, which 800 seeds (200) tell to about a tenth."""
    trials = count(800, 200)
    few, many = (estimates(n, trials, orthogonal=False).std() for n in (16, 256))
    assert few / many == pytest.approx(4, rel=0.25)


def test_squares_along_orthogonal_directions_balance_each_other():
    """E (ω₁·s)²(ω₂·s)² = d/(d + 2) for unit s, not 1 as of independent ω: the error of a sum of features is smaller."""
    for orthogonal, expected in ((True, 0.5), (False, 1.0)):
        along = (
            ha.retrieval.RandomFeatures(count(200_000, 12_000), rng=1, orthogonal=orthogonal)
            .directions(2)[:, 0]
            .reshape(-1, 2)
        )
        products = np.prod(along**2, axis=1)
        assert abs(products.mean() - expected) < 4 * products.std() / np.sqrt(len(products)) < count(0.05, 0.2)


def test_directions_are_orthogonal_in_groups_with_the_lengths_of_normal_vectors():
    w = ha.retrieval.RandomFeatures(1000, rng=1).directions(5)
    for group in np.split(w, 200):
        products = group @ group.T
        np.testing.assert_allclose(products - np.diag(np.diagonal(products)), 0, atol=1e-12)
    squares = np.sum(w * w, axis=1)  # chi-square of 5: mean 5, variance 10
    assert squares.mean() == pytest.approx(5, abs=4 * np.sqrt(10 / 1000))
    np.testing.assert_allclose(w.T @ w / 1000, np.eye(5), atol=0.2)
    assert ha.retrieval.RandomFeatures(3, rng=0).directions(5).shape == (3, 5)


def test_a_seed_gives_the_same_directions_and_a_generator_gives_a_seed():
    assert np.array_equal(
        ha.retrieval.RandomFeatures(9, rng=4).directions(3), ha.retrieval.RandomFeatures(9, rng=4).directions(3)
    )
    assert not np.array_equal(
        ha.retrieval.RandomFeatures(9, rng=4).directions(3), ha.retrieval.RandomFeatures(9, rng=5).directions(3)
    )
    one, other = (ha.retrieval.RandomFeatures(9, rng=np.random.default_rng(4)) for _ in range(2))
    assert one == other and isinstance(one.rng, int)
    one.directions(3)[:] = 0
    assert np.all(one.directions(3))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@given(data=st.data(), powers=st.tuples(st.integers(-300, 307), st.integers(-300, 307)))
def test_no_score_is_zero_or_infinite_whatever_the_size_of_the_vectors(dtype, data, powers):
    most = 307 if dtype is np.float64 else 37
    scales = [10.0 ** max(-most, min(power, most)) for power in powers]
    cues, keys = ((data.draw(arrays((3, 2))) / 8 * scale).astype(dtype) for scale in scales)
    phi = ha.retrieval.RandomFeatures(6, beta=data.draw(st.sampled_from([1e-300, 0.5, 1.0, 1e300])), rng=0)
    scores = phi.kernel(cues, keys)
    assert scores.dtype == dtype and np.all(np.isfinite(scores)) and np.all(scores > 0)
    assert np.all(phi(cues) > 0) and np.all(np.isfinite(phi(cues)))
    assert np.all(np.isfinite(phi.log_kernel(cues, keys)))


@pytest.mark.parametrize(("dtype", "size", "error"), [(np.float64, 90, 1e-12), (np.float32, 12, 1e-5)])
def test_every_score_keeps_its_logarithm(dtype, size, error, library):
    """By the logarithms of the single products, in scores far beyond the range of the numbers, large and small."""
    phi = ha.retrieval.RandomFeatures(50, rng=2)
    x = size * np.random.default_rng(5).normal(size=(3, 4))
    x = np.concatenate([x, -x]).astype(dtype)
    exponents = phi.exponents(x.astype(float))
    expected = np.logaddexp.reduce(exponents[:, None, :] + exponents[None], axis=-1)
    largest = exponents.max(-1)[:, None] + exponents.max(-1)
    assert (expected - largest).min() < np.log(np.finfo(dtype).tiny)  # no product of the row's and column's largest
    np.testing.assert_allclose(phi.log_kernel(x, x), expected, rtol=error)
    np.testing.assert_allclose(phi.log_kernel(x[0], x), expected[0], rtol=error)
    batch = phi.log_kernel(np.stack([x, 2 * x]), x)
    np.testing.assert_allclose(batch[0], expected, rtol=error)
    if dtype is np.float64:
        wide, small = library.array(x), library.array(x / size)
        np.testing.assert_allclose(library.numpy(phi(small)), phi(x / size), rtol=1e-12)
        np.testing.assert_allclose(library.numpy(phi.kernel(small, small)), phi.kernel(x / size, x / size), rtol=1e-12)
        np.testing.assert_allclose(library.numpy(phi.log_kernel(wide, wide)), expected, rtol=error)


@pytest.mark.parametrize("length", [15, 20, 30])
def test_opposite_vectors_have_the_score_of_their_length(length):
    """φ(k)·φ(−k) = exp(−|k|²) at β = 1, whatever the directions: the exponents along ω cancel."""
    x = np.zeros((1, 4), np.float32)
    x[0, 0] = length
    assert ha.retrieval.RandomFeatures(256, rng=1).log_kernel(x, -x)[0, 0] == pytest.approx(-(length**2), rel=1e-6)


def test_derivatives_are_those_of_the_plain_formula(torch):
    phi = ha.retrieval.RandomFeatures(16, rng=1)
    w = torch.tensor(phi.directions(4))
    x, y = (torch.tensor(RNG.normal(size=(3, 4)), requires_grad=True) for _ in range(2))

    def plain(a):
        return torch.exp(a @ w.mT - (a * a).sum(-1, keepdim=True) / 2) / 4

    for found, expected in zip(
        torch.autograd.grad((phi.kernel(x, y) ** 2).sum(), (x, y)),
        torch.autograd.grad(((plain(x) @ plain(y).mT) ** 2).sum(), (x, y)),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_memory_with_random_features_is_near_the_softmax_and_keeps_them_in_its_file(tmp_path):
    keys, values = 0.6 * ha.unit(RNG.normal(size=(6, 4))), RNG.normal(size=(6, 2))
    phi = ha.retrieval.RandomFeatures(4096, rng=5)
    memory = ha.memories.linear(keys, values, feature_map=phi, normalise=True)
    np.testing.assert_allclose(memory.step(keys), ha.Memory(keys, values).step(keys), atol=0.05)
    memory.save(tmp_path / "m.npz")
    again = ha.load(tmp_path / "m.npz")
    assert again.similarity == FeatureMap(phi)
    assert np.array_equal(again.step(keys), memory.step(keys))


@given(x=arrays((4, 3)))
def test_features_that_are_not_negative_are_not(x):
    for features in feature_maps.values():
        if features.nonnegative:
            assert np.all(features()(x) >= 0)
    assert not feature_maps["identity"].nonnegative
    assert not ha.similarities.feature_map("identity")(np.array([-1.0]), np.array([[1.0]])) > 0
