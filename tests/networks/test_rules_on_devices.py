"""Learning rules on arrays of PyTorch, JAX and array-api-strict: the couplings of NumPy, with their derivatives."""

import numpy as np
import pytest

import hopattn as ha
from hopattn import learning
from tests.draws import count
from tests.libraries import beside_numpy
from tests.refusal import refused

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
@pytest.mark.parametrize("name", RULES + PAIRS)
def test_a_rule_learns_the_couplings_of_numpy(library, name):
    require_same_couplings(library, name)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", RULES + PAIRS)
def test_the_dtype_stays(torch, name, dtype):
    dtype = getattr(torch, dtype)
    found = learned(name, torch.tensor(spins(0), dtype=dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.double(), learned(name, spins(0)), atol=20 * torch.finfo(dtype).eps)


@pytest.mark.gpu
@pytest.mark.parametrize("name", RULES + PAIRS)
def test_a_rule_learns_on_a_gpu(gpu, name):
    require_same_couplings(gpu, name)


@beside_numpy
@pytest.mark.parametrize("self_coupling", [True, False])
@pytest.mark.parametrize("name", ["hebb", "covariance", "pseudo_inverse"])
def test_the_diagonal_is_kept_or_0(library, name, self_coupling):
    given, rule = spins(1), getattr(ha.learning, name)
    found = rule(library.array(given), self_coupling=self_coupling)
    np.testing.assert_allclose(library.numpy(found), rule(given, self_coupling=self_coupling), **CLOSE)


@pytest.mark.parametrize("name", [name for name in RULES + PAIRS if not name.startswith("perceptron")])
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


WRONG = [
    (lambda x: ha.learning.pseudo_inverse(x([[1.0, -1], [1, -1]])), "patterns: row 1 depends on those before"),
    (lambda x: ha.learning.pseudo_inverse(x([[1.0, -1], [1, 1], [0.5, 1]])), "patterns: row 2 depends"),
    (lambda x: ha.learning.delta(x([[1.0, 0], [0, 0]]), x([[1.0], [2.0]])), "keys: row 1 is zero"),
    (lambda x: ha.learning.associate(x([[1.0], [1]]), x([[1.0]])), "", "2 on one side, 1 on the other"),
    (
        lambda x: ha.learning.perceptron(x([[1.0, 1], [1, -1]]), max_sweeps=9),
        "patterns: ",
        "not all stable",
        "9 sweeps",
    ),
    (lambda x: ha.memories.hopfield(x([[1.0], [0.5]]), activation="step"), "patterns: row 1 holds 0.5", "0 or 1"),
]


@pytest.mark.parametrize("row", WRONG)
def test_what_cannot_be_learned_is_refused_as_with_numpy(library, row):
    refused(lambda: row[0](library.array), *row[1:])


@pytest.mark.parametrize("rule", ["perceptron", "perceptron_by_definition"])
def test_the_perceptron_refuses_an_entry_of_zero_by_its_place(library, rule):
    rows = library.array([[1.0, -1, 1], [1, 1, 0]])
    refused(lambda: getattr(ha.learning, rule)(rows), "patterns: row 1", "neuron 2", "no couplings")


def test_the_perceptron_is_not_traced(torch, jax):
    learn, rows = ha.learning.perceptron, torch.tensor(spins(1), requires_grad=True)
    refused(lambda: learn(rows), "patterns: ", "without a derivative", "x.detach()")
    refused(lambda: jax.jit(learn)(jax.numpy.asarray(spins(1))), "patterns: ", "outside of what is traced")
