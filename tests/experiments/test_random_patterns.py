"""Laws of the random patterns and the cues of a comparison, as a memory of one's own is given them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha


def drawn(stored=None, **more):
    """The keys and the cues of each trial, and the row of a linear memory."""
    seen = []

    class Seeing(ha.Memory):
        def recall(self, cues, **how):
            seen.append((np.asarray(self.keys), np.asarray(cues)))
            return super().recall(cues, **how)

    more = {"trials": 1, "max_steps": 1, "memories": lambda keys: Seeing(keys, separation="identity"), **more}
    random, of_patterns = ha.experiments.compare_random, ha.experiments.compare_patterns
    (row,) = (random(**more) if stored is None else of_patterns(stored, **more)).rows
    assert (row.refusal, len(seen), row.trials) == ("", more["trials"], more["trials"])
    assert (row.n_keys, row.n_cues) == (len(seen[0][0]), sum(len(cues) for _, cues in seen))
    return seen, row


def cosines(one, other):
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(axis=1) / np.where(lengths > 0, lengths, np.inf)


@given(
    dim=st.integers(1, 40),
    load=st.floats(0.01, 2),
    noise=st.floats(0, 1),
    hidden=st.floats(0, 0.99),
    correlation=st.floats(0, 0.99),
    kind=st.sampled_from(["spins", "unit"]),
)
def test_random_patterns_are_as_described(dim, load, noise, hidden, correlation, kind):
    ((keys, cues),), row = drawn(
        dim=dim, load=load, noise=noise, hidden=hidden, correlation=correlation, patterns=kind, beta=1.0
    )
    own, covered = keys[: len(cues)], cues == 0
    assert keys.shape == (max(1, round(load * dim)), dim)
    assert row.cosine_cue == pytest.approx(
        cosines(own, cues).mean(), abs=1e-9
    )  # a cue belongs to the key of its number
    if kind == "spins":
        assert (np.abs(keys) == 1).all()
        assert (covered.sum(axis=1) == round(hidden * dim)).all()
        wrong = (cues == -own).sum(axis=1)
        assert (wrong <= round(noise * dim)).all()
        assert hidden >= 0.5 / dim or (wrong == round(noise * dim)).all()
    else:
        assert (covered.sum(axis=1) >= round(hidden * dim)).all()
        np.testing.assert_allclose(np.linalg.norm(keys, axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("correlation", [0.0, 0.25, 0.64])
def test_the_mean_cosine_of_two_patterns_is_the_correlation(correlation):
    # Given the parent, the cosine of a pair of spins is the mean of dim independent products; the means of the pairs of
    # 100 draws are independent, so that their standard error is that of 100 numbers. Unit vectors tend to ρ as 1/dim.
    for kind, room in (("spins", 0), ("unit", 2 / 200)):
        seen, _ = drawn(rng=3, trials=100, dim=200, n_patterns=2, correlation=correlation, patterns=kind)
        pairs = [float(keys[0] @ keys[1] / np.linalg.norm(keys[0]) ** 2) for keys, _ in seen]
        error = np.std(pairs, ddof=1) / 10
        assert abs(np.mean(pairs) - correlation) < 4 * error + room
        assert error < 0.01


@given(seed=st.integers(0, 99), more=st.floats(0, 0.5))
def test_a_point_of_a_grid_changes_only_what_runs_along_it(seed, more):
    def one(rng=seed, **numbers):
        return drawn(rng=rng, dim=20, **numbers)[0][0]

    (few, _), (many, _), (other, _) = one(load=0.2), one(load=0.2 + more), one(rng=seed + 1, load=0.2)
    assert np.array_equal(few, many[: len(few)]) and not np.array_equal(few, other)
    (keys, less), (same, worse) = one(noise=0.1), one(noise=0.1 + more)
    assert np.array_equal(keys, same)
    reversed_ = less != keys[: len(less)]
    assert (worse[reversed_] == less[reversed_]).all()


def test_every_parameter_changes_what_is_drawn_and_each_trial_draws_anew():
    base = {"dim": 12, "load": 0.5, "noise": 0.25, "hidden": 0.25, "correlation": 0.25, "patterns": "spins"}
    others = {"dim": 13, "load": 0.8, "noise": 0.5, "hidden": 0.5, "correlation": 0.8, "patterns": "unit"}
    ((_, first), (keys, second)), _ = drawn(trials=2, **base)
    assert not np.array_equal(first, second) and len(keys) == 6
    for name, value in others.items():
        assert not np.array_equal(first, drawn(**{**base, name: value})[0][0][1]), name
    assert len(drawn(n_patterns=3, load=9.0)[0][0][0]) == 3  # the number stands above the load


def test_noise_of_given_patterns_is_relative_to_their_length():
    stored = np.random.default_rng(0).normal(size=(60, 200)) * 7
    (((keys, cues),), _) = drawn(stored, noise=0.5)
    assert np.array_equal(keys, stored)
    relative = np.linalg.norm(cues - keys, axis=1) / np.linalg.norm(keys, axis=1)
    assert abs(relative.mean() - 0.5) < 4 * relative.std(ddof=1) / 60**0.5 + 0.5 / 800  # E|g| = √dim (1 − 1/(4 dim))


@pytest.mark.parametrize(("n", "n_cues"), [(1, 1), (100, 100), (101, 100), (200, 100)])
def test_of_more_than_100_patterns_100_are_cues_of_given_ones_at_random(n, n_cues):
    spins = np.random.default_rng(0).choice([-1.0, 1.0], size=(n, 64))
    seen, row = drawn(spins, noise=0.0, trials=2)
    places = [[int(np.flatnonzero((spins == cue).all(axis=1))[0]) for cue in cues] for _, cues in seen]
    assert all(len(set(place)) == n_cues for place in places)
    assert (places[0] == [*range(n)]) == (n <= 100) and (places[0] == places[1]) == (n <= 100)
    assert row.cosine_cue == pytest.approx(1.0)  # each cue belongs to the pattern that it was drawn from
    ((keys, cues),), _ = drawn(n_patterns=n, noise=0.0)
    assert len(keys) == n and np.array_equal(cues, keys[:100])


@pytest.mark.parametrize(
    ("over", "more", "parts"),
    [
        (None, {"dim": 4, "n_patterns": 2, "hidden": 0.4}, "2 random patterns of ±1 of 4 neurons, 0 of the neurons re"),
        (None, {"dim": 64, "hidden": 0.4}, "6 random patterns of ±1 of 64 neurons, 6 of the neurons reversed, 26 of"),
        (None, {"dim": 1, "noise": 0.0}, "1 random pattern of ±1 of 1 neuron, 2 draws"),
        (
            None,
            {"patterns": "unit", "correlation": 0.5},
            "of unit magnitude of 64 neurons, noise of 0.1, correlation 0.5, 2",
        ),
        (
            {"dim": [4, 8]},
            {},
            "random patterns of ±1, 0.1 of the neurons, rounded to whole ones, reversed, dim from 4 to 8",
        ),
        (
            {"load": [0.1, 0.2]},
            {},
            "random patterns of ±1 of 64 neurons, 6 of the neurons reversed, load from 0.1 to 0.2, 2",
        ),
        (
            {"noise": [0, 0.2], "hidden": [0, 0.5]},
            {},
            "64 neurons, noise from 0 to 0.2, hidden from 0 to 0.5, 2 draws at",
        ),
        (
            {"correlation": [0, 0.5]},
            {},
            "64 neurons, 6 of the neurons reversed, correlation from 0 to 0.5, 2 draws at each",
        ),
    ],
)
def test_the_subject_says_what_is_drawn_and_counts_the_neurons_that_are_reversed(over, more, parts):
    about = ha.experiments.compare_random(over, memories="hopfield", trials=2, max_steps=1, **more).about
    assert parts in about and about.endswith("2 draws at each point" if over else "2 draws")


def test_the_subject_of_given_patterns_is_their_number_and_their_damage():
    few, many = 2 * np.eye(64) - 1, np.ones((101, 64))
    subjects = [
        ha.experiments.compare_patterns(one, memories="linear", trials=1, rng=0).about
        for one in (few, np.eye(64), many)
    ]
    assert subjects == [
        "64 patterns of dim 64, 6 of the entries reversed, 1 draw",
        "64 patterns of dim 64, noise of 0.1, 1 draw",
        "101 patterns of dim 64, 100 of them drawn as cues, 6 of the entries reversed, 1 draw",
    ]
