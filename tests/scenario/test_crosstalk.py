"""Signal and crosstalk, against loops and the theory of random patterns."""

import numpy as np
import pytest
from scipy.special import erfc

import hopattn as ha
from hopattn.scenario.crosstalk import compared, crosstalk, spread_by_theory, updated_once
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems


@pytest.fixture
def patterns():
    return np.random.default_rng(3).choice([-1.0, 1.0], size=(40, 200))


def test_the_fields_of_a_network_by_loops(patterns):
    own = np.array([0, 7])
    found = crosstalk(ha.memories.hopfield(patterns), patterns[own], own)
    towards = []
    for number in own:
        for i in range(200):
            field = sum(
                pattern[i] * (pattern @ patterns[number] - pattern[i] * patterns[number, i]) / 200
                for pattern in patterns
            )
            towards.append(field * patterns[number, i])
    assert found.signal == pytest.approx(np.mean(towards))
    assert found.spread == pytest.approx(np.std(towards))
    assert found.wrong == np.mean(np.array(towards) < 0)


def test_the_scores_of_a_memory_by_loops(patterns):
    own = np.arange(3)
    cues = np.where(np.arange(200) < 10, -1, 1) * patterns[:3]
    found = crosstalk(ha.memories.modern(patterns), cues, own)
    others = [patterns[j] @ cues[i] / 200 for i in range(3) for j in range(40) if j != i]
    assert found.signal == pytest.approx(0.9)
    assert found.spread == pytest.approx(np.std(others))
    assert found.wrong == 0


def test_random_patterns_have_the_spread_of_the_theory_and_its_share_of_unstable_neurons():
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(150, 500))
    found = crosstalk(ha.memories.hopfield(patterns), patterns, np.arange(150))
    spread = spread_by_theory("fields", 150, 500)
    assert found.spread == pytest.approx(spread, rel=0.03)
    assert found.wrong == pytest.approx(erfc(1 / (spread * np.sqrt(2))) / 2, rel=0.1)
    scores = crosstalk(ha.memories.modern(patterns), patterns, np.arange(150))
    assert scores.spread == pytest.approx(spread_by_theory("scores", 150, 500), rel=0.03)


def test_the_histogram_holds_everything(patterns):
    for memory in (ha.memories.hopfield(patterns), ha.memories.modern(patterns)):
        found = crosstalk(memory, patterns, np.arange(40))
        assert found.density.sum() * np.diff(found.centres)[0] == pytest.approx(1)


def test_a_single_pattern_has_no_crosstalk():
    found = crosstalk(ha.memories.modern(np.ones((1, 4))), np.ones((1, 4)), np.array([0]))
    assert (found.signal, found.spread, found.wrong) == (1, 0, 0)
    assert compared(ha.memories.hopfield(np.ones((1, 4)))) == "fields"


@each("name", ["hopfield", "dense", "exponential"])
def test_one_update_takes_the_side_of_the_lower_energy_of_each_neuron(name):
    rng = np.random.default_rng(1)
    patterns = rng.choice([-1.0, 1.0], (14, 30))
    memory = getattr(ha.memories, name)(patterns)
    cues = np.where(rng.random((6, 30)) < 0.2, -1, 1) * patterns[:6]
    after = updated_once(memory, cues)
    for cue, updated in zip(cues, after, strict=True):
        turned = cue * (1 - 2 * np.eye(30))
        gain = np.asarray(memory.energy(cue)) - memory.energy(turned)
        assert np.array_equal(updated != cue, gain > 1e-9)
    assert 0 < np.mean(after != cues) < 0.5


TEXT = """schema = 1
title = "bits"
source = "ours"
kind = "ensemble"
[ensemble]
neurons = 32
patterns = 20
model = { name = "sequence", n = 2 }
bits = true
max_steps = 1
cues = 20
"""


def test_of_a_sequence_the_next_pattern_is_the_right_one():
    spec = parse(TEXT, "b.toml", "b").spec
    arrays, patterns = (run(np.random.default_rng(3)) for run in (spec.compute, spec.ensemble.drawn))
    following = np.roll(patterns, -1, axis=0)
    fields = np.maximum(patterns @ patterns.T, 0) @ following
    wrong = np.where(fields == 0, patterns, np.sign(fields)) != following  # a spin without a field stays
    assert arrays["bit_error"] == pytest.approx(np.mean(wrong)) and np.mean(wrong) > 0
    assert arrays["stable"] == pytest.approx(np.mean(~wrong.any(axis=1)))


def test_wrong_neurons_are_counted_of_spins_alone():
    text = TEXT.replace('{ name = "sequence", n = 2 }', '"modern"').replace("bits = true", 'sort = "unit"\nbits = true')
    assert any("bits: the neurons of this memory are not -1 and 1" in line for line in problems(text))
