"""The figures of heads, layers and networks: the numbers of their marks, and what they refuse."""

import numpy as np

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Nodes, Points
from tests.runs import marks_of, result_of, sheet_of


def test_steps_show_scores_weights_and_output_of_one_query():
    result = result_of("aaba")
    arrays = result.runs[0].arrays
    scores, weights, output = (panel.marks[0] for panel in gallery()["steps"].sheet(result).panels)
    np.testing.assert_array_equal(scores.values, arrays["layer 1 head 1 scores"].values[0])
    np.testing.assert_array_equal(weights.values, arrays["layer 1 head 1 weights"].values[0])
    np.testing.assert_allclose(output.values, weights.values @ arrays["layer 1 head 1 values"].values)


def test_steps_have_one_scale_where_all_numbers_are_shares():
    assert len({panel.x_range for panel in sheet_of("steps", "aaba").panels}) == 1
    assert sheet_of("steps", "modern").panels[0].x_ticks is None


def test_steps_leave_out_keys_that_a_mask_hides():
    result = result_of("bank-layers")
    names = gallery()["steps"].sheet(result).panels[0].marks[0].names
    assert [*names] == ["in", "financial", "markets"]


def test_steps_show_a_query_that_has_a_choice():
    (scores,) = sheet_of("steps", "two-heads").panels[0].marks
    assert len(scores.values) > 1


def test_steps_of_pictures_end_in_a_picture():
    result = result_of("modern")
    (picture,) = gallery()["steps"].sheet(result).panels[2].marks
    assert picture.values.shape == (7, 5)


def test_induction_has_one_arrow_for_each_layer_and_ends_in_the_word_that_followed():
    one = sheet_of("induction", "induction")
    arrows, (texts,) = marks_of(one, Arrows), marks_of(one, Nodes)
    assert [arrow.key for arrow in arrows] == ["layer 1", "layer 2", "same word"]
    assert [*one.panels[0].y_ticks.values()] == ["word", "word before", "expected"]
    assert "" not in texts.texts and "·" not in texts.texts
    assert texts.texts[-1] == "dog"
    assert texts.colour[-1] == "plus"


def test_induction_refuses_one_layer_and_names_another_figure():
    assert "flow" in gallery()["induction"].lacks(result_of("bank"))


def test_qkv_multiplies_words_and_matrices():
    result = result_of("one-head")
    tables = {panel.title: panel.marks[0].values for panel in reversed(gallery()["qkv"].sheet(result).panels)}
    np.testing.assert_allclose(tables["words"] @ tables["query\nmatrix"], tables["queries"])
    np.testing.assert_allclose(tables["queries"] @ tables["keys"].T, tables["scores"])
    weights = next(values for title, values in tables.items() if title.startswith("weights"))
    np.testing.assert_allclose(weights @ tables["values"], tables["output"])


def test_qkv_leaves_the_matrices_out_where_they_have_no_room():
    one = sheet_of("qkv", "two-bigs")
    assert not any("matrix" in panel.title for panel in one.panels)
    assert "without the matrices of queries, keys and values" in one.notes


def test_qkv_leaves_the_matrices_out_where_positions_turn_what_they_make():
    assert not any("matrix" in panel.title for panel in sheet_of("qkv", "rope").panels)


def test_network_shows_the_cue_and_the_end_with_the_neurons_that_changed():
    result = result_of("two-layers")
    arrays = result.runs[0].arrays
    before, after = gallery()["network"].sheet(result).panels
    for panel, step in ((before, 0), (after, -1)):
        texts = [text for mark in panel.marks if isinstance(mark, Nodes) for text in mark.texts]
        for value in arrays["activities"].values[0, step]:
            assert any(text.parts and text.parts[0] == value for text in texts if hasattr(text, "parts"))
    (first,), (last,) = ([mark for mark in panel.marks if isinstance(mark, Points)] for panel in (before, after))
    np.testing.assert_array_equal(last.shades, arrays["state"].values[0])
    moves = np.abs(last.shades - first.shades)
    assert {*first.colour} == {"faint"}
    assert [colour == "value" for colour in last.colour] == [*(moves > 0.25 * moves.max())]
    assert after.title == "recalls most"
    lines = [mark for mark in before.marks if isinstance(mark, Arrows)]
    assert not any(isinstance(mark, Arrows) for mark in after.marks), "the weights are the same at the end"
    assert sum(len(mark.start) for mark in lines) == np.count_nonzero(arrays["couplings"].values)


def test_network_of_single_neurons_is_a_truth_table():
    one = sheet_of("network", "three-body")
    assert [panel.title for panel in one.panels] == ["− −", "− +", "+ −", "+ +"]


def test_network_refuses_a_cue_that_stays():
    assert "stays" in gallery()["network"].lacks(result_of("weight-matrix"))
