"""The figures of recurrent networks show the numbers of their results, and say what they cannot draw."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.two_texts import WIDEST
from tests.figures import finished
from tests.runs import result_of


def drawn(name, result):
    return finished.drawn(lambda figure: plots[name]().draw(figure, result))


def test_the_widest_line_of_each_word_written_goes_to_the_word_with_the_largest_weight():
    result = result_of("alignment-printed")
    figure = drawn("alignment", result)
    for column, run in enumerate(result.runs):
        weights = run.arrays["weights"].values
        widths = {
            (int(line.get_xdata()[1]), int(line.get_xdata()[0])): line.get_linewidth()
            for line in figure.axes[column].lines
        }
        assert len(widths) == np.sum(weights > 0.02)
        assert all(width == pytest.approx(max(1, WIDEST * weights[pair])) for pair, width in widths.items())
        assert {max((pair for pair in widths if pair[0] == i), key=widths.get) for i in range(3)} == {
            (0, 0),
            (1, 2),
            (2, 1),
        }


def test_words_have_one_colour_and_each_column_its_own_rows():
    figure = drawn("alignment", result_of("sharp-query"))
    rows = [[tick.get_text() for tick in ax.get_yticklabels()] for ax in figure.axes[2:]]
    assert rows == [["find B x10"], ["find B"]]
    colours = {line.get_color() for ax in figure.axes[:2] for line in ax.lines}
    assert len(colours) == 1, "both runs attend to the third word alone"


def test_the_lines_of_forgetting_are_the_law_and_its_points_the_means():
    result = result_of("sally")
    figure = drawn("forgetting", result)
    for row, run in enumerate(result.runs[:2]):
        for ax, quantity in zip(figure.axes[2 * row : 2 * row + 2], ("accuracy", "cosine"), strict=True):
            lines = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) > 1]
            for reader in (0, 1):
                for kind in ("", "-law"):
                    values = run.arrays[quantity + kind].values[reader]
                    assert any(np.array_equal(line, values) for line in lines if len(line) == len(values))


def test_a_result_without_such_curves_or_another_text_is_refused_with_the_reason():
    assert "another text" in plots["alignment"]().lacks(result_of("bank"))
    assert "at least two lengths" in plots["forgetting"]().lacks(result_of("bank"))
    overrides = {"forgetting.lengths": [3], "variant": [], "expect": []}
    assert "at least two lengths" in plots["forgetting"]().lacks(ha.run(ha.load("sally"), overrides=overrides))
    dot = {"layer.head.weights": [[-1, 0, 0]] * 3}
    assert "below 0" in plots["alignment"]().lacks(ha.run(ha.load("cross-attention"), overrides=dot))


def test_long_texts_are_drawn_without_names_and_with_the_first_run_alone():
    words = [f"w{i}" for i in range(35)]
    overrides = {
        "spaces.word": words,
        "input.tokens": words,
        "cell.w_input": 1,
        "decoder.writes": words[:33],
        "decoder.start": [0] * 35,
        "decoder.w_context": 1,
        "decoder.similarity": "dot",
        "decoder.read_out": 1,
        "variant": [],
        "expect": [],
    }
    figure = drawn("alignment", ha.run(ha.load("alignment"), overrides=overrides))
    assert len(figure.axes) == 2
    assert not {text.get_text() for ax in figure.axes for text in ax.texts} & set(words)
