"""Words in a plane: a word turns as the run says, what is added to it is its way, and masks are kept."""

from functools import cache

import numpy as np
import pytest

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.figure import gallery
from hopattn.figures.policies import goal, hero, rise, shows_turn, words_of
from hopattn.figures.sheet import Arrows, Points
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse

TEXT = """
schema = 1
title = "own"
source = "own"
kind = "attention"
[vocabulary]
axes = {axes}
magnitude = "free"
[vocabulary.words]
{words}
[input]
tokens = {tokens}
[[layer]]
[[layer.head]]
separation = "{separation}"
mask = "{mask}"
"""


@cache
def result_of(name):
    return ha.run(name)


def own(words, separation="softmax", mask="causal"):
    axes = [f"axis {k}" for k in range(len(next(iter(words.values()))))]
    lines = "\n".join(f"{word} = {vector}" for word, vector in words.items())
    text = TEXT.format(axes=axes, words=lines, tokens=[*words], separation=separation, mask=mask)
    return ha.run(parse(text, "own.toml", "own"))


def shown(sheet, result):
    """The panels of a sheet, each with its run."""
    runs = chosen(result).runs
    return [
        (panel, next(run for run in runs if len(runs) == 1 or panel.title.startswith(run.name or "cosine")))
        for panel in sheet.panels
    ]


def of(panel, colour, kind=Arrows):
    return [mark for mark in panel.marks if isinstance(mark, kind) and mark.colour == colour]


@pytest.mark.parametrize("scenario", ["bank", "apple", "scaling", "bank-softmax", "value-matrix", "change-of-space"])
def test_what_is_added_leads_head_to_tail_from_the_word_to_what_it_becomes(scenario):
    result = result_of(scenario)
    sheet = gallery()["words"].sheet(result)
    for panel, run in shown(sheet, result):
        found = words_of(run)
        word = hero(result, found)
        at = [found.before.labels[1].index(axis) for axis in (panel.x, panel.y)]
        (way,), (before, after) = of(panel, "value"), of(panel, "plus")
        assert np.allclose(way.end[:-1], way.start[1:]), "head to tail"
        assert np.allclose(way.end[-1], found.after.values[word, at]) and np.allclose(way.end[-1], after.end)
        assert np.allclose(before.end, found.before.values[word, at])


def test_terms_are_weights_of_the_run_times_words():
    (first, second) = gallery()["words"].sheet(result_of("bank")).panels
    names = [[*of(panel, "value", Points)[0].names] for panel in (first, second)]
    assert names == [["+ .7 financial", "+ .62 markets"], ["+ .7 muddy", "+ .62 rivers"]], "one at each arrow"
    (scaled, *_) = gallery()["words"].sheet(result_of("scaling")).panels
    assert [*of(scaled, "value", Points)[0].names] == [".57 apple", "+ .43 orange"], "without a residual, from 0 on"


@pytest.mark.parametrize("scenario", ["bank", "bank-layers", "bank-softmax", "apple", "change-of-space"])
def test_a_word_turns_in_its_plane_as_the_title_says(scenario):
    result = result_of(scenario)
    sheet = gallery()["words"].draw(chosen(result))
    for panel, run in shown(sheet, result):
        found = words_of(run)
        word = hero(result, found)
        towards = goal(found, word)
        at = [found.before.labels[1].index(axis) for axis in (panel.x, panel.y)]
        whole = rise(found, word, towards)
        assert whole > 0 and rise(found, word, towards, at) >= whole / 2
        assert f"with {found.tokens[towards]}:" in panel.title and found.sees[word, towards]
        assert f"‘{found.tokens[word]}’ turns towards" in sheet.title and found.tokens[towards] in sheet.title


def test_a_word_that_turns_by_few_degrees_hardly_turns():
    sheet = gallery()["words"].sheet(own({"red": [1, 0], "apple": [0.3, 1.8]}))
    assert sheet.title == "‘apple’ hardly turns towards ‘red’"


def test_the_values_of_all_heads_are_added():
    (panel,) = gallery()["words"].sheet(result_of("two-heads-subject")).panels
    assert of(panel, "value", Points)[0].names == ["+ value of I"]


def test_of_many_runs_those_that_turn_most_are_shown():
    result = result_of("change-of-space")
    assert [run.name for _, run in shown(gallery()["words"].sheet(result), result)] == ["technology", "fruit"]


def test_a_plane_that_denies_the_turn_is_refused():
    result = result_of("bank-layers")
    plane = result.figure.model_copy(update={"axes": ["function", "plural"]})
    with pytest.raises(InvalidInput, match=r"on the axes function and plural, 'banks' does not turn"):
        gallery()["words"].sheet(ha.Result(**{**vars(result), "figure": plane}))


def test_no_word_that_the_mask_hides_is_in_the_picture():
    result = own({"cat": [1, 0], "saw": [0.6, 0.8], "dog": [0, 1], "hidden": [-1, 0.5]}, mask="strict")
    table = result.figure.model_copy(update={"query": "saw"})
    sheet = gallery()["words"].sheet(ha.Result(**{**vars(result), "figure": table}))
    names = [name for mark in sheet.panels[0].marks if isinstance(mark, Points) for name in mark.names]
    assert "cat" in names and not {"dog", "hidden"} & {*" ".join(names).split()}
    assert sheet.title == "‘saw’ turns towards ‘cat’"


@pytest.mark.parametrize(
    ("words", "separation", "reason"),
    [
        ({"cat": [1, 0], "dog": [1, 0], "cow": [1, 0]}, "softmax", "attention turns no word"),
        ({"cat": [1, 0], "dog": [0, 1]}, "identity", "no word takes from another one of its text"),
        ({"cat": [1], "dog": [-1]}, "softmax", "turns|one axis"),
    ],
)
def test_words_with_nothing_to_see_are_refused(words, separation, reason):
    with pytest.raises(InvalidInput, match=reason):
        gallery()["words"].sheet(own(words, separation, "none"))


@pytest.mark.parametrize(
    ("scenario", "reason"), [("layer-norm", "'qkv'"), ("length", "no text"), ("cross-attention", "'attention'")]
)
def test_other_scenarios_are_refused_with_a_reason(scenario, reason):
    assert reason in gallery()["words"].lacks(result_of(scenario))


def test_many_long_words_leave_room():
    draws = np.random.default_rng(0)
    words = {f"Donaudampfschifffahrt{letter}": draws.normal(size=6).round(2).tolist() for letter in "abcdefghijkl"}
    sheet = gallery()["words"].sheet(own(words))
    (panel,) = sheet.panels
    assert len(of(panel, "value")[0].start) <= 4 and "2 of 6 axes" in sheet.notes
    assert shows_turn(words_of(own(words).runs[0]), hero(own(words), words_of(own(words).runs[0])))


def test_the_grid_of_a_slanted_plane_is_mapped_as_its_words_are():
    sheet = gallery()["space"].sheet(result_of("two-spaces"))
    words, *slanted = sheet.panels
    assert sheet.title == "one matrix brings ‘apple’ nearer to ‘phone’, another to ‘orange’"
    assert np.ptp([[np.ptp(panel.x_range), np.ptp(panel.y_range)] for panel in sheet.panels], axis=0).max() < 1e-9
    for panel, run in zip(slanted, result_of("two-spaces").runs, strict=True):
        mapped = run.arrays["layer 1 head 1 queries"].values
        (grid, *_), (square, *_) = panel.marks, words.marks
        matrix = np.linalg.lstsq(words.marks[2].at, mapped, rcond=None)[0]
        assert np.allclose(panel.marks[2].at, mapped)
        assert np.allclose(grid.start, square.start @ matrix) and np.allclose(grid.end, square.end @ matrix)
