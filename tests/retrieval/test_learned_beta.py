"""A β by which a derivative is taken: values as for the number, derivatives as by differences, or a refusal."""

import numpy as np
import pytest

import hopattn as ha
from tests.each import each

RNG = np.random.default_rng(1)
KEYS, CUES = RNG.normal(size=(5, 3)), 0.4 * RNG.normal(size=(4, 3))
VALUES = RNG.normal(size=(5, 2))
BETA = 0.7


def measures(xp, name):
    """Functions of β alone: a weighted sum of a memory's energies and steps, and of attention with a bias."""
    keys, cues, values = (xp.asarray(one) for one in (KEYS, CUES, VALUES))
    sizes, bias = xp.asarray(np.linspace(0.5, 1, 4)), xp.asarray(np.linspace(-1, 1, 20).reshape(4, 5))
    made = ha.separations[name]

    yield lambda beta: (ha.Memory(keys, values, separation=made(beta=beta)).step(cues) ** 2 * sizes[:, None]).sum()
    if "energy" not in ha.Memory(KEYS, separation=made()).lacks:
        yield lambda beta: (ha.Memory(keys, separation=made(beta=beta)).energy(cues) * sizes).sum()
    yield lambda beta: (ha.attention(cues, keys, values, bias=bias, separation=made(beta=beta)) ** 2).sum()


@each("name", list(ha.separations))
def test_derivatives_by_beta_are_those_of_differences(torch, jax, name):
    step = 1e-6
    every = zip(*(measures(xp, name) for xp in (np, torch, jax.numpy)), strict=True)
    for by_numpy, by_torch, by_jax in every:
        expected = (by_numpy(BETA + step) - by_numpy(BETA - step)) / (2 * step)
        beta = torch.tensor(BETA, dtype=torch.float64, requires_grad=True)
        value = by_torch(beta) + 0 * beta
        value.backward()
        assert value.item() == pytest.approx(by_numpy(BETA), rel=1e-12)
        assert beta.grad.item() == pytest.approx(expected, rel=1e-5, abs=1e-8)
        if name == "softmax":  # JAX takes tenths of a second for each function
            found = jax.jit(jax.value_and_grad(by_jax))(BETA)
            assert np.allclose(found, (by_numpy(BETA), expected), rtol=1e-5, atol=1e-8)


def test_a_learned_beta_is_that_of_pytorchs_scale(torch):
    q, k, v = (torch.asarray(one) for one in (CUES, KEYS, VALUES))
    beta, theirs = (torch.tensor(BETA, dtype=torch.float64, requires_grad=True) for _ in range(2))
    (torch.softmax(theirs * q @ k.T, -1) @ v).square().sum().backward()
    for own in (
        lambda: ha.attention(q, k, v, beta=beta),
        lambda: ha.Memory(k, v, beta=beta).step(q),
        lambda: ha.Memory(k, beta=beta).weights(q) @ v,
        lambda: ha.separations.softmax(beta=beta).weights(q @ k.T) @ v,
    ):
        beta.grad = None
        own().square().sum().backward()
        assert beta.grad.item() == pytest.approx(theirs.grad.item(), rel=1e-12)


def test_heads_with_a_beta_each_learn_it_each(torch):
    eye, text = torch.eye(3, dtype=torch.float64), torch.asarray(CUES)
    betas = [torch.nn.Parameter(torch.tensor(1.0, dtype=torch.float64)) for _ in range(2)]
    heads = ha.MultiHead([ha.Head(eye, eye, eye, beta=beta) for beta in betas], torch.eye(3, 6, dtype=torch.float64))
    heads(text).sum().backward()
    assert len(heads.groups) == 2 and betas[0].grad.item() and betas[1].grad.item() == 0
    shared = ha.MultiHead([ha.Head(eye, eye, eye, beta=betas[0])] * 2, torch.eye(3, 6, dtype=torch.float64))
    assert [group.shape for group in shared.groups] == [(1, 2)]


def test_where_the_derivative_would_be_lost_it_is_refused(torch, jax):
    slope = torch.tensor(2.0, requires_grad=True)
    for make in (
        lambda: ha.separations.entmax(alpha=slope),
        lambda: ha.activations.tanh(beta=slope),
        lambda: ha.positions.Alibi(slope),
        lambda: jax.grad(lambda beta: ha.activations.tanh(beta=beta).beta)(2.0),
    ):
        with pytest.raises(ha.InvalidInput, match=r"(alpha|beta|slope): expected a plain number; the derivative by"):
            make()
    with pytest.raises(ha.InvalidInput, match="beta: its derivative needs keys of the same library, not of numpy"):
        ha.Memory(KEYS, separation=ha.separations.softmax(beta=slope))
    single = r"beta: expected a single number, not an array of shape \(2,\); multiply the queries by it, or take one"
    for beta, message in (
        (torch.ones(2, requires_grad=True), single),
        (torch.ones(2), single),
        (np.ones(2), single),
        (torch.tensor(-1.0, requires_grad=True), "beta: expected a positive finite number"),
    ):
        with pytest.raises(ha.InvalidInput, match=message):
            ha.Memory(torch.eye(2), beta=beta)
