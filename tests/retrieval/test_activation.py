"""Laws of every activation: it is a gradient, and its conjugate is the conjugate."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import expit

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import LayerNorm, activations
from tests.draws import arrays, in_dtypes, near, sizes
from tests.each import each

every = each("name", list(activations))
STEEP = [
    *((name, {"beta": beta}) for name in ("tanh", "logistic") for beta in (0.3, 5.0)),
    ("layer_norm", {"gamma": 2.0, "epsilon": 0.1}),
    ("layer_norm", {"gamma": 0.5, "epsilon": 0.1, "delta": -0.3}),
]


@every
@given(data=st.data(), n=sizes)
def test_it_is_the_gradient_of_its_potential(name, data, n):
    field = data.draw(arrays((n,)))
    assume(np.abs(field).min() > 1e-2)
    activation, h = activations[name](), 1e-6
    slopes = [(activation.potential(field + h * e) - activation.potential(field - h * e)) / (2 * h) for e in np.eye(n)]
    np.testing.assert_allclose(activation(field), slopes, atol=1e-6)


@each(("name", "dtype"), in_dtypes((name,) for name in activations))
@given(data=st.data(), n=sizes)
def test_fenchel_young_holds_with_equality_at_its_own_state(name, dtype, data, n):
    field, other = data.draw(arrays((n,))).astype(dtype), data.draw(arrays((n,))).astype(dtype)
    activation, tol = activations[name](), near(dtype)
    state = activation(field)
    assert state.dtype == dtype
    own = activation.potential(field) + activation.conjugate(state)
    np.testing.assert_allclose(own, field @ state, rtol=tol, atol=tol)
    cross = activation.potential(other) + activation.conjugate(state) - other @ state
    assert cross >= -tol * max(1, abs(other @ state))


@every
def test_what_it_gives_is_not_foreign_to_it(name):
    activation = activations[name]()
    rng = np.random.default_rng(3)
    for field in rng.normal(size=(50, 7)):
        assert activation.why_outside_domain(activation(field)) == ""


@each(("name", "parameters"), STEEP)
@given(data=st.data(), n=st.integers(2, 6))
def test_parameters_keep_gradient_and_conjugate(name, parameters, data, n):
    field, h = data.draw(arrays((n,))) / 4, 1e-6
    activation = activations[name](**parameters)
    slopes = [(activation.potential(field + h * e) - activation.potential(field - h * e)) / (2 * h) for e in np.eye(n)]
    state = activation(field)
    np.testing.assert_allclose(state, slopes, atol=1e-6)
    own = activation.potential(field) + activation.conjugate(state)
    np.testing.assert_allclose(own, field @ state, rtol=1e-9, atol=1e-9)


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
    with pytest.raises(InvalidInput, match="delta: got 5 numbers; expected one for each of 3 entries"):
        norm(np.ones(3))


@each("x", [1e-9, 1e-5, 0.3, 0.4999999, 0.5, 0.9, 1.0])
def test_the_conjugate_of_tanh_keeps_its_digits(x):
    """Against ∫₀ˣ artanh by its series Σ x²ᵏ⁺² / (2k+1)(2k+2), summed in fractions."""
    exact = sum(Fraction(x) ** (2 * k + 2) / ((2 * k + 1) * (2 * k + 2)) for k in range(60 if x < 0.9 else 0))
    expected = float(exact) if x < 0.9 else 0.5 * ((1 + x) * np.log1p(x) + (1 - x) * np.log1p(-min(x, 0.9)))
    np.testing.assert_allclose(activations["tanh"]().conjugate(np.array([x])), expected, rtol=4e-15)


@each("mean", [0.0, 1e3, 1e6])
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


@each(
    ("name", "parameters"), [("tanh", {"beta": -1}), ("layer_norm", {"gamma": 0}), ("layer_norm", {"epsilon": np.nan})]
)
def test_parameters_that_cannot_be_are_refused(name, parameters):
    with pytest.raises(InvalidInput, match="expected a positive finite number"):
        activations[name](**parameters)


def test_sign_keeps_the_spin_where_the_field_is_zero():
    sign = activations["sign"]()
    assert sign(np.array([0.0, -2.0, 0.0]), np.array([1.0, 1.0, -1.0])).tolist() == [1, -1, -1]


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
    for what in ("potential", "conjugate"):
        own = getattr(activation, what)
        np.testing.assert_allclose(library.numpy(own(library.array(field))), own(field), rtol=1e-12)


@each(("cue", "answer"), [((0.8, 0.6), 1), ((-0.8, -0.6), -1), ((-0.6, 0.8), 0), ((1, 0), 0.8)])
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


@each(
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
    with pytest.raises(InvalidInput, match=r"f: 'reul' is unknown; did you mean 'relu'\?"):
        ha.cue(weights, pattern, "reul")


def test_each_cue_of_a_neuron_is_answered_on_its_own():
    assert ha.cue([0.8, 0.6], [[0.8, 0.6], [-0.6, -0.8]], "unit").tolist() == [1, -1]


def test_a_cue_takes_f_by_name_by_object_and_as_a_function():
    weights = [[1, 0], [0, -2]]
    assert ha.cue(weights, [3, 4], "sign").tolist() == [1, -1]
    assert ha.cue(weights, [3, 4], activations["sign"]()).tolist() == [1, -1]
    assert ha.cue(weights, [3, 4], np.tanh).tolist() == np.tanh([3.0, -8.0]).tolist()


@each(
    ("weights", "activation", "message"),
    [
        ([[1, 2]], [1, 2, 3], "activation: dim 3 does not fit weights of dim 2"),
        ([[1, 2], [3]], [1, 2], "rows of unequal length"),
        (["a"], [1], "expected real numbers"),
        (3, [1], "weights: expected"),
    ],
)
def test_a_cue_that_does_not_fit_is_refused(weights, activation, message):
    with pytest.raises(InvalidInput, match=message):
        ha.cue(weights, activation)


def test_a_mistyped_activation_is_refused():
    with pytest.raises(InvalidInput, match="did you mean 'sign'"):
        ha.cue([1], [1], "sgin")


@given(field=arrays((3, 4)))
@each("name", activations)
def test_the_inverse_gives_the_field_of_a_state(name, field):
    """∇Φ(∇Φ*(x)) = x, for every activation with an inverse."""
    activation = activations[name]()
    state = np.asarray(activation(field / 4))
    try:
        inverse = activation.inverse(state)
    except InvalidInput as error:
        assert "has no inverse" in str(error)
        return
    np.testing.assert_allclose(activation(inverse), state, atol=1e-12)


@given(field=arrays((1, 4)), weight=st.sampled_from([0.0, 0.3, 2.0]), seed=st.integers(0, 99))
@each("name", activations)
def test_the_proximal_step_minimises(name, field, weight, seed):
    """x = proximal(h, λ) has the least Φ*(x) + ½λ|x|² − h·x among the states that the activation gives."""
    activation = activations[name]()
    rng = np.random.default_rng(seed)
    state = np.asarray(activation(rng.normal(size=field.shape)))
    try:
        least = activation.proximal(field, state, weight)
    except InvalidInput as error:
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


@each("dtype", ["float32", "float64"])
def test_what_a_layer_norm_with_a_large_shift_gives_is_one_of_its_states(dtype):
    for delta in (1.0, 1000.0):
        for gamma in (0.01, 1.0):
            norm = LayerNorm(gamma=gamma, delta=delta)
            states = norm(np.random.default_rng(0).normal(size=(300, 4)).astype(dtype))
            assert np.all(np.isfinite(norm.conjugate(states)))
            assert not any(norm.why_outside_domain(state) for state in states)
