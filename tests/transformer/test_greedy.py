"""Greedy decoding: the largest score each time, up to the end word or the limit."""

import numpy as np
import pytest

from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.encoder_decoder import greedy
from tests.each import each

TABLE = np.array([[0, 5, 1], [2, 0, 7], [9, 1, 1]])
"""The scores after each word: 0 leads to 1, 1 to 2, 2 to 0."""


def after(so_far):
    return TABLE[so_far[-1]] if so_far else TABLE[0]


def test_each_word_has_the_largest_score_after_those_before():
    assert greedy(after, 5) == (1, 2, 0, 1, 2)
    assert greedy(after, 5, end=0) == (1, 2, 0)
    assert greedy(after, 2, end=0) == (1, 2)


def test_it_sees_all_words_so_far():
    seen = []
    greedy(lambda so_far: seen.append(so_far) or after(so_far), 3)
    assert seen == [(), (1,), (1, 2)]


def test_of_equal_scores_the_first_is_written():
    assert greedy(lambda _: [0.1, 0.3, 0.1 + 0.2], 1) == (1,)  # .1 + .2 is .3 and a rounding error
    assert greedy(lambda _: [0.1, 0.3, 0.3 + 1e-6], 1) == (2,)


@each("scale", [1e-200, 1e-10, 1.0, 1e10])
def test_the_scale_of_the_scores_does_not_matter(scale):
    assert greedy(lambda _: [0, scale], 1) == (1,)
    assert greedy(lambda _: [-2 * scale, -scale], 1) == (1,)
    assert greedy(lambda _: [0.1 * scale, 0.3 * scale, (0.1 + 0.2) * scale], 1) == (1,)
    assert greedy(lambda _: [-1e30, 0.3 * scale, 0.4 * scale], 1) == (2,)  # a word that is ruled out


@each("scores", [[np.nan, 1.0], [[1.0]], [], 3.0, [np.inf]])
def test_scores_that_are_not_a_vector_of_finite_numbers_are_refused(scores):
    with pytest.raises(InvalidInput, match=r"next_scores: expected \(n_words,\) finite scores"):
        greedy(lambda _: scores, 2)


def test_a_limit_below_1_is_refused():
    with pytest.raises(InvalidInput, match="limit: expected a whole number of at least 1, not 0"):
        greedy(after, 0)
