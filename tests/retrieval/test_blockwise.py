"""Retrieval by blocks gives what the plain form gives: all scores, all weights, their product with the values."""

import os
import pickle
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from hopattn.dynamics.likeness import ranked
from hopattn.foundation.threads import workers
from hopattn.retrieval import blockwise
from hopattn.retrieval.blockwise import ENOUGH, Blocks, stream
from hopattn.retrieval.masks import MaskRule, as_mask, resolve
from hopattn.retrieval.separation.base import scaled
from hopattn.retrieval.similarity import Dot, Similarity, similarities
from tests.counts import count, spread
from tests.draws import in_dtypes, masks_for
from tests.each import each

TOLERANCE = {"float64": 1e-12, "float32": 1e-5}
BLOCKS = st.builds(Blocks, st.integers(1, 12), st.integers(1, 12), st.integers(1, 3))


def drawn(data, n, m, dim=3, read=2, dtype=float):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    whole = data.draw(st.booleans())  # whole numbers have exact ties
    cues, keys, values = (
        (rng.integers(-2, 3, shape) if whole else rng.normal(size=shape)).astype(dtype)
        for shape in ((n, dim), (m, dim), (m, read))
    )
    mask = data.draw(
        st.sampled_from([*masks_for(n, m), rng.random((n, m)) < 0.5, rng.random(m) < 0.3, rng.random((n, 1)) < 0.5])
    )
    return cues, keys, values, mask


def plain(similarity, separation, cues, keys, values, mask):
    """Field and potential as the definition has them."""
    scores = similarity(cues, keys)
    allowed = ha.Memory(keys, values, similarity=similarity).retrieval.allowed(mask, scores, cues, keys)
    potential = 0.0 if separation.why_no_potential else separation.potential(scores, allowed)
    weights, factor = separation.factored_weights(scores, allowed)
    return scaled(weights @ values, factor), potential


@given(
    data=st.data(), n=st.integers(1, 14), m=st.integers(1, 30), beta=st.sampled_from([0.1, 1.0, 30.0]), blocks=BLOCKS
)
@each(("name", "dtype"), in_dtypes((name,) for name in ha.separations))
def test_blocks_give_what_the_whole_gives(name, dtype, data, n, m, beta, blocks):
    tol = TOLERANCE[dtype]
    separation = ha.separations[name](beta=beta)
    exact = ("dot", "hamming", "manhattan")  # where weights jump, the rounding of scores would decide
    similarity = similarities.make(data.draw(st.sampled_from(exact if separation.jumps else sorted(similarities))))
    cues, keys, values, mask = drawn(data, n, m, dtype=dtype)
    field, potential = plain(similarity, separation, cues, keys, values, mask)
    wanted = not separation.why_no_potential
    found = stream(similarity, separation, cues, keys, values, mask, potential=wanted, sizes=blocks)
    assert found.field.dtype == dtype
    assert_allclose(scaled(found.field, found.factor), field, rtol=0, atol=tol * max(1.0, float(np.abs(field).max())))
    if wanted:
        assert_allclose(found.potential, potential, rtol=tol, atol=tol * max(1.0, 1 / beta))


@given(data=st.data(), blocks=BLOCKS)
@each("name", ["identity", "power", "rectified_power", "threshold"])
def test_whole_numbers_that_add_up_exactly_stay_exact(name, data, blocks):
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    cues, keys = rng.choice([-1.0, 1.0], (5, 8)), rng.choice([-1.0, 1.0], (20, 8))
    memory = ha.Memory(keys, separation=ha.separations[name](beta=1 / 8), activation="sign")
    found = stream(Dot(), memory.retrieval.effective_separation, cues, keys, keys, None, sizes=blocks)
    assert np.array_equal(memory.activation(found.field, cues), memory.step(cues))


@each("separation", ["softmax", "identity", "sparsemax"])
def test_the_number_of_threads_changes_no_bit(separation):
    rng = np.random.default_rng(1)
    cues, keys = rng.normal(size=(70, 6)), rng.normal(size=(300, 6))
    one, two, three = (
        stream(Dot(), ha.separations[separation](), cues, keys, keys, "causal", sizes=Blocks(16, 32, threads))
        for threads in (1, 2, 3)
    )
    assert np.array_equal(one.field, two.field) and np.array_equal(one.field, three.field)


@dataclass(frozen=True)
class Counting(Similarity):
    """The dot product, which counts how many scores were computed."""

    seen: list = field(default_factory=list)

    def __call__(self, cues, keys):
        self.seen.append(len(cues) * len(keys))
        return cues @ keys.T


def test_what_no_cue_may_see_is_not_computed():
    counting, x = Counting(), np.random.default_rng(0).normal(size=(64, 4))
    stream(counting, ha.separations["softmax"](), x, x, x, "causal", sizes=Blocks(8, 8))
    assert sum(counting.seen) == 64 * 64 // 2 + 8 * 64 // 2
    counting.seen.clear()
    stream(counting, ha.separations["softmax"](), x, x, x, "causal", sizes=Blocks(16, 8))
    assert sum(counting.seen) == 64 * 64 // 2 + 8 * 64 // 2  # of a block, only the cues that see something of it
    counting.seen.clear()
    stream(counting, ha.separations["softmax"](), x, x, x, ha.window(3), sizes=Blocks(8, 8))
    assert sum(counting.seen) == 8 * 8 * 8 + 7 * 2 * 8


@each("name", ["rectified_power", "exponential"])
def test_sums_beyond_the_numbers_are_taken_from_the_whole(name):
    rng = np.random.default_rng(3)
    cues, keys = rng.normal(size=(9, 40)), rng.normal(size=(50, 40))
    separation = ha.separations[name](**({"n": 400} if name == "rectified_power" else {"beta": 40.0}))
    scores = cues @ keys.T
    array, factor = separation.factored_weights(scores)
    assert np.any((factor == 0) | (factor >= 1e76))  # otherwise nothing is tried
    found = stream(Dot(), separation, cues, keys, keys, None, sizes=Blocks(4, 8))
    with np.errstate(over="ignore", invalid="ignore"):
        assert_allclose(found.factor * found.field, factor * (array @ keys), rtol=1e-9)
        assert_allclose(ha.unit(found.field), ha.unit(array @ keys), atol=1e-12)


def large(dtype=float, n=1100, m=1000, dim=8):
    assert n * m >= blockwise.ENOUGH
    rng = np.random.default_rng(5)
    return rng.normal(size=(n, dim)).astype(dtype), rng.normal(size=(m, dim)).astype(dtype)


@each("separation", ["softmax", "entmax", "identity"])
def test_a_large_memory_steps_and_has_the_energies_of_its_cues_in_small_batches(separation, monkeypatch):
    monkeypatch.setattr(blockwise, "ENOUGH", count(ENOUGH, ENOUGH // 16))
    cues, keys = large(n=count(1100, 120), m=count(1000, 600))
    memory = ha.Memory(keys, separation=separation, beta=0.5)
    step, energy = memory.step(cues), memory.energy(cues)
    for rows in spread(np.split(np.arange(len(cues)), 20), 2):
        assert_allclose(step[rows], memory.step(cues[rows]), rtol=1e-11, atol=1e-11)
        assert_allclose(energy[rows], memory.energy(cues[rows]), rtol=1e-11)
    moved, its_energy = memory.step_with_energy(cues)
    assert_allclose(moved, step, rtol=0, atol=0)
    assert_allclose(its_energy, energy, rtol=1e-12)


def test_a_large_recall_is_that_of_small_batches():
    cues, keys = large()
    memory = ha.Memory(keys, beta=3.0)
    whole = memory.recall(cues)
    for part, rows in zip(np.split(cues, 10), np.split(np.arange(len(cues)), 10), strict=True):
        found = memory.recall(part)
        assert_allclose(found.state, whole.state[rows], atol=1e-9)
        assert np.array_equal(found.matched, whole.matched[rows])
        assert np.array_equal(found.spurious, whole.spurious[rows])
        assert np.array_equal(found.status, whole.status[rows])
        t = found.energies.shape[1]
        assert_allclose(found.energies, whole.energies[rows][:, :t], rtol=1e-9)


@each("mask", ["none", "causal", "array"])
def test_texts_side_by_side_stream_too(mask):
    rng = np.random.default_rng(2)
    q, k, v = (rng.normal(size=shape) for shape in ((2, 1, 1030, 4), (3, 1030, 4), (2, 3, 1030, 5)))
    given_mask = rng.random((3, 1, 1030)) < 0.5 if mask == "array" else mask
    found = ha.attention(q, k, v, mask=given_mask)
    assert found.shape == (2, 3, 1030, 5)
    for i in np.ndindex(2, 3):
        own = given_mask[i[1]] if mask == "array" else given_mask
        rows = slice(1000, 1030)
        part = np.broadcast_to(own, (1030, 1030))[rows] if mask == "array" else own
        wanted = ha.attention(q[i[0], 0][rows], k[i[1]], v[i], mask=part)
        assert_allclose(found[i][rows], wanted, atol=1e-12)


@each("mask, message", [("causal", "more than"), (np.ones((3, 1000), bool), "does not fit")])
def test_a_mask_that_does_not_fit_is_refused_at_any_size(mask, message):
    cues, keys = large()
    with pytest.raises(ha.InvalidInput, match=message):
        ha.Memory(keys).step(cues, mask=mask)


def test_what_is_to_be_ignored_is_ignored_in_the_threads_too():
    cues, keys = large(m=1000)
    memory = ha.Memory(keys * 1e150, separation=ha.separations["identity"]())
    with np.errstate(over="ignore", invalid="ignore"):
        memory.step(cues * 1e200)
    with pytest.warns(RuntimeWarning), np.errstate(all="warn"):
        memory.retrieval(cues * 1e200, memory.keys, memory.values)


@each("separation", spread(["softmax", "power", "argmax", "sparsemax"], 2))
def test_memory_does_not_grow_with_the_keys(separation):
    n = 600

    def peak(m):
        cues, keys = large(np.float32, n, m)
        memory = ha.Memory(keys, separation=separation)
        memory.step(cues)
        tracemalloc.start()
        memory.step(cues)
        grown = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return grown

    small, great = peak(4_000), peak(32_000)
    assert great < 3 * small  # what two threads hold at once varies; the keys are eight times as many
    assert great < n * 32_000 * 4  # all scores alone


@given(data=st.data(), n=st.integers(1, 6), m=st.integers(1, 9))
def test_the_ranking_is_that_of_all_cosines(data, n, m):
    cues, keys, _, _ = drawn(data, n, m)
    cosines, found = ha.cosine(cues, keys), ranked(cues, keys)
    rows = np.arange(n)
    assert_allclose(found.largest, cosines.max(axis=1), atol=1e-12)
    assert_allclose(cosines[rows, found.nearest], found.largest, atol=1e-12)
    assert_allclose(found.lowest, cosines.min(axis=1), atol=1e-12)
    assert_allclose(np.take_along_axis(cosines, found.leading, axis=1), found.leading_cosines, atol=1e-12)
    assert_allclose(np.abs(found.leading_cosines), -np.sort(-np.abs(cosines))[:, :3], atol=1e-12)


def test_of_equal_patterns_the_first_ranks_first_over_blocks_too():
    keys = np.tile([[1.0, 0.0], [0.0, 1.0]], (800, 1))
    found = ranked(np.array([[1.0, 0.0], [0.0, -2.0]]), keys)
    assert found.nearest.tolist() == [0, 0]
    assert found.leading.tolist() == [[0, 2, 4], [1, 3, 5]]
    assert found.leading_cosines.tolist() == [[1, 1, 1], [-1, -1, -1]]


def small_batches(function, cues):
    return np.concatenate([function(part) for part in np.array_split(cues, 40)])


@each("dtype, beta", [("float16", 6.0), ("float32", 1.0), ("longdouble", 3000.0)])
def test_scores_as_large_as_the_type_bears_need_no_other_care(dtype, beta):
    rng = np.random.default_rng(0)
    x = (ha.unit(rng.normal(size=(1100, 16)) * 0.1 + 1) * (4 if dtype == "float32" else 1)).astype(dtype)
    memory = ha.Memory(x, beta=beta)
    found, wanted = memory.step(x), small_batches(memory.step, x)
    assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-2 if dtype == "float16" else 1e-5)


@each("size", [1e30, 1e-19])
def test_large_and_small_values_keep_their_digits(size):
    rng = np.random.default_rng(0)
    q = np.full((1100, 4), 3.75, np.float32)
    k = (q[:1000] + 0.01 * rng.normal(size=(1000, 4))).astype(np.float32)
    v = (size * (1 + rng.random((1000, 2)))).astype(np.float32)
    for sign in (1, -1):
        found = ha.attention(sign * q, k, v, beta=1.0)
        assert_allclose(found, small_batches(lambda part: ha.attention(part, k, v, beta=1.0), sign * q), rtol=1e-5)


def test_what_may_not_be_seen_may_be_anything():
    rng = np.random.default_rng(0)
    k, v, seen = rng.normal(size=(8192, 4)), rng.normal(size=(8192, 3)), np.arange(8192) < 5000
    q = rng.normal(size=(200, 4))
    wanted = ha.attention(q, k[:5000], v[:5000])
    k[5000:] = np.nan
    assert_allclose(ha.attention(q, k, v, mask=seen), wanted, atol=1e-12)


@dataclass(frozen=True)
class Above(MaskRule):
    """A rule of one's own that looks at the scores."""

    def allowed(self, scores, rounding):
        return scores > 0.5


@dataclass(frozen=True)
class Twice(Dot):
    """A similarity of one's own that is nearly the dot product."""

    def __call__(self, cues, keys):
        return 2 * (cues @ keys.mT)


def test_rules_and_similarities_of_ones_own_are_what_they_say():
    cues, keys = large()
    for memory, mask in ((ha.Memory(keys), Above()), (ha.Memory(keys, similarity=Twice()), None)):
        wanted = small_batches(lambda part, m=memory, mask=mask: m.step(part, mask=mask), cues)
        assert_allclose(memory.step(cues, mask=mask), wanted, atol=1e-12)


def test_the_rounding_of_a_score_is_that_of_the_cue_at_any_size():
    cues, keys = large()
    keys[3] = [-cues[0, 1], cues[0, 0] * (1 + 1e-8), *np.zeros(6)]
    memory, given_cues = ha.Memory(keys), cues.astype(np.float32)
    wanted = small_batches(lambda part: memory.step(part, mask="nonzero"), given_cues)
    assert_allclose(memory.step(given_cues, mask="nonzero"), wanted, atol=1e-12)


def test_no_underflow_is_reported_to_one_who_asks_for_errors():
    rng = np.random.default_rng(0)
    q, k = ((rng.random((1100, 64)) + 3).astype("f4") for _ in range(2))
    with np.errstate(all="raise"):
        assert np.isfinite(ha.attention(q, k, k)).all()


def test_no_text_at_all_gives_none():
    assert ha.attention(np.zeros((0, 1100, 4)), np.zeros((1000, 4)), np.zeros((1000, 3))).shape == (0, 1100, 3)


def test_a_single_cue_streams_too():
    rng = np.random.default_rng(0)
    keys = rng.normal(size=(2**20, 2)).astype(np.float32)
    for separation in ("softmax", "rectified_power"):
        memory = ha.Memory(keys, separation=separation)
        cue = [0.5, -1.0]
        assert_allclose(memory.step(cue), memory.step([cue])[0], rtol=1e-12)
        assert memory.step(cue).shape == (2,) and memory.energy(cue).shape == ()


def test_differences_of_entries_are_held_block_by_block():
    rng = np.random.default_rng(0)
    cues, keys = rng.normal(size=(300, 600)), rng.normal(size=(500, 600))
    memory = ha.Memory(keys, similarity="euclidean")
    tracemalloc.start()
    memory.step(cues)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 300 * 500 * 600 * 8 / 4


def test_a_recall_under_a_mask_holds_no_mask_for_each_cue():
    cues, keys = large(np.float32, n=4000, m=4000, dim=4)
    memory, mask = ha.Memory(keys, beta=4.0), np.arange(4000) < 3000
    tracemalloc.start()
    found = memory.recall(cues, mask=mask, max_steps=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000 * 4
    assert_allclose(found.state[:50], memory.recall(cues[:50], mask=mask, max_steps=2).state, atol=1e-5)


def test_a_recall_is_pickled_without_all_patterns():
    cues, keys = large()
    found = ha.Memory(keys, beta=3.0).recall(cues[0])
    data = pickle.dumps(found)
    assert len(data) < keys.nbytes / 4
    again = pickle.loads(data)
    assert again.matched == found.matched and again.spurious == found.spurious
    assert np.array_equal(again.mixture, found.mixture)


def test_an_error_in_a_thread_is_reported_and_the_rest_is_left():
    done = []

    def work(i):
        if i == 3:
            raise ValueError("the third")
        done.append(i)

    with pytest.raises(ValueError, match="the third"), workers(2) as share:
        share(work, [(i,) for i in range(100)])
    assert len(done) < 100
    with workers(2) as share:
        assert share(lambda i: i, [(i,) for i in range(5)]) == [0, 1, 2, 3, 4]


def test_threads_within_threads_wait_for_nothing():
    def outer(i):
        with workers() as share:
            return sum(share(lambda j: i * j, [(j,) for j in range(4)]))

    with workers(2) as share:
        assert share(outer, [(i,) for i in range(3)]) == [0, 6, 12]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_is_free_of_what_its_parent_holds():
    code = """
import os
from hopattn.foundation.threads import _BLAS, workers
with workers(2):
    child = os.fork()
    if not child:
        os._exit(0 if _BLAS.lock.acquire(timeout=5) else 1)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def test_a_step_after_the_main_thread_has_ended():
    code = """
import threading, time, numpy as np, hopattn as ha
def late():
    threading.main_thread().join()
    x = np.ones((1100, 4)) / 2
    print(ha.Memory(x).step(x).shape)
threading.Thread(target=late).start()
"""
    reported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert reported.stdout == "(1100, 4)\n"


@each(
    ("rule", "given"),
    [
        (ha.window(3), ha.padding(520, 1100)),
        ("strict", np.arange(1100)[None] >= 1099),
        ("causal", np.triu(np.ones((1100, 1100), bool), 1)),
    ],
)
def test_masks_that_leave_nothing_of_a_block_together_give_zeros(rule, given):
    words = np.random.default_rng(0).normal(size=(1100, 4))
    head = ha.Head(*[np.eye(4)] * 3, mask=rule)
    found = head(words, given)
    allowed = np.broadcast_to(given, (1100, 1100)) & (resolve(as_mask(rule), np.zeros((1100, 1100))))
    assert np.all(found[~allowed.any(axis=1)] == 0)
    rows = np.flatnonzero(allowed.any(axis=1))[-3:]
    np.testing.assert_allclose(found[rows], head.trace(words, given).output[rows], rtol=1e-12)
