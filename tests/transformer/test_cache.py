"""The key–value cache: word by word equals all at once, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.cache import multiplications, multiplications_of_text
from tests.each import each

DIM = 6


def attention(rng, mask="causal", shared=1):
    keys, values = ([ha.Affine(rng.normal(size=(3, DIM)), rng.normal(size=3)) for _ in range(2)] for _ in range(2))
    heads = [ha.Head(rng.normal(size=(3, DIM)), keys[i // shared], values[i // shared], mask=mask) for i in range(2)]
    return ha.MultiHead(heads, rng.normal(size=(DIM, DIM)) / 4)


def block(rng, mask, first):
    layer = ha.FeedForward(rng.normal(size=(9, DIM)), rng.normal(size=(DIM, 9)) / 4)
    return ha.Block(attention(rng, mask), layer, [ha.Normalisation()] * 2, norm_first=first)


@given(data=st.data(), mask=st.sampled_from(["causal", "strict", ha.window(2)]), batch=st.sampled_from([(), (2,)]))
def test_word_by_word_is_all_at_once(data, mask, batch):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    kinds = data.draw(st.lists(st.sampled_from(["layer", "first", "last"]), min_size=1, max_size=3))
    layers = [
        ha.AttentionLayer(attention(rng, mask, data.draw(st.sampled_from([1, 2]))))
        if kind == "layer"
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
        output, cache = cache.extended(x[..., start : start + size, :])
        found.append(output)
        start += size
    assert cache.length == start
    together = np.concatenate(found, axis=-2)
    np.testing.assert_allclose(together, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


def test_a_long_text_keeps_its_rows_when_the_room_grows():
    rng = np.random.default_rng(1)
    layer, x = ha.AttentionLayer(attention(rng)), rng.normal(size=(200, DIM))
    cache, outputs = ha.KeyValueCache([layer]), []
    for word in x:
        output, cache = cache.extended(word[None])
        outputs.append(output)
    np.testing.assert_allclose(np.concatenate(outputs), layer(x), rtol=0, atol=1e-12 * np.abs(layer(x)).max())


def test_on_pytorch(torch):
    rng = np.random.default_rng(2)
    state = {name: torch.asarray(array) for name, array in ha.MultiHead.from_torch(
        {"in_proj_weight": rng.normal(size=(3 * DIM, DIM)), "out_proj.weight": rng.normal(size=(DIM, DIM))}, 2
    ).to_torch().items()}  # fmt: skip
    layer = ha.AttentionLayer(ha.MultiHead.from_torch(state, 2, mask="causal"))
    x = torch.asarray(rng.normal(size=(4, DIM)))
    first, cache = ha.KeyValueCache([layer]).extended(x[:3])
    last, _ = cache.extended(x[3:])
    np.testing.assert_allclose(torch.cat([first, last]), layer(x), rtol=0, atol=1e-10)


@each("n", [1, 2, 7])
def test_multiplications_are_those_of_loops(n):
    """Counted one by one: a map of k rows and d columns takes k·d, a score of two vectors their dim."""
    rng = np.random.default_rng(3)
    maps = 4 * DIM * DIM  # two heads of 3 rows each, for queries, keys and values, and the output
    rows = [sum(3 + 3 for _ in range(n)) for _ in range(2)]  # a score and a weighted value for each pair and head
    assert multiplications(attention(rng), n) == {"cached": maps + sum(rows), "anew": n * maps + n * sum(rows)}
    shared = multiplications(attention(rng, shared=2), n)
    assert shared["cached"] == maps - 2 * 3 * DIM + sum(rows)  # one head of keys and one of values less


@each("n", [1, 2, 3, 10])
@each("shared", [1, 2])
def test_multiplications_of_a_text_are_those_of_its_words(n, shared):
    own = attention(np.random.default_rng(6), shared=shared)
    words = [multiplications(own, k) for k in range(1, n + 1)]
    expected = {way: sum(word[way] for word in words) for way in ("cached", "anew")}
    assert multiplications_of_text(own, n) == expected


def fresh():
    return ha.KeyValueCache([ha.AttentionLayer(attention(np.random.default_rng(4)))])


def used():
    cache = fresh()
    cache.extended(np.ones((2, DIM)))
    return cache


RNG = np.random.default_rng(5)
DIFFERENT = ha.MultiHead([ha.Head(*RNG.normal(size=(3, DIM, DIM)), beta=b) for b in (1.0, 2.0)], np.eye(DIM, 2 * DIM))


@each(
    ("make", "message"),
    [
        (
            lambda: used().extended(np.ones((1, DIM))),
            "it holds 0 words and was extended to 2 already; go on with",
        ),
        (lambda: ha.KeyValueCache([]), "layers: expected at least one AttentionLayer or Block"),
        (lambda: ha.KeyValueCache(3), "layers: expected a list, not 3"),
        (lambda: used().extended(np.ones(DIM)), r"x: expected \(…, n, dim\) with at least one row, not shape \(6,\)"),
        (lambda: fresh().extended(np.ones((2, DIM - 1))), "x: dim 5 does not fit the head's matrices of dim 6"),
        (
            lambda: ha.KeyValueCache([ha.Head(*[np.eye(2)] * 3)]),
            r"layer 1: expected a layer, such as ha.AttentionLayer\(ha.MultiHead\(\[head\], w_out\)\), not Head",
        ),
        (
            lambda: ha.KeyValueCache([attention(RNG)]),
            r"layer 1: expected a layer, such as ha.AttentionLayer\(heads\), not MultiHead",
        ),
        (lambda: ha.KeyValueCache([7]), "layers: layer 1: expected an AttentionLayer or a Block, not int"),
        (
            lambda: ha.KeyValueCache([ha.AttentionLayer(attention(RNG, "none"))]),
            "a word may not see later ones; expected the mask 'causal', 'strict' or a window, not 'none'",
        ),
        (lambda: ha.KeyValueCache([ha.AttentionLayer(DIFFERENT)]), "layer 1: its heads differ"),
        (lambda: multiplications(DIFFERENT, 2), "attention: expected heads that are alike"),
        (lambda: multiplications_of_text(DIFFERENT, 2), "attention: expected heads that are alike"),
        (lambda: multiplications_of_text(attention(RNG), 0), "n: expected a whole number of at least 1"),
        (lambda: multiplications(attention(RNG), 0), "n: expected a whole number of at least 1"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_a_cache_shows_its_sizes_and_no_matrices():
    _, cache = fresh().extended(np.ones((3, DIM)))
    assert repr(cache) == "KeyValueCache(layers: 1, words: 3)"


def test_words_that_do_not_fit_leave_the_cache_as_it_is():
    cache = fresh()
    for wrong in (np.ones(DIM), np.ones((1, DIM + 1))):
        with pytest.raises(InvalidInput):
            cache.extended(wrong)
    assert cache.extended(np.ones((1, DIM)))[1].length == 1


def test_texts_of_another_number_are_refused():
    _, cache = ha.KeyValueCache([ha.AttentionLayer(attention(RNG))]).extended(np.ones((2, 3, DIM)))
    with pytest.raises(InvalidInput, match=r"x: \(3,\) texts do not fit the \(2,\) so far"):
        cache.extended(np.ones((3, 1, DIM)))
