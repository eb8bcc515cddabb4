"""The law of forgetting: the recursion is the network's own derivative, and the closed forms follow from it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.transformer import FirstWord
from tests.draws import arrays, count, sizes

shares = st.floats(0, 1).map(lambda x: round(x, 3))
sharpness = st.one_of(st.just(0.0), st.floats(0, 12).map(lambda x: round(x, 3)))
models = st.builds(FirstWord, st.just(3), shares, sharpness)
either = pytest.mark.parametrize("attention", [False, True])


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


@pytest.mark.parametrize("n", [0, 1, 7, 40])
@pytest.mark.parametrize("carry", [0.0, 0.5, 0.9, 1.0])
def test_without_attention_the_cosine_is_its_closed_form(carry, n):
    kept = (1 - carry**2) / (1 - carry ** (2 * n + 2)) if carry < 1 else 1 / (n + 1)
    expected = carry**n * math.sqrt(kept)
    assert FirstWord(carry=carry).cosine(n, attention=False) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("beta", count([5.0, 6.0, 7.0], [5.0, 6.0]))
@pytest.mark.parametrize("carry", [0.3, 0.8, 1.0])
def test_with_attention_the_cosine_falls_to_one_over_root_two_after_exponentially_many_words(carry, beta):
    reach = (1 - carry) ** 2 * math.exp(2 * beta) if carry < 1 else (3 * math.exp(2 * beta)) ** (1 / 3)
    model = FirstWord(carry=carry, beta=beta)
    slack = 0.08 if carry == 1 else 0.02  # for ρ = 1 the reach is few words beside e^β
    assert model.cosine(round(reach), attention=True) == pytest.approx(math.sqrt(0.5), abs=slack)
    assert model.cosine(round(reach), attention=False) < 0.2


def test_one_word_more_costs_the_spectral_radius():
    model = FirstWord(carry=0.8)
    radius = np.abs(np.linalg.eigvals(model.network.w_hidden)).max()
    cosines = [model.cosine(n, attention=False) for n in range(20, 40)]
    np.testing.assert_allclose(np.divide(cosines[1:], cosines[:-1]), radius, rtol=1e-4)


def test_the_accuracy_runs_from_certainty_to_chance():
    model = FirstWord(dim=256)
    falling = [model.accuracy(n, 8, attention=False) for n in range(0, 200, 10)]
    assert falling[0] == pytest.approx(1.0) and falling[-1] == pytest.approx(1 / 8, abs=2e-3)
    assert all(later <= earlier for earlier, later in pairwise(falling))
    assert model.accuracy(200, 8, attention=True) == pytest.approx(1.0)


@given(dim=st.integers(2, 5000), names=st.integers(2, 10**6), n=st.integers(1, 40))
def test_the_accuracy_is_chance_where_nothing_of_the_first_word_is_left(dim, names, n):
    """In the plane the nearest name is about π/names away, an angle that its cosine holds up to 1.1e-16/angle²."""
    model = FirstWord(dim, carry=0.0, beta=0.0)
    rounding = 1.2e-17 * names**2 if dim == 2 else 0.0
    assert model.accuracy(n, names, attention=False) == pytest.approx(1 / names, rel=1e-6 + rounding)


@pytest.mark.parametrize(("dim", "names", "expected"), [(2, 2, 3 / 4), (2, 4, 15 / 32), (3, 2, 5 / 6), (3, 3, 17 / 24)])
def test_the_accuracy_in_a_small_dim_is_that_by_hand(dim, names, expected):
    """The sum of two words of one length halves their angle. A name is nearer with a probability known by hand.

    In the plane the angle φ of the sum and the first word is uniform on [0, π/2], and F = 1 − φ/π: the accuracy is
    2 (1 − 2^−names) / names. In space v = cos² φ is uniform on [0, 1], and F = (1 + √v)/2: E F = (1 + 2/3)/2, and
    E F² = (1 + 2 · 2/3 + 1/2)/4.
    """
    assert FirstWord(dim, carry=1.0).accuracy(1, names, attention=False) == pytest.approx(expected, rel=1e-3)


def test_the_accuracy_is_the_measured_one_after_one_word_and_nearly_after_more():
    """20,000 texts (quick: 8,000), with standard errors up to .0036 (.0056)."""
    for dim, carry, n in ((1, 0.5, 1), (2, 0.8, 1), (8, 0.7, 1), (32, 0.7, 4)):
        model = FirstWord(dim, carry)
        found = model.measured(n, 5, count(20_000, 8000), np.random.default_rng(1))["accuracy without attention"].mean()
        assert model.accuracy(n, 5, attention=False) == pytest.approx(found, abs=0.015)


def test_what_is_measured_in_many_dims_is_what_the_model_states():
    """200 texts in 400 dims: a cosine of random words is off by .05 or so, the mean of them by a tenth of that."""
    model = FirstWord(400, 0.8, 3.0)
    assert FirstWord() == FirstWord(64, 0.9, 8.0)
    measured = model.measured(6, 5, 200, 1)
    for attention, how in ((False, "without attention"), (True, "with attention")):
        assert measured[f"cosine {how}"].mean() == pytest.approx(model.cosine(6, attention=attention), abs=0.02)
        assert measured[f"accuracy {how}"].mean() == pytest.approx(model.accuracy(6, 5, attention=attention), abs=0.03)


def test_a_seed_and_its_generator_measure_the_same():
    model = FirstWord(4)
    by_seed, by_generator = (model.measured(3, 4, 5, rng=rng) for rng in (7, np.random.default_rng(7)))
    for name, numbers in by_seed.items():
        np.testing.assert_array_equal(numbers, by_generator[name])
