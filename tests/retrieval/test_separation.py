"""Laws of every separation, and referees for those that others have too."""

from dataclasses import dataclass, fields, replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation, Weights
from tests.draws import arrays, betas, count, in_dtypes, near, sizes
from tests.libraries import beside_numpy
from tests.refusal import refused
from tests.retrieval.exact_weights import exact

NEAR = {"float64": 1e-7, "float32": 2e-3}
"""How far weights found by bisection may differ when their sum is taken in another order: near 0 entmax is steep."""
WITH_POTENTIAL = [name for name in separations if not separations[name]().why_no_potential]
SINKS = [
    (name, {"sink": 0.3}) for name, kind in separations.items() if "sink" in {field.name for field in fields(kind)}
]
EVERY = [(name, {}) for name in WITH_POTENTIAL] + SINKS
EVERY += [("power", {"n": n}) for n in (3, 4)] + [("rectified_power", {"n": 3}), ("threshold", {"t": 0.3})]
EVERY += [("entmax", {"alpha": alpha}) for alpha in (1.0, 1.2, 3.0)] + [("k_subsets", {"k": 2})]
EVERY += [("normmax", {"alpha": alpha}) for alpha in (1.5, 5.0)] + [("entmax", {"alpha": 3.0, "sink": -0.5})]
rows = sizes.flatmap(lambda m: arrays((m,)))
tables = st.tuples(sizes, sizes).flatmap(arrays)
"""Scores of one cue, and of several."""
on_both_kernels = pytest.mark.usefixtures("both_kernels")
every = pytest.mark.parametrize(("name", "parameters"), EVERY)
in_dtype = pytest.mark.parametrize(("name", "parameters", "dtype"), in_dtypes(EVERY))


@on_both_kernels
@given(scores=rows, beta=betas)
@every
def test_weights_are_the_gradient_of_the_potential(name, parameters, scores, beta):
    scores, n = scores / 4, len(scores)
    separation = separations[name](beta=beta, **parameters)
    if name == "argmax":
        null = [] if separation.sink is None else [separation.sink / beta]
        ranked = np.sort([-1e9, *null, *scores])
        assume(ranked[-1] - ranked[-2] > 1e-3)  # at a tie there is no gradient
    if name == "threshold":
        assume(np.abs(beta * scores - separation.t).min() > 1e-3)  # nor at the threshold
    h = 1e-6
    shifted = np.stack([scores + h * e for e in np.eye(n)]), np.stack([scores - h * e for e in np.eye(n)])
    slopes = (separation.potential(shifted[0]) - separation.potential(shifted[1])) / (2 * h)
    weights = separation.weights(scores)
    np.testing.assert_allclose(weights, slopes, atol=1e-5 * max(1, np.abs(weights).max(), beta))


@on_both_kernels
@given(scores=rows)
@every
def test_in_float32_weights_and_potential_are_those_of_float64(name, parameters, scores):
    """So the gradient law holds in float32 too. Weights that are a root of a small reach lose half of the digits."""
    separation = separations[name](beta=0.5, **parameters)
    scores = ((np.round(scores) if separation.jumps else scores) / 4).astype(np.float32)  # no tie by rounding
    for found, double in (
        (separation.weights(scores), separation.weights(scores.astype(float))),
        (separation.potential(scores), separation.potential(scores.astype(float))),
    ):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, double, rtol=1e-5, atol=4 * np.finfo(np.float32).eps ** 0.5)


@on_both_kernels
@given(scores=tables, beta=betas, seen=st.lists(st.booleans(), min_size=6, max_size=6))
@in_dtype
def test_a_masked_entry_weighs_nothing_and_changes_nothing(name, parameters, dtype, scores, beta, seen):
    scores, where = scores.astype(dtype), np.array(seen[: scores.shape[1]])
    separation = separations[name](beta=beta, **parameters)
    weights, potential = separation.weights(scores, where), separation.potential(scores, where)
    assert np.all(weights[:, ~where] == 0)
    if where.any():
        fewer = scores[:, where]
        tol = near(dtype)
        np.testing.assert_allclose(weights[:, where], separation.weights(fewer), rtol=tol, atol=NEAR[dtype])
        np.testing.assert_allclose(potential, separation.potential(fewer), rtol=tol, atol=tol)
    elif separation.sink is None:
        assert np.all(potential == 0)


@on_both_kernels
@given(scores=rows, beta=betas, order=st.permutations(range(6)))
@in_dtype
def test_permuting_the_scores_permutes_the_weights(name, parameters, dtype, scores, beta, order):
    scores, order = scores.astype(dtype), np.array([i for i in order if i < len(scores)])
    separation, tol = separations[name](beta=beta, **parameters), near(dtype)
    permuted = separation.weights(scores[order])
    np.testing.assert_allclose(permuted, separation.weights(scores)[order], rtol=tol, atol=NEAR[dtype])
    np.testing.assert_allclose(separation.potential(scores[order]), separation.potential(scores), rtol=tol, atol=tol)


@on_both_kernels
@given(scores=tables, beta=betas)
@in_dtype
def test_a_batch_equals_its_rows_and_both_parts_at_once_are_each_alone(name, parameters, dtype, scores, beta):
    scores = scores.astype(dtype)
    separation, tol = separations[name](beta=beta, **parameters), near(dtype)
    weights, potential = separation.weights(scores), separation.potential(scores)
    np.testing.assert_allclose(weights, [separation.weights(row) for row in scores], rtol=tol, atol=NEAR[dtype] / 100)
    np.testing.assert_allclose(potential, [separation.potential(row) for row in scores], rtol=tol, atol=tol)
    found = separation(scores, potential=True)
    np.testing.assert_allclose(found.potential, potential, rtol=tol, atol=tol)
    np.testing.assert_allclose(found.p, weights, rtol=tol, atol=tol)
    assert separation(scores).potential is None


CONVEX = [one for one in EVERY if separations[one[0]](**one[1]).convex]


@given(ends=st.integers(1, 6).flatmap(lambda m: arrays((2, m))), t=st.floats(0, 1))
@pytest.mark.parametrize(("name", "parameters"), CONVEX)
def test_a_potential_that_says_it_is_convex_is(name, parameters, ends, t):
    a, b = ends
    separation = separations[name](**parameters)
    between = separation.potential(t * a + (1 - t) * b)
    chord = t * separation.potential(a) + (1 - t) * separation.potential(b)
    assert between <= chord + 1e-9 * max(1, abs(chord), abs(between))


@on_both_kernels
@given(scores=rows, other=rows, beta=betas)
@pytest.mark.parametrize(("name", "parameters", "dtype"), in_dtypes(CONVEX))
def test_the_conjugate_is_that_of_the_potential(name, parameters, dtype, scores, other, beta):
    """Fenchel and Young: Ψ(s) + Ψ*(p) = p·s at the own weights p, and ≥ p·s at the weights of other scores."""
    separation, tol = separations[name](beta=beta, **parameters), near(dtype, 1e-11)
    other = np.resize(other, scores.shape)
    scores, other = (one.astype(dtype) / (2 * beta) for one in (scores, other))
    weights, foreign = separation.weights(scores), separation.weights(other)
    assert separation.conjugate(weights).dtype == dtype
    unit = separation.potential(scores), separation.conjugate(weights), scores @ weights
    scale = max(1 / beta, *map(abs, unit))
    assert abs(unit[0] + unit[1] - unit[2]) <= tol * scale
    assert unit[0] + separation.conjugate(foreign) - scores @ foreign >= -tol * max(scale, abs(scores @ foreign))
    outside = -weights - 1
    assert name in ("identity", "power") or separation.conjugate(outside) == np.inf
    try:
        back = separation.weights(separation.inverse(weights))
    except ha.InvalidInput as error:
        assert separation.jumps and "has none" in str(error)
        return
    steep = max(1, parameters.get("alpha", 1.5) - 1)  # weights are a root of that order of a reach
    np.testing.assert_allclose(back, weights, rtol=tol, atol=10 * float(np.finfo(dtype).eps) ** (1 / steep) + tol)


@given(scores=rows)
def test_the_rectified_exponential_is_the_formula_and_keeps_its_digits(scores):
    """Against decimals of 50 digits: Ψ₁ = Σ eˣ − 1 − x with x = [s]₊, also for tiny x."""
    separation = separations["rectified_exponential"]()
    for scale in (1.0, 1e-6):
        exact = Decimal(0)
        with localcontext() as context:
            context.prec = 50
            for s in scores * scale:
                x = Decimal(float(max(s, 0)))
                exact += x.exp() - 1 - x
        np.testing.assert_allclose(separation.potential(scores * scale), float(exact), rtol=4e-15)
    assert np.isfinite(separation.potential(np.array([1e3, 5.0])))


def test_the_odd_power_is_not_convex_and_says_so():
    cube = separations["power"](n=3)
    a, b = np.array([-4.0]), np.array([2.0])
    assert not cube.convex
    assert cube.potential((a + b) / 2) > (cube.potential(a) + cube.potential(b)) / 2


@every
def test_every_parameter_changes_the_output(name, parameters):
    scores = np.array([0.5, -0.25, 0.8, 0.1])
    one = separations[name](**parameters)
    other = separations[name](beta=0.4, **parameters)
    scale_free = name == "argmax" or one == separations["threshold"]()  # max βs = β max s; βs ≥ 0 as s ≥ 0
    assert np.allclose(one.weights(scores), other.weights(scores)) == scale_free
    for field in fields(one):
        if field.name == "sink":
            assert not np.allclose(one.weights(scores), replace(one, sink=0.9).weights(scores))
        elif field.name != "beta":
            changed = replace(one, **{field.name: getattr(one, field.name) + 1})
            assert not np.allclose(one.weights(scores), changed.weights(scores)), field.name


@given(data=st.data(), beta=betas, n=sizes, m=sizes)
def test_softmax_is_scipys(data, beta, n, m):
    scores = data.draw(arrays((n, m)))
    softmax = separations["softmax"](beta=beta)
    np.testing.assert_allclose(softmax.weights(scores), scipy.special.softmax(beta * scores, axis=-1), rtol=1e-12)
    reference = scipy.special.logsumexp(beta * scores, axis=-1) / beta
    np.testing.assert_allclose(softmax.potential(scores), reference, rtol=1e-12, atol=1e-12)


@on_both_kernels
@every
def test_a_masked_score_cannot_overflow(name, parameters):
    scores, where = np.array([1e300, 1.0]), np.array([False, True])
    separation = separations[name](**parameters)
    np.testing.assert_allclose(separation.potential(scores, where), separation.potential(scores[1:]), rtol=1e-12)
    np.testing.assert_allclose(separation.weights(scores, where), [0, *separation.weights(scores[1:])], rtol=1e-12)


@on_both_kernels
@pytest.mark.parametrize(("name", "parameters"), [*EVERY, ("proportional", {})])
def test_a_score_of_minus_infinity_counts_as_masked(name, parameters, library):
    scores = np.array([[-np.inf] * 3, [1.0, -np.inf, 0.5], [0.5, -1.0, 0.25]])
    separation, seen = separations[name](beta=0.7, **parameters), np.isfinite(scores)
    plain, given = np.where(seen, scores, 9.0), library.array(scores)
    forms = [separation.weights, lambda *given: separation(*given).p]
    forms += [separation.potential] * (name != "proportional") + [separation.rest] * ("sink" in parameters)
    for form in forms:
        found, expected = library.numpy(form(given)), library.numpy(form(library.array(plain), library.array(seen)))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    assert not library.numpy(separation.weights(given))[0].any()


def test_exact_ties_share_the_weight_of_argmax():
    assert separations["argmax"]().weights(np.array([1.0, 3.0, 3.0])).tolist() == [0, 0.5, 0.5]


def test_argmax_does_not_make_ties_by_rounding():
    scores = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert separations["argmax"](beta=1e-300).weights(scores).tolist() == [0, 1]


@beside_numpy
@every
def test_the_same_on_every_library(name, parameters, library):
    scores = np.array([[0.5, -1.25, 2.0, 0.0], [1.0, 1.0, -3.0, 1.0]])
    where = np.array([[True, False, True, True], [False, False, False, False]])
    separation = separations[name](beta=0.7, **parameters)
    for mask in (None, where):
        given_mask = None if mask is None else library.array(mask)
        found = separation.weights(library.array(scores), given_mask)
        assert type(found) is type(library.array(scores))
        np.testing.assert_allclose(library.numpy(found), separation.weights(scores, mask), rtol=1e-12)
        potential = library.numpy(separation.potential(library.array(scores), given_mask))
        np.testing.assert_allclose(potential, separation.potential(scores, mask), rtol=1e-12)


SCORES = np.array([-2.0, 0.0, 0.5])


@on_both_kernels
@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("sparsemax", {}, [0, 0.25, 0.75]),
        ("entmax", {"alpha": 2.0}, [0, 0.25, 0.75]),
        ("entmax", {"alpha": 1.5}, [0, 0.3260, 0.6740]),
        ("normmax", {"alpha": 2.0}, [0, 0.3110, 0.6890]),
        ("k_subsets", {"k": 1}, [0, 0.25, 0.75]),
        ("k_subsets", {"k": 2}, [0, 1, 1]),
        ("k_subsets", {"k": 5}, [1, 1, 1]),
        ("threshold", {"t": 0.5}, [0, 0, 1]),
        ("rectified_power", {"n": 3}, [0, 0, 0.25]),
    ],
)
def test_published_and_plain_numbers(name, parameters, expected):
    np.testing.assert_allclose(separations[name](**parameters).weights(SCORES), expected, atol=5e-5)


@on_both_kernels
@pytest.mark.parametrize("shape", [(100, 30), (10, 600)])
def test_the_sparse_separations_are_the_entmax_packages(entmax, torch, shape):
    scores = np.random.default_rng(0).normal(size=shape) * 3
    given = torch.asarray(scores)
    referees = {
        ("sparsemax", ()): entmax.sparsemax(given),
        ("entmax", (("alpha", 2.0),)): entmax.sparsemax(given),
        ("entmax", (("alpha", 1.5),)): entmax.entmax15(given),
        ("k_subsets", (("k", 3),)): entmax.budget_bisect(given, budget=3, n_iter=100),
    }
    for alpha in (1.1, 1.3, 2.5):
        referees["entmax", (("alpha", alpha),)] = entmax.entmax_bisect(given, alpha=alpha, n_iter=100)
    for alpha in (1.3, 2.0, 4.0):
        referees["normmax", (("alpha", alpha),)] = entmax.normmax_bisect(given, alpha=alpha, n_iter=100)
    for (name, parameters), expected in referees.items():
        weights = separations[name](**dict(parameters)).weights(scores)
        np.testing.assert_allclose(weights, expected.numpy(), atol=1e-10, err_msg=f"{name} {parameters}")


def test_an_alpha_of_one_is_softmax_and_near_one_is_near_it():
    scores = np.random.default_rng(0).normal(size=(200, 30)) * 3
    softmax = separations["softmax"](beta=0.7)
    one, near = (separations["entmax"](alpha=alpha, beta=0.7) for alpha in (1.0, 1 + 1e-6))
    np.testing.assert_allclose(one.weights(scores), softmax.weights(scores), rtol=1e-12)
    np.testing.assert_allclose(one.potential(scores), softmax.potential(scores), rtol=1e-12)
    np.testing.assert_allclose(near.weights(scores), softmax.weights(scores), atol=1e-4)
    np.testing.assert_allclose(near.potential(scores), softmax.potential(scores), atol=1e-3)


MARGINS = {"argmax": 0.0, "sparsemax": 1.0, "normmax": 1.0, "k_subsets": 1.0}
"""The least lead of one score βs over all others that gives it all the weight: Blondel et al. (2020), section 4."""
SPARSE = [(name, one, MARGINS[name]) for name, one in EVERY if name in MARGINS and not {"k", "sink"} & {*one}]
SPARSE += [("entmax", {"alpha": alpha}, 1 / (alpha - 1)) for alpha in (1.2, 1.5, 3.0)]


@on_both_kernels
@given(scores=st.integers(2, 6).flatmap(lambda m: arrays((m,))), beta=betas)
@pytest.mark.parametrize(("name", "parameters", "margin"), SPARSE)
def test_a_lead_of_the_margin_takes_all_the_weight(name, parameters, margin, scores, beta):
    separation = separations[name](beta=beta, **parameters)
    others, m = scores.copy(), len(scores)
    others[0] = others[1:].max() + (margin + 1e-9) / beta + 1e-9
    np.testing.assert_allclose(separation.weights(others), np.eye(m)[0], atol=NEAR["float64"])
    if margin:
        others[0] -= 0.5 * margin / beta
        assert separation.weights(others)[0] < 1 - 1e-4


@on_both_kernels
@every
@pytest.mark.parametrize("beta", [1e-6, 1.0, 1e6])
def test_scores_of_ten_thousand_leave_every_weight_finite(name, parameters, beta):
    scores = np.array([[1e4, -1e4, 0.0, 9e3], [-1e4, -1e4, -1e4, -1e4]])
    separation = separations[name](beta=beta, **parameters)
    assert np.all(np.isfinite(separation.weights(scores)))
    assert np.all(np.isfinite(separation.potential(scores)))
    if name == "softmax" and separation.sink is None:
        np.testing.assert_allclose(separation.potential(scores)[1], -1e4 + np.log(4) / beta, rtol=1e-12)


def test_weights_in_proportion_to_the_scores():
    proportional = separations["proportional"]()
    scores = np.array([[1.0, 3.0, 4.0], [0.0, 0.0, 0.0]])
    assert proportional.weights(scores).tolist() == [[0.125, 0.375, 0.5], [0, 0, 0]]
    assert proportional.weights(scores, np.array([True, True, False])).tolist() == [[0.25, 0.75, 0], [0, 0, 0]]
    assert proportional.weights(np.array([[-3.9, -0.1, -1], [-2.0, 1.0, 3.0]])).tolist() == [[0, 0, 0], [0, 0.25, 0.75]]
    assert separations["proportional"](beta=7).weights(scores).tolist() == proportional.weights(scores).tolist()


def test_weights_in_proportion_are_the_gradient_of_nothing():
    proportional, h = separations["proportional"](), 1e-6
    scores = np.array([1.0, 3.0])
    slopes = np.stack([(proportional.weights(scores + h * e) - proportional.weights(scores)) / h for e in np.eye(2)])
    assert abs(slopes[0, 1] - slopes[1, 0]) > 0.1  # a gradient would have a symmetric matrix of second derivatives


@pytest.mark.parametrize("n", [2, 3, 50])
def test_a_power_of_whole_numbers_is_exact(n):
    scores = np.array([[3.0, -1.0, 2.0], [0.0, 0.0, 0.0]])
    exact = [sum(int(s) ** n for s in row) / n for row in scores]
    np.testing.assert_allclose(separations["power"](n=n).potential(scores), exact, rtol=1e-15)
    np.testing.assert_allclose(
        separations["power"](n=n).weights(scores)[0], [float(int(s) ** (n - 1)) for s in scores[0]]
    )


@settings(max_examples=count(300, 30))
@given(data=st.data(), n=st.integers(2, 1000) | st.sampled_from([126, 127, 128, 129]))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("library", ["numpy", "torch", "jax"], indirect=True)
def test_a_power_is_right_where_it_is_a_number_of_the_dtype(library, dtype, data, n):
    """Against fractions: weights of any size beside each other, Ψ, and the sum of weights by their factor."""
    numbers, beta = np.finfo(dtype), data.draw(st.sampled_from([1.0, 0.3, 2.0**-20, 1e6, 1.7]))
    reach = np.log2(float(numbers.smallest_normal)) + 1, np.log2(float(numbers.max)) - 2
    sizes = np.array(data.draw(st.lists(st.floats(*reach), min_size=1, max_size=4))) / (n - 1)
    scores = (2.0 ** np.clip(sizes - np.log2(beta), *reach) * [1, -1, 1, 1][: len(sizes)]).astype(dtype)
    given = library.module.asarray(scores)
    power, most = separations["power"](n=n, beta=beta), Fraction(float(numbers.max))
    exact = [(Fraction(beta) * Fraction(float(s))) ** (n - 1) for s in scores]
    with np.errstate(over="ignore"):
        weights, psi = (library.numpy(one(given)) for one in (power.weights, power.potential))
        summed = library.numpy(power(given).p).sum()
    assert weights.dtype == psi.dtype == dtype
    near = Fraction(4 + n / 2) * Fraction(float(numbers.eps))  # JAX multiplies, and each product is rounded
    parts = [p * Fraction(float(s)) / n for p, s in zip(exact, scores, strict=True)]
    for found, terms in [*zip(weights, [[p] for p in exact], strict=True), (psi, parts), (summed, exact)]:
        size = sum(map(abs, terms))
        if numbers.smallest_normal <= min(map(abs, terms)) and size <= most / 2:  # JAX takes smaller ones for 0
            assert abs(Fraction(float(found)) - sum(terms)) <= len(terms) * near * size


def test_a_high_power_in_single_precision_is_that_of_double():
    scores = np.array([0.95, 0.5], np.float32)
    assert separations["power"](n=400).weights(scores)[0] == pytest.approx(float(scores[0]) ** 399, rel=1e-5)
    assert separations["power"](n=150).potential(scores) == pytest.approx(float(scores[0]) ** 150 / 150, rel=1e-5)


@dataclass(frozen=True)
class LogCosh(Separation):
    """Ψ₁ = Σ log 2 cosh s, by its two methods."""

    convex = True

    def potential(self, scores, where=None):
        s = self.beta * scores
        return np.logaddexp(s, -s).sum(axis=-1, where=True if where is None else where) / self.beta

    def weights(self, scores, where=None):
        return np.tanh(self.beta * scores) * (1 if where is None else where)


@dataclass(frozen=True)
class LogCoshAtOnce(Separation):
    """The same by one method."""

    convex = True

    def answer(self, scores, where, potential):
        own = LogCosh(beta=self.beta)
        return Weights(own.weights(scores, where), 1.0, own.potential(scores, where) if potential else None)


@pytest.mark.parametrize("own", [LogCosh, LogCoshAtOnce])
@pytest.mark.parametrize("n", [4, 1100])
def test_a_separation_of_ones_own_works_wherever_ours_do(own, n):
    rng = np.random.default_rng(0)
    cues, keys = np.sign(rng.normal(size=(n, 5))), np.sign(rng.normal(size=(1000, 5)))
    where = rng.random((n, 1000)) < 0.5
    memory = ha.Memory(keys, separation=own(beta=0.3))
    expected = np.tanh(0.3 * cues @ keys.T) * where
    energy = (cues**2).sum(axis=-1) / 2 - LogCosh(beta=0.3).potential(cues @ keys.T, where)
    np.testing.assert_allclose(memory.weights(cues, where), expected, atol=1e-12)
    np.testing.assert_allclose(memory.step(cues, where), expected @ keys, atol=1e-10)
    np.testing.assert_allclose(memory.energy(cues, where), energy, rtol=1e-12)
    for found, one in zip(memory._step_with_energy(cues, where), (expected @ keys, energy), strict=True):
        np.testing.assert_allclose(found, one, rtol=1e-11, atol=1e-10)
    spins = ha.Memory(keys, separation=own(beta=0.3), activation="sign")
    assert np.all(np.diff(spins.recall(cues[:3], update="async").energies, axis=0) <= 1e-9)
    bias = rng.normal(size=(4, 1000))
    attended = ha.attention(cues[:4], keys, keys, bias=bias, separation=own(beta=0.3))
    np.testing.assert_allclose(attended, np.tanh(0.3 * cues[:4] @ keys.T + bias) @ keys, rtol=1e-10)


def test_the_exponential_works_in_logarithms():
    exponential = separations["exponential"](beta=0.5)
    scores = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(exponential.weights(scores), np.exp(scores / 2), rtol=1e-15)
    np.testing.assert_allclose(exponential.potential(scores), 2 * np.exp(scores / 2).sum(), rtol=1e-14)
    direction = exponential.direction()
    ratio = direction.weights(scores) / exponential.weights(scores)
    np.testing.assert_allclose(ratio, ratio[0])
    np.testing.assert_allclose(direction.potential(scores), 2 * np.log(exponential.potential(scores) / 2), rtol=1e-14)


@pytest.mark.parametrize("alpha", [3, 8, 50])
@settings(max_examples=count(5, 2))
@given(scores=st.lists(st.integers(0, 50), min_size=2, max_size=4, unique=True))
def test_a_large_alpha_loses_no_weight_to_rounding(alpha, scores):
    """Up to α = 8, p differs by no more than a few roundings of its reach r = p^(α−1): the root is steep near 0."""
    scores = np.array(scores) / 1e4
    right = np.array([float(p) for p in exact("entmax", {"alpha": alpha}, scores, 1.0)[0]])
    separation, slack = separations["entmax"](alpha=float(alpha)), 16 * np.finfo(float).eps
    above, below = (np.maximum(right ** (alpha - 1) + way * slack, 0) ** (1 / (alpha - 1)) for way in (1, -1))
    bound = 1e-9 + np.maximum(above - right, right - below).sum() if alpha <= 8 else 1e-3
    assert np.all(np.abs(separation.weights(scores) - right) <= bound)
    assert bool(separation.why_imprecise) == (alpha > 8)


def test_beta_is_given_by_its_name_and_a_number_alone_is_the_parameter_of_the_family():
    assert separations["power"](3) == separations["power"](beta=1.0, n=3)
    assert separations["entmax"](1.5) == separations["entmax"](alpha=1.5)
    refused(lambda: separations["softmax"](2.0), "Softmax: ", "beta=")
