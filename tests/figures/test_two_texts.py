"""The figures of two texts and of growing work draw the numbers of the result."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.gallery.alignment import Alignment
from hopattn.figures.gallery.growth import Growth, plain
from hopattn.figures.gallery.translation import Translation
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import DPI, SIZE
from hopattn.figures.two_texts import WIDEST
from hopattn.scenario.loading import parse
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of


def weighing(rows, columns, weights):
    """The result of a text `columns` that the words `rows` attend to with given weights."""
    words = ", ".join(f'"{word}"' for word in dict.fromkeys([*rows, *columns]))
    return ha.run(
        parse(
            f"""schema = 1
title = "given weights"
source = "ours"
kind = "attention"
[spaces]
word = [{words}]
[input]
queries = {rows}
tokens = {columns}
[[layer]]
residual = false
[[layer.head]]
weights = {np.asarray(weights, dtype=float).tolist()}
""",
            "t.toml",
            "t",
        )
    )


def lines(ax):
    """The lines between the columns: their ends and widths."""
    drawn = [line for line in ax.lines if len(line.get_xdata()) == 2]
    return {tuple(np.round(line.get_ydata(), 6)): line.get_linewidth() for line in drawn}


def test_a_line_is_as_wide_as_its_weight():
    figure = drawing_of("translation", "cross-attention").figure
    table = [[0.91, 0.04, 0.05], [0.03, 0.10, 0.87], [0.09, 0.88, 0.03]]  # the lecture's
    expected = {(2.0 - j, 2.0 - i): max(1.0, WIDEST * table[i][j]) for i in range(3) for j in range(3)}
    assert lines(figure.axes[0]) == pytest.approx(expected)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == [".91", ".87", ".88", "key", "cats", "chase", "mice", "query", "kediler", "fareleri", "kovalar"]
    colours = {(line.get_ydata()[0], line.get_color()) for line in figure.axes[0].lines if len(line.get_xdata()) == 2}
    assert colours == {(2.0 - j, LIGHT.series[j]) for j in range(3)}, "a line has the colour of its key"


def test_words_that_a_network_writes_are_joined_to_those_that_it_read():
    figure = drawn(lambda figure: Translation().draw(figure, result_of("alignment")))
    assert [ax.get_title() for ax in figure.axes] == ["as written", "dot", "additive"]
    assert {"read", "written"} <= {text.get_text() for text in figure.axes[0].texts}


def test_two_heads_of_one_run_have_a_column_each():
    heads = [{"weights": [row] * 3} for row in ([1, 0, 0], [0, 1, 0])]
    result = ha.run(ha.load("cross-attention"), overrides={"layer.head": heads, "expect": []})
    figure = drawn(lambda figure: Alignment().draw(figure, result))
    assert [ax.get_title() for ax in figure.axes] == ["layer 1 head 1", "layer 1 head 2", "", ""]


def test_heads_and_runs_that_hardly_differ_from_the_first_have_no_column():
    figure = drawing_of("alignment", "alignment").figure
    assert [ax.get_title() for ax in figure.axes] == ["bilinear score", ""]
    assert figure.get_supxlabel() == "dot score and additive score differ by .02 at most"
    first, other = (run.arrays["weights"].values for run in result_of("alignment").runs[::2])
    assert 0.01 < np.abs(first - other).max() < 0.02
    heads = [{"weights": [[1, 0, 0]] * 3}] * 2
    result = ha.run(ha.load("cross-attention"), overrides={"layer.head": heads, "expect": []})
    assert drawn(lambda figure: Alignment().draw(figure, result)).get_supxlabel() == "layer 1 head 2: the same"


def test_each_run_has_a_panel_and_equal_words_lose_their_numbers():
    figure = drawing_of("translation", "translation-parts").figure
    assert [ax.get_title().replace("\n", " ") for ax in figure.axes] == [
        "all parts", "no position in the query", "no encoder",
    ]  # fmt: skip
    texts = [text.get_text() for text in figure.axes[1].texts]
    assert texts.count("kedileri") == 5
    assert not any(text.startswith(".") for text in texts)  # no weight stands out


@pytest.mark.parametrize("count", [5, 18])
def test_long_words_and_weights_below_0_stay_within_the_figure(count):
    rows, columns = ([f"{letter * 30}{i}" for i in range(count)] for letter in ("w", "M"))
    weights = np.random.default_rng(0).normal(size=(count, count))
    result = weighing(rows, columns, weights)
    assert Translation().lacks(result) == ""
    figure = drawn(lambda figure: Translation().draw(figure, result))
    (ax,) = figure.axes
    boxes = [text.get_window_extent() for text in ax.texts]
    assert all(box.x0 > -5 and box.x1 < SIZE[0] * DPI + 5 for box in boxes)
    assert any(line.get_linestyle() == "--" for line in ax.lines)
    assert "below 0" in [text.get_text() for text in figure.legends[0].texts]


def test_axes_of_your_own_hold_the_run_that_was_chosen():
    def draw(figure):
        ha.plot(result_of("translation"), "translation", ax=figure.subplots(), run="mice chase cats")

    (ax,) = drawn(draw).axes
    assert [text.get_text() for text in ax.texts if text.get_text() in ("mice", "cats", "fareler")] == [
        "mice",
        "cats",
        "fareler",
    ]
    with pytest.raises(ha.InvalidInput, match="2 runs and heads: choose one with run or head"):
        drawn(lambda figure: ha.plot(result_of("translation"), "translation", ax=figure.subplots()))


def test_what_has_no_two_texts_is_refused_with_the_reason():
    assert Translation().lacks(result_of("bank")) == "it has no words that attend to another text"
    assert Translation().lacks(result_of("similarity")) == "it has no words that attend to another text"
    many = weighing(["a"], [f"w{i}" for i in range(19)], np.ones((1, 19)))
    assert Translation().lacks(many) == "a column shows up to 18 words, not 19"


def test_the_work_is_drawn_with_plain_numbers():
    figure = drawing_of("growth", "key-value-cache").figure
    counts = result_of("key-value-cache").arrays["multiplications"]
    for ax, part in zip(figure.axes, ("word", "text"), strict=True):
        for line, way in zip(ax.lines, ("anew", "cached"), strict=True):
            np.testing.assert_array_equal(line.get_xdata(), [2**k for k in range(11)])
            np.testing.assert_array_equal(line.get_ydata(), counts.values[:, counts.labels[1].index(f"{part}_{way}")])
        assert {"1", "10", "100", "1,000"} <= {tick.get_text() for tick in ax.get_xticklabels()}
    assert [text.get_text() for text in figure.axes[1].texts] == ["× 7.9", "× 4"]
    assert "10 million" in {tick.get_text() for tick in figure.axes[0].get_yticklabels()}
    assert Growth().lacks(result_of("bank")) == "it counts no multiplications"


def test_powers_of_ten_in_words():
    powers = (0.1, 1, 1e3, 1e5, 1e6, 1e8, 1e9, 1e12, 1e14, 1e15, 1e27)
    assert [plain(power) for power in powers] == [
        "0.1", "1", "1,000", "100,000", "1 million", "100 million", "1 billion", "1 trillion", "100 trillion", "10¹⁵",
        "10²⁷",
    ]  # fmt: skip


@pytest.mark.parametrize("up_to", [2, 2**30])
def test_few_and_many_words_are_drawn(up_to):
    result = ha.run(ha.load("quadratic"), overrides={"cache.up_to": up_to})
    drawn(lambda figure: Growth().draw(figure, result))
