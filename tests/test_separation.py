"""Laws of every separation, and referees for those that others have too."""

import numpy as np
import pytest
import scipy.special
from draws import arrays, betas, sizes
from hypothesis import assume, given
from hypothesis import strategies as st

from hopattn.errors import InvalidInput
from hopattn.separation import separations

EVERY = [(name, {}) for name in separations] + [("power", {"n": 3}), ("power", {"n": 4})]
every = pytest.mark.parametrize(("name", "parameters"), EVERY)


@every
@given(data=st.data(), beta=betas, n=sizes)
def test_weights_are_the_gradient_of_the_potential(name, parameters, data, beta, n):
    scores = data.draw(arrays((n,))) / 4
    separation = separations[name](beta=beta, **parameters)
    if name == "argmax":
        assume(np.sort(scores)[-1] - np.sort([-9.0, *scores])[-2] > 1e-3)  # at a tie there is no gradient
    h = 1e-6
    shifted = np.stack([scores + h * e for e in np.eye(n)]), np.stack([scores - h * e for e in np.eye(n)])
    slopes = (separation.potential(shifted[0]) - separation.potential(shifted[1])) / (2 * h)
    weights = separation.weights(scores)
    np.testing.assert_allclose(weights, slopes, atol=1e-5 * max(1, np.abs(weights).max(), beta))


@every
@given(data=st.data(), beta=betas, n=sizes, m=sizes)
def test_a_masked_entry_weighs_nothing_and_changes_nothing(name, parameters, data, beta, n, m):
    scores = data.draw(arrays((n, m)))
    where = data.draw(st.lists(st.booleans(), min_size=m, max_size=m).map(np.array))
    separation = separations[name](beta=beta, **parameters)
    weights, potential = separation.weights(scores, where), separation.potential(scores, where)
    assert np.all(weights[:, ~where] == 0)
    if where.any():
        np.testing.assert_allclose(weights[:, where], separation.weights(scores[:, where]), rtol=1e-12)
        np.testing.assert_allclose(potential, separation.potential(scores[:, where]), rtol=1e-12, atol=1e-12)
    else:
        assert np.all(weights == 0)
        assert np.all(potential == 0)


@every
@given(data=st.data(), beta=betas, m=sizes)
def test_permuting_the_scores_permutes_the_weights(name, parameters, data, beta, m):
    scores = data.draw(arrays((m,)))
    order = np.array(data.draw(st.permutations(range(m))))
    separation = separations[name](beta=beta, **parameters)
    np.testing.assert_allclose(separation.weights(scores[order]), separation.weights(scores)[order], rtol=1e-12)
    np.testing.assert_allclose(separation.potential(scores[order]), separation.potential(scores), rtol=1e-9, atol=1e-9)


@every
@given(data=st.data(), beta=betas, n=sizes, m=sizes)
def test_a_batch_equals_its_rows(name, parameters, data, beta, n, m):
    scores = data.draw(arrays((n, m)))
    separation = separations[name](beta=beta, **parameters)
    rows = np.stack([separation.weights(row) for row in scores])
    np.testing.assert_allclose(separation.weights(scores), rows, rtol=1e-12)


@pytest.mark.parametrize(("name", "parameters"), [entry for entry in EVERY if separations[entry[0]](**entry[1]).convex])
@given(data=st.data(), m=sizes, t=st.floats(0, 1))
def test_a_potential_that_says_it_is_convex_is(name, parameters, data, m, t):
    a, b = data.draw(arrays((m,))), data.draw(arrays((m,)))
    separation = separations[name](**parameters)
    between = separation.potential(t * a + (1 - t) * b)
    chord = t * separation.potential(a) + (1 - t) * separation.potential(b)
    assert between <= chord + 1e-9 * max(1, abs(chord), abs(between))


def test_the_odd_power_is_not_convex_and_says_so():
    cube = separations["power"](n=3)
    a, b = np.array([-4.0]), np.array([2.0])
    assert not cube.convex
    assert cube.potential((a + b) / 2) > (cube.potential(a) + cube.potential(b)) / 2


@every
def test_every_parameter_changes_the_output(name, parameters):
    scores = np.array([0.5, -1.25, 2.0])
    one = separations[name](**parameters)
    other = separations[name](beta=3.0, **parameters)
    same = np.allclose(one.weights(scores), other.weights(scores))
    assert same == (name == "argmax")  # max βs = β max s
    if name == "power":
        assert not np.allclose(one.weights(scores), separations[name](n=one.n + 1).weights(scores))


@given(data=st.data(), beta=betas, n=sizes, m=sizes)
def test_softmax_is_scipys(data, beta, n, m):
    scores = data.draw(arrays((n, m)))
    softmax = separations["softmax"](beta=beta)
    np.testing.assert_allclose(softmax.weights(scores), scipy.special.softmax(beta * scores, axis=-1), rtol=1e-12)
    reference = scipy.special.logsumexp(beta * scores, axis=-1) / beta
    np.testing.assert_allclose(softmax.potential(scores), reference, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("beta", [1e-6, 1.0, 1e6])
def test_softmax_is_stable_for_large_scores(beta):
    softmax = separations["softmax"](beta=beta)
    scores = np.array([[1e4, -1e4, 0.0], [-1e4, -1e4, -1e4]])
    weights = softmax.weights(scores)
    assert np.all(np.isfinite(weights))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, rtol=1e-12)
    np.testing.assert_allclose(softmax.potential(scores)[1], -1e4 + np.log(3) / beta, rtol=1e-12)


def test_a_masked_score_cannot_overflow():
    scores = np.array([1e300, 1.0])
    where = np.array([False, True])
    for name in separations:
        separation = separations[name](beta=1.0)
        assert np.isfinite(separation.potential(scores, where)), name
        assert separation.weights(scores, where)[0] == 0


def test_exact_ties_share_the_weight_of_argmax():
    assert separations["argmax"]().weights(np.array([1.0, 3.0, 3.0])).tolist() == [0, 0.5, 0.5]


def test_argmax_does_not_make_ties_by_rounding():
    scores = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert separations["argmax"](beta=1e-300).weights(scores).tolist() == [0, 1]


@every
def test_the_same_on_every_library(name, parameters, library):
    scores = np.array([[0.5, -1.25, 2.0, 0.0], [1.0, 1.0, -3.0, 1.0]])
    where = np.array([[True, False, True, True], [False, False, False, False]])
    separation = separations[name](beta=0.7, **parameters)
    for mask in (None, where):
        given_mask = None if mask is None else library.array(mask)
        found = separation.weights(library.array(scores), given_mask)
        assert type(found) is type(library.array(scores))
        np.testing.assert_allclose(library.numpy(found), separation.weights(scores, mask), rtol=1e-12)
        potential = library.numpy(separation.potential(library.array(scores), given_mask))
        np.testing.assert_allclose(potential, separation.potential(scores, mask), rtol=1e-12)


@every
def test_float32_stays_float32(name, parameters):
    scores = np.array([0.5, 2.0], dtype=np.float32)
    separation = separations[name](beta=0.7, **parameters)
    assert separation.weights(scores).dtype == np.float32
    assert separation.potential(scores).dtype == np.float32


@pytest.mark.parametrize("beta", [0, -1, np.nan, np.inf, "8", True, None, [1]])
@pytest.mark.parametrize("name", separations)
def test_a_beta_that_is_no_positive_number_is_refused(name, beta):
    with pytest.raises(InvalidInput, match="beta"):
        separations[name](beta=beta)


@pytest.mark.parametrize("n", [1, 0, -2, 2.5, "3", True])
def test_a_power_that_is_no_whole_number_from_two_on_is_refused(n):
    with pytest.raises(InvalidInput, match="n: expected a whole number"):
        separations["power"](n=n)


def test_a_mistyped_name_lists_the_choices_and_the_nearest():
    with pytest.raises(
        InvalidInput, match=r"'softmx' is unknown; did you mean 'softmax'\? \(choices: argmax, identity"
    ):
        separations["softmx"]
    with pytest.raises(InvalidInput, match="'betta' is unknown; did you mean 'beta'"):
        separations.make("softmax", betta=2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("beta", [1e-300, 1e-8, 7e4, 1e300])
def test_softmax_takes_any_beta_in_any_dtype(dtype, beta):
    softmax = separations["softmax"](beta=beta)
    scores = np.array([1.0, 0.0, -5.0], dtype=dtype)
    weights = softmax.weights(scores)
    assert np.isclose(weights.sum(), 1, atol=1e-2)
    assert weights[0] >= weights[1] >= weights[2]


def test_a_parameter_that_is_missing_is_named():
    from hopattn.masks import mask_rules

    with pytest.raises(InvalidInput, match="mask 'window': needs width"):
        mask_rules.make("window")


def test_a_registry_is_a_mapping():
    assert separations.get("nope") is None
    assert separations.get("softmax") is separations["softmax"]
    assert "nope" not in separations
