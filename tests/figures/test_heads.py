"""The figures of attention: the numbers of their marks, what they refuse, and which word stands out."""

import numpy as np
import pytest

from hopattn.circuits.scores import head_scores
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Arrows, Cells, Nodes, Points
from hopattn.figures.text import number
from tests.runs import marks_of, result_of, sheet_of


def test_attention_shows_the_weights_of_each_run_and_hides_what_the_mask_hides():
    result = result_of("causal-mask")
    one = gallery()["attention"].sheet(result)
    for panel, run in zip(one.panels, result.runs, strict=True):
        (cells,) = panel.marks
        np.testing.assert_array_equal(cells.values, run.arrays["layer 1 head 1 weights"].values)
        np.testing.assert_array_equal(cells.hidden, ~run.arrays["layer 1 head 1 mask"].values.astype(bool))


def test_attention_has_a_column_for_what_a_sink_takes():
    result = result_of("sink")
    (cells,) = gallery()["attention"].sheet(result).panels[0].marks
    assert cells.columns[-1] == "rest"
    np.testing.assert_array_equal(cells.values[:, -1], result.runs[0].arrays["layer 1 head 1 rest"].values)
    assert not cells.hidden[:, -1].any()


def test_attention_of_several_heads_is_that_of_the_first_run():
    one = sheet_of("attention", "two-heads")
    assert [panel.title for panel in one.panels] == ["head 1", "head 2"]
    assert "1 of 2 runs" in one.notes


def test_attention_of_a_network_is_its_couplings():
    result = result_of("weight-matrix")
    (cells,) = gallery()["attention"].sheet(result).panels[0].marks
    np.testing.assert_array_equal(cells.values, result.runs[0].arrays["couplings"].values)


def test_flow_has_an_arc_from_each_key_as_wide_as_its_weight():
    result = result_of("bank-layers")
    weights = result.runs[0].arrays["layer 1 head 1 weights"].values
    others, own = marks_of(gallery()["flow"].sheet(result), Arrows)
    assert not others.names and own.key == "what ‘banks’ takes"
    assert sorted(own.names) == sorted(number(w) for w in weights[-1] if w)
    assert np.all(own.start[:, 0] < own.end[:, 0])  # from the key to the query


def test_flow_dashes_weights_below_0():
    below, *above = marks_of(sheet_of("flow", "induction"), Arrows)
    assert below.dashed and below.key == "below 0" and not any(arcs.dashed for arcs in above)
    assert max(below.width) <= 1.2


def test_flow_refuses_two_texts_and_names_the_figure_for_them():
    assert "translation" in gallery()["flow"].lacks(result_of("aaba"))


def test_translation_has_a_line_for_each_weight_that_can_be_seen():
    result = result_of("cross-attention")
    weights = result.runs[0].arrays["layer 1 head 1 weights"].values
    (lines,) = marks_of(gallery()["translation"].sheet(result), Arrows)
    assert len(lines.start) == np.count_nonzero(weights > 0.1 * weights.max())
    np.testing.assert_allclose(lines.width, sorted(1 + 4 * weights[weights > 0.1 * weights.max()]))
    (numbers,) = marks_of(gallery()["translation"].sheet(result), Points)
    assert [*numbers.names] == [number(w) for w in sorted(weights[weights > 0.1 * weights.max()])]


def test_translation_leaves_out_runs_that_look_alike_and_full_stops():
    one = sheet_of("translation", "alignment")
    assert len(one.panels) == 1
    assert "1 of 3 runs" in one.notes
    for panel in sheet_of("translation", "translation").panels:
        assert all(line.texts and "." not in line.texts for line in panel.marks if isinstance(line, Nodes))


def test_heads_shows_the_scores_of_each_head():
    result = result_of("head-scores")
    (cells,) = gallery()["heads"].sheet(result).panels[0].marks
    weights = result.runs[0].arrays["layer 2 head 1 weights"].values
    scores = head_scores(weights, ["their", "dog", "chased"] * 2)
    np.testing.assert_allclose(cells.values[1], [float(score) for score in scores.values()])
    assert (1, 2) in cells.framed  # the induction head attends to what followed


def test_heads_are_those_of_the_first_run_that_does_not_attend_evenly():
    sheet = sheet_of("heads", "head-scores")
    (cells,) = sheet.panels[0].marks
    assert [*cells.rows] == ["layer 1", "layer 2"] and cells.values[1, 2] == 1  # with the strict mask
    assert "1 of 3 runs" in sheet.notes


def test_flow_names_the_jobs_of_heads():
    titles = [panel.title for panel in sheet_of("flow", "two-heads").panels]
    assert titles == ["head 1: the word before", "head 2: ‘I’"]


def test_sixteen_marks_wrong_answers_alone():
    result = result_of("all-a-any-b")
    _, answers, texts = gallery()["sixteen"].sheet(result).panels[0].marks
    for row, run in zip(answers.values[1:], result.runs[:3], strict=True):
        answer, right = (run.arrays[name].values for name in ("given", "answer"))
        np.testing.assert_array_equal(row < 0, answer != right)
    assert isinstance(texts, Nodes)


@pytest.mark.parametrize("name", ["reverse", "sort", "pair-balance", "histogram"])
def test_program_has_an_arrow_for_each_word_that_its_last_head_selects(name):
    result = result_of(name)
    tables = [array.values for array in result.runs[0].arrays.values() if array.values.ndim == 2]
    (arrows,) = marks_of(gallery()["program"].sheet(result), Arrows)
    assert len(arrows.start) == np.count_nonzero(tables[-1])


def test_program_ends_in_its_result():
    result = result_of("reverse")
    texts = marks_of(gallery()["program"].sheet(result), Nodes)[-1].texts
    assert [*texts] == [*result.runs[0].arrays["reversed values"].values]


def test_cells_of_eight_heads_have_numbers():
    cells = [mark for panel in sheet_of("attention", "alibi").panels for mark in panel.marks]
    assert len(cells) == 8
    assert all(isinstance(one, Cells) and np.all(one.numbers) for one in cells)  # four columns of four cells have room


def test_colours_have_a_scale_where_cells_have_no_numbers():
    for panel in sheet_of("attention", "induction-unseen").panels:
        assert panel.marks[0].scale == "weights" and not panel.marks[0].numbers.any()


def test_program_names_the_heads_that_make_its_sequences():
    ticks = {name: [*sheet_of("program", name).panels[0].y_ticks.values()] for name in ("reverse", "histogram")}
    assert ticks["reverse"] == ["tokens", "head 1: length", "opposite", "head 2: reversed"]
    assert not any("head" in tick for tick in ticks["histogram"])
