"""Damaged cues: the number of damaged neurons, the role of the seed, and the independence of the cues."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from tests.scenario.scenarios_of_kinds import CUES, scenario
from tests.texts import parsed

LETTERS = scenario("memory", '[pictures]\nletters = "ABCDE"\n[memory]\npatterns = ["A", "B", "C", "D", "E"]\n')
fractions = st.floats(0, 1)
seeds = st.integers(0, 2**40)


def cues(text, seed=None):
    inputs = ha.run(parsed(text), seed).arrays["input"]
    return dict(zip(inputs.labels[0], inputs.values, strict=True))


LETTER = cues(LETTERS + '[input]\ntokens = ["A", "B", "C", "D", "E"]')
WORD = LETTER["A"]


def cue_of(seed=0, name="cue", **keys):
    """The letter A, damaged by these keys."""
    lines = "".join(f"{key} = {json.dumps(value)}\n" for key, value in ({"of": "A"} | keys).items() if value)
    return cues(f"{LETTERS}[cue.{name}]\n{lines}", seed)[name]


@given(fractions, seeds)
def test_exactly_the_fraction_is_flipped(fraction, seed):
    cue = cue_of(seed, flip=fraction)
    assert np.sum(cue != WORD) == round(fraction * 35) and set(np.abs(cue)) == {1}


@given(fractions, seeds)
def test_exactly_the_fraction_is_hidden_and_the_rest_stays(fraction, seed):
    cue = cue_of(seed, hide=fraction)
    assert np.sum(cue == 0) == round(fraction * 35)
    np.testing.assert_array_equal(cue[cue != 0], WORD[cue != 0])


@given(fractions, fractions, seeds)
def test_a_smaller_damage_is_part_of_a_larger_one(one, other, seed):
    for key in ("flip", "hide"):
        few, many = (cue_of(seed, **{key: fraction}) != WORD for fraction in sorted((one, other)))
        assert np.all(many[few])


@given(fractions, fractions, seeds)
def test_the_random_numbers_of_one_key_do_not_depend_on_another(flip, hide, seed):
    flipped, hidden = cue_of(seed, flip=flip), cue_of(seed, hide=hide)
    np.testing.assert_array_equal(cue_of(seed, flip=flip, hide=hide), np.where(hidden == 0, 0, flipped))
    np.testing.assert_array_equal(cue_of(seed, flip=flip, reverse=True), -flipped)


@given(seeds)
def test_noise_adds_up_and_scales_and_depends_on_seed_and_name(seed):
    """The standard deviation of 35 numbers lies within .12 · 5 of 1 but for one draw in a million."""
    noise = cue_of(seed, noise=1.0) - WORD
    np.testing.assert_allclose(cue_of(seed, noise=0.25), WORD + noise / 4, atol=1e-12)
    assert abs(noise.std() - 1) < 0.6 and abs(noise.mean()) < 5 / np.sqrt(35)
    np.testing.assert_array_equal(noise + WORD, cue_of(seed, noise=1.0))
    assert not np.array_equal(noise + WORD, cue_of(seed + 1, noise=1.0))
    assert not np.array_equal(noise + WORD, cue_of(seed, "other", noise=1.0))


HIDDEN = {"left": np.s_[:, :2], "right": np.s_[:, 3:], "top": np.s_[:3], "bottom": np.s_[4:]}


@pytest.mark.parametrize("side", HIDDEN)
def test_the_halves_of_a_picture_leave_out_its_middle(side):
    picture = WORD.reshape(7, 5).copy()
    picture[HIDDEN[side]] = 0
    np.testing.assert_array_equal(cue_of(hide=side).reshape(7, 5), picture)


@given(st.lists(st.sampled_from("ABCDE"), min_size=2, max_size=5))
def test_a_mixture_is_the_majority(words):
    votes = sum(LETTER[word] for word in words)
    np.testing.assert_array_equal(cue_of(of=None, mixture=words), np.sign(votes))


def test_plain_words_are_damaged_too_and_shown_as_before():
    (run,) = ha.run(parsed(CUES), explain=True).runs
    assert run.arrays["input"].labels[0] == ("bad", "worse")
    assert run.strips == () and "state" in run.shown
    assert any(line.startswith("  after ") and "(" in line for line in run.working)


def test_another_cue_word_or_variant_changes_no_cue():
    plain = cues(CUES)
    more = cues(CUES.replace("[cue.worse]", '[cue.new]\nof = "up"\nnoise = 1\n[cue.worse]'))
    assert list(more) == ["bad", "new", "worse"]
    named = cues(CUES + '[input]\ntokens = ["worse", "bad", "up", "worse"]\n')
    for name in plain:
        np.testing.assert_array_equal(plain[name], more[name])
    np.testing.assert_array_equal(plain["worse"], named["worse#2"])
    variant = CUES + '[[variant]]\nname = "v"\nset = { "memory.beta" = 2 }\n'
    base, other = ha.run(parsed(variant)).runs
    np.testing.assert_array_equal(base.arrays["input"].values, other.arrays["input"].values)


def test_a_cue_is_described_by_its_word_and_its_damage():
    torn = '[cue.q]\nof = "A"\nreverse = true\nflip = 0.2\nhide = "left"\n'
    mixed = '[cue.m]\nmixture = ["A", "B"]\nnoise = 0.5\nhide = 0.2\n'
    headings = [strip.heading for strip in ha.run(parsed(LETTERS + torn + mixed)).runs[0].strips]
    assert headings == [
        "q: A, reversed, 7 of 35 neurons flipped, left half hidden",
        "m: A + B, noise of 0.5, 7 of 35 neurons hidden",
    ]
