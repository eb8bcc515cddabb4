"""Figures of recalls, as data: their numbers are those of the run."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.recalls import picture_steps, recall_sheet, spaced_steps, states, verdict
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Nodes, Picture, texts_of
from tests.runs import marks_of, result_of
from tests.scenario.scenarios_of_kinds import scenario
from tests.texts import parsed

CROSSTALK = scenario(
    "ensemble",
    """[ensemble]
neurons = 60
load = 0.1
model = "hopfield"
update = "sync"
max_steps = 1
cues = 20
crosstalk = true
[[variant]]
name = "more"
set = { "ensemble.load" = 0.3 }
[[variant]]
name = "most"
set = { "ensemble.load" = 0.6 }
""",
)


def letters(names):
    """A network of these letters, and a cue."""
    patterns = f'[pictures]\nletters = "{names}"\n[memory]\npatterns = {list(names)}\nmodel = "hopfield"\n'
    return ha.run(parsed(scenario("memory", patterns + '[cue."half of R"]\nof = "R"\nhide = "left"\n')))


def sheet(name, result):
    return gallery()[name].sheet(result)


def test_a_row_of_pictures_begins_with_the_cue_and_ends_with_the_last_state_in_a_frame():
    result = result_of("letters")
    run, pictures = result.runs[0], marks_of(sheet("recall", result), Picture)
    assert len(pictures) == 6
    for i, (cue, end) in enumerate(zip(pictures[::2], pictures[1::2], strict=True)):
        np.testing.assert_array_equal(cue.values.ravel(), run.arrays["input"].values[i])
        np.testing.assert_array_equal(end.values.ravel(), run.arrays["state"].values[i])
    assert [one.frame for one in pictures] == [None, "plus", None, "plus", None, "minus"]


def texts(shown):
    """The words beside the rows: the name and the end of each."""
    return [text for mark in marks_of(shown, Nodes) for text in mark.texts]


def test_the_words_beside_a_row_say_what_it_recalls():
    shown = texts(sheet("recall", result_of("letters")))
    assert shown == ["half of R", "recalls R", "torn X", "recalls X", "white S", "ends at S reversed"]
    assert shown[-1].template == "ends at {} reversed"


def test_one_cue_of_several_runs_is_a_row_for_each_run():
    shown = sheet("recall", result_of("sequence"))
    assert texts(shown)[::2] == ["power 6", "linear"]
    assert not any(shown.notes)


def test_a_recalled_pattern_of_greys_looks_as_the_stored_one():
    run = result_of("modern").runs[0]
    own = states(run, 0)
    assert np.abs(run.arrays["input"].values[0]).max() > 1.5 and np.abs(own).max() == 1
    np.testing.assert_allclose(own[-1], run.arrays["patterns"].values[6], atol=0.06)


def test_an_answer_is_the_last_picture():
    pictures = marks_of(sheet("recall", result_of("bam")), Picture)
    assert pictures[2].frame == "value" and pictures[2].below == "answers ‘4’"
    assert texts(sheet("recall", result_of("bam")))[1::2] == ["recalls R", "recalls X"]


def test_both_states_of_a_cycle_are_seen():
    run = result_of("two-cycle").runs[0]
    assert str(verdict(run, 0)) == "ends in a cycle of 2"
    assert picture_steps(states(run, 0), 8)[-2:] == [2, 3]


def test_words_are_cells_of_the_cue_and_the_end():
    result = result_of("neuron-by-neuron")
    (cells,) = marks_of(sheet("recall", result), Cells)
    arrays = result.runs[0].arrays
    np.testing.assert_array_equal(cells.values, [arrays["input"].values[0], arrays["state"].values[0]])


def test_the_film_goes_from_the_cues_to_their_ends():
    result = result_of("linear")
    frames = gallery()["recall"].frames(result)
    assert len(frames) == 5
    first, last = frames[0].panels[0], frames[-1].panels[0]
    np.testing.assert_array_equal(first.marks[0].values.ravel(), result.runs[0].arrays["input"].values[0])
    assert str(first.title) == "one step\ncue" and str(last.title) == "one step\nrecalls R"
    assert first.marks[0].frame is None and last.marks[0].frame == "plus"


def test_the_staircase_frames_the_nearest_pattern_and_shows_its_numbers_alone():
    result = result_of("sequence")
    (cells,) = marks_of(sheet("overlaps", result), Cells)
    np.testing.assert_allclose(cells.values, result.runs[0].arrays["course"].values[0].T)
    assert [cells.rows[i] for i, _ in cells.framed] == [*"HOPFIELDH"]
    assert cells.numbers.sum() == 9


def test_of_many_patterns_those_nearest_to_a_state_have_rows():
    shown = sheet("overlaps", letters("ABCDEFGHIJKLMNOPQR"))
    (cells,) = marks_of(shown, Cells)
    assert len(cells.rows) == 8 and "10 other patterns have no row" in shown.notes


def test_each_turn_is_a_row_and_a_neuron_that_changes_is_framed():
    result = result_of("neuron-by-neuron")
    shown = sheet("neurons", result)
    cells, stored = marks_of(shown, Cells)
    turns = result.runs[0].arrays["turns"].values[0]
    words = ["2: field −2", "4: field −4", "3: field 2", "5: field 2", "1: field 0"]
    assert [*cells.rows] == ["cue", *words] and [*cells.framed] == [(1, 1), (2, 3)]
    assert marks_of(shown.panels[1], Cells)[0].values.shape == cells.values.shape, "both tables have the same cells"
    assert shown.panels[0].title.split("\n")[1] == "recalls pattern 2"
    np.testing.assert_array_equal(cells.values[-1], result.runs[0].arrays["state"].values[0])
    np.testing.assert_array_equal(cells.values[-1:], stored.values)
    assert [row.parts[1] for row in cells.rows[1:]] == turns[:5, 0].tolist()
    assert [*shown.notes][:2] == ["field below 0: off; above 0: on; at 0: no change here", "2 of 3 runs"]


def test_each_frame_of_a_flow_has_a_row_more_and_the_last_is_the_still_picture():
    result, figure = result_of("neuron-by-neuron"), gallery()["neurons"]
    frames, whole = figure.frames(result), figure.sheet(result)
    assert texts_of(frames[-1]) == texts_of(whole)
    for k, panel in enumerate(whole.panels):
        every = marks_of(panel, Cells)[0].values
        tables = [marks_of(frame.panels[k], Cells)[0].values for frame in frames]
        assert len(tables) == len(every)
        assert all(np.array_equal(table, every[: i + 1]) for i, table in enumerate(tables))
    turns = result.runs[0].arrays["turns"].values[0]
    weights, states = result.runs[0].arrays["couplings"].values, marks_of(whole.panels[0], Cells)[0].values
    energies = -0.5 * np.einsum("ti,ij,tj->t", states, weights, states)
    assert np.all(np.diff(energies) <= 1e-9) and len(turns) >= len(frames) - 1


def test_overlaps_before_and_after_one_step_are_bars():
    result = result_of("nearest")
    for j, panel in enumerate(sheet("overlaps", result).panels):
        (bars,) = panel.marks
        np.testing.assert_array_equal(bars.values, result.runs[0].arrays["course"].values[0, j])
        assert [*bars.colour] == ["dim", "dim", "plus", "dim"]


def test_a_long_recall_has_two_lines():
    shown = sheet("recall", result_of("sequence"))
    pictures, arrows = marks_of(shown, Picture), marks_of(shown, Arrows)
    assert len({one.at[1] for one in pictures}) == 3 == len(arrows) and len({one.at[0] for one in pictures}) == 5
    assert all(np.all(one.start[:, 1] == one.end[:, 1]) for one in arrows)


def test_the_crosstalk_beyond_the_signal_has_another_colour():
    result = ha.run(parsed(CROSSTALK))
    shown = sheet("crosstalk", result)
    every, over = marks_of(shown.panels[1], Bars)
    signal, (first, *others) = float(result.runs[-1].arrays["signal"].values), over.width
    assert over.at[0] - first / 2 == pytest.approx(signal) and over.colour == "minus"
    assert others == pytest.approx([every.width] * len(others)) and first <= every.width + 1e-9
    np.testing.assert_array_equal(every.values, result.runs[-1].arrays["crosstalk"].values)
    assert shown.notes[0] == "2 of 3 runs"


def test_a_column_of_fast_weights_frames_what_a_later_word_changes():
    shown = sheet("fast_weights", result_of("overwriting"))
    (cells,) = marks_of(shown, Cells)
    assert [*cells.rows] == ["apple", "fire"] and cells.values.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert cells.framed == [(0, 2), (1, 2)] and shown.panels[0].y == "what ‘red’ recalls"
    features = sheet("fast_weights", result_of("elu-features"))
    assert features.panels[0].y.startswith("column"), "a key of features is no axis of the words"


def test_some_steps_are_the_first_the_last_and_early_ones():
    for last in (0, 1, 5, 200):
        steps = spaced_steps(last, 12)
        assert steps[0] == 0 and steps[-1] == last and len(steps) <= 12


@pytest.mark.parametrize("cues", [1, 4, 60])
def test_a_bare_recall_has_its_last_states_and_curves_up_to_each_end(cues):
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], (3, 20))
    record = ha.memories.hopfield(patterns).recall(patterns[rng.integers(3, size=cues)])
    shown = recall_sheet(record)
    assert len(shown.panels) == 2
    np.testing.assert_array_equal(marks_of(shown, Cells)[0].values, record.state[:40])
    energies = marks_of(shown.panels[1], Curve)
    assert [len(curve.y) for curve in energies] == [step + 1 for step in record.steps[:40]]
    np.testing.assert_allclose(energies[0].y, record.energies[: record.steps[0] + 1, 0])
