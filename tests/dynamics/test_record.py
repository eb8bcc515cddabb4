"""The record: the likeness of its states, and the arrays that are kept of every step."""

import dataclasses
import inspect
import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.dynamics.likeness import ReferencePatterns, Spurious, merged, ranked
from hopattn.foundation.errors import InvalidInput
from hopattn.retrieval.activation import activations
from hopattn.retrieval.similarity import cosine
from tests.each import each

PATTERNS = np.random.default_rng(11).choice([-1.0, 1.0], size=(5, 400))


def like(states, patterns=PATTERNS, activation="sign"):
    return ReferencePatterns(patterns, activations.make(activation)).likeness(np.atleast_2d(states))


@given(sizes=st.permutations(range(5)), signs=st.tuples(*[st.sampled_from([-1, 1])] * 3))
def test_every_mixture_of_three_is_called_by_its_patterns(sizes, signs):
    three = sorted(sizes[:3])
    state = np.sign(sum(sign * PATTERNS[i] for sign, i in zip(signs, three, strict=True)))
    found = like(state)
    assert (found.spurious[0], found.mixture[0].tolist(), found.matched[0]) == ("mixture", three, -1)


def test_a_pattern_its_reverse_and_something_else():
    found = like([PATTERNS[2], -PATTERNS[2], np.random.default_rng(1).choice([-1.0, 1.0], size=400), np.zeros(400)])
    assert found.spurious.tolist() == ["", "reversed", "other", "other"]
    assert found.matched.tolist() == [2, -1, -1, -1]
    assert np.all(found.mixture == -1)


def test_the_mixture_of_three_is_a_fixed_point_of_the_classical_network():
    """Amit, Gutfreund & Sompolinsky 1985: symmetric mixtures of three are stable below T = 0.46, overlap 1/2 each."""
    network = ha.Hopfield(ha.learning.hebb(PATTERNS), patterns=PATTERNS)
    mixture = np.sign(PATTERNS[:3].sum(axis=0))
    found = network.recall(mixture, keep=("overlaps",))
    assert (found.status, found.spurious, found.mixture.tolist()) == ("converged", "mixture", [0, 1, 2])
    np.testing.assert_allclose(found.overlaps[-1, :3], 0.5, atol=4 * np.sqrt(0.75 / 400))  # 4 standard errors


def test_a_state_that_has_faded_away_is_like_no_pattern():
    found = like([1e-9 * PATTERNS[0], 1e-3 * PATTERNS[0]])
    assert found.matched.tolist() == [-1, 0]
    assert found.spurious.tolist() == ["other", ""]


def test_without_patterns_no_state_is_called_spurious():
    found = ha.Hopfield([[0.0, 1.0], [1.0, 0.0]]).recall([1.0, 1.0])
    assert (found.matched, found.spurious) == (-1, "")


@each("n_patterns", [1, 2])
def test_fewer_than_three_patterns_have_no_mixture(n_patterns):
    assert like(np.sign(PATTERNS[:3].sum(axis=0)), PATTERNS[:n_patterns]).spurious[0] == "other"


def test_the_mean_of_three_is_a_mixture_of_a_soft_memory():
    found = ha.Memory(np.eye(3), beta=0.1).recall([0.5, 0.3, 0.2])
    assert (found.status, found.spurious, found.mixture.tolist()) == ("converged", "mixture", [0, 1, 2])


def test_arrays_that_keep_names_are_kept_of_every_step():
    memory = ha.Memory(np.eye(3), beta=4)
    cues = np.array([[0.6, 0.3, 0.1], [0.0, 0.0, 1.0]])
    found = memory.recall(cues, keep=("trajectory", "overlaps", "weights"))
    steps = found.steps.max() + 1
    assert found.trajectory.shape == found.overlaps.shape == found.weights.shape == (steps, 2, 3)
    for t in range(steps):
        np.testing.assert_allclose(found.weights[t], memory.weights(found.trajectory[t]))
        np.testing.assert_allclose(found.overlaps[t], found.trajectory[t] @ np.eye(3))
    alone = memory.recall(cues[0], keep=("weights",))
    assert alone.weights.ndim == 2
    assert alone.trajectory is None


def test_an_overlap_is_one_with_the_pattern_itself():
    patterns = np.array([[3.0, 4.0], [1.0, 1.0]])
    found = ha.Memory(patterns, beta=50).recall(patterns, keep="overlaps", max_steps=1)
    np.testing.assert_allclose(found.overlaps[0].diagonal(), 1)


def test_couplings_have_no_weights_to_keep():
    with pytest.raises(InvalidInput, match="no weights of patterns"):
        ha.Hopfield([[0.0]]).recall([1.0], keep=("weights",))


def test_an_answer_of_another_dim_is_given_and_matched():
    memory = ha.Memory(np.eye(2), [[1.0, 0, 0], [0, 0, 2]], beta=50)
    found = memory.recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.status.tolist() == ["answered", "answered"]
    assert found.matched.tolist() == [0, 1]
    assert found.steps.tolist() == [1, 1]
    assert found.energies is None
    assert memory.recall([1.0, 0.0]).state.shape == (3,)


def test_every_word_has_its_sentence():
    assert all(word.meaning for word in Spurious)


def test_the_likeness_is_the_nearest_pattern_by_cosine():
    states = np.random.default_rng(2).normal(size=(6, 400))
    for activation, state in itertools.product(activations, states):
        found = like(state, activation=activation)
        assert found.similarity[0] == pytest.approx(cosine(state, PATTERNS).max(), abs=1e-12)


@each("dtype", ["float64", "float32"])
@given(seed=st.integers(0, 2**32 - 1), edge=st.integers(1, 8))
def test_of_patterns_equally_like_a_state_the_first_ones_lead(dtype, seed, edge):
    """Whole numbers have exact ties, which rounding would break otherwise in each part of the patterns."""
    rng = np.random.default_rng(seed)
    patterns, states = rng.choice([-1, 1], (9, 12)), rng.choice([-1, 1], (5, 12))
    wanted = np.argsort(-np.abs(states @ patterns.T), axis=1, kind="stable")[:, :3]
    rows, keys = states.astype(dtype), patterns.astype(dtype)
    later = ranked(rows, keys[edge:])
    cut = merged([ranked(rows, keys[:edge]), dataclasses.replace(later, leading=later.leading + edge)])
    assert np.array_equal(ranked(rows, keys).leading, wanted)
    assert np.array_equal(cut.leading, wanted)


def test_two_patterns_mixed_are_not_a_mixture_of_three():
    found = ha.memories.k_subsets([[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]], k=2).recall([1.5, 1.4, 0.1])
    assert (found.spurious, found.mixture.tolist()) == ("other", [-1, -1, -1])


def test_many_cues_take_memory_in_proportion():
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(3, 4))
    cues = np.random.default_rng(2).choice([-1.0, 1.0], size=(60_000, 4))  # squared, these would be 27 GiB
    assert ha.memories.hopfield(patterns).recall(cues, max_steps=1).mixture.shape == (60_000, 3)


def test_an_answer_uses_the_mask_and_refuses_arrays_of_steps():
    memory = ha.Memory(np.eye(2), [[1.0, 0, 0], [0, 0, 2]], beta=50)
    assert memory.recall([1.0, 0.0], mask=[False, True]).state.tolist() == [0, 0, 2]
    with pytest.raises(InvalidInput, match="keep: weights needs a recall of several steps, but values of dim 3"):
        memory.recall([1.0, 0.0], keep=("weights",))
    with pytest.raises(InvalidInput, match=r"update: Asynchronous.* needs a recall of several steps"):
        memory.recall([1.0, 0.0], update="async")


def test_every_status_has_its_meaning_beside_it():
    found = ha.Memory([[2.0, 0.0]], separation="identity").recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.meaning.tolist() == [ha.Status("diverged").meaning, ha.Status("converged").meaning]
    alone = ha.Memory(np.eye(2)).recall([1.0, 0.0])
    assert alone.meaning == ha.Status(alone.status).meaning == ha.Status.CONVERGED.meaning
    assert all(status.meaning in repr(status) and status == status.value for status in ha.Status)


def test_the_text_of_a_record_is_short_and_says_how_the_cues_ended():
    memory = ha.Memory([[2.0, 0.0]], separation="identity")
    text = repr(memory.recall([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], keep=("trajectory",)))
    assert text.startswith("Recall(3 cues of dim 2, 2 to ")
    assert f"2 converged ({ha.Status.CONVERGED.meaning}), 1 diverged ({ha.Status.DIVERGED.meaning})" in text
    assert text.endswith("with trajectory)")
    assert repr(ha.Memory(np.eye(2), beta=50).recall([1.0, 0.0])).startswith("Recall(1 cue of dim 2, ")
    many = ha.memories.modern(np.eye(4)).recall(np.tile(np.eye(4), (200, 1)), keep=("trajectory", "weights"))
    assert len(repr(many)) < 200


@each("kind", [ha.Memory, ha.Hopfield, ha.Associator, ha.cluster.Sharded])
def test_the_help_of_recall_describes_every_argument_and_the_whole_record(kind):
    message = inspect.getdoc(kind.recall)
    given = list(inspect.signature(kind.recall).parameters)[1:]
    assert given == ["cues", "update", "max_steps", "tol", "rng", "mask", "keep"]
    assert all(re.search(rf"^{name}: ", message, re.MULTILINE) for name in given)
    assert message.endswith(inspect.getdoc(ha.Recall))
    fields = {field.name for field in dataclasses.fields(ha.Recall)} - {"reference"}
    properties = {name for name, value in vars(ha.Recall).items() if isinstance(value, property)}
    assert [name for name in fields | properties if not re.search(rf"\b{name}:\s", message)] == []
