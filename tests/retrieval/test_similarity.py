"""Laws of every similarity."""

import numpy as np
import pytest
import scipy.spatial.distance
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.similarity import similarities
from tests.draws import arrays, in_dtypes, near, sizes, stores

every = pytest.mark.parametrize("name", list(similarities))


@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in similarities))
@given(store=stores())
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


@pytest.mark.parametrize(
    ("name", "metric"), [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("hamming", "hamming")]
)
@given(store=stores())
def test_distances_are_scipys(name, metric, store):
    keys, cues, _ = store
    scale = keys.shape[1] if name == "hamming" else 1
    reference = -scale * scipy.spatial.distance.cdist(cues, keys, metric)
    np.testing.assert_allclose(similarities[name]()(cues, keys), reference, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "hamming"])
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
    with pytest.raises(InvalidInput, match="cosine: b: dim 3 does not fit a of dim 2"):
        ha.cosine([1, 2], [1, 2, 3])
