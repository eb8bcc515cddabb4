"""Attention, heads and layers: compared with PyTorch and SciPy, and their own laws."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import FixedScores
from tests.draws import arrays, sizes
from tests.each import each


@st.composite
def texts(draw):
    n, m, dim, out = (draw(sizes) for _ in range(4))
    return draw(arrays((n, dim))), draw(arrays((m, dim))), draw(arrays((m, out)))


@given(text=texts())
def test_attention_is_scipys_softmax(text):
    q, k, v = text
    expected = scipy.special.softmax(q @ k.T / np.sqrt(q.shape[1]), axis=-1) @ v
    np.testing.assert_allclose(ha.attention(q, k, v), expected, rtol=1e-12, atol=1e-12)


@given(text=texts())
@each("name", separations)
def test_attention_is_one_step_of_a_memory(name, text):
    q, k, v = text
    expected = ha.Memory(k, v, separation=name, beta=0.3).step(q)
    np.testing.assert_allclose(ha.attention(q, k, v, beta=0.3, separation=name), expected, rtol=1e-12, atol=1e-12)


def test_attention_is_pytorchs(torch):
    rng = np.random.default_rng(2)
    q, k, v = (torch.asarray(rng.normal(size=(2, 3, 5, 4))) for _ in range(3))
    mask = torch.asarray(rng.random((5, 5)) > 0.4) | torch.eye(5, dtype=torch.bool)
    reference = torch.nn.functional.scaled_dot_product_attention
    np.testing.assert_allclose(ha.attention(q, k, v), reference(q, k, v), rtol=1e-12)
    np.testing.assert_allclose(ha.attention(q, k, v, mask=mask), reference(q, k, v, attn_mask=mask), rtol=1e-12)
    causal = reference(q, k, v, is_causal=True)
    np.testing.assert_allclose(ha.attention(q, k, v, mask="causal"), causal, rtol=1e-12)
    np.testing.assert_allclose(ha.attention(q, k, v, mask=ha.causal(5)), causal, rtol=1e-12)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(3, 6, 4)), rng.normal(size=(6, 7))
    output = ha.attention(q, k, v)
    assert output.shape == (2, 3, 5, 7)
    np.testing.assert_allclose(output[1, 2], ha.attention(q[1, 2], k[2], v), rtol=1e-12)


def test_a_fully_masked_row_gives_zeros():
    x = np.eye(3)
    assert np.all(ha.attention(x, x, x, mask="strict")[0] == 0)


@given(text=texts(), data=st.data())
def test_texts_of_a_batch_are_independent(text, data):
    x = text[1]
    other = data.draw(arrays(x.shape))
    head = ha.Head(np.eye(x.shape[1]), np.eye(x.shape[1]), np.eye(x.shape[1]))
    np.testing.assert_allclose(head(np.stack([x, other]))[0], head(x), rtol=1e-12, atol=1e-12)


@given(text=texts())
def test_later_words_change_nothing_under_a_causal_mask(text):
    x = text[1]
    eye = np.eye(x.shape[1])
    for mask in ("causal", "strict", ha.window(2)):
        head = ha.Head(eye, 2 * eye, eye, mask=mask)
        np.testing.assert_allclose(head(x)[:-1], head(x[:-1]) if len(x) > 1 else head(x)[:-1], rtol=1e-12, atol=1e-12)


def test_a_head_is_its_formula_written_out():
    rng = np.random.default_rng(4)
    x, wq, wk, wv = (rng.normal(size=size) for size in ((5, 4), (3, 4), (3, 4), (2, 4)))
    trace = ha.Head(wq, wk, wv, beta=0.7).trace(x)
    for i in range(5):
        scores = [sum((wq @ x[i]) * (wk @ x[j])) for j in range(i + 1)]
        weights = scipy.special.softmax(0.7 * np.array(scores))
        np.testing.assert_allclose(trace.weights[i, : i + 1], weights, rtol=1e-12)
        np.testing.assert_allclose(trace.output[i], sum(p * (wv @ x[j]) for j, p in enumerate(weights)), rtol=1e-12)
        assert np.all(trace.weights[i, i + 1 :] == 0)


def test_cross_attention_takes_keys_and_values_from_another_text():
    rng = np.random.default_rng(4)
    x, source = rng.normal(size=(2, 4)), rng.normal(size=(5, 4))
    head = ha.Head(np.eye(4), np.eye(4), np.eye(4), mask="none")
    np.testing.assert_allclose(head(x, source=source), ha.attention(x, source, source, beta=1.0), rtol=1e-12)


def test_a_given_mask_is_combined_with_the_heads_own():
    x = np.eye(3)
    head = ha.Head(x, x, x, separation="identity")
    trace = head.trace(np.ones((3, 3)), ha.padding([2], 3)[0])
    assert np.array_equal(trace.weights != 0, ha.causal(3) & (np.arange(3) < 2))


def test_unit_keeps_the_output_at_unit_magnitude():
    rng = np.random.default_rng(4)
    head = ha.Head(np.eye(4), np.eye(4), np.eye(4), activation="unit", mask="strict")
    lengths = np.linalg.norm(head(rng.normal(size=(5, 4))), axis=-1)
    np.testing.assert_allclose(lengths, [0, 1, 1, 1, 1], rtol=1e-12)


def test_heads_on_every_library(library):
    rng = np.random.default_rng(6)
    x, weights = rng.normal(size=(2, 5, 4)), rng.normal(size=(3, 4, 4))
    for mask in ("none", "causal", "strict", "nonzero", ha.window(2), ha.causal(5)):
        own = ha.transformer.AttentionLayer(ha.MultiHead([ha.Head(*weights, mask=mask)] * 2, np.tile(np.eye(4), 2)))
        matrices = [library.array(w) for w in weights]
        heads = [ha.Head(*matrices, mask=mask)] * 2
        other = ha.transformer.AttentionLayer(ha.MultiHead(heads, library.array(np.tile(np.eye(4), 2))))
        output = other(library.array(x))
        assert type(output) is type(library.array(x))
        np.testing.assert_allclose(library.numpy(output), own(x), rtol=1e-9)


def test_heads_in_parallel_are_pytorchs_multihead_attention(torch):
    torch.manual_seed(0)
    dim, n_heads = 6, 2
    reference = torch.nn.MultiheadAttention(dim, n_heads, bias=False, batch_first=True, dtype=torch.float64)
    x = torch.randn(2, 5, dim, dtype=torch.float64)
    query, key, value = reference.in_proj_weight.detach().chunk(3)
    rows = [slice(3 * i, 3 * i + 3) for i in range(n_heads)]
    heads = [ha.Head(query[r], key[r], value[r], beta=3**-0.5, mask="none") for r in rows]
    output = ha.MultiHead(heads, reference.out_proj.weight.detach())(x)
    np.testing.assert_allclose(output, reference(x, x, x)[0].detach(), rtol=1e-9, atol=1e-12)


def test_a_layer_adds_its_output_to_the_words_or_replaces_them():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(5, 4))
    heads = ha.MultiHead([ha.Head(*rng.normal(size=(3, 4, 4)))], np.eye(4))
    np.testing.assert_allclose(ha.transformer.AttentionLayer(heads)(x), x + heads(x), rtol=1e-12)
    np.testing.assert_allclose(ha.transformer.AttentionLayer(heads, residual=False)(x), heads(x), rtol=1e-12)


def test_the_output_of_each_layer_is_the_input_of_the_next():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(5, 4))
    layers = [
        ha.transformer.AttentionLayer(ha.MultiHead([ha.Head(*rng.normal(size=(3, 4, 4)))], np.eye(4))) for _ in range(3)
    ]
    traces = ha.transformer.stack(layers, x)
    np.testing.assert_allclose(traces[-1].state, layers[2](layers[1](layers[0](x))), rtol=1e-12)
    assert ha.transformer.stack([], x) == []


EYE = np.eye(3)


@each(
    ("make", "message"),
    [
        (lambda: ha.Head(EYE, np.ones((2, 3)), EYE), "w_key: 2 rows do not fit the 3 rows of w_query"),
        (lambda: ha.Head(EYE, EYE, np.ones((3, 2)))(EYE), "w_value: dim 2 does not fit w_key of dim 3"),
        (lambda: ha.Head(EYE, EYE, EYE, mask="casual"), "mask: 'casual' is unknown; did you mean 'causal'"),
        (lambda: ha.Head(EYE, EYE, EYE, separation=separations["softmax"](beta=2), beta=3), "carries its own beta"),
        (lambda: ha.Head(EYE, EYE, EYE, separation=separations["softmax"](beta=3), beta=1.0), "carries its own beta"),
        (lambda: ha.Head([1, 2], EYE, EYE), r"w_query: got shape \(2,\); expected \(out, in\)"),
        (lambda: ha.Head(EYE, EYE, EYE)(np.ones((2, 3, 3)), source=np.ones((4, 3, 3))), "leading axes .* do not"),
        (lambda: ha.Head(EYE, EYE, EYE)(np.ones((2, 4))), "x: dim 4 does not fit the head's matrices of dim 3"),
        (lambda: ha.Head(EYE, EYE, EYE)(np.ones((2, 3)), source=np.ones((2, 4))), "source: dim 4 does not fit"),
        (lambda: ha.MultiHead([], EYE), "heads: expected at least one"),
        (lambda: ha.MultiHead([ha.Head(EYE, EYE, EYE)], np.eye(2)), "w_out: dim 2 does not fit"),
        (
            lambda: ha.transformer.AttentionLayer(ha.MultiHead([ha.Head(EYE, EYE, EYE)], np.ones((2, 3)))),
            "attention: gives words of dim 2; expected those of the text, of dim 3",
        ),
        (lambda: ha.attention(EYE, EYE, np.ones((2, 3))), "v: 2 rows do not fit 3 keys"),
        (lambda: ha.attention(EYE, np.ones((3, 2)), EYE), "q: dim 3 does not fit k of dim 2"),
        (lambda: ha.attention([1, 2], EYE, EYE), r"q: got shape \(2,\); expected \(…, n, dim\)"),
        (lambda: ha.attention(EYE, EYE, EYE, beta=-1), "beta: expected a positive"),
        (lambda: ha.attention(np.ones((2, 3, 3)), np.ones((4, 3, 3)), EYE), "leading axes .* do not broadcast"),
        (lambda: ha.Head(EYE, EYE, EYE)([1.0, 0, 0]), r"x: got shape \(3,\); expected \(…, n, dim\)"),
        (lambda: ha.Head(EYE, EYE, EYE)(EYE, source=EYE[:2]), "3 queries are more than 2 keys"),
        (lambda: ha.Head(EYE, EYE, EYE, mask=[[1, 0]]), "mask: expected booleans"),
        (lambda: ha.MultiHead(ha.Head(EYE, EYE, EYE), EYE), "heads: expected a list, not Head"),
        (lambda: ha.MultiHead([], EYE), "heads: expected at least one Head, in a list"),
        (lambda: ha.transformer.AttentionLayer(ha.Head(EYE, EYE, EYE)), "attention: expected a MultiHead, not Head"),
        (lambda: FixedScores(np.ones((2, 2)))(EYE, EYE), r"scores: shape \(2, 2\) does not fit"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_layers_say_briefly_what_they_are():
    matrix = np.zeros((64, 64))
    heads = ha.MultiHead(
        [ha.Head(matrix, matrix, matrix, mask=ha.causal(5), bias=ha.positions.Alibi(0.5))] * 8, np.eye(64, 512)
    )
    block = ha.Block(
        heads,
        ha.transformer.FeedForward(matrix, matrix),
        [ha.transformer.LayerNorm(matrix[0]), ha.transformer.LayerNorm()],
    )
    texts = [
        repr(one)
        for one in (heads, ha.transformer.AttentionLayer(heads), block, ha.transformer.Affine(matrix, matrix[0]))
    ]
    assert max(map(len, texts)) < 600 and not any("array" in text or "\n" in text for text in texts)
    maps = "w_query (64, 64), w_key (64, 64), w_value (64, 64)"
    head = f"Head({maps}, Dot(), Softmax(beta=1.0), Identity(), mask=(5, 5), bias=Alibi(slope=0.5))"
    assert texts[0] == f"MultiHead(8 × {head}, w_out (64, 512))"
    assert "LayerNorm(gain, epsilon=1e-05)" in texts[2]
    assert texts[3] == "Affine(weight (64, 64), bias)"


LAYER = ha.MultiHead([ha.Head(EYE, EYE, EYE)], EYE)
BLOCK = ha.Block(LAYER, ha.transformer.FeedForward(EYE, EYE), [ha.transformer.LayerNorm()] * 2)
BOTH = ha.transformer.EncoderDecoder(
    [BLOCK], [ha.Block(LAYER, ha.transformer.FeedForward(EYE, EYE), [ha.transformer.LayerNorm()] * 3, cross=LAYER)]
)


@each(
    ("call", "message"),
    [
        (
            lambda: ha.attention(EYE, EYE, EYE, is_causal=True),
            "attention: option 'is_causal' .*; write mask=\"causal\"",
        ),
        (
            lambda: ha.attention(EYE, EYE, EYE, attn_mask=EYE),
            "attention: option 'attn_mask' .*write mask= for booleans",
        ),
        (lambda: ha.attention(EYE, EYE, EYE, scale=2), "'scale' is PyTorch's word; write beta="),
        (lambda: ha.attention(EYE, EYE, EYE, enable_gqa=True), r"k\.repeat_interleave\(n, -3\), and v alike"),
        (lambda: ha.Head(EYE, EYE, EYE, is_causal=True), "^Head: option 'is_causal'"),
        (lambda: LAYER(EYE, key_padding_mask=EYE), "^MultiHead: option 'key_padding_mask' is"),
        (
            lambda: ha.transformer.AttentionLayer(LAYER)(EYE, src_mask=EYE),
            "^Block: option 'src_mask' is PyTorch's word",
        ),
        (lambda: ha.attention(query=EYE, key=EYE, value=EYE), "'query' is PyTorch's word; write q="),
        (lambda: ha.attention(EYE, EYE, value=EYE), "'value' is PyTorch's word; write v="),
        (lambda: LAYER(query=EYE), "'query' is PyTorch's word; write x=, the first argument"),
        (lambda: LAYER(EYE, average_attn_weights=False), "'average_attn_weights' .* in the trace"),
        (lambda: ha.attention(EYE, EYE, EYE, average_attn_weights=False), "'average_attn_weights' .* in the trace"),
        (lambda: ha.Head(EYE, EYE, EYE)(EYE, scale=2), "'scale' is PyTorch's word; it is beta= of hopattn.Head"),
        (lambda: BLOCK(EYE, src_key_padding_mask=EYE), "'src_key_padding_mask' .*; write mask=hopattn.padding"),
        (lambda: BLOCK(EYE, tgt_key_padding_mask=EYE), "'tgt_key_padding_mask' .*; write mask=hopattn.padding"),
        (lambda: BLOCK(EYE, memory_key_padding_mask=EYE), "write source_mask=hopattn.padding"),
        (lambda: BOTH(EYE, EYE, src_mask=EYE), "^EncoderDecoder: option 'src_mask' .*; write source_mask="),
        (lambda: BOTH(EYE, EYE, tgt_mask=EYE), "'tgt_mask' .*; write target_mask="),
        (lambda: BOTH(EYE, EYE, src_key_padding_mask=EYE), "write source_mask=hopattn.padding"),
        (lambda: BOTH(EYE, EYE, tgt_key_padding_mask=EYE), "write target_mask=hopattn.padding"),
        (lambda: BOTH(EYE, EYE, memory_key_padding_mask=EYE), "write source_mask=hopattn.padding"),
        (lambda: ha.attention(EYE, EYE, EYE, EYE), "^attention: expected only q, k, v by position; write beta=, mask="),
        (lambda: LAYER(EYE, EYE, EYE), "^MultiHead: expected only x, mask by position; write key=, value="),
    ],
)
def test_pytorchs_words_are_answered_with_ours(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()
    with pytest.raises(ha.InvalidInput, match=r"^attention: option 'colour' is unknown .*choices: beta, bias, k,"):
        ha.attention(EYE, EYE, EYE, colour=1)


def test_attention_refuses_arrays_of_two_libraries_as_a_head_does(torch, jax):
    for one, other, kinds in (
        (torch.eye(3), EYE, "numpy and torch; give torch.asarray"),
        (EYE, torch.eye(3), "numpy and torch; give torch.asarray"),
        (jax.numpy.eye(3), torch.eye(3), "jaxlib and torch"),
    ):
        for triple in ((one, other, other), (one, one, other)):
            with pytest.raises(ha.InvalidInput, match=f"^q, k, v: expected arrays of one library, not of {kinds}"):
                ha.attention(*triple)
