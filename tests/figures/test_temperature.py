"""The figure of softmax by β draws the weights of the lecture, and the slope of a weight."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from hopattn.figures.choice import chosen
from hopattn.figures.gallery import plots
from hopattn.figures.gallery.temperature import BETAS
from hopattn.figures.text import number
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of


def bars(ax):
    return [patch.get_height() for patch in ax.patches]


def test_the_bars_are_the_softmax_of_the_same_scores():
    axes = drawing_of("temperature", "aaba").figure.axes
    assert [ax.get_ylabel() for ax in axes[:4]] == ["score", *BETAS]
    assert bars(axes[0]) == [0, 0, 1, 0]
    assert bars(axes[2]) == pytest.approx([1 / 6, 1 / 6, 1 / 2, 1 / 6]), "the lecture's softmax to the base 3"
    for ax, beta in zip(axes[1:4], BETAS.values(), strict=True):
        powers = np.exp(beta * np.array([0, 0, 1, 0]))
        assert bars(ax) == pytest.approx(powers / powers.sum())
    assert len({ax.get_ylim() for ax in axes[1:4]}) == 1, "one scale for all weights"
    colours = [line.get_color() for line in axes[4].lines[:3]]
    assert [ax.patches[0].get_facecolor() for ax in axes[1:4]] == list(map(to_rgba, colours)), "a β has one colour"
    assert axes[4].get_legend() is None, "the legend covers no curve"


def test_a_best_score_far_above_the_second_has_smaller_betas():
    """The lead is 10: one word of four takes e^.5 / (e^.5 + 3), e / (e + 3) and nearly all."""
    axes = drawing_of("temperature", "sharp-query").figure.axes
    assert [ax.get_ylabel() for ax in axes[:4]] == ["score", "β = .05", "β = .1", "β = 1"]
    powers = np.exp([0.5, 1, 10])
    assert [max(bars(ax)) for ax in axes[1:4]] == pytest.approx(powers / (powers + 3))


def test_the_slope_is_that_of_the_drawn_curve():
    ax = drawing_of("temperature", "aaba").figure.axes[-1]
    for line, beta in zip(ax.lines, BETAS.values(), strict=False):
        leads, weights = line.get_data()
        near = np.abs(leads) < 0.03
        slope = np.polyfit(leads[near], weights[near], 1)[0]
        assert slope == pytest.approx(beta / 4, rel=0.01)
        assert line.get_label().endswith(f"slope {number(beta / 4, 3)}")
    assert len({line.get_linestyle() for line in ax.lines[:3]}) == 3, "lines differ without colours too"


def test_masked_keys_are_left_out_and_a_query_can_be_chosen():
    result = chosen(result_of("bank-softmax"), {"query": "markets"})
    axes = drawn(lambda figure: plots["temperature"]().draw(figure, result)).axes
    assert [text.get_text() for text in axes[3].get_xticklabels()] == ["in", "financial"]
    assert sum(bars(axes[3])) == pytest.approx(1)


def test_a_result_without_scores_has_a_reason(results):
    assert plots["temperature"]().lacks(results["letters"]) == "it has no scores of attention"
