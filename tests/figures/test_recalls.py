"""Figures of recalls, as data: their numbers are those of the run."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.recalls import picture_steps, recall_sheet, spaced_steps, states, verdict
from hopattn.figures.sheet import Arrows, Bars, Cells, Curve, Nodes, Picture
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
TRIANGLE = '[max_cut]\nedges = [["a", "b"], ["b", "c"], ["c", "a"]]\n'


@cache
def result_of(name):
    return ha.run(name)


def letters(names):
    """A network of these letters, and a cue."""
    patterns = f'[pictures]\nletters = "{names}"\n[memory]\npatterns = {list(names)}\nmodel = "hopfield"\n'
    return ha.run(parsed(scenario("memory", patterns + '[cue."half of R"]\nof = "R"\nhide = "left"\n')))


def minimised(text):
    return ha.run(parsed(scenario("optimisation", f"{text}\n[search]\nstarts = 20\n")))


def sheet(name, result):
    return gallery()[name].sheet(result)


def marks(sheet, kind, panel=0):
    return [mark for mark in sheet.panels[panel].marks if isinstance(mark, kind)]


def test_a_row_of_pictures_begins_with_the_cue_and_ends_with_the_last_state_in_a_frame():
    result = result_of("letters")
    run, pictures = result.runs[0], marks(sheet("recall", result), Picture)
    assert len(pictures) == 6
    for i, (cue, end) in enumerate(zip(pictures[::2], pictures[1::2], strict=True)):
        np.testing.assert_array_equal(cue.values.ravel(), run.arrays["input"].values[i])
        np.testing.assert_array_equal(end.values.ravel(), run.arrays["state"].values[i])
    assert [one.frame for one in pictures] == [None, "plus", None, "plus", None, "minus"]


def test_the_words_beside_a_row_say_what_it_recalls():
    names, ends = marks(sheet("recall", result_of("letters")), Nodes)
    assert [*names.texts] == ["half of R", "torn X", "white on black"]
    assert [*ends.texts] == ["recalls R", "recalls X", "ends at S reversed"]
    assert ends.texts[2].template == "ends at {} reversed"


def test_one_cue_of_several_runs_is_a_row_for_each_run():
    shown = sheet("recall", result_of("sequence"))
    assert [*marks(shown, Nodes)[0].texts] == ["as written", "linear"]
    assert not any(shown.notes)


def test_a_recalled_pattern_of_greys_looks_as_the_stored_one():
    run = result_of("modern").runs[0]
    own = states(run, 0)
    assert np.abs(run.arrays["input"].values[0]).max() > 1.5 and np.abs(own).max() == 1
    np.testing.assert_allclose(own[-1], run.arrays["patterns"].values[6], atol=0.06)


def test_an_answer_is_the_last_picture():
    pictures = marks(sheet("recall", result_of("bam")), Picture)
    assert pictures[2].frame == "value" and pictures[2].below == "answer"
    assert [*marks(sheet("recall", result_of("bam")), Nodes)[1].texts] == [
        "recalls R, answers 4",
        "recalls X, answers 7",
    ]


def test_both_states_of_a_cycle_are_seen():
    run = result_of("two-cycle").runs[0]
    assert str(verdict(run, 0)) == "ends in a cycle of 2"
    assert picture_steps(run, 0, 8)[-2:] == [2, 3]


def test_words_are_cells_of_the_cue_and_the_end():
    result = result_of("neuron-by-neuron")
    (cells,) = marks(sheet("recall", result), Cells)
    arrays = result.runs[0].arrays
    np.testing.assert_array_equal(cells.values, [arrays["input"].values[0], arrays["state"].values[0]])


@pytest.mark.parametrize(
    "name, scenario, reason",
    [
        ("recall", "bank", "recalls nothing"),
        ("recall", "landscape", "try the figure 'landscape'"),
        ("overlaps", "bank", "no overlaps"),
        ("overlaps", "spurious", "no overlap changes"),
        ("neurons", "letters", "try the figure 'recall'"),
        ("neurons", "spurious", "no neuron changes"),
        ("crosstalk", "letters", "no crosstalk"),
        ("fast_weights", "letters", "no memory that words are written into"),
        ("fast_weights", "random-features", "cannot be read"),
        ("tour", "letters", "minimises nothing"),
    ],
)
def test_what_shows_nothing_is_refused_with_the_reason(name, scenario, reason):
    assert reason in gallery()[name].lacks(result_of(scenario))


def test_the_film_goes_from_the_cues_to_their_ends():
    result = result_of("linear")
    frames = gallery()["recall"].frames(result)
    assert len(frames) == 5
    first, last = frames[0].panels[0], frames[-1].panels[0]
    np.testing.assert_array_equal(first.marks[0].values.ravel(), result.runs[0].arrays["input"].values[0])
    assert str(first.title) == "as written\ncue" and str(last.title) == "as written\nrecalls R"
    assert first.marks[0].frame is None and last.marks[0].frame == "plus"


def test_the_staircase_frames_the_nearest_pattern_and_shows_its_numbers_alone():
    result = result_of("sequence")
    (cells,) = marks(sheet("overlaps", result), Cells)
    np.testing.assert_allclose(cells.values, result.runs[0].arrays["course"].values[0].T)
    assert [cells.rows[i] for i, _ in cells.framed] == [*"HOPFIELDH"]
    assert cells.numbers.sum() == 9


def test_of_many_patterns_the_others_are_one_row():
    (cells,) = marks(sheet("overlaps", letters("ABCDEFGHIJKLMNOPQR")), Cells)
    assert len(cells.rows) == 9 and cells.rows[-1] == "the largest of 10 others"


def test_each_turn_is_a_row_and_a_neuron_that_changes_is_framed():
    result = result_of("neuron-by-neuron")
    shown = sheet("neurons", result)
    (cells,) = marks(shown, Cells)
    turns = result.runs[0].arrays["turns"].values[0]
    words = ["2: field −2", "4: field −4", "3: field 2", "5: field 2", "1: field 0"]
    assert [*cells.rows] == ["cue", *words] and [*cells.framed] == [(1, 1), (2, 3)]
    assert marks(shown, Cells, 1)[0].values.shape == cells.values.shape, "both tables have the same cells"
    assert shown.panels[0].title.split("\n")[1] == "recalls pattern 2"
    np.testing.assert_array_equal(cells.values[-1], result.runs[0].arrays["state"].values[0])
    assert [row.parts[1] for row in cells.rows[1:]] == turns[:5, 0].tolist()
    assert shown.notes[0] == "2 of 3 runs"


def test_overlaps_before_and_after_one_step_are_bars():
    result = result_of("nearest")
    for j, panel in enumerate(sheet("overlaps", result).panels):
        (bars,) = panel.marks
        np.testing.assert_array_equal(bars.values, result.runs[0].arrays["course"].values[0, j])
        assert [*bars.colour] == ["dim", "dim", "plus", "dim"]


def test_a_long_recall_has_two_lines():
    shown = sheet("recall", result_of("sequence"))
    pictures, (*_, arrows, _) = marks(shown, Picture), marks(shown, Arrows) * 2
    assert len({one.at[1] for one in pictures}) == 3 and len({one.at[0] for one in pictures}) == 5
    assert np.all(arrows.start[:, 1] == arrows.end[:, 1])


def test_the_crosstalk_beyond_the_signal_has_another_colour():
    result = ha.run(parsed(CROSSTALK))
    shown = sheet("crosstalk", result)
    below, over = marks(shown, Bars, 1)
    signal = float(result.runs[-1].arrays["signal"].values)
    assert below.at.max() <= signal < over.at.min() and over.colour == "minus"
    np.testing.assert_array_equal([*below.values, *over.values], result.runs[-1].arrays["crosstalk"].values)
    assert shown.notes[0] == "2 of 3 runs"


def test_a_column_of_fast_weights_frames_what_a_later_word_changes():
    shown = sheet("fast_weights", result_of("overwriting"))
    (cells,) = marks(shown, Cells)
    assert [*cells.rows] == ["apple", "fire"] and cells.values.tolist() == [[1, 1, 0], [0, 0, 1]]
    assert cells.framed == [(0, 2), (1, 2)] and shown.panels[0].y == "what ‘red’ recalls"
    features = sheet("fast_weights", result_of("elu-features"))
    assert features.panels[0].y.startswith("column"), "a key of features is no axis of the words"


def test_a_tour_visits_each_city_in_the_order_of_its_matrix():
    places = {"A": [0, 0], "B": [1, 0], "C": [0, 1], "D": [1, 1]}
    text = "[travelling_salesman]\nD = 100\n[travelling_salesman.cities]\n" + "\n".join(
        f"{name} = {place}" for name, place in places.items()
    )
    shown = sheet("tour", minimised(text))
    (way,), (cells,) = marks(shown, Arrows), marks(shown, Cells, 1)
    order = [[*places][i] for i in np.argmax(cells.values, axis=0)]
    np.testing.assert_array_equal(way.start, [places[city] for city in order])
    assert shown.panels[0].title.template == "the shortest tour, length {}"


def test_cities_without_places_are_a_matrix_alone():
    cities = "[travelling_salesman]\ndistances = [[0, 1, 2], [1, 0, 2], [2, 2, 0]]\nD = 100"
    shown = sheet("tour", minimised(cities))
    assert len(shown.panels) == 1 and shown.panels[0].title == "1 → 2 → 3, length 5"


def test_the_edges_of_a_cut_lead_from_one_part_to_the_other():
    cut, within, nodes = sheet("tour", minimised(TRIANGLE)).panels[0].marks
    assert (len(cut.start), len(within.start), len(nodes.texts)) == (2, 1, 3)
    assert (cut.start[:, 0] != cut.end[:, 0]).all() and (within.start[:, 0] == within.end[:, 0]).all()


def test_some_steps_are_the_first_the_last_and_early_ones():
    for last in (0, 1, 5, 200):
        steps = spaced_steps(last, 12)
        assert steps[0] == 0 and steps[-1] == last and len(steps) <= 12


@pytest.mark.parametrize("cues, keep, panels", [(1, ("overlaps",), 3), (4, (), 2), (60, ("overlaps",), 3)])
def test_a_bare_recall_has_its_last_states_and_curves_up_to_each_end(cues, keep, panels):
    rng = np.random.default_rng(0)
    patterns = rng.choice([-1.0, 1.0], (3, 20))
    record = ha.memories.hopfield(patterns).recall(patterns[rng.integers(3, size=cues)], keep=keep)
    shown = recall_sheet(record)
    assert len(shown.panels) == panels
    np.testing.assert_array_equal(marks(shown, Cells)[0].values, record.state[:40])
    energies = marks(shown, Curve, 1)
    assert [len(curve.y) for curve in energies] == [step + 1 for step in record.steps[:40]]
    np.testing.assert_allclose(energies[0].y, record.energies[: record.steps[0] + 1, 0])
