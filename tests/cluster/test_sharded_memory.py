"""A memory cut into shards is the memory itself: any split of its keys, wherever they lie, gives what all keys give.

No cluster is needed here: the tasks run by Dask's threads.
"""

import pickle
from dataclasses import dataclass, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
import hopattn.cluster.sharded_memory
from hopattn.cluster.sharded_memory import kind_of, rows_of
from hopattn.retrieval.masks import MaskRule
from hopattn.retrieval.online_softmax import adds_up
from hopattn.retrieval.similarity import similarities
from tests.draws import count, in_dtypes, masks_for
from tests.refusal import refused

pytestmark = pytest.mark.usefixtures("dask")


def chunked(rows, edges):
    """The rows as an array of Dask, cut at these edges."""
    da = pytest.importorskip("dask.array")
    return da.from_array(rows, chunks=(tuple(np.diff([0, *edges, len(rows)]).tolist()), -1), name=False)


def cut(memory, edges):
    """The memory with its keys cut at these edges."""
    values = None if memory.values is memory.keys else chunked(memory.values, edges)
    parts = {name: getattr(memory, name) for name in ("similarity", "separation", "activation")}
    return ha.cluster.sharded(chunked(memory.keys, edges), None, values, **parts)


@st.composite
def cuts(draw, m):
    """Where m keys are cut."""
    return sorted(draw(st.sets(st.integers(1, m - 1), max_size=4))) if m > 1 else []


def drawn(data, n, m, dtype=float, dim=3, read=None):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    whole = data.draw(st.booleans())  # whole numbers have exact ties
    cues, keys, values = (
        (rng.integers(-2, 3, shape) if whole else rng.normal(size=shape)).astype(dtype)
        for shape in ((n, dim), (m, dim), (m, read or dim))
    )
    mask = data.draw(
        st.sampled_from([*masks_for(n, m), rng.random((n, m)) < 0.5, rng.random(m) < 0.3, rng.random((n, 1)) < 0.5])
    )
    return cues, keys, values if read else None, mask


@pytest.mark.usefixtures("both_kernels")
@settings(max_examples=count(25, 5))
@given(data=st.data(), n=st.integers(1, 5), m=st.integers(1, 12), beta=st.sampled_from([0.1, 1.0, 30.0]))
@pytest.mark.parametrize(("name", "dtype"), in_dtypes((name,) for name in ha.separations))
def test_any_split_of_the_keys_gives_what_all_keys_give(name, dtype, data, n, m, beta):
    tol = {"float64": 1e-12, "float32": 1e-5}[dtype]
    exact = ("dot", "hamming", "manhattan")  # where weights jump, the rounding of scores would decide
    jumps = ha.separations[name].jumps or name == "proportional"  # it jumps where no score is above 0
    similarity = data.draw(st.sampled_from(exact if jumps else sorted(similarities)))
    cues, keys, values, mask = drawn(data, n, m, dtype, read=data.draw(st.sampled_from([None, 2])))
    takes_a_sink = "sink" in [one.name for one in fields(ha.separations[name])]
    sink = data.draw(st.sampled_from([None, -1.0, 2.0])) if takes_a_sink else None
    memory = ha.Memory(keys, values, similarity=similarity, separation=name, beta=beta, sink=sink)
    found, wanted = cut(memory, data.draw(cuts(m))), memory.step(cues, mask)
    size = tol * max(1.0, float(np.abs(wanted).max()))
    assert found.step(cues, mask).dtype == dtype
    assert_allclose(found.step(cues, mask), wanted, rtol=0, atol=size)
    assert_allclose(found.field(cues, mask), memory.field(cues, mask), rtol=0, atol=size)
    assert_allclose(found.weights(cues, mask), memory.weights(cues, mask), rtol=tol, atol=size)
    assert np.array_equal(found._nothing_near(cues, mask), ~found.weights(cues, mask).any(axis=-1))
    if sink is not None:
        assert_allclose(found.rest(cues, mask), memory.rest(cues, mask), rtol=tol, atol=size)
    if not memory.separation.why_no_entropy:
        for own, other in zip(*(vars(one.free_energy(cues, mask)).values() for one in (found, memory)), strict=True):
            assert_allclose(own, other, rtol=10 * tol, atol=10 * tol * max(1.0, 1 / beta))
    assert_allclose(found.scores(cues), memory.scores(cues), rtol=tol, atol=tol)
    one = mask[0] if getattr(mask, "ndim", 0) == 2 and len(mask) else None  # one cue drops its axis
    assert found._nothing_near(cues[0], one).tolist() is not bool(found.weights(cues[0], one).any())
    for name in ("step", "field", "weights"):
        alone, whole = getattr(found, name)(cues[0], one), getattr(memory, name)(cues[0], one)
        assert_allclose(alone, whole, rtol=tol, atol=size, strict=True)
    assert found.why_not("energy") == memory.why_not("energy")
    if not memory.why_not("energy"):
        energy = memory.energy(cues, mask)
        scale = tol * max(1.0, 1 / beta, float(np.abs(energy).max()))
        assert_allclose(found.energy(cues, mask), energy, rtol=0, atol=scale)
        assert_allclose(found._step_with_energy(cues, mask)[1], energy, rtol=0, atol=scale)


@given(data=st.data(), m=st.integers(2, 12), order=st.randoms(use_true_random=False))
def test_the_order_of_the_shards_does_not_matter(data, m, order):
    cues, keys, _, _ = drawn(data, 3, m)
    edges = data.draw(cuts(m))
    parts = np.split(keys, edges)
    order.shuffle(parts)
    turned = ha.Memory(np.concatenate(parts), beta=2.0)
    found = cut(turned, np.cumsum([len(part) for part in parts])[:-1].tolist())
    wanted = ha.Memory(keys, beta=2.0)
    assert_allclose(found.step(cues), wanted.step(cues), atol=1e-12)
    assert_allclose(found.energy(cues), wanted.energy(cues), atol=1e-12)


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("separation, activation", [("softmax", "identity"), ("identity", "sign"), ("entmax", "unit")])
@given(data=st.data(), m=st.integers(3, 9))
def test_a_recall_has_the_record_of_the_memory_itself(separation, activation, data, m):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    keys = rng.choice([-1.0, 1.0], (m, 12))
    cues = np.where(rng.random((4, 12)) < 0.2, -1, 1) * keys[rng.integers(0, m, 4)]
    cues = cues if activation == "sign" else cues / np.sqrt(12)
    memory = ha.Memory(keys, separation=ha.separations[separation](beta=1 / 3), activation=activation)
    options = {
        "update": "sync",
        "max_steps": 6,
        "keep": ("trajectory", "overlaps", "weights"),
        "mask": np.arange(m) != 1,
    }
    found, wanted = cut(memory, data.draw(cuts(m))).recall(cues, **options), memory.recall(cues, **options)
    for name in ("state", "energies", "similarity", "trajectory", "overlaps", "weights"):
        assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-9, err_msg=name)
    for name in ("steps", "status", "matched", "spurious", "mixture"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.matched, wanted.matched)


def test_three_patterns_of_three_shards_are_a_mixture():
    keys = np.random.default_rng(3).choice([-1.0, 1.0], (6, 200))
    memory = ha.Memory(keys, separation=ha.separations["identity"](beta=1 / 200), activation="sign")
    cue = np.sign(keys[0] + keys[3] - keys[5])
    found, wanted = cut(memory, [2, 4]).recall(cue), memory.recall(cue)
    assert str(found.spurious) == str(wanted.spurious) == "mixture"
    assert found.mixture.tolist() == wanted.mixture.tolist() == [0, 3, 5]


@pytest.mark.usefixtures("both_kernels")
def test_whole_numbers_that_add_up_exactly_stay_exact():
    rng = np.random.default_rng(0)
    cues, keys = rng.choice([-1.0, 1.0], (50, 8)), rng.choice([-1.0, 1.0], (21, 8))
    memory = ha.Memory(keys, separation=ha.separations["identity"](beta=1 / 8), activation="sign")
    for edges in ([1], [3, 10, 12], [20]):
        assert np.array_equal(cut(memory, edges).step(cues), memory.step(cues))


@pytest.mark.usefixtures("both_kernels")
@pytest.mark.parametrize("sizes", [(1, 300), (300, 1), (1e-8, 40), (300, 1e-8, 1)])
def test_shards_of_small_and_of_large_scores_are_merged(sizes):
    rng = np.random.default_rng(1)
    keys = np.concatenate([size * rng.normal(size=(5, 4)) for size in sizes])
    cues = np.concatenate([rng.normal(size=(20, 4)), 20 * rng.normal(size=(20, 4))])
    memory = ha.Memory(keys, beta=2.0)
    found = cut(memory, [5 * i for i in range(1, len(sizes))])
    assert_allclose(found.step(cues), memory.step(cues), rtol=1e-12, atol=1e-12 * max(sizes))
    assert_allclose(found.energy(cues), memory.energy(cues), rtol=1e-12)


@pytest.mark.parametrize("name", ["rectified_power", "exponential"])
def test_sums_beyond_the_numbers_are_taken_from_all_scores(name):
    rng = np.random.default_rng(3)
    cues, keys = rng.normal(size=(9, 40)), rng.normal(size=(50, 40))
    separation = ha.separations[name](**({"n": 400} if name == "rectified_power" else {"beta": 40.0}))
    memory = ha.Memory(keys, separation=separation, activation="unit")
    assert adds_up(separation)
    assert_allclose(cut(memory, [7, 30]).step(cues), memory.step(cues), atol=1e-12)


@pytest.mark.parametrize("separation", ["softmax", "rectified_power", "entmax"])
def test_keys_in_files_are_read_some_rows_at_a_time(separation, tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    keys, values, cues = rng.normal(size=(22, 3)), rng.normal(size=(22, 2)), rng.normal(size=(6, 3))
    for name, rows in {"a": keys[:13], "b": keys[13:], "values": values}.items():
        np.save(tmp_path / f"{name}.npy", rows)
    monkeypatch.setattr(hopattn.cluster.sharded_memory, "CHUNK", 5 * 3 * 8)
    paths, mask = [tmp_path / "a.npy", tmp_path / "b.npy"], rng.random((6, 22)) < 0.7
    for memory, read in (
        (ha.Memory(keys, separation=separation), None),
        (ha.Memory(keys, values, separation=separation), 0),
    ):
        found = ha.cluster.sharded(
            paths, None, None if read is None else tmp_path / "values.npy", separation=separation, shards=2
        )
        assert found.keys.numblocks[0] >= 5 and 13 in np.cumsum(found.keys.chunks[0])
        for seen in (None, mask, mask[:1], "nonzero"):
            assert_allclose(found.step(cues, seen), memory.step(cues, seen), atol=1e-12)
        assert np.array_equal(found.patterns, memory.patterns)
    assert np.array_equal(
        ha.cluster.sharded(paths, separation=separation).recall(cues, max_steps=3).matched,
        ha.Memory(keys, separation=separation).recall(cues, max_steps=3).matched,
    )


def test_keys_of_bfloat16_are_those_of_float32(torch, tmp_path):
    from safetensors.torch import save_file

    keys = torch.tensor(np.random.default_rng(5).normal(size=(20, 4)), dtype=torch.bfloat16)
    save_file({"keys": keys}, path := str(tmp_path / "keys.safetensors"))
    rows = keys.to(torch.float32).numpy()
    assert kind_of(path) == ((20, 4), rows.dtype.str)
    assert np.array_equal(rows_of(path, kind_of(path), slice(2, 9)), rows[2:9])
    assert_allclose(ha.cluster.sharded(path, shards=3).step(rows[:5]), ha.Memory(rows).step(rows[:5]), rtol=1e-5)


@pytest.mark.parametrize("rows", [np.ones((4, 3)), np.ones((30, 2)), np.ones((22, 3), np.float32), np.ones(22)])
def test_a_file_that_holds_another_array_than_before_is_refused(rows, tmp_path):
    np.save(path := tmp_path / "keys.npy", np.eye(22, 3))
    found = ha.cluster.sharded(path)
    np.save(path, rows)
    refused(
        lambda: found.step(np.ones(3)), "'keys.npy' has changed", "(22, 3)", str(rows.shape), "make the memory again"
    )


@dataclass(frozen=True)
class Above(MaskRule):
    """A rule that looks at all scores of a cue."""

    def allowed(self, scores, rounding):
        return scores > scores.mean(axis=-1, keepdims=True)


def test_what_cannot_be_asked_of_shards_is_refused_with_the_reason():
    memory = ha.Memory(np.eye(4), beta=2.0)
    found, cues = cut(memory, [2]), np.ones((3, 4))
    for work, place, words in (
        (lambda: found.step(cues, Above()), "", "all scores"),
        (lambda: found.step(cues[0], "causal"), "", "no place in the text"),
        (lambda: found.step(np.ones((2, 3, 4))), "cues: ", "(n_cues, dim) or (dim,)"),
        (lambda: found.step(np.ones((3, 5))), "", "dim = 4 of keys"),
        (lambda: found.step(cues, np.ones((3, 5), bool)), "mask", "shape"),
        (lambda: found.recall(cues, update="async"), "", "its keys lie on several machines"),
        (lambda: cut(ha.Memory(np.eye(4), np.eye(4)), [2]).energy(cues), "", "values differ from keys"),
    ):
        refused(work, place, words)
    assert found.descends() and not found.descends("async")
    assert "2 shards of keys (4, 4)" in repr(found)
