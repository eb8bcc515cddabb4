"""The figure of one head in numbers: its matrices by hand, its shapes and colours, and what has no room."""

import math
import re

import numpy as np
import pytest
from matplotlib.colors import to_hex

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted
from hopattn.figures.gallery.qkv import Qkv
from hopattn.figures.language import in_language
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import STYLES
from hopattn.scenario.loading import parse
from tests.each import each
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_numbers_are_those_of_the_hand_calculation():
    """softmax(Q Kᵀ / √2) V with e^(4/√2) = 16.9188, as the scenario's comments work it out."""
    (ax,) = drawing_of("qkv", "one-head").figure.axes
    written = texts(ax)
    power = math.exp(4 / math.sqrt(2))
    assert written.count("2.83") == 2
    assert written.count(f"{power / (power + 1):.2f}"[1:]) == 2, "the weight of 'the' for 'dog', and its value"
    assert written.count(f"{power / (power + 2):.2f}"[1:]) == 2, "the weight of 'dog' for 'barks', and its value"
    assert sum(text.replace(".", "").isdigit() for text in written) == 9 + 6 * 6 + 6 + 6 + 6
    assert {"words E\n3 × 3", "queries Q\n3 × 2", "Q Kᵀ / √2\n3 × 3", "weights A\n3 × 3", "output A V\n3 × 2"} <= {
        *written
    }
    assert "softmax" in written


def test_query_key_and_value_have_their_colours():
    (ax,) = drawing_of("qkv", "one-head").figure.axes
    colours = {text.get_text().split("\n")[0]: to_hex(text.get_color()) for text in ax.texts}
    for role, name in (("query", "queries Q"), ("key", "keys K"), ("value", "values V")):
        assert colours[f"{role} matrix"] == colours[name] == getattr(LIGHT, role)


def test_masked_cells_are_hatched_and_have_no_number():
    figure = drawing_of("qkv", "one-head").figure
    hatched = [patch for patch in figure.axes[0].patches if patch.get_hatch()]
    assert len(hatched) == 2 * 3
    assert figure.get_supxlabel() == "hatched: hidden by the mask · 1 of 2 runs"


def test_the_heads_of_a_run_turn_its_words_into_its_queries_keys_and_values():
    run = result_of("transformer-layer").runs[0]
    heads = run.heads()
    assert list(heads) == ["layer 1 head 1", "layer 1 head 2"]
    for place, head in heads.items():
        for role, name in (("query", "queries"), ("key", "keys"), ("value", "values")):
            made = run.arrays["input"].values @ getattr(head, role).weight.T
            assert np.array_equal(made, run.arrays[f"{place} {name}"].values)


def test_a_query_from_another_text_has_words_of_its_own():
    (ax,) = drawing_of("qkv", "sharp-query").figure.axes
    assert {"words X\n1 × 2", "words Y\n4 × 2"} <= set(texts(ax))


@pytest.mark.quick(0)
@each("lang", ["en", "de"])
def test_every_number_stays_in_its_cell(lang):
    words = "Die = [0.71, 0.71, 0, 0]\nBank = [-0.37, 0.71, -0.53, 0.12]\nPark = [0.25, 0, -0.71, 0.35]"
    text = f"""schema = 1
title = "numbers"
source = "none"
kind = "attention"
[vocabulary]
axes = ["a", "b", "c", "d"]
magnitude = "free"
[vocabulary.words]
{words}
[input]
tokens = ["Die", "Bank", "Park"]
[figure]
lang = "{lang}"
[[layer]]
[[layer.head]]
mask = "none"
"""
    result = chosen(ha.run(parse(text, "numbers.toml", "numbers")))
    figure, _ = fitted(in_language(lambda at: Qkv().draw(at, result), lang), STYLES["slide"])
    (ax,) = figure.axes
    one_cell = np.ptp(ax.transData.transform([[0, 0], [1, 0]])[:, 0])
    renderer = figure.canvas.get_renderer()
    numbers = [text for text in ax.texts if re.fullmatch(r"−?\d*[.,]?\d+", text.get_text())]
    assert len(numbers) > 80
    assert [text.get_text() for text in numbers if text.get_window_extent(renderer).width > one_cell] == []


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("letters", "it has no heads with queries, keys and values"),
        ("apple", "its scores are not the products of queries and keys"),
        ("rope", "its positions change queries, keys or scores after the matrices"),
        ("pytorch-layer", "its queries, keys and values have biases; there is room for matrices alone"),
        ("induction", "its matrices take 52 by 33 cells; there is room for 24 by 15"),
    ],
)
def test_what_it_does_not_draw(scenario, reason):
    assert Qkv().lacks(result_of(scenario)) == reason


def test_axes_of_your_own_hold_the_head_that_was_chosen():
    def draw(figure):
        ha.plot(result_of("multi-head"), "qkv", ax=figure.subplots(), head=2)

    (ax,) = drawn(draw).axes
    value = texts(ax)[texts(ax).index("value matrix\n3 × 1") - 3 :][:3]
    assert value == ["0", "1", "0"], "the second head reads fruitness"
    with pytest.raises(ha.InvalidInput, match="2 heads: choose one with head"):
        drawn(lambda figure: ha.plot(result_of("multi-head"), "qkv", ax=figure.subplots()))
