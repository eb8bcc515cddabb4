"""Gradients: derivatives of the softmax in closed form, the norms of random stacks, and the messages of errors."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.loading import parse
from hopattn.views.array_cells import array_cells
from tests.each import each
from tests.refusal import assert_refused, problems

TEXT = """schema = 1
title = "gradients"
source = "ours"
kind = "gradients"
[gradients]
magnitudes = [1, 4, 0.5]
"""
STACK = "[gradients.stack]\nlayers = 3\ndraws = 2\ndim = 16\nwords = 3\n"


def found(text, changes=None, seed=None):
    return ha.run(parse(text, "f.toml", "f"), seed, changes).arrays


@pytest.mark.parametrize("size", ["largest", "spectral", "frobenius"])
def test_the_derivatives_are_those_of_pytorch(size, torch):
    scores = [0.5, -1.0, 2.0]
    arrays = found(TEXT, {"gradients.scores": scores, "gradients.size": size, "gradients.beta": 0.7})
    ways = {
        "raw": lambda s: s,
        "scaled": lambda s: s / 8,
        "normalised": lambda s: torch.nn.functional.layer_norm(s, (3,)),
    }
    for row, form in zip(arrays["derivative"].values, ways.values(), strict=True):
        for got, magnitude in zip(row, (1.0, 4.0, 0.5), strict=True):
            given = form(magnitude * torch.tensor(scores, dtype=torch.float64))
            jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(0.7 * s, -1), given)
            norms = {"spectral": 2, "frobenius": "fro"}
            norm = torch.linalg.matrix_norm(jacobian, norms[size]) if size in norms else jacobian.abs().max()
            assert got == pytest.approx(float(norm), rel=1e-9)


def test_a_measure_is_the_derivative_at_the_largest_magnitude():
    arrays = found(TEXT, {"gradients.scores": [1, 0]})
    assert arrays["raw"].values == arrays["derivative"].values[0, 1]
    assert arrays["raw"].values == pytest.approx(np.exp(-4) / (1 + np.exp(-4)) ** 2)


def test_a_derivative_near_0_is_shown_as_it_is_and_not_as_a_rounding_error():
    changes = {"gradients.scores": [1, 0], "gradients.magnitudes": [30, 100]}
    expected = '[[expect]]\nmeasure = "raw"\nis = 3.720075976020836e-44\nwithin = 1e-55\n'
    result = ha.run(parse(TEXT + expected, "f.toml", "f"), overrides=changes, explain=True)
    assert array_cells(result.arrays["derivative"])[1][0] == ["raw", "9.358e−14", "3.72e−44"]  # e^−30, e^−100
    assert array_cells(result.arrays["raw"]) == "3.72e−44"
    assert (result.expectations[0].expected, result.expectations[0].computed) == ("3.72008e-44", "3.72008e-44")
    assert "  magnitude 30: raw 9.36e−14, scaled .0224, normalised .105" in result.runs[0].working


def test_random_scores_give_the_median_of_their_draws():
    changes = {"gradients.n_scores": 4, "gradients.draws": 7, "gradients.size": "spectral"}
    arrays = found(TEXT, changes, seed=3)
    own = ha.gradients.softmax_saturation([1, 4, 0.5], 4, 7, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(arrays["derivative"].values, np.stack([*own.median.values()]))


def test_the_gradients_of_stacks_are_those_of_the_curves():
    arrays = found(TEXT.replace("magnitudes = [1, 4, 0.5]\n", STACK), seed=5)
    for of in ("words", "scores"):
        own = ha.gradients.vanishing_gradients(3, 2, of=of, dim=16, n_words=3, rng=np.random.default_rng(5))
        np.testing.assert_array_equal(arrays[f"{of}_norm"].values, np.stack([*own.median.values()]))
        assert arrays[f"{of}_norm"].labels[0] == own.names
    np.testing.assert_allclose(arrays["words_norm"].values[:, -1], 1, rtol=1e-12)
    assert "raw" not in arrays


def test_a_gradient_that_vanishes_in_one_of_two_stacks_is_counted_as_one_half(monkeypatch):
    from hopattn.scenario.kinds import gradients
    from hopattn.transformer.gradients.curves import Curves

    trials = dict.fromkeys(gradients.VARIANTS, np.array([[1.0, 1e-13, 1.0], [1.0, 1e-11, 1.0]]))
    curves = Curves("layer", np.arange(3.0), trials)
    monkeypatch.setattr(gradients, "stack_gradients", lambda *_, **__: {"words": curves, "scores": curves})
    assert (found(TEXT + STACK)["vanished"].values == 0.5).all()


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_stacks():
    scenario = parse(TEXT + STACK, "f.toml", "f")
    one, same, other = (ha.run(scenario, seed).to_json() for seed in (1, 1, 2))
    assert one == same != other.replace('"seed": 2', '"seed": 1')


@each(
    ("lines", "message"),
    [
        ("scores = [1]", "7: gradients.scores: has 1 entry; expected at least 2"),
        ("scores = [1, 0]\ndraws = 3", "8: gradients.draws: belongs to random scores"),
        ("scores = [1, 0]\nn_scores = 3", "8: gradients.n_scores: belongs to random scores"),
        ("n_scores = 1", "7: gradients.n_scores: got 1; expected at least 2"),
        ('size = "spectrl"', "7: gradients.size: 'spectrl' is unknown"),
        ("beta = 0", "7: gradients.beta: got 0; expected more than 0"),
        ("stack = { dim = 12 }", "7: gradients.stack.dim: got 12; expected a multiple of 8"),
        ("stack = { layers = 101 }", "7: gradients.stack.layers: got 101; expected at most 100"),
        ("stack = { layers = 100, draws = 3 }", "7: gradients.stack: would take too long"),
    ],
)
def test_values_that_do_not_fit_are_reported_with_their_line(lines, message):
    assert_refused(TEXT + lines + "\n", message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("magnitudes = [1, 4, 0.5]\n", ""), "needs `magnitudes`, [gradients.stack], or both; none is given"),
        (("magnitudes = [1, 4, 0.5]", "draws = 3\nstack = {}"), "draws: is not used without `magnitudes`"),
        (("[1, 4, 0.5]", "[1, 4, 1]"), "magnitudes: 1 is given 2 times"),
        (("[1, 4, 0.5]", "[1, -4]"), "magnitudes.2: got -4; expected more than 0"),
        (("[1, 4, 0.5]", "[1]\nn_scores = 1000000"), "would take about"),
    ],
)
def test_keys_that_contradict_each_other_are_reported(change, message):
    assert any(message in line for line in problems(TEXT.replace(*change)))


def test_the_explanation_has_the_derivatives_and_the_stacks():
    result = ha.run(parse(TEXT + "scores = [1, 0]\n" + STACK, "f.toml", "f"), explain=True)
    lines = "\n".join(result.runs[0].working)
    assert "  magnitude 1: raw .1966, scaled .249" in lines
    assert "2 random stacks of 3 layers" in lines and "norm first, no residuals: in layer 1 words" in lines
