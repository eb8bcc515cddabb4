"""The delta rule as attention: the loop of the paper, chunks, word by word, and the matrix of `ha.memories.delta`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.transformer import DeltaState, LinearState, delta_attention

RANDOM = ha.retrieval.RandomFeatures(12, rng=1)
seeds = st.integers(0, 2**32 - 1)
chunks = st.sampled_from([1, 2, 3, 64])
every = pytest.mark.parametrize("features", ["identity", "relu", "elu", RANDOM])


def texts(seed, n, batch=()):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(*batch, n, dim)) for dim in (3, 3, 2)]


def by_loops(q, k, v, rates, features):
    phi, w, outputs = LinearState(features, normalise=False).phi, 0, []
    for query, key, value, rate in zip(q, k, v, np.broadcast_to(rates, len(k)), strict=True):
        stored = phi(key)
        error = value - (w @ stored if np.ndim(w) else 0)
        square = stored @ stored
        w = w + rate * np.outer(error, stored) / (square if square else 1)
        outputs.append(w @ phi(query))
    return np.array(outputs), w


@given(seed=seeds, n=st.integers(1, 9), chunk=chunks, rate=st.sampled_from([0.1, 1.0, 1.9]))
@every
def test_chunks_and_words_are_the_loop(features, seed, n, chunk, rate):
    q, k, v = texts(seed, n)
    expected, w = by_loops(q, k, v, rate, features)
    tolerance = {"rtol": 1e-11, "atol": 1e-11 * np.abs(expected).max()}
    found, state = DeltaState(features).attended(q, k, v, rate=rate, chunk=chunk)
    np.testing.assert_allclose(found, expected, **tolerance)
    np.testing.assert_allclose(delta_attention(q, k, v, rate=rate, features=features), expected, **tolerance)
    np.testing.assert_allclose(state.couplings, w, rtol=1e-11, atol=1e-11 * np.abs(w).max())
    assert state.length == n
    state, outputs = DeltaState(features), []
    for i in range(n):
        output, state = state.attended(q[i : i + 1], k[i : i + 1], v[i : i + 1], rate=rate)
        outputs.append(output)
    np.testing.assert_allclose(np.concatenate(outputs), expected, **tolerance)
    state, outputs = DeltaState(features), []
    for i in range(n):
        state = state.extended(k[i : i + 1], v[i : i + 1], rate=rate)
        outputs.append(state.read(q[i : i + 1]))
    np.testing.assert_allclose(np.concatenate(outputs), expected, **tolerance)
    np.testing.assert_allclose(DeltaState(features).extended(k, v, rate=rate).read(q), state.read(q), **tolerance)


@given(seed=seeds, rate=st.sampled_from([0.3, 1.0]))
def test_the_last_state_is_the_memory(seed, rate):
    q, k, v = texts(seed, 6)
    _, state = DeltaState().attended(q, k, v, rate=rate)
    memory = ha.memories.delta(k, v, rate=rate)
    np.testing.assert_allclose(state.couplings, memory.couplings, atol=1e-12)
    np.testing.assert_allclose(state.read(q), memory.step(q), atol=1e-12)


@given(seed=seeds)
def test_every_word_has_its_own_rate_and_every_text_its_own_state(seed):
    q, k, v = texts(seed, 5, batch=(2,))
    rates = np.random.default_rng(seed).uniform(0.1, 1.9, size=(2, 5))
    found = delta_attention(q, k, v, rate=rates, chunk=2)
    for i in range(2):
        expected, _ = by_loops(q[i], k[i], v[i], rates[i], "identity")
        np.testing.assert_allclose(found[i], expected, rtol=1e-11, atol=1e-11)


@every
def test_a_pair_is_stored_and_overwrites_where_linear_attention_adds(features):
    key, old, new = np.array([[1.0, 0.5, -0.2]]), np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    pairs = np.repeat(key, 2, axis=0), np.concatenate([old, new])
    found = delta_attention(pairs[0], *pairs, features=features)
    np.testing.assert_allclose(found, np.concatenate([old, new]), atol=1e-12)


def test_a_key_without_features_is_not_learned():
    k, v = np.array([[1.0, 0.0], [-1.0, -1.0]]), np.array([[3.0], [5.0]])
    _, state = DeltaState("relu").attended(k, k, v)
    assert state.couplings.tolist() == [[3.0, 0.0]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_key_too_short_for_a_quotient_is_not_learned(dtype):
    """Its value divided by its length is beyond the numbers; the smallest length that has all digits is learned."""
    tiny = np.finfo(dtype).tiny
    for size, learned in ((tiny / 4, 0.0), (2 * tiny, 2.0)):
        k, v = np.array([[size, 0.0], [0.0, 1.0]], dtype), np.array([[2.0], [3.0]], dtype)
        np.testing.assert_allclose(delta_attention(k, k, v), [[learned], [3.0]], rtol=1e-6)


@pytest.mark.parametrize("one", [np.float32, np.float64, np.array])
def test_a_rate_of_numpy_is_a_number(one):
    texts_ = texts(3, 4)
    assert np.array_equal(delta_attention(*texts_, rate=one(0.5)), delta_attention(*texts_, rate=0.5))


def test_the_same_on_every_library(library):
    given_texts = texts(1, 5)
    found = delta_attention(*map(library.array, given_texts), rate=0.7, chunk=2)
    expected = delta_attention(*given_texts, rate=0.7, chunk=2)
    np.testing.assert_allclose(library.numpy(found), expected, rtol=1e-11)
    assert delta_attention(*(one.astype(np.float16) for one in given_texts), rate=0.7).dtype == np.float16


@pytest.mark.slow
def test_derivatives_do_not_depend_on_the_chunk(torch, jax):
    given_texts = texts(2, 5)

    def loss(chunk):
        return lambda *arrays: (delta_attention(*arrays, rate=0.7, features="elu", chunk=chunk) ** 2).sum()

    found = []
    for chunk in (1, 2, 64):
        of_torch = [torch.tensor(one, requires_grad=True) for one in given_texts]
        found.append(torch.autograd.grad(loss(chunk)(*of_torch), of_torch))
    found.append(jax.jit(jax.grad(loss(2), argnums=(0, 1, 2)))(*map(jax.numpy.asarray, given_texts)))
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)
