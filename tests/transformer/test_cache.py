"""The key–value cache: word by word equals all at once, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.positions import Alibi, Rotary
from hopattn.transformer import Affine, AttentionLayer, FeedForward, LayerNorm
from hopattn.transformer.cache import multiplications

DIM = 6


def attention(rng, mask="causal", shared=1, rows=3, sinks=None, **options):
    """Two heads, of which `shared` have the same keys and values."""
    keys, values = ([Affine(rng.normal(size=(rows, DIM)) / 2, rng.normal(size=rows)) for _ in "ab"] for _ in "kv")
    queries = rng.normal(size=(2, rows, DIM))
    heads = [ha.Head(queries[i], keys[i // shared], values[i // shared], mask=mask, **options) for i in range(2)]
    return ha.MultiHead(heads, rng.normal(size=(DIM, 2 * rows)) / 4, sink=sinks)


def unlike(rng, mask):
    """Heads that differ in β, so that they are computed one by one."""
    heads = [ha.Head(*rng.normal(size=(3, 3, DIM)) / 3, beta=beta, mask=mask) for beta in (1.0, 2.0)]
    return ha.MultiHead(heads, rng.normal(size=(DIM, DIM)) / 4)


PLACED = {
    "rows": st.just(4),
    "shared": st.sampled_from([1, 2]),
    "position": st.sampled_from([None, "rope", Rotary(9.0, layout="half"), Rotary(50.0, dim=2)]),
    "bias": st.sampled_from([None, Alibi(0.3)]),
    "sinks": st.sampled_from([None, 0.5, [0.3, -1.0]]),
}
FED = {
    "norm_first": st.booleans(),
    "residual": st.booleans(),
    "special": st.sampled_from([None, "parallel", "norms_after"]),
}


def block(rng, heads, norm_first, residual, special):
    layer, norms = FeedForward(rng.normal(size=(9, DIM)), rng.normal(size=(DIM, 9)) / 4), [LayerNorm()] * 2
    options = {} if special is None else {special: True if special == "parallel" else norms}
    return ha.Block(
        heads,
        layer,
        norms=norms,
        norm_first=norm_first or bool(options),
        cross=None,
        residual=residual or bool(options),
        **options,
    )


@given(data=st.data(), mask=st.sampled_from(["causal", "strict", ha.window(2)]), batch=st.sampled_from([(), (2,)]))
def test_word_by_word_is_all_at_once(data, mask, batch):
    """Queries and keys are turned at their place in the whole text, and the distances are those of the whole text."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    placed, fed = st.fixed_dictionaries(PLACED), st.fixed_dictionaries(FED)
    layers = []
    for kind in data.draw(st.lists(st.sampled_from(["heads", "block", "unlike"]), min_size=1, max_size=3)):
        heads = unlike(rng, mask) if kind == "unlike" else attention(rng, mask, **data.draw(placed))
        layers.append(block(rng, heads, **data.draw(fed)) if kind == "block" else AttentionLayer(heads))
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    x = rng.normal(size=(*batch, sum(sizes), DIM))
    expected = x
    for layer in layers:
        expected = layer(expected)
    cache, outputs, start = ha.KeyValueCache(layers), [], 0
    for size in sizes:
        output, cache = cache.append(x[..., start : start + size, :])
        outputs.append(output)
        start += size
        assert cache.length == start
    np.testing.assert_allclose(np.concatenate(outputs, axis=-2), expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_a_long_text_keeps_its_rows_when_the_room_grows():
    rng = np.random.default_rng(1)
    layer, x = AttentionLayer(attention(rng)), rng.normal(size=(200, DIM))
    cache, outputs = ha.KeyValueCache([layer]), []
    for word in x:
        output, cache = cache.append(word[None])
        outputs.append(output)
    np.testing.assert_allclose(np.concatenate(outputs), layer(x), rtol=0, atol=1e-12 * np.abs(layer(x)).max())


def test_on_pytorch(torch):
    rng = np.random.default_rng(2)
    state = {name: torch.asarray(array) for name, array in ha.MultiHead.from_torch(
        {"in_proj_weight": rng.normal(size=(3 * DIM, DIM)), "out_proj.weight": rng.normal(size=(DIM, DIM))}, 2
    ).to_torch().items()}  # fmt: skip
    layer = AttentionLayer(ha.MultiHead.from_torch(state, 2, mask="causal"))
    x = torch.asarray(rng.normal(size=(4, DIM)))
    first, cache = ha.KeyValueCache([layer]).append(x[:3])
    last, _ = cache.append(x[3:])
    np.testing.assert_allclose(torch.cat([first, last]), layer(x), rtol=0, atol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_multiplications_are_those_of_loops(n):
    """Counted one by one: a map of k rows and d columns takes k·d, a score of two vectors their dim."""
    rng = np.random.default_rng(3)
    maps = 4 * DIM * DIM  # two heads of 3 rows each, for queries, keys and values, and the output
    rows = [sum(3 + 3 for _ in range(n)) for _ in range(2)]  # a score and a weighted value for each pair and head
    found = multiplications(attention(rng), n)
    assert (found["word_cached"], found["word_anew"]) == (maps + sum(rows), n * maps + n * sum(rows))
    shared = multiplications(attention(rng, shared=2), n)
    assert shared["word_cached"] == maps - 2 * 3 * DIM + sum(rows)  # one head of keys and one of values less


@pytest.mark.parametrize("n", [1, 2, 3, 10])
@pytest.mark.parametrize("shared", [1, 2])
def test_multiplications_of_a_text_are_those_of_its_words(n, shared):
    own = attention(np.random.default_rng(6), shared=shared)
    words = [multiplications(own, k) for k in range(1, n + 1)]
    for way in ("cached", "anew"):
        assert words[-1][f"text_{way}"] == sum(word[f"word_{way}"] for word in words)


def fresh():
    return ha.KeyValueCache([AttentionLayer(attention(np.random.default_rng(4)))])


def test_a_cache_shows_its_sizes_and_no_matrices():
    _, cache = fresh().append(np.ones((3, DIM)))
    assert repr(cache) == "KeyValueCache(layers: 1, words: 3)"


def test_words_that_do_not_fit_leave_the_cache_as_it_is():
    cache = fresh()
    for wrong in (np.ones(DIM), np.ones((1, DIM + 1))):
        with pytest.raises(InvalidInput):
            cache.append(wrong)
    assert cache.append(np.ones((1, DIM)))[1].length == 1


def test_a_layer_that_fails_leaves_the_cache_as_it_is():
    """The second layer refuses a word after the first one kept its keys."""
    rng, refusing = np.random.default_rng(7), [True]

    def norm(words):
        if refusing[0]:
            raise InvalidInput("not now")
        return words

    layers = [AttentionLayer(attention(rng)), ha.Block(attention(rng), norms=[norm])]
    x, cache = rng.normal(size=(4, DIM)), ha.KeyValueCache(layers)
    refusing[0] = False
    first, cache = cache.append(x[:2])
    refusing[0] = True
    with pytest.raises(InvalidInput, match="not now"):
        cache.append(x[:1])
    refusing[0] = False
    last, _ = cache.append(x[2:])
    np.testing.assert_allclose(np.concatenate([first, last]), layers[1](layers[0](x)), rtol=0, atol=1e-12)


def test_two_texts_go_on_from_one_cache():
    rng = np.random.default_rng(8)
    layer, x = AttentionLayer(attention(rng)), rng.normal(size=(5, DIM))
    _, cache = ha.KeyValueCache([layer]).append(x[:3])
    _, cache = cache.append(x[3:4])  # there is room now
    one, longer = cache.append(x[4:])
    other, _ = cache.append(2 * x[4:])
    np.testing.assert_allclose(one, layer(x)[4:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(other, layer(np.concatenate([x[:4], 2 * x[4:]]))[4:], rtol=0, atol=1e-12)
    again, _ = longer.append(x[:1])
    np.testing.assert_allclose(again, layer(np.concatenate([x, x[:1]]))[5:], rtol=0, atol=1e-12)
