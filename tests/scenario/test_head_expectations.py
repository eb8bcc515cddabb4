"""The expectation of a head's score: values by hand, and weights that are not shares."""

import pytest

import hopattn as ha
from tests.scenario.scenarios_of_kinds import ATTENDED
from tests.texts import parsed

SCORES = {
    "previous token": (0.25 + 0.5 + 0.5) / 3,
    "duplicate token": (0.125 + 0.25) / 2,
    "prefix matching": 0.5,
    "attention sink": 0.375,
}


def outcome(keys, text=ATTENDED):
    return ha.run(parsed(f"{text}[[expect]]\n{keys}\n")).expectations[0]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("off", "met"), [(0, True), (0.04, True), (0.07, False), (-0.07, False)])
def test_scores_of_given_weights_are_met_within_their_tolerance(score, off, met):
    judged = outcome(f'score = "{score}"\nis = {SCORES[score] + off}\nwithin = 0.05')
    assert judged.met is met and judged.expectation == score
    assert judged.computed == f"{SCORES[score]:.6g}"


def test_weights_that_are_not_shares_miss_with_the_reason():
    text = ATTENDED[: ATTENDED.index("weights")] + 'separation = "identity"\n'
    judged = outcome('score = "attention sink"\nis = 1', text)
    assert judged.met is False and judged.computed == "no score"
    assert "attention: row 2 sums to 2; expected 1" in judged.note
