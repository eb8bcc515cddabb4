"""Laws of every activation: it is a gradient, and its conjugate is the conjugate; the lecture's cue."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit

import hopattn as ha
from hopattn.retrieval.activation import activations
from tests.draws import arrays, in_dtypes, near, sizes

every = pytest.mark.parametrize("name", list(activations))
EVERY = [(name, {}) for name in activations]
EVERY += [(name, {"beta": beta}) for name in ("tanh", "logistic") for beta in (0.3, 5.0)]
EVERY += [("layer_norm", {"gamma": 2.0, "epsilon": 0.1}), ("layer_norm", {"gamma": 0.5, "epsilon": 0.1, "delta": -0.3})]


@pytest.mark.parametrize(("name", "parameters"), EVERY)
@given(data=st.data(), n=sizes)
def test_it_is_the_gradient_of_its_potential(name, parameters, data, n):
    field, h = data.draw(arrays((n,))) / 4, 1e-6
    assume(np.abs(field).min() > 1e-2)
    activation = activations[name](**parameters)
    slopes = [(activation.potential(field + h * e) - activation.potential(field - h * e)) / (2 * h) for e in np.eye(n)]
    np.testing.assert_allclose(activation(field), slopes, atol=1e-6)


@pytest.mark.parametrize(("name", "parameters", "dtype"), in_dtypes(EVERY))
@given(data=st.data(), n=sizes)
def test_fenchel_young_holds_with_equality_at_its_own_state(name, parameters, dtype, data, n):
    field, other = (data.draw(arrays((n,))).astype(dtype) for _ in range(2))
    activation, tol = activations[name](**parameters), 10 * near(dtype)
    state = activation(field)
    assert state.dtype == dtype
    own = activation.potential(field) + activation.conjugate(state)
    np.testing.assert_allclose(own, field @ state, rtol=tol, atol=tol)
    cross = activation.potential(other) + activation.conjugate(state) - other @ state
    assert cross >= -tol * max(1, abs(other @ state))


@given(field=arrays((7,)), scale=st.sampled_from([0.3, 1.0, 1.7]), shift=st.sampled_from([0.0, 0.8]))
@pytest.mark.parametrize(("name", "parameters"), EVERY)
def test_a_state_that_costs_infinitely_much_is_outside_its_domain(name, parameters, field, scale, shift):
    activation = activations[name](**parameters)
    assert activation.why_outside_domain(activation(field)) == ""
    state = scale * activation(field) + shift
    reason, cost = activation.why_outside_domain(state), activation.conjugate(state)
    assert np.isfinite(cost) or reason
    if not activation.discrete:  # of a spin 0.3 the energy is finite
        assert bool(reason) == bool(np.isinf(cost))


apart_from_0 = st.one_of(st.floats(-4, -0.02), st.floats(0.02, 4))


@given(field=hnp.arrays(np.float64, 5, elements=apart_from_0, fill=st.nothing()), factor=st.floats(0.5, 40))
@pytest.mark.parametrize(("name", "parameters"), EVERY)
def test_what_an_activation_says_of_itself_is_so(name, parameters, field, factor):
    field[0] += np.sign(field[0])
    assume(np.ptp(field) > 0.1)
    activation = activations[name](**parameters)
    state = activation(field)
    if activation.directional:
        np.testing.assert_allclose(activation(factor * field), state, atol=1e-14)
    moved = activation(np.concatenate([field[:1] + 9, field[1:]]))
    assert np.array_equal(moved[1:], state[1:]) or not activation.elementwise
    assert not np.allclose(activation(-3 * field), state)
    if activation.discrete:
        assert {*state.tolist()} <= {activation.silent, 1.0}
        known = np.array([activation.silent, 1.0, 1.0, activation.silent, 1.0])
        assert activation(0 * field, known).tolist() == known.tolist()  # a field of 0 decides nothing
        half = np.where(np.arange(5) < 2, 0, field)
        assert activation(half, known).tolist() == [*known[:2], *state[2:]]


def test_layer_norm_is_pytorchs(torch):
    field = np.random.default_rng(0).normal(size=(4, 6))
    reference = torch.nn.functional.layer_norm(torch.asarray(field), (6,), eps=1e-5)
    np.testing.assert_allclose(activations["layer_norm"]()(field), reference, rtol=1e-12)


def test_layer_norm_with_a_shift_is_pytorchs_and_knows_its_own_term(torch):
    """x·g − L(x) = −γDε/√(var + ε), whatever the shift, and the state lies in the domain."""
    rng, shift = np.random.default_rng(0), (0.5, -1.0, 0.0, 2.0, 0.25)
    norm = activations["layer_norm"](gamma=1.7, epsilon=1e-3, delta=shift)
    field = rng.normal(size=(40, 5)) * 10 ** rng.uniform(-3, 1, (40, 1))
    weight, bias = torch.full((5,), 1.7, dtype=torch.float64), torch.tensor(shift, dtype=torch.float64)
    state = norm(field)
    np.testing.assert_allclose(
        state, torch.nn.functional.layer_norm(torch.tensor(field), (5,), weight, bias, 1e-3), rtol=1e-12, atol=1e-13
    )
    own = -1.7 * 5 * 1e-3 / np.sqrt(field.var(axis=-1) + 1e-3)
    np.testing.assert_allclose(norm.conjugate(state), own, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.sum(field * state, axis=-1) - norm.potential(field), own, atol=1e-12)
    assert not any(norm.why_outside_domain(row) for row in state)


@pytest.mark.parametrize("x", [1e-9, 1e-5, 0.3, 0.4999999, 0.5, 0.9, 1.0])
def test_the_conjugate_of_tanh_keeps_its_digits(x):
    """Against ∫₀ˣ artanh by its series Σ x²ᵏ⁺² / (2k+1)(2k+2), summed in fractions."""
    exact = sum(Fraction(x) ** (2 * k + 2) / ((2 * k + 1) * (2 * k + 2)) for k in range(60 if x < 0.9 else 0))
    expected = float(exact) if x < 0.9 else 0.5 * ((1 + x) * np.log1p(x) + (1 - x) * np.log1p(-min(x, 0.9)))
    np.testing.assert_allclose(activations["tanh"]().conjugate(np.array([x])), expected, rtol=4e-15)


@pytest.mark.parametrize("mean", [0.0, 1e3, 1e6])
def test_layer_norm_keeps_its_sum_at_0_whatever_the_mean(mean):
    norm = activations["layer_norm"]()
    state = norm(mean + np.random.default_rng(1).normal(size=(20, 16)))
    assert np.all(np.isfinite(norm.conjugate(state)))
    assert not any(norm.why_outside_domain(row) for row in state)


def test_tanh_does_not_overflow():
    tanh = activations["tanh"](beta=1e6)
    field = np.array([1e4, -1e4, 0.0])
    assert tanh(field).tolist() == [1, -1, 0]
    np.testing.assert_allclose(tanh.potential(field), 2e4, rtol=1e-9)
    assert tanh.conjugate(np.array([1.0, -1.0])) == pytest.approx(2 * np.log(2) / 1e6)
    assert tanh.conjugate(np.array([1.5, 0.0])) == np.inf


def test_unit_maps_zero_to_zero_and_neither_overflows_nor_underflows():
    unit = activations["unit"]()
    assert unit(np.zeros(3)).tolist() == [0, 0, 0]
    np.testing.assert_allclose(unit(np.array([3e300, 4e300])), [0.6, 0.8], rtol=1e-15)
    np.testing.assert_allclose(unit(np.array([3e-300, 4e-300])), [0.6, 0.8], rtol=1e-15)


@every
def test_the_same_on_every_library(name, library):
    field, state = np.array([[3.0, -4.0], [0.0, 0.0]]), np.array([[1.0, -1.0], [-1.0, 1.0]])
    activation = activations[name]()
    found = activation(library.array(field), library.array(state))
    np.testing.assert_allclose(library.numpy(found), activation(field, state), rtol=1e-12)
    for what in (activation.potential, activation.conjugate):
        np.testing.assert_allclose(library.numpy(what(library.array(field))), what(field), rtol=1e-12)
    if name not in ("sign", "step"):
        inverse = activation.inverse(activation(field))
        found = activation.inverse(library.array(activation(field)))
        np.testing.assert_allclose(library.numpy(found), inverse, rtol=1e-7)


@pytest.mark.parametrize(("cue", "answer"), [((0.8, 0.6), 1), ((-0.8, -0.6), -1), ((-0.6, 0.8), 0), ((1, 0), 0.8)])
def test_the_four_cues_of_the_lecture(cue, answer):
    assert ha.cue([0.8, 0.6], cue) == pytest.approx(answer, abs=1e-15)


def test_practice_7_1():
    assert ha.cue([0.9, 0.4, 0.2], [0.4, 0.9, 0.2]) == pytest.approx(0.36 + 0.36 + 0.04, abs=1e-15)
    assert ha.cosine([0.9, 0.4, 0.2], [0.4, 0.9, 0.2]) == pytest.approx(0.752, abs=5e-4)


@given(data=st.data(), n=sizes, m=sizes, k=sizes)
def test_a_cue_is_a_matrix_product(data, n, m, k):
    weights, patterns = data.draw(arrays((n, m))), data.draw(arrays((k, m)))
    expected = [[sum(w * a for w, a in zip(row, pattern, strict=True)) for row in weights] for pattern in patterns]
    np.testing.assert_allclose(ha.cue(weights, patterns), expected, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(ha.cue(weights, patterns[0]), expected[0], rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize(
    ("f", "referee"),
    [("logistic", expit), ("relu", lambda h: np.maximum(h, 0)), ("step", lambda h: np.heaviside(h, 0))],
)
def test_a_cue_takes_the_functions_of_neurons_that_never_go_below_0(f, referee, library):
    weights, pattern = (
        np.array([[800.0, 0.0], [0.0, -3.0], [0.8, -0.6], [-60.0, 0.0], [0.0, 0.0], [-800.0, 0.0]]),
        np.array([1.0, 0.5]),
    )
    found = library.numpy(ha.cue(library.array(weights), library.array(pattern), f))
    np.testing.assert_allclose(found, referee(weights @ pattern), rtol=1e-12)


def test_each_cue_of_a_neuron_is_answered_on_its_own():
    assert ha.cue([0.8, 0.6], [[0.8, 0.6], [-0.6, -0.8]], "unit").tolist() == [1, -1]


def test_a_cue_takes_f_by_name_by_object_and_as_a_function():
    weights = [[1, 0], [0, -2]]
    assert ha.cue(weights, [3, 4], "sign").tolist() == [1, -1]
    assert ha.cue(weights, [3, 4], activations["sign"]()).tolist() == [1, -1]
    assert ha.cue(weights, [3, 4], np.tanh).tolist() == np.tanh([3.0, -8.0]).tolist()


@given(data=st.data(), n=sizes, k=sizes)
def test_a_square_cue_of_spins_keeps_a_spin_whose_field_is_0(data, n, k):
    """As the step of a network does, in integers by hand; other numbers than ±1, and other shapes, give 0."""
    whole = st.integers(-3, 3)
    tenths = data.draw(hnp.arrays(np.int64, (n, n), elements=whole))
    x = data.draw(hnp.arrays(np.int64, (k, n), elements=st.sampled_from([-1, 1])))
    h = x @ tenths.T
    found = ha.cue(tenths / 10, x, "sign")
    assert np.array_equal(found, np.where(h == 0, x, np.sign(h)))
    assert np.array_equal(found, ha.Hopfield(tenths / 10).step(x))
    assert np.array_equal(ha.cue(np.vstack([tenths, tenths]) / 10, x, "sign")[:, :n], np.sign(h))
    assert np.array_equal(ha.cue(tenths / 10, x / 2, "sign"), np.sign(h))


def test_a_square_cue_keeps_a_spin_in_every_library(library):
    found = ha.cue(library.array(np.array([[0.1, 0.1], [0.1, 0.2]])), library.array(np.array([1.0, -1.0])), "sign")
    assert library.numpy(found).tolist() == [1, -1]


@given(field=arrays((3, 4)))
@pytest.mark.parametrize("name", activations)
def test_the_inverse_gives_the_field_of_a_state(name, field):
    """∇Φ(∇Φ*(x)) = x, for every activation with an inverse."""
    activation = activations[name]()
    state = np.asarray(activation(field / 4))
    try:
        inverse = activation.inverse(state)
    except ha.InvalidInput as error:
        assert "has no inverse" in str(error)
        return
    np.testing.assert_allclose(activation(inverse), state, atol=1e-12)


@given(field=arrays((1, 4)), weight=st.sampled_from([0.0, 0.3, 2.0]), seed=st.integers(0, 99))
@pytest.mark.parametrize("name", activations)
def test_the_proximal_step_minimises(name, field, weight, seed):
    """x = proximal(h, λ) has the least Φ*(x) + ½λ|x|² − h·x among the states that the activation gives."""
    activation = activations[name]()
    rng = np.random.default_rng(seed)
    state = np.asarray(activation(rng.normal(size=field.shape)))
    try:
        least = activation.proximal(field, state, weight)
    except ha.InvalidInput as error:
        assert "has no" in str(error)
        return

    def cost(x):
        return activation.conjugate(x) + 0.5 * weight * np.sum(x * x, axis=-1) - np.sum(field * x, axis=-1)

    others = [np.asarray(activation(rng.normal(size=field.shape) * size)) for size in (0.1, 1.0, 10.0)]
    for other in [state, *others, *(least + 0.1 * (one - least) for one in others if not activation.directional)]:
        assert cost(least) <= cost(other) + 1e-9 * (1 + np.abs(field).sum())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_damped_graded_neuron_keeps_its_digits_whatever_the_damping(dtype):
    """artanh(x)/β + λx = h, for fields and dampings of any size."""
    rng, tanh = np.random.default_rng(0), activations["tanh"](beta=2.0)
    weight = 10.0 ** rng.uniform(-3, 15, 40)
    field = (rng.uniform(-0.9, 0.9, 40) * (weight + 1) * 10.0 ** rng.choice([0, -5], 40)).astype(dtype)
    for h, damping in zip(field, weight, strict=True):
        x = tanh.proximal(np.array([h]), np.zeros(1, dtype), float(damping))
        assert x.dtype == dtype
        back = np.arctanh(x.astype(np.longdouble)) / 2 + damping * x.astype(np.longdouble)
        assert abs(back[0] - np.longdouble(h)) <= 64 * np.finfo(dtype).eps * abs(h)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_a_layer_norm_with_a_large_shift_gives_is_one_of_its_states(dtype):
    for delta in (1.0, 1000.0):
        for gamma in (0.01, 1.0):
            norm = activations["layer_norm"](gamma=gamma, delta=delta)
            states = norm(np.random.default_rng(0).normal(size=(300, 4)).astype(dtype))
            assert np.all(np.isfinite(norm.conjugate(states)))
            assert not any(norm.why_outside_domain(state) for state in states)
