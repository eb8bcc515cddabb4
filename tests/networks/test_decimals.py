"""Fields of decimals have the sign that they have by hand: exact fractions give the same spins."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha


@st.composite
def decimal_networks(draw, digits):
    """W and b of decimals of so many digits, as pairs of a whole number and its float, and a state of spins.

    The last coupling of a row makes the field 0, or one unit of the last digit above or below it.
    """
    n, unit = draw(st.integers(2, 6)), 10**digits
    entry = st.integers(-unit, unit)
    spins = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    rows, bias = [], draw(st.lists(entry, min_size=n, max_size=n))
    for b in bias:
        row = draw(st.lists(entry, min_size=n - 1, max_size=n - 1))
        rest = b + sum(w * spin for w, spin in zip(row, spins[:-1], strict=True))
        rows.append([*row, spins[-1] * (draw(st.sampled_from([-1, 0, 0, 1])) - rest)])
    return rows, bias, spins, unit


def floats(values, unit):
    return np.array([[float(Fraction(value, unit)) for value in row] for row in np.atleast_2d(values).tolist()])


def by_hand(field, spin):
    return spin if field == 0 else 1 if field > 0 else -1


@pytest.mark.parametrize("digits", [1, 2, 4, 9])
@given(data=st.data())
def test_spins_of_decimals_are_those_of_fractions(digits, data):
    rows, bias, spins, unit = data.draw(decimal_networks(digits))
    network = ha.Hopfield(floats(rows, unit), bias=floats(bias, unit)[0])
    fields = [b + sum(w * x for w, x in zip(row, spins, strict=True)) for row, b in zip(rows, bias, strict=True)]
    assert network.step(spins).tolist() == [by_hand(h, x) for h, x in zip(fields, spins, strict=True)]
    one_by_one = list(spins)
    for i, (row, b) in enumerate(zip(rows, bias, strict=True)):
        local = b + sum(w * one_by_one[j] for j, w in enumerate(row) if j != i)
        one_by_one[i] = by_hand(local, one_by_one[i])
    assert network.recall(spins, max_steps=1).state.tolist() == one_by_one
    answers = ha.cue(floats(rows, unit), spins, "sign")
    plain = [sum(w * x for w, x in zip(row, spins, strict=True)) for row in rows]
    assert answers.tolist() == [by_hand(h, x) for h, x in zip(plain, spins, strict=True)]
    wide = ha.cue(floats(rows * 2, unit), spins, "sign")  # no square: the neurons are others than those of the cue
    assert wide.tolist() == [by_hand(h, 0) for h in plain * 2]


@given(st.integers(1, 7), st.integers(2, 6), st.randoms(use_true_random=False))
def test_spins_of_a_mean_over_patterns_are_those_of_its_sum(count, n, random):
    patterns = [[random.choice([-1, 1]) for _ in range(n)] for _ in range(count)]
    sums = np.array(patterns).T @ np.array(patterns)
    np.fill_diagonal(sums, 0)
    for state in np.array(np.meshgrid(*[[-1, 1]] * n)).reshape(n, -1).T:
        expected = [by_hand(h, x) for h, x in zip((sums @ state).tolist(), state.tolist(), strict=True)]
        assert ha.Hopfield(sums / count).step(state).tolist() == expected
        assert ha.Hopfield(sums / 7 * 0.1).step(state).tolist() == expected


def test_a_row_of_tenths_keeps_its_spin():
    assert ha.Hopfield([[0, 0.1, 0.2, -0.3], *np.zeros((3, 4))]).step([-1, 1, 1, 1])[0] == -1
    assert ha.cue([0.1, 0.2, -0.3], [1, 1, 1], "sign") == 0  # .1 + .2 − .3 is 5.6e-17 in floating point


def test_five_neurons_of_a_course_sheet_end_at_their_pattern():
    """Wilson (2008), COMP9444, exercise 2: every order of the neurons, and all at once."""
    xi, state = np.array([1, -1, 1, -1, -1]), [1, 1, 1, 1, -1]
    network = ha.Hopfield(0.2 * (np.outer(xi, xi) - np.eye(5)))
    assert network.step(state).tolist() == xi.tolist()
    for first in range(5):
        order = [(first + i) % 5 for i in range(5)]
        assert network.recall(state, update=ha.Asynchronous(order=order)).state.tolist() == xi.tolist()
