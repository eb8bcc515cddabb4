"""The law of forgetting: the recursion is the network's own derivative, and the closed forms follow from it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.counts import count
from tests.draws import arrays, sizes
from tests.each import each

models = st.builds(
    ha.transformer.FirstWord,
    st.just(3),
    st.floats(0, 1).map(lambda x: round(x, 3)),
    st.floats(0, 12).map(lambda x: round(x, 3)),
)
either = each("attention", [False, True])


@either
@given(model=models, n=sizes, data=st.data())
def test_the_answer_is_the_sum_of_the_words_by_their_shares(attention, model, n, data):
    words = data.draw(arrays((2, n + 1, 3)))
    shares = model.shares(n, attention=attention)
    expected = sum(shares[i] * words[:, i] for i in range(n + 1))
    np.testing.assert_allclose(model.read(words, attention=attention), expected, rtol=1e-11, atol=1e-11)


@given(model=models, n=sizes)
def test_shares_are_the_double_sum_written_out(model, n):
    power = math.exp(model.beta)
    for i, share in enumerate(model.shares(n, attention=True)):
        weights = [power / (power + n)] + [1 / (power + n)] * n
        assert share == pytest.approx(sum(weights[j] * model.carry ** (j - i) for j in range(i, n + 1)), rel=1e-12)
    np.testing.assert_allclose(model.shares(n, attention=False), model.carry ** np.arange(n, -1, -1.0), rtol=1e-12)


@each("n", [0, 1, 7, 40])
@each("carry", [0.0, 0.5, 0.9, 1.0])
def test_without_attention_the_cosine_is_its_closed_form(carry, n):
    kept = (1 - carry**2) / (1 - carry ** (2 * n + 2)) if carry < 1 else 1 / (n + 1)
    expected = carry**n * math.sqrt(kept)
    assert ha.transformer.FirstWord(carry=carry).cosine(n, attention=False) == pytest.approx(expected, rel=1e-12)


@each("beta", count([5.0, 6.0, 7.0], [5.0, 6.0]))
@each("carry", [0.3, 0.8, 1.0])
def test_with_attention_the_cosine_falls_to_one_over_root_two_after_exponentially_many_words(carry, beta):
    reach = (1 - carry) ** 2 * math.exp(2 * beta) if carry < 1 else (3 * math.exp(2 * beta)) ** (1 / 3)
    model = ha.transformer.FirstWord(carry=carry, beta=beta)
    slack = 0.08 if carry == 1 else 0.02  # for ρ = 1 the reach is few words beside e^β
    assert model.cosine(round(reach), attention=True) == pytest.approx(math.sqrt(0.5), abs=slack)
    assert model.cosine(round(reach), attention=False) < 0.2


def test_one_word_more_costs_the_spectral_radius():
    model = ha.transformer.FirstWord(carry=0.8)
    radius = np.abs(np.linalg.eigvals(model.network.w_hidden)).max()
    cosines = [model.cosine(n, attention=False) for n in range(20, 40)]
    np.testing.assert_allclose(np.divide(cosines[1:], cosines[:-1]), radius, rtol=1e-4)


def test_the_accuracy_runs_from_certainty_to_chance():
    model = ha.transformer.FirstWord(dim=256)
    falling = [model.accuracy(n, 8, attention=False) for n in range(0, 200, 10)]
    assert falling[0] == pytest.approx(1.0) and falling[-1] == pytest.approx(1 / 8, abs=2e-3)
    assert all(later <= earlier for earlier, later in pairwise(falling))
    assert model.accuracy(200, 8, attention=True) == pytest.approx(1.0)


@given(dim=st.integers(2, 5000), names=st.integers(2, 10**6), n=st.integers(1, 40))
def test_the_accuracy_is_chance_where_nothing_of_the_first_word_is_left(dim, names, n):
    """In the plane the nearest name is about π/names away, an angle that its cosine holds up to 1.1e-16/angle²."""
    model = ha.transformer.FirstWord(dim, carry=0.0, beta=0.0)
    rounding = 1.2e-17 * names**2 if dim == 2 else 0.0
    assert model.accuracy(n, names, attention=False) == pytest.approx(1 / names, rel=1e-6 + rounding)


@each(("dim", "names", "expected"), [(2, 2, 3 / 4), (2, 4, 15 / 32), (3, 2, 5 / 6), (3, 3, 17 / 24)])
def test_the_accuracy_in_a_small_dim_is_that_by_hand(dim, names, expected):
    """The sum of two words of one length halves their angle. A name is nearer with a probability known by hand.

    In the plane the angle φ of the sum and the first word is uniform on [0, π/2], and F = 1 − φ/π: the accuracy is
    2 (1 − 2^−names) / names. In space v = cos² φ is uniform on [0, 1], and F = (1 + √v)/2: E F = (1 + 2/3)/2, and
    E F² = (1 + 2 · 2/3 + 1/2)/4.
    """
    assert ha.transformer.FirstWord(dim, carry=1.0).accuracy(1, names, attention=False) == pytest.approx(
        expected, rel=1e-3
    )


def test_the_accuracy_is_the_measured_one_after_one_word_and_nearly_after_more():
    """20,000 texts (quick: 8,000), with standard errors up to .0036 (.0056)."""
    for dim, carry, n in ((1, 0.5, 1), (2, 0.8, 1), (8, 0.7, 1), (32, 0.7, 4)):
        model = ha.transformer.FirstWord(dim, carry)
        found = model.measured(n, 5, count(20_000, 8000), np.random.default_rng(1))["accuracy without attention"].mean()
        assert model.accuracy(n, 5, attention=False) == pytest.approx(found, abs=0.015)


def test_a_seed_and_its_generator_measure_the_same():
    model = ha.transformer.FirstWord(4)
    by_seed, by_generator = (model.measured(3, 4, 5, rng=rng) for rng in (7, np.random.default_rng(7)))
    for name, numbers in by_seed.items():
        np.testing.assert_array_equal(numbers, by_generator[name])
    with pytest.raises(InvalidInput, match="rng: expected a seed"):
        model.measured(3, 4, 5, rng="x")


def test_without_a_question_attention_is_the_average_of_the_states():
    model = ha.transformer.FirstWord(dim=2, carry=0.0, beta=0.0)
    words = np.random.default_rng(0).normal(size=(3, 5, 2))
    np.testing.assert_allclose(model.read(words, attention=True), words.mean(axis=1), rtol=1e-12)


@each(
    ("make", "message"),
    [
        (lambda: ha.transformer.FirstWord(carry=1.1), "carry: expected a number from 0 to 1, not 1.1"),
        (lambda: ha.transformer.FirstWord(carry=-1), "carry: expected a finite number of at least 0"),
        (lambda: ha.transformer.FirstWord(beta=-1), "beta: expected a finite number of at least 0"),
        (lambda: ha.transformer.FirstWord(dim=0), "dim: expected a whole number of at least 1"),
        (lambda: ha.transformer.FirstWord().shares(-1, attention=True), "n: expected a whole number of at least 0"),
        (
            lambda: ha.transformer.FirstWord().accuracy(1, 1, attention=True),
            "names: expected a whole number of at least 2",
        ),
        (
            lambda: ha.transformer.FirstWord().read(np.ones((2, 64)), attention=True),
            r"words: got shape \(2, 64\); expected \(n_texts, n\+1, dim\)",
        ),
        (
            lambda: ha.transformer.FirstWord().read(np.ones((2, 3, 4)), attention=True),
            r"words: got shape \(2, 3, 4\); expected \(n_texts, n\+1, dim\) with dim = 64",
        ),
    ],
)
def test_numbers_out_of_range_are_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()
