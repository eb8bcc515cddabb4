"""What practice refuses: wrong arguments, files of answers, scenarios that no sheet tells, pools that are too small."""

from pathlib import Path

import pytest

import hopattn as ha
from hopattn.practice import marked, sheet
from hopattn.scenario.mistakes import mistakes
from tests.refusal import assert_says, refused

BANK = ha.load("bank").text


@pytest.mark.parametrize(
    ("arguments", "place", "words"),
    [
        (("kim",), "'kim' is a group of scenarios", ["hopattn list kim"]),
        (("kom",), "there is no scenario or file 'kom'", []),
        (("capacity-by-size",), ha.load("capacity-by-size").where, ["has no table [practice]", "hopattn new practice"]),
        (("bank", 0), "count", ["1 to 100", "0"]),
        (("bank", 101), "count", ["1 to 100", "101"]),
        (("bank", 1, -1), "seed", ["at least 0", "-1"]),
        (("bank", 1, 0, "fr"), "language", ["'fr'"]),
        (("bank", 1, 0, None), "language", ["a text", "None"]),
    ],
)
def test_a_sheet_that_cannot_be_drawn_is_refused(arguments, place, words):
    refused(lambda: sheet(*arguments), place, *words)


MARKETS, IDLE = '"vocabulary.words.markets" = [[0, 0.8, 0, 0.7], [0, 0.7, 0, 0.8]]', "signs-lost"
ERRORS = ["softmax-for-similarity", "word-itself-counted", "all-words-alike", "largest-alone"]
WITHOUT = """[[without]]
token = "in"
[[expect]]
variant = "without in"
at = "banks"
closer_to = "financial"
than = "muddy"
[[expect]]
variant = "without in"
at = "banks"
is = [0, 0, 0, 0]
within = 9
"""


@pytest.mark.parametrize(
    ("vary", "errors", "before", "line", "words"),
    [
        (MARKETS, ERRORS, "", 0, ["draws", "number 1", "pools"]),
        (MARKETS, [*ERRORS, ERRORS[0]], "", 2, [".errors", ERRORS[0], "2 times"]),
        (MARKETS, [IDLE, *ERRORS[:2]], "", 0, [IDLE, "change nothing"]),
        ('"input.tokens" = ["in", "muddy"]', ERRORS, "", 0, ["draws", "pools"]),
        ('"input.tokens" = [["in"], ["muddy"]]', ERRORS, "", 0, ["draws", "pools"]),
        (MARKETS, ERRORS, WITHOUT, 0, ["draws", "pools"]),
        (MARKETS, ERRORS, WITHOUT + "asked = true\n", 0, ["without"]),
        (f'{MARKETS}, "vocabulary.words" = [1, 2]', ERRORS, "", 1, ["words.markets", "leave one"]),
        ('"layer.head.beta" = "whole", "beta" = "whole"', ERRORS, "", 1, ["layer.head.beta", "leave one"]),
        ('"layer.head.beta" = { name = "whole", least = 5, most = 4 }', ERRORS, "", 1, ["from 5 to 4", "most"]),
    ],
)
def test_both_commands_refuse_a_table_that_gives_no_sheet_at_its_line(
    hopattn, monkeypatch, vary, errors, before, line, words
):
    monkeypatch.setattr("hopattn.practice.drawing.TRIES", 20)
    head = BANK.partition("[practice]")[0].replace("names = [", "names = ['without in', " if before else "names = [")
    text = f"{head}{before}[practice]\nvary = {{ {vary} }}\nerrors = {errors}\n"
    Path("table.toml").write_text(text)
    code, _, message = hopattn("practice", "table.toml")
    assert (code, message) == (2, hopattn("check", "table.toml")[2])
    assert_says(message, f"table.toml:{text.splitlines().index('[practice]') + 1 + line}: practice", *words)


def test_check_draws_the_sheet_that_practice_draws(hopattn, monkeypatch):
    monkeypatch.setattr("hopattn.practice.drawing.TRIES", 40)
    markets, banks = [[0, 0.8, 0, 0.6], [0, 0.6, 0, 0.8]], [[0.1, 0.7, 0.7, 0.1], [0.1, 0.1, 0.7, 0.7], [0.5] * 4]
    vary = f'"vocabulary.words.markets" = {markets}, "vocabulary.words.banks" = {banks}'
    text = f"{BANK.partition('[practice]')[0]}[practice]\nvary = {{ {vary} }}\nerrors = {ERRORS}\n"
    Path("few.toml").write_text(text)
    assert [*hopattn("check", "few.toml")][::2] == [*hopattn("practice", "few.toml")][::2]
    assert_says(hopattn("check", "few.toml")[2], "few.toml", "number 5")


def test_an_error_has_no_answer_where_there_is_nothing_to_change():
    for name in ("bank", "causal-mask", "six-neurons", "sdm"):
        written = ha.load(name).spec.written_out
        assert all(isinstance(mistakes[error](written), dict) for error in mistakes), name


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ('scenario = "bank"\n', "answers.toml:1: answers", ["missing"]),
        ('scenario = "bank"\n[answers]\n', "answers.toml:2: answers", []),
        (
            'scenario = "bnk"\n[answers]\n1 = 1\n',
            "answers.toml:1: scenario: there is no scenario or file 'bnk'",
            ["'bank'?"],
        ),
        ('scenario = "bank"\ncount = 2\n[answers]\n3 = 1\n', "answers.toml:4: answers", ["'3'", "2 problems"]),
        ('scenario = "bank"\ncount = 101\n[answers]\n3 = 1\n', "answers.toml:2: count", ["101", "100"]),
        ('scenario = "bank"\nsed = 2\n[answers]\n3 = 1\n', "answers.toml:2: sed", ["'seed'?"]),
        ('scenario = "bank"\nseed = -1\n[answers]\n3 = 1\n', "answers.toml:2: seed", ["-1"]),
        ("scenario = bank\n", "answers.toml:1", ["not TOML"]),
        ('scenario = "bank"\nlanguage = "dee"\n[answers]\n1 = 1\n', "answers.toml:2: language", ["'dee'", "'de'?"]),
        (f"scenario = '{'x' * 400}'\n[answers]\n1 = 1\n", "answers.toml:1: scenario", ["there is no scenario"]),
        ("scenario = " + "[" * 5000, "answers.toml:1", ["nested"]),
        ("count = " + "9" * 5000, "answers.toml:1", ["too many digits"]),
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


def test_an_order_of_neurons_is_told_and_one_that_is_drawn_is_refused(tmp_path):
    file, text = tmp_path / "six.toml", ha.load("six-neurons").text
    file.write_text(text.replace('"sync"', '{ name = "async", order = [6, 1, 2, 3, 4, 5] }'))
    assert (
        "The neurons change one after the other, in this order: 6, 1, 2, 3, 4, 5." in sheet(file, 1).problems[0].given
    )
    back = mistakes["order-reversed"](ha.load(file).spec.written_out)
    assert back == {"memory.update": {"name": "async", "order": [5, 4, 3, 2, 1, 6], "ties": "keep"}}
    file.write_text(text.replace('"sync"', '{ name = "async", order = "random" }'))
    refused(lambda: sheet(file), str(file), "no sentence of a sheet tells memory.update.order")


def test_ties_are_told_and_the_options_of_a_network(tmp_path):
    file, text = tmp_path / "six.toml", ha.load("six-neurons").text
    file.write_text(text.replace('"sync"', '{ name = "async", order = [6, 1, 2, 3, 4, 5], ties = "up" }'))
    order = "The neurons change one after the other, in this order: 6, 1, 2, 3, 4, 5."
    assert f"{order} A neuron whose field is 0 becomes 1." in sheet(file, 1).problems[0].given
    back = mistakes["order-reversed"](ha.load(file).spec.written_out)
    assert back == {"memory.update": {"name": "async", "order": [5, 4, 3, 2, 1, 6], "ties": "up"}}
    for option, told in (
        ("bias = 0.5", "plus its bias. The biases are .5, .5, .5, .5, .5, .5."),
        ("threshold = [1, 0, 0, 0, 0, 0]", "less its threshold. The thresholds are 1, 0, 0, 0, 0, 0."),
        ('rule = "outer_products"', "in all patterns. No neuron is coupled to itself."),
        ("self_coupling = true", "Each neuron is coupled to itself too."),
    ):
        file.write_text(text.replace('"hopfield"', f'{{ name = "hopfield", {option} }}'))
        assert told in " ".join(part for part in sheet(file, 1).problems[0].given if isinstance(part, str))
    file.write_text(text.replace('"hopfield"', '{ name = "hopfield", rule = "pseudo_inverse" }'))
    refused(lambda: sheet(file), str(file), "no sentence of a sheet tells memory.model.rule")


FLOW = """schema = 1
title = "four neurons"
kind = "memory"
[memory]
couplings = [[0, -1, 1, 2], [-1, 0, 1, 1], [1, 1, 0, -2], [2, 1, -2, 0]]
update = { name = "async", order = [3, 1, 2, 4] }
[cue.start]
state = [1, 1, -1, 1]
[[expect]]
ASKED
asked = true
[practice]
vary = { "memory.couplings" = "signs", "cue.start.state" = "spins" }
errors = ["order-reversed", "values-forgotten", "sign-exchanged", "signs-lost"]
"""
ENERGY = 'matrix = "energy"\ncolumns = ["0"]\nis = [[0]]\nwithin = 99'
STATE = 'at = "start"\nis = [1, 1, 1, 1]\nwithin = 99'


@pytest.mark.parametrize(
    ("asked", "old", "new", "key"),
    [
        (STATE, "[[0, -1", "[[3, -1", "memory.couplings"),
        (STATE, "update =", "max_steps = 2\nupdate =", "memory.max_steps"),
        (ENERGY, "state = [1, 1, -1, 1]", "state = [1, 1, -1, 1]\nflip = 0.25", "cue.start.flip"),
        (ENERGY, "[3, 1, 2, 4]", '"random"', "memory.update.order"),
    ],
)
def test_a_part_of_a_network_that_no_sentence_tells_is_refused(tmp_path, asked, old, new, key):
    file = tmp_path / "flow.toml"
    file.write_text(FLOW.replace("ASKED", asked).replace(old, new))
    refused(lambda: sheet(file), str(file), f"no sentence of a sheet tells {key}")
