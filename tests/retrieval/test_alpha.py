"""An α that is an array: the weights of each row, and their derivative, of entmax and of normmax."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.separation.base import Weights
from tests.draws import count
from tests.refusal import refused

NAMES = ["entmax", "normmax"]
LEAST = {"entmax": 1.0, "normmax": 1.1}
NEAR = {"float64": 1e-12, "float32": 2e-5}


def make(name, alpha, **options):
    return ha.separations[name](alpha=alpha, **options)


@st.composite
def rows(draw, name):
    """Scores of some rows and an α for each; the limits 1 and 2 of entmax often."""
    n, m, seed = draw(st.integers(1, 4)), draw(st.integers(1, 7)), draw(st.integers(0, 2**32 - 1))
    special = [alpha for alpha in (1.0, 1 + 1e-9, 1.001, 1.5, 2.0, 4.0) if alpha >= LEAST[name]]
    one = st.sampled_from(special) | st.floats(LEAST[name], 4.0)
    alpha = np.array(draw(st.lists(one, min_size=n, max_size=n)))
    return draw(st.sampled_from([0.1, 1.0, 5.0])) * np.random.default_rng(seed).normal(size=(n, m)), alpha


def expected(name, scores, alpha, where=None):
    """Weights and Ψ of each row in double precision: by the formula of a number, which loses digits near 1."""
    masks = np.ones(scores.shape, bool) if where is None else where
    rows = zip(scores, alpha, masks, strict=True)
    parts = [
        near_one(*row) if 1 < row[1] < 1.01 else make(name, float(row[1]))(*row[::2], potential=True) for row in rows
    ]
    return np.stack([part.p for part in parts]), np.stack([part.potential for part in parts])


def near_one(scores, alpha, mask):
    """Entmax of one row by halving: p = [1 + q(s − u)]^(1/q) with q = α − 1, of which no term is below 0 here."""
    q, shares, low, high = alpha - 1, np.zeros(len(scores)), scores[mask].max(initial=-np.inf), 0.0
    if not mask.any():
        return Weights(shares, 1.0, 0.0)
    high = low + np.log(mask.sum())
    for _ in range(100):
        u = (low + high) / 2
        shares[mask] = np.exp(np.log1p(q * (scores[mask] - u)) / q)
        low, high = (u, high) if shares.sum() > 1 else (low, u)
    return Weights(shares / shares.sum(), 1.0, u + ((shares**alpha).sum() - 1) / alpha)


@settings(max_examples=count(40, 10), deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("library", ["numpy", "torch", pytest.param("jax", marks=pytest.mark.slow)], indirect=True)
def test_each_row_is_that_of_its_alpha(library, name, dtype, data):
    scores, alpha = data.draw(rows(name))
    where = np.random.default_rng(len(alpha)).random(scores.shape) < 0.7 if data.draw(st.booleans()) else None
    xp = library.module
    s, a = xp.asarray(scores.astype(dtype)), xp.asarray(alpha.astype(dtype))
    weights = make(name, a)(s, None if where is None else xp.asarray(where), potential=True)
    p, psi = (library.numpy(part) for part in (weights.p, weights.potential))
    referee = expected(name, scores.astype(dtype).astype(float), alpha.astype(dtype).astype(float), where)
    assert p.dtype == psi.dtype == dtype
    scale = np.abs(scores).max() + 1
    steep = 1 / (LEAST["normmax"] - 1) if name == "normmax" else 1 + alpha.max() * scale
    np.testing.assert_allclose(p, referee[0], atol=10 * NEAR[dtype] * max(steep, 1) ** 2)
    np.testing.assert_allclose(psi, referee[1], atol=10 * NEAR[dtype] * scale)
    seen = np.ones(len(alpha)) if where is None else where.any(axis=-1)
    np.testing.assert_allclose(p.sum(axis=-1), seen, atol=NEAR[dtype])


@settings(max_examples=count(20, 5), deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_a_permutation_of_the_patterns_permutes_the_weights_and_moves_no_derivative(torch, name, data):
    scores, alpha = data.draw(rows(name))
    order = data.draw(st.permutations(range(scores.shape[1])))
    gradients = []
    for columns in (list(range(scores.shape[1])), order):
        a = torch.tensor(alpha, requires_grad=True)
        p = make(name, a).weights(torch.tensor(scores[:, columns]))
        (gradient,) = torch.autograd.grad((p**2).sum(), a)
        gradients.append((p.detach()[:, np.argsort(columns)], gradient))
    for one, other in zip(*gradients, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("shape", [(8, 3), (8, 40)])
def test_of_entmax_it_is_the_entmax_packages_with_its_derivatives(entmax, torch, shape):
    rng = np.random.default_rng(0)
    scores, weight = (torch.tensor(factor * rng.normal(size=shape)) for factor in (3, 1))
    results = []
    for function in (
        lambda s, a: make("entmax", a).weights(s),
        lambda s, a: entmax.entmax_bisect(s, alpha=a[:, None], n_iter=100),
    ):
        s = scores.clone().requires_grad_()
        a = torch.tensor([1.1, 1.3, 1.5, 1.9, 2.1, 2.5, 3, 4], dtype=torch.float64, requires_grad=True)
        p = function(s, a)
        results.append((p, *torch.autograd.grad((p * weight).sum(), (s, a))))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-10)


def test_of_normmax_it_is_the_entmax_packages(entmax, torch):
    scores = torch.tensor(3 * np.random.default_rng(0).normal(size=(4, 20)))
    alpha = torch.tensor([1.2, 1.5, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
    weights = make("normmax", alpha).weights(scores)
    rows = [
        entmax.normmax_bisect(row, alpha=float(a), n_iter=100) for row, a in zip(scores, alpha.detach(), strict=True)
    ]
    torch.testing.assert_close(weights.detach(), torch.stack(rows), rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("library", ["torch", pytest.param("jax", marks=pytest.mark.slow)], indirect=True)
def test_at_one_the_weights_and_their_derivative_are_those_of_the_limit(library, dtype):
    """∂p_μ/∂α = ½ p_μ (Σ_ν p_ν log² p_ν − log² p_μ), the limit of proposition 1 of Correia et al. (2019) for α → 1."""
    rng = np.random.default_rng(1)
    scores, weight = ((factor * rng.normal(size=(5, 9))).astype(dtype) for factor in (2, 1))
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    limit = 0.5 * p * ((p * np.log(p) ** 2).sum(axis=-1, keepdims=True) - np.log(p) ** 2)
    weights, slopes = derivative("entmax", library, scores, np.ones(5, dtype), weight)
    np.testing.assert_allclose(weights, p, atol=1e-2 * NEAR[dtype])
    np.testing.assert_allclose(slopes, (weight * limit).sum(axis=-1), atol=NEAR[dtype])


@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("library", ["torch", pytest.param("jax", marks=pytest.mark.slow)], indirect=True)
def test_at_two_the_weights_and_their_derivative_are_those_of_sparsemax(library, dtype):
    """∂p/∂α = p − p̃ + h − p̃ Σ h at α = 2, p̃ the mean over the support, h = −p log p: Correia et al., proposition 1."""
    rng = np.random.default_rng(2)
    scores, weight = (rng.normal(size=(5, 9)).astype(dtype) for _ in range(2))
    p = ha.separations.sparsemax().weights(scores.astype(float))
    support, h = p > 0, -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0)
    mean = support / support.sum(axis=-1, keepdims=True)
    limit = p - mean + h - mean * h.sum(axis=-1, keepdims=True)
    weights, slopes = derivative("entmax", library, scores, np.full(5, 2, dtype), weight)
    np.testing.assert_allclose(weights, p, atol=NEAR[dtype])
    assert np.array_equal(weights > 0, support)
    np.testing.assert_allclose(slopes, (weight * limit).sum(axis=-1), atol=NEAR[dtype])


def derivative(name, library, scores, alpha, weight):
    """The weights, and the derivative of weight · p of each row by its α."""
    xp = library.module
    s, a, w = (xp.asarray(array) for array in (scores, alpha, weight))
    if library.name == "torch":
        p = make(name, a.requires_grad_()).weights(s)
        (p * w).sum().backward()
        return p.detach().numpy(), a.grad.numpy()
    import jax

    def value(a):
        p = make(name, a).weights(s)
        return (p * w).sum(), p

    gradient, p = jax.jit(jax.grad(value, has_aux=True))(a)
    return np.asarray(p), np.asarray(gradient)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [1.0, 1.003, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_the_derivatives_are_those_of_differences(torch, name, alpha):
    """By scores and α at once, of weights and Ψ, the second ones too; of entmax at 1 from one side."""
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(3, 4, dtype=torch.float64, generator=generator, requires_grad=True)
    start = max(alpha, LEAST[name])

    def function(s, a):
        weights = make(name, start + a * a).weights(s)  # so that no α lies below the least
        return weights, make(name, start + a * a).potential(s)

    a = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(function, (scores, a), eps=1e-6, atol=1e-5)
    assert torch.autograd.gradgradcheck(function, (scores, a), eps=1e-6, atol=1e-4, rtol=1e-3)


@settings(max_examples=count(20, 5), deadline=None)
@given(data=st.data())
@pytest.mark.parametrize("name", NAMES)
def test_derivatives_in_single_precision_are_those_in_double(torch, name, data):
    scores, alpha = data.draw(rows(name))
    scores, alpha = (np.asarray(array, np.float32) for array in (scores, alpha))
    gradients = []
    for dtype in (torch.float32, torch.float64):
        a = torch.tensor(alpha, dtype=dtype, requires_grad=True)
        value = make(name, a).potential(torch.tensor(scores, dtype=dtype)).sum()
        gradients.append(torch.autograd.grad(value, a)[0].double())
    torch.testing.assert_close(*gradients, rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("name", NAMES)
def test_heads_with_an_alpha_each_are_computed_together_and_learn_it(torch, name):
    rng = np.random.default_rng(4)
    x, *maps = (torch.tensor(rng.normal(size=shape)) for shape in [(5, 6), *[(3, 6)] * 6])
    alphas = [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in (1.2, 2.0)]
    heads = [ha.Head(*maps[3 * i : 3 * i + 3], separation=make(name, a)) for i, a in enumerate(alphas)]
    w_output = torch.tensor(rng.normal(size=(6, 6)))
    together = torch.autograd.grad((ha.MultiHead(heads, w_output)(x) ** 2).sum(), alphas)
    alone = torch.cat([head(x) for head in heads], dim=-1) @ w_output.T
    torch.testing.assert_close(together, torch.autograd.grad((alone**2).sum(), alphas))


@pytest.mark.parametrize("name", NAMES)
def test_attention_takes_an_alpha_for_each_head(torch, name):
    q, k, v = np.random.default_rng(5).normal(size=(3, 2, 3, 7, 4))
    alpha = np.array([1.3, 2.0, 3.0])
    whole = ha.attention(q, k, v, separation=make(name, alpha[:, None]))
    for head, a in enumerate(alpha):
        one = ha.attention(q[:, head], k[:, head], v[:, head], separation=make(name, float(a)))
        np.testing.assert_allclose(whole[:, head], one, atol=1e-12)
    by_torch = ha.attention(*map(torch.tensor, (q, k, v)), separation=make(name, torch.tensor(alpha[:, None])))
    np.testing.assert_allclose(by_torch, whole, atol=1e-10)


def test_blocks_of_keys_take_an_alpha_for_each_head():
    q, k, v = np.random.default_rng(6).normal(size=(3, 2, 1100, 3))
    whole = ha.attention(q, k, v, separation=make("entmax", [[1.0], [1.5]]))
    for head, a in enumerate((1.0, 1.5)):
        one = ha.attention(q[head, :50], k[head], v[head], separation=make("entmax", a))
        np.testing.assert_allclose(whole[head, :50], one, atol=1e-12)


def test_a_memory_learns_its_alpha_at_the_softmax(torch):
    """Sparse targets raise α from 1: the weights of a noisy cue move to its pattern."""
    keys, alpha = torch.eye(4, dtype=torch.float64), torch.ones((), dtype=torch.float64, requires_grad=True)
    cues = 2 * keys + 0.2
    for _ in range(20):
        loss = ((ha.Memory(keys, separation=make("entmax", alpha)).step(cues) - keys) ** 2).sum()
        (slope,) = torch.autograd.grad(loss, alpha)
        alpha = (alpha - 0.3 * slope).clamp(1, 4).detach().requires_grad_()
    assert alpha > 1.4
    assert loss < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_shares_of_an_alpha_for_each_row_have_the_conjugate_and_its_gradient(torch, name):
    """Ψ(s) + Ψ*(p) = p·s at p = ∇Ψ(s), and ∇Ψ* gives the scores up to a number."""
    alpha = torch.tensor([1.0 if name == "entmax" else 1.3, 2.0, 3.0], dtype=torch.float64)
    scores = 0.2 * torch.tensor(np.random.default_rng(7).normal(size=(3, 5)))
    separation = make(name, alpha, beta=1.5)
    p = separation.weights(scores)
    both = separation.potential(scores) + separation.conjugate(p)
    torch.testing.assert_close(both, (p * scores).sum(-1), rtol=0, atol=1e-12)
    full = (p > 0).all(-1)
    assert full[0]
    inverse = separation.inverse(p)
    differences = (inverse - inverse[:, :1]) - (scores - scores[:, :1])
    assert differences[full].abs().max() < 1e-10


def test_an_alpha_of_another_library_is_refused(torch):
    alpha = torch.tensor([1.5, 2.0])
    refused(lambda: make("entmax", alpha).weights(np.ones((2, 3))), "alpha", "library")
    refused(lambda: ha.Memory(np.eye(2), separation=make("entmax", alpha[0].requires_grad_())), "alpha", "library")
    refused(lambda: ha.Head(*[torch.eye(2)] * 3, separation=make("entmax", alpha)), "alpha", "single number")
