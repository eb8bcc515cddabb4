"""Damaged cues: the number of damaged neurons, the role of the seed, and the independence of the cues."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.loading import parse
from hopattn.scenario.words.character_pictures import Size
from hopattn.scenario.words.damaged_cues import Damaged, random_stream
from tests.each import each
from tests.refusal import assert_refused, problems

SIZE = Size(5, 7)
WORD = np.where(np.arange(35) % 3 == 0, 1.0, -1.0)
fractions = st.floats(0, 1)
seeds = st.integers(0, 2**40)


def cue_of(seed=0, name="cue", words=None, **keys):
    return Damaged(**{"of": "w"} | keys).build(words or {"w": WORD}, SIZE, random_stream(seed, name))


@given(fractions, seeds)
def test_exactly_the_fraction_is_flipped(fraction, seed):
    assert np.sum(cue_of(seed, flip=fraction) != WORD) == round(fraction * 35)


@given(fractions, seeds)
def test_exactly_the_fraction_is_hidden_and_the_rest_stays(fraction, seed):
    cue = cue_of(seed, hide=fraction)
    assert np.sum(cue == 0) == round(fraction * 35)
    np.testing.assert_array_equal(cue[cue != 0], WORD[cue != 0])


@given(fractions, fractions, seeds)
def test_a_smaller_damage_is_part_of_a_larger_one(one, other, seed):
    less, more = sorted((one, other))
    few, many = (cue_of(seed, flip=fraction) != WORD for fraction in (less, more))
    assert np.all(many[few])


@given(fractions, fractions, seeds)
def test_the_random_numbers_of_one_key_do_not_depend_on_another(flip, hide, seed):
    both = cue_of(seed, flip=flip, hide=hide)
    np.testing.assert_array_equal(both, np.where(cue_of(seed, hide=hide) == 0, 0, cue_of(seed, flip=flip)))


@given(seeds)
def test_noise_adds_up_and_scales(seed):
    noise = cue_of(seed, noise=1.0) - WORD
    np.testing.assert_allclose(cue_of(seed, noise=0.25), WORD + noise / 4, atol=1e-12)
    assert 0.4 < noise.std() < 1.8


@given(seeds)
def test_random_numbers_depend_on_seed_and_name(seed):
    cue = cue_of(seed, "a", noise=1.0)
    np.testing.assert_array_equal(cue, cue_of(seed, "a", noise=1.0))
    assert not np.array_equal(cue, cue_of(seed + 1, "a", noise=1.0))
    assert not np.array_equal(cue, cue_of(seed, "b", noise=1.0))


@pytest.mark.parametrize(
    ("side", "hidden"),
    [
        ("left", np.s_[:, :2]),
        ("right", np.s_[:, 3:]),
        ("top", np.s_[:3]),
        ("bottom", np.s_[4:]),
    ],
)
def test_the_halves_of_a_picture(side, hidden):
    grid = cue_of(hide=side).reshape(7, 5)
    expected = WORD.reshape(7, 5).copy()
    expected[hidden] = 0
    np.testing.assert_array_equal(grid, expected)


@given(st.integers(1, 5), seeds)
def test_a_mixture_is_the_majority(count, seed):
    rng = np.random.default_rng(seed)
    words = {str(i): rng.choice([-1.0, 1.0], 35) for i in range(count + 1)}
    mixed = cue_of(words=words, of=None, mixture=list(words))
    votes = sum(words.values())
    np.testing.assert_array_equal(mixed, (votes > 0) * 1.0 - (votes < 0))


def test_no_word_is_changed():
    before = WORD.copy()
    cue_of(reverse=True, flip=0.5, noise=0.1, hide=0.5)
    np.testing.assert_array_equal(WORD, before)
    np.testing.assert_array_equal(cue_of(reverse=True), -WORD)


PLAIN = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["1", "2", "3", "4", "5", "6", "7", "8"]
magnitude = "free"
[vocabulary.words]
up   = [1, 1, 1, 1, 1, 1, 1, 1]
half = [1, 1, 1, 1, -1, -1, -1, -1]
[memory]
patterns = ["up", "half"]
[cue.bad]
of = "half"
flip = 0.25
[cue.worse]
mixture = ["up", "half"]
noise = 0.5
"""


def cues(text=PLAIN, seed=None):
    inputs = ha.run(parse(text, "file.toml", "file"), seed).arrays["input"]
    return dict(zip(inputs.labels[0], inputs.values.tolist(), strict=True))


def test_plain_words_are_damaged_too_and_shown_as_before():
    assert list(cues()) == ["bad", "worse"]
    (run,) = ha.run(parse(PLAIN, "file.toml", "file"), explain=True).runs
    assert run.strips == ()
    assert "state" in run.shown
    assert any(line.startswith("  after ") and "(" in line for line in run.working)


def test_the_seed_decides_and_another_cue_or_variant_does_not():
    assert cues() == cues() != cues(seed=1)
    more = PLAIN.replace("[cue.worse]", '[cue.new]\nof = "up"\nnoise = 1\n[cue.worse]')
    assert cues() == {name: vector for name, vector in cues(more).items() if name != "new"}
    named = PLAIN + '[input]\ntokens = ["worse", "bad", "up", "worse"]\n'
    assert cues(named)["worse#2"] == cues()["worse"]
    variant = PLAIN + '[[variant]]\nname = "v"\nset = { "memory.beta" = 2 }\n'
    base, other = ha.run(parse(variant, "file.toml", "file")).runs
    np.testing.assert_array_equal(base.arrays["input"].values, other.arrays["input"].values)


@each(
    ("old", "new", "message"),
    [
        ('of = "half"', "", "13: cue.bad: needs one of `of` and `mixture`; none is given"),
        (
            'of = "half"',
            'of = "half"\nmixture = ["up", "half"]',
            "13: cue.bad: needs one of `of` and `mixture`; `of` and",
        ),
        ('of = "half"', 'of = "hlf"', "14: cue.bad.of: 'hlf' is unknown; did you mean 'half'? (choices: half, up)"),
        ('["up", "half"]\nnoise', '["up", "hlf"]\nnoise', "17: cue.worse.mixture.2: 'hlf' is unknown; did you mean"),
        ('["up", "half"]\nnoise', '["up"]\nnoise', "17: cue.worse.mixture: has 1 entry; expected at least 2"),
        ("flip = 0.25", "flip = 1.5", "15: cue.bad.flip: got 1.5; expected at most 1"),
        ("flip = 0.25", "flip = nan", "15: cue.bad.flip: got nan"),
        ("flip = 0.25", "flp = 0.25", "15: cue.bad.flp: 'flp' is unknown; did you mean 'flip'?"),
        ("flip = 0.25", 'hide = "left"', "15: cue.bad.hide: only a picture has a left; give a fraction, such as 0.5"),
        ("flip = 0.25", 'hide = "lft"', "15: cue.bad.hide: 'lft' is unknown; did you mean 'left'?"),
        ("flip = 0.25", "hide = true", "15: cue.bad.hide: got true; expected a text or a number"),
        ("noise = 0.5", "noise = 0", "18: cue.worse.noise: got 0; expected more than 0"),
        ("[memory]", '[memory]\nactivation = "sign"', "19: cue.worse.noise: 'worse' holds "),
        ("[cue.bad]", "[cue.up]", "13: cue.up: 'up' is a word already; give the cue another name"),
        ('["up", "half"]\n[cue', '["up", "bad"]\n[cue', "12: memory.patterns.2: 'bad' is a damaged cue; store a word"),
        ("noise = 0.5", '[input]\ntokens = ["bda"]', "19: input.tokens.1: 'bda' is unknown; did you mean 'bad'?"),
        (PLAIN[PLAIN.index("[cue.bad]") :], "", "1: needs cues: [input] with tokens, or a [cue.name] for each"),
    ],
)
def test_faults_of_damaged_cues(old, new, message):
    assert_refused(PLAIN.replace(old, new, 1), message)


def test_noise_on_spins_is_refused_with_the_advice_to_flip():
    text = PLAIN.replace("[memory]", '[memory]\nactivation = "sign"')
    (found,) = [line for line in problems(text) if "cue.worse.noise" in line]
    assert found.endswith(
        "or 0 for unknown; use `flip`, the fraction of the neurons that is reversed, instead of noise"
    )


def test_a_cue_outside_the_domain_of_the_activation_is_refused():
    text = PLAIN.replace("[memory]", '[memory]\nactivation = "tanh"').replace("noise = 0.5", "noise = 1e300")
    assert_refused(text, "19: cue.worse.noise: 'worse' holds ")
