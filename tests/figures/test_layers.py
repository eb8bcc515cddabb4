"""The figures of heads, layers and networks: the numbers of their marks, and what they refuse."""

import numpy as np

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Nodes, Picture, Points
from tests.runs import marks_of, result_of, sheet_of


def test_induction_has_one_arrow_for_each_layer_and_ends_in_the_word_that_followed():
    one = sheet_of("induction", "induction")
    arrows, (texts,) = marks_of(one, Arrows), marks_of(one, Nodes)
    assert [arrow.key for arrow in arrows] == ["layer 1: notes the word before", "layer 2: finds what came after", ""]
    assert (
        arrows[-1].names == ["match"] and one.title == "‘their’ stood before ‘dog’: so after ‘their’, ‘dog’ is expected"
    )
    assert [*one.panels[0].y_ticks.values()] == ["word", "word before", "expected"]
    assert "" not in texts.texts and "·" not in texts.texts
    assert texts.texts[-1] == "dog"
    assert texts.colour[-1] == "plus"


def test_qkv_multiplies_words_and_matrices():
    result = result_of("one-head")
    tables = {panel.title: panel.marks[0].values for panel in reversed(gallery()["qkv"].sheet(result).panels)}
    np.testing.assert_allclose(tables["words"] @ tables["query\nmatrix"], tables["queries"])
    np.testing.assert_allclose(tables["queries"] @ tables["keys"].T, tables["scores"])
    weights = next(values for title, values in tables.items() if title.startswith("weights"))
    np.testing.assert_allclose(weights @ tables["values"], tables["output"])


def test_qkv_frames_the_largest_weights_which_alone_have_colours():
    panels = sheet_of("qkv", "one-head").panels
    cells = {panel.title.split("\n")[0]: panel.marks[0] for panel in panels}
    assert cells["weights"].framed == [(1, 0), (2, 1)] and cells["weights"].most == 1
    assert min(cells[name].most for name in ("words", "query", "queries", "scores", "output")) > 1e6
    assert [panel.colour for panel in panels if panel.title in ("queries", "keys", "values")] == [
        "query",
        "key",
        "value",
    ]


def test_words_that_are_their_own_queries_keys_and_values_are_one_table():
    panels = sheet_of("qkv", "two-bigs").panels
    assert len(panels) == 4 and panels[0].title.split() == ["words", "=", "queries", "=", "keys", "=", "values"]


def test_qkv_names_the_head_that_it_shows_of_several():
    assert sheet_of("qkv", "transformer-layer").title == "head 1 of 2: each word attends most to itself"


def test_qkv_leaves_the_matrices_out_where_positions_turn_what_they_make():
    one = sheet_of("qkv", "rope")
    assert not any("matrix" in panel.title for panel in one.panels)
    assert "without the matrices of queries, keys and values" in one.notes


def test_network_shows_the_weights_and_the_numbers_of_neurons_at_the_cue_and_at_the_end():
    arrays, sheet = result_of("two-layers").runs[0].arrays, sheet_of("network", "two-layers")
    *keys, neurons = marks_of(sheet, Points)
    assert [key.key for key in keys] == ["neuron −1", "neuron 0", "neuron 1"]
    np.testing.assert_array_equal(neurons.shades, arrays["state"].values[0])
    texts = [text for mark in marks_of(sheet, Nodes) for text in mark.texts if "→" in text]
    moves = zip(arrays["input"].values[0], arrays["state"].values[0], strict=True)
    assert sorted(text.parts for text in texts) == sorted(moves)
    assert sheet.title == "cue ‘damaged’ recalls ‘most’, and moves neurons by up to .9"
    assert sum(len(mark.start) for mark in marks_of(sheet, Arrows)) == np.count_nonzero(arrays["couplings"].values)


def test_a_layer_of_many_neurons_is_a_picture_at_the_cue_and_at_the_end_if_it_changes():
    arrays, shown = result_of("three-layers").runs[1].arrays, marks_of(sheet_of("network", "three-layers"), Picture)
    before, after = arrays["input"].values[0], arrays["state"].values[0]
    assert [one.values.ravel().tolist() for one in shown] == [
        before[:35].tolist(),
        after[:35].tolist(),
        after[35:70].tolist(),
    ]


def test_network_of_single_neurons_is_a_truth_table():
    one = sheet_of("network", "three-body")
    assert [panel.title for panel in one.panels] == ["− −", "− +", "+ −", "+ +"]
