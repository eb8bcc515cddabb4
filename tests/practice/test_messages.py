"""What practice refuses: wrong arguments, files of answers, scenarios that no sheet tells, pools that are too small."""

import pytest

import hopattn as ha
from hopattn.practice import marked, sheet
from tests.refusal import refused

BANK = ha.load("bank").text
SMALL = f"""{BANK.partition("[practice]")[0]}[practice]
vary = {{ "vocabulary.words.markets" = [[0, 0.8, 0, 0.7], [0, 0.7, 0, 0.8]] }}
errors = ["softmax-for-similarity", "word-itself-counted", "all-words-alike", "largest-alone"]
"""


@pytest.mark.parametrize(
    ("arguments", "place", "words"),
    [
        (("kim",), "there is no scenario or file 'kim'", []),
        (("capacity-by-size",), ha.load("capacity-by-size").where, ["has no table [practice]"]),
        (("bank", 0), "count", ["1 to 100", "0"]),
        (("bank", 101), "count", ["1 to 100", "101"]),
        (("bank", 1, -1), "seed", ["at least 0", "-1"]),
        (("bank", 1, 0, "fr"), "language", ["'fr'"]),
        (("bank", 1, 0, None), "language", ["a text", "None"]),
        (("small.toml", 1), "practice: small: 500 draws", ["number 1", "pools"]),
    ],
)
def test_a_sheet_that_cannot_be_drawn_is_refused(tmp_path, monkeypatch, arguments, place, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.toml").write_text(SMALL)
    refused(lambda: sheet(*arguments), place, *words)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('scenario = "bank"\n', "answers.toml:1: answers", ["missing"]),
        ('scenario = "bank"\n[answers]\n', "answers.toml:2: answers", []),
        ('scenario = "bnk"\n[answers]\n1 = 1\n', "there is no scenario or file 'bnk'", ["'bank'?"]),
        ('scenario = "bank"\ncount = 2\n[answers]\n3 = 1\n', "answers.toml:4: answers", ["'3'", "2 problems"]),
        ('scenario = "bank"\ncount = 101\n[answers]\n3 = 1\n', "answers.toml:2: count", ["101", "100"]),
        ('scenario = "bank"\nsed = 2\n[answers]\n3 = 1\n', "answers.toml:2: sed", ["'seed'?"]),
        ('scenario = "bank"\nseed = -1\n[answers]\n3 = 1\n', "answers.toml:2: seed", ["-1"]),
        ("scenario = bank\n", "answers.toml:1", ["not TOML"]),
        ('scenario = "bank"\nlanguage = "dee"\n[answers]\n1 = 1\n', "language", ["'dee'", "'de'?"]),
    ],
)
def test_a_fault_of_a_file_of_answers_is_reported(tmp_path, monkeypatch, text, place, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.toml").write_text(text)
    refused(lambda: marked("answers.toml"), place, *words)


HEAD = "[[layer.head]]"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        (HEAD, f'norm = "layer"\n{HEAD}', "layer.1.norm"),
        (HEAD, f"{HEAD}\nrope = true", "layer.1.head.1.rope"),
        (HEAD, f'{HEAD}\nactivation = "tanh"', "layer.1.head.1.activation"),
        (HEAD, f'{HEAD}\nsimilarity = "euclidean"', "layer.1.head.1.similarity"),
        (HEAD, f"{HEAD}\nvalue = {{ scale = 2 }}", "layer.1.head.1.value.scale"),
        ('separation = "identity"', 'separation = "sparsemax"', "layer.1.head.1.separation"),
        ('mask = "strict"', 'mask = { name = "window", width = 2 }', "layer.1.head.1.mask"),
    ],
)
def test_a_part_that_no_sentence_tells_is_refused_with_the_line_of_the_table(tmp_path, old, new, key):
    file, text = tmp_path / "bank.toml", BANK.replace(old, new, 1)
    file.write_text(text)
    line = text.splitlines().index("[practice]") + 1
    refused(lambda: sheet(file), f"{file}:{line}: practice: no sentence of a sheet tells {key}")


def test_a_part_after_the_number_that_is_asked_does_not_matter(tmp_path):
    text, places = ha.load("practice-7-2").text, [tmp_path / name / "same.toml" for name in "ab"]
    later = f"output = {[[0, 0, 0, i] for i in range(4)]}\n{HEAD}"
    for place, changed in zip(places, (text, text.replace(HEAD, later, 1)), strict=True):
        place.parent.mkdir()
        place.write_text(changed)
    assert sheet(places[0], 1).problems == sheet(places[1], 1).problems
