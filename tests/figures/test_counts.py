"""What grows with the number of words, and what arises in training, as data."""

import numpy as np
import pytest

from hopattn.figures.figure import gallery
from hopattn.figures.sheet import Curve, Rule
from tests.runs import result_of, sheet_of


def test_multiplications_for_one_more_word_and_how_they_grow():
    sheet = sheet_of("growth", "key-value-cache")
    counts, (panel,) = result_of("key-value-cache").runs[0].arrays["multiplications"], sheet.panels
    for curve, way in zip(panel.marks, ("word_cached", "word_anew"), strict=True):
        assert np.array_equal(curve.y, counts.values[:, counts.labels[1].index(way)])
    assert [curve.name for curve in panel.marks] == ["with the cache:\n2 ×", "without the cache:\n4 ×"]
    assert sheet.title == "for long texts, twice the words ask for 2 × the work with the cache, 4 × without it"


def test_a_line_marks_the_step_at_which_an_induction_head_is_there():
    result = result_of("emergence")
    sheet = sheet_of("emergence", "emergence")
    heads, losses = sheet.panels
    match = result.runs[0].arrays["two layers prefix matching"]
    first = next(int(step) for step, row in zip(match.labels[0], match.values, strict=True) if row.max() >= 0.5)
    assert f"arises at step {first}; one layer: none" in sheet.title
    for panel in (heads, losses):
        assert [mark.x for mark in panel.marks if isinstance(mark, Rule)] == [first]
    best, loss = ([mark.y for mark in panel.marks if isinstance(mark, Curve)] for panel in (heads, losses))
    assert heads.marks[1].names == ["two layers"] and np.array_equal(best[0], match.values.max(axis=1))
    assert np.array_equal(loss[1], result.runs[0].arrays["one layer in-context score"].values)


@pytest.mark.parametrize(("figure", "reason"), [("growth", "no multiplications"), ("emergence", "no training")])
def test_other_scenarios_are_refused_with_a_reason(figure, reason):
    assert reason in gallery()[figure].lacks(result_of("bank"))
