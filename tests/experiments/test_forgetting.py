"""What random texts forget is the law: the measured decay against the formulas, within its standard errors."""

import numpy as np
import pytest
from scipy import stats

import hopattn as ha
from tests.draws import count

HOW = {"without attention": False, "with attention": True}
LENGTHS = (0, 1, 2, 4, 8, 16, 32)


def standard_error(curve, name):
    return stats.sem(curve.values[name], axis=-1)


@pytest.mark.parametrize("law", [{"carry": 0.9, "beta": 8.0}, {"carry": 1.0, "beta": 2.0}, {"carry": 0.6, "beta": 3.0}])
def test_the_cosine_and_the_accuracy_are_the_law(law):
    """200 texts of each length, within 4 standard errors and what finite dim takes from the law of dim → ∞."""
    model = ha.transformer.FirstWord(64, **law)
    curve = ha.experiments.forgetting(LENGTHS, model, names=16, trials=count(2000, 200), rng=1)
    for how, attention in HOW.items():
        cosine = [model.cosine(n, attention=attention) for n in LENGTHS]
        slack = 4 * standard_error(curve, f"cosine {how}") + 0.5 / model.dim
        assert np.all(np.abs(curve.mean(f"cosine {how}") - cosine) <= slack)
        accuracy = np.array([model.accuracy(n, 16, attention=attention) for n in LENGTHS])
        slack = 4 * np.sqrt(accuracy * (1 - accuracy) / curve.trials) + 1 / model.dim
        assert np.all(np.abs(curve.mean(f"accuracy {how}") - accuracy) <= slack)


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
    curve = ha.experiments.forgetting((64,), rng=0)
    assert curve.mean("accuracy with attention")[0] == 1.0
    assert curve.mean("accuracy without attention")[0] < 0.2
    assert [row["words after the first"] for row in curve.table()] == [64] and curve.trials == 200
    assert {f"{what} {how}" for what in ("cosine", "accuracy") for how in HOW} == {*curve.values}


def test_a_length_has_the_same_texts_whatever_the_others_are_and_another_seed_has_others():
    several, alone, other, again, stated = (
        ha.experiments.forgetting(lengths, trials=3, **more).values["cosine without attention"]
        for lengths, more in (
            *(((2, 5), {"rng": 0}), ((5,), {"rng": 0}), ((5,), {"rng": 1}), ((5,), {"rng": 1})),
            ((5,), {"rng": 0, "model": ha.transformer.FirstWord(), "names": 16}),
        )
    )
    assert np.array_equal(several[1], alone[0]) and np.array_equal(other, again) and np.array_equal(alone, stated)
    assert not np.isin(other, alone).any()
    short, default = ha.experiments.forgetting(trials=2, rng=0), (0, 1, 2, 4, 8, 16, 32, 64, 128)
    assert short.axes == {"words after the first": default}
