"""Copying and composition: cases with known answers, chance values, and messages."""

import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.each import each

EYE = np.eye(4)


def test_a_head_that_passes_words_on_copies_and_its_negative_does_the_opposite():
    assert ha.circuits.copying(EYE, EYE) == ha.circuits.copying(EYE, EYE, by="eigenvalues") == 1
    assert ha.circuits.copying(-EYE, EYE) == ha.circuits.copying(-EYE, EYE, by="eigenvalues") == -1


def test_a_hand_computed_score_of_logits():
    """M = [[3, 0], [1, 2]]: less their means the columns are (1, −1) and (−1, 1): each raises its own word alone."""
    assert ha.circuits.copying([[3.0, 0.0], [1.0, 2.0]], np.eye(2)) == 1
    # of three words: column 0 of M is (2, 3, 1), less its mean (0, 1, −1): the share 0; the others raise themselves
    matrix = np.eye(3)
    matrix[:, 0] = 2, 3, 1
    assert ha.circuits.copying(matrix, np.eye(3)) == pytest.approx((-1 + 1 + 1) / 3)
    flat = np.eye(3)
    flat[:, 0] = 0.1  # raises no word above another: it does not count
    assert ha.circuits.copying(flat, np.eye(3)) == 1


def test_a_permutation_of_words_has_eigenvalues_that_cancel():
    """The eigenvalues of a cycle of four are 1, i, −1, −i."""
    cycle = EYE[[1, 2, 3, 0]]
    assert ha.circuits.copying(cycle, EYE, by="eigenvalues") == pytest.approx(0, abs=1e-12)
    assert ha.circuits.copying(cycle, EYE) == -1
    assert ha.circuits.copying(cycle, EYE, unembed=EYE[[3, 0, 1, 2]]) == 1  # read back by the inverse permutation


@given(st.integers(0, 10**6))
def test_eigenvalues_of_the_small_product_are_those_of_the_circuit(seed):
    rng = np.random.default_rng(seed)
    through, written, read = rng.normal(size=(3, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    full = np.linalg.eigvals(read @ through @ written.T)
    assert ha.circuits.copying(through, written, read, by="eigenvalues") == pytest.approx(
        full.sum().real / np.abs(full).sum(), abs=1e-5
    )


def test_random_heads_copy_by_chance_alone():
    """100 heads, 40 words: 2/40 − 1 by logits, up to the spread of the raised logits; 0 by eigenvalues."""
    rng = np.random.default_rng(0)
    draws = [(rng.normal(size=(8, 8)), rng.normal(size=(40, 8)), rng.normal(size=(40, 8))) for _ in range(100)]
    logits = [ha.circuits.copying(*draw) for draw in draws]
    signs = [ha.circuits.copying(*draw, by="eigenvalues") for draw in draws]
    assert abs(np.mean(logits) - (2 / 40 - 1)) < 4 * np.std(logits) / 10
    assert abs(np.mean(signs)) < 4 * np.std(signs) / 10


def test_composition_of_rank_one_is_a_cosine():
    rng = np.random.default_rng(1)
    writes, reads = rng.normal(size=(2, 5))
    cosine = abs(ha.cosine(writes, reads))
    found = ha.circuits.composition(np.outer(writes, [1.0, 2.0]), np.outer([3.0, 1.0, 1.0], reads))
    assert found == pytest.approx(cosine)
    assert ha.circuits.composition(np.outer(writes, [1.0]) * 1e200, np.outer([1e-200], reads)) == pytest.approx(cosine)


@each(("dim", "rank"), [(4, 1), (8, 3), (12, 12)])
def test_the_mean_square_of_turned_matrices_is_1_over_dim(dim, rank):
    rng = np.random.default_rng(2)
    w_out = rng.normal(size=(dim, rank)) @ rng.normal(size=(rank, dim))
    w_in = rng.normal(size=(3, rank)) @ rng.normal(size=(rank, dim))
    found = ha.circuits.composition_baseline(w_out, w_in, 4000, rng=0)
    square = found.mean**2 + found.deviation**2
    assert square == pytest.approx(1 / dim, rel=0.05)
    assert found.mean < dim**-0.5
    one, again = (ha.circuits.composition_baseline(w_out, w_in, 50, rng=0) for _ in range(2))
    assert (again.mean, again.deviation) == (one.mean, one.deviation)


def test_gaussian_matrices_lie_within_the_baseline():
    rng = np.random.default_rng(3)
    scores = []
    for _ in range(40):
        w_out, w_in = rng.normal(size=(2, 16, 16))
        scores.append(
            ha.circuits.composition_baseline(w_out, w_in, 50, rng=rng).deviations(ha.circuits.composition(w_out, w_in))
        )
    assert abs(np.mean(scores)) < 4 / 40**0.5 and 0.6 < np.std(scores) < 1.5


def test_the_three_compositions_of_two_heads_are_those_of_their_matrices():
    rng = np.random.default_rng(4)
    query, key, value, out, later_query, later_key, later_value, later_out = rng.normal(size=(8, 3, 5))
    earlier, later = ha.Head(query, key, value), ha.Head(later_query, later_key, later_value)
    found = ha.circuits.head_compositions(earlier, later, out.T, later_out.T)
    writes = out.T @ value
    norm = np.linalg.norm
    for name, reads in (
        ("query", later_key.T @ later_query),
        ("key", later_query.T @ later_key),
        ("value", later_out.T @ later_value),  # W_OV of both heads, as Elhage et al. (2021) have it
    ):
        assert getattr(found, name) == pytest.approx(norm(reads @ writes) / norm(reads) / norm(writes))


def test_copying_of_many_words_holds_few_columns_at_a_time(monkeypatch):
    """As the definition has it, with M whole: 2 [M_jj − m_j]₊ / Σ_i [M_ij − m_j]₊ − 1, the mean over j."""
    rng = np.random.default_rng(5)
    through, words = rng.normal(size=(3, 3)), rng.normal(size=(1500, 3))
    logits = words @ through @ words.T
    raised = np.maximum(logits - logits.mean(axis=0), 0)
    monkeypatch.setattr(sys.modules["hopattn.circuits.composition"], "HELD", 2**17)  # a function has this name too
    tracemalloc.start()
    found = ha.circuits.copying(through, words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == pytest.approx(np.mean(2 * np.diagonal(raised) / raised.sum(axis=0) - 1), rel=1e-12)
    assert peak < logits.nbytes / 3


def test_turns_of_a_rotation_have_no_scale_of_their_own():
    """|W R I|_F is |W|_F for every turn R, so that the draws differ by rounding alone."""
    weights = np.random.default_rng(0).standard_normal((4, 4))
    with pytest.raises(ha.InvalidInput, match="deviations: all draws have the same score"):
        ha.circuits.composition_baseline(np.eye(4), weights, rng=0).deviations(0.5)


@each("by", ["logits", "eigenvalues"])
def test_the_size_of_the_matrices_does_not_count(by):
    rng = np.random.default_rng(1)
    through, words = rng.standard_normal((5, 5)), rng.standard_normal((7, 5))
    assert ha.circuits.copying(1e300 * through, 1e10 * words, by=by) == pytest.approx(
        ha.circuits.copying(through, words, by=by)
    )
    assert ha.circuits.copying(np.eye(2) * 1e300, np.eye(2) * 1e10, by=by) == 1


def test_the_input_is_not_changed():
    given_matrix = np.random.default_rng(5).normal(size=(4, 4))
    kept = given_matrix.copy()
    ha.circuits.copying(given_matrix, EYE), ha.circuits.composition_baseline(given_matrix, given_matrix, 2, rng=0)
    np.testing.assert_array_equal(given_matrix, kept)


@each(
    ("call", "message"),
    [
        (lambda: ha.circuits.copying(np.eye(3), EYE), r"w_ov: got shape \(3, 3\); expected \(out, dim\) with dim = 4"),
        (
            lambda: ha.circuits.copying(EYE, EYE, np.eye(3, 4)),
            r"unembed: got shape \(3, 4\); expected \(n_words, out\) with n_words = 4, out = 4",
        ),
        (lambda: ha.circuits.copying(EYE, EYE[:1]), "embed: got one word, which has no other to raise"),
        (lambda: ha.circuits.copying(0 * EYE, EYE), "w_ov: no word raises any logit above the others"),
        (
            lambda: ha.circuits.copying(np.triu(EYE[[1, 2, 3, 0]], 1), EYE, by="eigenvalues"),
            "w_ov: all eigenvalues are 0",
        ),
        (lambda: ha.circuits.copying(EYE, EYE, by="logit"), "by: 'logit' is unknown; did you mean 'logits'"),
        (lambda: ha.circuits.copying(EYE * np.nan, EYE), "w_ov: row 0 holds a NaN"),
        (
            lambda: ha.circuits.composition(EYE, np.eye(3)),
            r"w_in: got shape \(3, 3\); expected .* with dim = 4",
        ),
        (lambda: ha.circuits.composition(EYE, 0 * EYE), "w_in: all entries are 0"),
        (lambda: ha.circuits.composition([1.0], EYE), r"w_out: got shape \(1,\); expected \(out, in\)"),
        (lambda: ha.circuits.composition_baseline(EYE, EYE, 1), "n_draws: expected a whole number of at least 2"),
        (
            lambda: ha.circuits.composition_baseline([[1.0]], [[2.0]], 3).deviations(1.0),
            "deviations: all draws have the same",
        ),
    ],
)
def test_bad_input_is_refused_with_one_message(call, message):
    with pytest.raises(InvalidInput, match=message):
        call()
