"""The measures of a comparison, by referees that share no code with it, and by what is known of each memory."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.linalg import hadamard
from scipy.special import logsumexp, softmax
from scipy.stats import entropy

import hopattn as ha
from hopattn.foundation.intervals import share_interval
from tests.draws import betas, stores

HADAMARD = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])
NAMES = ["hopfield", "dense", "modern", "sparse", "linear", "nearest", "exponential", "entmax", "normmax"]
RNG = np.random.default_rng(5)
KEYS, CUES = RNG.normal(size=(40, 6)), RNG.normal(size=(7, 6))
ERRORS = ("error_first", "error_second", "error_rest", "median_first", "median_rest", "nearer", "cosine_cue")


def compared(keys, cues, *values, **more):
    """The row of one memory; those of several by their names."""
    made = ha.compare(keys, cues, *values, **{"rng": 0} | more).rows
    return made[0] if len(made) == 1 else {row.memory: row for row in made}


@pytest.mark.parametrize("name", NAMES)
def test_every_memory_recalls_orthogonal_patterns_from_themselves_and_reads_out_their_values(name):
    # The patterns of a Hadamard matrix are fixed points of Hebb's rule below saturation (Hopfield 1982), and the leads
    # of their scores, 4, are beyond the margins of sparsemax, entmax and normmax at β = 8.
    row = compared(HADAMARD[:3], HADAMARD[:3], targets=[0, 1, 2], memories=name, beta=8.0)
    assert (row.memory, row.refusal, row.recalled, row.recalled_first) == (name, "", 1.0, 1.0)
    assert (row.n_keys, row.n_cues, row.trials, row.key_dim) == (3, 3, 1, 4)
    assert row.cosine == pytest.approx(1.0) and row.cosine_first == pytest.approx(1.0)
    if name != "linear":  # it grows fourfold with each step
        assert row.at_rest == 1.0
        assert row.distance == pytest.approx(0.0, abs=1e-9)
    for labels in (np.eye(4)[:3], np.eye(4)[[0, 1, 1]]):  # a value that occurs twice is the same answer
        read = compared(HADAMARD[:3], HADAMARD[:3], labels, targets=[0, 1, 2], memories=name, beta=8.0)
        assert (read.refusal, read.recalled_first) == ("", 1.0)


@given(seed=st.integers(0, 10**6), beta=st.floats(0.05, 3))
def test_the_memories_by_name_are_those_objects(seed, beta):
    """And a name of ours, an object that stores the keys and a function of keys are recalled alike."""
    rng = np.random.default_rng(seed)
    keys = rng.choice([-1.0, 1.0], size=(int(rng.integers(1, 7)), 10))
    objects = {
        "hopfield": ha.memories.hopfield,
        "dense": lambda own: ha.memories.dense(own, n=3),
        "modern": lambda own: ha.memories.modern(own, beta=beta),
        "sparse": lambda own: ha.Memory(own, separation="sparsemax", beta=beta),
        "linear": lambda own: ha.Memory(own, separation="identity"),
        "nearest": ha.memories.nearest,
        "exponential": ha.memories.exponential,
        "entmax": lambda own: ha.Memory(own, separation=ha.separations.entmax(beta=beta, alpha=1.5)),
        "normmax": lambda own: ha.Memory(own, separation=ha.separations.normmax(beta=beta, alpha=2.0)),
    }
    assert [*objects] == NAMES
    stored = {name: make(keys) for name, make in objects.items()}
    more = {"beta": beta, "trials": 1, "rng": seed, "max_steps": 20}
    named, made, given = (
        ha.experiments.compare_patterns(keys, memories=each, **more).rows for each in ([*objects], objects, stored)
    )
    for name, one, *same in zip(objects, named, made, given, strict=True):
        for field in ("recalled", "cosine", "at_rest", "steps", "energy_fall", "error_first", "parameters"):
            expected = getattr(one, field)
            for other in same:
                assert getattr(other, field) == (expected and pytest.approx(expected, abs=1e-9)), (name, field)


def test_of_several_names_of_a_memory_one_is_shown():
    for name, shown in (("classical", "hopfield"), ("softmax", "modern"), ("modern", "modern")):
        assert compared(HADAMARD[:3], HADAMARD[:3], memories=name).memory == shown
    row, other = ha.compare(KEYS, CUES, memories={"soft": "softmax", "modern": ha.memories.modern}, beta=8, rng=0).rows
    assert (row.memory, row.entropy) == ("soft", other.entropy)
    assert ha.compare(KEYS, CUES, rng=0).memories == tuple(NAMES[:6])
    alone = [ha.memories.modern, ha.Memory(KEYS), lambda keys: ha.Memory(keys, separation="sparsemax"), ha.Memory]
    shown = ["modern", "memory 2", "memory 3", "Memory"]
    assert [row.memory for row in ha.compare(KEYS, CUES, memories=alone, rng=0).rows] == shown


def test_a_memory_of_other_keys_or_without_weights_is_refused_in_its_row():
    refusals = [
        (np.eye(2), (), [ha.memories.modern(2 * np.eye(2))], "it stores other keys than those that are compared"),
        (np.eye(2), (), [ha.memories.modern(np.eye(3))], "it stores other keys than those that are compared"),
        (
            HADAMARD,
            (2 * HADAMARD,),
            {"mine": ha.memories.hopfield(HADAMARD)},
            "it has no weights to read values out with",
        ),
        (HADAMARD, (), lambda keys: keys, "expected a memory from the function, not "),
        ([[0.5, 1.0], [1.0, 0.0]], (), "dense", "patterns: row 0 holds 0.5; the neurons are spins"),
    ]
    for keys, values, memories, refusal in refusals:
        row = compared(keys, keys, *values, memories=memories)
        assert row.refusal.startswith(refusal) and row.cosine is row.at_rest is row.parameters is None
    masked = compared(HADAMARD, HADAMARD, memories="hopfield", mask=np.tri(4, dtype=bool))
    assert masked.refusal == "mask: a network of couplings has no patterns to mask"


@given(store=stores(), beta=betas, seed=st.integers(0, 9))
def test_one_step_of_softmax_is_attention_whatever_the_mask_and_the_values(store, beta, seed):
    keys, cues, mask = store
    mask[:, 0] = True
    for read in ((), (np.random.default_rng(seed).normal(size=(len(keys), 3)),)):
        row = compared(keys, cues, *read, memories="modern", beta=beta, mask=mask, max_steps=2)
        assert row.is_attention, (row.difference, row.bound)


def test_only_softmax_of_dot_products_is_held_against_attention_at_its_own_beta():
    own = compared(KEYS, CUES, memories={"mine": ha.Memory(KEYS, beta=2.0)}, beta=1.0)
    assert own.is_attention and own.effective_beta == pytest.approx(2 * effective(1, KEYS, CUES))
    beside = {
        "euclidean": ha.Memory(KEYS, similarity="euclidean"),
        "sparsemax": ha.Memory(KEYS, separation="sparsemax"),
        "sign": ha.Memory(KEYS, activation="sign"),
    }
    assert {row.is_attention for row in compared(KEYS, CUES, memories=beside).values()} == {None}


def test_where_scores_or_rounding_are_beyond_the_numbers_nothing_is_compared_with_attention():
    for beta, word in ((1e308, "beyond the numbers"), (1e20, "rounding may exceed the values")):
        row = compared(KEYS, CUES, beta=beta, memories="modern")
        assert row.refusal or (row.is_attention is row.difference is None and word in row.notes["difference"])


def test_the_energy_falls_by_what_scipy_says():
    keys, beta = np.array([[1.0, 0.2], [-0.4, 0.9], [0.3, -1.0]]), 4.0
    cues = np.array([[0.5, 0.5], [-0.1, 0.8]])
    row = compared(keys, cues, memories="modern", beta=beta)
    ends = ha.Memory(keys, beta=beta).recall(cues).state
    start, end = (0.5 * (x * x).sum(-1) - logsumexp(beta * x @ keys.T, axis=-1) / beta for x in (cues, ends))
    assert row.energy_fall == pytest.approx((start - end).mean(), rel=1e-9) and row.energy_fall > 0


def test_the_spread_of_the_weights_and_their_free_energy_are_those_of_scipy():
    mask = np.arange(40) < 33
    more = {"memories": ["modern", "sparse", "linear", "nearest"], "beta": 0.7, "mask": mask}
    rows = compared(KEYS, CUES, **more)
    scores = 0.7 * CUES @ KEYS[:33].T
    weights = softmax(scores, axis=1)
    assert rows["modern"].entropy == pytest.approx(np.mean(entropy(weights, axis=1)))
    assert rows["modern"].effective_keys == pytest.approx(np.mean(np.exp(entropy(weights, axis=1))))
    assert rows["modern"].operating_class == ha.retrieval.operating_class(weights)
    counted = [next(k for k in range(41) if np.sort(row)[::-1][:k].sum() >= 0.9) for row in weights]
    assert rows["modern"].least_number == np.median(counted)
    assert rows["modern"].free_energy == pytest.approx(np.mean(-logsumexp(scores, axis=1) / 0.7))
    least = ha.Memory(KEYS[:33], separation="sparsemax", beta=0.7).free_energy(CUES)
    assert rows["sparse"].free_energy == pytest.approx(least.free.mean())
    assert rows["sparse"].effective_keys == pytest.approx(least.effective_keys.mean())
    distances = np.linalg.norm(CUES[:, None] - KEYS[:33], axis=-1)
    assert rows["nearest"].free_energy == pytest.approx(distances.min(axis=1).mean())
    assert rows["linear"].free_energy is None and "need not sum to 1" in rows["linear"].notes["free_energy"]


def test_below_32_keys_there_is_no_class_and_a_cue_that_weighs_nothing_has_no_part_in_it():
    few, many = (compared(np.eye(n), np.eye(n)[:2], memories="modern", beta=9.0) for n in (31, 32))
    assert (few.operating_class, many.operating_class) == (None, "IV")
    assert few.least_number == many.least_number == 1.0
    assert few.notes["operating_class"] == "not defined below 32 keys" and "operating_class" not in many.notes
    # A cue opposite to all keys: rectified powers weigh nothing; the other cue weighs one key of 32, which is IV.
    row = compared(keys := hadamard(32) * 1.0, [-np.eye(32)[0], keys[0]], memories="dense")
    assert (row.operating_class, row.least_number, row.entropy) == ("IV", 1.0, 0.0)


def test_a_recall_that_diverges_is_reported_without_nan():
    row = compared(3 * np.eye(2), [[1.0, 0.5]], targets=[0], memories="linear")
    assert (row.at_rest, row.steps, row.distance, row.energy_fall) == (0.0, None, None, None)
    assert row.notes["steps"] == row.notes["distance"] == "no cue converged"
    for scale, beta in ((1, 1e-300), (1, 1e300), (1e200, 1.0)):
        assert "NaN" not in ha.compare(scale * HADAMARD, HADAMARD, targets=[0, 1, 2, 3], beta=beta, rng=0).to_json()


def test_steps_and_the_way_are_means_over_the_cues_that_reach_a_fixed_point():
    values = RNG.normal(size=(40, 3))
    memory = ha.Memory(KEYS, beta=3.0)
    for steps in (3, 8, 100):
        recall = memory.recall(CUES, update="sync", max_steps=steps)
        row = compared(KEYS, CUES, values, memories="modern", beta=3.0, max_steps=steps)
        assert row.at_rest == recall.converged.mean()
        assert row.steps == (recall.steps[recall.converged].mean() if recall.converged.any() else None)
        ends = (memory.weights(x) @ values for x in (recall.state, CUES))
        way = np.linalg.norm(np.subtract(*ends), axis=1)[recall.converged] / np.sqrt((values**2).sum(axis=1).mean())
        assert row.distance == (pytest.approx(way.mean()) if way.size else None)


def test_a_cue_that_may_see_nothing_is_left_out_and_equal_values_are_the_keys():
    few = ha.compare(
        np.eye(3), np.eye(3), np.eye(3), targets=[0, 1, 2], mask=ha.strict.array(3), memories="nearest", rng=0
    )
    assert few.about == "2 cues and 3 keys of dim 3; 1 cue that may see no key is left out"
    assert (few.rows[0].n_cues, few.rows[0].recalled, few.rows[0].refusal) == (2, 0.0, "")
    assert ha.compare(np.eye(3), np.eye(3), rng=0).about == "3 cues and 3 keys of dim 3"
    equal, other = (compared(HADAMARD, HADAMARD, values, memories="hopfield") for values in (HADAMARD, 2 * HADAMARD))
    assert (equal.parameters, other.parameters) == (6, 6 + 32)


@pytest.mark.parametrize(("keys", "beta"), [(HADAMARD, 4**-0.5), (3 * np.eye(5), 5**0.5 / 9), ([[3.0], [1.0]], 1 / 5)])
def test_the_default_beta_is_the_root_of_dim_over_the_mean_square_of_a_key(keys, beta):
    assert compared(keys, keys, memories="modern").point == {"beta": pytest.approx(beta)}


def drawn(seed, n=12, dim=6, noise=0.3):
    rng = np.random.default_rng(seed)
    keys = rng.normal(size=(n, dim))
    return keys, keys + noise * rng.normal(size=(n, dim)), np.arange(n)


def effective(beta, keys, cues):
    return beta * np.linalg.norm(keys, axis=1).mean() * np.linalg.norm(cues, axis=1).mean()


def by_a_plain_loop(keys, cues, values, targets, beta):
    """Softmax recall cue by cue; states move among the keys, and each step is read out by the values."""
    known = []
    for cue, target in zip(cues, targets, strict=True):
        if target >= 0:
            state, errors = cue, []
            for _ in range(3000):
                weights = softmax(beta * keys @ state)
                errors.append(np.linalg.norm(weights @ values - values[target]) / np.linalg.norm(values[target]))
                if np.abs(weights @ keys - state).max() < 1e-13:
                    break
                state = weights @ keys
            angle = cue @ keys[target] / np.linalg.norm(cue) / np.linalg.norm(keys[target])
            known.append((errors[0], errors[1], errors[-1], angle))
    first, second, rest, angle = np.transpose(known)
    means = [some.mean() for some in (first, second, rest)]
    return [*means, np.median(first), np.median(rest), np.mean(rest < first - 1e-9), angle.mean()]


@pytest.mark.parametrize("beta", [0.3, 1.0, 2.5, 8.0])
@pytest.mark.parametrize("read_out", [False, True])
def test_the_errors_are_those_of_a_plain_loop(beta, read_out):
    keys, cues, targets = drawn(33)  # whose errors all change by more than a fiftieth
    values = np.random.default_rng(5).normal(size=(12, 4)) if read_out else keys
    targets[4] = -1  # not known: 11 cues are left
    row = compared(keys, cues, values, targets=targets, beta=beta, memories="softmax", max_steps=3000)
    assert row.at_rest == 1.0
    expected = by_a_plain_loop(keys, cues, values, targets, beta)
    np.testing.assert_allclose([getattr(row, name) for name in ERRORS], expected, atol=1e-7)


@given(seed=st.integers(0, 10_000), noise=st.floats(0, 2), beta=st.floats(0.1, 20))
def test_the_order_of_the_cues_does_not_matter_and_a_share_is_one(seed, noise, beta):
    keys, cues, targets = drawn(seed, n=5, dim=3, noise=noise)
    order = np.random.default_rng(seed).permutation(5)
    row = compared(keys, cues, targets=targets, beta=beta, memories="softmax")
    other = compared(keys, cues[order], targets=targets[order], beta=beta, memories="softmax")
    for name in (*ERRORS, "effective_beta"):
        assert getattr(row, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)
    assert row.effective_beta == pytest.approx(effective(beta, keys, cues))
    assert 0 <= row.nearer <= 1 and -1 <= row.cosine_cue <= 1 + 1e-12
    assert min(row.error_first, row.error_second, row.error_rest) >= 0


@given(seed=st.integers(0, 10_000), long=st.floats(0.1, 10), short=st.floats(0.1, 10))
def test_only_the_effective_beta_counts_in_the_first_step_and_a_huge_one_makes_no_error(seed, long, short):
    keys, cues, targets = drawn(seed, n=5, dim=3)
    keys, cues = (some / np.linalg.norm(some, axis=1, keepdims=True) for some in (keys, cues))
    row = compared(keys, cues, targets=targets, beta=4, memories="softmax")
    other = compared(long * keys, short * cues, targets=targets, beta=4 / long / short, memories="softmax")
    assert (row.effective_beta, other.effective_beta) == (pytest.approx(4), pytest.approx(4))
    assert other.error_first == pytest.approx(row.error_first, rel=1e-9)
    assert other.cosine_cue == pytest.approx(row.cosine_cue)
    huge = compared(keys, keys, targets=targets, beta=1e9, memories="softmax")  # no other key has so large a score
    assert [getattr(huge, name) for name in ERRORS] == pytest.approx([0, 0, 0, 0, 0, 0, 1], abs=1e-12)


def test_what_has_no_target_has_no_error_and_what_has_no_beta_says_so():
    keys, cues, targets = drawn(1)
    row = compared(keys, cues, memories="softmax")
    assert {getattr(row, name) for name in (*ERRORS, "recalled", "recalled_first", "cosine")} == {None}
    rows = ha.compare(np.sign(keys), np.sign(cues), targets=targets, memories=NAMES, max_steps=2, rng=0).rows
    assert [row.effective_beta is not None for row in rows] == [row.memory in (*NAMES[2:4], *NAMES[6:]) for row in rows]
    assert rows[0].notes["effective_beta"] == "only softmax, entmax and normmax of dot products have one"
    assert all(getattr(row, name) is not None for row in rows for name in ERRORS)
    zero = compared(keys, cues, 0 * keys, targets=targets, memories="softmax")
    assert (zero.error_first, zero.error_rest) == (0, 0)  # a value of zeros is met exactly


@pytest.mark.parametrize(
    ("make", "keys", "count"),
    [
        (ha.memories.hopfield, HADAMARD[1:], 4 * 3 // 2),
        (lambda keys: ha.memories.hopfield(keys, self_coupling=True), HADAMARD[1:3], 4 * 3 // 2 + 4),
        (lambda keys: ha.Hopfield([[0, 1, 2], [3, 0, 4], [5, 6, 0]]), [[1, 1, 1]], 3 * 2),
        (lambda keys: ha.Hopfield([[1, 2], [3, 4]], bias=1.0), [[1, 1]], 2 * 2 + 2),
        (lambda keys: ha.memories.bam([[1, 1, -1, 1]], [[1, -1, 1]]), [[1, 1, -1, 1]], 4 * 3),
        (ha.memories.modern, HADAMARD[:3], 3 * 4),
    ],
)
def test_stored_numbers_are_those_that_one_counts_by_hand(make, keys, count):
    assert compared(keys, keys, memories=make).parameters == count


def test_memories_are_compared_at_equal_numbers_of_parameters():
    # Couplings of N neurons are as many numbers as (N − 1)/2 patterns: 7 of 15 neurons are 105 on both sides.
    more = {"rng": 0, "dim": 15, "noise": 0.0, "trials": 3, "memories": ["hopfield", "dense"]}
    (one, single), many = (ha.experiments.compare_random(n_patterns=n, **more).rows for n in (1, 7))
    assert [row.parameters for row in many] == [105, 105]
    assert (one.recalled_per_number, single.recalled_per_number) == (15 / 105, 1.0)
    assert many[1].recalled_per_number > many[0].recalled_per_number
    for row in many:
        assert row.recalled_per_number == pytest.approx(row.recalled * 7 * 15 / 105)
    apart = ha.compare(
        HADAMARD[:3], HADAMARD[:3], np.eye(3, 2), targets=[0, 1, 2], memories=["hopfield", "modern"], rng=0
    )
    assert [row.parameters for row in apart.rows] == [6 + 18, 18]
    assert compared(HADAMARD, HADAMARD, memories="modern").recalled_per_number is None


def test_a_grid_may_be_run_in_any_order_and_a_point_alone():
    more = {"rng": 0, "trials": 2, "dim": 20, "memories": ["hopfield"]}
    whole = ha.experiments.compare_random({"load": "0.1:0.3:3", "noise": [0.0, 0.2]}, **more)
    points = [(row.point["load"], row.point["noise"]) for row in whole.rows]
    assert points == [*itertools.product((0.1, 0.2, 0.3), (0.0, 0.2))] and whole.axes == ("load", "noise")
    alone = ha.experiments.compare_random({"noise": [0.2]}, load=0.3, **more).rows[0]
    for name in ("recalled", "cosine", "steps", "energy_fall"):
        assert getattr(whole.rows[5], name) == getattr(alone, name)


def test_the_interval_is_that_of_the_draws():
    more = {"rng": 0, "dim": 20, "load": 0.3, "memories": ["hopfield"]}
    rows = [ha.experiments.compare_random(trials=n, **more).rows[0] for n in range(1, 7)]
    # Trials are the same whatever their number, so that the sums of 1 … 6 trials give the shares of each.
    shares = np.diff([0.0, *(row.recalled * row.trials for row in rows)])
    assert rows[5].recalled == pytest.approx(shares.mean())
    assert (rows[5].recalled_low, rows[5].recalled_high) == pytest.approx(share_interval(shares)[1])
    assert rows[0].recalled_low is rows[0].recalled_high is None
    same = ha.experiments.compare_random(trials=3, dim=7, load=0.1, noise=0.0, memories="nearest", rng=0).rows[0]
    ends = stats.binomtest(3, 3).proportion_ci(method="wilson")
    assert (same.recalled, same.recalled_low, same.recalled_high) == (1, pytest.approx(ends.low), 1)


def test_beyond_its_capacity_the_classical_network_forgets_and_the_dense_one_does_not():
    # Amit, Gutfreund & Sompolinsky (1985): nothing is recalled at loads well above 0.138; Krotov & Hopfield (2016):
    # n = 3 holds of the order N² patterns. 4 draws of 50 patterns each, fixed seed.
    more = {"rng": 0, "dim": 100, "load": 0.5, "trials": 4, "noise": 0.05}
    hopfield, dense = ha.experiments.compare_random(memories=["hopfield", "dense"], **more).rows
    assert hopfield.recalled < 0.05 < 0.95 < dense.recalled


def test_one_step_may_recall_what_the_fixed_point_forgets():
    # Ramsauer et al. (2021), section 2: where β is small for the patterns, the one fixed point is near their mean, and
    # one step is still on its way there. 32 unit vectors in 64 dims, β = 4, 3 draws of 32 cues each, fixed seed: after
    # one step the weight of the own pattern is about e⁴ / (e⁴ + 31) = .64, the rest spread over 31 directions.
    (row,) = ha.experiments.compare_random(patterns="unit", load=0.5, beta=4.0, trials=3, memories="modern", rng=0).rows
    assert row.recalled_first > 0.95 > 0.05 > row.recalled
    assert row.cosine < 0.3  # the mean of 32 nearly orthogonal patterns has a cosine of about 1/√32 with each


def test_each_recall_is_reported_and_those_of_a_memory_that_cannot_take_part():
    reports, more = [], {"report": lambda *counts: reports.append(counts)}
    ha.experiments.compare_patterns([[1.0, 0.5], [0.5, 1.0]], trials=2, memories=["hopfield", "linear"], **more)
    assert reports == [(2, 4), (3, 4), (4, 4)]
    ha.compare([[1.0, 0.5]], [[1.0, 0.5]], memories=["linear"], beta=[1.0, 2.0], **more)
    assert reports[3:] == [(1, 2), (2, 2)]
