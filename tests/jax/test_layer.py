"""Recall and a layer for JAX: one step is JAX's attention, a fixed point has the derivative of many steps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from tests.draws import count
from tests.refusal import refused

pytestmark = pytest.mark.slow
"""JAX compiles for a second and more."""


def rows(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def arrays(jax, *tables):
    return [jax.numpy.asarray(table) for table in tables]


def learned(jax, dtype=None, **options):
    layer = ha.jax.Hopfield.init(jax.random.key(0), 8, 2, **options)
    return layer if dtype is None else jax.tree.map(lambda leaf: leaf.astype(dtype), layer)


def read_by_jax(jax, layer, text, **options):
    """The output of the layer by `jax.nn.dot_product_attention`, whose axes are (batch, n, heads, dim)."""
    p = layer.params
    heads = [
        jax.numpy.einsum("bnd,hkd->bnhk", text, p[f"w_{role}"]) + p[f"b_{role}"] for role in ("query", "key", "value")
    ]
    state = jax.nn.dot_product_attention(*heads, scale=layer.options.beta, **options)
    return state.reshape(*text.shape[:2], -1) @ p["w_output"].T + p["b_output"]


@pytest.mark.parametrize(("mask", "is_causal"), [(None, False), ("causal", True)])
def test_one_step_of_the_softmax_is_jaxs_attention(jax, mask, is_causal):
    layer, text = learned(jax, "float32"), jax.numpy.asarray(rows(0, 3, 5, 8), "float32")
    assert layer.options.beta == 0.5  # 1/√dim_head
    expected = read_by_jax(jax, layer, text, is_causal=is_causal)
    np.testing.assert_allclose(layer(text, mask=mask), expected, atol=2e-6)


def test_masks_of_texts_and_biases_of_heads_are_those_of_jaxs_attention(jax):
    layer, text = learned(jax), jax.numpy.asarray(rows(1, 3, 5, 8))
    seen = ha.padding([5, 2, 3])
    expected = read_by_jax(jax, layer, text, key_value_seq_lengths=jax.numpy.array([5, 2, 3], "int32"))
    np.testing.assert_allclose(layer(text, mask=seen), expected, atol=2e-6)  # JAX has its scores in single precision
    np.testing.assert_allclose(layer(text, mask=np.asarray(seen.array(5))), layer(text, mask=seen), atol=1e-12)
    bias = rows(2, 2, 5, 5)
    np.testing.assert_allclose(layer(text, bias=bias), read_by_jax(jax, layer, text, bias=bias[None]), atol=2e-6)


@pytest.mark.parametrize(
    "parts",
    [{"separation": "softmax"}, {"separation": "softmax", "activation": "unit"}, {"similarity": "cosine"}],
    ids=["conjugate gradients", "unit", "cosine"],
)
def test_the_derivative_at_a_fixed_point_is_that_of_many_steps(jax, parts):
    def value(theta, cues, weight, steps):
        rest = ha.jax.recall(cues, steps=steps, max_steps=500, **theta, **parts)
        return (rest.state * weight).sum(), rest

    @jax.jit
    def slopes(theta, cues, weight):
        implicit, rest = jax.grad(value, has_aux=True)(theta, cues, weight, None)
        unrolled, _ = jax.grad(value, has_aux=True)(theta, cues, weight, 500)
        return implicit, unrolled, rest, ha.jax.largest_eigenvalue(rest.state, **theta, **parts)

    met = []

    @settings(max_examples=count(60, 15), deadline=None)
    @given(seed=st.integers(0, 2**32 - 1), beta=st.floats(0.1, 3.0))
    def law(seed, beta):
        cues, weight, bias = arrays(jax, rows(seed, 3, 4), rows(seed + 1, 3, 4), 0.1 * rows(seed + 2, 3, 6))
        theta = {"keys": jax.numpy.asarray(rows(seed + 3, 6, 4)), "beta": beta, "bias": bias}
        implicit, unrolled, rest, largest = slopes(theta, cues, weight)
        met.append(float(largest.max()) < 0.95 and bool(rest.reached.all()))
        if met[-1]:
            for one, other in zip(*map(jax.tree.leaves, (implicit, unrolled)), strict=True):
                np.testing.assert_allclose(one, other, atol=1e-6 * (1 + np.abs(other).max()))

    law()
    assert np.mean(met) > 0.5


def test_a_fixed_point_of_two_patterns_in_numbers(jax):
    """x = tanh(βx) between the patterns ±1, and dx/dβ = x(1 − x²) / (1 − β(1 − x²)) by its derivative."""
    from scipy.optimize import brentq

    beta, keys = 1.5, jax.numpy.array([[1.0], [-1.0]])
    x = brentq(lambda x: np.tanh(beta * x) - x, 0.1, 1)
    rest = ha.jax.recall(jax.numpy.ones(1), keys, beta=beta)
    slope = beta * (1 - x**2)
    assert float(rest.state[0]) == pytest.approx(x, abs=1e-10)
    assert float(ha.jax.largest_eigenvalue(rest.state, keys, beta=beta)) == pytest.approx(slope, abs=1e-10)
    for derivative in (jax.grad, jax.jacfwd):
        found = derivative(lambda b: ha.jax.recall(jax.numpy.ones(1), keys, beta=b).state[0])(beta)
        assert float(found) == pytest.approx(x * (1 - x**2) / (1 - slope), abs=1e-8)


def test_each_cue_stops_by_itself_and_the_record_says_how(jax):
    keys, cues = arrays(jax, rows(3, 6, 4), rows(4, 5, 4))
    rest = ha.jax.recall(cues, keys, beta=2.0)
    recall = ha.Memory(np.asarray(keys), beta=2.0).recall(np.asarray(cues), tol=0.0, max_steps=500)
    np.testing.assert_allclose(rest.state, recall.state, atol=1e-9)
    assert rest.reached.all()
    assert len({*rest.steps.tolist()}) > 1
    for cue, state, steps in zip(cues, rest.state, rest.steps, strict=True):
        alone = ha.jax.recall(cue, keys, beta=2.0)
        assert int(alone.steps) == int(steps)
        np.testing.assert_allclose(alone.state, state, atol=1e-12)
    short = ha.jax.recall(cues, keys, beta=2.0, max_steps=2)
    assert not short.reached.all()
    assert float(short.residual.max()) > 1e-3


@pytest.mark.parametrize("steps", [1, 3])
def test_some_steps_are_those_of_a_memory(jax, steps):
    keys, cues = rows(5, 6, 4), rows(6, 5, 4)
    memory, x = ha.Memory(keys, separation="sparsemax", beta=0.5), cues
    for _ in range(steps):
        x = memory.step(x)
    found = ha.jax.recall(*arrays(jax, cues, keys), steps=steps, separation="sparsemax", beta=0.5)
    np.testing.assert_allclose(found.state, x, atol=1e-10)
    assert found.steps.tolist() == [steps] * 5
    default, one = (ha.jax.recall(*arrays(jax, cues, keys), steps=steps, **beta) for beta in ({}, {"beta": 1.0}))
    np.testing.assert_array_equal(default.state, one.state)


def many(jax, **options):
    """Each layer that works under every transform: α of each head, a sink of each, more steps."""
    numbers = np.array([1.0, 2.0])
    return [
        learned(jax, learn_beta=True, steps=3, **options),
        learned(jax, steps=None, beta=2.0, **options),
        learned(jax, steps=2, separation=ha.separations.entmax(alpha=numbers, sink=-numbers), **options),
    ]


def test_the_layer_is_a_pytree_under_every_transform(jax):
    text = jax.numpy.asarray(rows(7, 3, 5, 8))
    for layer in many(jax):

        @jax.jit
        def ways(one, x):
            return one(x, mask="causal"), jax.vmap(lambda row: one(row, mask="causal"))(x)

        whole = layer(text, mask="causal")
        for found in ways(layer, text):
            np.testing.assert_allclose(found, whole, atol=1e-10)
        slopes = jax.jit(jax.grad(lambda one: (one(text) ** 2).sum()))(layer)
        assert jax.tree.structure(slopes) == jax.tree.structure(layer)
        for name, slope in slopes.params.items():
            at_rest = layer.options.steps is None and name.endswith("_query")
            assert np.isfinite(slope).all()
            assert bool(np.abs(slope).max() > 0) is not at_rest, name


def test_a_layer_learns_to_find_a_pattern_and_its_alpha(jax):
    """The word with the largest first entry, by gradient descent: α leaves 1, and the loss falls to a tenth."""
    jnp = jax.numpy
    text = jnp.asarray(rows(8, 64, 6, 8))
    best = jnp.take_along_axis(text, text[..., :1].argmax(axis=1, keepdims=True), axis=1)
    layer = learned(jax, separation=ha.separations.entmax(alpha=jnp.ones(2)))

    def loss(layer):
        return ((layer(jnp.ones((64, 1, 8)), text) - best) ** 2).mean()

    step = jax.jit(lambda one: (loss(one), jax.tree.map(lambda leaf, g: leaf - 0.2 * g, one, jax.grad(loss)(one))))
    losses = []
    for _ in range(300):
        value, layer = step(layer)
        layer.params["alpha"] = jnp.clip(layer.params["alpha"], 1, 4)
        losses.append(float(value))
    assert losses[-1] < 0.2 * losses[0]
    assert (layer.params["alpha"] > 1.05).any()


def test_what_cannot_be_is_refused_with_its_place(jax):
    init, key, keys = ha.jax.Hopfield.init, jax.random.key(0), jax.numpy.ones((3, 4))
    layer, x = init(key, 4), jax.numpy.ones((2, 4))
    for call, place, *words in (
        (lambda: init(0, 8), "key", "jax.random.key(0)"),
        (lambda: layer(np.ones((2, 4))), "query", "library", "numpy"),
        (lambda: layer(x, x, jax.numpy.ones((3, 4))), "values", "m = 2 of keys"),
        (lambda: layer(jax.numpy.ones((3, 2, 4)), jax.numpy.ones((5, 2, 4))), "query, keys", "broadcast"),
        (lambda: layer(x, bias=jax.numpy.ones((3, 3))), "bias", "(3, 3)"),
        (lambda: init(key, 8, 3), "n_heads", "divide", "dim_head"),
        (lambda: init(key, 8, steps=0), "steps", "0"),
        (lambda: init(key, 8, max_steps=0), "max_steps", "0"),
        (lambda: init(key, 8, beta=-1.0), "beta", "-1"),
        (lambda: init(key, 8, tol=-1.0), "tol", "-1"),
        (lambda: init(key, 8, separation="softmx"), "separation", "'softmax'"),
        (lambda: init(key, 8, separation="argmax", steps=2), "recall", "jumps"),
        (lambda: init(key, 8, activation="sign"), "recall", "jumps"),
        (lambda: init(key, 8, 2, separation=ha.separations.entmax(alpha=jax.numpy.ones(3))), "alpha", "3", "n_heads"),
        (lambda: init(key, 8, stepps=2), "Hopfield.init", "'steps'"),
        (lambda: layer(jax.numpy.ones((2, 5))), "query", "5", "4"),
        (lambda: layer(jax.numpy.ones(4)), "query", "(4,)"),
        (lambda: layer(x, jax.numpy.ones((3, 5))), "keys", "5", "4"),
        (lambda: layer(x, mask=np.ones((3, 3), bool)), "mask", "(3, 3)"),
        (lambda: layer.recall(x), "recall", "one step"),
        (lambda: ha.jax.recall(x, keys, steps=0), "steps", "0"),
        (lambda: ha.jax.recall(x, keys, beta=-1.0), "beta", "-1"),
        (lambda: ha.jax.recall(x, keys, separation="argmax"), "recall", "jumps"),
        (lambda: ha.jax.recall(jax.numpy.ones((2, 5)), keys), "keys", "4", "5"),
    ):
        refused(call, place, *words)
