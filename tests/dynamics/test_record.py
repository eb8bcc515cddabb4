"""The record: the arrays that are kept of every step, its words, its text and its help."""

import dataclasses
import inspect
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import hopattn as ha
from tests.draws import count

WIDE = ha.Memory(np.eye(2), [[1.0, 0, 0], [0, 0, 2]], beta=50)


def test_an_answer_of_another_dim_is_given_once_and_matched():
    found = WIDE.recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.status.tolist() == ["answered", "answered"]
    assert (found.matched.tolist(), found.steps.tolist(), found.period.tolist()) == ([0, 1], [1, 1], [0, 0])
    assert found.energies is None and not found.converged.any() and np.all(found.residual == np.inf)
    np.testing.assert_allclose(found.state, WIDE.step([[1.0, 0.0], [0.0, 1.0]]))
    alone = WIDE.recall([1.0, 0.0], mask=[False, True])
    assert (alone.state.tolist(), alone.status, alone.steps, alone.matched) == ([0, 0, 2], "answered", 1, 1)


def test_every_status_and_every_kind_has_its_meaning_beside_it():
    found = ha.Memory([[2.0, 0.0]], separation="identity").recall([[1.0, 0.0], [0.0, 1.0]])
    assert found.meaning.tolist() == [ha.Status("diverged").meaning, ha.Status("nothing near").meaning]
    alone = ha.Memory(np.eye(2)).recall([1.0, 0.0])
    assert alone.meaning == ha.Status(alone.status).meaning == ha.Status.CONVERGED.meaning
    assert all(status.meaning in repr(status) and status == status.value for status in ha.Status)
    assert len({status.meaning for status in ha.Status}) == len(ha.Status) == 6


def test_the_text_of_a_record_is_short_and_says_how_the_cues_ended():
    memory = ha.Memory([[2.0, 0.0]], separation="identity")
    text = repr(memory.recall([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]], keep=("trajectory",)))
    assert text.startswith("Recall(3 cues of dim 2, 2 to ")
    assert f"2 nothing near ({ha.Status.NOTHING_NEAR.meaning}), 1 diverged ({ha.Status.DIVERGED.meaning})" in text
    assert text.endswith("with trajectory)")
    one = repr(ha.Memory(np.eye(2)).recall([1.0, 0.0], max_steps=1))
    assert one == f"Recall(1 cue of dim 2, 1 step, limit ({ha.Status.LIMIT.meaning}))"
    assert "1 cue of dim 2, 2 steps, " in repr(ha.Memory(np.eye(2)).recall([1.0, 0.0], max_steps=2))
    alone = ha.Memory(np.eye(2)).recall([1.0, 0.0], keep="weights")
    assert (alone.weights.ndim, alone.trajectory, alone.overlaps) == (2, None, None)
    many = ha.memories.modern(np.eye(4)).recall(np.tile(np.eye(4), (200, 1)), keep=("trajectory", "weights"))
    assert len(repr(many)) < 200 and "with trajectory and weights" in repr(many)


BLOCK = ha.networks.EnergyTransformer(np.eye(4)[None], np.eye(4)[None], np.eye(4)[:2])
RECALLED = {
    "Memory": ha.memories.modern(np.eye(4)),
    "Hopfield": ha.memories.hopfield(np.sign(np.eye(4) - 0.5)),
    "Bidirectional": ha.memories.bam(*2 * [np.sign(np.eye(4) - 0.5)]),
    "Network": ha.networks.Network(
        [ha.networks.Layer("a", 4)], [ha.networks.Stored(np.eye(4), "softmax").on("a")], patterns=np.eye(4)
    ),
    "answers": ha.Memory(np.eye(4), np.ones((4, 3))),
    "EnergyTransformer": BLOCK,
}


@pytest.mark.parametrize("name", RECALLED)
def test_the_record_of_a_cue_is_its_entry_in_the_record_of_many(name):
    """Every array: the axis of the steps is first, that of the cues next; an entry is of one type in both."""
    memory = RECALLED[name]
    cues = np.sign(np.random.default_rng(5).normal(size=(3, 2, 4) if name == "EnergyTransformer" else (3, 4)))
    keep = [kept for kept in ha.Recall.KEPT if name != "answers" and (kept != "weights" or hasattr(memory, kept))]
    many, one = (memory.recall(x, keep=keep, max_steps=4) for x in (cues, cues[1]))
    assert many.state.shape[:1] == (3,) and many.state.shape[1:] == one.state.shape
    if name != "answers":
        assert one.state.shape == cues[1].shape
        assert many.trajectory.shape == (int(many.steps.max()) + 1, *cues.shape)
        assert many.energies.shape == many.trajectory.shape[:2] and many.overlaps.shape[:2] == many.energies.shape
    for field in ("state", *ha.Recall.BY_CUE, "meaning", "mixture", *ha.Recall.BY_STEP):
        array, alone = getattr(many, field), getattr(one, field)
        if array is None:
            assert alone is None, field
            continue
        entry = array[: one.steps + 1, 1] if field in ha.Recall.BY_STEP else array[1]
        assert type(entry) is type(alone), field
        np.testing.assert_array_equal(entry, alone, err_msg=field)
    assert f"3 cues of dim {' × '.join(map(str, one.state.shape))}, " in repr(many)


@pytest.mark.parametrize("single", [False, True])
def test_a_record_becomes_tables_of_its_fields(single):
    pytest.importorskip("pandas", reason="pandas is not installed")
    pytest.importorskip("xarray", reason="xarray is not installed")
    cues = [[0.6, 0.4], [0.1, 0.2], [0.5, 0.5]]
    found = ha.memories.modern(np.eye(2)).recall(cues[0] if single else cues, keep=ha.Recall.KEPT)
    table, arrays = found.to_pandas(), found.to_xarray()
    for name in ("status", "steps", "converged", "residual", "period", "matched", "similarity", "spurious"):
        assert table[name].tolist() == np.atleast_1d(getattr(found, name)).tolist(), name
        assert arrays[name].values.tolist() == np.asarray(getattr(found, name)).tolist(), name
    assert np.array_equal(table[["first energy", "last energy"]], np.atleast_2d(found.energies[[0, -1]].T))
    axes = {"state": "n", "energies": "s", "trajectory": "sn", "overlaps": "sp", "weights": "sp"}
    names = {"n": "neuron", "s": "step", "p": "pattern"}
    for name, dims in axes.items():
        own = [names[axis] for axis in dims]
        own.insert(name in found.BY_STEP, "cue") if not single else None
        assert arrays[name].dims == tuple(own), name
        assert np.array_equal(arrays[name], getattr(found, name)), name


@pytest.mark.parametrize("kind", [ha.Memory, ha.Hopfield, ha.Associator, ha.cluster.Sharded])
def test_the_help_of_recall_describes_every_argument_and_the_whole_record(kind):
    message, signature = inspect.getdoc(kind.recall), inspect.signature(kind.recall)
    assert list(signature.parameters)[1:] == ["cues", "update", "max_steps", "tol", "rng", "mask", "keep"]
    assert all(re.search(rf"^{name}( ?:|$)", message, re.MULTILINE) for name in list(signature.parameters)[1:])
    assert message.endswith(inspect.getdoc(ha.Recall))
    fields = {field.name for field in dataclasses.fields(ha.Recall)} - {"reference"}
    properties = {n for n, value in vars(ha.Recall).items() if isinstance(value, property) and not n.startswith("_")}
    assert [name for name in fields | properties if not re.search(rf"\b{name}(:\s| : |$)", message, re.MULTILINE)] == []


PATTERNS = np.random.default_rng(11).choice([-1.0, 1.0], size=(5, 400))
DTYPES = {"float64": 1e9, "float32": 1e7}
"""The dtypes, with the largest outlier."""
UNBOUNDED = "identity", "power", "rectified_power", "exponential", "rectified_exponential"
BLIND = [name for name in ha.separations if name not in UNBOUNDED]
"""The separations that give a pattern with a very negative score no weight, and whose states stay bounded."""


def like(states, patterns=PATTERNS, activation="sign", by_distance=False):
    """The record of a recall in which every state stays as it is."""
    states = np.atleast_2d(states)
    if by_distance:
        return ha.Memory(states, similarity="euclidean", separation="argmax", patterns=patterns).recall(states)
    couplings = np.eye(states.shape[1], dtype=states.dtype) * (activation == "identity")
    return ha.Hopfield(couplings, activation=activation, patterns=patterns).recall(states)


def plain_likeness(state, patterns, by_distance):
    """The four fields by their definition, the state's likeness with each pattern, and how near it is to 0.95."""
    length, lengths, products = np.linalg.norm(state), np.linalg.norm(patterns, axis=1), patterns @ state
    alike = products / np.maximum(length * lengths, 1e-300)
    alike = np.where(length < 1e-6 * lengths, 0, alike)
    if by_distance:
        alike = 2 * products / (length**2 + lengths**2)
    close = np.abs(np.abs(alike) - 0.95).min()
    apart = np.where(alike > alike.max() - 1e-12, np.linalg.norm(state - patterns, axis=1), np.inf)
    nearest = np.flatnonzero(apart <= apart.min() + 1e-12)[0]
    if alike.max() >= 0.95:
        return (nearest, alike.max(), "", [-1] * 3), close
    if alike.min() <= -0.95:
        return (-1, alike.max(), "reversed", [-1] * 3), close
    three = np.sort(np.argsort(-np.round(np.abs(alike), 11), kind="stable")[:3])
    mixed = np.sign(alike[three]) @ patterns[three]
    cosine = mixed @ state / max(np.linalg.norm(mixed) * length, 1e-300)
    if len(three) == 3 and np.abs(alike[three]).min() > 1e-9 and cosine >= 0.95:
        return (-1, alike.max(), "mixture", three.tolist()), min(close, abs(cosine - 0.95))
    return (-1, alike.max(), "other", [-1] * 3), min(close, abs(cosine - 0.95))


@pytest.mark.parametrize("by_distance", [False, True])
@given(data=st.data(), m=st.integers(1, 5), dim=st.integers(1, 4), size=st.sampled_from([1.0, 1e-5, 1e-7]))
def test_a_state_is_called_by_the_definitions(by_distance, data, m, dim, size):
    """Whole numbers, in which equally like patterns are frequent."""
    rows = data.draw(hnp.arrays(np.int64, (m, dim), elements=st.integers(-3, 3))).astype(float)
    state = data.draw(hnp.arrays(np.int64, (dim,), elements=st.integers(-4, 4))) * size
    state = data.draw(st.sampled_from([state, size * rows[0], -size * rows[-1], size * rows[:3].sum(axis=0)]))
    assume(state.any() and (not by_distance or size == 1))
    expected, close = plain_likeness(state, rows, by_distance)
    assume(close > 1e-9)
    record = like(state, rows, "identity", by_distance)
    names = "matched", "similarity", "spurious", "mixture"
    matched, similarity, spurious, mixture = (getattr(record, name)[0] for name in names)
    assert (matched, spurious, mixture.tolist()) == (expected[0], *expected[2:])
    assert similarity == pytest.approx(expected[1], abs=1e-12)


@given(sizes=st.permutations(range(5)), signs=st.tuples(*[st.sampled_from([-1, 1])] * 3))
def test_every_mixture_of_three_spins_is_called_by_its_patterns(sizes, signs):
    three = sorted(sizes[:3])
    record = like(np.sign(sum(sign * PATTERNS[i] for sign, i in zip(signs, three, strict=True))))
    assert (record.spurious[0], record.mixture[0].tolist(), record.matched[0]) == ("mixture", three, -1)


def test_the_mixture_of_three_is_a_fixed_point_of_the_classical_network():
    """Amit, Gutfreund & Sompolinsky 1985: symmetric mixtures of three are stable below T = 0.46, overlap 1/2 each."""
    network = ha.Hopfield(ha.learning.hebb(PATTERNS), patterns=PATTERNS)
    mixture = np.sign(PATTERNS[:3].sum(axis=0))
    found = network.recall(mixture, keep=("overlaps",))
    assert (found.status, found.spurious, found.mixture.tolist()) == ("converged", "mixture", [0, 1, 2])
    np.testing.assert_allclose(found.overlaps[-1, :3], 0.5, atol=4 * np.sqrt(0.75 / 400))  # 4 standard errors


def test_the_mean_of_three_is_a_mixture_of_a_soft_memory():
    found = ha.Memory(np.eye(3), beta=0.1).recall([0.5, 0.3, 0.2])
    assert (found.status, found.spurious, found.mixture.tolist()) == ("converged", "mixture", [0, 1, 2])
    assert found.matched == -1 and found.similarity == pytest.approx(1 / np.sqrt(3), abs=1e-6)


def test_without_patterns_no_state_is_called_spurious():
    found = ha.Hopfield([[0.0, 1.0], [1.0, 0.0]]).recall([1.0, 1.0])
    assert (found.matched, found.similarity, found.spurious, found.mixture.tolist()) == (-1, 0, "", [-1] * 3)


def test_of_many_patterns_that_equal_a_state_the_first_is_matched():
    """So many that they are ranked in parts."""
    rng = np.random.default_rng(5)
    patterns = rng.choice([-1.0, 1.0], size=(40_000, 12))
    numbers = np.r_[0, 1, 39_998, 39_999, rng.integers(40_000, size=60)]
    first = [np.flatnonzero(np.all(patterns == patterns[i], axis=1))[0] for i in numbers]
    assert len(set(first)) < len(numbers) and like(patterns[numbers], patterns).matched.tolist() == first


def test_many_cues_take_memory_in_proportion():
    patterns = np.random.default_rng(1).choice([-1.0, 1.0], size=(3, 4))
    cues = np.random.default_rng(2).choice([-1.0, 1.0], size=(60_000, 4))  # squared, these would be 27 GiB
    assert ha.memories.hopfield(patterns).recall(cues, max_steps=1).mixture.shape == (60_000, 3)


def of_any_size(rng, dtype):
    """Six patterns of any sizes in the range of the numbers; the last three are multiples of the first three."""
    numbers = np.finfo(dtype)
    edge = np.log10(float(numbers.smallest_normal)) / 2 + 3, np.log10(float(numbers.max)) / 2 - 3
    patterns = rng.normal(size=(3, 4))
    patterns = np.vstack([patterns, patterns])
    powers = rng.uniform(*edge, 6) if rng.random() < 0.5 else rng.integers(-3, 10) + rng.uniform(-3, 3, 6)
    return (patterns * 10.0 ** powers[:, None]).astype(dtype)


@pytest.mark.parametrize("by_distance", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_that_equals_a_stored_pattern_is_matched_with_it(dtype, by_distance):
    rng = np.random.default_rng(1)
    for _ in range(count(300, 20)):
        patterns = of_any_size(rng, dtype)
        for i in range(6):
            found = like(patterns[i], patterns, "identity", by_distance)
            assert (found.matched.tolist(), found.spurious.tolist()) == ([i], [""])
            np.testing.assert_allclose(found.similarity, 1, rtol=1e-5)


def test_a_state_is_not_faded_because_another_pattern_is_large():
    record = ha.memories.sparse([[1.0, 0], [0, 2e6]], beta=2.0).recall([1.0, 0])
    assert (record.matched, record.spurious) == (0, "")


def with_outlier(rng, dtype, size):
    """Patterns with a last entry about 1, an outlier against it, and cues; all cues score the outlier below 0."""
    patterns = 0.6 * rng.normal(size=(4, 3))
    patterns[:, -1] = rng.uniform(0.5, 1.5, 4)
    cues = rng.uniform(0, 1, (5, 4)) @ patterns / 4
    outlier = -size * np.eye(3)[-1:]
    return (one.astype(dtype) for one in (patterns, np.vstack([patterns, outlier]), cues))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", BLIND)
def test_an_outlier_without_weight_changes_no_recall(name, dtype):
    rng = np.random.default_rng(0)
    for _ in range(count(60, 3)):
        patterns, more, cues = with_outlier(rng, dtype, 10 ** rng.uniform(3, np.log10(DTYPES[dtype])))
        scale = np.dtype(dtype).type(10 ** rng.uniform(-6, 6))
        beta = float(rng.uniform(0.8, 3) / scale**2)
        alone, beside = (
            ha.Memory(rows * scale, separation=ha.separations[name](beta=beta)).recall(cues * scale, max_steps=300)
            for rows in (patterns, more)
        )
        assert beside.status.tolist() == alone.status.tolist()
        assert np.abs(beside.steps - alone.steps).max() <= 1
        np.testing.assert_allclose(beside.state / scale, alone.state / scale, rtol=1e-4, atol=1e-4)


def test_a_slow_state_beside_an_outlier_goes_on_to_its_rest():
    patterns = np.array([[1, 1], [-1, 1], [0, -1000]], np.float32)
    record = ha.memories.modern(patterns, beta=1.05).recall(np.array([0.02, 1], np.float32), max_steps=500)
    assert record.status == "converged"
    np.testing.assert_allclose(record.state, [0.3707, 1], atol=1e-3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_state_much_smaller_than_what_it_reads_rests_at_the_rounding_of_that(dtype):
    record = ha.memories.modern(np.array([[1.0], [-1]], dtype), beta=0.5).recall(np.array([0.5], dtype))
    assert record.status == "converged"
    assert np.abs(record.state) < 1e-4
