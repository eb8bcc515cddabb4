"""Large work gives what small batches give, although it goes over blocks of cues and keys, by threads, and compiled.

From a million scores on, no matrix of all of them is held. So a large batch takes another path than some of its rows.
"""

import os
import pickle
import subprocess
import sys
import tracemalloc
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import hopattn as ha
from hopattn.foundation.threads import thread_limit, workers
from hopattn.retrieval.masks import MaskRule, PositionRule
from hopattn.retrieval.similarity import Additive, Bilinear, Capped, Dot
from tests.draws import count, masks_for

SIZES = [(1100, 1000), (70, 15_500), (4200, 260)]
"""More than a million scores: several blocks of cues; several of keys, in spans that are merged; one of keys."""
SINKS = [(name, {"sink": sink}) for name in ("softmax", "sparsemax", "argmax") for sink in (2.5, -300.0)]
SEPARATIONS = [*((name, {}) for name in ha.separations), *SINKS]
HUGE = [("rectified_power", {"n": 100, "beta": 40.0}), ("exponential", {"beta": 40.0}), ("softmax", {"beta": 1e6})]
WHOLE = ("dot", "hamming", "manhattan")
"""Similarities that are exact where the numbers are whole: where weights jump, the rounding of scores would decide."""


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


def drawn(rng, n, m, dtype, whole):
    """Cues, keys and values; whole numbers have exact ties."""
    shapes = (n, 3), (m, 3), (m, 2)
    return ((rng.integers(-2, 3, shape) if whole else rng.normal(size=shape)).astype(dtype) for shape in shapes)


def similarity_of(rng, whole, dtype):
    w = rng.normal(size=(3, 3)).astype(dtype)
    others = [*ha.similarities, Twice(), Capped(2.0), Bilinear(w), Additive(w, w.T, w[0])]
    return str(rng.choice(WHOLE)) if whole else others[rng.integers(len(others))]


def measured(memory, cues, mask):
    """All that a memory computes of cues in one pass: the state, the energy, the free energy; none that it lacks."""
    parts = {"state": memory.step(cues, mask)}
    if memory.activation.directional:
        return parts  # energies are beyond the numbers there
    if not memory.why_not("energy"):
        parts["state beside its energy"], parts["energy"] = memory._step_with_energy(cues, mask)
        parts["energy alone"] = memory.energy(cues, mask)
    if not memory.separation.why_no_entropy:
        parts |= vars(memory.free_energy(cues, mask))
    return parts


def rows_of(mask, rows, n, m):
    """The mask of some of the cues alone."""
    if isinstance(mask, PositionRule):
        return mask.array(n, m)[rows]
    return mask[rows] if isinstance(mask, np.ndarray) and mask.ndim == 2 else mask


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=count(20, 2))
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("name", "parameters"), [*SEPARATIONS, *HUGE])
def test_a_large_batch_gives_what_its_rows_give(name, parameters, dtype, seed):
    rng = np.random.default_rng(seed)
    n, m = SIZES[rng.integers(len(SIZES))]
    separation = ha.separations[name](**{"beta": float(rng.choice([0.1, 1.0, 30.0])), **parameters})
    whole = separation.jumps or bool(rng.integers(2))
    cues, keys, values = drawn(rng, n, m, dtype, whole)
    masks = [None, Above(), *masks_for(n, m), rng.random((n, m)) < 0.5, rng.random(m) < 0.3, rng.random((n, 1)) < 0.5]
    mask = masks[rng.integers(len(masks))]
    chosen = {"separation": separation, "similarity": similarity_of(rng, whole, dtype)}
    if parameters in [huge for _, huge in HUGE]:
        chosen |= {"activation": "unit", "similarity": "dot"}  # the sums overflow, and their directions do not
        values = 1 + np.abs(values)  # a sum that is 0 has no direction, and its rounding has one
        memory = ha.Memory(keys, values, **chosen)
    else:
        memory = ha.Memory(keys, None if rng.integers(2) else values, **chosen)
    rows = np.unique([0, n - 1, *(edge % n for edge in (511, 512, 1024)), *rng.integers(0, n, 6)])
    large, small = measured(memory, cues, mask), measured(memory, cues[rows], rows_of(mask, rows, n, m))
    tol = {"float64": 1e-10, "float32": 2e-4}[dtype]
    for part, right in small.items():
        size = max(1.0, float(np.abs(right).max(initial=0, where=np.isfinite(right))))
        assert large[part].dtype == right.dtype
        unit = 1 if part in ("state", "entropy") else 1 + 1 / separation.beta
        assert_allclose(large[part][rows], right, rtol=tol, atol=tol * size * unit, err_msg=part)
    with thread_limit(3):
        state = memory.step(cues, mask)
    with thread_limit(1):
        assert np.array_equal(memory.step(cues, mask), state)


@pytest.mark.parametrize("name", ["identity", "power", "rectified_power", "threshold"])
def test_whole_numbers_that_add_up_exactly_stay_exact(name):
    rng = np.random.default_rng(0)
    cues, keys = rng.choice([-1.0, 1.0], (1100, 8)), rng.choice([-1.0, 1.0], (1000, 8))
    memory = ha.Memory(keys, separation=ha.separations[name](beta=1 / 8), activation="sign")
    assert np.array_equal(memory.step(cues), np.vstack([memory.step(part) for part in np.split(cues, 10)]))


def large(dtype=float, n=1100, m=1000, dim=8):
    rng = np.random.default_rng(5)
    return rng.normal(size=(n, dim)).astype(dtype), rng.normal(size=(m, dim)).astype(dtype)


def small_batches(function, cues):
    return np.concatenate([function(part) for part in np.array_split(cues, 40)])


@pytest.mark.parametrize(("dtype", "tol"), [("float64", 1e-12), ("float32", 1e-5)])
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("scale", [0.1, 30.0])
def test_compiled_loops_and_threads_change_nothing_but_rounding(monkeypatch, dtype, tol, mask, scale):
    """Four million scores are weighed by compiled loops where numba is installed, unless the environment says NumPy."""
    cues, keys = large(dtype, 2100, 2100, 6)
    memory = ha.Memory(keys[:, ::-1] if mask else keys, separation="softmax")  # rows with gaps too
    state, energy = memory._step_with_energy(scale * cues, mask)
    with thread_limit(1):
        alone = memory._step_with_energy(scale * cues, mask)
    assert np.array_equal(alone[0], state) and np.array_equal(alone[1], energy)
    monkeypatch.setenv("HOPATTN_KERNELS", "numpy")
    by_numpy = memory._step_with_energy(scale * cues, mask)
    assert_allclose(state, by_numpy[0], rtol=0, atol=tol * 30)
    assert_allclose(energy, by_numpy[1], rtol=tol, atol=tol)


def test_a_large_recall_is_that_of_small_batches():
    cues, keys = large()
    memory = ha.Memory(keys, beta=3.0)
    whole = memory.recall(cues)
    for part, rows in zip(np.split(cues, 10), np.split(np.arange(len(cues)), 10), strict=True):
        found = memory.recall(part)
        assert_allclose(found.state, whole.state[rows], atol=1e-9)
        for name in ("matched", "spurious", "status", "steps"):
            assert np.array_equal(getattr(found, name), getattr(whole, name)[rows]), name
        assert_allclose(found.energies, whole.energies[: len(found.energies), rows], rtol=1e-9)


@pytest.mark.parametrize("sink", [None, np.array([0.0, 1.0, -2.0])])
@pytest.mark.parametrize("mask", ["none", "causal", "array"])
def test_texts_side_by_side_are_each_alone(mask, sink):
    """Nine texts: threads share the texts, and within a text there are no more threads."""
    rng = np.random.default_rng(2)
    q, k, v = (rng.normal(size=shape) for shape in ((3, 1, 420, 4), (3, 420, 4), (3, 3, 420, 5)))
    seen = rng.random((3, 1, 420)) < 0.5 if mask == "array" else mask
    attended, free = ha.attention(q, k, v, mask=seen, sink=sink), ha.transformer.free_energy(q, k, mask=seen, sink=sink)
    assert attended.shape == (3, 3, 420, 5) and free.free.shape == (3, 3, 420)
    for i in np.ndindex(3, 3):
        own = {"mask": seen[i[1]] if mask == "array" else mask}
        memory = ha.Memory(k[i[1]], v[i], beta=0.5, sink=None if sink is None else float(sink[i[1]]))
        assert_allclose(attended[i], memory.step(q[i[0], 0], own["mask"]), atol=1e-12)
        for name, array in vars(memory.free_energy(q[i[0], 0], own["mask"])).items():
            assert_allclose(getattr(free, name)[i], array, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(("name", "parameters"), SEPARATIONS)
@pytest.mark.parametrize("beta", [0.1, 3.0])
def test_what_is_added_to_a_large_batch_is_what_is_added_to_its_rows(name, parameters, beta):
    """Of one text, and of three; −∞ hides keys, and from some queries all of them."""
    rng = np.random.default_rng(7)
    q, k, v, bias = (rng.normal(size=shape) for shape in ((3, 1100, 4), (1000, 4), (1000, 2), (3, 1100, 1000)))
    q, k, bias = np.round(q), np.round(k), np.round(bias) / beta  # tied scores stay tied
    bias[rng.random(bias.shape) < 0.3] = -np.inf
    bias[:, 7] = -np.inf
    attended = partial(ha.attention, separation=ha.separations[name](beta=beta, **parameters))
    rows = [0, 7, 511, 512, 1099]
    for text in (0, ...):
        large = attended(q[text], k, v, bias=bias[text])
        small = attended(q[text][..., rows, :], k, v, bias=bias[text][..., rows, :])
        assert not large[..., 7, :].any()
        assert_allclose(large[..., rows, :], small, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(small).max()))


def test_no_text_at_all_gives_none():
    assert ha.attention(np.zeros((0, 1100, 4)), np.zeros((1000, 4)), np.zeros((1000, 3))).shape == (0, 1100, 3)
    assert ha.transformer.free_energy(np.zeros((0, 20, 4)), np.zeros((20, 4))).free.shape == (0, 20)


def test_of_one_visible_key_the_potential_is_its_score():
    cues, keys = large(np.float32, 1100, 1100, 4)
    found = ha.transformer.free_energy(cues, keys, mask=np.eye(1100, dtype=bool), beta=1e-6)
    assert_allclose(-found.free, np.sum(cues.astype(float) * keys, axis=1), rtol=0, atol=1e-5)


def test_what_is_to_be_ignored_is_ignored_in_the_threads_too():
    cues, keys = large()
    memory = ha.Memory(keys * 1e150, separation=ha.separations["identity"]())
    with np.errstate(over="ignore", invalid="ignore"):
        memory.step(cues * 1e200)
    rng = np.random.default_rng(0)
    q, k = ((rng.random((1100, 64)) + 3).astype("f4") for _ in range(2))
    with np.errstate(all="raise"):  # no underflow is reported to one who asks for errors
        assert np.isfinite(ha.attention(q, k, k)).all()


def peak_of(work):
    """The most memory that a second run of this work takes at once."""
    work()
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


@pytest.mark.parametrize("ask", ["step", "free_energy"])
@pytest.mark.parametrize("separation", ["softmax", pytest.param("sparsemax", marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_keys(separation, ask):
    def peak(m):
        cues, keys = large(np.float32, 600, m)
        return peak_of(partial(getattr(ha.Memory(keys, separation=separation), ask), cues))

    small, great = peak(4_000), peak(24_000)
    assert great < 3 * small  # what two threads hold at once varies; the keys are six times as many
    assert great < 600 * 24_000 * 4  # all scores alone


def test_neither_differences_of_entries_nor_a_mask_for_each_cue_are_held():
    rng = np.random.default_rng(0)
    cues, keys = rng.normal(size=(300, 600)), rng.normal(size=(500, 600))
    assert peak_of(partial(ha.Memory(keys, similarity="euclidean").step, cues)) < 300 * 500 * 600 * 8 / 4
    cues, keys = large(np.float32, n=3000, m=3000, dim=4)
    memory, mask = ha.Memory(keys, beta=4.0), np.arange(3000) < 2000
    assert peak_of(partial(memory.recall, cues, mask=mask, max_steps=2)) < 3000 * 3000


@pytest.mark.parametrize(("dtype", "beta"), [("float16", 6.0), ("float32", 1.0), ("longdouble", 3000.0)])
def test_scores_as_large_as_the_type_bears_need_no_other_care(dtype, beta):
    rng = np.random.default_rng(0)
    x = (ha.unit(rng.normal(size=(1100, 16)) * 0.1 + 1) * (4 if dtype == "float32" else 1)).astype(dtype)
    memory = ha.Memory(x, beta=beta)
    found, wanted = memory.step(x), small_batches(memory.step, x)
    assert_allclose(found.astype(float), wanted.astype(float), rtol=1e-2 if dtype == "float16" else 1e-5)


@pytest.mark.parametrize("size", [1e30, 1e-19])
def test_large_and_small_values_keep_their_digits(size):
    rng = np.random.default_rng(0)
    q = np.full((1100, 4), 3.75, np.float32)
    k = (q[:1000] + 0.01 * rng.normal(size=(1000, 4))).astype(np.float32)
    v = (size * (1 + rng.random((1000, 2)))).astype(np.float32)
    for sign in (1, -1):
        found = ha.attention(sign * q, k, v, beta=1.0)
        assert_allclose(found, small_batches(lambda part: ha.attention(part, k, v, beta=1.0), sign * q), rtol=1e-5)


def test_scores_above_the_product_of_lengths_are_shifted_by_their_largest():
    """A subclass of the dot product may give any scores: exp(2 · 30 · 15) is beyond double precision."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1100, 3))
    longest = x / np.linalg.norm(x, axis=1).max() * 15**0.5
    twice, once = (ha.Memory(longest, beta=beta, similarity=own) for own, beta in ((Twice(), 30.0), ("dot", 60.0)))
    assert_allclose(twice.step(longest), once.step(longest), rtol=1e-12, atol=1e-12)


def test_what_may_not_be_seen_may_be_anything():
    rng = np.random.default_rng(0)
    k, v, seen = rng.normal(size=(8192, 4)), rng.normal(size=(8192, 3)), np.arange(8192) < 5000
    q = rng.normal(size=(200, 4))
    wanted = ha.attention(q, k[:5000], v[:5000])
    k[5000:] = np.nan
    assert_allclose(ha.attention(q, k, v, mask=seen), wanted, atol=1e-12)


def test_the_rounding_of_a_score_is_that_of_the_cue_at_any_size():
    cues, keys = large()
    keys[3] = [-cues[0, 1], cues[0, 0] * (1 + 1e-8), *np.zeros(6)]
    memory, single = ha.Memory(keys), cues.astype(np.float32)
    wanted = small_batches(partial(memory.step, mask="nonzero"), single)
    assert_allclose(memory.step(single, mask="nonzero"), wanted, atol=1e-12)


@pytest.mark.parametrize("separation", ["softmax", "rectified_power"])
def test_a_single_cue_is_a_batch_of_one(separation):
    keys = np.random.default_rng(0).normal(size=(2**20, 2)).astype(np.float32)
    memory, cue = ha.Memory(keys, separation=separation), [0.5, -1.0]
    for ask in (memory.step, memory.energy, *([lambda x: memory.free_energy(x).free] * (separation == "softmax"))):
        assert_allclose(ask(cue), ask([cue])[0], rtol=1e-12)
        assert ask(cue).shape == ask([cue]).shape[1:]


def test_arrays_of_pytorch_take_some_cues_at_a_time(torch):
    cues, keys = large(n=70, m=16_000)
    wanted = vars(ha.Memory(keys).free_energy(cues))
    found = vars(ha.Memory(torch.asarray(keys)).free_energy(torch.asarray(cues)))
    for name, array in wanted.items():
        assert_allclose(found[name], array, rtol=1e-10, atol=1e-10)
    followed = torch.tensor(keys, requires_grad=True)
    assert ha.Memory(followed).free_energy(torch.asarray(cues)).free.requires_grad


@pytest.mark.parametrize(
    ("rule", "padding"),
    [
        (ha.window(3), ha.padding(520)),
        ("strict", np.arange(1100)[None] >= 1099),
        ("causal", np.triu(np.ones((1100, 1100), bool), 1)),
    ],
)
def test_masks_that_leave_nothing_of_a_block_together_give_zeros(rule, padding):
    words = np.random.default_rng(0).normal(size=(1100, 4))
    head = ha.Head(*[np.eye(4)] * 3, mask=rule)
    found, trace = head(words, padding), head.trace(words, padding)
    empty = ~trace.weights.any(axis=-1)
    assert empty.any() and np.all(found[empty] == 0)
    assert_allclose(found, trace.output, rtol=1e-11, atol=1e-14)


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


FORKED = """
import os, numpy as np, hopattn as ha
x = np.ones((1100, 4)) / 2
ha.Memory(x).step(x)
child = os.fork()
if not child:
    os._exit(0 if ha.Memory(x).step(x).shape == (1100, 4) else 1)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
LATE = """
import os, threading, numpy as np, hopattn as ha
def late():
    threading.main_thread().join()
    x = np.ones((1100, 4)) / 2
    os._exit(0 if ha.Memory(x).step(x).shape == (1100, 4) else 1)
threading.Thread(target=late).start()
"""


@pytest.mark.parametrize("code", [FORKED, LATE])
def test_a_forked_child_and_a_thread_after_the_main_one_can_step(code):
    if "fork" in code and not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=60)
