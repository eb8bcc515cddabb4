"""The recall strip and the valley show the numbers of the run."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Bars, Nodes, Picture, texts_of
from hopattn.figures.steps import balls_named, between_ridges
from hopattn.landscapes.plane import valley
from hopattn.memories import hopfield
from hopattn.scenario.loading import parse
from tests.refusal import refused
from tests.runs import result_of

RNG = np.random.default_rng(1)
HEAD = """[[layer.head]]
mask = "causal"
beta = 2
query = {}
key = {}
value = {}
"""
TWELVE = """schema = 1
title = "twelve heads"
source = "random matrices"
kind = "attention"
[vocabulary]
axes = ["a", "b", "c"]
magnitude = "normalise"
[vocabulary.words]
cat = [1, 0, 0]
saw = [0.2, 1, 0]
dog = [0, 1, 0.4]
[input]
tokens = ["cat", "saw", "dog"]
[[layer]]
""" + "".join(HEAD.format(*RNG.normal(size=(3, 3, 3)).round(1).tolist()) for _ in range(12))
"""A layer of twelve heads with random matrices."""


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
    assert sheet.title == "‘banks’ turns to money after ‘financial’, to river after ‘muddy’"


def test_of_many_patterns_a_strip_shows_the_largest_and_the_sum_of_the_others():
    weights, sheet = result_of("modern").runs[0].arrays["step 1 weights"].values[0], strip("modern")
    *largest, others = bars(sheet, 2)
    assert sorted(largest) == np.sort(weights)[-4:].tolist()
    assert others + sum(largest) == pytest.approx(weights.sum())
    scores = result_of("modern").runs[0].arrays["step 1 scores"].values[0]
    assert bars(sheet, 1)[-1] == max(score for score in scores if score not in bars(sheet, 1)[:-1])


def test_a_layer_shows_the_word_that_the_next_one_takes_most_from():
    run, sheet = result_of("induction").runs[0], strip("induction")
    match = int(np.argmax(run.arrays["layer 2 head 1 weights"].values[3]))
    for layer, word, panel in ((1, match, 3), (2, 3, 8)):
        answer = run.arrays[f"layer {layer} state"]
        before = run.arrays["input" if layer == 1 else "layer 1 state"].values[word]
        at = [k for k, axis in enumerate(answer.labels[1]) if axis in texts_of(sheet.panels[panel])]
        assert bars(sheet, panel) == answer.values[word, at].tolist()
        rest = f"{np.sum(before != answer.values[word])} of {len(before)} axes: others stay"
        assert (rest in texts_of(sheet.panels[panel])) == (layer == 2)  # the same of both strips, it stands once
    assert [*texts_of(sheet.panels[4])].count("next: layer 2") == 1


def test_each_of_a_few_heads_has_a_strip_with_what_it_writes():
    run, sheet = result_of("two-heads-sort").runs[0], strip("two-heads-sort")
    word = run.arrays["sequence 1 input"].labels[0].index("run")
    for head in (1, 2):
        weights, output = (
            run.arrays[f"sequence 1 layer 1 head {head} {one}"].values[word] for one in ("weights", "output")
        )
        assert bars(sheet, 5 * head - 3) == weights[: word + 1 if head == 1 else word].tolist()
        assert bars(sheet, 5 * head - 2) == output[output != 0].tolist()
        assert f"carries ‘{'verb' if head == 1 else 'I'}’" in texts_of(sheet.panels[5 * head - 4])
    assert sheet.title == "‘run’: head 1 writes ‘verb’, head 2 ‘I’"


def test_the_keys_that_a_mask_hides_share_a_row_where_they_are_many():
    sheet = strip("two-heads-sort")
    assert [[*texts_of(sheet.panels[k])].count("masked") for k in (1, 6)] == [1, 1]
    assert "3 others" in texts_of(sheet.panels[1]) and "4 others" in texts_of(sheet.panels[6])


def test_of_many_heads_the_one_that_adds_most_is_shown_beside_small_pictures_of_all():
    run = ha.run(parse(TWELVE, "twelve.toml", "twelve"))
    places = [f"head {k}" for k in range(1, 13)]
    sizes = [np.linalg.norm(run.runs[0].arrays[f"layer 1 {place} output"].values[-1]) for place in places]
    most = int(np.argmax(sizes))
    weights = [run.runs[0].arrays[f"layer 1 {place} weights"].values for place in places]
    sheet = gallery()["strip"].sheet(run, {})
    assert bars(sheet, 2) == weights[most][-1].tolist()
    output = run.runs[0].arrays[f"layer 1 {places[most]} output"].values[-1]
    assert bars(sheet, 3) == output.tolist() and "what it adds" in texts_of(sheet.panels[3])
    assert sheet.title.endswith(f"in head {most + 1} of 12")
    pictures = [mark for mark in sheet.panels[4].marks if isinstance(mark, Picture)]
    assert [bool(one.frame) for one in pictures] == [k == most for k in range(12)]
    for picture, one in zip(pictures, weights, strict=True):
        assert picture.values == pytest.approx(2 * one / one.max() - 1)


def test_words_that_a_head_does_not_compare_have_no_bars_of_scores():
    sheet = strip("aaba")
    assert "not compared" in texts_of(sheet.panels[6])
    assert bars(sheet, 6) == [] and len(bars(sheet, 7)) == 4
    assert "equal shares" in texts_of(sheet.panels[7])


def test_the_patterns_that_an_end_is_made_of_stand_beside_its_valley():
    run, sheet = result_of("lost-pattern").runs[0], strip("lost-pattern")
    pictures = [mark.values.ravel() for mark in sheet.panels[4].marks if isinstance(mark, Picture)]
    assert np.array_equal(pictures, run.arrays["patterns"].values)
    assert {"a", "b", "c"} <= {*texts_of(sheet.panels[4])}


def test_what_is_added_to_a_cue_lengthens_its_bar():
    (after, before), (replaced, cue) = (
        [mark for mark in strip(name).panels[3].marks if isinstance(mark, Bars)]
        for name in ("one-head", "null-pattern")
    )
    assert np.array_equal(before.at, after.at) and before.width == after.width and (before.values <= after.values).all()
    assert not np.array_equal(cue.at, replaced.at)  # an answer that is smaller stands below its cue
    assert "gains ‘noun’" in texts_of(strip("one-head").panels[4])
    (alone,) = (mark for mark in strip("aaba").panels[3].marks if isinstance(mark, Bars))
    assert alone.colour == "value"  # what replaces the cue has no part of it


def test_a_valley_ends_at_the_ridges_beside_its_balls():
    way = np.column_stack([np.arange(9), [0, 2, 3, 2, 0, 1, 2, 1, 0]])
    for balls, kept in (([(3, 2), (4, 0)], way[2:7]), ([(0, 0), (0, 0)], way[:3]), ([(8, 0)], way[6:])):
        assert np.array_equal(way[between_ridges(way, np.array(balls))], kept)


def test_a_sentence_stands_once():
    for name, sentence in (("bank", "in financial\nmarkets banks"), ("induction", "their dog\nchased their")):
        assert sentence in texts_of(strip(name).panels[0])
    assert not any("orange apple" in text for text in texts_of(strip("apple").panels[0]))  # the name of the run says it


def test_what_is_unknown_of_a_cue_is_named():
    assert "grey: unknown" in texts_of(strip("letters").panels[0])
    assert "grey: unknown" not in [*texts_of(strip("modern"))]


def test_the_strips_of_a_figure_have_one_scale_and_one_zero():
    for name in ("induction", "messages", "two-heads-sort", "aaba"):
        panels = strip(name).panels
        for column in (1, 2, 3):
            marks = [mark for panel in panels[column::5] for mark in panel.marks if isinstance(mark, Bars)]
            assert len({(mark.zero, mark.unit) for mark in marks}) == 1, (name, column)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("aaba", "‘find a B’ takes .5 from ‘B’ with attention, .25 with averaging"),
        ("induction", "‘their₂’ finds ‘dog’, which noted ‘their’ before it"),
        ("alignment", "‘kediler’ takes most from ‘cats’ (.9)"),
        ("lost-pattern", "‘a’ is stored, but lost: it ends at a mixture of a, b, c"),
        ("messages", "‘blue’ takes 1 from itself with no mask, nothing with strict mask"),
        ("dense", "‘torn K’ recalls K among 36 patterns"),
        ("neuron-by-neuron", "neurons 2 and 4 turn: the network recalls pattern 2"),
        ("hopfield-beside-attention", "‘Hopfield’ and ‘attention’ on the same cue: each recalls ‘halves’"),
    ],
)
def test_a_title_says_what_the_answers_show(name, title):
    assert strip(name).title == title
    assert strip(name, title="mine").title == "mine"


def test_a_ball_lies_at_the_energy_of_each_turn():
    run, sheet = result_of("neuron-by-neuron").runs[0], strip("neuron-by-neuron")
    (balls,) = (mark.at for mark in sheet.panels[9].marks if isinstance(mark, Nodes) and mark.shape == "circle")
    turns = run.arrays["turns"].values[0]
    energies = [run.arrays["energy"].values[0][0], *turns[turns[:, 1] != turns[:, 2], 3]]
    assert np.corrcoef(balls[:, 1], energies)[0, 1] == pytest.approx(1)
    assert "settled after 2 turns" in texts_of(sheet.panels[9])


def test_a_neuron_that_turns_shows_the_parts_of_its_field():
    run, sheet = result_of("neuron-by-neuron").runs[0], strip("neuron-by-neuron")
    field, before, after, _ = run.arrays["turns"].values[0][0]
    assert sum(bars(sheet, 2)) == field and before != after
    assert "ones; black: 1" in texts_of(sheet.panels[0]) and "after turn 1" in texts_of(sheet.panels[5])
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


def test_a_ball_that_hides_others_has_their_numbers():
    places = np.array([(0, 5.0), (6, 0.1), (7, 0), (7.1, 0)])
    assert [*balls_named([0, 3], places)] == ["0", "1–3"]
    assert [*balls_named([0, 2, 3], np.array([(0, 5.0), (0.1, 5), (7, 0), (9, 0)]))] == ["0", "2", "3"]


def test_a_caption_names_the_rule_and_the_printed_parts_add_up():
    dense, lost = strip("dense"), strip("lost-pattern")
    assert "score⁹, as shares" in texts_of(dense.panels[2])  # the power 10 of the energy has the slope 9
    assert "× state: sum −.375" in texts_of(lost.panels[2])
    (parts,) = (mark for mark in lost.panels[2].marks if isinstance(mark, Bars))
    assert sum(round(value, parts.digits) for value in parts.values) == -0.375
    assert "softmax, β = 5" in texts_of(strip("alignment").panels[2])
