"""Gradients through the steps, and at a fixed point, where the implicit function theorem gives them."""

import warnings

import pytest

import hopattn as ha
from benchmarks.layers import peak_bytes
from tests.refusal import refused

TIGHT = {"steps": None, "tol": 1e-12, "max_steps": 2000}
CONVEX = ["softmax", "sparsemax", "entmax", "normmax", "k_subsets"]


def made(torch, dtype=None, **options):
    """A layer whose eigenvalues stay below .95: its keys are short."""
    layer = ha.torch.Hopfield(4, 2, dim_head=3, **options).to(dtype or torch.float64)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return layer


def drawn(torch, *sizes, dtype=None):
    return [torch.randn(2, n, 4, dtype=dtype or torch.float64) for n in sizes]


def checked(torch, layer, *texts, **options):
    """Whether the gradients of all texts and parameters are those of differences."""
    names, parameters = zip(*layer.named_parameters(), strict=True)
    leaves = [one.detach().clone().requires_grad_() for one in (*texts, *parameters)]

    def output(*tensors):
        state = dict(zip(names, tensors[len(texts) :], strict=True))
        return torch.func.functional_call(layer, state, tensors[: len(texts)], options)

    return torch.autograd.gradcheck(output, leaves, fast_mode=True, check_undefined_grad=False)


@pytest.mark.parametrize("steps", [1, 4])
@pytest.mark.parametrize(
    "options", [{}, {"sink": 0.5, "learned": ("beta", "sink")}, {"block": 2}, {"activation": "unit"}]
)
def test_the_gradient_through_steps_is_that_of_differences(torch, steps, options):
    assert checked(torch, made(torch, steps=steps, **options), *drawn(torch, 3, 5, 5))


@pytest.mark.parametrize("limits", [{"steps": 3}, pytest.param(TIGHT, marks=pytest.mark.slow)], ids=["steps", "rest"])
@pytest.mark.parametrize("separation", CONVEX)
def test_each_convex_separation_has_its_gradient(torch, separation, limits):
    assert checked(torch, made(torch, separation=separation, **limits), *drawn(torch, 3, 5, 5))


@pytest.mark.parametrize(
    "options",
    [{}, {"sink": [0.5, -1.0], "learned": ("beta", "sink"), "beta": [0.5, 1.0]}, {"norms": ("query", "key", "head")}],
)
def test_the_gradient_at_a_fixed_point_is_that_of_differences(torch, options):
    query, keys, values = drawn(torch, 3, 5, 5)
    assert checked(torch, made(torch, **TIGHT, **options), query, keys, values, mask=torch.rand(2, 3, 5) > 0.2)
    assert checked(torch, made(torch, **TIGHT, **options), query)


@pytest.mark.parametrize("separation", ["softmax", pytest.param("entmax", marks=pytest.mark.slow)])
def test_the_gradient_at_a_fixed_point_is_that_of_500_steps(torch, separation):
    query, keys = drawn(torch, 3, 6)
    layer = made(torch, separation=separation, learned="beta", **TIGHT)
    many = made(torch, separation=separation, learned="beta", steps=500)
    many.load_state_dict(layer.state_dict())
    keys.requires_grad_()
    gradients = []
    for one in (layer, many):
        one(query, keys).square().sum().backward()
        gradients.append(
            [keys.grad, *(parameter.grad for name, parameter in one.named_parameters() if name[:5] != "query")]
        )
        keys.grad = None
    assert layer.rest.reached.all() and layer.rest.largest_eigenvalue.max() < 0.95
    for implicit, unrolled in zip(*gradients, strict=True):
        assert (implicit - unrolled).abs().max() <= 1e-6 * unrolled.abs().max().clip(min=1)


def test_the_largest_eigenvalue_is_that_of_the_jacobian(torch):
    query, keys = drawn(torch, 3, 6)
    layer = ha.torch.Hopfield(4, maps=(), beta=1.0, **TIGHT)
    keys.requires_grad_()
    layer(query, keys).square().sum().backward()
    step, states = ha.Step(), query.detach()
    for _ in range(2000):
        states = step(states, keys.detach())
    for text in range(2):
        for cue in range(3):
            jacobian = torch.func.jacrev(lambda x, text=text: step(x[None], keys[text].detach())[0])(states[text, cue])
            largest = torch.linalg.eigvalsh((jacobian + jacobian.mT) / 2).max()
            assert layer.rest.largest_eigenvalue[text, 0, cue] == pytest.approx(float(largest), abs=1e-3)


def test_a_cue_that_did_not_come_to_rest_is_flagged_with_its_residual(torch):
    query, keys = drawn(torch, 3, 6)
    layer = made(torch, steps=None, max_steps=1)
    with pytest.warns(RuntimeWarning, match=r"6 of 12|12 of 12.*residual.*max_steps"):
        layer(query, keys).sum().backward()
    assert not layer.rest.reached.all() and (layer.rest.residual > 0).all()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        layer(query, keys)


@pytest.mark.parametrize("beta", [0.9995, 1.0, 1.5])
def test_a_metastable_state_is_flagged(torch, beta):
    """Between two opposite keys of length 1, 0 is a fixed point whose largest eigenvalue is β."""
    keys = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64, requires_grad=True)
    layer = ha.torch.Hopfield(2, maps=(), beta=beta, steps=None)
    with pytest.warns(RuntimeWarning, match=f"1 of 1 cues.*eigenvalue {beta:g}"):
        layer(torch.zeros(1, 2, dtype=torch.float64), keys).sum().backward()
    assert layer.rest.metastable.all() and layer.rest.reached.all()
    keys.grad = None
    layer = ha.torch.Hopfield(2, maps=(), beta=0.9, steps=None)
    layer(torch.zeros(1, 2, dtype=torch.float64), keys).sum().backward()
    assert not layer.rest.metastable.any()


@pytest.mark.parametrize(
    ("options", "word"),
    [({"activation": "unit"}, "Unit"), ({"activation": "tanh"}, "Tanh"), ({"separation": "proportional"}, "Prop")],
)
def test_a_fixed_point_without_a_symmetric_jacobian_has_no_gradient(torch, options, word):
    query, keys = drawn(torch, 3, 6)
    layer = made(torch, steps=None, **options)
    refused(lambda: layer(query, keys), "steps", word, "torch.no_grad()", "number of steps")
    with torch.no_grad():
        layer(query, keys)
    made(torch, steps=3, **options)(query, keys).sum().backward()


def test_200_steps_to_a_fixed_point_take_the_memory_of_one(torch, device):
    query, keys = (torch.randn(1, n, 16) for n in (200, 300))
    layer = ha.torch.Hopfield(16, 2, steps=None, tol=0.0)

    def train(n):
        layer.zero_grad()
        object.__setattr__(layer.options, "max_steps", n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is still to be at rest
            layer(query, keys).square().sum().backward()

    train(1)
    one, many = (peak_bytes(torch, device, lambda n=n: train(n)) for n in (1, 200))
    assert layer.rest.steps.max() > 20
    assert many <= 1.1 * one
