"""F = U − S/β of the weights: the entropies of the literature, thermodynamics, other libraries.

Blocks of keys give the same: `test_blockwise.py`.
"""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from tests.draws import arrays, betas, in_dtypes, near, numbers, sizes

ENTROPIES = {
    "softmax": lambda p, one: scipy.special.entr(p).sum(-1),  # Shannon
    "argmax": lambda p, one: np.zeros(p.shape[:-1]),
    "sparsemax": lambda p, one: (p * (1 - p)).sum(-1) / 2,  # Gini
    "entmax": lambda p, one: (p - p**one.alpha).sum(-1) / (one.alpha * (one.alpha - 1)),  # Tsallis
    "normmax": lambda p, one: 1 - np.linalg.norm(p, one.alpha, -1),
}
"""Of weights `(…, n)`, as in Martins & Astudillo (2016; Gini), Peters et al. (2019; Tsallis), and Blondel, Martins &
Niculae (2020; of a norm)."""
KEYS = np.random.default_rng(1).normal(size=(5, 3))
CUES = np.random.default_rng(2).normal(size=(4, 3))


def free_energy(separation, scores, where=None):
    """The free energy of a memory whose patterns are the axes, so that a cue is its own row of scores."""
    eye = np.eye(scores.shape[-1], dtype=scores.dtype)
    return ha.Memory(eye, separation=separation).free_energy(scores, where)


def test_weights_that_are_a_distribution_have_an_entropy():
    reasons = {name: one().why_no_entropy for name, one in ha.separations.items()}
    assert [name for name, reason in reasons.items() if not reason] == sorted(ENTROPIES)
    for activation in ("sign", "unit"):  # its energy is that of the softmax
        memory, softmax = (ha.Memory(KEYS, separation=one, activation=activation) for one in ("exponential", "softmax"))
        assert np.array_equal(memory.free_energy(CUES).entropy, softmax.free_energy(CUES).entropy)


def drawn_rows(data, name, dtype):
    """A separation, scores and a mask, and all weights and scores with those of a sink as the last."""
    m, beta = data.draw(sizes), data.draw(betas)
    sink, parameters = data.draw(st.none() | numbers), {}
    if name in ("entmax", "normmax"):
        parameters = {"alpha": data.draw(st.sampled_from([1.25, 1.5, 2.0, 3.0]))}
    one = ha.separations[name](beta=beta, sink=sink, **parameters)
    scores = data.draw(arrays((2, m))).astype(dtype)
    where = data.draw(st.none() | st.lists(st.booleans(), min_size=m, max_size=m).map(np.array))
    p, s = one.weights(scores, where), scores if where is None else np.where(where, scores, 0)
    if sink is not None:
        p = np.hstack([p, one.rest(scores, where)[:, None]])
        s = np.hstack([s, np.full((2, 1), sink / beta, dtype)])
    return one, scores, where, p, s


@given(data=st.data())
@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in ENTROPIES))
def test_energy_entropy_and_free_energy_are_those_of_the_literature(name, dtype, data):
    one, scores, where, p, s = drawn_rows(data, name, dtype)
    found = free_energy(one, scores, where)
    tol = near(dtype) * (1 + np.abs(s).max() + 3 / one.beta)
    wide = p.astype(np.float64)
    assert_allclose(found.energy, -(wide * s).sum(-1), rtol=0, atol=tol)
    assert_allclose(found.entropy, ENTROPIES[name](wide, one) * p.any(-1), rtol=0, atol=8 * near(dtype))
    assert_allclose(found.free, found.energy - found.entropy / one.beta, rtol=0, atol=tol)
    assert_allclose(found.free, -one.potential(scores, where), rtol=0, atol=tol)
    effective = np.exp(scipy.special.entr(wide).sum(-1)) * p.any(-1)
    assert_allclose(found.effective_keys, effective, rtol=8 * near(dtype))
    assert {array.dtype for array in vars(found).values()} == {np.dtype(dtype)}


@given(data=st.data())
@pytest.mark.parametrize("name", list(ENTROPIES))
def test_no_distribution_has_a_lower_free_energy(name, data):
    one, scores, where, p, s = drawn_rows(data, name, "float64")
    seen = np.ones(len(s[0]), bool) if where is None else np.append(where, True)[: len(s[0])]
    if not seen.any():
        return
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    others = rng.dirichlet(np.full(seen.sum(), 0.3), 50)
    near_p = 0.99 * p[0, seen] + 0.01 * others
    for q in (others, near_p):
        free = -(q * s[0, seen]).sum(-1) - ENTROPIES[name](q, one) / one.beta
        assert np.all(free >= free_energy(one, scores, where).free[0] - 1e-12 * (1 + 1 / one.beta))


@pytest.mark.parametrize("sink", [None, 0.4])
@pytest.mark.parametrize("name", [name for name in ENTROPIES if name != "argmax"])
def test_the_slope_by_the_temperature_is_minus_the_entropy(torch, jax, name, sink):
    """dF/dT = −S and dU/dT = T dS/dT with T = 1/β, at fixed scores, of which the sink is one."""

    def at(beta):
        one = ha.separations[name](beta=beta, sink=None if sink is None else sink * beta)
        xp = torch if torch.is_tensor(beta) else jax.numpy
        return ha.Memory(xp.asarray(KEYS), separation=one).free_energy(xp.asarray(CUES))

    temperature = torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    found = at(1 / temperature)
    slope = {key: torch.autograd.grad(one.sum(), temperature, retain_graph=True)[0] for key, one in vars(found).items()}
    assert slope["free"].item() == pytest.approx(-found.entropy.sum().item(), rel=1e-10)
    assert slope["energy"].item() == pytest.approx(0.8 * slope["entropy"].item(), rel=1e-8)
    if name == "softmax":
        value, by_jax = jax.jit(jax.value_and_grad(lambda t: at(1 / t).free.sum()))(0.8)
        assert float(by_jax) == pytest.approx(slope["free"].item(), rel=1e-10)
        assert float(value) == pytest.approx(found.free.sum().item(), rel=1e-12)


@pytest.mark.parametrize("sink", [None, 2.0])
@pytest.mark.parametrize("name", list(ENTROPIES))
def test_scores_of_any_size_overflow_nothing(name, sink):
    scores = np.array([[1e300, -1e300, 3.0], [1e300, 1e300, -1e300], [-1.7e308, 1.7e308, 0.0]])
    for beta in (1e-300, 1.0, 1e300):
        one = ha.separations[name](beta=beta, sink=sink)
        with np.errstate(over="raise", invalid="raise"):
            found = free_energy(one, scores)
        assert all(np.isfinite(array).all() for array in vars(found).values())
        assert_allclose(found.free, -one.potential(scores), rtol=1e-12)
        assert_allclose(found.free, found.energy - found.entropy / beta, rtol=1e-9)


@pytest.mark.parametrize("name", list(ENTROPIES))
def test_where_nothing_may_be_attended_to_there_is_no_state_or_the_sink_alone(name):
    nothing, memory = np.zeros((4, 5), bool), ha.Memory(KEYS, separation=name, beta=2.0)
    assert all(not array.any() for array in vars(memory.free_energy(CUES, nothing)).values())
    found = ha.Memory(KEYS, separation=name, beta=2.0, sink=0.6).free_energy(CUES, nothing)
    assert_allclose([*vars(found).values()], np.outer([-0.3, 0, -0.3, 1], np.ones(4)), atol=1e-15)


def test_n_equal_keys_are_n_effective_keys():
    for name in ENTROPIES:
        found = ha.Memory(np.ones((7, 3)), separation=name).free_energy(np.ones(3), np.arange(7) < 5)
        assert_allclose(found.effective_keys, 5, rtol=1e-12)
    with_sink = ha.Memory(np.zeros((7, 3)), sink=0.0).free_energy(np.ones(3))
    assert_allclose(with_sink.effective_keys, 8, rtol=1e-12)


@pytest.mark.parametrize("name", ["modern", "sparse", "normmax", "spherical", "exponential"])
def test_the_energy_of_a_memory_is_the_conjugate_of_its_activation_and_the_free_energy(name):
    cues = ha.unit(CUES) if name == "spherical" else np.where(CUES > 0, 1.0, -1.0)
    memory = getattr(ha.memories, name)(np.where(KEYS > 0, 1.0, -1.0))
    found = memory.free_energy(cues)
    assert_allclose(memory.energy(cues), memory.activation.conjugate(cues) + found.free, rtol=1e-12, atol=1e-12)


@dataclass(frozen=True)
class Own(ha.Separation):
    """Softmax written out, as a separation of one's own."""

    convex = shares = True

    def potential(self, scores, where=None):
        return scipy.special.logsumexp(self.beta * scores, axis=-1) / self.beta

    def weights(self, scores, where=None):
        return scipy.special.softmax(self.beta * scores, axis=-1)


@dataclass(frozen=True)
class Loose(Own):
    shares = False


@pytest.mark.parametrize("name", list(ENTROPIES))
def test_a_batch_is_its_cues_one_by_one(name):
    mask = np.random.default_rng(3).random((4, 5)) < 0.5
    memory = ha.Memory(KEYS, separation=name, beta=1.5)
    batch = memory.free_energy(CUES, mask)
    for i in range(4):
        for key, one in vars(memory.free_energy(CUES[i], mask[i])).items():
            assert one.shape == ()
            assert_allclose(getattr(batch, key)[i], one, rtol=1e-12, atol=1e-14)


def test_a_separation_of_ones_own_has_one_where_it_says_that_its_weights_sum_to_1():
    softmax = vars(ha.Memory(KEYS, beta=3.0).free_energy(CUES))
    for key, array in vars(ha.Memory(KEYS, separation=Own(beta=3.0)).free_energy(CUES)).items():
        assert_allclose(array, softmax[key], rtol=1e-12, atol=1e-14)
    assert "need not sum to 1" in Loose().why_no_entropy


@pytest.mark.parametrize(("name", "sink"), [("softmax", None), ("softmax", 0.4), ("entmax", 0.4), ("normmax", None)])
def test_pytorch_and_jax_agree_and_pytorch_has_its_derivatives(torch, jax, name, sink):
    def arrays_of(keys, cues):
        return tuple(vars(ha.Memory(keys, separation=name, beta=1.7, sink=sink).free_energy(cues)).values())

    given = torch.tensor(KEYS, requires_grad=True), torch.tensor(CUES, requires_grad=True)
    for found, wanted in zip(arrays_of(*given), arrays_of(KEYS, CUES), strict=True):
        assert_allclose(found.detach(), wanted, rtol=1e-12, atol=1e-12)
    assert torch.autograd.gradcheck(arrays_of, given, fast_mode=True)
    if name == "softmax":  # JAX takes a second for each sparse one
        found = jax.jit(arrays_of)(KEYS, CUES)
        assert_allclose(found, arrays_of(KEYS, CUES), rtol=1e-12, atol=1e-12)
        slope = jax.jit(jax.grad(lambda cues: arrays_of(jax.numpy.asarray(KEYS), cues)[2].sum()))(CUES)
        assert_allclose(slope, -ha.Memory(KEYS, beta=1.7, sink=sink).weights(CUES) @ KEYS, rtol=1e-12, atol=1e-14)


def test_it_shows_its_ranges_and_half_precision_gives_single(torch):
    memory = ha.Memory(np.eye(2), beta=2)
    one = "FreeEnergy(1 cue, energy -0.5197, entropy 0.6735, free -0.8565, effective keys 1.961)"
    assert repr(memory.free_energy([0.6, 0.4])) == one
    assert repr(ha.Memory(torch.eye(2), beta=2).free_energy(torch.tensor([0.6, 0.4]))) == one
    assert repr(memory.free_energy([[0.6, 0.4], [5, 0]])) == (
        "FreeEnergy(2 cues, energy -5 to -0.5197, entropy 0.0004994 to 0.6735, free -5 to -0.8565, "
        "effective keys 1 to 1.961)"
    )
    assert repr(memory.free_energy(np.zeros((0, 2)))).startswith("FreeEnergy(0 cues, energy –")
    half = ha.Memory(np.eye(2, dtype="f2")).free_energy(np.ones((3, 2), "f2"))
    assert {array.dtype.name for array in vars(half).values()} == {"float32"}
