"""A sink: a null pattern that competes for the weight and gives nothing, in every separation and in memories.

The laws of `test_separation.py` and the blocks of `test_blockwise.py` hold with a sink too.
"""

from dataclasses import fields

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from tests.draws import arrays, betas, in_dtypes, near, numbers, sizes

TAKING = [name for name, kind in ha.separations.items() if "sink" in {field.name for field in fields(kind)}]
tables = st.tuples(sizes, sizes).flatmap(arrays)


def test_a_separation_takes_a_sink_where_patterns_compete():
    assert {"softmax", "entmax", "sparsemax", "normmax", "k_subsets", "argmax"} == {*TAKING}


@pytest.mark.usefixtures("both_kernels")
@given(scores=tables, beta=betas, sink=numbers, seen=st.lists(st.booleans(), min_size=6, max_size=6))
@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in TAKING))
def test_a_sink_is_one_more_pattern_that_gives_nothing(name, dtype, scores, beta, sink, seen):
    scores, where = scores.astype(dtype), np.array(seen[: scores.shape[1]])
    own, plain = ha.separations[name](beta=beta, sink=sink), ha.separations[name](beta=beta)
    joined = np.hstack([scores, np.full((len(scores), 1), sink / beta, dtype)])
    for mask, allowed in ((None, None), (where, np.append(where, True))):
        shares = plain.weights(joined, allowed)
        assert_allclose(own.weights(scores, mask), shares[:, :-1], rtol=near(dtype), atol=near(dtype))
        assert_allclose(own.rest(scores, mask), shares[:, -1], rtol=near(dtype), atol=near(dtype))
        assert_allclose(own.potential(scores, mask), plain.potential(joined, allowed), rtol=near(dtype))
        assert own.rest(scores, mask).dtype == dtype
        total = own.weights(scores, mask).sum(axis=1) + own.rest(scores, mask)
        assert_allclose(total, 1, rtol=64 * np.finfo(dtype).eps * (1 if name != "normmax" else 1e3))


@given(scores=tables, beta=betas, sink=numbers)
def test_softmax_with_a_sink_is_scipys_with_one_more_term(scores, beta, sink):
    own = ha.separations.softmax(beta=beta, sink=sink)
    sums = np.logaddexp(scipy.special.logsumexp(beta * scores, axis=1), sink)
    assert_allclose(own.weights(scores), np.exp(beta * scores - sums[:, None]), rtol=1e-11)
    assert_allclose(own.rest(scores), np.exp(sink - sums), rtol=1e-11)
    assert_allclose(own.potential(scores), sums / beta, rtol=1e-11, atol=1e-11)


@given(scores=tables, beta=betas, sink=st.sampled_from([1e4, 1e308]))
@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in TAKING))
def test_a_sink_far_below_takes_nothing_and_one_far_above_takes_all(name, dtype, scores, beta, sink):
    scores = scores.astype(dtype)
    below, above, plain = (ha.separations[name](beta=beta, sink=one) for one in (-sink, sink, None))
    assert_allclose(below.weights(scores), plain.weights(scores), atol=near(dtype))
    assert_allclose(below.potential(scores), plain.potential(scores), rtol=near(dtype), atol=near(dtype))
    assert np.all(below.rest(scores) == 0)
    assert np.all(above.weights(scores) == 0)
    assert np.all(above.rest(scores) == 1)
    assert np.all(above.potential(scores) > 100)


@pytest.mark.parametrize("beta", [1e-300, 1e-30, 1e30])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_scores_and_beta_of_any_size_keep_their_sink(beta, dtype):
    scores = np.array([[2.0, -1.0]], dtype) * np.array(min(1 / beta, float(np.finfo(dtype).max) / 4), dtype)
    own = ha.separations.softmax(beta=beta, sink=1.0)
    exponents = np.append(np.float64(beta) * scores.astype(np.float64), 1.0)
    assert_allclose(np.append(own.weights(scores), own.rest(scores)), scipy.special.softmax(exponents), rtol=1e-5)
    if dtype == "float64" or beta > 1e-38:  # Ψ is of the size of 1/β
        assert_allclose(own.potential(scores), scipy.special.logsumexp(exponents) / beta, rtol=1e-5)


def test_a_sink_of_each_row():
    scores, sinks = np.array([[1.0, 2.0], [0.5, 0.0]]), np.array([0.3, -2.0])
    own = ha.separations.softmax(beta=2.0, sink=sinks)
    for i, sink in enumerate(sinks):
        assert_allclose(own.weights(scores)[i], ha.separations.softmax(beta=2.0, sink=sink).weights(scores[i]))


@pytest.mark.parametrize("name", [name for name in TAKING if not ha.separations[name].jumps])
def test_energies_and_derivatives_by_pytorch_and_jax(torch, jax, name):
    rng = np.random.default_rng(3)
    keys, cues, lengths = rng.normal(size=(5, 3)), rng.normal(size=(4, 3)), np.linspace(0.5, 1, 4)

    def measured(xp, sink):
        memory = ha.Memory(xp.asarray(keys), separation=name, beta=1.7, sink=sink)
        return ((memory.energy(xp.asarray(cues)) + memory.rest(xp.asarray(cues))) * xp.asarray(lengths)).sum()

    slope = (measured(np, 0.4 + 1e-6) - measured(np, 0.4 - 1e-6)) / 2e-6
    sink = torch.tensor(0.4, dtype=torch.float64, requires_grad=True)
    value = measured(torch, sink)
    value.backward()
    assert value.item() == pytest.approx(measured(np, 0.4), rel=1e-12)
    assert sink.grad.item() == pytest.approx(slope, rel=1e-5, abs=1e-8)
    if name == "softmax":
        assert_allclose(jax.jit(jax.value_and_grad(lambda c: measured(jax.numpy, c)))(0.4), (value.item(), slope), 1e-6)
    states = torch.tensor(cues, requires_grad=True)
    memory = ha.Memory(torch.asarray(keys), separation=name, beta=1.7, sink=0.4)
    memory.energy(states).sum().backward()
    assert_allclose(states.grad, (states - memory.step(states)).detach(), atol=1e-12)


@pytest.mark.parametrize("name", TAKING)
@pytest.mark.parametrize("update", ["sync", "async", "concave_convex"])
def test_with_a_sink_the_energy_never_rises(name, update):
    rng = np.random.default_rng(4)
    for sink in (-1.0, 2.0):
        memory = ha.Memory(rng.normal(size=(6, 4)), separation=name, beta=1.5, sink=sink)
        found = ha.certify(memory, update, count=60, rng=int(rng.integers(99)))
        assert found.claimed >= 60, found
        assert found.holds, found


def test_a_memory_with_a_sink_is_one_with_a_pattern_of_zeros():
    rng = np.random.default_rng(5)
    keys, cues = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    own, padded = ha.memories.modern(keys, beta=2.0, sink=0), ha.Memory(np.vstack([keys, np.zeros(3)]), beta=2.0)
    for method in ("step", "energy"):
        assert_allclose(getattr(own, method)(cues), getattr(padded, method)(cues), rtol=1e-12)
    assert_allclose(own.rest(cues), padded.weights(cues)[:, -1], rtol=1e-12)
    found, other = own.recall(cues), padded.recall(cues)
    assert_allclose(found.state, other.state, rtol=1e-9, atol=1e-12)
    assert_allclose(found.energies, other.energies, rtol=1e-9)


def test_a_sink_shows_and_is_saved(tmp_path):
    memory = ha.Memory(np.eye(2), beta=2.0, sink=1)
    assert "Softmax(beta=2.0, sink=1.0)" in repr(memory)
    assert "Softmax(beta=2.0)" in repr(ha.Memory(np.eye(2), beta=2.0))
    memory.save(tmp_path / "m.npz")
    again = ha.load(tmp_path / "m.npz")
    assert again.separation == memory.separation
    assert np.array_equal(again.step([0.3, 0.2]), memory.step([0.3, 0.2]))
