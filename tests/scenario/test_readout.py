"""The read-out: probabilities of words, by another softmax, and the errors of its keys."""

import numpy as np
import pytest
from scipy.special import softmax

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.refusal import assert_refused
from tests.texts import GOOD


def with_readout(keys="", text=GOOD):
    return text.replace("[[layer]]", f"[readout]\n{keys}\n[[layer]]", 1)


@pytest.mark.parametrize(("keys", "beta"), [("", 1.0), ("beta = 2.5", 2.5), ("base = 3", np.log(3))])
def test_the_probabilities_are_a_softmax_of_dot_products(keys, beta):
    result = ha.run(parse(with_readout(keys), "file.toml", "file"))
    state = result.arrays["layer 1 state"].values
    logits = state @ np.array([[1, 0], [0.6, 0.8]]).T
    np.testing.assert_allclose(result.arrays["logits"].values, logits, rtol=0, atol=1e-12)
    probabilities = result.arrays["probabilities"]
    np.testing.assert_allclose(probabilities.values, softmax(beta * logits, axis=-1), rtol=0, atol=1e-12)
    assert probabilities.labels == (("a#1", "b", "a#2"), ("a", "b")) and "probabilities" in result.runs[0].shown


def test_the_queries_of_another_text_are_read_out():
    text = with_readout().replace('mask = "causal"\n', "").replace("tokens =", 'queries = ["b"]\ntokens =')
    assert ha.run(parse(text, "file.toml", "file")).arrays["logits"].values.shape == (1, 2)


def test_its_arithmetic_is_that_of_the_last_token():
    working = ha.run(parse(with_readout("base = 2"), "file.toml", "file"), explain=True).runs[0].working
    start = working.index("the read-out of a#2:")
    assert working[start + 1].startswith("  a: ") and working[start + 3].startswith("  2^")
    assert len(working) == start + 5


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("beta = 2\nbase = 3", "14: readout.base: beta and base say the same thing; give one of them"),
        ('in = "wrod"', "13: readout.in: 'wrod' is unknown; did you mean 'word'"),
        ("beta = 0", "13: readout.beta: "),
        ("base = 1", "13: readout.base: "),
        ('on = "word"', "13: readout.on: "),
    ],
)
def test_keys_that_do_not_fit_are_reported(keys, message):
    assert_refused(with_readout(keys), message)


def test_a_part_of_another_size_and_random_words_are_reported():
    spaces = '[spaces]\nword = "vocabulary"\nother = ["x"]\n[input]'
    text = with_readout('in = "other"', GOOD.replace("[input]", spaces))
    assert_refused(text, "16: readout.in: the part 'other' has not as many elements as a word")
    words = GOOD[GOOD.index("[vocabulary]") : GOOD.index("[input]")]
    text = with_readout("", GOOD.replace(words, "[spaces]\nword = { random = 2 }\n"))
    assert_refused(text, "9: readout: needs words that are written out, in [vocabulary] or [spaces]")


def test_its_size_is_counted_before_a_vector_is_built():
    spaces = GOOD[GOOD.index("[vocabulary]") : GOOD.index("[input]")]
    text = with_readout("", GOOD.replace(spaces, "[spaces]\nword = { random = 1_000_000_000 }\n"))
    assert_refused(text, "1: a text of 3 words, each of 1,000,000,000 numbers, would take about ")
    plain, read = (parse(text, "file.toml", "file").spec.size() for text in (GOOD, with_readout()))
    assert read >= plain + 2 * 2 * 3
