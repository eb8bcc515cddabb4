"""Attention, heads and layers: PyTorch and SciPy, their own laws, the bias of a call, and heads without a token."""

import ast
import math
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.positions import Alibi, alibi
from hopattn.retrieval.separation import separations
from hopattn.transformer import Affine, AttentionLayer, FeedForward, LayerNorm, worth
from hopattn.transformer import plain_attention as plain
from hopattn.transformer.plain_attention import referees
from tests.draws import arrays, betas, sizes, stores


@st.composite
def texts(draw):
    n, m, dim, out = (draw(sizes) for _ in range(4))
    return draw(arrays((n, dim))), draw(arrays((m, dim))), draw(arrays((m, out)))


@pytest.mark.usefixtures("both_kernels")
@given(text=texts())
def test_attention_is_scipys_softmax(text):
    q, k, v = text
    expected = scipy.special.softmax(q @ k.T / np.sqrt(q.shape[1]), axis=-1) @ v
    np.testing.assert_allclose(ha.attention(q, k, v), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.usefixtures("both_kernels")
@given(text=texts())
@pytest.mark.parametrize("name", separations)
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
    np.testing.assert_allclose(ha.attention(q, k, v, mask=ha.causal.array(5)), causal, rtol=1e-12)


def test_leading_axes_broadcast():
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(3, 6, 4)), rng.normal(size=(6, 7))
    output = ha.attention(q, k, v)
    assert output.shape == (2, 3, 5, 7)
    np.testing.assert_allclose(output[1, 2], ha.attention(q[1, 2], k[2], v), rtol=1e-12)


def test_a_fully_masked_row_gives_zeros():
    x = np.eye(3)
    assert np.all(ha.attention(x, x, x, mask="strict")[0] == 0)
    assert np.all(ha.attention(x, x, x, bias=np.full((3, 3), -np.inf)) == 0)


@given(text=texts(), data=st.data())
def test_texts_of_a_batch_are_independent(text, data):
    x = text[1]
    other = data.draw(arrays(x.shape))
    head = ha.Head(np.eye(x.shape[1]), np.eye(x.shape[1]), np.eye(x.shape[1]), mask="causal")
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
    trace = ha.Head(wq, wk, wv, beta=0.7, mask="causal").trace(x)
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
    head = ha.Head(x, x, x, separation="identity", mask="causal")
    trace = head.trace(np.ones((3, 3)), ha.padding([2]).array(3)[0])
    assert np.array_equal(trace.weights != 0, ha.causal.array(3) & (np.arange(3) < 2))


def test_unit_keeps_the_output_at_unit_magnitude():
    rng = np.random.default_rng(4)
    head = ha.Head(np.eye(4), np.eye(4), np.eye(4), activation="unit", mask="strict")
    lengths = np.linalg.norm(head(rng.normal(size=(5, 4))), axis=-1)
    np.testing.assert_allclose(lengths, [0, 1, 1, 1, 1], rtol=1e-12)


def test_heads_on_every_library(library):
    rng = np.random.default_rng(6)
    x, weights = rng.normal(size=(2, 5, 4)), rng.normal(size=(3, 4, 4))
    for mask in ("none", "causal", "strict", "nonzero", ha.window(2), ha.causal.array(5)):
        own = AttentionLayer(ha.MultiHead([ha.Head(*weights, mask=mask)] * 2, np.tile(np.eye(4), 2)))
        matrices = [library.array(w) for w in weights]
        heads = [ha.Head(*matrices, mask=mask)] * 2
        other = AttentionLayer(ha.MultiHead(heads, library.array(np.tile(np.eye(4), 2))))
        output = other(library.array(x))
        assert type(output) is type(library.array(x))
        np.testing.assert_allclose(library.numpy(output), own(x), rtol=1e-9)


def test_a_layer_adds_its_output_to_the_words_or_replaces_them():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(5, 4))
    heads = ha.MultiHead([ha.Head(*rng.normal(size=(3, 4, 4)), mask="causal")], np.eye(4))
    np.testing.assert_allclose(AttentionLayer(heads)(x), x + heads(x), rtol=1e-12)
    np.testing.assert_allclose(AttentionLayer(heads, residual=False)(x), heads(x), rtol=1e-12)


def test_layers_say_briefly_what_they_are():
    matrix = np.zeros((64, 64))
    heads = ha.MultiHead(
        [ha.Head(matrix, matrix, matrix, mask=ha.causal.array(5), bias=Alibi(0.5))] * 8, np.eye(64, 512)
    )
    block = ha.Block(heads, FeedForward(matrix, matrix), norms=[LayerNorm(matrix[0]), LayerNorm()])
    texts = [repr(one) for one in (heads, AttentionLayer(heads), block, Affine(matrix, matrix[0]))]
    assert max(map(len, texts)) < 600 and not any("array" in text or "\n" in text for text in texts)
    maps = "w_query (64, 64), w_key (64, 64), w_value (64, 64)"
    head = f"Head({maps}, Dot(), Softmax(beta=1.0), Identity(), mask=(5, 5), bias=Alibi(slope=0.5))"
    assert texts[0] == f"MultiHead(8 × {head}, w_out (64, 512))"
    assert "LayerNorm(gain, epsilon=1e-05)" in texts[2]
    assert texts[3] == "Affine(weight (64, 64), bias)"


@pytest.mark.parametrize(
    ("dtype", "beta", "bias"),
    [
        (np.float32, 1e-20, 40),
        (np.float32, 1e-45, 40),
        (np.float64, 1e-160, 40),
        (np.float64, 2.3e-308, 1000),
        (np.float64, 1e300, 40),
    ],
)
def test_a_bias_keeps_its_size_at_every_beta(dtype, beta, bias):
    """Scores of 0: the weights are those of the bias alone, exp(−bias) of the second key, which is below rounding."""
    q, keys, values = np.zeros((1, 2), dtype), np.zeros((2, 2), dtype), np.array([[1], [2]], dtype)
    added = np.array([[bias, 0]], dtype)
    assert ha.attention(q, keys, values, beta=beta, bias=added).tolist() == [[1.0]]
    head = ha.Head(np.eye(2, dtype=dtype), np.eye(2, dtype=dtype), np.ones((1, 2), dtype), beta=beta, mask="none")
    weights = head.trace(keys, bias=added).weights
    np.testing.assert_allclose(weights, [[1, 0], [1, 0]], atol=1e-15)
    half = np.array([[np.log(3.0), 0]], dtype)
    np.testing.assert_allclose(ha.attention(q, keys, values, beta=beta, bias=half), [[1.25]], rtol=1e-6)


@given(seed=st.integers(0, 2**32 - 1), beta=st.sampled_from([0.3, 1.0, 2.5]))
@pytest.mark.parametrize("name", list(separations))
def test_it_is_the_bias_over_beta_added_to_the_scores_of_every_separation(name, seed, beta):
    """The weights and the potential of the sum, as the separation itself gives them."""
    rng = np.random.default_rng(seed)
    q, k, v, bias = (rng.uniform(0.2, 1, size) for size in ((3, 4), (5, 4), (5, 2), (3, 5)))
    separation = separations[name](beta=beta)
    step = ha.Step(separation=separation)
    expected = separation.weights(q @ k.T + bias / beta)
    np.testing.assert_allclose(step.weights(q, k, bias=bias), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(step(q, k, v, bias=bias), expected @ v, rtol=1e-9, atol=1e-12)
    if not separation.why_no_potential:
        found = (q * q).sum(axis=-1) / 2 - step.energy(q, k, bias=bias)
        np.testing.assert_allclose(found, separation.potential(q @ k.T + bias / beta), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("of_bias", [np.float16, np.float32, np.float64])
def test_a_bias_does_not_change_the_dtype_of_the_result(dtype, of_bias):
    x, bias = np.eye(3, dtype=dtype), alibi(1, 3)[0].astype(of_bias)
    matrices = [np.eye(3, dtype=dtype)] * 3
    heads = ha.MultiHead([ha.Head(*matrices, mask="causal")], np.eye(3, dtype=dtype))
    assert ha.attention(x, x, x, bias=bias).dtype == dtype
    assert ha.Head(*matrices, mask="causal")(x, bias=bias).dtype == dtype
    assert heads(x, bias=bias).dtype == dtype
    assert ha.Head(*matrices, mask="causal").trace(x, bias=bias).output.dtype == dtype


def test_a_bias_beyond_single_precision_decides_alone():
    x, v = np.zeros((1, 2), np.float32), np.array([[1.0], [2.0]], np.float32)
    for bias, expected in (([[1e300, 0]], 1.0), ([[-1e300, 0]], 2.0), ([[-1e300, -1e300]], 1.5)):
        assert ha.attention(x, np.zeros((2, 2), np.float32), v, bias=np.array(bias)).tolist() == [[expected]]


RNG = np.random.default_rng(0)
MATRICES = [RNG.normal(size=(4, 4)) for _ in range(3)]
TEXT = RNG.normal(size=(2, 5, 4))
KINDS = {
    "causal": {},
    "sink": {"mask": "none", "sink": 0.5, "beta": 0.5},
    "bias": {"bias": Alibi(0.5), "beta": 0.3},
    "turned": {"position": "rope", "mask": "strict"},
    "identity": {"separation": "identity", "activation": "unit"},
    "in proportion": {"separation": "proportional", "mask": ha.window(3)},
    "exponential": {"separation": "exponential", "activation": "unit"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_formula_of_a_head_agrees_with_the_head_without_the_token(kind):
    head = ha.Head(*MATRICES, **KINDS[kind])
    padding = ha.padding([5, 4]).array(5)
    for token in (1, [0, -1]):
        found, left = worth(head, TEXT, token, mask=padding), head.without(token)
        trace, bare = (one.trace(TEXT, padding) for one in (head, left))
        assert np.all(bare.weights[..., token] == 0)
        np.testing.assert_allclose(found.before.answer, trace.output, atol=1e-13)
        np.testing.assert_array_equal(found.measured.answer, bare.output)
        np.testing.assert_allclose(found.closed.answer, found.measured.answer, atol=1e-12)
        if kind == "in proportion":
            assert found.closed.potential is None
        else:
            np.testing.assert_allclose(found.closed.potential, found.measured.potential, atol=1e-12)
        if kind != "exponential":  # whose direction is that of the softmax
            np.testing.assert_allclose(found.weight, trace.weights[..., np.atleast_1d(token)].sum(axis=-1), atol=1e-13)
        assert "energy" in found.lacks


def test_a_head_without_a_token_is_attention_with_a_mask():
    head = ha.Head(*MATRICES, mask="none", beta=0.5).without(-2)
    q, k, v = (TEXT[0] @ matrix.T for matrix in MATRICES)
    seen = np.ones((5, 5), dtype=bool)
    seen[:, 3] = False
    for referee in referees(q, k, v, 0.5, seen):
        np.testing.assert_allclose(head(TEXT)[0], referee.output, atol=1e-12)


def test_one_query_alone_may_not_see_a_token():
    head = ha.Head(*MATRICES, mask="causal")
    before, after = head.trace(TEXT).weights, head.without([0, 2], at=-1).trace(TEXT).weights
    np.testing.assert_array_equal(after[..., :-1, :], before[..., :-1, :])
    assert np.all(after[..., -1, [0, 2]] == 0)


def test_heads_in_parallel_lose_a_token_together_and_a_query_that_sees_nothing_gives_zero():
    heads = ha.MultiHead([ha.Head(*MATRICES, mask="causal"), ha.Head(*MATRICES, mask="strict")], np.eye(4, 8))
    left = heads.without(0)
    np.testing.assert_allclose(left(TEXT), left.joined([head.without(0)(TEXT) for head in heads.heads]), atol=1e-13)
    assert np.all(left(TEXT)[:, 0] == 0)
    assert heads.heads[0].mask == ha.Head(*MATRICES, mask="causal").mask


def test_it_imports_nothing_of_hopattn():
    tree = ast.parse(Path(plain.__file__).read_text(encoding="utf-8"))
    names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    names += [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert not [name for name in names if name.startswith("hopattn")]


@given(store=stores(), beta=betas)
def test_it_agrees_with_sums_written_out(store, beta):
    keys, cues, mask = store
    result = plain.plain_attention(cues, keys, keys, beta, mask)
    for i, cue in enumerate(cues):
        allowed = [j for j in range(len(keys)) if mask[i, j]]
        scores = {j: beta * math.fsum(a * b for a, b in zip(keys[j], cue, strict=True)) for j in allowed}
        powers = {j: math.exp(s - max(scores.values())) for j, s in scores.items()}
        for d in range(keys.shape[1]):
            expected = math.fsum(powers[j] * keys[j, d] for j in allowed) / (math.fsum(powers.values()) or 1.0)
            assert result[i, d] == pytest.approx(expected, abs=1e-11)


@given(store=stores(), beta=betas)
def test_pytorch_agrees_within_the_rounding_bound(torch, store, beta):
    keys, cues, mask = store
    for each in (None, mask):
        names, outputs = zip(*plain.referees(cues, keys, keys, beta, each), strict=True)
        assert names == ("NumPy", "PyTorch")
        assert np.abs(outputs[0] - outputs[1]).max() <= plain.rounding_bound(cues, keys, keys, beta)


def test_without_pytorch_numpy_is_the_only_referee(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    eye = np.eye(2)
    assert [referee.name for referee in plain.referees(eye, eye, eye, 1.0)] == ["NumPy"]


def test_the_same_weights_are_the_same_attention_by_every_call(torch):
    """With one β and no word on masks, nothing is hidden: neither by a head, nor by heads, nor by those of PyTorch."""
    rng = np.random.default_rng(3)
    x, w_query, w_key, w_value, w_out = (rng.normal(size=(5, 4)), *rng.normal(size=(4, 4, 4)))
    expected = ha.attention(x @ w_query.T, x @ w_key.T, x @ w_value.T)
    head = ha.Head(w_query, w_key, w_value, beta=0.5)
    state = {"in_proj_weight": np.vstack([w_query, w_key, w_value]), "out_proj.weight": w_out}
    layer = torch.nn.TransformerEncoderLayer(4, 1, 8, bias=False, dtype=torch.float64)
    layer.self_attn.load_state_dict({name: torch.tensor(array) for name, array in state.items()})
    block = ha.Block.from_torch({name: array.detach().numpy() for name, array in layer.state_dict().items()}, n_heads=1)
    np.testing.assert_allclose(head(x), expected, rtol=1e-12, atol=1e-12)
    for heads in (ha.MultiHead([head], w_out), ha.MultiHead.from_torch(state, 1), block.attention):
        np.testing.assert_allclose(heads(x), expected @ w_out.T, rtol=1e-12, atol=1e-12)


@given(text=texts(), beta=betas)
def test_a_head_of_x_w_is_attention_of_the_products(text, beta):
    x, w_key, w_value = text[0], text[1].T, text[1].T * 0.5
    w_key, w_value = (np.resize(w, (x.shape[1], w.shape[1])) for w in (w_key, w_value))
    head = ha.Head.from_right(w_key, -w_key, w_value, beta=beta)
    np.testing.assert_allclose(head(x), ha.attention(x @ w_key, x @ -w_key, x @ w_value, beta=beta), atol=1e-12)


def test_a_head_of_x_w_keeps_the_library_and_the_derivatives(torch):
    w = torch.ones((3, 2), dtype=torch.float64, requires_grad=True)
    ha.Head.from_right(w, w, w, mask="causal")(torch.eye(3, dtype=torch.float64)).sum().backward()
    assert w.grad.shape == (3, 2) and torch.any(w.grad != 0)
    with pytest.raises(ha.InvalidInput, match=r"w_key: got shape \(2,\); expected \(dim_of_keys, dim_key\)"):
        ha.Head.from_right(np.eye(2), [1.0, 2.0], np.eye(2))


def test_a_row_with_nothing_to_attend_to_gives_zero():
    eye, mask = np.eye(2), np.array([[False, False], [True, False]])
    for referee in plain.referees(eye, eye, eye, 3.0, mask):
        assert referee.output.tolist() == [[0.0, 0.0], [1.0, 0.0]]
