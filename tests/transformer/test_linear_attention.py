"""Linear attention: sums equal scores, masks, chunks, word by word; large and small exponents; the delta rule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import FeatureMap
from hopattn.retrieval.step import Step
from hopattn.transformer import LinearState, linear_attention
from tests.draws import count

RANDOM = ha.retrieval.RandomFeatures(12, rng=1, beta=0.5)
FEATURES = ["identity", "relu", "elu", RANDOM]
CASES = [(phi, normalise) for phi in FEATURES for normalise in (False, True) if (phi, normalise) != ("identity", True)]
every = pytest.mark.parametrize(("features", "normalise"), CASES)
seeds = st.integers(0, 2**32 - 1)
chunks = st.sampled_from([1, 2, 3, 64])


def texts(seed, n, m=None, batch=()):
    rng = np.random.default_rng(seed)
    m = n if m is None else m
    return (rng.normal(size=(*batch, rows, dim)) for rows, dim in ((n, 3), (m, 3), (m, 2)))


def by_scores(q, k, v, features, normalise, mask):
    """The quadratic form: one step of recall, with all scores."""
    separation = separations["proportional" if normalise else "identity"]()
    return Step(FeatureMap(features), separation)(q, k, v, mask=mask)


def by_loops(q, k, v, features, normalise, mask):
    """S ← S + φ(k) vᵀ and z ← z + φ(k), word by word, with the paper's letters."""
    phi, outputs = LinearState(features, normalise=False).phi, []
    s, z = 0, 0
    for query, key, value in zip(q, k, v, strict=True):
        before = s, z
        s, z = s + np.outer(phi(key), value), z + phi(key)
        seen, total = before if mask == "strict" else (s, z)
        field = phi(query) @ seen if np.ndim(seen) else np.zeros(v.shape[-1])
        below = np.sum(phi(query) * total)
        outputs.append(field if not normalise else field / below if below else 0 * field)
    return np.array(outputs)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * max(1, np.abs(expected).max()))


@given(seed=seeds, n=st.integers(1, 9), chunk=chunks)
@every
@pytest.mark.parametrize("mask", ["causal", "strict"])
def test_sums_are_scores_and_the_loops_of_the_paper(features, normalise, mask, seed, n, chunk):
    q, k, v = texts(seed, n)
    found = linear_attention(q, k, v, features=features, mask=mask, normalise=normalise, chunk=chunk)
    close(found, by_scores(q, k, v, features, normalise, mask))
    close(found, by_loops(q, k, v, features, normalise, mask))


@given(seed=seeds, n=st.integers(1, 5), more=st.integers(0, 4), chunk=chunks)
@every
@pytest.mark.parametrize("mask", [None, "causal", "strict"])
def test_batches_and_queries_that_are_the_last_words(features, normalise, mask, seed, n, more, chunk):
    q, k, v = texts(seed, n, n + more, batch=(2, 3))
    found = linear_attention(q, k, v, features=features, mask=mask, normalise=normalise, chunk=chunk)
    close(found, by_scores(q, k, v, features, normalise, mask))
    shared = linear_attention(q, k[0, 0], v[0, 0], features=features, mask=mask, normalise=normalise, chunk=chunk)
    close(shared[0, 0], found[0, 0])


@given(seed=seeds)
@every
def test_it_is_the_memory_and_the_head(features, normalise, seed):
    q, k, v = texts(seed, 4)
    close(
        linear_attention(q, k, v, features=features, normalise=normalise),
        ha.memories.linear(k, v, feature_map=features, normalise=normalise).step(q),
    )
    separation = "proportional" if normalise else "identity"
    head = ha.Head(
        np.eye(3), np.eye(3), np.eye(3), similarity=FeatureMap(features), separation=separation, mask="causal"
    )
    close(linear_attention(q, q, q, features=features, mask="causal", normalise=normalise), head(q))


@given(seed=seeds, n=st.integers(2, 9))
@every
def test_word_by_word_with_a_state_that_does_not_grow(features, normalise, seed, n):
    q, k, v = texts(seed, n)
    state, outputs, sizes = LinearState(features, normalise=normalise), [], set()
    for i in range(n):
        state = state.extended(k[i : i + 1], v[i : i + 1])
        outputs.append(state.read(q[i : i + 1]))
        sizes.add(state.couplings.shape)
    close(np.concatenate(outputs), linear_attention(q, k, v, features=features, mask="causal", normalise=normalise))
    assert len(sizes) == 1 and state.length == n
    whole = LinearState(features, normalise=normalise).extended(k, v)
    close(whole.read(q), state.read(q))
    halves, middle = LinearState(features, normalise=normalise).attended(q[:1], k[:1], v[:1])
    rest, end = middle.attended(q[1:], k[1:], v[1:], chunk=2)
    close(np.concatenate([halves, rest]), np.concatenate(outputs))
    close(end.read(q), state.read(q))


def test_many_random_features_are_the_softmax():
    """The error over a text and 20 seeds (8): a quarter with 16 times the features."""
    rng = np.random.default_rng(3)
    q, k, v = (0.7 * rng.normal(size=(12, 4)) for _ in range(3))
    expected = ha.attention(q, k, v, mask="causal")

    def error(n):
        made = [ha.retrieval.RandomFeatures(n, rng=seed, beta=0.5) for seed in range(count(20, 8))]
        found = [linear_attention(q, k, v, features=one, mask="causal") for one in made]
        return np.sqrt(np.mean((np.array(found) - expected) ** 2))

    few, many = error(400), error(6400)
    assert many < 0.05
    assert few / many == pytest.approx(4, rel=0.3)


@given(seed=seeds, powers=st.lists(st.integers(-30, 30), min_size=12, max_size=12), chunk=chunks)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_output_is_a_mean_of_values_whatever_the_size_of_the_vectors(dtype, seed, powers, chunk):
    """Sums of 0 would give 0 or NaN instead of a mean, and the values are all near 1."""
    q, k, _ = texts(seed, 6)
    scales = 10.0 ** np.array(powers)
    q, k = (scales[:6, None] * q).astype(dtype), (scales[6:, None] * k).astype(dtype)
    v = np.linspace(1, 2, 6)[:, None].astype(dtype)
    for mask in (None, "causal"):
        found = linear_attention(q, k, v, features=RANDOM, mask=mask, chunk=chunk)
        assert found.dtype == dtype
        assert np.all(found >= 1 - 1e-5) and np.all(found <= 2 + 1e-5)
        below = by_scores(q, k, v, RANDOM, True, mask)
        assert np.all(below >= 1 - 1e-5) and np.all(below <= 2 + 1e-5)


def by_logarithms(q, k, v, phi, mask):
    """The output by the logarithm of each single product of two features, in float64."""
    logs = np.logaddexp.reduce(phi.exponents(q)[:, None, :] + phi.exponents(k), axis=-1)
    logs = np.where(np.tri(len(q), k=-1 if mask == "strict" else 0), logs, -1e300)
    weights = np.exp(logs - logs.max(-1, keepdims=True)) * (logs > -1e300)
    return (weights / np.maximum(weights.sum(-1, keepdims=True), 1e-300)) @ v


@given(seed=seeds, n=st.integers(1, 20), chunk=chunks)
@pytest.mark.parametrize(("dtype", "length", "error"), [(np.float64, 100, 1e-8), (np.float32, 10, 3e-3)])
@pytest.mark.parametrize("mask", ["causal", "strict"])
def test_the_chunk_changes_nothing_where_every_exponential_underflows(dtype, length, error, mask, seed, n, chunk):
    """The products of most pairs lie below the range of the numbers, and all those of some rows."""
    q, k, v = (scale * one for scale, one in zip((length, length, 1), texts(seed, n), strict=True))
    phi = ha.retrieval.RandomFeatures(12, rng=1)
    q, k = q.astype(dtype), k.astype(dtype)
    found = linear_attention(q, k, v.astype(dtype), features=phi, mask=mask, chunk=chunk)
    assert found.dtype == dtype
    expected = by_logarithms(q.astype(float), k.astype(float), v, phi, mask)
    np.testing.assert_allclose(found, expected, rtol=error, atol=error)


@pytest.mark.parametrize(("dtype", "length"), [(np.float64, 150), (np.float32, 25)])
def test_a_later_key_of_larger_features_does_not_hide_an_earlier_one(dtype, length):
    """The third query is the first key's opposite: no row and no column has a product inside the range."""
    phi, along = ha.retrieval.RandomFeatures(256, rng=1), np.array([1.0, 0.0, 0.0, 0.0])
    q, v = length * np.stack([along, -along, np.roll(along, 1)]), np.array([[1.0], [2.0], [3.0]])
    expected = by_logarithms(q, -q, v, phi, "causal")
    for chunk in (1, 2, 64):
        found = linear_attention(
            q.astype(dtype), -q.astype(dtype), v.astype(dtype), features=phi, mask="causal", chunk=chunk
        )
        np.testing.assert_allclose(found, expected, rtol=1e-3 if dtype == np.float32 else 1e-9)


@pytest.mark.slow
def test_derivatives_where_products_underflow_do_not_depend_on_the_chunk(torch, jax):
    """Queries near the opposite of all keys: every product is below the range, and no weight is near 0 or 1."""
    q, k, v = (scale * one for scale, one in zip((0.005, 0.005, 1), texts(6, 10), strict=True))
    q, k = q - 400, k + 400
    phi = ha.retrieval.RandomFeatures(12, rng=1)

    def loss(chunk):
        return lambda *arrays: (linear_attention(*arrays, features=phi, mask="causal", chunk=chunk) ** 2).sum()

    found = []
    for chunk in (1, 64):
        leaves = [torch.tensor(one, requires_grad=True) for one in (q, k, v)]
        found.append(torch.autograd.grad(loss(chunk)(*leaves), leaves))
    given_arrays = [jax.numpy.asarray(one) for one in (q, k, v)]
    found.append(jax.jit(jax.grad(loss(64), argnums=(0, 1, 2)))(*given_arrays))
    found.append(jax.jit(jax.grad(loss(1), argnums=(0, 1, 2)))(*given_arrays))
    assert float(found[0][0].abs().max()) > 1e-3
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-9)


def test_a_batch_of_pytorchs_vmap_is_each_text_by_itself(torch):
    """No text can be asked there whether it underflows."""
    q, k, v = (torch.tensor(scale * one) for scale, one in zip((40, 40, 1), texts(7, 9, batch=(2,)), strict=True))

    def attend(*one):
        return linear_attention(*one, features=RANDOM, mask="causal")

    found = torch.func.vmap(attend)(q, k, v)
    for i in range(2):
        np.testing.assert_allclose(found[i], attend(q[i], k[i], v[i]), rtol=1e-9, atol=1e-12)


@given(seed=seeds)
@every
def test_the_matrix_of_a_state_is_the_sum_of_outer_products(features, normalise, seed):
    """Σ v φ(k)ᵀ, and z = Σ φ(k) as one more row; with it a query is answered as `read` says."""
    q, k, v = texts(seed, 5)
    state, phi = (
        LinearState(features, normalise=normalise).extended(k, v),
        LinearState(features, normalise=normalise).phi,
    )
    marked = np.concatenate([v, np.ones((5, 1))], axis=1) if normalise else v
    close(state.matrix, marked.T @ phi(k))
    sums = phi(q) @ state.matrix.T
    rows = sums[:, -1:] != 0 if normalise else np.ones((5, 1), bool)
    answers = np.divide(sums[:, :2], sums[:, -1:], where=rows, out=np.zeros((5, 2))) if normalise else sums
    close(state.read(q), answers)


@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize(("features", "size"), [("relu", 1e-200), ("relu", 1e200), ("elu", 1e200)])
def test_the_size_of_a_query_does_not_over_or_underflow(features, size, mask):
    """φ(c x) is c φ(x), of elu where c is large: the means of the values at size 1, which lie between 1 and 2."""
    x, v = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([[1.0], [2.0]])
    scores = x @ x.T * (np.tri(2) if mask else 1)
    expected = scores @ v / scores.sum(-1, keepdims=True)
    np.testing.assert_allclose(linear_attention(size * x, size * x, v, features=features, mask=mask), expected)


@pytest.mark.parametrize("size", [1e16, 1e40])
def test_a_long_query_attends_by_the_direction_of_its_largest_feature(size):
    rng = np.random.default_rng(4)
    q, k, v = rng.normal(size=(6, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    at = np.argmax(q @ RANDOM.directions(3).T, axis=-1)
    weights = RANDOM(k).T[at]
    output = ha.transformer.linear_attention(size * q, k, v, features=RANDOM)
    np.testing.assert_allclose(output, weights @ v / weights.sum(axis=-1, keepdims=True), rtol=1e-9)


def test_scores_that_are_all_zero_give_zero():
    q, k, v = np.array([[1.0, -1.0]]), np.array([[-1.0, 1.0]]), np.ones((1, 2))
    assert linear_attention(q, k, v, features="relu").tolist() == [[0, 0]]


@pytest.mark.parametrize("features", ["elu", RANDOM])
@pytest.mark.parametrize("mask", [None, "causal", "strict"])
def test_the_same_on_every_library_and_half_precision_keeps_its_type(features, mask, library):
    given_texts = list(texts(5, 5))
    expected = linear_attention(*given_texts, features=features, mask=mask, chunk=2)
    found = linear_attention(*map(library.array, given_texts), features=features, mask=mask, chunk=2)
    np.testing.assert_allclose(library.numpy(found), expected, rtol=1e-12, atol=1e-14)
    half = linear_attention(*(one.astype(np.float16) for one in given_texts), features=features, mask=mask)
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, expected, atol=0.02)


@pytest.mark.parametrize("features", ["identity", "elu", RANDOM])
@pytest.mark.parametrize("mask", [None, "causal", "strict"])
def test_derivatives_are_those_of_the_scores(features, mask, torch, jax):
    given_texts, normalise = list(texts(6, 5)), features != "identity"

    def loss(form):
        return lambda *arrays: (form(*arrays)[1:] ** 2).sum()

    sums = loss(lambda q, k, v: linear_attention(q, k, v, features=features, mask=mask, normalise=normalise, chunk=2))
    scores = loss(lambda q, k, v: by_scores(q, k, v, features, normalise, mask))
    of_torch = [[torch.tensor(one, requires_grad=True) for one in given_texts] for _ in range(2)]
    found = torch.autograd.grad(sums(*of_torch[0]), of_torch[0])
    expected = torch.autograd.grad(scores(*of_torch[1]), of_torch[1])
    of_jax = jax.jit(jax.grad(sums, argnums=(0, 1, 2)))(*map(jax.numpy.asarray, given_texts))
    for one, other, by_jax in zip(found, expected, of_jax, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(by_jax, other, rtol=1e-9, atol=1e-11)


def test_a_state_of_half_precision_goes_on_with_the_text_and_refuses_another_batch(torch):
    half, rows = torch.eye(3, dtype=torch.float16), np.ones((2, 3, 3))
    assert ha.transformer.linear_attention(half, half, half).dtype == torch.float16
    for first in (ha.transformer.LinearState(), ha.transformer.DeltaState()):
        _, state = first.attended(half, half, half)
        assert state.read(half).dtype == state.attended(half, half, half)[0].dtype == torch.float16
        _, batch = first.attended(rows, rows, rows)
        with pytest.raises(ha.InvalidInput, match=r"the state, q: the leading axes \(2,\), \(3,\) do not broadcast"):
            batch.read(np.ones((3, 3, 3)))
