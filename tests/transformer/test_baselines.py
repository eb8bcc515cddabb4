"""The baselines that attention is compared with: the average of the words, bigrams and n-grams."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.transformer.baselines import NGram, average
from tests.draws import arrays, sizes

texts = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), max_size=5)


@given(data=st.data(), n=sizes, m=sizes)
def test_an_average_is_the_mean_of_the_words_of_each_text_in_any_order(data, n, m):
    words, close = data.draw(arrays((2, n, m))), {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(average(words), [sum(text) / n for text in words], **close)
    np.testing.assert_allclose(average(words[:, ::-1]), average(words), **close)


@given(texts)
def test_a_bigram_counts_and_normalises(data):
    model = NGram.counted(data)
    pairs = Counter((text[i], text[i + 1]) for text in data for i in range(len(text) - 1))
    for before in "abc":
        total = sum(count for (first, _), count in pairs.items() if first == before)
        for word in "abc":
            expected = pairs[before, word] / total if total else 0
            assert model.probability(word, after=[before]) == pytest.approx(expected)
        best = {word for word in "abc" if total and pairs[before, word] == max(pairs[before, w] for w in "abc")}
        assert set(model.likeliest([before])) == best


ADDS = st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1), Fraction(5, 2)])


@given(data=texts, n=st.integers(1, 4), k=ADDS)
def test_an_n_gram_is_the_enumeration_with_fractions(data, n, k):
    """Every context over the vocabulary, and every place of every text where it occurs."""
    model = NGram.counted(data, n, add=float(k))
    words = sorted({word for text in data for word in text})
    assert sorted(model.words) == words
    for context in product(words, repeat=n - 1):
        followers = [
            text[i]
            for text in data
            for i in range(n - 1, len(text))
            if all(text[i - n + 1 + j] == context[j] for j in range(n - 1))
        ]
        known = bool(followers or (k and words))
        for word in words:
            exact = (followers.count(word) + k) / (len(followers) + k * len(words)) if known else Fraction(0)
            assert model.probability(word, context) == pytest.approx(float(exact), rel=1e-14)
        assert sum(model.distribution(context).values()) == pytest.approx(1.0 if known else 0.0, abs=1e-14)
        best = max((followers.count(word) for word in words), default=0)
        assert set(model.likeliest(context)) == {word for word in words if best and followers.count(word) == best}


@given(data=texts, n=st.integers(1, 3), k=ADDS)
def test_only_the_last_words_of_a_longer_context_count(data, n, k):
    model = NGram.counted(data, n, add=float(k))
    assert model.distribution("cab") == model.distribution("cab"[4 - n :])


def test_a_longer_context_solves_what_a_bigram_cannot():
    """All A leads to A, any B to B: after A more often B than A follows, so that the bigram misses A A A A."""
    sequences = ["".join(letters) for letters in product("AB", repeat=4)]
    reported = [sequence + ("B" if "B" in sequence else "A") for sequence in sequences]
    right = {n: sum(NGram.counted(reported, n).likeliest(text[:-1]) == [text[-1]] for text in reported) for n in (2, 5)}
    assert right == {2: 15, 5: 16}
    assert NGram.counted(reported, 2).likeliest("AAAA") == ["B"]


def test_a_word_that_no_text_has_is_impossible_also_with_smoothing():
    assert NGram.counted(["abc"], 1, add=1.0).probability("d") == 0.0
