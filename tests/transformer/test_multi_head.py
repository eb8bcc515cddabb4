"""Heads in parallel: computed together as one by one, PyTorch's weights and names, grouped queries, bias, masks."""

import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.separation import separations
from hopattn.transformer import Affine, AttentionLayer, EncoderDecoder, FeedForward, LayerNorm
from tests.draws import count, masks_for

DIM, HEADS = 12, 3


def multi_head(rng, *, shared=1, bias=True, **options):
    """Alike heads, of which `shared` have the same keys and values."""

    def affine(rows):
        return Affine(rng.normal(size=(rows, DIM)) / 4, rng.normal(size=rows) if bias else None)

    keys, values = ([affine(4) for _ in range(HEADS // shared)] for _ in range(2))
    heads = [ha.Head(affine(4), keys[i // shared], values[i // shared], **options) for i in range(HEADS)]
    return ha.MultiHead(heads, Affine(rng.normal(size=(DIM, 4 * HEADS)), rng.normal(size=DIM)))


@pytest.mark.usefixtures("both_kernels")
@given(data=st.data(), n=st.integers(1, 5), m=st.integers(5, 7), batch=st.sampled_from([(), (2,), (2, 2)]))
@pytest.mark.parametrize("shared", [1, HEADS])
@pytest.mark.parametrize("separation", separations)
def test_heads_together_are_heads_one_by_one(separation, shared, data, n, m, batch):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    own = multi_head(rng, shared=shared, separation=separation, mask=data.draw(st.sampled_from(masks_for(n, m))))
    assert [group.shape for group in own.groups] == [(HEADS // shared, shared)]
    x, source = rng.normal(size=(*batch, n, DIM)), rng.normal(size=(*batch, m, DIM))
    mask = data.draw(st.sampled_from([None, rng.random((n, m)) < 0.7, rng.random((*batch, 1, m)) < 0.7]))
    bias = data.draw(st.sampled_from([None, rng.normal(size=(n, m)), rng.normal(size=(HEADS, n, m))]))
    found = own(x, mask=mask, source=source, bias=bias)
    traced = own.trace(x, mask, source=source, bias=bias)
    np.testing.assert_allclose(found, traced.output, rtol=1e-9, atol=1e-9)
    alone = [
        head(x, mask, source=source, bias=None if bias is None else np.broadcast_to(bias, (HEADS, n, m))[i])
        for i, head in enumerate(own.heads)
    ]
    np.testing.assert_allclose(found, own.out(np.concatenate(alone, axis=-1)), rtol=1e-9, atol=1e-9)


def test_a_key_head_serves_the_query_heads_next_to_each_other():
    """Repeated, not tiled: query heads 0 and 1 read key head 0."""
    rng = np.random.default_rng(4)
    queries, keys, values = (rng.normal(size=(n, 2, 4)) for n in (4, 2, 2))
    maps = [[Affine(w) for w in group] for group in (queries, keys, values)]
    heads = [ha.Head(maps[0][i], maps[1][i // 2], maps[2][i // 2], mask="none") for i in range(4)]
    x = rng.normal(size=(6, 4))
    own = ha.MultiHead(heads, np.eye(8))
    assert [group.shape for group in own.groups] == [(2, 2)]
    q, k, v = (x @ np.swapaxes(w, 1, 2) for w in (queries, keys, values))
    for i in range(4):
        expected = ha.attention(q[i], k[i // 2], v[i // 2], beta=1.0)
        np.testing.assert_allclose(own(x)[:, 2 * i : 2 * i + 2], expected, rtol=1e-12, atol=1e-14)


def test_heads_share_keys_by_the_array_that_they_were_made_of():
    rng = np.random.default_rng(5)
    key, value, queries = rng.normal(size=(4, DIM)), rng.normal(size=(4, DIM)), rng.normal(size=(2, 4, DIM))
    own = ha.MultiHead([ha.Head(query, key, value, mask="causal") for query in queries], rng.normal(size=(DIM, 8)))
    assert [group.shape for group in own.groups] == [(1, 2)]
    apart = ha.MultiHead([ha.Head(query, key.copy(), value, mask="causal") for query in queries], own.w_out)
    assert [group.shape for group in apart.groups] == [(2, 1)]
    x = rng.normal(size=(5, DIM))
    np.testing.assert_allclose(own(x), apart(x), rtol=1e-12)


def test_a_trace_takes_the_texts_of_a_call():
    rng = np.random.default_rng(5)
    own, (x, key, value) = multi_head(rng, mask="none"), rng.normal(size=(3, 5, DIM))
    np.testing.assert_allclose(own.trace(x, key=key, value=value).output, own(x, key=key, value=value), rtol=1e-12)


def torch_module(torch, **options):
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(DIM, HEADS, batch_first=True, dtype=torch.float64, **options)
    for parameter in module.parameters():  # biases begin at 0
        torch.nn.init.normal_(parameter, std=0.4)
    return module.eval()


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"kdim": 7, "vdim": 7}, {"kdim": 5, "vdim": 9}])
def test_it_is_pytorchs_multihead_attention(torch, options):
    module = torch_module(torch, **options)
    state = {name: array.numpy() for name, array in module.state_dict().items()}
    own = ha.MultiHead.from_torch(state, HEADS)
    rng = np.random.default_rng(5)
    query, key, value = (
        rng.normal(size=(2, n, dim))
        for n, dim in ((4, DIM), (6, options.get("kdim", DIM)), (6, options.get("vdim", DIM)))
    )
    allowed = rng.random((4, 6)) < 0.7
    allowed[:, 0] = True
    words = ha.padding([6, 4]).array(6)
    padded, bias = torch.asarray(~words[:, 0]), np.where(allowed, rng.normal(size=(4, 6)), -np.inf)

    def theirs(**masks):
        masks = {name: mask if isinstance(mask, torch.Tensor) else torch.asarray(mask) for name, mask in masks.items()}
        return module(*map(torch.asarray, (query, key, value)), need_weights=False, **masks)[0].detach().numpy()

    pairs = [
        (own(query, key=key, value=value), theirs()),
        (own(query, key=key, value=value, mask=allowed), theirs(attn_mask=~allowed)),
        (own(query, key=key, value=value, bias=bias), theirs(attn_mask=bias)),
        (own(query, key=key, value=value, mask=words), theirs(key_padding_mask=padded)),
        (own(query, key=key, value=value, mask=allowed & words), theirs(attn_mask=~allowed, key_padding_mask=padded)),
    ]
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)
    back = own.to_torch()
    assert back.keys() == state.keys()
    assert all(np.array_equal(back[name], state[name]) for name in state)
    torch_module(torch, **options).load_state_dict({name: torch.asarray(array) for name, array in back.items()})


@pytest.mark.parametrize("ndim", [2, 3, 4])
def test_a_bias_is_pytorchs_float_mask(torch, ndim):
    rng = np.random.default_rng(6)
    q, k, v = (rng.normal(size=(2, 3, 5, 4)) for _ in range(3))
    bias = rng.normal(size=(2, 3, 5, 5)[4 - ndim :])
    bias[..., 2:] = np.where(rng.random(bias[..., 2:].shape) < 0.5, -np.inf, bias[..., 2:])
    reference = torch.nn.functional.scaled_dot_product_attention
    expected = reference(*map(torch.asarray, (q, k, v)), attn_mask=torch.asarray(bias))
    np.testing.assert_allclose(ha.attention(q, k, v, bias=bias), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"], indirect=True)
@pytest.mark.parametrize("shape", [(HEADS, 4, 4), (HEADS, 1, 4), (2, HEADS, 4, 4), (2 * HEADS, 4, 4)])
@pytest.mark.parametrize("layer", ["heads", "block"])
def test_the_message_for_masks_of_each_head_gives_the_bias_that_masks_so(library, layer, shape):
    """The last shape is PyTorch's; a row that sees nothing gives 0."""
    rng, whole = np.random.default_rng(8), (2, HEADS, 4, 4)
    maps, out, x = rng.normal(size=(HEADS, 3, 4, DIM)), rng.normal(size=(DIM, 4 * HEADS)), rng.normal(size=(2, 4, DIM))
    seen = rng.random(shape) < 0.6
    seen[-1, ..., 0, :] = False
    alone = np.broadcast_to(seen.reshape(whole) if len(seen) == 2 * HEADS else seen, whole)
    heads = ha.MultiHead(
        [ha.Head(*map(library.array, own), mask="none") for own in maps],
        library.array(out),
    )
    one_by_one = ha.MultiHead([ha.Head(*own, mask=alone[:, i]) for i, own in enumerate(maps)], out)
    wrapped = {"heads": lambda it: it, "block": ha.Block}[layer]
    mask, text = library.array(seen), library.array(x)
    for call in (wrapped(heads), wrapped(heads).trace):
        with pytest.raises(ha.InvalidInput, match="one mask for each of 3 heads") as refused:
            call(text, mask)
        cure = re.search(r"bias=(.*), or each", str(refused.value)).group(1)
        bias = eval(cure, dict.fromkeys(("np", "torch", "jnp"), library.module) | {"mask": mask})
        found = call(text, bias=bias)
        found = getattr(found, "state", getattr(found, "output", found))
        np.testing.assert_allclose(library.numpy(found), wrapped(one_by_one)(x), atol=1e-9)


def test_a_bias_of_minus_infinity_hides_from_derivatives_as_a_mask_does(torch):
    rng = np.random.default_rng(9)
    maps, out, x = (torch.asarray(rng.normal(size=n)) for n in ((HEADS, 3, 4, DIM), (DIM, 4 * HEADS), (2, 4, DIM)))
    seen = torch.asarray(rng.random((2, HEADS, 4, 4)) < 0.6)
    seen[0, 1, 2] = False  # a row that sees nothing
    slopes = []
    for masks, bias in ((["none"] * HEADS, torch.where(seen, 0.0, -torch.inf)), ([*seen.unbind(1)], None)):
        leaves = [maps.clone().requires_grad_(), x.clone().requires_grad_()]
        heads = [ha.Head(*own, mask=mask) for own, mask in zip(leaves[0], masks, strict=True)]
        ha.MultiHead(heads, out)(leaves[1], bias=bias).square().sum().backward()
        slopes.append([leaf.grad for leaf in leaves])
    for one, other in zip(*slopes, strict=True):
        assert one.isfinite().all()
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_with_fewer_queries_than_keys_causal_takes_the_last_words_and_pytorch_the_first(torch):
    rng = np.random.default_rng(7)
    q, k = rng.normal(size=(2, 4)), rng.normal(size=(5, 4))
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.asarray, (q, k, k)), is_causal=True)
    np.testing.assert_allclose(ha.attention(q, k, k, mask=np.tri(2, 5, dtype=bool)), theirs, atol=1e-12)
    np.testing.assert_allclose(ha.attention(q, k, k, mask="causal"), ha.attention(q, k, k, mask=ha.causal.array(2, 5)))


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize(
    ("mask", "padded"), [("causal", False), ("none", True), (ha.window(20), False), ("nonzero", True), ("none", False)]
)
def test_a_long_text_takes_no_square_of_memory(mask, padded):
    rng, n = np.random.default_rng(8), count(3000, 2000)
    x = rng.normal(size=(2, n, 8))
    head = ha.Head(*rng.normal(size=(3, 8, 8)) / 8, mask=mask)
    words = ha.padding([n, n - 100]).array(n) if padded else None
    head(x[:, :40])
    tracemalloc.start()
    found = head(x, words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 5  # the scores of one text alone take 8 bytes each
    rows = slice(n - 30, n)
    texts = [head.query(x), head.key(x), head.value(x)]
    allowed = np.broadcast_to(True if words is None else words, (2, n, n))[:, rows]
    own = head.mask if mask in ("none", "nonzero") else head.mask.array(n)[rows]
    expected = ha.attention(
        texts[0][:, rows], *texts[1:], beta=1.0, mask=allowed if mask in ("none", "nonzero") else allowed & own
    )
    np.testing.assert_allclose(found[:, rows], expected, rtol=1e-9, atol=1e-12)


def test_every_layer_takes_its_mask_after_the_text():
    """A mask of n = dim words has the shape of a text."""
    rng, x = np.random.default_rng(3), np.random.default_rng(4).normal(size=(3, 3))
    head = ha.Head(*rng.normal(size=(3, 3, 3)), mask="none")
    heads = ha.MultiHead([head], np.eye(3))
    block = ha.Block(heads, FeedForward(np.eye(3), np.eye(3)), norms=[LayerNorm()] * 2)
    for layer in (head, heads, AttentionLayer(heads), block):
        assert np.array_equal(layer(x, ha.causal.array(3)), layer(x, mask="causal"))
        assert not np.allclose(layer(x, ha.causal.array(3)), layer(x))


@pytest.mark.parametrize("biased", [("in",), ("out",), ("in", "out"), ()])
@pytest.mark.parametrize("kdim", [DIM, 5])
def test_pytorch_loads_a_state_of_heads_with_some_biases(torch, biased, kdim):
    rng = np.random.default_rng(0)

    def made(kind, rows, columns):
        matrix = rng.normal(size=(rows, columns))
        return Affine(matrix, rng.normal(size=rows)) if kind in biased else matrix

    own = DIM // 2
    maps = [[made("in", own, dim) for dim in (DIM, kdim, kdim)] for _ in range(2)]
    heads = ha.MultiHead([ha.Head(*each, beta=own**-0.5, mask="none") for each in maps], made("out", DIM, DIM))
    state = {name: torch.asarray(array) for name, array in heads.to_torch().items()}
    theirs = torch.nn.MultiheadAttention(DIM, 2, bias=bool(biased), kdim=kdim, vdim=kdim, batch_first=True).double()
    theirs.load_state_dict(state)
    query, key = rng.normal(size=(4, DIM)), rng.normal(size=(6, kdim))
    expected = theirs(*map(torch.asarray, (query, key, key)))[0].detach()
    np.testing.assert_allclose(heads(query, source=key), expected, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True")
def test_a_module_of_pytorch_brings_all_that_its_state_lacks(torch):
    def built(kind, **options):
        torch.manual_seed(0)
        sizes = {"dim_feedforward": 6, "dropout": 0.1, "dtype": torch.float64}
        layer = getattr(torch.nn, kind)(DIM, HEADS, **sizes, batch_first=True, layer_norm_eps=0.1, **options)
        for parameter in layer.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
        return layer.eval()

    x, other = torch.randn(2, 2, 5, DIM, dtype=torch.float64)
    heads = torch_module(torch)
    two = {"num_encoder_layers": 1, "num_decoder_layers": 1, "activation": torch.tanh}
    whole = built("Transformer", **two)
    ahead = torch.nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
    encoder = built("TransformerEncoderLayer", norm_first=True, activation=torch.nn.GELU())
    decoder = built("TransformerDecoderLayer", activation="gelu")
    for found, expected in (
        (ha.MultiHead.from_torch(heads)(x), heads(x, x, x)[0]),
        (ha.Block.from_torch(encoder)(x), encoder(x)),
        (ha.Block.from_torch(decoder)(x, source=other), decoder(x, other)),
        (EncoderDecoder.from_torch(whole)(other, x), whole(other, x, tgt_mask=ahead)),
    ):
        np.testing.assert_allclose(found, expected.detach(), rtol=0, atol=1e-10)


@pytest.mark.slow
def test_heads_are_compiled_as_one_graph(torch, traced):
    """Alike heads, and heads in groups, one of which has a sink; with the bias of a call."""
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 12):
        return  # it cannot follow array-api-compat
    maps, text = torch.randn(3, 2, DIM, generator=torch.Generator().manual_seed(0)), torch.eye(5, DIM)
    plain, other = ha.Head(*maps, mask="causal"), ha.Head(*maps, mask="none", sink=0.0)
    for heads in (ha.MultiHead([plain] * 2, torch.eye(4)), ha.MultiHead([plain, other], torch.eye(4))):
        for options in ({}, {"bias": torch.ones((2, 5, 5))}):
            compiled = traced(lambda x, heads=heads, options=options: heads(x, **options))
            torch.testing.assert_close(compiled(text), heads(text, **options))
