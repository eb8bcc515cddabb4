"""The scenarios that come with hopattn: all met, each with its source, readable, and right by another computation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.files import shipped

NAMES = list(shipped())
every = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="session")
def results():
    return {name: ha.run(ha.load(name)) for name in NAMES}


@every
def test_everything_it_expects_is_met(name, results):
    missed = [outcome for outcome in results[name].expectations if not outcome.met]
    assert missed == []
    assert results[name].expectations


@every
def test_it_names_its_source_and_is_short(name):
    assert len(shipped()[name].read_text(encoding="utf-8").split("\n")) <= 60
    assert ha.load(name).spec.source


@every
def test_every_variant_is_spoken_of(name):
    spec = ha.load(name).spec
    spoken = {variant for expectation in spec.expect for variant in expectation.variants}
    assert {variant.name for variant in spec.variant} <= spoken


@every
def test_it_explains_itself_in_full(name):
    for run in ha.run(ha.load(name), explain=True).runs:
        assert run.working
        assert not any("nan" in line.split() or "inf" in line.split() for line in run.working)


@every
def test_it_has_the_same_bytes_twice(name):
    assert ha.run(ha.load(name)).to_json() == ha.run(ha.load(name)).to_json()


def test_names_are_unique_across_folders():
    folder = shipped()[NAMES[0]].parent.parent
    assert len(NAMES) == len(list(folder.glob("*/*.toml")))


# What follows computes the lecture's numbers from its vectors, with none of the package's own code.

FINANCIAL, MARKETS, RIVER = np.array([0, 1, 0, 0]), np.array([0, 0.8, 0, 0.6]), np.array([0, 0, 1, 0])
BANKS = np.array([0, 0.6, 0.6, np.sqrt(0.28)])


def cosines(vector):
    return [vector @ word / np.linalg.norm(vector) for word in (FINANCIAL, RIVER)]


def test_the_numbers_of_the_bank_example(results):
    output = (BANKS @ FINANCIAL) * FINANCIAL + (BANKS @ MARKETS) * MARKETS  # 'in' has similarity 0
    state = BANKS + output
    itself = output + BANKS  # under a causal mask banks attends to itself with weight 1
    np.testing.assert_allclose(cosines(BANKS), [0.6, 0.6], atol=1e-15)
    np.testing.assert_allclose(cosines(output), [0.933, 0], atol=5e-4)
    np.testing.assert_allclose(cosines(state), [0.843, 0.275], atol=5e-4)
    np.testing.assert_allclose(cosines(BANKS + itself), [0.781, 0.384], atol=5e-4)
    strict, causal = results["bank-mask"].runs
    np.testing.assert_allclose(strict.arrays["layer 1 output"].values[3], output, rtol=1e-12)
    np.testing.assert_allclose(strict.arrays["layer 1 state"].values[3], state, rtol=1e-12)
    np.testing.assert_allclose(causal.arrays["layer 1 output"].values[3], itself, rtol=1e-12)
    np.testing.assert_allclose(causal.arrays["layer 1 state"].values[3], BANKS + itself, rtol=1e-12)


def test_the_attention_matrix_of_practice_7_2(results):
    words = np.array([[1, 0, 0, 0], FINANCIAL, MARKETS, BANKS])
    found = results["practice-7-2"].arrays
    np.testing.assert_allclose(found["layer 1 head 1 scores"].values, words @ words.T, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found["layer 1 head 1 weights"].values, np.tril(words @ words.T), rtol=1e-12, atol=1e-15)


def test_the_three_steps_of_aaba(results):
    base_3, true_e, averaging = results["aaba"].runs
    scores = np.array([0, 0, 1, 0])
    embeddings = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
    for run, base in ((base_3, 3), (true_e, np.e)):
        weights = base**scores / np.sum(base**scores)
        np.testing.assert_allclose(run.arrays["layer 1 head 1 weights"].values[0], weights, rtol=1e-12)
        np.testing.assert_allclose(run.arrays["layer 1 state"].values[0], weights @ embeddings, rtol=1e-12)
    np.testing.assert_allclose(averaging.arrays["layer 1 state"].values[0], embeddings.mean(0), rtol=1e-12)


def expected_word(mask, turn, unit):
    """The induction circuit on their dog chased their, written out with loops."""
    words, n = np.eye(3)[[0, 1, 2, 0]], 4
    sees = [[j < i or (j == i and mask == "causal") for j in range(n)] for i in range(n)]
    previous = np.zeros((n, 3))
    for i in range(n):
        for j in range(n):
            if sees[i][j]:
                previous[i] += np.cos(i * turn - (j + 1) * turn) * words[j]
        length = np.linalg.norm(previous[i])
        if unit and length > 1e-9:
            previous[i] /= length
    return sum((words[3] @ previous[j]) * words[j] for j in range(n) if sees[3][j])


def test_the_induction_head_its_failure_and_its_cure(results):
    cure, cure_half = results["induction"].runs
    trap, trap_quarter, _ = results["induction-trap"].runs
    for run, mask, turn in (
        (cure, "strict", np.pi / 2),
        (cure_half, "strict", 0.5),
        (trap, "causal", 0.5),
        (trap_quarter, "causal", np.pi / 2),
    ):
        found = run.arrays["layer 2 state"].values[3, 8:]
        np.testing.assert_allclose(found, expected_word(mask, turn, unit=True), rtol=1e-9, atol=1e-12)


@given(turn=st.floats(5, 175))
def test_previous_words_only_settle_the_induction_head_at_any_angle(turn):
    result = ha.run(ha.load("induction"), overrides={"positions.turn": turn})
    expected = result.arrays["layer 2 state"].values[3, 8:]
    assert np.argmax(expected) == 1


@given(seed=st.integers(0, 2**32 - 1))
def test_words_never_seen_before_are_predicted_whatever_the_seed(seed):
    result = ha.run(ha.load("induction-unseen"), seed=seed, overrides={"task.induction.count": 20})
    assert result.arrays["accuracy"].values == 1


def test_the_induction_task_is_failed_by_a_head_that_looks_three_words_back():
    """So the offset solves it. (Unturned keys would do too: of the words that are seen, the one before is nearest.)"""
    result = ha.run(ha.load("induction-unseen"), overrides={"layer.1.head.key.rotate": 3})
    assert result.arrays["accuracy"].values < 0.2
    assert not result.ok
