"""A text that is not TOML: the line with a caret, and the likely cause."""

import tomllib

import pytest

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.overrides import parse_assignment
from hopattn.scenario.language.syntax_faults import syntax_fault
from tests.each import each
from tests.refusal import assert_refused, problems
from tests.texts import GOOD


def fault_of(text):
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    return syntax_fault(text, caught.value)


KEY = "a key that has other characters than a–z, A–Z, 0–9, _ and - needs quotes: write "


@each(
    ("text", "place", "message"),
    [
        # a number that TOML writes in another way
        ("a = .5", ".5", "a number has a digit before its point: write 0.5"),
        ("a = [1, -.9]", "-.9", "a number has a digit before its point: write -0.9"),
        ("a = { b = +.5 }", "+.5", "a number has a digit before its point: write +0.5"),
        ("a = 5.", ".", "a number has a digit after its point: write 5.0"),
        ("a = [5., 1]", ".", "a number has a digit after its point: write 5.0"),
        ("a = 0,5", ",5", "a number has a decimal point: write 0.5"),
        ("a = { b = 0,5 }", "0,5", "a number has a decimal point: write 0.5"),
        ("a = [0,6, 0,05]", "0,05", "a number has a decimal point: write 0.05"),
        ("a = -07", "07", "a number begins with no further 0: write 7"),
        ("a = 1/2", "/2", "a number is written as a decimal, such as 0.5"),
        # a quote that is missing or curly
        ('a = "abc\nb = 1', '"abc', "the text that begins here has no closing quote"),
        ("a = '''abc", "'''", "the text that begins here has no closing quote"),
        ('a = ["a, "b"]', 'b"]', "a quote is missing: every text begins and ends with one"),
        ('a = abc"', "abc", "a quote is missing: every text begins and ends with one"),
        ("a = “abc”", "“", '“ is a curly quote; a text begins and ends with a straight one: "'),
        ('a = "abc”\nb = 1', "”", '” is a curly quote; a text begins and ends with a straight one: "'),
        ("a = [“a”, “b”]", "“a", '“ is a curly quote; a text begins and ends with a straight one: "'),
        ("a = ‘abc’", "‘", '‘ is a curly quote; a text begins and ends with a straight one: "'),
        # a value
        ("a = True", "True", "write true, with small letters"),
        ("a = FALSE", "FALSE", "write false, with small letters"),
        ("a = None", "None", "None is not a value; leave the key out"),
        ("a = softmax", "softmax", 'a text needs quotes: write "softmax"'),
        ("a = two words # c", "two", 'a text needs quotes: write "two words"'),
        ("a = # c", "# c", "a value is missing here"),
        ("a = ]", "]", "expected a value: a text in quotes, a number, true, false, a list in [ ] or a table in { }"),
        ("a = [0.5 0.6]", "0.6", "a comma is missing before this"),
        ("a = 1 b = 2", "b", "nothing may follow a value on its line but a comment, which begins with #"),
        ('a = "C:\\x"', '"\n', "a backslash in a text is written \\\\, or the text needs single quotes"),
        # a bracket
        ("b = 1\na = [1, 2\n[[x]]", "[1", "the bracket [ opened on line 2 is never closed"),
        ("a = [1, 2,\n[[x]]", "[1", "the bracket [ opened on line 1 is never closed"),
        ("a = [[1, 0], # [\n[0, 1]\nb = 2", "[[1", "the bracket [ opened on line 1 is never closed"),
        ("a = [1,\nb = 2", "[1", "the bracket [ opened on line 1 is never closed"),
        ("a = [1, 2\n\n", "[1", "the bracket [ opened on line 1 is never closed"),
        ('a = ["["\n, "b"]]', "]\n", "the bracket ] closes nothing"),
        ("a = { b = 1,\nc = 2 }", "{", "a table in braces { } must be on one line"),
        # a key
        ("β = 1", "β", KEY + '"β", or give the key its name, beta'),
        ("a = { β = 1 }", "β", KEY + '"β", or give the key its name, beta'),
        ("half of R = 1", "half", KEY + '"half of R"'),
        ("[cue.half of R]", "[cue", KEY + '[cue."half of R"]'),
        ("[[café]]", "[[café", KEY + '[["café"]]'),
        ("a: 1", ":", "write = between a key and its value, instead of :"),
        ("a", "a", "expected key = value, or [table]"),
        ("= 1", "=", "a key is missing before ="),
        ("// c", "//", "a comment begins with #"),
        ("[[a]\nb = 1", "[[a]", "the name of a table needs as many brackets on both sides: [[a]]"),
        ("[]", "[]", "the name of the table is missing"),
        # a key or a table that is there already
        ("[x]\na = 1\n[y]\na = 1\na = 2", "a = 2", "'a' is already on line 4"),
        ("a = 1\n[a]", "[a]", "'a' has a value already"),
        (
            "[expect]\nat = 1\n[expect]",
            "[expect]\n",
            "'expect' is already on line 1; each one of several is written ",
        ),
        (
            "[[layer]]\n[layer]",
            "[layer]\n",
            "'layer' is already on line 1; each one of several is written [[layer]]",
        ),
    ],
)
def test_the_likely_cause_is_named_at_its_place(text, place, message):
    fault = fault_of(text)
    assert fault.message.startswith(message)
    assert fault.at == ((text + "\n").rindex(place) if place.endswith("\n") else text.index(place))
    assert fault.line == text[: fault.at].count("\n") + 1


def test_the_message_shows_the_line_with_a_caret():
    assert problems(GOOD.replace('["a", "b", "a"]', '["a", "b", "a"')) == [
        "file.toml:11: not TOML: the bracket [ opened on line 11 is never closed\n"
        '  tokens = ["a", "b", "a"\n'
        "           ^"
    ]


def test_a_long_line_and_wide_letters_keep_the_caret_in_its_place():
    assert fault_of('a = ["' + "x" * 200 + '", .5]').excerpt.splitlines()[1].index("^") == 63
    shown, caret = fault_of('a = ["语\u0301", .5]').excerpt.splitlines()
    assert caret.index("^") == len("  a = [") + 4 + 2
    assert shown.endswith(".5]")


@each("change", ["", '"', "“", "[", "=", "\n", "\\", "é", "."])
def test_any_single_change_has_a_message_and_a_line(change):
    for i in range(len(GOOD)):
        text = GOOD[:i] + change + GOOD[i + 1 :]
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            fault = syntax_fault(text, error)
            assert fault.message and 1 <= fault.line <= text.count("\n") + 1
            assert len(fault.excerpt.split("\n")) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "[[expect]]",
            "[expect]",
            "16: expect: is one table; expected a list of tables, each of which begins with [[exp",
        ),
        (
            "[[layer]]",
            "[layer]",
            "12: layer: is one table; expected a list of tables, each of which begins with [[layer]]",
        ),
        (
            "[[layer.head]]",
            "[layer.head]",
            "13: layer.1.head: is one table; expected a list of tables, each of which beg",
        ),
        (
            "[[expect]]",
            '[variant]\nname = "v"\nset = { seed = 1 }\n[[expect]]',
            "16: variant: is one table; expected a",
        ),
        ('["a", "b", "a"]', "{}", "11: input.tokens: got a table; expected an array"),
    ],
)
def test_one_table_instead_of_a_list_of_tables_is_named(old, new, message):
    assert_refused(GOOD.replace(old, new, 1), message)


@pytest.mark.parametrize(
    ("value", "cause"), [("-.9", "write -0.9"), ("0,5", "write 0.5"), ("[1 2]", "a comma is missing"), ("“a”", "curly")]
)
def test_a_value_of_the_command_line_has_the_same_advice(value, cause):
    with pytest.raises(InvalidInput, match=f"layer.head.beta: '.*' is not a TOML value; .*{cause}"):
        parse_assignment(f"layer.head.beta={value}")


LONG = {
    "digits in a text": 'x = { b = "' + 40_000 * "1" + '", c = 1 2 }',
    "a table's name with spaces": "[k.k]\n[k" + 30_000 * " " + ".  k]\n",
    "numbers of many digits": "x = [" + 200 * (4299 * "9" + ",") + 4400 * "9" + "]",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_fault_behind_very_many_letters_is_one_problem(text):
    assert len(problems(text)) == 1
