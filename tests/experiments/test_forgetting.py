"""What random texts forget is the law: the measured decay against the formulas, within its standard errors."""

import numpy as np
import pytest
from scipy import stats

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.counts import count
from tests.each import each

HOW = {"without attention": False, "with attention": True}
LENGTHS = (0, 1, 2, 4, 8, 16, 32)


@pytest.fixture(scope="module", params=[(0.9, 8.0), (1.0, 2.0), (0.6, 3.0)], ids=str)
def measured(request):
    model = ha.transformer.FirstWord(64, *request.param)
    return model, ha.experiments.forgetting(LENGTHS, model, names=16, trials=count(2000, 200), rng=1)


def standard_error(curve, name):
    return curve.error(name) / stats.t.ppf(0.975, curve.trials - 1)


@pytest.mark.parametrize("how", HOW)
def test_the_cosine_is_the_law(measured, how):
    model, curve = measured
    law = [model.cosine(n, attention=HOW[how]) for n in LENGTHS]
    slack = 4 * standard_error(curve, f"cosine {how}") + 0.5 / model.dim  # the law is that of dim → ∞
    assert np.all(np.abs(curve.mean(f"cosine {how}") - law) <= slack)


@pytest.mark.parametrize("how", HOW)
def test_the_accuracy_is_the_law(measured, how):
    model, curve = measured
    law = np.array([model.accuracy(n, 16, attention=HOW[how]) for n in LENGTHS])
    slack = 4 * np.sqrt(law * (1 - law) / curve.trials) + 1 / model.dim
    assert np.all(np.abs(curve.mean(f"accuracy {how}") - law) <= slack)


def test_without_attention_the_measured_cosine_falls_by_the_spectral_radius_with_each_word():
    model = ha.transformer.FirstWord(carry=0.8)
    curve = ha.experiments.forgetting("3:8:6", model, trials=count(4000, 800), rng=2)
    name = "cosine without attention"
    logs, n = np.log(curve.mean(name)), np.arange(3, 9)
    errors = standard_error(curve, name) / curve.mean(name)
    (slope, _), spread = np.polyfit(n, logs, 1, w=1 / errors, cov="unscaled")
    radius = np.abs(np.linalg.eigvals(model.network.w_hidden)).max()
    kept = np.log(1 - radius ** (2 * n + 2)) / 2  # the part of the law that a few words still show
    bias = np.polyfit(n, kept, 1, w=1 / errors)[0]
    assert slope == pytest.approx(np.log(radius) - bias, abs=4 * np.sqrt(spread[0, 0]))
    assert np.sqrt(spread[0, 0]) < 0.02


def test_attention_keeps_what_the_recurrent_network_forgets():
    curve = ha.experiments.forgetting((64,), trials=200)
    assert curve.mean("accuracy with attention")[0] == 1.0
    assert curve.mean("accuracy without attention")[0] < 0.2


def test_a_length_has_the_same_texts_whatever_the_others_are_and_another_seed_has_others():
    several, alone, other = (
        ha.experiments.forgetting(n, trials=3, rng=s) for n, s in (((2, 5), 0), ((5,), 0), ((5,), 1))
    )
    name = "cosine without attention"
    assert np.array_equal(several.values[name][1], alone.values[name][0])
    assert not np.isin(other.values[name], alone.values[name]).any()
    assert np.array_equal(ha.experiments.forgetting((5,), trials=3, rng=1).values[name], other.values[name])


def test_the_curve_is_a_table():
    row = ha.experiments.forgetting((3,), trials=2).table()[0]
    assert row["words after the first"] == 3
    assert {f"{what} {how}" for what in ("cosine", "accuracy") for how in HOW} <= set(row)


@each(
    ("arguments", "message"),
    [
        ({"lengths": (2.5,)}, "lengths: expected a whole number of at least 0, not 2.5"),
        ({"lengths": (-1,)}, "lengths: expected a whole number of at least 0, not -1"),
        ({"lengths": (2, 1)}, "lengths: 1 comes after 2; write the numbers in rising order"),
        ({"lengths": ()}, "lengths: is empty"),
        ({"names": 1}, "names: expected a whole number of at least 2"),
        ({"trials": 0}, "trials: expected a whole number of at least 1"),
        ({"lengths": (10**9,)}, "texts of 1,000,000,000 words would take"),
        ({"model": 0.9}, "model: expected a FirstWord, not float"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        ha.experiments.forgetting(**arguments)
