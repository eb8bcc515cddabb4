"""Laws of every similarity, of those with a name and of those with arrays of a model; SciPy and PyTorch as referees."""

import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.similarity import Additive, Bilinear, Capped
from tests.draws import arrays, in_dtypes, near, sizes, stores

NAMES = list(ha.similarities)
LEARNED = ["capped", "bilinear", "additive"]
every = pytest.mark.parametrize("name", [*NAMES, *LEARNED])


def similarity_of(name, dim, other, array=np.asarray):
    """A similarity of cues of one dim and keys of another; those without arrays need the same dim."""
    rng = np.random.default_rng(7)
    if name == "bilinear":
        return Bilinear(array(rng.normal(size=(dim, other))))
    if name == "additive":
        return Additive(*(array(rng.normal(size=shape)) for shape in ((6, dim), (6, other), (6,))))
    return Capped(2.0) if name == "capped" else ha.similarities[name]()


@given(store=stores())
@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in [*NAMES, *LEARNED]))
def test_a_batch_equals_its_cues_and_permuted_keys_permute_the_scores(name, dtype, store):
    keys, cues = (array.astype(dtype) for array in store[:2])
    dim = keys.shape[1]
    similarity = similarity_of(name, dim, dim, lambda a: np.asarray(a, dtype))
    scores = similarity(cues, keys)
    tol, size = near(dtype), near(dtype) * max(1, float(np.abs(scores).max()), float((cues * cues).sum()))
    assert scores.shape == (len(cues), len(keys)) and scores.dtype == dtype
    np.testing.assert_allclose(scores, [similarity(cue, keys) for cue in cues], rtol=tol, atol=size)
    np.testing.assert_allclose(similarity(cues, keys[::-1]), scores[:, ::-1], rtol=tol, atol=size)
    texts = similarity(np.stack([cues, -cues]), np.stack([keys, keys]))
    np.testing.assert_allclose(texts, [scores, similarity(-cues, keys)], rtol=tol, atol=size)


@every
def test_the_same_on_every_library(name, library):
    keys, cues = np.array([[1.0, 2.0], [0.0, 0.0], [-3.0, 1.0]]), np.array([[0.5, -1.0], [0.0, 0.0]])
    own, other = similarity_of(name, 2, 2), similarity_of(name, 2, 2, library.array)
    found = other(library.array(cues), library.array(keys))
    assert type(found) is type(library.array(cues))
    np.testing.assert_allclose(library.numpy(found), own(cues, keys), rtol=1e-12)
    if name in LEARNED:
        rounding = other.rounding(library.array(cues), library.array(keys))
        np.testing.assert_allclose(library.numpy(rounding), own.rounding(cues, keys), rtol=1e-12)


@every
def test_what_a_similarity_says_of_itself_is_so(name):
    """`linear`: the scores are K x; `distance`: a noiseless cue has the largest score, 0."""
    similarity = similarity_of(name, 2, 2)
    keys = np.array([[1.0, 2.0], [2.0, -1.0]])
    scores = similarity(np.array([3.0, 1.0]), keys) + similarity(np.array([-1.0, 2.0]), keys)
    added = np.allclose(scores, similarity(np.array([2.0, 3.0]), keys))
    assert added == (similarity.linear or name == "bilinear")  # of which K Wᵀ x is not K x
    alike = np.diagonal(similarity(keys, keys))
    assert similarity.distance == bool(np.all(alike == 0) and np.all(similarity(keys, keys) <= 0))
    if similarity.linear:
        np.testing.assert_allclose(similarity(keys, keys), keys @ keys.T)


@given(data=st.data(), n=sizes, m=sizes)
def test_cosine_is_scipys_and_stays_within_one(data, n, m):
    a, b = data.draw(arrays((n, m))) + 9.0, data.draw(arrays((n, m))) - 9.0
    reference = 1 - scipy.spatial.distance.cdist(a, b, "cosine")
    np.testing.assert_allclose(ha.cosine(a, b), reference, atol=1e-12)
    assert np.all(np.abs(ha.cosine(a, 3 * a)) <= 1)


@given(store=stores())
@pytest.mark.parametrize(
    ("name", "metric"), [("euclidean", "euclidean"), ("manhattan", "cityblock"), ("hamming", "hamming")]
)
def test_distances_are_scipys(name, metric, store):
    keys, cues, _ = store
    scale = keys.shape[1] if name == "hamming" else 1
    reference = -scale * scipy.spatial.distance.cdist(cues, keys, metric)
    np.testing.assert_allclose(ha.similarities[name]()(cues, keys), reference, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "hamming"])
def test_a_noiseless_cue_has_a_derivative(name, jax):
    keys = jax.numpy.asarray([[1.0, 2.0], [0.0, 1.0]])
    similarity = ha.similarities[name]()
    assert np.all(np.isfinite(jax.grad(lambda x: similarity(x, keys).sum())(keys[0])))


def test_feature_maps_are_their_formula():
    keys, cue = np.array([[1.0, -2.0], [0.5, 0.0]]), np.array([-1.0, 3.0])
    elu = ha.similarities["feature_map"]()(cue, keys)
    np.testing.assert_allclose(elu, [2 * np.exp(-1) + 4 * np.exp(-2), 1.5 * np.exp(-1) + 4 * 1], rtol=1e-12)
    assert ha.similarities["feature_map"](phi="relu")(cue, keys).tolist() == [0, 0]
    assert ha.similarities["feature_map"](phi="identity")(cue, keys).tolist() == (keys @ cue).tolist()


def test_cosine_drops_the_axis_of_a_single_vector_and_is_0_of_a_zero_vector():
    a, b = np.ones((2, 3)), np.ones((4, 3))
    shapes = [ha.cosine(*pair).shape for pair in ((a, b), (a, b[0]), (a[0], b), (a[0], b[0]))]
    assert shapes == [(2, 4), (2,), (4,), ()]
    assert ha.cosine([0, 0], [1, 2]) == 0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("cues", "keys"), [((40,), (7000, 40)), ((30, 40), (300, 40)), ((2, 30, 40), (2, 300, 40))])
@pytest.mark.parametrize("name", ["manhattan", "hamming"])
def test_distances_of_many_entries_are_those_of_few(name, cues, keys, dtype):
    rng = np.random.default_rng(0)
    x, k = (rng.integers(-2, 3, size=shape).astype(dtype) for shape in (cues, keys))
    k = k if name == "hamming" else k + rng.normal(size=keys).astype(dtype)
    similarity = ha.similarities[name]()
    many = similarity(x, k)
    few = np.concatenate([similarity(x, part) for part in np.split(k, 20, axis=-2)], axis=-1)
    assert many.dtype == few.dtype == dtype and many.shape == few.shape
    np.testing.assert_allclose(many, few, rtol=0 if name == "hamming" else 8 * np.finfo(dtype).eps)


@pytest.mark.parametrize("name", ["manhattan", "hamming"])
def test_no_array_of_all_differences_is_held(name):
    x, k = np.ones((200, 50)), np.zeros((1000, 50))
    similarity = ha.similarities[name]()
    similarity(x, k)  # SciPy is imported
    tracemalloc.start()
    scores = similarity(x, k)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * scores.nbytes < 200 * 1000 * 50 * 8
    assert np.all(scores == -50)


@dataclass(frozen=True)
class Squared(ha.Similarity):
    """s = −½|x − k|², a score of one's own whose field is a gradient where the weights sum to 1."""

    distance = True

    def __call__(self, cues, keys):
        return -0.5 * np.sum((cues[..., None, :] - keys) ** 2, axis=-1)

    def cue_term(self, cues):
        return -0.5 * np.sum(cues * cues, axis=-1)


def test_a_distance_of_ones_own_has_the_energy_of_the_mean_shift_where_the_weights_sum_to_1():
    rng = np.random.default_rng(0)
    keys, cues = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    memory = ha.Memory(keys, similarity=Squared(), beta=2.0)
    logs = scipy.special.logsumexp(2.0 * Squared()(cues, keys), axis=1)
    np.testing.assert_allclose(memory.energy(cues), -logs / 2.0, rtol=1e-12)
    assert "sum to 1" in ha.Memory(keys, similarity=Squared(), sink=0.0).why_not("energy")
    assert ha.Memory(keys, similarity="euclidean").why_not("energy")


@st.composite
def pairs(draw):
    """Cues, keys of another dim, a bilinear similarity and an additive one that fit them."""
    n, m, dim, other, hidden = (draw(sizes) for _ in range(5))
    bilinear = Bilinear(draw(arrays((dim, other))))
    additive = Additive(draw(arrays((hidden, dim))), draw(arrays((hidden, other))), draw(arrays((hidden,))))
    return draw(arrays((n, dim))), draw(arrays((m, other))), bilinear, additive


@given(drawn=pairs())
def test_scores_are_pytorchs(torch, drawn):
    x, k, bilinear, additive = drawn
    f, n, m = torch.nn.functional, len(x), len(k)
    a, b = torch.asarray(np.repeat(x, m, axis=0)), torch.asarray(np.tile(k, (n, 1)))
    expected = f.bilinear(a, b, torch.asarray(bilinear.matrix)[None]).reshape(n, m)
    np.testing.assert_allclose(bilinear(x, k), expected, rtol=1e-12, atol=1e-10)
    w, u, v = map(torch.asarray, (additive.w_cue, additive.w_key, additive.v))
    expected = f.linear(torch.tanh(f.linear(a, w) + f.linear(b, u)), v[None]).reshape(n, m)
    np.testing.assert_allclose(additive(x, k), expected, rtol=1e-11, atol=1e-11)


@given(pairs())
def test_the_rounding_bounds_the_error_of_a_score_that_is_zero(drawn):
    """Each cue beside itself, once more with the other sign: exactly, the scores sum to 0."""
    cues, keys, bilinear, additive = drawn
    for similarity, scores in (
        (bilinear, bilinear(cues, keys) + bilinear(-cues, keys)),
        (additive, additive(cues, keys) + additive(-cues, -keys)),
    ):
        assert similarity.rounding(cues, keys).shape == scores.shape
        assert np.all(np.abs(scores) <= 2 * similarity.rounding(cues, keys))
        np.testing.assert_allclose(similarity.rounding(cues[0], keys), similarity.rounding(cues, keys)[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["dot", "cosine", "bilinear", "additive"])
def test_the_rounding_covers_that_of_float32_and_little_more(name):
    rng = np.random.default_rng(1)
    x, k = rng.normal(size=(50, 20)).astype("f4"), rng.normal(size=(40, 20)).astype("f4")
    single, double = (similarity_of(name, 20, 20, lambda a, t=t: np.asarray(a, "f4").astype(t)) for t in ("f4", "f8"))
    error = np.abs(single(x, k) - double(x.astype("f8"), k.astype("f8")))
    assert np.all(error <= single.rounding(x, k))
    assert np.all(single.rounding(x, k) < 1e-2 * np.abs(double(x, k)).max())


@given(pairs())
def test_special_matrices_give_the_plain_scores(drawn):
    cues = drawn[0]
    dim = cues.shape[1]
    np.testing.assert_allclose(Bilinear(np.eye(dim))(cues, cues), cues @ cues.T, rtol=1e-12, atol=1e-12)
    small = 1e-5 * cues  # tanh is the identity there, up to the third power
    linear = Additive(np.eye(dim), np.eye(dim), np.ones(dim))(small, small)
    np.testing.assert_allclose(linear, np.add.outer(small.sum(1), small.sum(1)), atol=1e-10)
    np.testing.assert_allclose(Capped(3.0)(cues, cues), 3 * np.tanh(cues @ cues.T / 3), rtol=1e-12, atol=1e-12)


def test_the_lectures_score_of_two_matrices_is_one_bilinear_matrix():
    rng = np.random.default_rng(2)
    w1, w2, x, y = rng.normal(size=(4, 3)), rng.normal(size=(4, 2)), rng.normal(size=(5, 3)), rng.normal(size=(6, 2))
    np.testing.assert_allclose(Bilinear(w1.T @ w2)(x, y), (x @ w1.T) @ (y @ w2.T).T, rtol=1e-12, atol=1e-13)


def test_a_head_takes_them_and_no_name_stands_for_them():
    eye, words = np.eye(2), np.array([[1.0, 0.0], [0.0, 1.0]])
    head = ha.Head(eye, eye, eye, similarity=Bilinear([[0.0, 50.0], [50.0, 0.0]]), mask="none")
    np.testing.assert_allclose(head(words), words[::-1], atol=1e-12)
    assert not {*LEARNED} & {*NAMES}
