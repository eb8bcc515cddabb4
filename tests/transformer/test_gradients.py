"""The backward pass of blocks: finite differences, PyTorch's gradients, and where gradients vanish."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.gradients import backward, gradient_flow, vanishing_gradients
from hopattn.gradients.curves import VARIANTS
from hopattn.transformer import Affine, AttentionLayer, FeedForward, LayerNorm, RMSNorm
from hopattn.transformer.nonlinearities import NONLINEARITIES
from tests.transformer.layers import DIM, HEADS, OPTIONS, numbers, slopes, torch_layer

NONE = ha.activations["identity"]()


def affine(rng, rows, columns, bias=True):
    return Affine(rng.normal(size=(rows, columns)) / columns**0.5, rng.normal(size=rows) if bias else None)


def blocks(seed, dim=4, *, activation="gelu", norm="layer", norm_first=True, residual=True, crossed=False, shared=1):
    """A block whose two heads of queries may share one head of keys."""
    rng = np.random.default_rng(seed)

    def heads(mask):
        texts = [(affine(rng, 3, dim), affine(rng, 2, dim)) for _ in range(2 // shared)]
        own = [ha.Head(affine(rng, 3, dim), *texts[i // shared], beta=0.6, mask=mask) for i in range(2)]
        return ha.MultiHead(own, affine(rng, dim, 4))

    kinds = {
        "layer": lambda: LayerNorm(rng.normal(size=dim), rng.normal(size=dim)),
        "rms": lambda: RMSNorm(rng.normal(size=dim)),
        "plain": LayerNorm,
        "none": lambda: NONE,
    }
    layer = FeedForward(affine(rng, 5, dim), affine(rng, dim, 5), activation)
    norms = [kinds[norm]() for _ in range(3 if crossed else 2)]
    return ha.Block(
        heads("causal"),
        layer,
        norms=norms,
        norm_first=norm_first,
        cross=heads("none") if crossed else None,
        residual=residual,
    )


options = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 1000),
        "activation": st.sampled_from(["identity", "gelu", "tanh"]),  # the others have no corners
        "norm": st.sampled_from(["layer", "rms", "plain", "none"]),
        "norm_first": st.booleans(),
        "residual": st.booleans(),
        "crossed": st.booleans(),
        "shared": st.sampled_from([1, 2]),
    }
)


def assert_slopes(layer, x, source=None, mask=None, bias=None):
    """The gradients of input and source are the slopes of the sum of upstream · output."""
    upstream = np.random.default_rng(9).normal(size=layer(x, mask, source=source, bias=bias).shape)
    value = lambda words, text: float(np.sum(upstream * layer(words, mask, source=text, bias=bias)))  # noqa: E731
    gradients = backward(layer, x, upstream, mask=mask, source=source, bias=bias)
    close = {"rtol": 1e-5, "atol": 1e-6 * max(1, np.abs(gradients.input).max())}
    np.testing.assert_allclose(gradients.input, slopes(lambda words: value(words, source), x), **close)
    assert (gradients.source is None) == (source is None) and np.array_equal(gradients.output, upstream)
    if source is not None:
        np.testing.assert_allclose(gradients.source, slopes(lambda text: value(x, text), source), **close)
    return gradients


@given(options=options, n=st.integers(1, 4), batch=st.sampled_from([(), (2,)]))
def test_the_gradient_of_the_input_is_its_slope(options, n, batch):
    rng = np.random.default_rng(options["seed"] + 1)
    x, mask = rng.normal(size=(*batch, n, 4)), rng.random((*batch, n, n)) < 0.8
    source = rng.normal(size=(3, 4)) if options["crossed"] else None  # one text for the whole batch
    assert_slopes(blocks(**options), x, source, mask, rng.normal(size=(2, n, n)))


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("of_words", "of_source"), [((), (2,)), ((1,), (2,)), ((2,), (1,)), ((2,), ())])
def test_a_text_that_meets_many_others_adds_their_gradients(of_words, of_source, norm_first):
    rng = np.random.default_rng(6)
    texts = rng.normal(size=(*of_words, 3, 4)), rng.normal(size=(*of_source, 2, 4))
    assert_slopes(blocks(5, norm_first=norm_first, crossed=True), *texts)


@pytest.mark.parametrize("alone", [True, False])
def test_without_a_cross_attention_the_attention_reads_the_source(alone):
    block, rng = blocks(5), np.random.default_rng(6)
    assert_slopes(AttentionLayer(block.attention) if alone else block, rng.normal(size=(3, 4)), rng.normal(size=(5, 4)))


@pytest.mark.parametrize(("activation", "norm_first"), list(product(NONLINEARITIES, [True, False])))
def test_the_gradients_of_the_weights_are_their_slopes(activation, norm_first):
    rng = np.random.default_rng(7)
    heads = [ha.Head(*(affine(rng, 2, 4) for _ in range(3)), beta=2**-0.5, mask="causal") for _ in range(2)]
    norms = [LayerNorm(rng.normal(size=4), rng.normal(size=4)) for _ in range(2)]
    layer = FeedForward(affine(rng, 5, 4), affine(rng, 4, 5), activation)
    own = ha.Block(ha.MultiHead(heads, affine(rng, 4, 4)), layer, norms=norms, norm_first=norm_first)
    x, upstream, state = rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), own.to_torch()
    found = backward(own, x, upstream).weights
    assert found.keys() == state.keys()
    for name, array in state.items():

        def value(changed, name=name):
            moved = ha.Block.from_torch(
                {**state, name: changed}, n_heads=2, norm_first=norm_first, activation=activation, mask="causal"
            )
            return float(np.sum(upstream * moved(x)))

        np.testing.assert_allclose(found[name], slopes(value, array), rtol=1e-5, atol=1e-6, err_msg=name)


def test_shared_keys_and_unlike_heads_have_all_their_rows():
    shared = backward(blocks(0, shared=2), np.eye(3, 4), np.ones((3, 4))).weights
    assert shared["self_attn.in_proj_weight"].shape == (2 * 3 + 3 + 2, 4)
    own = blocks(0)
    first, second = own.attention.heads
    windowed = ha.Head(second.query, second.key, second.value, beta=0.6, mask=ha.window(2))
    unlike = replace(own, attention=ha.MultiHead([first, windowed], own.attention.out))
    assert len(unlike.attention.groups) == 2
    found = assert_slopes(unlike, np.random.default_rng(1).normal(size=(4, 4)))
    assert found.weights["self_attn.in_proj_weight"].shape == (2 * (3 + 3 + 2), 4)


def test_the_gradient_of_shared_keys_is_the_sum_of_those_of_its_heads():
    own, rng = blocks(3, shared=2), np.random.default_rng(4)
    apart = [
        ha.Head(one.query, Affine(one.key.weight.copy(), one.key.bias), one.value, beta=0.6, mask="causal")
        for one in own.attention.heads
    ]
    single = replace(own, attention=ha.MultiHead(apart, own.attention.out))
    x, upstream = rng.normal(size=(2, 5, 4))
    together, twice = (backward(one, x, upstream).weights["self_attn.in_proj_weight"] for one in (own, single))
    assert [group.shape for group in single.attention.groups] == [(2, 1)]
    np.testing.assert_allclose(together[:6], twice[:6], rtol=1e-12)
    np.testing.assert_allclose(together[6:9], twice[6:9] + twice[9:12], rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(together[9:], twice[12:14] + twice[14:], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", NONLINEARITIES)
def test_slopes_of_nonlinearities_are_pytorchs(torch, name):
    x = (torch.arange(-60, 61, dtype=torch.float64) / 10).requires_grad_()  # holds 0
    own = {"identity": lambda x: x * 1, "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh")}
    f = own.get(name) or getattr(torch.nn.functional, name)
    given = f(x)
    lost = 1e-14 if name == "gelu_tanh" else 1e-15  # PyTorch's 1 + tanh loses digits below 0
    np.testing.assert_allclose(NONLINEARITIES[name](x.detach().numpy()), given.detach(), rtol=1e-12, atol=lost)
    given.sum().backward()
    np.testing.assert_allclose(NONLINEARITIES[name].slope(x.detach().numpy()), x.grad, rtol=1e-12, atol=lost)


def assert_same(found, layer, x):
    theirs = {name: parameter.grad for name, parameter in layer.named_parameters()}
    assert found.weights.keys() == theirs.keys()
    for name, gradient in theirs.items():
        np.testing.assert_allclose(found.weights[name], gradient, rtol=1e-10, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(found.input, x.grad, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("norm_first", "activation", "bias"), OPTIONS)
def test_the_gradients_are_pytorchs_of_an_encoder_layer(torch, norm_first, activation, bias):
    layer = torch_layer(torch, "Encoder", norm_first=norm_first, activation=activation, bias=bias)
    own = ha.Block.from_torch(numbers(layer), n_heads=HEADS, norm_first=norm_first, activation=activation)
    rng = np.random.default_rng(2)
    x = torch.asarray(rng.normal(size=(2, 5, DIM))).requires_grad_()
    upstream, words = rng.normal(size=(2, 5, DIM)), ha.padding([5, 3]).array(5)
    allowed = rng.random((5, 5)) < 0.7
    allowed[:, 0] = True
    layer(x, torch.asarray(~allowed), torch.asarray(~words[:, 0])).backward(torch.asarray(upstream))
    assert_same(backward(own, x.detach().numpy(), upstream, mask=allowed & words), layer, x)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_gradients_are_pytorchs_of_a_decoder_layer(torch, norm_first):
    layer = torch_layer(torch, "Decoder", norm_first=norm_first)
    own = ha.Block.from_torch(numbers(layer), n_heads=HEADS, norm_first=norm_first, mask="causal")
    rng = np.random.default_rng(3)
    x, source = (torch.asarray(rng.normal(size=(2, n, DIM))).requires_grad_() for n in (5, 7))
    upstream, words = rng.normal(size=(2, 5, DIM)), ha.padding([7, 4]).array(7)
    hidden = torch.asarray(~words[:, 0])
    output = layer(x, source, torch.asarray(~ha.causal.array(5)), memory_key_padding_mask=hidden)
    output.backward(torch.asarray(upstream))
    texts = (text.detach().numpy() for text in (x, source))
    found = backward(own, next(texts), upstream, source=next(texts), source_mask=words)
    assert_same(found, layer, x)
    np.testing.assert_allclose(found.source, source.grad, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("norm_first", [False, True])
def test_the_gradients_are_pytorchs_of_a_stack(torch, norm_first):
    layers = torch.nn.TransformerEncoder(
        torch_layer(torch, "Encoder", norm_first=norm_first), 3, enable_nested_tensor=False
    )
    for parameter in layers.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    own = [ha.Block.from_torch(numbers(layer), n_heads=HEADS, norm_first=norm_first) for layer in layers.layers]
    x = torch.asarray(np.random.default_rng(5).normal(size=(5, DIM))).requires_grad_()
    layers(x[None], torch.asarray(~ha.causal.array(5))).sum().backward()
    found = gradient_flow(own, x.detach().numpy(), mask="causal")
    theirs = {name: parameter.grad for name, parameter in layers.named_parameters()}
    assert found.weights.keys() == theirs.keys()
    for name, gradient in theirs.items():
        np.testing.assert_allclose(found.weights[name], gradient, rtol=1e-10, atol=1e-10, err_msg=name)
    np.testing.assert_allclose(found.norms[0], np.linalg.norm(x.grad), rtol=1e-10)
    np.testing.assert_allclose(found.norms[-1], (5 * DIM) ** 0.5, rtol=1e-15)
    joint = [np.linalg.norm(theirs[f"layers.{i}.self_attn.in_proj_weight"][: 2 * DIM]) for i in range(3)]
    np.testing.assert_allclose(found.score_norms, joint, rtol=1e-10)
    assert found.source is None


def test_only_the_blocks_with_cross_attention_read_the_source():
    own, (x, source) = [blocks(0), blocks(1, crossed=True)], np.random.default_rng(6).normal(size=(2, 3, 4))
    found = gradient_flow(own, x, source=source)
    value = lambda words: float(np.sum(own[1](own[0](words), source=source)))  # noqa: E731
    np.testing.assert_allclose(found.layers[0].input, slopes(value, x), rtol=1e-5, atol=1e-6)
    assert found.layers[0].source is None


def test_a_stack_of_decoders_adds_the_gradients_of_its_source():
    own, rng = [blocks(i, crossed=True) for i in range(2)], np.random.default_rng(6)
    x, source = rng.normal(size=(2, 3, 4))
    found = gradient_flow(own, x, source=source)
    value = lambda text: float(np.sum(own[1](own[0](x, source=text), source=text)))  # noqa: E731
    np.testing.assert_allclose(found.source, slopes(value, source), rtol=1e-5, atol=1e-6)


def test_inputs_stay_as_they_are_and_the_gradient_is_linear_in_the_upstream():
    own, rng = blocks(1, norm_first=False), np.random.default_rng(8)
    x, first, second = rng.normal(size=(3, 5, 4))
    before = x.copy(), first.copy()
    parts = [backward(own, x, upstream) for upstream in (first, second, 2 * first - second)]
    assert np.array_equal(x, before[0])
    assert np.array_equal(first, before[1])
    np.testing.assert_allclose(2 * parts[0].input - parts[1].input, parts[2].input, rtol=1e-10, atol=1e-12)


def test_only_norms_with_residuals_keep_the_gradients_of_all_scores():
    found = vanishing_gradients(10, n_draws=4, of="scores", magnitude=10.0, rng=0)
    assert found.names == tuple(VARIANTS)
    last = {name: norms.min() for name, norms in found.median.items()}
    kept = last.pop("norm first, residuals")
    assert kept > 1
    assert 1e-4 < last.pop("norm last, residuals") < 0.1
    assert max(last.values()) < 1e-15


def test_the_gradients_of_words_end_at_the_upstream_gradient():
    found = vanishing_gradients(3, n_draws=2, dim=8, n_words=3, rng=np.random.default_rng(0))
    assert np.array_equal(found.at, [0, 1, 2, 3])
    for trials in found.trials.values():
        np.testing.assert_allclose(trials[:, -1], 1, rtol=1e-12)
        assert trials.shape == (2, 4)
    again = vanishing_gradients(3, n_draws=2, dim=8, n_words=3, rng=0)
    assert all(np.array_equal(again.trials[name], own) for name, own in found.trials.items())
