"""Sinks of attention and of heads: what five implementations share, learned sinks, streaming, caches, refusals."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from hopattn.gradients import backward
from hopattn.transformer import Affine, AttentionLayer

DIM = 6
HEADS = 3


def gpt_oss(xp, q, k, v, sinks, beta, allowed=None):
    """Attention as gpt-oss has it: the sinks are one more column of the scaled logits, which is dropped at the end."""
    logits = beta * (q @ xp.swapaxes(k, -1, -2))
    logits = logits if allowed is None else xp.where(xp.asarray(allowed), logits, -xp.inf)
    column = xp.broadcast_to(sinks[:, None, None], (*logits.shape[:-1], 1))
    joined = xp.concatenate([logits, column], -1)
    powers = xp.exp(joined - joined.max())
    return (powers / powers.sum(-1, keepdims=True))[..., :-1] @ v


@pytest.mark.usefixtures("both_kernels")
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 4), m=st.integers(1, 5), masked=st.booleans())
def test_one_law_joins_five_implementations(torch, seed, n, m, masked):
    """add_zero_attn = the zero association of hopfield-layers = softmax₁ = a gpt-oss sink of 0 = a pattern of zeros."""
    rng = np.random.default_rng(seed)
    x, source = rng.normal(size=(2, n, DIM)), rng.normal(size=(2, m, DIM))
    allowed = rng.random((n, m)) < 0.6 if masked else np.ones((n, m), bool)
    torch.manual_seed(seed)
    module = torch.nn.MultiheadAttention(DIM, HEADS, batch_first=True, add_zero_attn=True, dtype=torch.float64).eval()
    heads = ha.MultiHead.from_torch(module)
    given_ = torch.asarray(x), torch.asarray(source), torch.asarray(source)
    with torch.no_grad():
        theirs, shares = module(*given_, attn_mask=torch.asarray(~allowed), average_attn_weights=False)
        found = heads.trace(given_[0], torch.asarray(allowed), source=given_[1])
    assert_allclose(found.output, theirs, rtol=0, atol=1e-12)
    assert_allclose(heads(given_[0], torch.asarray(allowed), source=given_[1]).detach(), theirs, rtol=0, atol=1e-12)
    for i, one in enumerate(found.heads):
        assert_allclose(one.weights, shares[:, i, :, :-1], rtol=0, atol=1e-12)
        assert_allclose(one.rest, shares[:, i, :, -1], rtol=0, atol=1e-12)
        q, k, v = (np.asarray(array) for array in (one.queries, one.keys, one.values))
        beta = q.shape[-1] ** -0.5
        own = ha.attention(q, k, v, mask=allowed, sink=0)
        assert_allclose(own, one.output, rtol=0, atol=1e-12)

        zeros = np.zeros_like(k[:, :1])  # hopfield-layers: a zero is put behind keys and values, and is never masked
        seen = np.hstack([allowed, np.ones((n, 1), bool)])
        padded = np.concatenate([k, zeros], 1), np.concatenate([v, np.zeros_like(v[:, :1])], 1)
        logits = np.where(seen, beta * q @ padded[0].mT, -np.inf)
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        assert_allclose(own, powers / powers.sum(-1, keepdims=True) @ padded[1], rtol=0, atol=1e-12)

        powers = np.where(allowed, np.exp(beta * q @ k.mT), 0)  # softmax₁
        assert_allclose(own, powers / (1 + powers.sum(-1, keepdims=True)) @ v, rtol=0, atol=1e-12)

        sinks = np.zeros(2)  # gpt-oss, with each text of the batch as a head
        assert_allclose(own, gpt_oss(np, q, k, v, sinks, beta, allowed), rtol=0, atol=1e-12)

        for text in range(2):  # the modern memory with one pattern of zeros, whose value is 0
            memory = ha.Memory(padded[0][text], padded[1][text], beta=beta)
            assert_allclose(own[text], memory.step(q[text], seen), rtol=0, atol=1e-12)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 4), m=st.integers(1, 5))
def test_learned_sinks_are_those_of_gpt_oss_with_their_derivatives(torch, seed, n, m):
    rng = np.random.default_rng(seed)
    texts = [rng.normal(size=(2, HEADS, rows, DIM)) for rows in (n, m, m)]
    sinks = rng.normal(size=HEADS)
    expected = gpt_oss(np, *texts, sinks, DIM**-0.5)
    assert_allclose(ha.attention(*texts, sink=sinks), expected, rtol=0, atol=1e-12)
    assert_allclose(ha.attention(*texts, sink=sinks.tolist()), expected, rtol=0, atol=1e-12)
    own, theirs = (torch.tensor(sinks, requires_grad=True) for _ in range(2))
    q, k, v = map(torch.asarray, texts)
    ha.attention(q, k, v, sink=own).square().sum().backward()
    gpt_oss(torch, q, k, v, theirs, DIM**-0.5).square().sum().backward()
    assert_allclose(own.grad, theirs.grad, rtol=1e-9, atol=1e-12)
    bias = rng.normal(size=(n, m))
    logits = np.concatenate(
        [DIM**-0.5 * texts[0] @ texts[1].mT + bias, np.broadcast_to(sinks[:, None, None], (2, HEADS, n, 1))], -1
    )
    weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert_allclose(ha.attention(*texts, sink=sinks, bias=bias), weights[..., :-1] @ texts[2], rtol=0, atol=1e-12)


def test_sinks_on_jax_have_their_derivatives(jax):
    rng = np.random.default_rng(0)
    texts = [rng.normal(size=(HEADS, rows, DIM)) for rows in (2, 3, 3)]
    sinks = rng.normal(size=HEADS)

    def measured(sinks, xp):
        return (ha.attention(*map(xp.asarray, texts), sink=sinks) ** 2).sum()

    value, slope = jax.jit(jax.value_and_grad(lambda given: measured(given, jax.numpy)))(sinks)
    by_hand = [(measured(sinks + h, np) - measured(sinks - h, np)) / 2e-6 for h in 1e-6 * np.eye(HEADS)]
    assert_allclose(value, measured(sinks, np), rtol=1e-12)
    assert_allclose(slope, by_hand, rtol=1e-5, atol=1e-8)


def heads_with(rng, sinks, shared=1, **options):
    """Heads, of which `shared` have the same keys and values, with these sinks."""
    keys, values = ([Affine(rng.normal(size=(4, DIM)) / 2) for _ in range(HEADS // shared)] for _ in "kv")
    heads = [
        ha.Head(rng.normal(size=(4, DIM)), keys[i // shared], values[i // shared], **options) for i in range(HEADS)
    ]
    return ha.MultiHead(heads, rng.normal(size=(DIM, 4 * HEADS)), sink=sinks)


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("shared", [1, HEADS])
@pytest.mark.parametrize("separation", ["softmax", "entmax", "argmax"])
@pytest.mark.parametrize("sinks", [0.5, [0.0, 1.0, -2.0]])
def test_heads_with_sinks_together_are_heads_one_by_one(separation, shared, sinks):
    rng = np.random.default_rng(1)
    own = heads_with(rng, sinks, shared, separation=separation, beta=0.7)
    assert [group.shape for group in own.groups] == [(HEADS // shared, shared)]
    x, bias = rng.normal(size=(2, 5, DIM)), rng.normal(size=(HEADS, 5, 5))
    for given_ in (None, bias):
        traced = own.trace(x, bias=given_)
        assert_allclose(own(x, bias=given_), traced.output, rtol=0, atol=1e-12)
        for i, (head, one) in enumerate(zip(own.heads, traced.heads, strict=True)):
            alone = head.trace(x, bias=None if given_ is None else given_[i])
            for name in ("weights", "rest", "output"):
                assert_allclose(getattr(one, name), getattr(alone, name), rtol=0, atol=1e-12)
            assert_allclose(one.weights.sum(-1) + one.rest, 1, rtol=1e-12)
            assert one.rest.shape == (2, 5)
    assert ha.Head(*[np.eye(DIM)] * 3, mask="causal").trace(x).rest is None


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("sinks", [0.4, np.array([0.4, -3.0, 20.0])])
@pytest.mark.parametrize("mask", [None, "causal", "strict"])
def test_long_texts_have_their_sinks_without_a_square_of_memory(dtype, sinks, mask):
    rng, n = np.random.default_rng(3), 900
    q, k, v = (rng.normal(size=(HEADS, n, 8)).astype(dtype) for _ in range(3))
    ha.attention(q[:, :40], k[:, :40], v[:, :40], sink=sinks, mask=mask)
    tracemalloc.start()
    output = ha.attention(3 * q, k, v, sink=sinks, mask=mask)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < HEADS * n * n * q.itemsize
    seen = None if mask is None else np.tri(n, k=-(mask == "strict"), dtype=bool)
    wide = (one.astype(float) for one in (3 * q, k, v))
    expected = gpt_oss(np, *wide, np.broadcast_to(sinks, HEADS), 8**-0.5, seen)
    assert output.dtype == dtype
    assert_allclose(output, expected, rtol=0, atol={"float64": 1e-11, "float32": 1e-4}[dtype])


def test_the_gradients_of_heads_with_sinks_are_pytorchs(torch):
    rng = np.random.default_rng(4)
    own = heads_with(rng, [0.5, 1.0, -1.0], mask="strict")
    x, upstream = rng.normal(size=(4, DIM)), rng.normal(size=(4, DIM))
    found = backward(AttentionLayer(own), x, upstream).input
    heads = [
        ha.Head(*(torch.asarray(np.array(w)) for w in (one.w_query, one.w_key, one.w_value)), mask="strict")
        for one in own.heads
    ]
    words = torch.tensor(x, requires_grad=True)
    layer = AttentionLayer(ha.MultiHead(heads, torch.asarray(own.w_out), sink=[0.5, 1.0, -1.0]))
    layer(words).backward(torch.asarray(upstream))
    assert_allclose(found, words.grad, rtol=0, atol=1e-12 * np.abs(found).max())


def test_heads_with_a_sink_of_zero_go_to_pytorch_and_back(torch):
    module = torch.nn.MultiheadAttention(DIM, HEADS, batch_first=True, add_zero_attn=True, dtype=torch.float64).eval()
    state = ha.MultiHead.from_torch(module).to_torch()
    again = ha.MultiHead.from_torch(state, HEADS, sink=0)
    x = torch.randn(4, DIM, dtype=torch.float64)
    with torch.no_grad():
        assert_allclose(again(x), module(x, x, x)[0], rtol=0, atol=1e-12)
