"""Derivatives by PyTorch and JAX are those of the function, and of a learned β: against central differences by NumPy.

The function φ(ε) = c·f(x + εu) along a random direction u has the derivatives that the differences of its values give.
A point at which the one-sided differences do not agree is a kink, at which there is no derivative, and is drawn anew.
"""

import numpy as np
import pytest

import hopattn as ha
from hopattn.retrieval.features import feature_maps
from tests.draws import count

STEP = 1e-4

SEPARATIONS = {
    "entmax": [{"alpha": 1.0}, {"alpha": 1.5}, {"alpha": 2.0}, {"alpha": 3.0}],
    "k_subsets": [{"k": 1}, {"k": 2}, {"k": 5}],
    "normmax": [{"alpha": 1.5}, {"alpha": 2.0}, {"alpha": 4.0}],
    "power": [{"n": 3}],
    "rectified_power": [{"n": 3}],
    "threshold": [{"t": 0.3}],
}
EITHER = [("torch", False), ("torch", True), pytest.param("jax", True, marks=pytest.mark.slow)]
PARAMETERS = [(name, parameters) for name in ha.separations for parameters in SEPARATIONS.get(name, [{}])]


def differences(function, x, direction):
    """φ′(0) and φ″(0) by central differences, or None at a kink; each from two steps, so that the error is small."""
    values = [np.asarray(function(x + i * STEP * direction)) for i in range(-4, 5)]
    sides = [(values[4 + way] - values[4]) / (way * STEP) for way in (1, -1)]
    if not np.allclose(*sides, atol=0.02 * (1 + np.abs(sides[0]).max())):
        return None
    first = [(values[4 + i] - values[4 - i]) / (2 * i * STEP) for i in (1, 2)]
    second = [(values[4 + i] - 2 * values[4] + values[4 - i]) / (i * STEP) ** 2 for i in (2, 4)]
    found = (4 * first[0] - first[1]) / 3, (4 * second[0] - second[1]) / 3
    rough = np.abs(second[0] - second[1]).max() > 1e-3 * (1 + np.abs(found[1]).max())
    return None if rough else found


def by_torch(torch, function, x, direction, weight, dtype=None):
    """φ′(0) and φ″(0) by PyTorch; a function that does not depend on x has the derivative 0."""
    dtype = dtype or torch.float64
    x, direction, weight = (torch.tensor(one, dtype=dtype) for one in (x, direction, weight))
    step = torch.zeros((), dtype=dtype, requires_grad=True)
    value = (function(x + step * direction) * weight).sum() + 0 * step
    (first,) = torch.autograd.grad(value, step, create_graph=True)
    second = torch.autograd.grad(first, step)[0] if first.requires_grad else torch.zeros(())
    return first.item(), second.item()


def by_jax(jax, function, x, direction, weight, whole):
    """φ′(0) and φ″(0) by JAX, which compiles a whole program in one piece or runs each operation by itself."""
    x, direction, weight = (jax.numpy.asarray(one) for one in (x, direction, weight))

    def value(step):
        return (function(x + step * direction) * weight).sum()

    derivatives = jax.value_and_grad(jax.grad(value))
    first, second = (jax.jit(derivatives) if whole else derivatives)(0.0)
    return float(first), float(second)


def assert_derivatives(module, name, draw, function, whole=True):
    """Both derivatives of a function of one array, at random points that are not kinks; fewer by JAX, which is slow.

    whole: False for a function of many operations that are the same for other functions: JAX keeps each one.
    """
    rng = np.random.default_rng(0)
    met, trials = 0, count(6, 2) if name == "torch" else count(2, 1)
    for trial in range(20 * trials):
        x = draw(rng, trial)
        direction = rng.normal(size=x.shape)
        expected = differences(function(np), x, direction)
        if expected is None:
            continue
        weight = rng.normal(size=expected[0].shape)
        if name == "torch":
            found = by_torch(module, function(module), x, direction, weight)
        else:
            found = by_jax(module, function(module.numpy), x, direction, weight, whole)
        for order, (one, table) in enumerate(zip(found, expected, strict=True), start=1):
            assert one == pytest.approx(float(np.sum(table * weight)), rel=1e-5, abs=2e-5), (order, x)
        met += 1
        if met == trials:
            return
    raise AssertionError(f"only {met} points are not kinks")


def scores(rng, trial):
    """Scores of five patterns; in every third trial two of them are tied."""
    drawn = 0.8 * rng.normal(size=(2, 5))
    if trial % 3 == 0:
        drawn[:, 1] = drawn[:, 3]
    return drawn


@pytest.fixture(params=["torch", "jax"])
def library(request):
    return request.param, request.getfixturevalue(request.param)


@pytest.mark.parametrize(("library", "masked"), EITHER, indirect=["library"])
@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_of_weights_and_potential(library, name, parameters, masked):
    separation = ha.separations[name](beta=1.5, **parameters)
    where = np.array([[True, True, False, True, True], [False] * 5]) if masked else None

    def weights(xp):
        return lambda s: separation.weights(s, None if where is None else xp.asarray(where))

    def potential(xp):
        return lambda s: separation.potential(s, None if where is None else xp.asarray(where))

    assert_derivatives(library[1], library[0], scores, weights, whole=False)
    if not separation.why_no_potential:
        assert_derivatives(library[1], library[0], scores, potential, whole=False)


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
@pytest.mark.parametrize(("name", "parameters"), [one for one in PARAMETERS if one[0] != "proportional"])
def test_the_jacobian_of_weights_is_symmetric_under_every_transform(torch, jax, name, parameters):
    """p is a gradient: ∂p_μ/∂s_ν = ∂p_ν/∂s_μ, forwards, backwards, compiled, and for many rows at once."""
    separation = ha.separations[name](beta=1.5, **parameters)
    rows = scores(np.random.default_rng(3), 1)
    given = torch.tensor(rows)
    backwards = torch.func.vmap(torch.func.jacrev(separation.weights))(given)
    forwards = torch.func.jacfwd(separation.weights)(given[0])
    tolerance = 1e-12 + 1e-9 * float(backwards.abs().max())
    assert float((backwards - backwards.mT).abs().max()) <= tolerance
    assert float((backwards[0] - forwards).abs().max()) <= tolerance
    if name == "softmax":
        compiled = jax.jit(jax.vmap(jax.jacobian(separation.weights)))(jax.numpy.asarray(rows))
        np.testing.assert_allclose(np.asarray(compiled), backwards.numpy(), atol=1e-9)


def test_sparsemax_in_numbers(torch):
    """p = (s − (Σ s − 1)/2) for two scores in the support: ∂p₁/∂s = (½, −½)."""
    scores = torch.tensor([[1.0, 0.5]], dtype=torch.float64, requires_grad=True)
    weights = ha.separations["sparsemax"]().weights(scores)
    assert torch.autograd.grad(weights[0, 0], scores)[0].tolist() == [[0.5, -0.5]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["softmax", "entmax", "k_subsets"])
def test_a_compiled_function_has_the_same_values(torch, traced, name):
    separation = ha.separations[name]()
    given = torch.tensor(scores(np.random.default_rng(4), 1))
    assert torch.equal(traced(lambda s: separation.weights(s))(given), separation.weights(given))


@pytest.mark.parametrize("name", list(ha.similarities))
@pytest.mark.parametrize("side", ["cues", "keys"])
def test_of_similarities(library, name, side):
    similarity = ha.similarities[name]()
    other = np.random.default_rng(5).normal(size=(4, 3))

    def function(xp):
        fixed = xp.asarray(other)
        return lambda x: similarity(x, fixed) if side == "cues" else similarity(fixed, x)

    assert_derivatives(library[1], library[0], lambda rng, _: rng.normal(size=(2, 3)), function)


@pytest.mark.parametrize("name", list(ha.activations))
def test_of_activations(library, name):
    activation = ha.activations[name]()
    assert_derivatives(library[1], library[0], lambda rng, _: rng.normal(size=(2, 4)), lambda _: activation)
    assert_derivatives(library[1], library[0], lambda rng, _: rng.normal(size=(2, 4)), lambda _: activation.potential)


@pytest.mark.parametrize(
    ("library", "name", "parameters"),
    [("torch", *one) for one in PARAMETERS] + [("jax", "softmax", {})],
    indirect=["library"],
)
def test_of_a_step_of_a_memory(library, name, parameters):
    keys = np.random.default_rng(6).normal(size=(5, 3))
    separation = ha.separations[name](beta=0.7, **parameters)

    def step(xp):
        return lambda x: ha.Memory(xp.asarray(keys), separation=separation).step(x)

    assert_derivatives(library[1], library[0], lambda rng, _: rng.normal(size=(2, 3)), step)


@pytest.mark.parametrize(
    ("library", "separation"),
    [*(("torch", name) for name in ("softmax", "sparsemax", "entmax", "normmax", "k_subsets")), ("jax", "softmax")],
    indirect=["library"],
)
@pytest.mark.parametrize("argument", [0, 1, 2])
def test_of_attention(library, separation, argument):
    texts = np.random.default_rng(7).normal(size=(3, 4, 3))

    def function(xp):
        def attended(x):
            given = [xp.asarray(text) for text in texts]
            given[argument] = x
            return ha.attention(*given, mask="causal", separation=separation)

        return attended

    assert_derivatives(library[1], library[0], lambda rng, _: rng.normal(size=(4, 3)), function)


@pytest.mark.parametrize(("name", "parameters"), PARAMETERS)
def test_in_single_precision(torch, name, parameters):
    separation = ha.separations[name](beta=1.5, **parameters)
    rng = np.random.default_rng(8)
    for trial in range(4):
        x, direction, weight = scores(rng, trial), rng.normal(size=(2, 5)), rng.normal(size=(2, 5))
        if differences(separation.weights, x, direction) is None:
            continue
        double = by_torch(torch, separation.weights, x, direction, weight)
        single = by_torch(torch, separation.weights, x, direction, weight, torch.float32)
        assert single[0] == pytest.approx(double[0], rel=5e-3, abs=5e-3)


AT_0 = {
    "the ReLU of a feed-forward layer": (0.0, lambda eye: ha.transformer.FeedForward(eye, eye)),
    "features relu": (0.0, lambda eye: feature_maps["relu"]()),
    "features elu": (1.0, lambda eye: feature_maps["elu"]()),
    "weights of rectified_power": (0.0, lambda eye: ha.separations["rectified_power"](n=2).weights),
    "weights in proportion": (0.0, lambda eye: lambda x: ha.separations["proportional"]().weights(x)[..., 0]),
    "the potential of threshold": (1.0, lambda eye: ha.separations["threshold"](t=0.0).potential),
}


@pytest.mark.parametrize("name", AT_0)
def test_at_a_kink_the_derivative_is_pytorchs_or_that_of_the_weights(library, name):
    """PyTorch's ReLU has the derivative 0 at 0; a weight is 1 where the score reaches the threshold."""
    expected, make = AT_0[name]
    which, module = library
    point = np.array([[0.0, 1.0]])
    if which == "torch":
        x = module.tensor(point, requires_grad=True)
        function = make(module.eye(2, dtype=module.float64))
        (found,) = module.autograd.grad(function(x).sum(), x)
    else:
        function = make(module.numpy.eye(2))
        found = module.grad(lambda x: function(x).sum())(module.numpy.asarray(point))
    assert float(found[0, 0]) == expected


RNG = np.random.default_rng(1)
KEYS, CUES, VALUES = RNG.normal(size=(5, 3)), 0.4 * RNG.normal(size=(4, 3)), RNG.normal(size=(5, 2))
BETA = 0.7


def measures(xp, name):
    """Functions of β alone: a weighted sum of a memory's energies and steps, and of attention with a bias."""
    keys, cues, values = (xp.asarray(one) for one in (KEYS, CUES, VALUES))
    sizes, bias = xp.asarray(np.linspace(0.5, 1, 4)), xp.asarray(np.linspace(-1, 1, 20).reshape(4, 5))
    made = ha.separations[name]

    yield lambda beta: (ha.Memory(keys, values, separation=made(beta=beta)).step(cues) ** 2 * sizes[:, None]).sum()
    if not ha.Memory(KEYS, separation=made()).why_not("energy"):
        yield lambda beta: (ha.Memory(keys, separation=made(beta=beta)).energy(cues) * sizes).sum()
    yield lambda beta: (ha.attention(cues, keys, values, bias=bias, separation=made(beta=beta)) ** 2).sum()


@pytest.mark.parametrize("name", list(ha.separations))
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
    heads = ha.MultiHead(
        [ha.Head(eye, eye, eye, beta=beta, mask="causal") for beta in betas], torch.eye(3, 6, dtype=torch.float64)
    )
    heads(text).sum().backward()
    assert betas[0].grad.item() and betas[1].grad.item() == 0  # the output takes the first head alone
