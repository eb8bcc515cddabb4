"""Layers of a transformer: PyTorch's with PyTorch's weights, every array of a trace in NumPy, and half precision."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.gradients.backward_pass import normalisation_backward
from hopattn.transformer import (
    Affine,
    FeedForward,
    LayerNorm,
    Recurrent,
    RecurrentDecoder,
    RMSNorm,
    feed_forward,
    heads,
    stack,
)
from hopattn.transformer.nonlinearities import NONLINEARITIES
from tests.draws import arrays
from tests.refusal import refused
from tests.transformer.layers import DIM, HEADS, HIDDEN, OPTIONS, numbers, torch_layer


def random_block(seed=0, activation="relu", norm_first=True):
    """A block as an encoder's, with random weights."""
    rng = np.random.default_rng(seed)
    affine = lambda rows, columns: Affine(rng.normal(size=(rows, columns)) / 3, rng.normal(size=rows))  # noqa: E731
    heads = [ha.Head(*(affine(4, DIM) for _ in range(3)), mask="none", beta=0.5) for _ in range(HEADS)]
    norms = [LayerNorm(rng.normal(size=DIM), rng.normal(size=DIM)) for _ in range(2)]
    layer = FeedForward(affine(HIDDEN, DIM), affine(DIM, HIDDEN), activation)
    return ha.Block(ha.MultiHead(heads, affine(DIM, DIM)), layer, norms=norms, norm_first=norm_first)


@pytest.mark.parametrize(("norm_first", "activation", "bias"), OPTIONS)
def test_it_is_pytorchs_encoder_layer(torch, norm_first, activation, bias):
    layer = torch_layer(torch, "Encoder", norm_first=norm_first, activation=activation, bias=bias)
    own = ha.Block.from_torch(numbers(layer), n_heads=HEADS, norm_first=norm_first, activation=activation)
    rng = np.random.default_rng(2)
    x, words = rng.normal(size=(2, 5, DIM)), ha.padding([5, 3]).array(5)
    allowed = rng.random((5, 5)) < 0.7
    allowed[:, 0] = True
    theirs = layer(torch.asarray(x), torch.asarray(~allowed), torch.asarray(~words[:, 0])).detach()
    np.testing.assert_allclose(own(x, allowed & words), theirs, rtol=0, atol=1e-10)
    causal = layer(torch.asarray(x), torch.asarray(~ha.causal.array(5))).detach()
    np.testing.assert_allclose(own(x, "causal"), causal, rtol=0, atol=1e-10)
    state = own.to_torch()
    assert state.keys() == numbers(layer).keys()
    assert all(np.array_equal(state[name], array) for name, array in numbers(layer).items())


@pytest.mark.parametrize("norm_first", [False, True])
def test_it_is_pytorchs_decoder_layer(torch, norm_first):
    layer = torch_layer(torch, "Decoder", norm_first=norm_first)
    own = ha.Block.from_torch(numbers(layer), n_heads=HEADS, norm_first=norm_first, mask="causal")
    rng = np.random.default_rng(3)
    x, source, words = rng.normal(size=(2, 5, DIM)), rng.normal(size=(2, 7, DIM)), ha.padding([7, 4]).array(7)
    theirs = layer(
        torch.asarray(x), torch.asarray(source), torch.asarray(~ha.causal.array(5)),
        memory_key_padding_mask=torch.asarray(~words[:, 0]),
    ).detach()  # fmt: skip
    np.testing.assert_allclose(own(x, source=source, source_mask=words), theirs, rtol=0, atol=1e-10)
    assert all(np.array_equal(own.to_torch()[name], array) for name, array in numbers(layer).items())


@pytest.mark.parametrize("name", NONLINEARITIES)
def test_on_every_library(library, name):
    if (library.name, name) == ("array_api_strict", "gelu"):
        with pytest.raises(InvalidInput, match="erf: arrays of array_api_strict have no error function"):
            NONLINEARITIES[name](library.array([[1.0]]))
        return
    own, x = random_block(activation=name), np.random.default_rng(4).normal(size=(3, DIM))
    moved = {key: library.array(array) for key, array in own.to_torch().items()}
    other = ha.Block.from_torch(moved, n_heads=HEADS, norm_first=True, activation=name)
    assert type(other(library.array(x))) is type(library.array(x))
    np.testing.assert_allclose(library.numpy(other(library.array(x))), own(x), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_feed_forward_layer_passes_nothing_between_words(seed):
    rng = np.random.default_rng(seed)
    layer, x = random_block(seed).feed_forward, rng.normal(size=(6, DIM))
    changed = x.copy()
    changed[2] += 1
    same = np.arange(6) != 2
    assert np.array_equal(layer(changed)[same], layer(x)[same])
    assert not np.allclose(layer(changed)[2], layer(x)[2])
    np.testing.assert_allclose(layer(x[::-1])[::-1], layer(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 5])
def test_the_feed_forward_layer_is_a_memory(n):
    """Keys W₁ and values W₂, with weights [s]₊ (Geva et al. 2021)."""
    rng = np.random.default_rng(5)
    keys, values, x = rng.normal(size=(HIDDEN, DIM)), rng.normal(size=(DIM, HIDDEN)), rng.normal(size=(n, DIM))
    memory = ha.Memory(keys, values.T, separation=ha.separations["rectified_power"](n=2))
    np.testing.assert_allclose(FeedForward(keys, values)(x), memory.step(x), rtol=1e-12, atol=1e-12)


def test_gelu_is_x_times_the_normal_distribution_function():
    x = np.linspace(-6, 6, 101)[:, None]
    found = FeedForward([[1.0]], [[1.0]], "gelu")(x)
    np.testing.assert_allclose(found, x * scipy.special.ndtr(x), rtol=1e-12, atol=1e-15)


@given(data=st.data(), n=st.integers(1, 4), dim=st.integers(2, 6))
def test_normalised_words_have_mean_0_and_size_1(data, n, dim):
    x = data.draw(arrays((n, dim))) + 20 * np.arange(dim)  # entries lie within 8 of 0: no row is constant
    spread = x.std(axis=-1, keepdims=True)
    found = LayerNorm(epsilon=1e-12)(x)
    np.testing.assert_allclose(found.mean(axis=-1), 0, atol=1e-9)
    np.testing.assert_allclose(found, (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(spread**2 + 1e-12), atol=1e-9)
    root = RMSNorm(np.full(dim, 2.0), epsilon=1e-12)(x)
    np.testing.assert_allclose(np.sqrt((root**2).mean(axis=-1)), 2, rtol=1e-6)


def test_a_norm_of_one_number_has_a_gain_that_fits_and_names_one_that_does_not(torch):
    x = np.array([[3.0], [-0.5]])
    np.testing.assert_allclose(LayerNorm([2.0], [0.25])(x), np.full((2, 1), 0.25), rtol=1e-12)
    np.testing.assert_allclose(RMSNorm([2.0], epsilon=1e-12)(x), 2 * np.sign(x), rtol=1e-9)
    np.testing.assert_allclose(LayerNorm([2.0]).held(x, x.sum(axis=0)), np.zeros((2, 1)), atol=1e-12)
    refused(lambda: LayerNorm(np.ones(3))(torch.ones(2, 3)), "x and gain: ", "one library")


def test_rms_is_pytorchs(torch):
    rng = np.random.default_rng(6)
    x, gain = rng.normal(size=(3, 5)), rng.normal(size=5)
    theirs = torch.nn.functional.rms_norm(torch.asarray(x), (5,), torch.asarray(gain), 1e-6)
    np.testing.assert_allclose(RMSNorm(gain, epsilon=1e-6)(x), theirs, rtol=1e-12)


@pytest.mark.parametrize("norm", [LayerNorm, RMSNorm])
@pytest.mark.parametrize(
    "row", [[300, -300, 200, 250], [60000, 60000, -60000, 0], [1e-4, 2e-4, -1e-4, 0], [0, 0, 0, 0]]
)
def test_half_precision_is_normalised_as_pytorch_does(norm, row, torch):
    """The squares of 256 and more are beyond half precision, and so are differences of large entries."""
    x = torch.tensor([row], dtype=torch.float16)
    of_torch = torch.nn.functional.layer_norm if norm is LayerNorm else torch.nn.functional.rms_norm
    expected = of_torch(x.float(), (4,), eps=1e-5).numpy()
    own = norm()
    for found in (own(x), own(x.numpy())):
        assert found.dtype == x.dtype or found.dtype == np.float16
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=1e-3, atol=1e-6)
    half = np.ones(4, np.float16)
    assert norm(half, half)(x.numpy()).dtype == np.float16
    assert norm(half.astype(np.float32))(x.numpy()).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_square_and_no_sum_of_a_row_overflows(dtype):
    """For ε = 0 the result does not depend on the size of a row."""
    row, most = np.array([[3, -2, 1, 2]], dtype), np.finfo(dtype).max
    for size in (float(most) / 4, float(most) ** 0.6):
        for norm in (LayerNorm, RMSNorm):
            own = norm(epsilon=1e-30)
            np.testing.assert_allclose(own(dtype(size) * row), own(row), rtol=1e-6, atol=1e-6)


def test_the_derivative_of_a_large_row_is_pytorchs(torch):
    x, upstream = 1e200 * np.array([[3.0, -2.0, 1.0]]), np.array([[1.0, 2.0, -1.0]])
    for norm in (LayerNorm, RMSNorm):
        leaf = torch.tensor(x, requires_grad=True)
        (by_torch,) = torch.autograd.grad(norm()(leaf), leaf, torch.tensor(upstream))
        found, _ = normalisation_backward(norm(), x, upstream)
        small, _ = normalisation_backward(norm(epsilon=1e-30), x / 1e200, upstream)
        np.testing.assert_allclose(found, small / 1e200, rtol=1e-12)  # the slope of a function of x / |x|
        np.testing.assert_allclose(by_torch.numpy(), small / 1e200, rtol=1e-12)


OF_BLOCKS = {
    "fed": st.booleans(), "crossed": st.booleans(), "normed": st.booleans(), "norm_first": st.booleans(),
    "residual": st.booleans(), "special": st.sampled_from([None, "parallel", "norms_after"]),
}  # fmt: skip


@given(seed=st.integers(0, 1000), **OF_BLOCKS)
def test_a_block_is_its_formulas_and_its_trace_holds_every_array(
    seed, fed, crossed, normed, norm_first, residual, special
):
    rng, dim, parts = np.random.default_rng(seed), 4, 1 + crossed + fed
    norm_first, residual = norm_first or special is not None, residual or special is not None
    heads = [
        ha.MultiHead([ha.Head(*rng.normal(size=(3, 3, dim)), mask="none")], rng.normal(size=(dim, 3))) for _ in "ab"
    ]
    norms = [LayerNorm(*rng.normal(size=(2, dim))) if normed else ha.activations["identity"]() for _ in range(parts)]
    after = [RMSNorm(rng.normal(size=dim)) for _ in range(parts)] if special == "norms_after" else []
    layer = FeedForward(Affine(rng.normal(size=(6, dim)), rng.normal(size=6)), rng.normal(size=(dim, 6)), "tanh")
    cross = heads[1] if crossed else None
    given_norms = norms if normed else []
    block = ha.Block(
        heads[0],
        layer if fed else None,
        norms=given_norms,
        norm_first=norm_first,
        cross=cross,
        residual=residual,
        norms_after=after,
        parallel=special == "parallel",
    )
    x, source = rng.normal(size=(5, dim)), rng.normal(size=(3, dim))
    trace = block.trace(x, "causal", source=source if crossed else None)
    layers = [lambda words: heads[0](words, "causal")]
    layers += ([lambda words: heads[1](words, source=source)] if crossed else []) + ([layer] if fed else [])
    words = x
    for i, (part, norm) in enumerate(zip(layers, norms, strict=True)):
        seen = x if special == "parallel" else words
        read = norm(seen) if norm_first else seen
        output = part(read)
        summed = residual * words + (after[i](output) if after else output)
        words = summed if norm_first else norm(summed)
        pairs = (trace.read[i], read), (trace.outputs[i], output), (trace.summed[i], summed), (trace.states[i], words)
        for one, expected in pairs:
            np.testing.assert_allclose(one, expected, rtol=1e-9, atol=1e-10)
    assert len(trace.states) == parts and np.array_equal(trace.input, x) and trace.heads == trace.attention.heads
    np.testing.assert_allclose(block(x, "causal", source=source if crossed else None), words, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(trace.output, trace.attention.output, rtol=1e-9, atol=1e-10)
    assert (trace.hidden is None) == (not fed) and (trace.cross is None) == (not crossed)
    if fed:
        np.testing.assert_allclose(layer.outer(trace.hidden), trace.outputs[-1], rtol=1e-9, atol=1e-10)
    if crossed:
        np.testing.assert_allclose(trace.cross.output, trace.outputs[1], rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("crossed", [False, True])
def test_a_trace_and_a_backward_pass_compute_every_map_once(monkeypatch, crossed):
    block = random_block()
    block = ha.Block(block.attention, block.feed_forward, cross=block.attention if crossed else None)
    x, applied, plain = np.random.default_rng(5).normal(size=(4, DIM)), [], feed_forward.image
    for module in (feed_forward, heads):
        monkeypatch.setattr(module, "image", lambda affine, words: applied.append(affine) or plain(affine, words))
    maps = 4 * (1 + crossed) + 2  # to queries, keys, values and the output of each attention; into the neurons, and out
    source = x if crossed else None
    for work in (block, block.trace, lambda x, source: ha.gradients.backward(block, x, x, source=source)):
        applied.clear()
        work(x, source=source)
        assert len(applied) == maps


@pytest.mark.parametrize("crossed", [False, True])
def test_a_stack_and_messages_take_blocks_and_a_block_alone_reads_the_source(crossed):
    rng = np.random.default_rng(3)
    x, source, attention = rng.normal(size=(5, DIM)), rng.normal(size=(3, DIM)), random_block().attention
    norms = [LayerNorm()] * (3 if crossed else 2)
    block = ha.Block(attention, random_block().feed_forward, norms=norms, cross=attention if crossed else None)
    expected = block(x, source=source)
    traces = stack([block, block], x, source=source)
    assert stack([], x) == []
    np.testing.assert_array_equal(traces[0].state, expected)
    np.testing.assert_array_equal(traces[1].state, block(expected, source=source))
    words = x if crossed else norms[0](x + attention(x, source=source))
    if not crossed:
        np.testing.assert_allclose(expected, norms[1](words + block.feed_forward(words)), rtol=1e-12)
    passed = ha.transformer.layer_by_messages(block, x, source=source)
    np.testing.assert_allclose(passed.state, expected, rtol=1e-11)
    assert [graph.number_of_edges() for graph in passed.graphs] == ([25, 25, 15, 15] if crossed else [15, 15])


LARGE = [[300.0, 0.0], [0.0, 300.0]]
"""A text whose scores, 90,000, are beyond half precision."""


def test_the_trace_of_a_head_is_its_output(torch):
    eye, text = np.eye(2, dtype=np.float16), np.array(LARGE, np.float16)
    of_torch = torch.eye(2, dtype=torch.float16), torch.tensor(LARGE, dtype=torch.float16)
    for matrix, x in ((eye, text), of_torch):
        head = ha.Head(matrix, matrix, matrix, mask="causal")
        trace = head.trace(x)
        assert trace.scores.tolist() == [[90000, 0], [0, 90000]]
        assert trace.weights.tolist() == [[1, 0], [0, 1]]
        assert trace.output.dtype == x.dtype and trace.output.tolist() == head(x).tolist() == LARGE


def test_the_trace_of_a_decoder_is_its_output():
    cell = Recurrent(np.ones((2, 4), np.float16), np.eye(2, dtype=np.float16), activation="identity")
    decoder = RecurrentDecoder(cell)
    trace = decoder.trace(
        np.zeros((1, 2), np.float16), np.array(LARGE, np.float16), start=np.array([300.0, 0.0], np.float16)
    )
    assert trace.scores.tolist() == [[90000, 0]]
    assert trace.weights.tolist() == [[1, 0]]
    assert trace.contexts.dtype == np.float16 and trace.contexts.tolist() == [[300, 0]]


@pytest.mark.parametrize("name", list(NONLINEARITIES))
def test_a_block_of_half_precision_stays_so(name):
    rng = np.random.default_rng(0)
    drawn = [(rng.normal(size=shape) / 2) for shape in ((4, 4), (4, 4), (4, 4), (4, 4), (6, 4), (4, 6), (4,), (4,))]

    def block(dtype):
        query, key, value, out, w_in, w_out, gain, shift = (one.astype(dtype) for one in drawn)
        heads = ha.MultiHead([ha.Head(query, key, value, mask="causal")], out)
        return ha.Block(heads, FeedForward(w_in, w_out, name), norms=[LayerNorm(gain, shift)] * 2)

    x = rng.normal(size=(3, 4))
    found = block(np.float16)(x.astype(np.float16))
    assert found.dtype == np.float16
    np.testing.assert_allclose(found, block(np.float64)(x), atol=0.02)
    assert block(np.float32)(x.astype(np.float32)).dtype == np.float32


def test_gelu_keeps_the_digits_of_half_precision_below_0(torch):
    x = np.array([-4.0, -3.0, -1.0, 0.5], np.float16)
    expected = x.astype(float) * scipy.special.ndtr(x.astype(float))
    for found in (NONLINEARITIES["gelu"](x), NONLINEARITIES["gelu"](torch.tensor(x))):
        np.testing.assert_allclose(np.asarray(found, float), expected, rtol=2e-3)
