"""The encoder and the decoder: PyTorch's transformer with PyTorch's weights, and what they refuse."""

import warnings

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput

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
    own = ha.EncoderDecoder.from_torch(state, HEADS, norm_first, activation)
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
    own, rng = ha.EncoderDecoder.from_torch(state, HEADS), np.random.default_rng(1)
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    whole = own(source, target)
    np.testing.assert_allclose(own(source, target[:2]), whole[:2], rtol=1e-10, atol=1e-12)
    assert not np.allclose(own(source[:4], target), whole)


def test_a_read_out_gives_a_score_for_each_word_of_a_vocabulary(state):
    own, rng = ha.EncoderDecoder.from_torch(state, HEADS), np.random.default_rng(2)
    matrix, shift = rng.normal(size=(7, DIM)), rng.normal(size=7)
    reads = ha.EncoderDecoder(own.encoder, own.decoder, own.norms, ha.Affine(matrix, shift))
    source, target = rng.normal(size=(5, DIM)), rng.normal(size=(4, DIM))
    np.testing.assert_allclose(reads(source, target), own(source, target) @ matrix.T + shift, rtol=1e-12)


def test_what_does_not_fit_is_refused(state):
    own = ha.EncoderDecoder.from_torch(state, HEADS)
    without = {name: array for name, array in state.items() if not name.startswith("encoder.layers.0.")}
    for make, message in (
        (lambda: ha.EncoderDecoder.from_torch(state | {"red_out.weight": 1}, HEADS), "unexpected: red_out.weight"),
        (lambda: ha.EncoderDecoder.from_torch(without, HEADS), r"expected encoder.layers.0, .* not 1"),
        (lambda: ha.EncoderDecoder.from_torch({}, HEADS), "expected encoder.layers.0, .* not none"),
        (lambda: ha.EncoderDecoder.from_torch(3, HEADS), "state: expected names and arrays of a state_dict, not 3"),
        (lambda: ha.EncoderDecoder(own.encoder, own.encoder), "decoder: block 1 has no cross-attention"),
        (lambda: ha.EncoderDecoder(own.decoder, own.decoder), "encoder: block 1 has a cross-attention"),
        (lambda: ha.EncoderDecoder([], own.decoder), "encoder: expected at least one Block"),
    ):
        with pytest.raises(InvalidInput, match=message):
            make()
