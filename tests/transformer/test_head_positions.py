"""Heads with positions and biases of their own: the offset alone counts, complex numbers, heads together, the cache."""

import inspect

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.gradients import backward
from hopattn.positions import Alibi, Rotary, alibi, alibi_slopes
from hopattn.positions.planes import LAYOUTS
from hopattn.transformer import Affine, FeedForward, LayerNorm

DIM = 6
rotaries = st.builds(Rotary, st.sampled_from([2.0, 100.0, 10000.0]), layout=st.sampled_from(LAYOUTS))
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def head(rng, **options):
    return ha.Head(*(rng.normal(size=(4, DIM)) / 2 for _ in range(3)), **{"mask": "causal"} | options)


def as_complex(x, layout):
    half = x.shape[-1] // 2
    return x[..., :half] + 1j * x[..., half:] if layout == "half" else x[..., ::2] + 1j * x[..., 1::2]


@given(rng=seeds, rotary=rotaries, n=st.integers(1, 5))
def test_a_rotary_head_is_the_formula_with_complex_numbers(rng, rotary, n):
    """Su et al., 3.2.1: the score is the real part of q conj(k) e^(i (p − r) θ), summed over the planes."""
    x, own = rng.normal(size=(n, DIM)), head(rng, position=rotary, beta=0.7)
    q, k = (as_complex(x @ w.T, rotary.layout) for w in (own.w_query, own.w_key))
    theta = np.array([1.0, rotary.base**-0.5])  # two planes of dim 4
    expected = [[np.sum(q[p] * k[r].conj() * np.exp(1j * (p - r) * theta)).real for r in range(n)] for p in range(n)]
    trace = own.trace(x)
    np.testing.assert_allclose(trace.scores, expected, rtol=1e-12, atol=1e-12)
    for p in range(n):
        weights = scipy.special.softmax(0.7 * np.array(expected[p][: p + 1]))
        np.testing.assert_allclose(own(x)[p], weights @ (x[: p + 1] @ own.w_value.T), rtol=1e-11, atol=1e-12)


@given(rng=seeds, rotary=rotaries, before=st.integers(1, 40))
@pytest.mark.parametrize("similarity", ["dot", "cosine", "euclidean"])
def test_scores_stay_where_padding_moves_the_text(similarity, rng, rotary, before):
    x = rng.normal(size=(4, DIM))
    own = head(rng, position=rotary, similarity=similarity)
    moved = own.trace(np.concatenate((np.zeros((before, DIM)), x)), np.arange(before + 4) >= before)
    here = own.trace(x)
    np.testing.assert_allclose(moved.scores[before:, before:], here.scores, atol=1e-10)
    np.testing.assert_allclose(moved.output[before:], here.output, atol=1e-10)


@given(rng=seeds)
def test_every_parameter_of_the_position_changes_the_output(rng):
    x, maps = rng.normal(size=(4, DIM)), rng.normal(size=(3, 4, DIM)) / 2
    outputs = [
        ha.Head(*maps, position=position, mask="causal")(x)
        for position in (None, "rope", Rotary(base=3.0), Rotary(layout="half"), Rotary(3.0, layout="half"))
    ]
    for i, one in enumerate(outputs):
        assert all(np.abs(one - other).max() > 1e-9 for other in outputs[:i])


@given(rng=seeds, rotary=rotaries, batch=st.sampled_from([(), (2,)]), crossed=st.booleans(), biased=st.booleans())
@pytest.mark.parametrize("shared", [1, 2])
def test_heads_together_are_heads_one_by_one(shared, rng, rotary, batch, crossed, biased):
    keys, values = ([Affine(rng.normal(size=(4, DIM)) / 2) for _ in range(2)] for _ in range(2))
    slopes = alibi_slopes(2)
    options = {"position": rotary, "mask": "none" if crossed else "causal"}
    heads = [
        ha.Head(
            rng.normal(size=(4, DIM)) / 2,
            keys[i // shared],
            values[i // shared],
            **options,
            bias=Alibi(slopes[i]) if biased else None,
        )
        for i in range(2)
    ]
    own = ha.MultiHead(heads, rng.normal(size=(DIM, 8)))
    assert [group.shape for group in own.groups] == [(2 // shared, shared)]
    x, source = rng.normal(size=(*batch, 3, DIM)), rng.normal(size=(*batch, 5, DIM)) if crossed else None
    for bias in (None, rng.normal(size=(2, 3, 5 if crossed else 3)), rng.normal(size=(3, 5 if crossed else 3))):
        alone = [
            one(x, source=source, bias=bias if bias is None or bias.ndim == 2 else bias[i])
            for i, one in enumerate(heads)
        ]
        expected = np.concatenate(alone, axis=-1) @ own.w_out.T
        np.testing.assert_allclose(own(x, source=source, bias=bias), expected, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(own.trace(x, source=source, bias=bias).output, expected, rtol=1e-9, atol=1e-10)


def test_heads_that_differ_are_computed_one_by_one():
    rng = np.random.default_rng(1)
    options = [{"position": one} for one in ("rope", None, Rotary(base=10.0))]
    options += [{"beta": 2.0}, {"mask": "strict"}, {"similarity": "cosine"}, {"separation": "entmax"}, {"sink": 0.0}]
    heads = [head(rng, **one) for one in options]
    own, x = ha.MultiHead(heads, np.eye(32)), rng.normal(size=(4, DIM))
    assert len(own.groups) == 8
    np.testing.assert_allclose(own(x), np.concatenate([one(x) for one in heads], axis=-1), rtol=1e-12)
    alike = ha.MultiHead([heads[0], head(rng, position=Rotary())], np.eye(8))
    assert [group.shape for group in alike.groups] == [(2, 1)]


def test_two_texts_count_from_zero_each():
    rng = np.random.default_rng(2)
    own, x, source = head(rng, position="rope", mask="none"), rng.normal(size=(2, DIM)), rng.normal(size=(5, DIM))
    trace = own.trace(x, source=source)
    np.testing.assert_allclose(trace.queries, ha.rope(x @ own.w_query.T, [0, 1]), rtol=1e-14)
    np.testing.assert_allclose(trace.keys, ha.rope(source @ own.w_key.T, range(5)), rtol=1e-14)
    np.testing.assert_allclose(own(x, source=source), trace.output, rtol=1e-13)


def test_long_texts_are_streamed_as_they_are_turned():
    """Above a size, the step runs over blocks of keys; `trace` holds all scores."""
    rng = np.random.default_rng(3)
    own, x = head(rng, position="rope"), rng.normal(size=(1100, DIM))
    trace = own.trace(x)
    np.testing.assert_allclose(own(x), trace.weights @ trace.values, rtol=1e-9, atol=1e-12)


@given(rng=seeds, n=st.integers(1, 5))
def test_a_bias_of_the_head_is_that_of_the_call(rng, n):
    x, slope = rng.normal(size=(n, DIM)), 0.25
    maps, bias = rng.normal(size=(3, 4, DIM)), np.where(rng.random((n, n)) < 0.2, -np.inf, rng.normal(size=(n, n)))
    plain = ha.Head(*maps, beta=0.5, mask="causal")
    np.testing.assert_allclose(ha.Head(*maps, beta=0.5, bias=bias, mask="causal")(x), plain(x, bias=bias), rtol=1e-13)
    with_slope = ha.Head(*maps, beta=0.5, bias=Alibi(slope), mask="causal")
    distances = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    np.testing.assert_allclose(with_slope(x), plain(x, bias=-slope * distances), rtol=1e-13)
    np.testing.assert_allclose(with_slope(x, bias=bias), plain(x, bias=bias - slope * distances), rtol=1e-13)
    trace = with_slope.trace(x, bias=bias)
    np.testing.assert_array_equal(trace.bias, bias - slope * distances)
    np.testing.assert_array_equal(trace.scores, plain.trace(x).scores)
    assert plain.trace(x).bias is None


def test_alibi_of_one_head_is_that_head_of_alibi():
    for i, slope in enumerate(alibi_slopes(6)):
        np.testing.assert_array_equal(Alibi(slope)(3, 7), alibi(6, 3, 7)[i])


def test_every_library_gives_the_same(library):
    rng = np.random.default_rng(4)
    x, maps, out = rng.normal(size=(2, 5, DIM)), rng.normal(size=(2, 3, 4, DIM)), rng.normal(size=(DIM, 8))
    for options in ({"position": "rope"}, {"position": Rotary(9.0, layout="half"), "bias": Alibi(0.5)}):
        own = ha.MultiHead([ha.Head(*one, **options) for one in maps], out)
        heads = [ha.Head(*map(library.array, one), **options) for one in maps]
        found = ha.MultiHead(heads, library.array(out))(library.array(x))
        assert type(found) is type(library.array(x))
        np.testing.assert_allclose(library.numpy(found), own(x), rtol=1e-9, atol=1e-12)


def test_gradients_go_back_through_the_turn(torch):
    """PyTorch differentiates the same head; the weights in PyTorch's names are those of `backward`."""
    rng = np.random.default_rng(5)
    maps, out, x = rng.normal(size=(2, 3, 4, 8)) / 3, rng.normal(size=(8, 8)) / 3, rng.normal(size=(3, 8))
    outer = [Affine(rng.normal(size=(9, 8)) / 3), Affine(rng.normal(size=(8, 9)) / 3)]
    options = {"position": Rotary(50.0, layout="half"), "bias": Alibi(0.3)}

    def block(own, text_maps, w_out, layers):
        heads = ha.MultiHead([ha.Head(*own(one), **options) for one in text_maps], w_out)
        return ha.Block(heads, FeedForward(*layers), norms=[LayerNorm()] * 2)

    change = rng.normal(size=(3, 8))
    found = backward(block(list, maps, out, outer), x, change)
    tensors = torch.tensor(maps, requires_grad=True)
    text = torch.tensor(x, requires_grad=True)
    layers = [Affine(torch.tensor(one.weight)) for one in outer]
    output = block(list, tensors, torch.tensor(out), layers)(text)
    (output * torch.tensor(change)).sum().backward()
    np.testing.assert_allclose(found.input, text.grad.numpy(), atol=1e-10)
    stacked = tensors.grad.numpy().transpose(1, 0, 2, 3).reshape(-1, 8)
    np.testing.assert_allclose(found.weights["self_attn.in_proj_weight"], stacked, atol=1e-10)


def test_jax_compiles_a_head_with_positions(jax):
    rng = np.random.default_rng(6)
    x, maps = rng.normal(size=(4, DIM)), rng.normal(size=(3, 4, DIM))
    own = ha.Head(*map(jax.numpy.asarray, maps), position="rope", bias=Alibi(0.5), mask="causal")
    expected = ha.Head(*maps, position="rope", bias=Alibi(0.5), mask="causal")(x)
    np.testing.assert_allclose(jax.jit(own)(jax.numpy.asarray(x)), expected, atol=1e-12)


def test_half_precision_keeps_the_digits_of_a_bias(torch):
    """A distance of 3001 has no number of its own in bfloat16."""
    x = torch.ones((1, 2), dtype=torch.bfloat16)
    own = ha.Head(*[torch.eye(2, dtype=torch.bfloat16)] * 3, bias=Alibi(1.0), mask="causal")
    trace = own.trace(x, source=torch.ones((3002, 2), dtype=torch.bfloat16))
    assert trace.bias[0, 0] == -3001


def test_help_names_every_option_with_its_default():
    shown = inspect.signature(ha.Head).parameters
    defaults = {"mask": None, "position": None, "bias": None, "query_norm": None, "key_norm": None}
    defaults |= {"similarity": "dot", "separation": "softmax", "activation": "identity", "beta": None, "sink": None}
    assert list(shown) == ["w_query", "w_key", "w_value", *defaults]
    assert {name: shown[name].default for name in defaults} == defaults
    assert all(shown[name].kind is inspect.Parameter.KEYWORD_ONLY for name in defaults)
