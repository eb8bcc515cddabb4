"""Sheets: the same seed draws the same problems in every language and process; another seed draws others."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import hopattn as ha
from hopattn.practice import Sheet, sheet
from hopattn.practice.drawing import Exercise


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
        "hopattn practice bank --count 1 --seed 0 --language de",
    ]


def test_a_longer_sheet_begins_with_the_shorter_one():
    assert sheet("bank", 3, 5).problems[:2] == sheet("bank", 2, 5).problems


def test_the_right_answer_stands_at_each_letter_once_in_four_problems():
    letters = [problem.letter for problem in sheet("bank", 8, 7).problems]
    assert {*letters[:4]} == {*letters[4:]} == {*"ABCD"}


def test_another_language_has_the_same_numbers():
    english, german = sheet("bank", 2, 1), sheet("bank", 2, 1, language="de")
    for one, other in zip(as_lists(english), as_lists(german), strict=True):
        assert [choice["cells"] for choice in one["choices"]] == [choice["cells"] for choice in other["choices"]]
        assert [choice["error"] for choice in one["choices"]] == [choice["error"] for choice in other["choices"]]
        assert one["question"] != other["question"] and one["right"] == other["right"]
        tables = [[part for part in own["given"] if isinstance(part, dict)] for own in (one, other)]
        assert tables[0] == tables[1] != []
        assert len(one["working"]) == len(other["working"]) and one["working"] != other["working"]


def test_every_language_has_the_same_texts_with_the_same_places():
    def keys(table, place=()):
        for key, value in table.items():
            if isinstance(value, dict):
                yield from keys(value, (*place, key))
            elif place != ("working",):
                yield (*place, key), sorted({*re.findall("{.*?}", value)})

    english, german = (dict(keys(sheet("bank", 1, language=language).texts)) for language in ("en", "de"))
    assert english == german


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
