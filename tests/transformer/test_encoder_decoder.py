"""The encoder and the decoder: PyTorch's transformer with PyTorch's weights, and what they refuse."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.each import each

DIM, HEADS = 8, 2


def torch_transformer(torch, **options):
    torch.manual_seed(2)
    with warnings.catch_warnings():  # PyTorch says that a fast path of its own is off
        warnings.simplefilter("ignore", UserWarning)
        model = torch.nn.Transformer(
            DIM, HEADS, 2, 3, 12, dropout=0.0, batch_first=True, dtype=torch.float64, **options
        )
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return model.eval()


@each("norm_first", [False, True])
@each("activation", ["relu", "gelu"])
def test_it_is_pytorchs_transformer(torch, norm_first, activation):
    model = torch_transformer(torch, norm_first=norm_first, activation=activation)
    state = {name: array.numpy() for name, array in model.state_dict().items()}
    own = ha.transformer.EncoderDecoder.from_torch(state, HEADS, norm_first, activation)
    assert (len(own.encoder), len(own.decoder)) == (2, 3)
    rng = np.random.default_rng(0)
    source, target, words = rng.normal(size=(2, 6, DIM)), rng.normal(size=(2, 4, DIM)), ha.padding([6, 3], 6)
    padded = torch.asarray(~words[:, 0])
    theirs = model(
        torch.asarray(source), torch.asarray(target), tgt_mask=torch.asarray(~ha.causal(4)),
        src_key_padding_mask=padded, memory_key_padding_mask=padded,
    ).detach()  # fmt: skip
    np.testing.assert_allclose(own(source, target, words), theirs, rtol=0, atol=1e-10)


@pytest.fixture
def state(torch):
    return {name: array.numpy() for name, array in torch_transformer(torch).state_dict().items()}


def test_later_words_of_the_target_change_nothing_and_the_source_does(state):
    own, rng = ha.transformer.EncoderDecoder.from_torch(state, HEADS), np.random.default_rng(1)
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    whole = own(source, target)
    np.testing.assert_allclose(own(source, target[:2]), whole[:2], rtol=1e-10, atol=1e-12)
    assert not np.allclose(own(source[:4], target), whole)


def test_a_read_out_gives_a_score_for_each_word_of_a_vocabulary(state):
    own, rng = ha.transformer.EncoderDecoder.from_torch(state, HEADS), np.random.default_rng(2)
    matrix, shift = rng.normal(size=(7, DIM)), rng.normal(size=7)
    reads = ha.transformer.EncoderDecoder(own.encoder, own.decoder, own.norms, ha.transformer.Affine(matrix, shift))
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    np.testing.assert_allclose(reads(source, target), own(source, target) @ matrix.T + shift, rtol=1e-12)


def test_what_does_not_fit_is_refused(state):
    own = ha.transformer.EncoderDecoder.from_torch(state, HEADS)
    without = {name: array for name, array in state.items() if not name.startswith("encoder.layers.0.")}
    for make, message in (
        (
            lambda: ha.transformer.EncoderDecoder.from_torch(state | {"red_out.weight": 1}, HEADS),
            "unexpected: red_out.weight",
        ),
        (lambda: ha.transformer.EncoderDecoder.from_torch(without, HEADS), r"expected encoder.layers.0, .* not 1"),
        (lambda: ha.transformer.EncoderDecoder.from_torch({}, HEADS), "expected encoder.layers.0, .* not none"),
        (
            lambda: ha.transformer.EncoderDecoder.from_torch(3, HEADS),
            "state: expected names and arrays of a state_dict, not 3",
        ),
        (lambda: ha.transformer.EncoderDecoder(own.encoder, own.encoder), "decoder: block 1 has no cross-attention"),
        (lambda: ha.transformer.EncoderDecoder(own.decoder, own.decoder), "encoder: block 1 has a cross-attention"),
        (lambda: ha.transformer.EncoderDecoder([], own.decoder), "encoder: expected at least one Block"),
    ):
        with pytest.raises(InvalidInput, match=message):
            make()


@each(("norm_first", "activation"), [(False, "relu"), (True, "gelu")])
@each("bias", [True, False])
def test_to_torch_is_the_inverse_of_from_torch(torch, norm_first, activation, bias):
    model = torch_transformer(torch, norm_first=norm_first, activation=activation, bias=bias)
    state = {name: array.numpy() for name, array in model.state_dict().items()}
    own = ha.transformer.EncoderDecoder.from_torch(state, HEADS, norm_first, activation)
    written = own.to_torch()
    assert set(written) == set(state)
    for name, array in state.items():
        np.testing.assert_array_equal(written[name], array)
    fresh = torch_transformer(torch, norm_first=norm_first, activation=activation, bias=bias)
    for parameter in fresh.parameters():
        torch.nn.init.zeros_(parameter)
    fresh.load_state_dict({name: torch.asarray(array) for name, array in written.items()})
    rng = np.random.default_rng(3)
    source, target = rng.normal(size=(1, 5, DIM)), rng.normal(size=(1, 4, DIM))
    theirs = fresh(torch.asarray(source), torch.asarray(target), tgt_mask=torch.asarray(~ha.causal(4))).detach()
    np.testing.assert_allclose(own(source, target), theirs, rtol=0, atol=1e-10)


def test_a_side_without_a_norm_comes_back_without_it(state):
    bare = {name: array for name, array in state.items() if not name.startswith("decoder.norm.")}
    assert set(ha.transformer.EncoderDecoder.from_torch(bare, HEADS).to_torch()) == set(bare)


def test_parts_that_pytorch_lacks_are_named(state):
    own = ha.transformer.EncoderDecoder.from_torch(state, HEADS)
    first, *others = own.encoder
    for encoder, norms, message in (
        ([first, *others], (ha.transformer.LayerNorm(), None), "norm of the encoder: expected a LayerNorm with a gain"),
        ([replace(first, residual=False), *others], own.norms, "encoder: block 1: residual is False"),
        (
            [first, replace(first, norms=[ha.transformer.LayerNorm()] * 2)],
            own.norms,
            "encoder: block 2: norm 1: expected",
        ),
        (
            [replace(first, norm_first=True), *others],
            own.norms,
            "one of these for all layers, not n_heads = 2, norm_first = False, activation = 'relu'; n_heads = 2, "
            "norm_first = True, activation = 'relu'$",
        ),
    ):
        with pytest.raises(InvalidInput, match=f"^to_torch: .*{message}"):
            ha.transformer.EncoderDecoder(encoder, own.decoder, norms).to_torch()
    heads = ha.transformer.EncoderDecoder.from_torch(state, 4).decoder
    with pytest.raises(InvalidInput, match=r"not n_heads = 2, .*; n_heads = 4, "):
        ha.transformer.EncoderDecoder(own.encoder, heads, own.norms).to_torch()
    with pytest.raises(InvalidInput, match="to_torch: PyTorch's transformer has no read-out"):
        replace(own, read_out=ha.transformer.Affine(np.eye(DIM))).to_torch()


def test_pytorchs_epsilon_is_taken(torch):
    model = torch_transformer(torch, layer_norm_eps=0.5)
    own = ha.transformer.EncoderDecoder.from_torch(model.state_dict(), HEADS, epsilon=0.5)
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=(2, 6, DIM)), rng.normal(size=(2, 4, DIM))
    forbidden = torch.asarray(~ha.causal(4))
    expected = model(torch.asarray(source), torch.asarray(target), tgt_mask=forbidden).detach()
    found = own(torch.asarray(source), torch.asarray(target))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_pytorch_loads_a_layer_in_which_some_biases_are_missing(torch):
    block = ha.transformer.EncoderDecoder.from_torch(torch_transformer(torch).state_dict(), HEADS).encoder[0]
    bare = ha.transformer.FeedForward(block.feed_forward.inner.weight, block.feed_forward.outer)
    mixed = ha.Block(block.attention, bare, block.norms)
    layer = torch.nn.TransformerEncoderLayer(DIM, HEADS, 12, batch_first=True, dtype=torch.float64).eval()
    layer.load_state_dict(mixed.to_torch())
    words = torch.asarray(np.random.default_rng(0).normal(size=(2, 5, DIM)))
    np.testing.assert_allclose(mixed(words), layer(words).detach(), rtol=0, atol=1e-10)
