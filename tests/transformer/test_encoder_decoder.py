"""The encoder and the decoder: PyTorch's transformer with PyTorch's weights; and greedy decoding."""

import warnings

import numpy as np
import pytest

import hopattn as ha
from hopattn.transformer import Affine, EncoderDecoder, FeedForward
from hopattn.transformer.encoder_decoder import greedy

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


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_it_is_pytorchs_transformer(torch, norm_first, activation):
    model = torch_transformer(torch, norm_first=norm_first, activation=activation)
    state = {name: array.numpy() for name, array in model.state_dict().items()}
    own = EncoderDecoder.from_torch(state, n_heads=HEADS, norm_first=norm_first, activation=activation)
    assert (len(own.encoder), len(own.decoder)) == (2, 3)
    rng = np.random.default_rng(0)
    source, target, words = rng.normal(size=(2, 6, DIM)), rng.normal(size=(2, 4, DIM)), ha.padding([6, 3]).array(6)
    padded = torch.asarray(~words[:, 0])
    theirs = model(
        torch.asarray(source), torch.asarray(target), tgt_mask=torch.asarray(~ha.causal.array(4)),
        src_key_padding_mask=padded, memory_key_padding_mask=padded,
    ).detach()  # fmt: skip
    np.testing.assert_allclose(own(source, target, source_mask=words), theirs, rtol=0, atol=1e-10)


@pytest.fixture
def state(torch):
    return {name: array.numpy() for name, array in torch_transformer(torch).state_dict().items()}


def test_later_words_of_the_target_change_nothing_and_the_source_does(state):
    own, rng = EncoderDecoder.from_torch(state, n_heads=HEADS), np.random.default_rng(1)
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    whole = own(source, target)
    np.testing.assert_allclose(own(source, target[:2]), whole[:2], rtol=1e-10, atol=1e-12)
    assert not np.allclose(own(source[:4], target), whole)


def test_the_memory_is_what_the_encoder_gives_and_the_decoder_reads_it(state):
    """Block by block, with the norm behind each side; the mask of the source hides words from both."""
    own, rng = EncoderDecoder.from_torch(state, n_heads=HEADS), np.random.default_rng(4)
    source, target, seen = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM)), ha.padding(3).array(5)
    for mask, text in ((None, source), (seen, source[:3])):
        words = text
        for block in own.encoder:
            words = block(words)
        words = own.norms[0](words)
        np.testing.assert_allclose(own.memory(source, mask)[: len(text)], words, rtol=1e-10, atol=1e-12)
        written = target
        for block in own.decoder:
            written = block(written, source=words)
        expected = own.norms[1](written)
        np.testing.assert_allclose(own(source, target, source_mask=mask), expected, rtol=1e-10, atol=1e-12)
    hidden = np.eye(4, dtype=bool)
    assert not np.allclose(own(source, target, target_mask=hidden), own(source, target))
    np.testing.assert_allclose(own(source, target, target_mask=hidden)[0], own(source, target)[0], rtol=1e-10)


def test_a_read_out_gives_a_score_for_each_word_of_a_vocabulary(state):
    own, rng = EncoderDecoder.from_torch(state, n_heads=HEADS), np.random.default_rng(2)
    matrix, shift = rng.normal(size=(7, DIM)), rng.normal(size=7)
    reads = EncoderDecoder(own.encoder, own.decoder, norms=own.norms, read_out=Affine(matrix, shift))
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    np.testing.assert_allclose(reads(source, target), own(source, target) @ matrix.T + shift, rtol=1e-12)


@pytest.mark.parametrize(("norm_first", "activation"), [(False, "relu"), (True, "gelu")])
@pytest.mark.parametrize("bias", [True, False])
def test_to_torch_is_the_inverse_of_from_torch(torch, norm_first, activation, bias):
    model = torch_transformer(torch, norm_first=norm_first, activation=activation, bias=bias)
    state = {name: array.numpy() for name, array in model.state_dict().items()}
    own = EncoderDecoder.from_torch(state, n_heads=HEADS, norm_first=norm_first, activation=activation)
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
    theirs = fresh(torch.asarray(source), torch.asarray(target), tgt_mask=torch.asarray(~ha.causal.array(4))).detach()
    np.testing.assert_allclose(own(source, target), theirs, rtol=0, atol=1e-10)


def test_a_side_without_a_norm_comes_back_without_it(state):
    bare = {name: array for name, array in state.items() if not name.startswith("decoder.norm.")}
    assert set(EncoderDecoder.from_torch(bare, n_heads=HEADS).to_torch()) == set(bare)


def test_pytorchs_epsilon_is_taken(torch):
    model = torch_transformer(torch, layer_norm_eps=0.5)
    own = EncoderDecoder.from_torch(model.state_dict(), n_heads=HEADS, epsilon=0.5)
    rng = np.random.default_rng(0)
    source, target = rng.normal(size=(2, 6, DIM)), rng.normal(size=(2, 4, DIM))
    forbidden = torch.asarray(~ha.causal.array(4))
    expected = model(torch.asarray(source), torch.asarray(target), tgt_mask=forbidden).detach()
    found = own(torch.asarray(source), torch.asarray(target))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


def test_pytorch_loads_a_layer_in_which_some_biases_are_missing(torch):
    block = EncoderDecoder.from_torch(torch_transformer(torch).state_dict(), n_heads=HEADS).encoder[0]
    bare = FeedForward(block.feed_forward.inner.weight, block.feed_forward.outer)
    mixed = ha.Block(block.attention, bare, norms=block.norms)
    layer = torch.nn.TransformerEncoderLayer(DIM, HEADS, 12, batch_first=True, dtype=torch.float64).eval()
    layer.load_state_dict(mixed.to_torch())
    words = torch.asarray(np.random.default_rng(0).normal(size=(2, 5, DIM)))
    np.testing.assert_allclose(mixed(words), layer(words).detach(), rtol=0, atol=1e-10)


TABLE = np.array([[0, 5, 1], [2, 0, 7], [9, 1, 1]])
"""The scores after each word: 0 leads to 1, 1 to 2, 2 to 0."""


def after(so_far):
    return TABLE[so_far[-1]] if so_far else TABLE[0]


def test_each_word_has_the_largest_score_after_those_before():
    assert greedy(after, 5) == (1, 2, 0, 1, 2)
    assert greedy(after, 5, end=0) == (1, 2, 0)
    assert greedy(after, 2, end=0) == (1, 2)


def test_it_sees_all_words_so_far():
    seen = []
    greedy(lambda so_far: seen.append(so_far) or after(so_far), 3)
    assert seen == [(), (1,), (1, 2)]


def test_of_equal_scores_the_first_is_written():
    assert greedy(lambda _: [0.1, 0.3, 0.1 + 0.2], 1) == (1,)  # .1 + .2 is .3 and a rounding error
    assert greedy(lambda _: [0.1, 0.3, 0.3 + 1e-8], 1) == (2,)


@pytest.mark.parametrize("scale", [1e-200, 1e-10, 1.0, 1e10])
def test_the_scale_of_the_scores_does_not_matter(scale):
    assert greedy(lambda _: [0, scale], 1) == greedy(lambda _: [-scale, 0, 0], 1) == (1,)
    assert greedy(lambda _: [-2 * scale, -scale], 1) == (1,)
    assert greedy(lambda _: [0.1 * scale, 0.3 * scale, (0.1 + 0.2) * scale], 1) == (1,)
    assert greedy(lambda _: [-1e30, 0.3 * scale, 0.4 * scale], 1) == (2,)  # a word that is ruled out
