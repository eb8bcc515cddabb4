"""Laws of every similarity."""

import tracemalloc

import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval import similarity as similarity_module
from hopattn.retrieval.similarity import similarities
from tests.draws import arrays, in_dtypes, near, sizes, stores
from tests.each import each

every = each("name", list(similarities))


@given(store=stores())
@each(("name", "dtype"), in_dtypes((name,) for name in similarities))
def test_a_batch_equals_its_cues_and_permuted_keys_permute_the_scores(name, dtype, store):
    keys, cues = (array.astype(dtype) for array in store[:2])
    similarity, tol = similarities[name](), near(dtype)
    scores = similarity(cues, keys)
    assert scores.shape == (len(cues), len(keys)) and scores.dtype == dtype
    np.testing.assert_allclose(scores, [similarity(cue, keys) for cue in cues], rtol=tol, atol=tol)
    np.testing.assert_allclose(similarity(cues, keys[::-1]), scores[:, ::-1], rtol=tol, atol=tol)


@every
def test_the_same_on_every_library(name, library):
    keys, cues = np.array([[1.0, 2.0], [0.0, 0.0], [-3.0, 1.0]]), np.array([[0.5, -1.0], [0.0, 0.0]])
    similarity = similarities[name]()
    found = similarity(library.array(cues), library.array(keys))
    np.testing.assert_allclose(library.numpy(found), similarity(cues, keys), rtol=1e-12)


@given(data=st.data(), n=sizes, m=sizes)
def test_cosine_is_scipys(data, n, m):
    a, b = data.draw(arrays((n, m))) + 9.0, data.draw(arrays((n, m))) - 9.0
    reference = 1 - scipy.spatial.distance.cdist(a, b, "cosine")
    np.testing.assert_allclose(ha.cosine(a, b), reference, atol=1e-12)


@given(data=st.data(), n=sizes)
def test_cosine_stays_within_one(data, n):
    a = data.draw(arrays((5, n)))
    assert np.all(np.abs(ha.cosine(a, 3 * a)) <= 1)


@given(store=stores())
@each(("name", "metric"), [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("hamming", "hamming")])
def test_distances_are_scipys(name, metric, store):
    keys, cues, _ = store
    scale = keys.shape[1] if name == "hamming" else 1
    reference = -scale * scipy.spatial.distance.cdist(cues, keys, metric)
    np.testing.assert_allclose(similarities[name]()(cues, keys), reference, rtol=1e-12, atol=1e-12)


@each("name", ["euclidean", "manhattan", "hamming"])
def test_a_noiseless_cue_has_the_distance_zero_and_a_derivative(name, jax):
    keys = jax.numpy.asarray([[1.0, 2.0], [0.0, 1.0]])
    similarity = similarities[name]()
    assert float(similarity(keys[0], keys)[0]) == 0
    assert np.all(np.isfinite(jax.grad(lambda x: similarity(x, keys).sum())(keys[0])))


def test_feature_maps_are_their_formula():
    keys, cue = np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([-1.0, 3.0])
    elu = similarities["feature_map"]()(cue, keys)
    np.testing.assert_allclose(elu, [2 * np.exp(-1) + 4 * np.exp(-2), 1.5 * np.exp(-1) + 4 * 1], rtol=1e-12)
    assert similarities["feature_map"](phi="relu")(cue, keys).tolist() == [0, 0]
    assert similarities["feature_map"](phi="identity")(cue, keys).tolist() == similarities["dot"]()(cue, keys).tolist()
    with pytest.raises(InvalidInput, match="phi: 'eluu' is unknown; did you mean 'elu'"):
        similarities["feature_map"](phi="eluu")


def test_cosine_of_a_zero_vector_is_zero():
    assert ha.cosine([0, 0], [1, 2]) == 0


def test_cosine_drops_the_axis_of_a_single_vector():
    a, b = np.ones((2, 3)), np.ones((4, 3))
    assert ha.cosine(a, b).shape == (2, 4)
    assert ha.cosine(a, b[0]).shape == (2,)
    assert ha.cosine(a[0], b).shape == (4,)
    assert ha.cosine(a[0], b[0]).shape == ()


@every
def test_linear_says_whether_the_scores_are_linear_in_the_cue(name):
    similarity = similarities[name]()
    keys = np.array([[1.0, 2.0], [2.0, -1.0]])
    scores = similarity(np.array([3.0, 1.0]), keys) + similarity(np.array([-1.0, 2.0]), keys)
    assert np.allclose(scores, similarity(np.array([2.0, 3.0]), keys)) == similarity.linear


def test_vectors_that_do_not_fit_are_refused():
    with pytest.raises(InvalidInput, match=r"cosine: b: got shape .*; expected \(…, dim\) with dim = 2"):
        ha.cosine([1, 2], [1, 2, 3])


@each("dtype", ["float64", "float32"])
@each(("cues", "keys"), [((40,), (300, 40)), ((30, 40), (300, 40)), ((2, 3, 40), (2, 50, 40)), ((2, 3, 40), (50, 40))])
@each("name", ["manhattan", "hamming"])
def test_distances_of_many_entries_are_those_of_their_differences(name, cues, keys, dtype, monkeypatch):
    rng = np.random.default_rng(0)
    x, k = (rng.integers(-2, 3, size=shape).astype(dtype) for shape in (cues, keys))
    noise = 0 if name == "hamming" else rng.normal(size=keys).astype(dtype)
    whole = similarities[name]()
    monkeypatch.setattr(similarity_module, "LARGE", 2**40)
    plain = whole(x, k + noise)
    monkeypatch.setattr(similarity_module, "LARGE", 1)
    found = whole(x, k + noise)
    assert found.dtype == plain.dtype == dtype and found.shape == plain.shape
    np.testing.assert_allclose(found, plain, rtol=4 * np.finfo(dtype).eps if dtype == "float32" else 1e-13)
    if name == "hamming":
        assert np.array_equal(found, plain)


@each("name", ["manhattan", "hamming"])
def test_no_array_of_all_differences_is_held(name):
    x, k = np.ones((200, 50)), np.zeros((1000, 50))
    similarity = similarities[name]()
    similarity(x, k)  # SciPy is imported
    tracemalloc.start()
    scores = similarity(x, k)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * scores.nbytes < 200 * 1000 * 50 * 8
    assert np.all(scores == -50)
