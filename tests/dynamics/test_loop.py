"""Recall: a plain loop over `step`, the rules that stop a cue at their bounds, cycles, and the update of a memory."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

import hopattn as ha
from hopattn.views.memory_tables import memory_parts
from tests.draws import arrays, count, domain, spins, stores

TOL, GROWTH = 2.0**-10, 2.0**20
CONVEX = [name for name in ha.separations if ha.separations[name]().convex]
SEQUENCE, TOGETHER = ha.Asynchronous("sequence"), ha.updates["sync"]()
SPACE = ["softmax", "sparsemax", "identity", "rectified_power", "argmax", "proportional"]
EXACT = ("steps", "status", "converged", "period", "asked_every")


def plain_recall(memory, cue, max_steps, tol, mask):
    """The fields of the record of one cue by the synchronous update, as the help of `recall` states them.

    Also whether rounding may decide: whether a change is next to what is allowed.
    """
    x, states, energies, residual, period, end, close = cue, [cue], [], 0.0, 0, "limit", False
    room = max(np.abs(cue).max(), np.abs(memory.patterns).max())
    for t in range(1, max_steps + 1):
        y, old = memory.step(x[None], mask)[0], x
        energies.append(None if memory.why_not("energy") else memory.energy(x[None], mask)[0])
        room = max(room, np.abs(y).max()) if t == 1 and np.isfinite(y).all() else room
        grown = not np.abs(y).max() <= GROWTH * room
        x = old if grown else y
        states.append(x)
        weights, size = memory.weights(x[None], mask)[0], 0 if grown else np.abs(x).max()
        read = np.abs(weights) @ np.abs(memory.values).max(axis=1) / (np.abs(weights).sum() or 1)
        allowed, residual = tol * max(size, read), np.abs(x - old).max()
        back = np.abs(x - states[-3]).max() if t > 1 else np.inf
        close = close or any(allowed and abs(one / allowed - 1) < 1e-2 for one in (residual, back))
        earlier = 2 ** int(np.log2(t - 1)) if t > 1 else 0
        if grown or residual <= allowed:
            end = "diverged" if grown else "converged"
        elif back <= allowed:
            end, period = "cycle", 2
        elif t - earlier > 2 and np.array_equal(x, states[earlier]):
            end, period = "cycle", t - earlier
        if end != "limit":
            break
    level = end == "converged" and tol <= np.finfo(float).eps ** 0.5
    energies.append(None if energies[-1] is None else energies[-1] if level else memory.energy(x[None], mask)[0])
    if end == "converged" and not memory.weights(x[None], mask).any():
        end = "nothing near"
    kept = {"trajectory": np.array(states), "weights": memory.weights(np.array(states), mask)}
    kept["overlaps"] = kept["trajectory"] @ memory.patterns.T / np.sum(memory.patterns**2, axis=1)
    ends = {"state": x, "steps": t, "status": end, "converged": end == "converged", "period": period, "asked_every": 1}
    return {**ends, "residual": residual, "energies": None if energies[0] is None else energies, **kept}, close


@settings(max_examples=count(60, 8))
@given(data=st.data(), shifted=st.booleans(), masked=st.booleans(), tol=st.sampled_from([None, 0.0, 1e-3, 0.3]))
@pytest.mark.parametrize("activation", ["identity", "sign", "tanh", "unit"])
@pytest.mark.parametrize("separation", SPACE)
def test_every_field_of_a_record_is_that_of_a_plain_loop_over_step(separation, activation, data, shifted, masked, tol):
    m, dim = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    keys = np.round(data.draw(arrays((m, dim)))) / 4
    keys[~keys.any(axis=1)] = 1
    values = np.roll(keys, -1, axis=0) if shifted else None
    memory = ha.Memory(keys, values, separation=separation, activation=activation, beta=data.draw(st.floats(0.2, 9)))
    field = np.round(data.draw(arrays((dim,)))) + 0.25
    cue = np.asarray(memory.activation(field)) if activation != "identity" else field / 8
    mask, steps = np.arange(m) != 1 if masked else None, data.draw(st.integers(1, 24))
    default = 0.0 if activation == "sign" else np.finfo(float).eps ** 0.75
    keep = "trajectory", "weights", "overlaps"
    with np.errstate(all="ignore"):
        expected, close = plain_recall(memory, cue, steps, default if tol is None else tol, mask)
    assume(not close)
    if separation == "proportional":  # scores that cancel leave weights of rounding
        s = memory.scores(expected["trajectory"]) * (True if mask is None else mask)
        size = np.abs(s).sum(axis=-1)
        assume(not np.any((np.abs(s.sum(axis=-1)) < 1e-6 * size) & s.any(axis=-1)))
        assume(not np.any((np.abs(s.max(axis=-1)) < 1e-9 * size) & s.any(axis=-1)))  # a weight of 1 or 0 by rounding
    if memory.separation.jumps and activation != "sign":  # scores that tie up to rounding: the order of a sum decides
        s = np.sort(expected["trajectory"] @ np.unique(keys, axis=0).T, axis=-1)
        assume(not np.any(np.diff(s) < 1e-9 * np.abs(s).max()))
    found = memory.recall(cue[None], update="sync", max_steps=steps, tol=tol, mask=mask, keep=keep)
    alone = memory.recall(cue, update="sync", max_steps=steps, tol=tol, mask=mask, keep=keep)
    assert {field.name for field in fields(found)} == {*expected, "reference"}
    for name, value in expected.items():
        of_all, of_one = getattr(found, name), getattr(alone, name)
        if of_all is not None and name != "asked_every":
            of_all = of_all[:, 0] if name in ha.Recall.BY_STEP else of_all[0]
        if name in EXACT:
            assert of_all == of_one == value, name
        else:
            assert np.shape(of_one) == np.shape(value), name
            for one in (of_all, of_one):
                assert (one is None) if value is None else np.allclose(one, value, rtol=1e-9, atol=1e-11), name


def after(change, entry, comes_back=False):
    """A memory and a cue of the size 2 that moves by so much, or comes back to within so much in two steps."""
    cue = np.array([0.5, -1.0, 0.25, 2.0])
    near, away = cue + change * np.eye(4)[entry], cue * [1, 1, 1, -1]
    keys = np.eye(4)[[3, 3]] * [[1], [-1]]
    return ha.Memory(keys, [away, near] if comes_back else [near, near], separation="argmax", patterns=keys), cue


@pytest.mark.parametrize("entry", range(3))
def test_the_tolerance_counts_times_the_size_and_is_met_at_its_bound(entry):
    for factor, within in ((2, True), (2 + TOL, False)):
        memory, cue = after(factor * TOL, entry)
        found = memory.recall(cue, max_steps=1, tol=TOL)
        assert (found.status, found.residual) == ("converged" if within else "limit", factor * TOL)
        memory, cue = after(factor * TOL, entry, comes_back=True)
        found = memory.recall(cue, max_steps=2, tol=TOL)
        assert (found.status, found.period) == (("cycle", 2) if within else ("limit", 0))
    memory, cue = after(2.0**-50, entry)
    assert memory.recall(cue, max_steps=1, tol=0.0).status == "limit"
    assert memory.recall(cue, max_steps=1).status == "converged"


def test_no_cycle_is_seen_under_an_update_that_may_leave_it():
    network, cues = ha.Hopfield([[0, 1], [-1, 0]]), [[1, 1], [1, -1], [-1, 1]]
    assert set(network.recall(cues, update="sync").status) == {"cycle"}
    for update in (ha.Asynchronous("random"), ha.Glauber(0.0), ha.Glauber(0.5)):
        found = network.recall(cues, update=update, max_steps=40, rng=0)
        assert set(found.status) == {"limit"} and not found.period.any()
    memory = ha.memories.hopfield([[1, 1, -1, -1], [1, -1, 1, -1]])
    assert memory.recall([1, 1, 1, 1], update=ha.Glauber(5.0), max_steps=200, rng=0).status == "limit"


@pytest.mark.parametrize(("gain", "state"), [(GROWTH, GROWTH**2), (GROWTH + 1, GROWTH + 1), (1e150, 1e150)])
def test_growth_is_beyond_two_to_the_twentieth_times_cue_and_first_state(gain, state):
    found = ha.Associator([[gain]]).recall([1.0], max_steps=2)
    assert (found.status, found.state[0]) == ("limit" if state == GROWTH**2 else "diverged", state)
    assert (found.residual == 0) == (state != GROWTH**2)


RESTS = {
    "tanh": brentq(lambda x: x - np.tanh(2 * x), 0.5, 1),
    "logistic": brentq(lambda x: x - 1 / (1 + np.exp(-2 * x)), 0.5, 1),
    "unit": 0.5**0.5,
    "layer_norm": (1 - 1e-5 / 4) ** 0.5,
    "sign": 1.0,
    "step": 1.0,
}
"""The largest entry of the state in which two neurons of these kinds rest that drive each other by 2."""


@pytest.mark.parametrize("activation", ha.activations)
def test_a_state_that_its_activation_bounds_grows_from_almost_nothing_to_its_rest(activation, library):
    """Two neurons drive each other by 2, or by −2 where their mean is 0; only linear ones have no bound."""
    sides = np.array([1.0, -1.0 if activation == "layer_norm" else 1.0])
    network = ha.Hopfield(library.array(sides.prod() * np.array([[0.0, 2], [2, 0]])), activation=activation)
    cue = library.array(np.array([[0.0, 1.0]]) if network.activation.discrete else 1e-9 * sides[None])
    for name in ("sync", "concave_convex", "graded", "async"):
        update = ha.updates[name]()
        if update.obstacle(network) or not (update.on_devices or library.name == "numpy"):
            continue
        found = network.recall(cue, update=update, max_steps=3000, rng=0)
        if activation == "identity":
            assert found.status[0] == "diverged", name
        else:
            assert found.status[0] == "converged", name
            np.testing.assert_allclose(np.abs(library.numpy(found.state)), RESTS[activation], rtol=1e-9, err_msg=name)


def test_a_state_that_reads_large_values_has_not_diverged_beside_small_patterns():
    memory = ha.Memory(np.eye(3), [[0, 1e-9, 0], [0, 0, 1], [0, 0, 1]], separation="argmax", patterns=1e-9 * np.eye(3))
    found = memory.recall([1e-9, 0.0, 0.0])
    assert (found.status, found.state.tolist()) == ("converged", [0, 0, 1])


def test_a_state_that_is_not_finite_has_grown_whatever_the_scale_and_the_last_finite_one_stays():
    found = ha.Associator(2.0**500 * np.array([[1, 1], [1, -1]])).recall([2.0**500] * 2, max_steps=9)
    assert (found.status, found.state.tolist(), found.steps) == ("diverged", [2.0**1001, 0], 2)


def hadamard(size):
    """±1 patterns, each at right angles to all others."""
    one = np.ones((1, 1))
    while len(one) < size:
        one = np.block([[one, one], [one, -one]])
    return one


def test_each_cue_has_a_cycle_of_its_own():
    loops = np.array([0, 2, 1, 4, 5, 3, 6])  # 0 stays, 1 and 2 change places, 3 → 4 → 5 → 3, 6 stays
    keys = hadamard(8)[:7]
    memory = ha.Memory(keys, keys[loops], separation="argmax", activation="sign")
    found = memory.recall(keys, max_steps=1000)
    assert found.status.tolist() == ["converged", "cycle", "cycle", "cycle", "cycle", "cycle", "converged"]
    assert found.period.tolist() == [0, 2, 2, 3, 3, 3, 0]
    assert memory.recall(keys[3], max_steps=1000).period == 3


@given(st.integers(0, 30), st.integers(3, 30))
def test_every_cycle_is_noticed_in_time_and_with_its_own_length(before, length):
    """A walk 0 → 1 → … of `before` steps into a cycle, as states that are keys, each of which recalls the next."""
    n = before + length
    memory = ha.Memory(np.eye(n), np.eye(n)[[*range(1, n), before]], separation="argmax")
    found = memory.recall(np.eye(n)[0], max_steps=1000)
    assert (found.status, found.period) == ("cycle", length)
    assert n <= found.steps <= 2 * max(before, length) + length


@pytest.mark.parametrize("limit", [1, 7, 100, 101])
def test_a_walk_takes_as_many_steps_as_it_may_and_by_default_100(limit):
    memory = ha.Memory(np.eye(102), np.eye(102)[[*range(1, 102), 101]], separation="argmax")
    found = memory.recall(np.eye(102)[0], **({} if limit == 100 else {"max_steps": limit}))
    assert (found.steps, found.status, found.state.argmax()) == (limit, "limit", limit)


@pytest.mark.parametrize("dt", [pytest.param(0.1, marks=pytest.mark.slow), 1.0, 10.0])
def test_graded_neurons_rest_where_a_state_is_the_answer_to_its_own_field(dt):
    """For β λ_max(W) < 1 the only rest is 0: a small time step does not make another one."""
    patterns = np.where(np.random.default_rng(0).random((2, 40)) < 0.5, 1.0, -1.0)
    memory = ha.memories.graded(patterns, beta=0.5)
    short, long = (memory.recall(patterns[0], update=ha.Graded(dt), max_steps=n) for n in (1, int(80 / dt)))
    assert short.status == "limit"
    assert short.residual > 1e-3
    assert long.status == "converged"
    assert np.abs(long.state).max() < 1e-10
    np.testing.assert_allclose(long.residual, np.abs(long.state - np.tanh(0.5 * memory.field(long.state))).max())


@pytest.mark.parametrize("dt", count([0.001, 0.01], [0.05]))
def test_graded_neurons_at_the_corner_of_the_cube_move(dt):
    """u = artanh(x)/β of a corner is about 19/β, and falls as u̇ = −u + h: after the time log(19/β) it is of size 1."""
    memory = ha.memories.graded([[1.0, -1.0, 1.0, 1.0]], beta=0.5)
    record = memory.recall([1.0, -1.0, 1.0, 1.0], update=ha.Graded(dt), max_steps=int(6 / dt))
    assert np.abs(record.state).max() < 0.5


def test_a_state_that_grows_to_its_fixed_point_has_not_diverged():
    """x ← x/2 + 1 from 10⁻⁷ goes to 2."""
    record = ha.Hopfield(np.eye(2) * 0.5, bias=1.0, activation="identity").recall([1e-7, 1e-7])
    assert record.status == "converged"
    np.testing.assert_allclose(record.state, 2, rtol=1e-11)


@pytest.mark.parametrize("slow", [0.5, 0.99])
def test_the_residual_shows_slow_motion(slow):
    """x ← λx + 1 − λ: a state at the distance d from 1 moves by (1 − λ)d."""
    record = ha.Hopfield(np.eye(1) * slow, bias=1 - slow, activation="identity").recall([0.0], max_steps=10)
    np.testing.assert_allclose(record.residual, (1 - slow) * slow**9, rtol=1e-9)
    assert record.status == "limit"


def test_half_precision_recalls_without_a_warning():
    record = ha.memories.modern(np.eye(8, dtype=np.float16), beta=16.0).recall(np.eye(8, dtype=np.float16))
    assert record.matched.tolist() == list(range(8))
    assert record.state.dtype == np.float16


@pytest.mark.parametrize("similarity", ["euclidean", "manhattan"])
def test_a_memory_that_compares_by_distance_is_matched_by_distance(similarity):
    patterns = np.array([[1.0, 1], [3, 3], [9, 9]])
    memory = ha.Memory(patterns, similarity=similarity, separation="argmax")
    assert memory.recall([[1.1, 1], [3.1, 3], [9.1, 9]]).matched.tolist() == [0, 1, 2]
    assert ha.memories.nearest(patterns).recall([[1.1, 1], [3.1, 3], [9.1, 9]]).matched.tolist() == [0, 1, 2]


def test_converged_says_what_the_last_step_did_and_not_what_the_next_one_does():
    """Near an unstable point, here 0, the next step is larger."""
    memory, tol = ha.memories.modern([[1.0, 0.0], [-1, 0]]), np.finfo(float).eps ** 0.75
    record = memory.recall([1e-13, 0.0], keep=("trajectory",))
    last = np.abs(record.state - record.trajectory[-2]).max()
    assert (record.status, record.residual) == ("converged", last)
    assert last <= tol < np.abs(memory.step(record.state) - record.state).max()
    assert record.meaning == "the last step changed the state by no more than the tolerance"


def test_unit_cues_in_single_precision_are_on_the_sphere_of_double_alone_and_in_a_batch():
    """Those inside the sphere stay as they are."""
    patterns = ha.unit(np.random.default_rng(0).normal(size=(40, 20)))
    memory, cues = ha.memories.spherical(patterns), patterns.astype(np.float32)
    cues[::4] *= 0.5
    record = memory.recall(cues, max_steps=3, keep="trajectory")
    start = record.trajectory[0]
    assert np.isfinite(record.energies).all() and np.array_equal(start[::4], cues[::4])
    assert np.abs(start - cues).max() < 1e-6 and start.dtype == np.float64
    for cue, own in zip(cues, start, strict=True):
        assert np.array_equal(memory.recall(cue, max_steps=1, keep="trajectory").trajectory[0], own)


@settings(max_examples=count(60, 4))
@given(store=stores())
@pytest.mark.parametrize("separation", CONVEX)
@pytest.mark.parametrize("activation", ha.activations)
def test_the_arrays_of_a_record_agree_and_the_energy_never_rises(separation, activation, store):
    keys, cues, mask = store
    keys, cues = keys / 8, domain(activation, cues)
    memory = ha.Memory(keys, separation=separation, activation=activation)
    found = memory.recall(cues, update="sync", max_steps=30, mask=mask, keep="trajectory")
    last, states = found.steps.max(), found.trajectory
    assert (states.shape, found.energies.shape) == ((last + 1, *cues.shape), (last + 1, len(cues)))
    assert np.array_equal(states[0], cues) and np.array_equal(states[-1], found.state)
    assert np.array_equal(found.converged, found.status == "converged")
    energies = np.stack([memory.energy(x, mask) for x in states])
    scale = np.square(np.abs(cues).max(axis=1) + np.abs(keys).max())  # at a fixed point it is level
    assert np.all(np.abs(found.energies - energies) <= 1e-12 * (np.abs(energies) + scale))
    for t in range(last + 1):
        rests, moves = found.steps <= t, (found.steps > t) & (found.status != "diverged")
        assert np.array_equal(states[t][rests], found.state[rests])
        following = memory.step(states[t], mask)[moves]
        np.testing.assert_allclose(following, states[min(t + 1, last)][moves], rtol=1e-9, atol=1e-12)
    assert np.all(np.diff(found.energies, axis=0) <= 1e-12 * np.maximum(1, np.abs(found.energies[:-1])))


def test_by_default_neurons_of_a_network_change_one_after_another():
    """All at once, 867 of these 2,000 cues end in a cycle of two; neuron by neuron none does."""
    rng = np.random.default_rng(0)
    network = ha.memories.hopfield(rng.choice([-1.0, 1.0], size=(3, 10)))
    cues = rng.choice([-1.0, 1.0], size=(2000, 10))
    assert np.mean(network.recall(cues, update="sync").status == "cycle") > 0.2
    found = network.recall(cues)
    assert set(found.status) == {"converged"}
    assert np.array_equal(found.state, network.recall(cues, update=SEQUENCE).state)
    assert network.descends()


@pytest.mark.parametrize(
    ("memory", "update"),
    [
        (ha.memories.hopfield([[1, -1]], activation="sign"), SEQUENCE),
        (ha.memories.hopfield([[1, 0, 1]], activation="step"), SEQUENCE),
        (ha.Hopfield([[0, 1], [-1, 0]]), SEQUENCE),
        (ha.memories.dense([[1, -1]]), SEQUENCE),
        (ha.Memory([[1.0, -1]], activation="sign"), SEQUENCE),
        (ha.memories.graded([[1, -1]]), ha.Graded()),
        (ha.Hopfield([[0.5]], activation="identity"), TOGETHER),
        (ha.memories.modern([[1.0, -1]]), TOGETHER),
        (ha.memories.sequence([[1, -1], [1, 1]]), TOGETHER),
        (ha.memories.bam([[1, -1]], [[1, 1]]), TOGETHER),
        (ha.Associator(np.eye(2), activation="sign"), TOGETHER),
    ],
)
def test_each_memory_has_an_update_of_its_own(memory, update):
    assert memory.default_update == update
    assert memory.descends() == memory.descends(update)
    assert ("update", repr(update)) in memory_parts(memory)


@given(data=st.data(), n=st.integers(2, 8), seed=st.one_of(st.none(), st.integers(0, 9)))
@pytest.mark.parametrize("kind", ["hopfield", "dense", "exponential"])
def test_spins_change_in_sequence_unless_a_random_order_is_asked_for(kind, data, n, seed):
    """By default, by the name "async" and by its class, with a seed and without, the states are the same."""
    memory = getattr(ha.memories, kind)(data.draw(spins((3, n))))
    cues = data.draw(spins((4, n)))
    expected = memory.recall(cues, update=SEQUENCE, keep="trajectory").trajectory
    for update in (None, "async", ha.Asynchronous()):
        found = memory.recall(cues, update=update, rng=seed, keep="trajectory").trajectory
        assert np.array_equal(found, expected), update


def test_only_a_random_order_depends_on_the_seed():
    patterns, cues = (np.random.default_rng(i).choice([-1.0, 1.0], size=(20, 100)) for i in range(2))
    network = ha.memories.hopfield(patterns)
    random = [network.recall(cues, update=ha.Asynchronous(order="random"), rng=seed).state for seed in (0, 0, 1)]
    assert np.array_equal(random[0], random[1]) and not np.array_equal(random[0], random[2])


def test_convergence_is_relative_to_the_size_of_the_patterns():
    memory = ha.Memory(np.eye(2) * 1e-12, beta=4e24)
    found = memory.recall([6e-13, 4e-13])
    assert found.converged
    np.testing.assert_allclose(memory.step(found.state), found.state, rtol=1e-9)


def test_the_recall_of_a_cue_does_not_depend_on_the_others():
    memory = ha.Memory([[1.2, 0.0], [0.0, 1.0]], separation="identity")
    alone = memory.recall([[1.0, 0.1]], max_steps=60)
    beside = memory.recall([[1.0, 0.1], [1e8, 0.0]], max_steps=60)
    assert alone.status[0] == beside.status[0]
    assert np.array_equal(alone.state[0], beside.state[0])
