"""The key–value cache: word by word equals all at once, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.similarity import FixedScores
from hopattn.transformer.cache import multiplications
from tests.each import each

DIM = 6


def attention(rng, mask="causal", shared=1):
    keys, values = (
        [ha.transformer.Affine(rng.normal(size=(3, DIM)), rng.normal(size=3)) for _ in range(2)] for _ in range(2)
    )
    heads = [ha.Head(rng.normal(size=(3, DIM)), keys[i // shared], values[i // shared], mask=mask) for i in range(2)]
    return ha.MultiHead(heads, rng.normal(size=(DIM, DIM)) / 4)


def unlike(rng, mask):
    """Heads that differ in β, so that they are computed one by one."""
    heads = [ha.Head(*rng.normal(size=(3, 3, DIM)) / 3, beta=beta, mask=mask) for beta in (1.0, 2.0)]
    return ha.MultiHead(heads, rng.normal(size=(DIM, DIM)) / 4)


def block(rng, mask, first):
    layer = ha.transformer.FeedForward(rng.normal(size=(9, DIM)), rng.normal(size=(DIM, 9)) / 4)
    return ha.Block(attention(rng, mask), layer, [ha.transformer.LayerNorm()] * 2, norm_first=first)


@given(data=st.data(), mask=st.sampled_from(["causal", "strict", ha.window(2)]), batch=st.sampled_from([(), (2,)]))
def test_word_by_word_is_all_at_once(data, mask, batch):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    kinds = data.draw(st.lists(st.sampled_from(["layer", "first", "last", "unlike"]), min_size=1, max_size=3))
    layers = [
        ha.transformer.AttentionLayer(attention(rng, mask, data.draw(st.sampled_from([1, 2]))))
        if kind == "layer"
        else ha.transformer.AttentionLayer(unlike(rng, mask))
        if kind == "unlike"
        else block(rng, mask, kind == "first")
        for kind in kinds
    ]
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    x = rng.normal(size=(*batch, sum(sizes), DIM))
    expected = x
    for layer in layers:
        expected = layer(expected)
    cache, found, start = ha.KeyValueCache(layers), [], 0
    for size in sizes:
        output, cache = cache.append(x[..., start : start + size, :])
        found.append(output)
        start += size
    assert cache.length == start
    together = np.concatenate(found, axis=-2)
    np.testing.assert_allclose(together, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_long_text_keeps_its_rows_when_the_room_grows():
    rng = np.random.default_rng(1)
    layer, x = ha.transformer.AttentionLayer(attention(rng)), rng.normal(size=(200, DIM))
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
    layer = ha.transformer.AttentionLayer(ha.MultiHead.from_torch(state, 2, mask="causal"))
    x = torch.asarray(rng.normal(size=(4, DIM)))
    first, cache = ha.KeyValueCache([layer]).append(x[:3])
    last, _ = cache.append(x[3:])
    np.testing.assert_allclose(torch.cat([first, last]), layer(x), rtol=0, atol=1e-10)


@each("n", [1, 2, 7])
def test_multiplications_are_those_of_loops(n):
    """Counted one by one: a map of k rows and d columns takes k·d, a score of two vectors their dim."""
    rng = np.random.default_rng(3)
    maps = 4 * DIM * DIM  # two heads of 3 rows each, for queries, keys and values, and the output
    rows = [sum(3 + 3 for _ in range(n)) for _ in range(2)]  # a score and a weighted value for each pair and head
    found = multiplications(attention(rng), n)
    assert (found["word_cached"], found["word_anew"]) == (maps + sum(rows), n * maps + n * sum(rows))
    shared = multiplications(attention(rng, shared=2), n)
    assert shared["word_cached"] == maps - 2 * 3 * DIM + sum(rows)  # one head of keys and one of values less


@each("n", [1, 2, 3, 10])
@each("shared", [1, 2])
def test_multiplications_of_a_text_are_those_of_its_words(n, shared):
    own = attention(np.random.default_rng(6), shared=shared)
    words = [multiplications(own, k) for k in range(1, n + 1)]
    for way in ("cached", "anew"):
        assert words[-1][f"text_{way}"] == sum(word[f"word_{way}"] for word in words)


def fresh():
    return ha.KeyValueCache([ha.transformer.AttentionLayer(attention(np.random.default_rng(4)))])


def used():
    cache = fresh()
    cache.append(np.ones((2, DIM)))
    return cache


RNG = np.random.default_rng(5)
FIXED = ha.MultiHead([ha.Head(*[np.eye(DIM)] * 3, similarity=FixedScores(np.eye(2)))], np.eye(DIM))


@each(
    ("make", "message"),
    [
        (lambda: ha.KeyValueCache([]), "layers: expected at least one Block"),
        (lambda: ha.KeyValueCache(3), "layers: expected a list, not 3"),
        (lambda: used().append(np.ones(DIM)), r"x: got shape \(6,\); expected \(…, n, dim\)"),
        (lambda: fresh().append(np.ones((2, DIM - 1))), "x: dim 5 does not fit the head's matrices of dim 6"),
        (
            lambda: ha.KeyValueCache([ha.Head(*[np.eye(2)] * 3)]),
            r"layer 1: expected a layer, such as ha.transformer.AttentionLayer\(.*\), not Head",
        ),
        (
            lambda: ha.KeyValueCache([attention(RNG)]),
            r"layer 1: expected a layer, such as ha.transformer.AttentionLayer\(heads\), not MultiHead",
        ),
        (lambda: ha.KeyValueCache([7]), "layers: layer 1: expected a Block, not int"),
        (
            lambda: ha.KeyValueCache([ha.transformer.AttentionLayer(attention(RNG, "none"))]),
            "a word may not see later ones; expected the mask 'causal', 'strict' or a window, not 'none'",
        ),
        (
            lambda: ha.KeyValueCache([ha.transformer.AttentionLayer(FIXED)]),
            "layer 1: its similarity 'fixed_scores' goes by the places of texts of one length",
        ),
        (lambda: multiplications(attention(RNG), 0), "n: expected a whole number of at least 1"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


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

    layers = [ha.transformer.AttentionLayer(attention(rng)), ha.Block(attention(rng), norms=[norm])]
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
    layer, x = ha.transformer.AttentionLayer(attention(rng)), rng.normal(size=(5, DIM))
    _, cache = ha.KeyValueCache([layer]).append(x[:3])
    _, cache = cache.append(x[3:4])  # there is room now
    one, longer = cache.append(x[4:])
    other, _ = cache.append(2 * x[4:])
    np.testing.assert_allclose(one, layer(x)[4:], rtol=0, atol=1e-12)
    np.testing.assert_allclose(other, layer(np.concatenate([x[:4], 2 * x[4:]]))[4:], rtol=0, atol=1e-12)
    again, _ = longer.append(x[:1])
    np.testing.assert_allclose(again, layer(np.concatenate([x, x[:1]]))[5:], rtol=0, atol=1e-12)


def test_texts_of_another_number_are_refused():
    _, cache = ha.KeyValueCache([ha.transformer.AttentionLayer(attention(RNG))]).append(np.ones((2, 3, DIM)))
    with pytest.raises(InvalidInput, match=r"x: \(3,\) texts do not fit the \(2,\) so far"):
        cache.append(np.ones((3, 1, DIM)))
