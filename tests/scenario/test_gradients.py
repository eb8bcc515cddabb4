"""Gradients: derivatives of the softmax by PyTorch, and the norms of random stacks."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.views.array_cells import array_cells
from tests.refusal import refused
from tests.scenario.scenarios_of_kinds import GRADIENTS
from tests.texts import parsed

STACK = GRADIENTS + "[gradients.stack]\nlayers = 3\ndraws = 2\ndim = 16\nwords = 3\n"


def arrays_of(text=GRADIENTS, seed=None, **table):
    return ha.run(parsed(text), seed, {f"gradients.{key}": value for key, value in table.items()}).arrays


@pytest.mark.parametrize("size", ["largest", "spectral", "frobenius"])
def test_the_derivatives_are_those_of_pytorch(size, torch):
    scores = [0.5, -1.0, 2.0]
    ways = {
        "raw": lambda s: s,
        "scaled": lambda s: s / np.sqrt(20),
        "normalised": lambda s: torch.nn.functional.layer_norm(s, (3,)),
    }
    arrays = arrays_of(scores=scores, size=size, beta=0.7, dim=20)
    assert arrays["derivative"].labels == (tuple(ways), ("1", "4", "0.5"))
    for row, (name, form) in zip(arrays["derivative"].values, ways.items(), strict=True):
        for got, magnitude in zip(row, (1.0, 4.0, 0.5), strict=True):
            given = form(magnitude * torch.tensor(scores, dtype=torch.float64))
            jacobian = torch.autograd.functional.jacobian(lambda s: torch.softmax(0.7 * s, -1), given)
            norms = {"spectral": 2, "frobenius": "fro"}
            norm = torch.linalg.matrix_norm(jacobian, norms[size]) if size in norms else jacobian.abs().max()
            assert got == pytest.approx(float(norm), rel=1e-9)
        assert arrays[name].values == row[1], "the measure is that of the largest magnitude"


def test_by_default_scores_are_divided_by_8_and_the_largest_derivative_is_that_of_the_logistic_function():
    arrays = arrays_of(scores=[1, 0])
    logistic = [np.exp(-x) / (1 + np.exp(-x)) ** 2 for x in (4, 4 / 8)]
    assert [arrays[name].values for name in ("raw", "scaled")] == pytest.approx(logistic)


def test_a_derivative_near_0_is_shown_as_it_is_and_not_as_a_rounding_error():
    changes = {"gradients.scores": [1, 0], "gradients.magnitudes": [30, 100]}
    expected = '[[expect]]\nmeasure = "raw"\nis = 3.720075976020836e-44\nwithin = 1e-55\n'
    result = ha.run(parsed(GRADIENTS + expected), overrides=changes, explain=True)
    assert array_cells(result.arrays["derivative"])[1][0] == ["raw", "9.358e−14", "3.72e−44"]  # e^−30, e^−100
    assert array_cells(result.arrays["raw"]) == "3.72e−44"
    assert (result.expectations[0].expected, result.expectations[0].computed) == ("3.72008e-44", "3.72008e-44")
    assert "  magnitude 30: raw 9.36e−14, scaled .0224, normalised .105" in result.runs[0].working


@pytest.mark.parametrize(("draws", "n"), [(7, 4), (None, None)])
def test_random_scores_give_the_median_of_their_draws(draws, n):
    keys = {"draws": draws, "n_scores": n} if n else {}
    arrays = arrays_of(seed=3, size="spectral", **keys)
    curves = ha.gradients.softmax_saturation(
        [1, 4, 0.5], n_scores=n or 16, n_draws=draws or 200, kind="spectral", rng=np.random.default_rng(3)
    )
    np.testing.assert_array_equal(arrays["derivative"].values, np.stack([*curves.median.values()]))


def test_the_gradients_of_stacks_are_those_of_the_curves():
    arrays = arrays_of(STACK.replace("magnitudes = [1, 4, 0.5]\n", ""), seed=5)
    for of in ("words", "scores"):
        curves = ha.gradients.vanishing_gradients(3, n_draws=2, of=of, dim=16, n_words=3, rng=np.random.default_rng(5))
        np.testing.assert_array_equal(arrays[f"{of}_norm"].values, np.stack([*curves.median.values()]))
        assert arrays[f"{of}_norm"].labels == (curves.names, ("1", "2", "3", "output")[: 4 if of == "words" else 3])
    np.testing.assert_allclose(arrays["words_norm"].values[:, -1], 1, rtol=1e-12)
    assert "raw" not in arrays and (arrays["vanished"].values == 0).all()


@pytest.mark.parametrize("magnitude", [10.0, 30.0, 300.0])
def test_a_gradient_of_at_most_1e_12_in_some_layer_has_vanished(magnitude):
    """Large words saturate every softmax, where nothing norms them; at 30 the gradient of one stack is 2e-16."""
    arrays = arrays_of(STACK, **{"stack.magnitude": magnitude, "stack.draws": 1})
    norms = np.stack([arrays[f"{of}_norm"].values.min(axis=1) for of in ("words", "scores")], axis=1)
    np.testing.assert_array_equal(arrays["vanished"].values, norms <= 1e-12)
    assert arrays["vanished"].labels == (arrays["words_norm"].labels[0], ("words", "scores"))
    assert magnitude != 30 or np.any((norms > 1e-100) & (norms < 1e-12))


def test_the_derivatives_and_the_stacks_are_explained():
    working = ha.run(parsed(STACK), overrides={"gradients.scores": [1, 0]}, explain=True).runs[0].working
    lines = "\n".join(working)
    assert "  magnitude 1: raw .1966, scaled .249" in lines
    assert "2 random stacks of 3 layers" in lines and "norm first, no residuals: in layer 1 words" in lines


@pytest.mark.parametrize("size", ["largest", "spectral", "frobenius"])
def test_scores_beyond_the_range_of_numbers_are_refused_for_every_size_of_the_matrix(size):
    keys = {"scores": [1, 2, 1e308], "magnitudes": [10], "beta": 1e300, "size": size}
    refused(lambda: arrays_of(**keys), "file.toml:", "grow out of range", "'derivative'")
