"""A sink: a null pattern that competes for the weight and gives nothing, in every separation and in memories."""

import pickle
from dataclasses import fields

import numpy as np
import pytest
import scipy.special
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from hopattn.experiments.random_memories import DRAWS, random_memory
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.models import named_memories
from hopattn.retrieval.blockwise import Blocks, running_sums, stream
from hopattn.retrieval.masks import as_mask
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Competing
from hopattn.retrieval.similarity import Dot
from tests.counts import count
from tests.draws import arrays, betas, in_dtypes, masks_for, near, numbers, sizes
from tests.each import each

TAKING = [name for name, kind in ha.separations.items() if issubclass(kind, Competing)]
SMOOTH = [name for name in TAKING if not ha.separations[name].jumps]
tables = st.tuples(sizes, sizes).flatmap(arrays)
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def test_a_separation_takes_a_sink_where_patterns_compete():
    assert {"softmax", "entmax", "sparsemax", "normmax", "k_subsets", "argmax"} == {*TAKING}
    assert all("sink" in [field.name for field in fields(ha.separations[name])] for name in TAKING)


@given(scores=tables, beta=betas, sink=numbers, seen=st.lists(st.booleans(), min_size=6, max_size=6))
@each(("name", "dtype"), in_dtypes((name,) for name in TAKING))
def test_a_sink_is_one_more_pattern_that_gives_nothing(name, dtype, scores, beta, sink, seen):
    scores, where = scores.astype(dtype), np.array(seen[: scores.shape[1]])
    own, plain = ha.separations[name](beta=beta, sink=sink), ha.separations[name](beta=beta)
    joined = np.hstack([scores, np.full((len(scores), 1), sink / beta, dtype)])
    for mask, allowed in ((None, None), (where, np.append(where, True))):
        shares = plain.weights(joined, allowed)
        assert_allclose(own.weights(scores, mask), shares[:, :-1], rtol=near(dtype), atol=near(dtype))
        assert_allclose(own.rest(scores, mask), shares[:, -1], rtol=near(dtype), atol=near(dtype))
        assert_allclose(own.potential(scores, mask), plain.potential(joined, allowed), rtol=near(dtype))
        assert own.weights(scores, mask).dtype == own.rest(scores, mask).dtype == dtype
        total = own.weights(scores, mask).sum(axis=1) + own.rest(scores, mask)
        assert_allclose(total, 1, rtol=64 * np.finfo(dtype).eps * (1 if name != "normmax" else 1e3))
    one_by_one = np.stack([own.weights(row) for row in scores])
    assert_allclose(own.weights(scores), one_by_one, rtol=near(dtype), atol=near(dtype))


@given(scores=tables, beta=betas, sink=numbers)
def test_softmax_with_a_sink_is_scipys_with_one_more_term(scores, beta, sink):
    own = ha.separations.softmax(beta=beta, sink=sink)
    sums = np.logaddexp(scipy.special.logsumexp(beta * scores, axis=1), sink)
    assert_allclose(own.weights(scores), np.exp(beta * scores - sums[:, None]), rtol=1e-11)
    assert_allclose(own.rest(scores), np.exp(sink - sums), rtol=1e-11)
    assert_allclose(own.potential(scores), sums / beta, rtol=1e-11, atol=1e-11)


@given(scores=sizes.flatmap(lambda m: arrays((m,))), beta=betas, sink=numbers)
@each("name", TAKING)
def test_weights_are_the_gradient_of_the_potential_that_the_sink_has_a_part_in(name, scores, beta, sink):
    scores, own = scores / 4, ha.separations[name](beta=beta, sink=sink)
    if name == "argmax":
        assume(np.diff(np.sort([*scores, sink / beta]))[-1] > 1e-3)  # at a tie there is no gradient
    h = 1e-6 * np.eye(len(scores))
    slopes = (own.potential(scores + h) - own.potential(scores - h)) / 2e-6
    assert_allclose(own.weights(scores), slopes, atol=1e-5 * max(1, beta))


@given(scores=tables, beta=betas)
@each("name", TAKING)
def test_a_sink_far_below_takes_nothing_and_one_far_above_takes_all(name, scores, beta):
    below, above = (ha.separations[name](beta=beta, sink=sink) for sink in (-1e4, 1e4))
    plain = ha.separations[name](beta=beta)
    assert_allclose(below.weights(scores), plain.weights(scores), atol=1e-12)
    assert_allclose(below.potential(scores), plain.potential(scores), rtol=1e-12, atol=1e-12)
    assert np.all(below.rest(scores) == 0)
    assert np.all(above.weights(scores) == 0)
    assert np.all(above.rest(scores) == 1)


@each(("name", "beta"), [(name, beta) for name in TAKING for beta in (0.5, 3.0)])
def test_where_nothing_else_may_be_attended_to_the_sink_takes_all(name, beta):
    own, scores, nothing = ha.separations[name](beta=beta, sink=0.6), np.array([[1.0, 2.0]]), np.zeros((1, 2), bool)
    alone = 0.6 / beta - (0.5 / beta if name == "k_subsets" else 0)
    assert np.all(own.weights(scores, nothing) == 0)
    assert own.rest(scores, nothing).tolist() == [1]
    assert_allclose(own.potential(scores, nothing), alone)


@each("beta", [1e-300, 1e-30, 1e30])
@each("dtype", ["float64", "float32"])
def test_scores_and_beta_of_any_size_keep_their_sink(beta, dtype):
    scores = np.array([[2.0, -1.0]], dtype) * np.array(min(1 / beta, float(np.finfo(dtype).max) / 4), dtype)
    own = ha.separations.softmax(beta=beta, sink=1.0)
    exponents = np.append(np.float64(beta) * scores.astype(np.float64), 1.0)
    assert_allclose(np.append(own.weights(scores), own.rest(scores)), scipy.special.softmax(exponents), rtol=1e-5)


@each("name", TAKING)
@each("dtype", ["float64", "float32"])
@each("beta", [0.5, 3.0])
def test_a_sink_beyond_all_numbers_takes_all_or_nothing(name, dtype, beta):
    rows = np.array([[2.0, -1.0]], dtype)
    above, below = (ha.separations[name](beta=beta, sink=sink) for sink in (1e308, -1e308))
    assert np.all(above.weights(rows) == 0)
    assert np.all(below.rest(rows) == 0)
    assert_allclose(below.weights(rows), ha.separations[name](beta=beta).weights(rows), rtol=1e-6)
    assert np.all(stream(Dot(), above, rows, np.eye(2, dtype=dtype), None, potential=True).potential > 1e15)


def test_a_sink_of_each_row():
    scores, sinks = np.array([[1.0, 2.0], [0.5, 0.0]]), np.array([0.3, -2.0])
    own = ha.separations.softmax(beta=2.0, sink=sinks)
    for i, sink in enumerate(sinks):
        assert_allclose(own.weights(scores)[i], ha.separations.softmax(beta=2.0, sink=sink).weights(scores[i]))
    with pytest.raises(InvalidInput, match=r"sink: shape \(2,\) does not fit the rows of the scores of shape \(3,\)"):
        own.weights(np.ones((3, 2)))


@given(
    data=st.data(),
    n=st.integers(1, 14),
    m=st.integers(1, 30),
    beta=st.sampled_from([0.1, 1.0, 30.0]),
    sink=st.sampled_from([-300.0, -1.0, 0.0, 2.5, 300.0]),
    blocks=st.builds(Blocks, st.integers(1, 12), st.integers(1, 12), st.integers(1, 3)),
)
@each(("name", "dtype"), in_dtypes((name,) for name in TAKING))
def test_blocks_count_the_sink_once(name, dtype, data, n, m, beta, sink, blocks):
    rng, own = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))), ha.separations[name](beta=beta, sink=sink)
    cues, keys, values = (rng.integers(-2, 3, shape).astype(dtype) for shape in ((n, 3), (m, 3), (m, 2)))
    mask = data.draw(st.sampled_from([*masks_for(n, m), rng.random((n, m)) < 0.5]))
    allowed = ha.Memory(keys).retrieval.allowed(as_mask(mask), scores := cues @ keys.T, cues, keys)
    found = stream(Dot(), own, cues, keys, values, mask, potential=True, sizes=blocks)
    tol = TOLERANCE[dtype]
    assert_allclose(found.field, own.weights(scores, allowed) @ values, rtol=tol, atol=4 * tol)
    assert_allclose(found.potential, own.potential(scores, allowed), rtol=tol, atol=tol)


@each("name", ["softmax", "argmax"])
@each("scale", [0.1, 30.0])
def test_sums_of_several_machines_count_the_sink_once(name, scale):
    rng, own = np.random.default_rng(2), ha.separations[name](beta=2.0, sink=1.5)
    cues, keys, values = (scale * rng.normal(size=shape) for shape in ((5, 3), (12, 3), (12, 2)))
    parts = [slice(0, 4), slice(4, 5), slice(5, 12)]
    sums = [running_sums(Dot(), own, cues, keys[i], values[i], None, potential=True) for i in parts]
    first, *others = [pickle.loads(pickle.dumps(one)) for one in sums]
    for other in others:
        first.merge(other)
    for _ in range(2):  # a result leaves the sums as they are
        found = first.result()
        assert_allclose(found.field, own.weights(cues @ keys.T) @ values, rtol=0, atol=1e-12 * scale)
        assert_allclose(found.potential, own.potential(cues @ keys.T), rtol=1e-12)


@each("name", SMOOTH)
def test_energies_and_derivatives_by_pytorch_and_jax(torch, jax, name):
    rng = np.random.default_rng(3)
    keys, cues, sizes_ = rng.normal(size=(5, 3)), rng.normal(size=(4, 3)), np.linspace(0.5, 1, 4)

    def measured(xp, sink, cues=cues):
        memory = ha.Memory(xp.asarray(keys), separation=name, beta=1.7, sink=sink)
        given = xp.asarray(cues)
        return (memory.energy(given) * xp.asarray(sizes_)).sum() + (memory.rest(given) * xp.asarray(sizes_)).sum()

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
    on_numpy = ha.Memory(keys, separation=name, beta=1.7, sink=0.4)
    for method in ("weights", "rest", "step", "energy"):
        assert_allclose(getattr(memory, method)(states).detach(), getattr(on_numpy, method)(cues), rtol=1e-12)


@each("name", TAKING)
@each("update", ["sync", "async", "concave_convex"])
def test_with_a_sink_the_energy_never_rises(name, update):
    rng = np.random.default_rng(4)
    for sink in (-1.0, 2.0):
        found = ha.certify(ha.Memory(rng.normal(size=(6, 4)), separation=name, beta=1.5, sink=sink), update, count=60)
        assert found.claimed >= 60, found
        assert found.holds, found


@each("name", [name for name in named_memories if "sink" in named_memories[name].parameters])
def test_named_memories_have_a_sink_and_the_certificate_draws_it(name):
    drawn = [DRAWS[name](np.random.default_rng(seed))["sink"] for seed in range(count(200, 60))]
    assert any(sink is None for sink in drawn)
    assert any(sink is not None for sink in drawn)
    memories = [random_memory(named_memories[name], np.random.default_rng(seed)) for seed in range(20)]
    assert any(memory.separation.sink is not None for memory in memories)


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


def test_a_large_memory_streams_with_its_sink(monkeypatch):
    rng = np.random.default_rng(6)
    keys, cues = rng.normal(size=(6000, 8)), rng.normal(size=(300, 8))
    memory = ha.Memory(keys, beta=1.2, sink=7.0)
    scores = cues @ keys.T
    assert_allclose(memory.step(cues), memory.separation.weights(scores) @ keys, rtol=0, atol=1e-12)
    whole = 0.5 * np.sum(cues**2, axis=-1) - memory.separation.potential(scores)
    assert_allclose(memory.energy(cues), whole, rtol=1e-12)


def test_a_sink_shows_and_is_saved(tmp_path):
    memory = ha.Memory(np.eye(2), beta=2.0, sink=1)
    assert "Softmax(beta=2.0, sink=1.0)" in repr(memory)
    assert "Softmax(beta=2.0)" in repr(ha.Memory(np.eye(2), beta=2.0))
    memory.save(tmp_path / "m.npz")
    again = ha.load_memory(tmp_path / "m.npz")
    assert again.separation == memory.separation
    assert np.array_equal(again.step([0.3, 0.2]), memory.step([0.3, 0.2]))


def test_weights_that_sum_to_less_give_a_distance_no_energy():
    for name in [name for name, kind in ha.similarities.items() if kind().has_gradient and not kind().linear]:
        assert "energy" not in ha.Memory(np.eye(2), similarity=name).lacks
        reason = ha.Memory(np.eye(2), similarity=name, sink=0.0).lacks["energy"]
        assert "only where the weights sum to 1" in reason


def test_a_wrong_sink_is_refused_with_what_was_expected(torch):
    learned = torch.tensor(0.0, requires_grad=True)
    for call, message in (
        (lambda: ha.Memory(np.eye(2), separation="identity", sink=0), "sink: the separation 'identity' does not let"),
        (lambda: ha.Memory(np.eye(2), separation="power", sink=0), "expected one of argmax, entmax, k_subsets, norm"),
        (lambda: ha.Memory(np.eye(2), sink=np.nan), "sink: expected a finite number, not nan"),
        (lambda: ha.Memory(np.eye(2), sink="0"), "sink: expected a finite number, not '0'"),
        (
            lambda: ha.Memory(np.eye(2), sink=np.zeros(3)),
            r"sink: expected a single number, not an array of shape \(3,\)",
        ),
        (lambda: ha.Memory(np.eye(2), sink=learned), "sink: its derivative needs keys of the same library, not of num"),
        (lambda: separation_of(ha.separations.softmax(sink=1), sink=1), "carries its own; give it in one place"),
        (lambda: ha.separations.make("identity", sink=1), "'sink' is unknown"),
        (lambda: ha.separations.softmax(sink=np.array([0, np.inf])), "sink: holds a NaN or an infinity"),
        (lambda: ha.Memory(np.eye(2)).rest([1.0, 0.0]), r"rest: Softmax\(beta=1.0\) has no sink"),
        (lambda: ha.Memory(np.eye(2), separation="power").rest([1.0, 0.0]), "rest: Power.* has no sink"),
    ):
        with pytest.raises(InvalidInput, match=message):
            call()
