"""A text that is not TOML: the line with a caret, and the likely cause."""

import tomllib

import pytest

from tests.refusal import problems
from tests.texts import GOOD

CAUSES = [  # a text, the place of the caret, and what the message names
    # a number that TOML writes in another way
    ("a = .5", ".5", "write 0.5"), ("a = [1, -.9]", "-.9", "write -0.9"), ("a = { b = +.5 }", "+.5", "write +0.5"),
    ("a = 5.", ".", "write 5.0"), ("a = [5., 1]", ".", "write 5.0"), ("a = 0,5", ",5", "write 0.5"),
    ("a = { b = 0,5 }", "0,5", "write 0.5"), ("a = [0,6, 0,05]", "0,05", "write 0.05"), ("a = -07", "07", "write 7"),
    ("a = 1/2", "/2", "a decimal, such as 0.5"),
    # a quote that is missing or curly
    ('a = "abc\nb = 1', '"abc', "no closing quote"), ("a = '''abc", "'''", "no closing quote"),
    ('a = ["a, "b"]', 'b"]', "a quote is missing"), ('a = abc"', "abc", "a quote is missing"),
    ("a = “abc”", "“", "“ is a curly quote"), ('a = "abc”\nb = 1', "”", "” is a curly quote"),
    ("a = [“a”, “b”]", "“a", "“ is a curly quote"), ("a = ‘abc’", "‘", "‘ is a curly quote"),
    # a value
    ("a = True", "True", "write true"), ("a = FALSE", "FALSE", "write false"), ("a = None", "None", "leave the key"),
    ("a = softmax", "softmax", 'write "softmax"'), ("a = two words # c", "two", 'write "two words"'),
    ("a = # c", "# c", "a value is missing"), ("a = ]", "]", "expected a value"), ("a = [0.5 0.6]", "0.6", "a comma"),
    ("a = 1 b = 2", "b", "nothing may follow"), ('a = "C:\\x"', '"\n', "backslash"),
    # a bracket
    ("b = 1\na = [1, 2\n[[x]]", "[1", "[ opened on line 2"), ("a = [1, 2,\n[[x]]", "[1", "[ opened on line 1"),
    ("a = [[1, 0], # [\n[0, 1]\nb = 2", "[[1", "[ opened on line 1"), ("a = [1,\nb = 2", "[1", "[ opened on line 1"),
    ("a = [1, 2\n\n", "[1", "[ opened on line 1"), ('a = ["["\n, "b"]]', "]\n", "] closes nothing"),
    ("a = { b = 1,\nc = 2 }", "{", "on one line"),
    # a key
    ("β = 1", "β", '"β", or give the key its name, beta'), ("a = { β = 1 }", "β", "give the key its name, beta"),
    ("half of R = 1", "half", 'write "half of R"'), ("[cue.half of R]", "[cue", 'write [cue."half of R"]'),
    ("[[café]]", "[[café", 'write [["café"]]'), ("a: 1", ":", "write = between"), ("a", "a", "key = value, or [table]"),
    ("= 1", "=", "a key is missing"), ("// c", "//", "begins with #"), ("[[a]\nb = 1", "[[a]", "[[a]]"),
    ("[]", "[]", "the name of the table is missing"),
    # a key or a table that is there already
    ("[x]\na = 1\n[y]\na = 1\na = 2", "a = 2", "'a' is already on line 4"), ("a = 1\n[a]", "[a]", "'a' has a value"),
    ("[expect]\nat = 1\n[expect]", "[expect]\n", "'expect' is already on line 1"),
    ("[[layer]]\n[layer]", "[layer]\n", "'layer' is already on line 1; each one of several is written [[layer]]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "word"), CAUSES)
def test_the_likely_cause_is_named_at_its_place(text, place, word):
    (problem,) = problems(text)
    first, line, caret = problem.split("\n")
    at = (text + "\n").rindex(place) if place.endswith("\n") else text.index(place)
    number, column = text[:at].count("\n"), at - text.rfind("\n", 0, at) - 1
    assert first.startswith(f"file.toml:{number + 1}: not TOML: ") and word in first
    assert line == f"  {text.splitlines()[number]}" and caret == " " * (2 + column) + "^"


def test_a_long_line_and_wide_letters_keep_the_caret_in_its_place():
    (long,), (wide,) = problems('a = ["' + "x" * 200 + '", .5]'), problems('a = ["语\u0301", .5]')
    shown, caret = long.split("\n")[1:]
    assert caret.index("^") == 63 == shown.index(".5]") and len(shown) < 80
    shown, caret = wide.split("\n")[1:]
    assert caret.index("^") == len("  a = [") + 4 + 2 and shown.endswith(".5]")


@pytest.mark.parametrize("change", ["", '"', "“", "[", "=", "\n", "\\", "é", "."])
def test_any_single_change_has_a_message_and_a_line(change):
    for i in range(len(GOOD)):
        text = GOOD[:i] + change + GOOD[i + 1 :]
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            (problem,) = problems(text)
            first, _, caret = problem.split("\n")
            number, message = first.removeprefix("file.toml:").split(": not TOML: ")
            assert message and 1 <= int(number) <= text.count("\n") + 1 and caret.strip() == "^"


LONG = {
    "digits in a text": 'x = { b = "' + 40_000 * "1" + '", c = 1 2 }',
    "a table's name with spaces": "[k.k]\n[k" + 30_000 * " " + ".  k]\n",
    "numbers of many digits": "x = [" + 200 * (4299 * "9" + ",") + 4400 * "9" + "]",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_fault_behind_very_many_letters_is_one_problem(text):
    assert len(problems(text)) == 1
