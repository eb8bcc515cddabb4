"""The bounds of a scenario file: however it is built, it is refused before it takes more than a file may."""

import re
import tomllib
from pathlib import Path

import pytest

from hopattn.scenario.checking import MOST_PROBLEMS, InvalidScenario
from hopattn.scenario.files import MAX_BYTES
from hopattn.scenario.language.bounds import MOST_CHANGED, MOST_DEPTH, MOST_VALUES, MOST_VARIANTS, too_large
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.each import each

GOOD = """schema = 1
title = "large"
source = "ours"
kind = "attention"
vocabulary = { axes = ["x", "y"], words = { a = [1, 0], b = [0, 1] } }
[input]
tokens = ["a", "b"]
[[layer]]
[[layer.head]]
"""
LAST = GOOD.count("\n")


def message(text):
    with pytest.raises(InvalidScenario) as caught:
        parse(text, "file.toml", "file")
    return str(caught.value)


DEEP = {
    "arrays": lambda n: "x = " + n * "[" + n * "]",
    "tables in braces": lambda n: "x = " + n * "{a = " + "1" + n * "}",
    "key": lambda n: n * "a." + "a = 1",
    "key with spaces and quotes": lambda n: n * "'a' . " + "a = 1",
    "table": lambda n: "[" + n * "a." + "a]",
    "array of tables": lambda n: "[[" + n * "a." + "a]]",
    "key in a table": lambda n: "[a.b]\n" + (n - 1) * "a." + "a = 1",
    "key in braces in an array": lambda n: "x = [{" + (n - 2) * "a." + "a = 1}]",
    "array behind a comma": lambda n: "x = [[1], 1.5, " + (n - 1) * "[" + n * "]",
    "array behind a table": lambda n: "[a.b] # [[\n" + "s = '[[' # .\nx = " + (n - 1) * "[" + (n - 1) * "]",
}


@each("deep", DEEP.values())
def test_the_depth_is_bounded_by_one_law_in_every_form(deep):
    assert too_large(deep(MOST_DEPTH)) is None
    assert tomllib.loads(deep(MOST_DEPTH))
    line, reported = too_large(deep(MOST_DEPTH + 1))
    assert line == deep(1).count("\n") + 1
    assert reported == f"is nested too deeply; at most {MOST_DEPTH} dots and brackets may lead to a value"


@each("deep", DEEP.values())
def test_a_text_that_is_too_deep_is_never_read_as_toml(deep, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("it was read"))
    assert message(GOOD + deep(100_000)).startswith(f"file.toml:{LAST + deep(1).count(chr(10)) + 1}: is nested too")


MANY = {
    "numbers": (1, "1,\n"),
    "arrays": (2, "[],\n"),
    "tables in braces": (5, "{},\n"),
    "keys": (6, "{a=1},\n"),
    "dotted keys": (13, "{a.a.a=1},\n"),
}


@pytest.mark.parametrize(("each", "entry"), MANY.values(), ids=MANY)
def test_the_values_are_bounded_by_their_number(each, entry, monkeypatch):
    bound = count(MOST_VALUES, 8_000)
    monkeypatch.setattr("hopattn.scenario.language.bounds.MOST_VALUES", bound)
    most = bound // each - 2
    assert too_large("x = [\n" + most * entry + "]") is None
    line, reported = too_large("x = [\n" + (most + 4) * entry + "]")
    assert most < line <= most + 5
    assert reported == f"more than {bound:,} values up to here; a scenario is a page of text"


@pytest.mark.parametrize("quote", ['"', "'", '"""', "'''"])
def test_what_stands_in_a_text_or_a_comment_counts_for_nothing(quote):
    inside = MOST_VALUES * "[,{=." + "#"
    assert too_large(f"x = {quote}{inside}{quote}\ny = 1 # {inside}\n") is None
    assert too_large(f"x = {quote}{inside}") is None, "the missing quote is the fault"
    assert "no closing quote" in message(f"x = {quote}{inside}")


def test_numbers_with_a_point_are_not_deep():
    assert too_large("x = [" + 1000 * "1.5, " + "]\ny = 1.5\n") is None


def test_problems_are_searched_up_to_a_bound_and_the_message_says_so():
    few, many = (GOOD + "".join(f"k{i} = 1\n" for i in range(n)) for n in (50, 20 * MOST_PROBLEMS))
    assert message(few).endswith("\n… and 10 more")
    assert message(many).endswith(f"\n… and at least {MOST_PROBLEMS - 40} more")
    words = ", ".join(f"k{i} = [2, 0]" for i in range(20 * MOST_PROBLEMS))
    reported = message(GOOD.replace("b = [0, 1]", f"b = [0, 1], {words}"))
    assert "vocabulary.words.k0: has magnitude 2" in reported
    assert reported.endswith(f"\n… and at least {MOST_PROBLEMS - 39} more")


def test_variants_are_bounded_by_their_number_and_by_their_changes_times_the_file():
    variants = "".join(f"[[variant]]\nname = 'v{i}'\nset = {{ beta = 1 }}\n" for i in range(MOST_VARIANTS + 1))
    reported = f"file.toml:{LAST + 1}: variant: are 1,001 variants; expected at most 1,000"
    assert message(GOOD + variants) == reported
    large = GOOD.replace("b = [0, 1]", "b = [0, 1], " + ", ".join(f"w{i} = [0, 1]" for i in range(9000)))
    few = "".join(f"[[variant]]\nname = 'v{i}'\nset = {{ beta = 1 }}\n" for i in range(20))
    reported = f"file.toml:{LAST + 1}: variant: 20 changes, each of a file of 27,02"
    assert message(large + few).startswith(reported)


def test_the_page_gives_every_bound():
    page = (Path(__file__).parents[2] / "docs/reference/scenarios.md").read_text(encoding="utf-8")
    section = page.partition("## How large a file may be")[2]
    bounds = [f"{bound:,}" for bound in (MOST_DEPTH, MOST_VALUES, MOST_VARIANTS, MOST_CHANGED)]
    assert re.findall(r"\| ([\d,]+(?: MiB)?) \|$", section, re.M) == [f"{MAX_BYTES // 2**20} MiB", *bounds]
    assert f"stops after {MOST_PROBLEMS}." in section
