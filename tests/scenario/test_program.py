"""Scenarios of programs in heads: the shipped programs equal plain Python functions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds import kinds
from tests.texts import parsed

TEMPLATE = kinds["program"].template()


def balances(tokens, opening, closing):
    signs = [(token == opening) - (token == closing) for token in tokens]
    return [Fraction(sum(signs[: i + 1]), i + 1) for i in range(len(signs))]


def both_balanced(tokens):
    depths = [balances(tokens, *pair) for pair in ("()", "{}")]
    return [int(all(min(depth) >= 0 and depth[-1] == 0 for depth in depths))] * len(tokens)


def fractions(tokens):
    return [Fraction(tokens[: i + 1].count("l"), i + 1) for i in range(len(tokens))]


def pattern(tokens):
    return [int(tokens[max(i - 1, 0) : i + 1] == ["a", "b"]) for i in range(len(tokens))]


PROGRAMS = {
    "shift": ("shifted", "abcd", lambda tokens: ["none", *tokens[:-1]]),
    "length": ("length", "abcd", lambda tokens: [len(tokens)] * len(tokens)),
    "reverse": ("reversed", "abcd", lambda tokens: tokens[::-1]),
    "histogram": ("histogram", "abc", lambda tokens: [tokens.count(token) for token in tokens]),
    "sort-by-frequency": ("sorted", "abcd", lambda tokens: sorted(tokens, key=lambda token: -tokens.count(token))),
    "fraction-before": ("fraction", "helo", fractions),
    "pair-balance": ("balance", "ab()", lambda tokens: balances(tokens, "(", ")")),
    "two-brackets": ("balanced", "(){}", both_balanced),
    "pattern": ("ends ab", "ab", pattern),
    "rare-words": ("rare words", "abc", lambda tokens: [sum(tokens.count(one) <= 2 for one in tokens)] * len(tokens)),
    "sort": ("sorted", range(-9, 10), sorted),
}


@pytest.mark.parametrize("name", [name for name, file in shipped().items() if file.parent.name == "rasp"])
@given(data=st.data())
def test_a_shipped_program_equals_a_plain_function(name, data):
    step, letters, function = PROGRAMS[name]
    most = 5 if name == "sort" else 9  # its keys are a fifth apart
    tokens = data.draw(st.lists(st.sampled_from(letters), min_size=1, max_size=most))
    found = ha.run(ha.load(name), overrides={"input.tokens": tokens}).arrays[f"{step} values"].values.tolist()
    for one, other in zip(found, function(tokens), strict=True):
        assert one == (other if isinstance(other, str) else pytest.approx(float(other), abs=1e-12))


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


def test_a_selection_is_expected_as_a_matrix_and_a_wrong_result_is_missed():
    matrix = "[[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]"
    text = TEMPLATE.replace('step = "count"\nis = [2, 1, 2, 1]', f'step = "same"\nis = {matrix}')
    assert text != TEMPLATE
    assert ha.run(parsed(text)).ok
    for wrong in (text.replace("[0, 1, 0, 0]", "[0, 1, 0, 1]"), TEMPLATE.replace("[2, 2]", '["two", "two"]')):
        assert [outcome.met for outcome in ha.run(parsed(wrong)).expectations].count(False) == 1
