"""The layer of a transformer: PyTorch's layers with PyTorch's weights, and its own laws."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.feed_forward import NONLINEARITIES
from hopattn.transformer.gradients.backward_pass import normalisation_backward
from tests.draws import arrays
from tests.each import each

DIM, HEADS, HIDDEN = 8, 2, 20


def torch_layer(torch, kind, **options):
    torch.manual_seed(1)
    layer = getattr(torch.nn, f"Transformer{kind}Layer")(
        DIM, HEADS, HIDDEN, dropout=0.0, batch_first=True, dtype=torch.float64, **options
    )
    for parameter in layer.parameters():  # biases begin at 0, gains at 1
        torch.nn.init.normal_(parameter, std=0.5)
    return layer.eval()


def numbers(layer):
    return {name: array.numpy() for name, array in layer.state_dict().items()}


def random_block(seed=0, activation="relu", norm_first=True):
    """A block as an encoder's, with random weights."""
    rng = np.random.default_rng(seed)
    affine = lambda rows, columns: ha.transformer.Affine(rng.normal(size=(rows, columns)) / 3, rng.normal(size=rows))  # noqa: E731
    heads = [ha.Head(*(affine(4, DIM) for _ in range(3)), mask="none", beta=0.5) for _ in range(HEADS)]
    norms = [ha.transformer.LayerNorm(rng.normal(size=DIM), rng.normal(size=DIM)) for _ in range(2)]
    layer = ha.transformer.FeedForward(affine(HIDDEN, DIM), affine(DIM, HIDDEN), activation)
    return ha.Block(ha.MultiHead(heads, affine(DIM, DIM)), layer, norms, norm_first)


OPTIONS = [(first, f, bias) for first in (False, True) for f in ("relu", "gelu") for bias in (True, False)]


@each(("norm_first", "activation", "bias"), OPTIONS)
def test_it_is_pytorchs_encoder_layer(torch, norm_first, activation, bias):
    layer = torch_layer(torch, "Encoder", norm_first=norm_first, activation=activation, bias=bias)
    own = ha.Block.from_torch(numbers(layer), HEADS, norm_first=norm_first, activation=activation)
    rng = np.random.default_rng(2)
    x, words = rng.normal(size=(2, 5, DIM)), ha.padding([5, 3], 5)
    allowed = rng.random((5, 5)) < 0.7
    allowed[:, 0] = True
    theirs = layer(torch.asarray(x), torch.asarray(~allowed), torch.asarray(~words[:, 0])).detach()
    np.testing.assert_allclose(own(x, allowed & words), theirs, rtol=0, atol=1e-10)
    causal = layer(torch.asarray(x), torch.asarray(~ha.causal(5))).detach()
    np.testing.assert_allclose(own(x, "causal"), causal, rtol=0, atol=1e-10)
    state = own.to_torch()
    assert state.keys() == numbers(layer).keys()
    assert all(np.array_equal(state[name], array) for name, array in numbers(layer).items())


@each("norm_first", [False, True])
def test_it_is_pytorchs_decoder_layer(torch, norm_first):
    layer = torch_layer(torch, "Decoder", norm_first=norm_first)
    own = ha.Block.from_torch(numbers(layer), HEADS, norm_first, mask="causal")
    rng = np.random.default_rng(3)
    x, source, words = rng.normal(size=(2, 5, DIM)), rng.normal(size=(2, 7, DIM)), ha.padding([7, 4], 7)
    theirs = layer(
        torch.asarray(x), torch.asarray(source), torch.asarray(~ha.causal(5)),
        memory_key_padding_mask=torch.asarray(~words[:, 0]),
    ).detach()  # fmt: skip
    np.testing.assert_allclose(own(x, source=source, source_mask=words), theirs, rtol=0, atol=1e-10)
    assert all(np.array_equal(own.to_torch()[name], array) for name, array in numbers(layer).items())


def test_float32_stays_float32(torch):
    layer = torch_layer(torch, "Encoder").float()
    own, x = ha.Block.from_torch(numbers(layer), HEADS), torch.randn(5, DIM)
    found = own(x.numpy())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, layer(x[None])[0].detach(), rtol=0, atol=1e-5)


@each("name", NONLINEARITIES)
def test_on_every_library(library, name):
    if (library.name, name) == ("array_api_strict", "gelu"):
        with pytest.raises(InvalidInput, match="erf: arrays of array_api_strict have no error function"):
            NONLINEARITIES[name](library.array([[1.0]]))
        return
    own, x = random_block(activation=name), np.random.default_rng(4).normal(size=(3, DIM))
    moved = {key: library.array(array) for key, array in own.to_torch().items()}
    other = ha.Block.from_torch(moved, HEADS, norm_first=True, activation=name)
    assert type(other(library.array(x))) is type(library.array(x))
    np.testing.assert_allclose(library.numpy(other(library.array(x))), own(x), rtol=1e-9, atol=1e-9)


@each("seed", range(5))
def test_the_feed_forward_layer_passes_nothing_between_words(seed):
    rng = np.random.default_rng(seed)
    layer, x = random_block(seed).feed_forward, rng.normal(size=(6, DIM))
    changed = x.copy()
    changed[2] += 1
    same = np.arange(6) != 2
    assert np.array_equal(layer(changed)[same], layer(x)[same])
    assert not np.allclose(layer(changed)[2], layer(x)[2])
    np.testing.assert_allclose(layer(x[::-1])[::-1], layer(x), rtol=1e-12, atol=1e-12)


@each("n", [1, 5])
def test_the_feed_forward_layer_is_a_memory(n):
    """Keys W₁ and values W₂, with weights [s]₊ (Geva et al. 2021)."""
    rng = np.random.default_rng(5)
    keys, values, x = rng.normal(size=(HIDDEN, DIM)), rng.normal(size=(DIM, HIDDEN)), rng.normal(size=(n, DIM))
    memory = ha.Memory(keys, values.T, separation=ha.separations["rectified_power"](n=2))
    np.testing.assert_allclose(ha.transformer.FeedForward(keys, values)(x), memory.step(x), rtol=1e-12, atol=1e-12)


def test_gelu_is_x_times_the_normal_distribution_function():
    x = np.linspace(-6, 6, 101)[:, None]
    found = ha.transformer.FeedForward([[1.0]], [[1.0]], "gelu")(x)
    np.testing.assert_allclose(found, x * scipy.special.ndtr(x), rtol=1e-12, atol=1e-15)


@given(data=st.data(), n=st.integers(1, 4), dim=st.integers(2, 6))
def test_normalised_words_have_mean_0_and_size_1(data, n, dim):
    x = data.draw(arrays((n, dim))) + 20 * np.arange(dim)  # entries lie within 8 of 0: no row is constant
    spread = x.std(axis=-1, keepdims=True)
    found = ha.transformer.LayerNorm(epsilon=1e-12)(x)
    np.testing.assert_allclose(found.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose(found, (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(spread**2 + 1e-12), atol=1e-9)
    root = ha.transformer.RMSNorm(np.full(dim, 2.0), epsilon=1e-12)(x)
    np.testing.assert_allclose(np.sqrt((root**2).mean(axis=-1)), 2, rtol=1e-6)


def test_rms_is_pytorchs(torch):
    rng = np.random.default_rng(6)
    x, gain = rng.normal(size=(3, 5)), rng.normal(size=5)
    theirs = torch.nn.functional.rms_norm(torch.asarray(x), (5,), torch.asarray(gain), 1e-6)
    np.testing.assert_allclose(ha.transformer.RMSNorm(gain, epsilon=1e-6)(x), theirs, rtol=1e-12)


@each("norm", [ha.transformer.LayerNorm, ha.transformer.RMSNorm])
@each("row", [[300, -300, 200, 250], [60000, 60000, -60000, 0], [1e-4, 2e-4, -1e-4, 0], [0, 0, 0, 0]])
def test_half_precision_is_normalised_as_pytorch_does(norm, row, torch):
    """The squares of 256 and more are beyond half precision, and so are differences of large entries."""
    x = torch.tensor([row], dtype=torch.float16)
    of_torch = torch.nn.functional.layer_norm if norm is ha.transformer.LayerNorm else torch.nn.functional.rms_norm
    expected = of_torch(x.float(), (4,), eps=1e-5).numpy()
    own = norm()
    for found in (own(x), own(x.numpy())):
        assert found.dtype == x.dtype or found.dtype == np.float16
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=1e-3, atol=1e-6)
    half = np.ones(4, np.float16)
    assert norm(half, half)(x.numpy()).dtype == np.float16
    assert norm(half.astype(np.float32))(x.numpy()).dtype == np.float32


@each("dtype", [np.float32, np.float64])
def test_no_square_and_no_sum_of_a_row_overflows(dtype):
    """For ε = 0 the result does not depend on the size of a row."""
    row, most = np.array([[3, -2, 1, 2]], dtype), np.finfo(dtype).max
    for size in (float(most) / 4, float(most) ** 0.6):
        for norm in (ha.transformer.LayerNorm, ha.transformer.RMSNorm):
            own = norm(epsilon=1e-30)
            np.testing.assert_allclose(own(dtype(size) * row), own(row), rtol=1e-6, atol=1e-6)


def test_the_derivative_of_a_large_row_is_pytorchs(torch):
    x, upstream = 1e200 * np.array([[3.0, -2.0, 1.0]]), np.array([[1.0, 2.0, -1.0]])
    for norm in (ha.transformer.LayerNorm, ha.transformer.RMSNorm):
        leaf = torch.tensor(x, requires_grad=True)
        (by_torch,) = torch.autograd.grad(norm()(leaf), leaf, torch.tensor(upstream))
        found, _ = normalisation_backward(norm(), x, upstream)
        small, _ = normalisation_backward(norm(epsilon=1e-30), x / 1e200, upstream)
        np.testing.assert_allclose(found, small / 1e200, rtol=1e-12)  # the slope of a function of x / |x|
        np.testing.assert_allclose(by_torch.numpy(), small / 1e200, rtol=1e-12)


def test_a_trace_has_the_state_after_each_sub_layer():
    block, x = random_block(), np.random.default_rng(7).normal(size=(4, DIM))
    trace = block.trace(x)
    first = x + block.attention(block.norms[0](x))
    np.testing.assert_allclose(trace.states[0], first, rtol=1e-12)
    np.testing.assert_allclose(trace.state, first + block.feed_forward(block.norms[1](first)), rtol=1e-12)
    assert np.array_equal(block(x), trace.state)


@each("norm_first", [True, False])
def test_without_residuals_the_output_takes_the_place_of_the_words(norm_first):
    whole, x = random_block(norm_first=norm_first), np.random.default_rng(9).normal(size=(5, DIM))
    block = ha.Block(whole.attention, whole.feed_forward, whole.norms, norm_first, residual=False)
    words = x
    for layer, norm in zip((block.attention, block.feed_forward), block.norms, strict=True):
        words = layer(norm(words)) if norm_first else norm(layer(words))
    np.testing.assert_allclose(block(x), words, rtol=1e-12)
    with pytest.raises(InvalidInput, match="to_torch: residual is False"):
        block.to_torch()


BLOCK = random_block()


@each(
    ("make", "message"),
    [
        (lambda: ha.Block(BLOCK.attention, norms=BLOCK.norms), "norms: expected 1, one for each sub-layer, not 2"),
        (lambda: ha.Block(BLOCK, BLOCK.feed_forward, BLOCK.norms), "attention: expected a MultiHead, not Block"),
        (lambda: ha.Block(BLOCK.attention, 3, BLOCK.norms), "feed_forward: expected a FeedForward, not 3"),
        (lambda: BLOCK(np.eye(DIM), source_mask="none"), "source_mask: is given, but the block lacks a cross"),
        (lambda: BLOCK(np.eye(5)), r"x: got shape \(5, 5\); expected \(…, dim\) with dim = 8"),
        (lambda: ha.Block.from_torch({"linear1.weight": np.eye(2), "norm.bias": 1}, 2),
         "missing: self_attn.in_proj_weight,"
         " .*norm2.weight; unexpected: norm.bias"),
        (lambda: ha.Block.from_torch(7, 2), "state: expected names and arrays of a state_dict, not 7"),
        (lambda: ha.Block.from_torch(BLOCK.to_torch(), 2, activation="rellu"), "did you mean 'relu'"),
        (
            lambda: ha.transformer.FeedForward(np.eye(2), np.eye(3)),
            "w_out: dim 3 does not fit the rows of w_in of dim 2",
        ),
        (lambda: ha.transformer.LayerNorm(np.eye(2)), r"gain: got shape \(2, 2\); expected \(dim,\)"),
        (lambda: ha.transformer.LayerNorm([1.0], [1.0, 2.0]), r"shift: got shape \(2,\); expected \(dim,\) with dim"),
        (lambda: ha.transformer.LayerNorm(epsilon=0), "epsilon: expected a positive"),
        (lambda: ha.transformer.RMSNorm(shift=[1.0, 2.0])(np.eye(3)), r"x: got shape \(3, 3\); .* with dim = 2"),
        (lambda: ha.Block(BLOCK.attention, BLOCK.feed_forward, [ha.transformer.LayerNorm()] * 2).to_torch(),
         "to_torch: norm 1: expected a LayerNorm with a gain"),
        (lambda: ha.Block(BLOCK.attention, ha.transformer.FeedForward(np.eye(8), np.ones((3, 8))), BLOCK.norms),
         "feed_forward: gives words of dim 3; expected those of the text, of dim 8"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


@each("norm_first", [False, True])
def test_the_trace_of_a_block_holds_those_of_its_heads(norm_first):
    own, x = random_block(norm_first=norm_first), np.random.default_rng(7).normal(size=(5, DIM))
    crossed = ha.Block(
        own.attention, own.feed_forward, [*own.norms, ha.transformer.LayerNorm()], norm_first, own.attention
    )
    trace, both = own.trace(x, "causal"), crossed.trace(x, "causal", source=x[:3])
    assert trace.cross is None and [head.weights.shape for head in both.cross.heads] == [(5, 3)] * HEADS
    np.testing.assert_allclose(trace.attention.output, trace.given[0], atol=1e-12)
    np.testing.assert_allclose(both.cross.output, both.given[1], atol=1e-12)
    for head, made in zip(own.attention.heads, trace.attention.heads, strict=True):
        np.testing.assert_allclose(made.weights, head.trace(trace.read[0], "causal").weights, atol=1e-12)
    np.testing.assert_allclose(trace.state, own(x, "causal"), atol=1e-12)
