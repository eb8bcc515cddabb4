"""The baselines that attention is compared with: the average of the words, and bigrams."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.transformer.baselines import Bigram, average
from tests.draws import arrays, sizes

texts = st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=6), max_size=5)


@given(data=st.data(), n=sizes, m=sizes)
def test_an_average_ignores_the_order(data, n, m):
    words = data.draw(arrays((n, m)))
    np.testing.assert_allclose(average(words[::-1]), average(words), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        average(np.stack([words, words])), np.stack([average(words)] * 2), rtol=1e-12, atol=1e-12
    )


def test_the_average_of_aaba():
    assert average(np.array([[1, 0], [1, 0], [0, 1], [1, 0]])).tolist() == [0.75, 0.25]


@given(texts)
def test_a_bigram_counts_and_normalises(data):
    model = Bigram.counted(data)
    pairs = Counter((text[i], text[i + 1]) for text in data for i in range(len(text) - 1))
    for before in "abc":
        total = sum(count for (first, _), count in pairs.items() if first == before)
        for word in "abc":
            expected = pairs[before, word] / total if total else 0
            assert model.probability(word, after=before) == pytest.approx(expected)
        best = {word for word in "abc" if total and pairs[before, word] == max(pairs[before, w] for w in "abc")}
        assert set(model.likeliest(before)) == best
