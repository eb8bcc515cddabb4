"""The recall strip and the valley show the numbers of the run."""

import numpy as np
import pytest

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Bars, Nodes, Picture, texts_of
from hopattn.landscapes.plane import valley
from hopattn.memories import hopfield
from tests.refusal import refused
from tests.runs import result_of


def strip(name, **options):
    return gallery()["strip"].sheet(result_of(name), options)


def bars(sheet, panel):
    """The numbers of all bars of a panel."""
    return [number for mark in sheet.panels[panel].marks if isinstance(mark, Bars) for number in mark.values]


def test_a_strip_of_a_memory_shows_scores_weights_and_the_first_answer():
    run, sheet = result_of("letters").runs[0], strip("letters")
    assert bars(sheet, 1) == run.arrays["step 1 scores"].values[0].tolist()
    assert bars(sheet, 2) == run.arrays["step 1 weights"].values[0].tolist()
    (answer,) = (mark for mark in sheet.panels[3].marks if isinstance(mark, Picture))
    assert np.array_equal(answer.values.ravel(), run.arrays["step 1 output"].values[0])


def test_a_strip_of_a_word_shows_its_row_without_what_the_mask_hides():
    run, sheet = result_of("bank").runs[0], strip("bank")
    scores, weights = (run.arrays[f"layer 1 head 1 {what}"].values[3] for what in ("scores", "weights"))
    assert (bars(sheet, 1), bars(sheet, 2)) == (scores[:3].tolist(), weights[:3].tolist())
    assert [*texts_of(sheet.panels[1])].count("masked") == 1
    assert bars(sheet, 3) == [*run.arrays["layer 1 state"].values[3], *run.arrays["input"].values[3]]
    assert sheet.title == "‘banks’ takes most from ‘financial’ or ‘muddy’: weight .7"


def test_of_many_patterns_a_strip_shows_the_largest_and_the_sum_of_the_others():
    weights, sheet = result_of("modern").runs[0].arrays["step 1 weights"].values[0], strip("modern")
    *largest, others = bars(sheet, 2)
    assert sorted(largest) == np.sort(weights)[-4:].tolist()
    assert others + sum(largest) == pytest.approx(weights.sum())


def test_the_answer_of_one_layer_is_the_cue_of_the_next():
    run, sheet = result_of("induction").runs[0], strip("induction")
    cue, answer = (run.arrays[f"layer {layer} state"] for layer in (1, 2))
    (*names, others), *_ = (mark.texts for mark in sheet.panels[8].marks if isinstance(mark, Nodes) and mark.texts[1:])
    at = [cue.labels[1].index(name) for name in names]
    assert bars(sheet, 8) == answer.values[3, at].tolist() and not np.any(cue.values[3, at])
    assert others == f"{np.sum(cue.values[3] == answer.values[3])} unchanged"
    assert [*texts_of(sheet.panels[4])].count("on to layer 2") == 1


def test_a_neuron_that_turns_shows_the_parts_of_its_field():
    run, sheet = result_of("neuron-by-neuron").runs[0], strip("neuron-by-neuron")
    field, before, after, _ = run.arrays["turns"].values[0][0]
    assert sum(bars(sheet, 2)) == field and before != after
    (answer,) = (mark for mark in sheet.panels[3].marks if isinstance(mark, Picture))
    assert (answer.values[1, 0] + 1) / 2 == after  # on is ink, and off is paper


def test_each_frame_has_one_column_more():
    frames, whole = gallery()["strip"].frames(result_of("letters")), strip("letters")
    assert [sum(bool(panel.marks) for panel in frame.panels) for frame in frames] == [1, 2, 3, 4, 5]
    assert [*texts_of(frames[-1])] == [*texts_of(whole)]


def test_a_strip_needs_a_step_of_recall():
    refused(lambda: strip("similarity"), "figure 'strip' cannot be drawn from 'similarity'", "step of recall")


@pytest.mark.parametrize("name", ["letters", "modern", "two-cycle", "valley", "dense"])
def test_the_balls_of_a_valley_lie_at_the_energies_of_the_run(name):
    for run in result_of(name).runs:
        energies = run.arrays["energy"].values
        assert run.arrays["balls"].values[:, 1] == pytest.approx(energies, rel=1e-9, abs=1e-9 * np.ptp(energies))


def test_a_way_goes_neuron_by_neuron_through_every_state():
    patterns = np.array([[1, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])
    memory, states = hopfield(patterns), np.array([[1, 1, -1, 1, -1, -1], patterns[0], patterns[0]])
    way, balls, ends = valley(memory, states, patterns[1], patterns[0])
    assert ends.tolist() == [0, 10]
    assert balls[0].tolist() == [8, 10, 10]  # four neurons turn, then one; each is a way of 2
    assert way[0].tolist() == [*range(0, 17, 2)]
    assert way[1, 0] == memory.energy(patterns[1])


def test_a_valley_names_the_patterns_at_its_ends():
    first, second = gallery()["valley"].sheet(result_of("valley")).panels
    assert ([*first.x_ticks.values()], [*second.x_ticks.values()]) == (["A", "B"], ["A", "B"])
    (balls,) = (mark for mark in first.marks if isinstance(mark, Nodes))
    energies = result_of("valley").runs[0].arrays["energy"].values[0]
    assert balls.at[:, 1] == pytest.approx(energies[[int(step) for step in balls.texts]])


def test_a_valley_between_two_patterns_is_a_line_for_each_run():
    refused(lambda: gallery()["valley"].sheet(result_of("bank")), "figure 'valley'", "no recall whose energy falls")
    (panel,) = gallery()["valley"].sheet(result_of("barrier")).panels
    assert [*panel.x_ticks.values()] == ["stripes", "halfway", "halves"]
