"""Compiled thresholds of sparse separations give what NumPy's form gives."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from hopattn.foundation import kernels
from hopattn.retrieval.separation.entmax import Entmax, KSubsets, Normmax, Sparsemax
from tests.each import each

SPARSE = [
    Entmax(alpha=1.05),
    Entmax(alpha=1.3),
    Entmax(),
    Sparsemax(),
    Normmax(alpha=1.3),
    Normmax(),
    Normmax(alpha=5.0),
]
SPARSE += [KSubsets(k=1), KSubsets(k=3), KSubsets(k=12)]


def both(monkeypatch, separation, scores, where=None):
    """Weights and potential by NumPy and by compiled loops."""
    found = []
    for least in (2**60, 0):
        with monkeypatch.context() as patch:
            patch.delenv(kernels.VARIABLE, raising=False)
            patch.setattr(kernels, "LARGE", {"thresholds": least})
            found.append((separation.weights(scores, where), separation.potential(scores, where)))
    return found


@each("separation", SPARSE)
@given(data=st.data(), n=st.integers(1, 20), beta=st.sampled_from([0.01, 1.0, 40.0]), whole=st.booleans())
def test_weights_and_potentials_are_those_of_numpy(loops_of_thresholds, separation, data, n, beta, whole):
    elements = st.integers(-2, 2).map(float) if whole else st.floats(-4, 4)
    scores = data.draw(hnp.arrays(np.float64, (2, 3, n), elements=elements))
    where = data.draw(st.sampled_from([None, True, "row", "entry"]))
    if where == "row":
        where = data.draw(hnp.arrays(bool, n))
    elif where == "entry":
        where = data.draw(hnp.arrays(bool, (3, n)))
    tempered = type(separation)(**{**vars(separation), "beta": beta})
    with pytest.MonkeyPatch.context() as patch:
        (weights, potential), (own, its) = both(patch, tempered, scores, where)
    np.testing.assert_allclose(own, weights, rtol=0, atol=1e-13 if separation != Entmax(alpha=1.05) else 1e-12)
    np.testing.assert_allclose(its, potential, rtol=1e-13, atol=1e-12 * max(1, 1 / beta))


@given(x=st.floats(2.0**-60, 1.0), exponent=st.floats(0.0, 40.0))
@example(x=1.0, exponent=7.3)
@example(x=0.5**0.5, exponent=1.0)
@example(x=2.0**-60, exponent=18.0)
@example(x=2.0**-59.5, exponent=18.0)
def test_a_power_that_is_not_a_product_is_right_to_its_last_digits(loops_of_thresholds, x, exponent):
    exact = np.longdouble(x) ** np.longdouble(exponent)
    halvings = exponent * -np.log2(x)
    found = loops_of_thresholds.power_up_to_one(x, exponent)
    smallest = np.finfo(np.float64).smallest_subnormal  # below the normal numbers, digits end here
    assert abs(found - exact) <= (2 + halvings) * 2.0**-52 * exact + smallest
    assert loops_of_thresholds.power_up_to_one(1.0, exponent) == 1


@each("separation", SPARSE)
@each("dtype", ["float32", "float64"])
def test_many_scores_of_any_size_have_weights_with_their_sum(loops_of_thresholds, monkeypatch, separation, dtype):
    rng = np.random.default_rng(1)
    scores = (rng.normal(size=(6, 500)) * 10.0 ** np.arange(-3, 3)[:, None]).astype(dtype)
    (weights, _), (own, _) = both(monkeypatch, separation, scores)
    eps = np.finfo(dtype).eps
    assert own.dtype == dtype and np.all(own >= 0)
    np.testing.assert_allclose(own.sum(axis=1), getattr(separation, "k", 1), rtol=500 * eps)
    np.testing.assert_allclose(own, weights, atol=5000 * eps)


@each("separation", SPARSE)
def test_a_row_with_nothing_to_attend_to_has_no_weights_and_a_nan_spoils_its_own_row(
    loops_of_thresholds, monkeypatch, separation
):
    scores, where = np.zeros((3, 5)), np.array([[True], [False], [True]])
    _, (own, potential) = both(monkeypatch, separation, scores, where)
    assert np.all(own[1] == 0) and potential[1] == 0
    np.testing.assert_allclose(own[::2], min(getattr(separation, "k", 1), 5) / 5)
    scores[2, 3] = np.nan
    for weights, _ in both(monkeypatch, separation, scores):
        assert np.all(np.isnan(weights[2])) and np.all(weights[:2] > 0)


def test_few_scores_and_a_large_alpha_are_numpys(loops_of_thresholds, monkeypatch):
    monkeypatch.setattr(loops_of_thresholds, "thresholds", None)
    monkeypatch.delenv(kernels.VARIABLE, raising=False)
    Entmax().weights(np.zeros((2, 3)))
    Entmax(alpha=3.0).weights(np.zeros((400, 400)))
    with pytest.raises(TypeError):
        ha.separations["entmax"]().weights(np.zeros((400, 400)))
