"""Sheets: the same seed draws the same problems in every language and process; another seed draws others."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.sentences import sentences
from hopattn.practice import Sheet, sheet
from hopattn.practice.drawing import Exercise
from hopattn.practice.problem import number_of
from hopattn.practice.wording import texts


def as_lists(drawn):
    return json.loads(json.dumps([problem.to_dict() for problem in drawn.problems]))


@pytest.mark.slow
def test_the_same_seed_draws_the_same_problems_in_another_process():
    code = "import json; from hopattn.practice import sheet; drawn = sheet('bank', 2, 7).problems\n"
    code += "print(json.dumps([one.to_dict() for one in drawn]))"
    environment = {**os.environ, "PYTHONHASHSEED": "3"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert as_lists(sheet("bank", 2, 7)) == json.loads(ran.stdout) != as_lists(sheet("bank", 2, 8))


def test_a_sheet_knows_its_scenario_and_the_command_that_draws_it_again():
    one, default, german = sheet("bank", 2, 7), sheet(ha.load("bank")), sheet("bank", 1, language="de")
    assert isinstance(one, Sheet) and (one.scenario, one.seed, one.language) == ("bank", 7, "en")
    assert (one.title, one.source) == (ha.load("bank").spec.title, ha.load("bank").spec.source)
    assert [problem.number for problem in one.problems] == [1, 2] and len(default.problems) == 5
    assert as_lists(default) == as_lists(sheet("bank", 5, 0, "en"))
    commands = [drawn.command for drawn in (one, default, german)]
    assert commands == [
        "hopattn practice bank --count 2 --seed 7",
        "hopattn practice bank --count 5 --seed 0",
        "hopattn practice bank --count 1 --seed 0 --lang de",
    ]


def test_a_longer_sheet_begins_with_the_shorter_one():
    assert sheet("bank", 3, 5).problems[:2] == sheet("bank", 2, 5).problems


def test_the_right_answer_stands_at_each_letter_once_in_four_problems():
    letters = [problem.letter for problem in sheet("bank", 8, 7).problems]
    assert {*letters[:4]} == {*letters[4:]} == {*"ABCD"}


def as_written(tables):
    """The numbers of tables, with a decimal point."""
    return [[[number_of(cell) for cell in row] for row in table["cells"]] for table in tables]


def test_another_language_has_the_same_numbers():
    english, german = sheet("bank", 2, 1), sheet("bank", 2, 1, language="de")
    for one, other in zip(as_lists(english), as_lists(german), strict=True):
        assert as_written(one["choices"]) == as_written(other["choices"])
        assert [choice["error"] for choice in one["choices"]] == [choice["error"] for choice in other["choices"]]
        assert one["question"] != other["question"] and one["right"] == other["right"]
        tables = [[part for part in own["given"] if isinstance(part, dict)] for own in (one, other)]
        assert as_written(tables[0]) == as_written(tables[1]) != []
        assert "," in tables[1][0]["cells"][-1][0], "German numbers have a comma"
        assert len(one["working"]) == len(other["working"]) and one["working"] != other["working"]


def test_every_text_has_a_german_form():
    said = {text for table in texts("en").values() for text in table.values()}
    assert len(said) > 200 and said - {*sentences("de")} == set()


def test_a_variant_can_be_asked(tmp_path):
    """The problem of a variant is given with the variant's own text."""
    text = ha.load("bank").text.replace("asked = true", "")
    text = text.replace('variant = "river"\nat', 'variant = "river"\nat', 1)
    text += '[[expect]]\nvariant = "river"\nat = "banks"\nof = "output"\nis = [0, 0, 0, 0]\nwithin = 9\nasked = true\n'
    (tmp_path / "variant.toml").write_text(text)
    assert "The text is: in muddy rivers banks." in sheet(tmp_path / "variant.toml", 1, 3).problems[0].given


def test_words_of_the_same_weight_give_their_mean():
    """Also where the weights are similarities, which need not sum to 1."""
    exercise = Exercise(ha.load("bank"))
    for seed in range(5):
        draw = exercise.draw(seed, 1)
        words = draw.document["vocabulary"]["words"]
        mean = np.mean([words[word] for word in ("in", "financial", "markets")], axis=0)
        np.testing.assert_allclose(dict(exercise.wrong_answers(draw))["all-words-alike"].values, mean, atol=1e-12)
