"""The expectation of a head's score: hand-computed values, weights that are not shares, and messages."""

import pytest

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.refusal import problems

TEXT = """schema = 1
title = "given attention"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
"a#1" = [1, 0]
b = [0, 1]
[input]
tokens = ["a#1", "b", "a#1", "b"]
[[layer]]
[[layer.head]]
weights = [[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.125, 0.5, 0.375, 0], [0.125, 0.25, 0.5, 0.125]]
"""


@pytest.mark.parametrize(
    ("score", "value"),
    [
        ("previous token", (0.25 + 0.5 + 0.5) / 3),
        ("duplicate token", (0.125 + 0.25) / 2),
        ("prefix matching", 0.5),
        ("attention sink", 0.375),
    ],
)
def test_scores_of_given_weights(score, value):
    outcome = ha.run(parse(f'{TEXT}[[expect]]\nscore = "{score}"\nis = {value}\n', "f.toml", "f")).expectations[0]
    assert outcome.met and outcome.expectation == score
    off = ha.run(parse(f'{TEXT}[[expect]]\nscore = "{score}"\nis = {value + 0.01}\n', "f.toml", "f"))
    assert not off.ok


def test_weights_that_are_not_shares_miss_with_the_reason():
    text = TEXT[: TEXT.index("weights")] + 'separation = "identity"\n[[expect]]\nscore = "attention sink"\nis = 1\n'
    outcome = ha.run(parse(text, "f.toml", "f")).expectations[0]
    assert not outcome.met and outcome.computed == "no score"
    assert "attention: row 2 sums to 2; expected 1" in outcome.note


@pytest.mark.parametrize(
    ("change", "expectation", "message"),
    [
        ((), 'score = "prefix match"', "score: 'prefix match' is unknown; did you mean 'prefix matching'"),
        ((), 'score = "attention sink"\nlayer = 2', "expect.1.score: there is no such layer or head"),
        (
            ('tokens = ["a#1", "b", "a#1", "b"]', 'tokens = ["a#1", "b"]'),
            'score = "prefix matching"',
            "expect.1.score: needs a word that occurs twice",
        ),
        (
            ('tokens = ["a#1", "b", "a#1", "b"]', 'tokens = ["a#1"]'),
            'score = "previous token"',
            "expect.1.score: needs a text of at least two words",
        ),
        (("[input]\n", '[input]\nqueries = ["b"]\n'), 'score = "attention sink"', "here they attend to others"),
        (('kind = "attention"', 'kind = "attention"'), 'scor = "attention sink"', "did you mean 'score'"),
    ],
)
def test_expectations_that_do_not_fit_are_reported(change, expectation, message):
    text = TEXT.replace(*change) if change else TEXT
    if "sink" not in expectation or "queries" in text:
        text = text[: text.index("weights")]
    found = problems(f"{text}[[expect]]\n{expectation}\nis = 1\n")
    assert any(message in line for line in found), found
