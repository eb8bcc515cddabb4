"""One step or many, by comparison: the errors by a plain loop, laws of the errors, and the sentence on them."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from tests.each import each

ERRORS = ("error_first", "error_second", "error_rest", "median_first", "median_rest", "nearer", "cosine_cue")


def drawn(seed, n=12, dim=6, noise=0.3):
    rng = np.random.default_rng(seed)
    keys = rng.normal(size=(n, dim))
    return keys, keys + noise * rng.normal(size=(n, dim)), np.arange(n)


def by_a_plain_loop(keys, cues, values, targets, beta):
    """Softmax recall cue by cue, written out; states move among the keys, and each step is read out by the values."""
    found = []
    for cue, target in zip(cues, targets, strict=True):
        if target < 0:
            continue
        state, errors = cue, []
        for _ in range(3000):
            scores = [beta * sum(a * b for a, b in zip(key, state, strict=True)) for key in keys]
            weights = np.exp(np.array(scores) - max(scores))
            weights = weights / weights.sum()
            answer, before = sum(w * v for w, v in zip(weights, values, strict=True)), state
            state = sum(w * k for w, k in zip(weights, keys, strict=True))
            errors.append(float(np.linalg.norm(answer - values[target]) / np.linalg.norm(values[target])))
            if np.abs(state - before).max() < 1e-13:
                break
        angle = cue @ keys[target] / np.linalg.norm(cue) / np.linalg.norm(keys[target])
        found.append((errors[0], errors[1], errors[-1], angle))
    first, second, rest, angle = map(list, zip(*found, strict=True))
    closer = [end < one - 1e-9 for one, end in zip(first, rest, strict=True)]
    middle = sorted(first)[len(first) // 2 :][0], sorted(rest)[len(rest) // 2 :][0]  # of an odd number of cues
    means = [sum(some) / len(some) for some in (first, second, rest)]
    return [*means, *middle, sum(closer) / len(closer), sum(angle) / len(angle)]


@pytest.mark.parametrize("beta", [0.3, 1.0, 2.5, 8.0])
@pytest.mark.parametrize("read_out", [False, True])
def test_the_errors_are_those_of_a_plain_loop(beta, read_out):
    keys, cues, targets = drawn(33)  # whose errors all change by more than a fiftieth
    values = np.random.default_rng(5).normal(size=(12, 4)) if read_out else keys
    targets[4] = -1  # not known: 11 cues are left
    (row,) = ha.compare(keys, cues, values, targets=targets, beta=beta, memories="softmax", max_steps=3000).rows
    assert row.at_rest == 1.0
    expected = by_a_plain_loop(keys, cues, values, targets, beta)
    np.testing.assert_allclose([getattr(row, name) for name in ERRORS], expected, atol=1e-7)


@given(seed=st.integers(0, 10_000), noise=st.floats(0, 2), beta=st.floats(0.1, 20))
def test_the_order_of_the_cues_does_not_matter_and_a_share_is_one(seed, noise, beta):
    keys, cues, targets = drawn(seed, n=5, dim=3, noise=noise)
    order = np.random.default_rng(seed).permutation(5)
    (row,) = ha.compare(keys, cues, targets=targets, beta=beta, memories="softmax").rows
    (other,) = ha.compare(keys, cues[order], targets=targets[order], beta=beta, memories="softmax").rows
    for name in (*ERRORS, "effective_beta"):
        assert getattr(row, name) == pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)
    assert 0 <= row.nearer <= 1 and -1 <= row.cosine_cue <= 1 + 1e-12
    assert min(row.error_first, row.error_second, row.error_rest) >= 0


@given(seed=st.integers(0, 10_000))
def test_one_step_from_a_stored_pattern_has_no_error_where_beta_is_huge(seed):
    keys, _, targets = drawn(seed, n=5, dim=3)
    keys = keys / np.linalg.norm(keys, axis=1, keepdims=True)  # no other key of unit length has so large a score
    (row,) = ha.compare(keys, keys, targets=targets, beta=1e9, memories="softmax").rows
    assert [getattr(row, name) for name in ERRORS] == pytest.approx([0, 0, 0, 0, 0, 0, 1], abs=1e-12)


@given(seed=st.integers(0, 10_000), long=st.floats(0.1, 10), short=st.floats(0.1, 10))
def test_only_the_effective_beta_counts_in_the_first_step(seed, long, short):
    keys, cues, targets = drawn(seed, n=5, dim=3)
    keys, cues = (some / np.linalg.norm(some, axis=1, keepdims=True) for some in (keys, cues))
    (row,) = ha.compare(keys, cues, targets=targets, beta=4, memories="softmax").rows
    (other,) = ha.compare(long * keys, short * cues, targets=targets, beta=4 / long / short, memories="softmax").rows
    assert (row.effective_beta, other.effective_beta) == (pytest.approx(4), pytest.approx(4))
    assert other.error_first == pytest.approx(row.error_first, rel=1e-9)
    assert other.cosine_cue == pytest.approx(row.cosine_cue)


def test_what_has_no_target_has_no_error_and_what_has_no_beta_says_so():
    keys, cues, targets = drawn(1)
    (row,) = ha.compare(keys, cues, memories="softmax").rows
    assert all(getattr(row, name) is None for name in ERRORS) and row.effective_beta is not None
    found = ha.compare(np.sign(keys), np.sign(cues), targets=targets, memories=["hopfield", "linear", "sparse"])
    betas = [row.effective_beta for row in found.rows]
    assert betas[:2] == [None, None] and betas[2] > 0
    assert found.rows[0].notes["effective_beta"] == "only softmax, entmax and normmax of dot products have one"
    assert all(getattr(row, name) is not None for row in found.rows for name in ERRORS)
    (zero,) = ha.compare(keys, cues, 0 * keys, targets=targets, memories="softmax").rows
    assert (zero.error_first, zero.error_rest) == (0, 0)  # a value of zeros is met exactly


def test_every_form_of_a_comparison_has_the_errors():
    pytest.importorskip("pandas")
    found = ha.compare(*drawn(2)[:2], targets=np.arange(12), memories=["softmax", "nearest"])
    (row, _), read, frame = found.rows, json.loads(found.to_json())["rows"][0], found.to_pandas()
    for name in (*ERRORS, "effective_beta", "key_dim"):
        assert read[name] == getattr(row, name) == frame[name].iloc[0]
    heads = found.to_csv().splitlines()[0]
    for title in ("error in one step", "error in two steps", "error at rest", "median at rest", "nearer at rest"):
        assert title in heads.split(",")


@each(
    ("numbers", "words"),
    [
        (
            (0.031, 0.042, 0.82, 1.0),
            "One step of modern is nearer to the target on average (0.031 against 0.042 at rest, β = 2); the fixed "
            "point is nearer for 82 % of the cues: mean and median differ.",
        ),
        (
            (0.042, 0.031, 0.82, 1.0),
            "The fixed point of modern is nearer to the target on average (0.031 against 0.042 after one step, β = 2), "
            "and for 82 % of the cues.",
        ),
        (
            (0.042, 0.031, 0.2, 0.9),
            "The last state of modern is nearer to the target on average (0.031 against 0.042 after one step, β = 2), "
            "and for 20 % of the cues: mean and median differ.",
        ),
        (
            (0.031, 0.042, 0.0, 0.9),
            "One step of modern is nearer to the target on average (0.031 against 0.042 at the end, β = 2); the last "
            "state is nearer for none of the cues.",
        ),
        ((0.031, 0.031, 0.0, 1.0), ""),
        ((None, None, None, 1.0), ""),
    ],
)
def test_a_sentence_says_whether_one_step_is_nearer(numbers, words):
    first, rest, share, at_rest = numbers
    measured = {"error_first": first, "error_rest": rest, "nearer": share, "at_rest": at_rest}
    row = Row("modern", "", {"beta": 2.0}, 2, 4, 2, **measured)
    assert Comparison("this", (row,), ("beta",), 0, ()).words() == words


def test_of_several_rows_the_one_is_told_in_which_mean_and_median_differ():
    def row(memory, beta, first, rest, share, **more):
        return Row(memory, "", {"beta": beta}, 2, 4, 2, error_first=first, error_rest=rest, nearer=share, **more)

    softmax = {"at_rest": 1.0, "difference": 0.0, "bound": 1e-15}
    rows = row("linear", 1.0, 1.0, 9.0, 0.9), row("modern", 1.0, 0.1, 0.9, 0.0, **softmax)
    assert "One step of modern is nearer" in Comparison("this", rows, ("beta",), 0, ()).words()
    rows += (row("modern", 3.0, 0.1, 0.2, 0.7, **softmax),)
    assert "(0.1 against 0.2 at rest, β = 3)" in Comparison("this", rows, ("beta",), 0, ()).words()
