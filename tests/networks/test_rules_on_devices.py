"""Learning rules on arrays of PyTorch, JAX and array-api-strict: the couplings of NumPy, with their derivatives."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.networks import learning
from tests.conftest import beside_numpy
from tests.counts import count
from tests.each import each

CLOSE = {"rtol": 1e-12, "atol": 1e-12}
RULES = [name for name in learning.__all__ if name not in ("associate", "delta")]
PAIRS = ["associate", "delta"]


def spins(seed, shape=(3, 12)):
    return np.where(np.random.default_rng(seed).random(shape) < 0.5, 1.0, -1.0)


def learned(name, patterns):
    """The couplings of a rule, of patterns, or of these and others as pairs."""
    rule = getattr(ha.learning, name)
    return rule(patterns, 2 * patterns) if name in PAIRS else rule(patterns)


def require_same_couplings(library, name):
    for seed in range(count(20, 2)):
        given = library.array(spins(seed))
        found = learned(name, given)
        assert (type(found), found.device, found.dtype) == (type(given), given.device, given.dtype)
        np.testing.assert_allclose(library.numpy(found), learned(name, spins(seed)), **CLOSE)


@beside_numpy
@each("name", RULES + PAIRS)
def test_a_rule_learns_the_couplings_of_numpy(library, name):
    require_same_couplings(library, name)


@each("dtype", ["float32", "float16", "bfloat16"])
@each("name", RULES + PAIRS)
def test_the_dtype_stays(torch, name, dtype):
    dtype = getattr(torch, dtype)
    found = learned(name, torch.tensor(spins(0), dtype=dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.double(), learned(name, spins(0)), atol=20 * torch.finfo(dtype).eps)


@pytest.mark.gpu
@each("name", RULES + PAIRS)
def test_a_rule_learns_on_a_gpu(gpu, name):
    require_same_couplings(gpu, name)


@beside_numpy
@each("self_coupling", [True, False])
@each("name", ["hebb", "covariance", "pseudo_inverse"])
def test_the_diagonal_is_kept_or_0(library, name, self_coupling):
    given, rule = spins(1), getattr(ha.learning, name)
    found = rule(library.array(given), self_coupling=self_coupling)
    np.testing.assert_allclose(library.numpy(found), rule(given, self_coupling=self_coupling), **CLOSE)


@each("name", [name for name in RULES + PAIRS if not name.startswith("perceptron")])
def test_a_rule_passes_the_check_of_derivatives_and_is_traced(torch, jax, name):
    rows = torch.tensor(spins(2, (2, 4)) + 0.1 * spins(3, (2, 4)), requires_grad=True)
    torch.autograd.gradcheck(lambda patterns: learned(name, patterns), (rows,))
    plain = jax.numpy.asarray(rows.detach().numpy())
    squares = jax.grad(lambda x: (learned(name, x) ** 2).sum())
    found, slope = jax.jit(lambda x: (learned(name, x), squares(x)))(plain)
    np.testing.assert_allclose(found, learned(name, np.asarray(plain)), **CLOSE)
    own = torch.autograd.grad((learned(name, rows) ** 2).sum(), rows)[0]
    np.testing.assert_allclose(slope, own, rtol=1e-10, atol=1e-12)


def test_a_network_has_the_derivatives_of_its_couplings_and_still_exact_ties(torch):
    """The sums over whole numbers keep a field of 0 at exactly 0, and round no derivative away."""
    patterns = torch.tensor(spins(4, (2, 6)), requires_grad=True)
    network = ha.memories.hopfield(patterns)
    state = torch.tensor(spins(5, (1, 6)))
    slope = torch.autograd.grad(network.energy(state).sum(), patterns)[0]
    couplings = patterns.mT @ patterns / 6 * (1 - torch.eye(6))
    own = torch.autograd.grad(-0.5 * (state @ couplings * state).sum(), patterns)[0]
    np.testing.assert_allclose(slope, own, **CLOSE)
    tie = ha.memories.hopfield(torch.tensor([[1.0, 1, 1], [1, -1, 1], [1, 1, -1]]), self_coupling=True)
    assert tie.field(torch.tensor([0.0, 1.0, -1.0]))[0] == 0


@each(
    ("message", "call"),
    [
        ("patterns: row 1 depends on those before", lambda x: ha.learning.pseudo_inverse(x([[1.0, -1], [1, -1]]))),
        ("patterns: row 2 depends", lambda x: ha.learning.pseudo_inverse(x([[1.0, -1], [1, 1], [0.5, 1]]))),
        ("keys: row 1 is zero", lambda x: ha.learning.delta(x([[1.0, 0], [0, 0]]), x([[1.0], [2.0]]))),
        ("2 on one side, 1 on the other", lambda x: ha.learning.associate(x([[1.0], [1]]), x([[1.0]]))),
        (
            "2 patterns of 2 neurons are not all stable",
            lambda x: ha.learning.perceptron(x([[1.0, 1], [1, -1]]), max_sweeps=9),
        ),
        (r"row 1 holds 0\.5; neurons are 0 or 1", lambda x: ha.memories.hopfield(x([[1.0], [0.5]]), activation="step")),
    ],
)
def test_what_cannot_be_learned_is_refused_as_with_numpy(library, message, call):
    with pytest.raises(InvalidInput, match=message):
        call(library.array)


def test_the_perceptron_is_not_traced(torch, jax):
    with pytest.raises(InvalidInput, match=r"until all are stable, without a derivative; give x.detach\(\)"):
        ha.learning.perceptron(torch.tensor(spins(1), requires_grad=True))
    with pytest.raises(InvalidInput, match="learn outside of what is traced"):
        jax.jit(ha.learning.perceptron)(jax.numpy.asarray(spins(1)))
