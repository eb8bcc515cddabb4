"""Scenarios of programs in heads: the shipped programs equal plain Python functions, and mistakes have messages."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.each import each
from tests.refusal import assert_refused

TEMPLATE = kinds["program"].template()


def balances(tokens, opening, closing):
    signs = [(token == opening) - (token == closing) for token in tokens]
    return [Fraction(sum(signs[: i + 1]), i + 1) for i in range(len(signs))]


def both_balanced(tokens):
    depths = [balances(tokens, *pair) for pair in ("()", "{}")]
    return [int(all(min(depth) >= 0 and depth[-1] == 0 for depth in depths))] * len(tokens)


def by_frequency(tokens):
    counts = Counter(tokens)
    return sorted(tokens, key=lambda token: -counts[token])


PROGRAMS = {
    "shift": ("shifted", "abcd", lambda tokens: ["none", *tokens[:-1]]),
    "length": ("length", "abcd", lambda tokens: [len(tokens)] * len(tokens)),
    "reverse": ("reversed", "abcd", lambda tokens: tokens[::-1]),
    "histogram": ("histogram", "abc", lambda tokens: [tokens.count(token) for token in tokens]),
    "sort-by-frequency": ("sorted", "abcd", by_frequency),
    "fraction-before": (
        "fraction",
        "helo",
        lambda tokens: [Fraction(tokens[: i + 1].count("l"), i + 1) for i in range(len(tokens))],
    ),
    "pair-balance": ("balance", "ab()", lambda tokens: balances(tokens, "(", ")")),
    "two-brackets": ("balanced", "(){}", both_balanced),
    "pattern": (
        "ends ab",
        "ab",
        lambda tokens: [int(tokens[max(i - 1, 0) : i + 1] == ["a", "b"]) for i in range(len(tokens))],
    ),
    "rare-words": (
        "rare words",
        "abc",
        lambda tokens: [sum(tokens.count(token) <= 2 for token in tokens)] * len(tokens),
    ),
}


def check(name, step, tokens, expected):
    found = ha.run(ha.load(name), overrides={"input.tokens": tokens}).arrays[f"{step} values"].values.tolist()
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one == (other if isinstance(other, str) else pytest.approx(float(other), abs=1e-12))


@pytest.mark.quick(5)
@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=count(60, 6))
@given(data=st.data())
def test_a_shipped_program_equals_a_plain_function(name, data):
    step, letters, function = PROGRAMS[name]
    tokens = data.draw(st.lists(st.sampled_from(letters), min_size=1, max_size=9))
    check(name, step, tokens, function(tokens))


@settings(max_examples=count(60, 8))
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=5))
def test_the_sorted_numbers_are_sorted(tokens):
    check("sort", "sorted", tokens, sorted(tokens))


def test_every_shipped_program_is_tested():
    assert {name for name, file in shipped().items() if file.parent.name == "rasp"} == {*PROGRAMS, "sort"}


def test_the_weights_of_an_aggregation_are_those_of_attention_over_the_words_so_far(results):
    for run in results["fraction-before"].runs:
        selection = run.arrays["so far selection"].values
        np.testing.assert_array_equal(selection, np.tri(len(selection)))
        weights = selection / selection.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(run.arrays["fraction weights"].values, weights, rtol=1e-12)


def test_the_working_is_that_of_a_hand():
    run = ha.run(ha.load("pair-balance"), explain=True).runs[0]
    lines = "\n".join(run.working)
    assert "so far: select indices <= indices\n  a selects a\n  (#1 selects a, (#1\n" in lines
    assert "opened: the mean of opens over what so far selects\n  a: 0\n  (#1: (0 + 1) / 2 = .5\n" in lines
    assert "balance: opened − closed\n  a: 0 − 0 = 0\n  (#1: .5 − 0 = .5\n" in lines
    shifted = "\n".join(ha.run(ha.load("shift"), explain=True).runs[0].working)
    assert "  a: nothing is selected: none\n  b: a\n" in shifted


@each(
    ("old", "new", "message"),
    [
        ('where = "=="', 'where = "="', "12: step.1.select.where: '=' is unknown; did you mean '=='?"),
        ('keys = "tokens"', 'keys = "token"', "12: step.1.select.keys: 'token' is unknown; did you mean 'tokens'?"),
        ('width = "same"', 'width = "sam"', "16: step.2.width: 'sam' is unknown; did you mean 'same'?"),
        ('width = "same"', 'width = "tokens"', "16: step.2.width: 'tokens' is a sequence; expected a step with"),
        ('of = "count"', 'of = "same"', "20: step.3.map.of: 'same' is a selection; expected a sequence"),
        ('how = "=="', 'how = "eqals"', "20: step.3.map.how: 'eqals' is unknown"),
        ('how = "=="', 'how = "negate"', "18: step.3: 'negate' takes 1 operands, not 2"),
        ("by = 1", 'by = "one"', "18: step.3: '==' cannot take numbers and words"),
        ('name = "alone"', 'name = "count"', "19: step.3.name: 'count' is the name of an earlier sequence"),
        ('name = "alone"', 'name = "indices"', "19: step.3.name: 'indices' is the name of an earlier sequence"),
        (
            'width = "same"',
            "",
            "14: step.2: needs one of `select`, `width`, `aggregate`, `map` and `table`; none is given",
        ),
        ('width = "same"', 'width = "same"\ntable = { entries = { a = 1 } }', "14: step.2: needs one of `select`"),
        ('width = "same"', "table = { entries = { a = 1 } }", "14: step.2: the table has no entry for 'b'"),
        ('width = "same"', 'table = { entries = { a = 1, b = "x" } }', "16: step.2.table.entries: hold words and"),
        (
            'width = "same"',
            'aggregate = { selection = "same", values = "tokens", default = 0 }',
            "14: step.2: default: 0 is not among values that are words",
        ),
        ('width = "same"', 'aggregate = { selection = "some" }', "16: step.2.aggregate.selection: 'some' is unknown"),
        ('queries = "tokens"', 'queries = "tokens", query = "a"', "12: step.1.select.query: replaces `queries`"),
        ('queries = "tokens"', 'queries = "indices"', "10: step.1: queries: numbers cannot be compared with keys"),
        ('["a", "b", "a", "c"]', '["a", 1]', "8: input.tokens: hold words and numbers; expected one sort"),
        ('["a", "b", "a", "c"]', str([1] * 513), "8: input.tokens: are 513; a program takes at most 512"),
        ('step = "count"', 'step = "cont"', "27: expect.1.step: 'cont' is unknown; did you mean 'count'?"),
        ("[2, 1, 2, 1]", "[2, 1]", "28: expect.1.is: has shape (2,); the step has shape (4,)"),
    ],
)
def test_a_mistake_has_a_message(old, new, message):
    assert old in TEMPLATE
    assert_refused(TEMPLATE.replace(old, new, 1), message)


def test_a_selection_is_expected_as_a_matrix_and_a_wrong_result_is_missed():
    matrix = "[[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]"
    text = TEMPLATE.replace('step = "count"\nis = [2, 1, 2, 1]', f'step = "same"\nis = {matrix}')
    assert text != TEMPLATE
    assert ha.run(parse(text, "file.toml", "file")).ok
    for wrong in (text.replace("[0, 1, 0, 0]", "[0, 1, 0, 1]"), TEMPLATE.replace("[2, 2]", '["two", "two"]')):
        assert [outcome.met for outcome in ha.run(parse(wrong, "file.toml", "file")).expectations].count(False) == 1
