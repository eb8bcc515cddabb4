"""Bilinear and additive scores: written out as sums, as PyTorch computes them, and in one step of recall."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.blockwise import Blocks, stream
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import Additive, Bilinear, Dot, similarities
from hopattn.retrieval.step import Retrieval
from tests.draws import arrays, near, sizes
from tests.each import each


@st.composite
def pairs(draw):
    """Cues, keys of another dim, a bilinear similarity and an additive one that fit them."""
    n, m, dim, other, hidden = (draw(sizes) for _ in range(5))
    bilinear = Bilinear(draw(arrays((dim, other))))
    additive = Additive(draw(arrays((hidden, dim))), draw(arrays((hidden, other))), draw(arrays((hidden,))))
    return draw(arrays((n, dim))), draw(arrays((m, other))), bilinear, additive


@given(pairs())
def test_scores_are_their_sums_written_out(drawn):
    cues, keys, bilinear, additive = drawn
    for i, x in enumerate(cues.tolist()):
        for j, k in enumerate(keys.tolist()):
            product = math.fsum(
                a * w * b
                for a, row in zip(x, bilinear.matrix.tolist(), strict=True)
                for w, b in zip(row, k, strict=True)
            )
            assert bilinear(cues, keys)[i, j] == pytest.approx(product, rel=1e-12, abs=1e-10)
            rows = zip(additive.w_cue.tolist(), additive.w_key.tolist(), additive.v.tolist(), strict=True)
            hidden = math.fsum(
                v
                * math.tanh(
                    math.fsum([a * b for a, b in zip(w, x, strict=True)] + [a * b for a, b in zip(u, k, strict=True)])
                )
                for w, u, v in rows
            )
            assert additive(cues, keys)[i, j] == pytest.approx(hidden, rel=1e-12, abs=1e-11)


def test_scores_are_pytorchs(torch):
    rng = np.random.default_rng(0)
    x, k, w = rng.normal(size=(5, 3)), rng.normal(size=(4, 2)), rng.normal(size=(3, 2))
    w_cue, w_key, v = rng.normal(size=(6, 3)), rng.normal(size=(6, 2)), rng.normal(size=6)
    a, b = (torch.asarray(np.ascontiguousarray(part)) for part in (np.repeat(x, 4, axis=0), np.tile(k, (5, 1))))
    f = torch.nn.functional
    expected = f.bilinear(a, b, torch.asarray(w)[None]).reshape(5, 4)
    np.testing.assert_allclose(Bilinear(w)(x, k), expected, rtol=1e-12, atol=1e-13)
    hidden = torch.tanh(f.linear(a, torch.asarray(w_cue)) + f.linear(b, torch.asarray(w_key)))
    expected = f.linear(hidden, torch.asarray(v)[None]).reshape(5, 4)
    np.testing.assert_allclose(Additive(w_cue, w_key, v)(x, k), expected, rtol=1e-12, atol=1e-13)


@given(drawn=pairs())
@each("dtype", ["float64", "float32"])
def test_a_batch_equals_its_cues_and_permuted_keys_permute_the_scores(dtype, drawn):
    cues, keys = (array.astype(dtype) for array in drawn[:2])
    bilinear = Bilinear(drawn[2].matrix.astype(dtype))
    additive = Additive(*(part.astype(dtype) for part in (drawn[3].w_cue, drawn[3].w_key, drawn[3].v)))
    for similarity in (bilinear, additive):
        scores, tol = similarity(cues, keys), near(dtype)
        size = tol * 8**3 * 36
        assert scores.shape == (len(cues), len(keys)) and scores.dtype == dtype
        np.testing.assert_allclose(scores, [similarity(cue, keys) for cue in cues], rtol=tol, atol=size)
        np.testing.assert_allclose(similarity(cues, keys[::-1]), scores[:, ::-1], rtol=tol, atol=size)
        texts = similarity(np.stack([cues, -cues]), np.stack([keys, keys]))
        np.testing.assert_allclose(texts, [scores, similarity(-cues, keys)], rtol=tol, atol=size)


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


def test_the_rounding_of_a_bilinear_score_covers_float32():
    rng = np.random.default_rng(1)
    x, k, w = rng.normal(size=(50, 30)), rng.normal(size=(40, 20)), rng.normal(size=(30, 20))
    exact = Bilinear(w.astype("f4").astype("f8"))(x.astype("f4").astype("f8"), k.astype("f4").astype("f8"))
    rounded = Bilinear(w.astype("f4"))(x.astype("f4"), k.astype("f4"))
    assert np.all(np.abs(rounded - exact) <= Bilinear(w.astype("f4")).rounding(x.astype("f4"), k.astype("f4")))


@given(pairs())
def test_special_matrices_give_the_plain_scores(drawn):
    cues = drawn[0]
    dim = cues.shape[1]
    np.testing.assert_allclose(Bilinear(np.eye(dim))(cues, cues), Dot()(cues, cues), rtol=1e-12, atol=1e-12)
    small = 1e-5 * cues  # tanh is the identity there, up to the third power
    linear = Additive(np.eye(dim), np.eye(dim), np.ones(dim))(small, small)
    np.testing.assert_allclose(linear, np.add.outer(small.sum(1), small.sum(1)), atol=1e-10)


def test_the_lectures_score_of_two_matrices_is_one_bilinear_matrix():
    rng = np.random.default_rng(2)
    w1, w2, x, y = rng.normal(size=(4, 3)), rng.normal(size=(4, 2)), rng.normal(size=(5, 3)), rng.normal(size=(6, 2))
    np.testing.assert_allclose(Bilinear(w1.T @ w2)(x, y), (x @ w1.T) @ (y @ w2.T).T, rtol=1e-12, atol=1e-13)


def test_the_same_on_every_library(library):
    rng = np.random.default_rng(3)
    x, k, w, v = rng.normal(size=(2, 3)), rng.normal(size=(4, 2)), rng.normal(size=(5, 5)), rng.normal(size=5)
    for make in (lambda a: Bilinear(a(w[:3, :2])), lambda a: Additive(a(w[:, :3]), a(w[:, 3:]), a(v))):
        own, other = make(np.asarray), make(library.array)
        cues, keys = library.array(x), library.array(k)
        assert type(other(cues, keys)) is type(cues)
        np.testing.assert_allclose(library.numpy(other(cues, keys)), own(x, k), rtol=1e-12)
        np.testing.assert_allclose(library.numpy(other.rounding(cues, keys)), own.rounding(x, k), rtol=1e-12)


@given(pairs())
def test_blocks_give_the_same_step(drawn):
    cues, keys, *both = drawn
    separation = separations["softmax"](beta=0.01)
    for similarity in both:
        whole = Retrieval(similarity, separation, Identity())(cues, keys, keys, "nonzero").state
        parts = stream(similarity, separation, cues, keys, keys, "nonzero", sizes=Blocks(2, 2, 1))
        np.testing.assert_allclose(parts.field * parts.factor, whole, rtol=1e-9, atol=1e-9)


def test_a_head_takes_them_and_no_name_stands_for_them(tmp_path):
    eye, words = np.eye(2), np.array([[1.0, 0.0], [0.0, 1.0]])
    head = ha.Head(eye, eye, eye, similarity=Bilinear([[0.0, 50.0], [50.0, 0.0]]), mask="none")
    np.testing.assert_allclose(head(words), words[::-1], atol=1e-12)
    assert not {"bilinear", "additive"} & set(similarities)
    with pytest.raises(InvalidInput, match="Bilinear"):
        ha.Memory(eye, similarity=Bilinear(eye)).save(tmp_path / "memory.npz")


@each(
    ("make", "message"),
    [
        (lambda: Bilinear([1.0, 2.0]), r"matrix: got shape \(2,\); expected \(dim_cue, dim_key\)"),
        (
            lambda: Bilinear(np.eye(2))(np.ones((1, 3)), np.ones((1, 2))),
            r"cues: .*\(1, 3\); expected \(…, dim\) with dim = 2",
        ),
        (
            lambda: Bilinear(np.eye(2))(np.ones((1, 2)), np.ones((1, 3))),
            r"keys: .*; expected \(…, n_patterns, dim\)",
        ),
        (
            lambda: Additive(np.eye(2), np.ones((3, 2)), [1, 1]),
            r"w_key: .*\(3, 2\); expected .* dim_hidden = 2",
        ),
        (
            lambda: Additive(np.eye(2), np.eye(2), [1]),
            r"v: got shape \(1,\); expected \(dim_hidden,\) with dim_hidden = 2",
        ),
        (lambda: Additive(np.eye(2), np.eye(2), [1, 1])(np.ones(3), np.ones((1, 2))), r"cues: got shape \(3,\)"),
        (lambda: Additive(np.eye(2), np.eye(2), [1, 1])(np.ones(2), np.ones((1, 3))), r"keys: got shape \(1, 3\)"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
