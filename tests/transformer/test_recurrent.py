"""Recurrent networks are PyTorch's; a decoder's context is one step of recall; the alignment table of a lecture."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.transformer import Recurrent, RecurrentDecoder
from tests.draws import arrays, sizes

TOL = {"rtol": 1e-12, "atol": 1e-12}


@st.composite
def decoders(draw, similarity):
    """A decoder, the words before its outputs, and the states of a text."""
    n_out, n_in, dim_out, dim, dim_memory, n = (draw(sizes) for _ in range(6))
    if similarity == "dot":
        scores, dim_memory = "dot", dim
    elif similarity == "bilinear":
        scores = ha.retrieval.Bilinear(draw(arrays((dim, dim_memory))))
    else:
        scores = ha.retrieval.Additive(draw(arrays((n, dim))), draw(arrays((n, dim_memory))), draw(arrays((n,))))
    cell = Recurrent(draw(arrays((dim, dim_out + dim_memory))), draw(arrays((dim, dim))), draw(arrays((dim,))))
    decoder = RecurrentDecoder(cell, similarity=scores, beta=0.1)
    return decoder, draw(arrays((n_out, dim_out))), draw(arrays((n_in, dim_memory)))


every_score = pytest.mark.parametrize("similarity", ["dot", "bilinear", "additive"])


def test_a_recurrent_network_is_pytorchs(torch):
    torch.manual_seed(0)
    reference = torch.nn.RNN(3, 5, batch_first=True, dtype=torch.float64)
    w, u, b, c = (weight.detach().numpy() for weight in reference.all_weights[0])
    own = Recurrent(w, u, b + c)
    x, start = torch.randn(4, 30, 3, dtype=torch.float64), torch.randn(1, 4, 5, dtype=torch.float64)
    np.testing.assert_allclose(own(x.numpy()), reference(x)[0].detach(), **TOL)
    np.testing.assert_allclose(own(x.numpy(), start[0].numpy()), reference(x, start)[0].detach(), **TOL)
    on_torch = Recurrent(*(torch.asarray(part) for part in (w, u, b + c)))
    np.testing.assert_allclose(on_torch(x), reference(x)[0].detach(), **TOL)


def test_derivatives_through_time_are_pytorchs(torch):
    torch.manual_seed(1)
    reference = torch.nn.RNN(3, 4, batch_first=True, dtype=torch.float64)
    w, u, b, c = (weight.detach().clone().requires_grad_() for weight in reference.all_weights[0])
    x = torch.randn(2, 6, 3, dtype=torch.float64)
    (Recurrent(w, u, b + c)(x)[:, -1] ** 2).sum().backward()
    (reference(x)[0][:, -1] ** 2).sum().backward()
    for own, weight in zip((w, u, b, c), reference.all_weights[0], strict=True):
        np.testing.assert_allclose(own.grad, weight.grad, **TOL)


@given(data=st.data(), n=sizes, dim=sizes, hidden=sizes)
def test_a_text_read_in_two_parts_gives_the_same_states(data, n, dim, hidden):
    network = Recurrent(*(data.draw(arrays(shape)) for shape in ((hidden, dim), (hidden, hidden), (hidden,))))
    x = data.draw(arrays((n + 1, dim)))
    whole = network(x)
    np.testing.assert_allclose(network(x[n:], start=network(x[:n])[-1]), whole[n:], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(network(np.stack([x, -x]))[0], whole, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(network(x[:n]), whole[:n], rtol=1e-9, atol=1e-9)  # later words change nothing


@given(data=st.data(), n=sizes, dim=sizes, hidden=sizes, given_start=st.booleans())
def test_step_by_step_is_the_whole_text(data, n, dim, hidden, given_start):
    """h_t = tanh(W x_t + U h_{t−1} + b) from `start`, 0 where nothing is given, for one text and for a batch."""
    w, u, b = (data.draw(arrays(shape)) for shape in ((hidden, dim), (hidden, hidden), (hidden,)))
    x, network = data.draw(arrays((2, n, dim))), Recurrent(w, u, b)
    first = data.draw(arrays((hidden,))) if given_start else None
    state = network.start(x[:, 0], first)
    assert state.shape == (2, hidden) and np.all(state == (first if given_start else 0))
    for i, after in enumerate(np.moveaxis(network(x, first), 1, 0)):
        expected = np.tanh(x[:, i] @ w.T + state @ u.T + b)
        np.testing.assert_allclose(after, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(network.step(x[:, i], state), expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(network.step(x[1, i], state[1]), expected[1], rtol=1e-9, atol=1e-9)
        state = after
    assert network.step(x[0, 0], state).shape == network.step(x[:, 0], state[0]).shape == (2, hidden)  # they broadcast


@given(data=st.data(), n=sizes, dim=sizes, hidden=sizes)
def test_the_first_word_is_in_a_linear_networks_last_state_by_a_power_of_u(data, n, dim, hidden):
    w, u = data.draw(arrays((hidden, dim))) / 8, data.draw(arrays((hidden, hidden))) / 8
    network = Recurrent(w, u, activation="identity")
    x, change = data.draw(arrays((n, dim))), data.draw(arrays((dim,)))
    moved = np.concatenate([x[:1] + change, x[1:]])
    expected = np.linalg.matrix_power(u, n - 1) @ w @ change
    size = hidden ** (n + 1) * 64 * dim
    np.testing.assert_allclose(network(moved)[-1] - network(x)[-1], expected, rtol=1e-9, atol=1e-13 * size)


def test_that_power_falls_as_the_spectral_radius_whatever_the_norm():
    rng = np.random.default_rng(0)
    u = rng.normal(size=(12, 12))
    u *= 0.8 / np.abs(np.linalg.eigvals(u)).max()
    assert np.linalg.norm(u, 2) > 1.2  # the norm alone would let the state grow
    network = Recurrent(np.eye(12), u, activation="identity")
    impulses = np.concatenate([np.eye(12)[:, None, :], np.zeros((12, 400, 12))], axis=1)
    sizes_left = np.linalg.norm(network(impulses), axis=(0, 2))
    assert (sizes_left[400] / sizes_left[200]) ** (1 / 200) == pytest.approx(0.8, rel=0.003)


@every_score
@given(data=st.data())
def test_a_decoder_is_its_formulas_written_out(similarity, data):
    decoder, previous, memory = data.draw(decoders(similarity))
    trace, cell = decoder.trace(previous, memory), decoder.cell
    state = np.zeros(len(cell.w_hidden))
    for i, word in enumerate(previous):
        if similarity == "dot":
            scores = np.array([sum(state * h) for h in memory])
        elif similarity == "bilinear":
            scores = np.array([state @ (decoder.retrieval.similarity.matrix @ h) for h in memory])
        else:
            own = decoder.retrieval.similarity
            scores = np.array([sum(own.v * np.tanh(own.w_cue @ state + own.w_key @ h)) for h in memory])
        powers = np.exp(0.1 * (scores - scores.max()))
        weights = powers / powers.sum()
        context = sum(p * h for p, h in zip(weights, memory, strict=True))
        state = np.tanh(cell.w_input @ np.concatenate([word, context]) + cell.w_hidden @ state + cell.bias)
        close = {"rtol": 1e-9, "atol": 1e-9}  # the recurrence may amplify rounding from word to word
        np.testing.assert_allclose(trace.scores[i], scores, rtol=1e-9, atol=1e-7)
        np.testing.assert_allclose(trace.weights[i], weights, **close)
        np.testing.assert_allclose(trace.contexts[i], context, **close)
        np.testing.assert_allclose(trace.states[i], state, **close)
        state = trace.states[i]
    np.testing.assert_allclose(trace.weights.sum(axis=-1), np.ones(len(previous)), **TOL)
    assert np.array_equal(decoder(previous, memory), trace.states)


def test_a_decoder_is_pytorchs_cell_with_pytorchs_attention(torch):
    rng = np.random.default_rng(3)
    torch.manual_seed(3)
    f, reference = torch.nn.functional, torch.nn.RNNCell(2 + 4, 5, dtype=torch.float64)
    w_cue, w_key, v = rng.normal(size=(7, 5)), rng.normal(size=(7, 4)), rng.normal(size=7)
    w, u, b, c = (part.detach().numpy() for part in reference.parameters())
    decoder = RecurrentDecoder(Recurrent(w, u, b + c), similarity=ha.retrieval.Additive(w_cue, w_key, v))
    previous, memory = rng.normal(size=(3, 6, 2)), rng.normal(size=(3, 8, 4))
    trace = decoder.trace(previous, memory)
    cue, key, vector, words, keys = (torch.asarray(part) for part in (w_cue, w_key, v, previous, memory))
    state = torch.zeros(3, 5, dtype=torch.float64)
    for i in range(6):
        scores = torch.tanh(f.linear(state, cue)[:, None] + f.linear(keys, key)) @ vector
        weights = f.softmax(scores, dim=-1)
        context = torch.bmm(weights[:, None], keys)[:, 0]
        state = reference(torch.cat([words[:, i], context], dim=-1), state)
        np.testing.assert_allclose(trace.weights[:, i], weights.detach(), **TOL)
        np.testing.assert_allclose(trace.contexts[:, i], context.detach(), **TOL)
        np.testing.assert_allclose(trace.states[:, i], state.detach(), **TOL)


@every_score
@given(data=st.data())
def test_the_context_is_one_step_of_a_memory_or_of_attention(similarity, data):
    decoder, previous, memory = data.draw(decoders(similarity))
    trace = decoder.trace(previous, memory)
    cues = np.concatenate([np.zeros_like(trace.states[:1]), trace.states[:-1]])
    recalled = decoder.retrieval(cues, memory, memory)
    np.testing.assert_allclose(trace.contexts, recalled, rtol=1e-9, atol=1e-9)
    if similarity == "dot":
        np.testing.assert_allclose(trace.contexts, ha.attention(cues, memory, memory, beta=0.1), rtol=1e-9, atol=1e-9)


@every_score
@given(data=st.data())
def test_the_order_of_the_text_plays_no_part(similarity, data):
    decoder, previous, memory = data.draw(decoders(similarity))
    first, turned = decoder.trace(previous[:1], memory), decoder.trace(previous[:1], memory[::-1])
    np.testing.assert_allclose(turned.weights, first.weights[:, ::-1], **TOL)
    np.testing.assert_allclose(turned.states, first.states, rtol=1e-9, atol=1e-9)


@every_score
@given(data=st.data())
def test_a_masked_word_is_a_word_that_is_not_there(similarity, data):
    decoder, previous, memory = data.draw(decoders(similarity))
    padded = np.concatenate([memory, 9 * np.ones((2, memory.shape[1]))])
    trace = decoder.trace(previous, padded, ha.padding(len(memory)).array(len(padded)))
    own = decoder.trace(previous, memory)
    assert np.all(trace.weights[:, len(memory) :] == 0)
    np.testing.assert_allclose(trace.weights[:, : len(memory)], own.weights, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(trace.states, own.states, rtol=1e-9, atol=1e-9)


def test_each_row_of_a_mask_is_for_one_output_and_texts_of_a_batch_are_independent():
    rng = np.random.default_rng(4)
    decoder = RecurrentDecoder(Recurrent(rng.normal(size=(4, 6)), rng.normal(size=(4, 4))))
    previous, memory, start = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 4))
    mask = rng.random((2, 3, 5)) > 0.3
    trace = decoder.trace(previous, memory, mask, start=start)
    assert np.array_equal(trace.weights != 0, mask)
    for i in range(2):
        alone = decoder.trace(previous[i], memory[i], mask[i], start=start[i])
        np.testing.assert_allclose(alone.states, trace.states[i], **TOL)


def test_the_alignment_table_of_a_lecture():
    """kediler fareleri kovalar, cats chase mice: states and memory are one-hot, the matrix the log of the table."""
    table = np.array([[0.91, 0.04, 0.05], [0.03, 0.10, 0.87], [0.09, 0.88, 0.03]])
    shift = Recurrent(np.eye(3, 6), np.zeros((3, 3)), activation="identity")  # s_i is the word y_{i−1}
    decoder = RecurrentDecoder(shift, similarity=ha.retrieval.Bilinear(np.log(table)))
    trace = decoder.trace(np.eye(3)[[1, 2, 0]], np.eye(3), start=np.eye(3)[0])
    np.testing.assert_allclose(trace.weights, table, rtol=1e-12)
    np.testing.assert_allclose(trace.contexts, table, rtol=1e-12)


def test_without_a_weight_on_the_context_the_decoder_is_a_plain_recurrent_network():
    rng = np.random.default_rng(5)
    w, u = rng.normal(size=(4, 2)), rng.normal(size=(4, 4))
    previous, memory = rng.normal(size=(6, 2)), rng.normal(size=(3, 4))
    decoder = RecurrentDecoder(Recurrent(np.hstack([w, np.zeros((4, 4))]), u))
    np.testing.assert_allclose(decoder(previous, memory), Recurrent(w, u)(previous), **TOL)


def test_the_same_on_every_library(library):
    rng = np.random.default_rng(6)
    w, u, b, matrix = rng.normal(size=(4, 6)), rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=(4, 3))
    previous, memory = rng.normal(size=(2, 3, 3)), rng.normal(size=(2, 5, 3))
    mask = ha.padding([3, 5]).array(5)
    results = []
    for a in (np.asarray, library.array):
        cell = Recurrent(a(w), a(u), a(b))
        decoder = RecurrentDecoder(cell, similarity=ha.retrieval.Bilinear(a(matrix)))
        results.append(decoder.trace(a(previous), a(memory), a(mask), start=a(u[0])))
    own, other = results
    for name in ("states", "contexts", "scores", "weights"):
        assert type(getattr(other, name)) is type(library.array(w))
        np.testing.assert_allclose(library.numpy(getattr(other, name)), getattr(own, name), rtol=1e-9, atol=1e-12)


def test_a_separation_that_is_an_object_keeps_its_beta_and_takes_no_other():
    """A beta of 1 beside an object was left out in silence."""
    sharp = ha.separations["softmax"](beta=3.0)
    assert RecurrentDecoder(NETWORK, separation=sharp).retrieval.separation == sharp
    assert RecurrentDecoder(NETWORK).retrieval.separation.beta == 1.0


NETWORK = Recurrent(np.eye(2), np.eye(2))
