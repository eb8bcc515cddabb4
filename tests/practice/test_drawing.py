"""Sheets: the same seed draws the same problems, and what cannot be drawn is refused."""

import json
import os
import subprocess
import sys

import pytest

import hopattn as ha
from hopattn.foundation.errors import CannotDo
from hopattn.practice import Sheet, drawing, sheet
from hopattn.practice.drawing import Exercise, is_told
from hopattn.practice.problem import Grid
from tests.each import each


def as_text(drawn):
    return json.dumps([problem.to_dict() for problem in drawn.problems], ensure_ascii=False)


def test_the_same_seed_draws_the_same_problems_in_another_process():
    code = "import json; from hopattn.practice import sheet; drawn = sheet('bank', 2, 7).problems\n"
    code += "print(json.dumps([one.to_dict() for one in drawn]))"
    environment = {**os.environ, "PYTHONHASHSEED": "3"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    drawn = sheet("bank", 2, 7)
    assert isinstance(drawn, Sheet) and json.loads(ran.stdout) == json.loads(as_text(drawn))
    assert as_text(drawn) != as_text(sheet("bank", 2, 8))


def test_a_longer_sheet_begins_with_the_shorter_one():
    assert sheet("bank", 3, 5).problems[:2] == sheet("bank", 2, 5).problems


def test_the_right_answer_stands_at_each_letter_once_in_four_problems():
    letters = [problem.letter for problem in sheet("bank", 8, 7).problems]
    assert {*letters[:4]} == {*letters[4:]} == {*"ABCD"}


def test_another_language_has_the_same_numbers():
    english, german = sheet("bank", 2, 1), sheet("bank", 2, 1, language="de")
    for one, other in zip(english.problems, german.problems, strict=True):
        assert [choice.cells for choice in one.choices] == [choice.cells for choice in other.choices]
        assert one.question != other.question and one.letter == other.letter
        assert [part for part in one.given if isinstance(part, Grid)] == [
            part for part in other.given if isinstance(part, Grid)
        ]
        assert len(one.working) == len(other.working) and one.working != other.working


def test_every_language_has_the_same_texts():
    from hopattn.practice.wording import languages, texts

    def keys(table, place=()):
        for key, value in table.items():
            yield from keys(value, (*place, key)) if isinstance(value, dict) else [(*place, key)]

    english = set(keys(texts("en")))
    for language in languages():
        own = {key for key in keys(texts(language)) if key[0] != "working"}
        assert own == english, language


@each(
    ("arguments", "message"),
    [
        (("kim",), "there is no scenario or file 'kim'"),
        (("capacity-by-size",), "has no table [practice]"),
        (("bank", 0), "count"),
        (("bank", 101), "count"),
        (("bank", 1, -1), "seed"),
        (("bank", 1, 0, "fr"), "language: 'fr' is unknown"),
    ],
)
def test_a_wrong_argument_is_refused(arguments, message):
    with pytest.raises(ha.InvalidInput) as error:
        sheet(*arguments)
    assert message in str(error.value)


def test_a_pool_that_is_too_small_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "TRIES", 30)
    file = tmp_path / "small.toml"
    file.write_text(
        ha.load("bank").text[: ha.load("bank").text.index("[practice]")]
        + '[practice]\nvary = { "vocabulary.words.markets" = [[0, 0.8, 0, 0.6], [0, 0.6, 0, 0.8]] }\n'
        'errors = ["softmax-for-similarity", "word-itself-counted", "all-words-alike", "largest-alone"]\n'
    )
    assert len(sheet(file, 1).problems) == 1
    with pytest.raises(CannotDo, match="no problem number 3 that is friendly; use larger pools"):
        sheet(file, 5)


def test_an_answer_that_the_sheet_tells_is_found():
    grid = Grid(("a", "b"), ("x", "y"), ((".6", ".8"), ("1", "0")))
    assert is_told(((".6",),), [grid]) and is_told((("1",),), []) and not is_told(((".7",),), [grid, "about .75"])
    assert is_told(((".6", ".8"),), [grid]) and not is_told(((".8", ".6"),), [grid])


def test_a_variant_can_be_asked(tmp_path):
    """The problem of a variant is given with the variant's own text."""
    file = tmp_path / "variant.toml"
    text = ha.load("bank").text.replace("asked = true", "")
    text = text.replace('variant = "river"\nat', 'variant = "river"\nat', 1)
    text += '[[expect]]\nvariant = "river"\nat = "banks"\nof = "output"\nis = [0, 0, 0, 0]\nwithin = 9\nasked = true\n'
    file.write_text(text)
    problem = sheet(file, 1, 3).problems[0]
    assert "The text is: in muddy rivers banks." in problem.given
    assert Exercise(ha.load(file)).draw(3, 1).spec.input.tokens == ["in", "muddy", "rivers", "banks"]
