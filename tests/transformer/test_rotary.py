"""Rotary positions against numbers by hand, complex numbers and fifty digits; scores depend on the offset alone."""

import math
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.positions.planes import LAYOUTS, frequencies
from hopattn.transformer import FirstWord
from tests import exact
from tests.draws import arrays, count, sizes

layouts = st.sampled_from(LAYOUTS)
dims = st.sampled_from([2, 4, 10])
places = st.floats(-1000, 1000).map(lambda p: round(p, 3))
bases = st.sampled_from([0.5, 1.0, 100.0, 10000.0, 500000.0])

COS_1, SIN_1 = 0.5403023058681398, 0.8414709848078965
COS_01, SIN_01 = 0.9999500004166653, 0.009999833334166664


def by_complex_numbers(x, positions, base, layout):
    """Each plane as one complex number, multiplied by e^(i p θ): the paper's own derivation."""
    x, half = np.asarray(x), x.shape[-1] // 2
    first, second = (x[..., :half], x[..., half:]) if layout == "half" else (x[..., ::2], x[..., 1::2])
    steps = np.array([base ** (-2 * i / x.shape[-1]) for i in range(half)])
    moved = (first + 1j * second) * np.exp(1j * np.asarray(positions)[..., None] * steps)
    result = np.empty_like(x)
    one, other = (slice(half), slice(half, None)) if layout == "half" else (slice(0, None, 2), slice(1, None, 2))
    result[..., one], result[..., other] = moved.real, moved.imag
    return result


def test_position_one_of_dim_four_by_hand():
    """θ is (1, 1/100): the first plane turns by one radian, the second by a hundredth."""
    expected = [COS_1 - 2 * SIN_1, SIN_1 + 2 * COS_1, 3 * COS_01 - 4 * SIN_01, 3 * SIN_01 + 4 * COS_01]
    np.testing.assert_allclose(ha.rope([1.0, 2.0, 3.0, 4.0], 1), expected, rtol=1e-15)
    expected = [COS_1 - 3 * SIN_1, 2 * COS_01 - 4 * SIN_01, SIN_1 + 3 * COS_1, 2 * SIN_01 + 4 * COS_01]
    np.testing.assert_allclose(ha.rope([1.0, 2.0, 3.0, 4.0], 1, layout="half"), expected, rtol=1e-15)


@given(data=st.data(), dim=dims, base=bases, layout=layouts)
def test_it_is_the_product_with_a_complex_number(data, dim, base, layout):
    x, positions = data.draw(arrays((2, 3, dim))), data.draw(st.lists(places, min_size=3, max_size=3))
    expected = by_complex_numbers(x, positions, base, layout)
    np.testing.assert_allclose(ha.rope(x, positions, base=base, layout=layout), expected, rtol=1e-11, atol=1e-10)


@given(x=arrays((3, 6)), p=places)
def test_it_is_the_rotation_of_each_plane(x, p):
    matrix = ha.rotation(p * frequencies(6), 6)
    np.testing.assert_allclose(ha.rope(x, p), x @ matrix.T, atol=1e-13)
    blocks = [ha.rope(x, p, layout="half")[:, [i, i + 3]] for i in range(3)]
    for block, i, step in zip(blocks, range(3), frequencies(6), strict=True):
        np.testing.assert_allclose(block, x[:, [i, i + 3]] @ ha.rotation(p * step).T, atol=1e-13)


@given(data=st.data(), dim=dims, base=bases, layout=layouts, p=places, r=places, shift=places)
def test_scores_depend_on_the_offset_alone(data, dim, base, layout, p, r, shift):
    q, k = data.draw(arrays((dim,))), data.draw(arrays((dim,)))
    here = ha.rope(q, p, base=base, layout=layout) @ ha.rope(k, r, base=base, layout=layout)
    there = ha.rope(q, p + shift, base=base, layout=layout) @ ha.rope(k, r + shift, base=base, layout=layout)
    assert here == pytest.approx(there, abs=1e-8)
    assert here == pytest.approx(q @ ha.rope(k, r - p, base=base, layout=layout), abs=1e-8)


@given(data=st.data(), dim=dims, layout=layouts, p=places)
def test_lengths_are_kept_and_the_way_back_undoes_it(data, dim, layout, p):
    x = data.draw(arrays((4, dim)))
    moved = ha.rope(x, p, layout=layout)
    np.testing.assert_allclose(np.linalg.norm(moved, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-13)
    np.testing.assert_allclose(ha.rope(moved, -p, layout=layout), x, atol=1e-13)
    np.testing.assert_array_equal(ha.rope(x, 0, layout=layout), x)


@pytest.mark.parametrize(
    ("dtype", "bound"), [("float64", lambda p: 1.3e-16 * max(p, 20)), ("float32", lambda p: 1.3e-7)]
)
def test_large_positions_keep_their_digits(dtype, bound):
    rng, dim = np.random.default_rng(0), 64
    for p in rng.integers([10**k for k in range(1, 8)], [10 ** (k + 1) for k in range(1, 8)]):
        x = rng.normal(size=dim).astype(dtype)
        found = ha.rope(x, p)
        assert found.dtype == dtype
        for i in range(0, dim // 2, count(1, 8)):
            cos, sin = exact.cos_sin(int(p), exact.frequency(i, dim))
            a, b = Decimal(float(x[2 * i])), Decimal(float(x[2 * i + 1]))
            off = (
                Decimal(float(found[2 * i])) - (a * cos - b * sin),
                Decimal(float(found[2 * i + 1])) - (a * sin + b * cos),
            )
            assert np.hypot(*map(float, off)) <= bound(p) * np.hypot(float(a), float(b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_library_gives_the_same_in_its_dtype(library, layout, dtype):
    rng = np.random.default_rng(1)
    x, positions = rng.normal(size=(2, 3, 5, 8)).astype(dtype), np.array([0, 1, 7, 100, 65_537])
    expected = ha.rope(x, positions, layout=layout)
    own = library.module.asarray(x.tolist(), dtype=getattr(library.module, dtype))
    for given_as in (positions, positions.tolist(), library.module.asarray(positions.tolist())):
        found = ha.rope(own, given_as, layout=layout)
        assert type(found) is type(own)
        assert found.dtype == own.dtype
        np.testing.assert_allclose(library.numpy(found), expected, atol=1e-6 if dtype == "float32" else 1e-10)


def test_positions_may_differ_from_text_to_text(library):
    x = np.random.default_rng(2).normal(size=(2, 3, 4))
    positions = np.array([[0.0, 1, 2], [10, 11, 12]])
    found = library.numpy(ha.rope(library.array(x), library.array(positions)))
    for i in range(2):
        np.testing.assert_allclose(found[i], ha.rope(x[i], positions[i]), rtol=1e-14)


def test_half_precision_is_computed_in_single_precision(torch):
    x = torch.randn(5, 8, generator=torch.Generator().manual_seed(0)).to(torch.bfloat16)
    found = ha.rope(x, [100, 101, 102, 103, 104])
    assert found.dtype == torch.bfloat16
    assert torch.equal(found, ha.rope(x.float(), [100, 101, 102, 103, 104]).to(torch.bfloat16))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_derivatives_by_torch_are_central_differences(torch, layout):
    rng = np.random.default_rng(3)
    x = torch.tensor(rng.normal(size=(2, 3, 4)), requires_grad=True)
    positions = torch.tensor([0.0, 1.5, -7.0], dtype=torch.float64, requires_grad=True)
    function = lambda x, p: ha.rope(x, p, base=100.0, layout=layout)  # noqa: E731
    assert torch.autograd.gradcheck(function, (x, positions))
    assert torch.autograd.gradgradcheck(function, (x, positions))
    assert torch.autograd.gradcheck(lambda x: ha.rope(x, [0, 1, 2]), (x,))


# The least PyTorch warns of a cache in array-api-compat.
@pytest.mark.filterwarnings("ignore:Dynamo detected a call to a `functools.lru_cache`:UserWarning")
def test_it_is_traced_whole_and_mapped_by_torch(torch, traced):
    """Any other warning of the compiler would be an error here."""
    x, positions = torch.randn(2, 3, 4, dtype=torch.float64), torch.arange(3)
    compiled = traced(lambda x, p: ha.rope(x, p))
    torch.testing.assert_close(compiled(x, positions), ha.rope(x, positions), rtol=0, atol=1e-15)
    if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 12):  # an earlier one cannot follow shapes of NumPy
        masked = torch.compile(lambda x: ha.attention(x, x, x, mask="causal"), backend="eager")
        torch.testing.assert_close(masked(x), ha.attention(x, x, x, mask="causal"))
    torch.testing.assert_close(torch.func.vmap(lambda x: ha.rope(x, positions))(x), ha.rope(x, positions))
    torch.testing.assert_close(torch.func.vmap(lambda x: ha.rope(x, [0, 1, 2]))(x), ha.rope(x, positions))


def test_jax_compiles_maps_and_differentiates_it(jax):
    x, positions = np.random.default_rng(4).normal(size=(2, 3, 4)), np.array([0, 5, 1000])
    own, expected = jax.numpy.asarray(x), ha.rope(x, positions)
    np.testing.assert_allclose(jax.jit(ha.rope)(own, jax.numpy.asarray(positions)), expected, atol=1e-12)
    np.testing.assert_allclose(jax.jit(lambda x: ha.rope(x, positions))(own), expected, atol=1e-12)
    np.testing.assert_allclose(jax.vmap(lambda x: ha.rope(x, positions))(own), expected, atol=1e-12)
    real, way, h = np.array([0.0, 1.5, -7.0]), (x[::-1].copy(), np.array([1.0, -2.0, 0.5])), 1e-5
    _, slope = jax.jvp(ha.rope, (own, jax.numpy.asarray(real)), tuple(map(jax.numpy.asarray, way)))
    after, before = (ha.rope(x + step * way[0], real + step * way[1]) for step in (h, -h))
    np.testing.assert_allclose(slope, (after - before) / (2 * h), atol=1e-8)
    back = jax.grad(lambda x: (ha.rope(x, positions) * slope).sum())(own)
    np.testing.assert_allclose(back, ha.rope(np.asarray(slope), -positions), atol=1e-12)  # by the transpose


def test_jax_without_x64_keeps_digits_of_positions_that_numpy_holds(jax):
    x, positions = np.ones((3, 8), np.float32), np.array([1, 10**4, 10**6])
    jax.config.update("jax_enable_x64", False)
    try:
        precise = ha.rope(jax.numpy.asarray(x), positions)
        rounded = ha.rope(jax.numpy.asarray(x), jax.numpy.asarray(positions))
    finally:
        jax.config.update("jax_enable_x64", True)
    assert precise.dtype == rounded.dtype == np.float32
    off = np.abs(np.asarray(rounded) - ha.rope(x, positions))
    assert np.all(off <= 1.2e-7 * np.sqrt(2) * (positions[:, None] + 2))
    np.testing.assert_allclose(np.asarray(precise), ha.rope(x, positions), atol=2.5e-7)


shares = st.floats(0, 1).map(lambda x: round(x, 3))
sharpness = st.one_of(st.just(0.0), st.floats(0, 12).map(lambda x: round(x, 3)))
models = st.builds(FirstWord, st.just(3), carry=shares, beta=sharpness)
either = pytest.mark.parametrize("attention", [False, True])


@either
@given(model=models, n=sizes, data=st.data())
def test_the_answer_is_the_sum_of_the_words_by_their_shares(attention, model, n, data):
    words = data.draw(arrays((2, n + 1, 3)))
    shares = model.shares(n, attention=attention)
    expected = sum(shares[i] * words[:, i] for i in range(n + 1))
    np.testing.assert_allclose(model.read(words, attention=attention), expected, rtol=1e-11, atol=1e-11)


@given(model=models, n=sizes)
def test_shares_are_the_double_sum_written_out(model, n):
    power = math.exp(model.beta)
    for i, share in enumerate(model.shares(n, attention=True)):
        weights = [power / (power + n)] + [1 / (power + n)] * n
        assert share == pytest.approx(sum(weights[j] * model.carry ** (j - i) for j in range(i, n + 1)), rel=1e-12)
    np.testing.assert_allclose(model.shares(n, attention=False), model.carry ** np.arange(n, -1, -1.0), rtol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 7, 40])
@pytest.mark.parametrize("carry", [0.0, 0.5, 0.9, 1.0])
def test_without_attention_the_cosine_is_its_closed_form(carry, n):
    kept = (1 - carry**2) / (1 - carry ** (2 * n + 2)) if carry < 1 else 1 / (n + 1)
    expected = carry**n * math.sqrt(kept)
    assert FirstWord(carry=carry).cosine(n, attention=False) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("beta", count([5.0, 6.0, 7.0], [5.0, 6.0]))
@pytest.mark.parametrize("carry", [0.3, 0.8, 1.0])
def test_with_attention_the_cosine_falls_to_one_over_root_two_after_exponentially_many_words(carry, beta):
    reach = (1 - carry) ** 2 * math.exp(2 * beta) if carry < 1 else (3 * math.exp(2 * beta)) ** (1 / 3)
    model = FirstWord(carry=carry, beta=beta)
    slack = 0.08 if carry == 1 else 0.02  # for ρ = 1 the reach is few words beside e^β
    assert model.cosine(round(reach), attention=True) == pytest.approx(math.sqrt(0.5), abs=slack)
    assert model.cosine(round(reach), attention=False) < 0.2


def test_one_word_more_costs_the_spectral_radius():
    model = FirstWord(carry=0.8)
    radius = np.abs(np.linalg.eigvals(model.network.w_hidden)).max()
    cosines = [model.cosine(n, attention=False) for n in range(20, 40)]
    np.testing.assert_allclose(np.divide(cosines[1:], cosines[:-1]), radius, rtol=1e-4)


def test_the_accuracy_runs_from_certainty_to_chance():
    model = FirstWord(dim=256)
    falling = [model.accuracy(n, 8, attention=False) for n in range(0, 200, 10)]
    assert falling[0] == pytest.approx(1.0) and falling[-1] == pytest.approx(1 / 8, abs=2e-3)
    assert all(later <= earlier for earlier, later in pairwise(falling))
    assert model.accuracy(200, 8, attention=True) == pytest.approx(1.0)


@given(dim=st.integers(2, 5000), names=st.integers(2, 10**6), n=st.integers(1, 40))
def test_the_accuracy_is_chance_where_nothing_of_the_first_word_is_left(dim, names, n):
    """In the plane the nearest name is about π/names away, an angle that its cosine holds up to 1.1e-16/angle²."""
    model = FirstWord(dim, carry=0.0, beta=0.0)
    rounding = 1.2e-17 * names**2 if dim == 2 else 0.0
    assert model.accuracy(n, names, attention=False) == pytest.approx(1 / names, rel=1e-6 + rounding)


@pytest.mark.parametrize(("dim", "names", "expected"), [(2, 2, 3 / 4), (2, 4, 15 / 32), (3, 2, 5 / 6), (3, 3, 17 / 24)])
def test_the_accuracy_in_a_small_dim_is_that_by_hand(dim, names, expected):
    """The sum of two words of one length halves their angle. A name is nearer with a probability known by hand.

    In the plane the angle φ of the sum and the first word is uniform on [0, π/2], and F = 1 − φ/π: the accuracy is
    2 (1 − 2^−names) / names. In space v = cos² φ is uniform on [0, 1], and F = (1 + √v)/2: E F = (1 + 2/3)/2, and
    E F² = (1 + 2 · 2/3 + 1/2)/4.
    """
    assert FirstWord(dim, carry=1.0).accuracy(1, names, attention=False) == pytest.approx(expected, rel=1e-3)


def test_the_accuracy_is_the_measured_one_after_one_word_and_nearly_after_more():
    """20,000 texts (quick: 8,000), with standard errors up to .0036 (.0056)."""
    for dim, carry, n in ((1, 0.5, 1), (2, 0.8, 1), (8, 0.7, 1), (32, 0.7, 4)):
        model = FirstWord(dim, carry=carry)
        found = model.measured(n, names=5, trials=count(20_000, 8000), rng=np.random.default_rng(1))[
            "accuracy without attention"
        ].mean()
        assert model.accuracy(n, 5, attention=False) == pytest.approx(found, abs=0.015)


def test_what_is_measured_in_many_dims_is_what_the_model_states():
    """200 texts in 400 dims: a cosine of random words is off by .05 or so, the mean of them by a tenth of that."""
    model = FirstWord(400, carry=0.8, beta=3.0)
    assert FirstWord() == FirstWord(64, carry=0.9, beta=8.0)
    measured = model.measured(6, names=5, trials=200, rng=1)
    for attention, how in ((False, "without attention"), (True, "with attention")):
        assert measured[f"cosine {how}"].mean() == pytest.approx(model.cosine(6, attention=attention), abs=0.02)
        assert measured[f"accuracy {how}"].mean() == pytest.approx(model.accuracy(6, 5, attention=attention), abs=0.03)


def test_a_seed_and_its_generator_measure_the_same():
    model = FirstWord(4)
    by_seed, by_generator = (model.measured(3, names=4, trials=5, rng=rng) for rng in (7, np.random.default_rng(7)))
    for name, numbers in by_seed.items():
        np.testing.assert_array_equal(numbers, by_generator[name])
