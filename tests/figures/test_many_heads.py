"""The weights of many heads in one figure: every number in its cell, every text inside the figure."""

from functools import cache

import numpy as np
import pytest
from matplotlib import pyplot

import hopattn as ha
from hopattn.figures.fitting import outside, overlapping
from tests.counts import count

WORDS = ["the", "old", "crane", "lifts", "the", "beam"]


@pytest.fixture(scope="module")
def drawn():
    """The axes of so many heads with so many words; each figure is drawn once."""

    @cache
    def draw(n_heads, n_words):
        weights = np.random.default_rng(0).dirichlet(np.full(n_words, 0.3), (n_heads, n_words))
        words = WORDS if n_words == len(WORDS) else [f"word{i}" for i in range(n_words)]
        axes = ha.plot(weights, "attention", tokens=words)
        axes[0].figure.draw_without_rendering()
        return axes

    yield draw
    pyplot.close("all")


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("n_heads", "n_words"), count([(4, 6), (12, 6), (5, 4), (12, 20), (12, 128), (2, 12)], [(12, 6), (5, 4), (12, 20)])
)
def test_no_text_lies_over_another_or_beyond_the_background(drawn, n_heads, n_words):
    axes = drawn(n_heads, n_words)
    assert len(axes) == n_heads
    assert not overlapping(axes[0].figure) and not outside(axes[0].figure)


def test_twelve_heads_name_the_words_once(drawn):
    axes = drawn(12, 6)
    named = [[label.get_text() for label in ax.get_yticklabels()] == WORDS for ax in axes]
    assert named == [True, False, False, False] * 3
    assert [ax.get_xlabel() for ax in axes] == [""] * 8 + ["key"] * 4


@pytest.mark.quick(0)
def test_more_words_than_can_be_named_are_said(drawn):
    assert "without their names" in drawn(12, 20)[0].figure.legends[0].get_title().get_text()
