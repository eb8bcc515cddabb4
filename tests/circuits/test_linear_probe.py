"""The linear probe: its gradient against finite differences, its fit against PyTorch and SciPy, its equal means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax

from hopattn.circuits.position_probe import fit_probe, logistic_loss
from tests.each import each


def problem(seed, n=40, dim=3, n_classes=4):
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, dim)) + 0.7 * classes[:, None], classes, n_classes


def reference(parameters, vectors, classes, n_classes, penalty):
    """The same loss from SciPy's log softmax, without the code of the package."""
    split = n_classes * vectors.shape[1]
    weight, bias = parameters[:split].reshape(n_classes, -1), parameters[split:]
    log_p = log_softmax(vectors @ weight.T + bias, axis=1)
    return -np.mean([row[label] for row, label in zip(log_p, classes, strict=True)]) + penalty / 2 * np.sum(weight**2)


@given(seed=st.integers(0, 10**6), penalty=st.sampled_from([1e-3, 0.1, 2.0]))
def test_the_loss_is_scipys_and_its_gradient_that_of_finite_differences(seed, penalty):
    vectors, classes, n_classes = problem(seed)
    at = np.random.default_rng(seed).normal(size=n_classes * 4)
    loss, gradient = logistic_loss(at, vectors, classes, n_classes, penalty)
    arguments = (vectors, classes, n_classes, penalty)
    assert loss == pytest.approx(reference(at, *arguments), rel=1e-12)
    np.testing.assert_allclose(gradient, approx_fprime(at, reference, 1e-7, *arguments), atol=1e-5)


def scaled(vectors):
    return (vectors - vectors.mean(0)) / vectors.std(0)


@each("seed", [0, 1])
def test_the_fit_is_that_of_scipy_with_numerical_gradients(seed):
    vectors, classes, n_classes = problem(seed)
    x = scaled(vectors)
    found = minimize(reference, np.zeros(16), (x, classes, n_classes, 0.05), method="BFGS", options={"gtol": 1e-6})
    weight, bias = found.x[:12].reshape(4, 3), found.x[12:]
    probe = fit_probe(vectors, classes, n_classes, 0.05)
    ours, theirs = log_softmax(probe.scores(vectors), axis=1), log_softmax(x @ weight.T + bias, axis=1)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    assert (probe.classes(vectors) == np.argmax(theirs, axis=1)).mean() > 0.95


@pytest.mark.parametrize("size", [1e-100, 1e-13, 1e13])
def test_the_size_of_the_vectors_has_no_part_in_what_is_read(size):
    vectors, classes, n_classes = problem(2)
    expected = fit_probe(vectors, classes, n_classes).classes(vectors)
    assert (fit_probe(size * vectors, classes, n_classes).classes(size * vectors) == expected).all()


def test_an_element_without_variance_has_no_part():
    vectors, classes, n_classes = problem(2)
    vectors[:, 0] = 1e5 / 3
    vectors[:, 1] = 0
    assert np.abs(fit_probe(vectors, classes, n_classes).weight[:, :2]).max() < 1e-9


def test_the_fit_is_that_of_pytorch():
    torch = pytest.importorskip("torch")
    vectors, classes, n_classes = problem(3)
    x, y = torch.from_numpy(scaled(vectors)), torch.from_numpy(classes)
    layer = torch.nn.Linear(3, n_classes, dtype=torch.float64)
    optimiser = torch.optim.LBFGS(layer.parameters(), max_iter=500, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(layer(x), y) + 0.05 / 2 * (layer.weight**2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    theirs = log_softmax(layer(x).detach().numpy(), axis=1)
    np.testing.assert_allclose(
        log_softmax(fit_probe(vectors, classes, n_classes, 0.05).scores(vectors), 1), theirs, atol=2e-3
    )


@given(seed=st.integers(0, 10**6))
def test_a_probe_reads_the_means_of_the_classes_and_nothing_else(seed):
    """Classes that differ in everything but their mean: the fit is W = 0, though their spreads differ by ten."""
    rng = np.random.default_rng(seed)
    parts = [spread * rng.normal(size=(30, 3)) for spread in (0.1, 1.0)]
    vectors = np.concatenate([part - part.mean(axis=0) for part in parts])
    classes = np.repeat([0, 1], 30)
    assert np.abs(fit_probe(vectors, classes, 2).weight).max() < 1e-6
    moved = vectors + 0.5 * classes[:, None]
    assert np.abs(fit_probe(moved, classes, 2).weight).max() > 0.1


def test_an_element_that_never_changes_is_not_an_obstacle():
    vectors, classes, n_classes = problem(0)
    same = np.column_stack([vectors, np.full(len(vectors), 7.0)])
    probe = fit_probe(same, classes, n_classes)
    np.testing.assert_allclose(probe.scores(same), fit_probe(vectors, classes, n_classes).scores(vectors), atol=1e-2)
    assert np.all(np.isfinite(probe.weight))


@pytest.mark.parametrize("size", [2.0**-1000, 2.0**-44, 2.0**400])
def test_the_size_of_the_vectors_does_not_matter(size):
    vectors, classes, n_classes = problem(0)
    probe, same = (fit_probe(some, classes, n_classes) for some in (vectors * size, vectors))
    assert np.array_equal(probe.scores(vectors * size), same.scores(vectors))
