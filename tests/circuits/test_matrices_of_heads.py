"""Copying and composition: cases with known answers, chance values, and messages."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.circuits import composition, composition_baseline, copying, head_compositions

EYE = np.eye(4)


def test_a_head_that_passes_words_on_copies_and_its_negative_does_the_opposite():
    assert copying(EYE, EYE) == copying(EYE, EYE, by="eigenvalues") == 1
    assert copying(-EYE, EYE) == copying(-EYE, EYE, by="eigenvalues") == -1


def test_a_hand_computed_score_of_logits():
    """M = [[3, 0], [1, 2]]: less their means the columns are (1, −1) and (−1, 1): each raises its own word alone."""
    assert copying([[3.0, 0.0], [1.0, 2.0]], np.eye(2)) == 1
    # of three words: column 0 of M is (2, 3, 1), less its mean (0, 1, −1): the share 0; the others raise themselves
    matrix = np.eye(3)
    matrix[:, 0] = 2, 3, 1
    assert copying(matrix, np.eye(3)) == pytest.approx((-1 + 1 + 1) / 3)
    flat = np.eye(3)
    flat[:, 0] = 0.1  # raises no word above another: it does not count
    assert copying(flat, np.eye(3)) == 1


def test_a_permutation_of_words_has_eigenvalues_that_cancel():
    """The eigenvalues of a cycle of four are 1, i, −1, −i."""
    cycle = EYE[[1, 2, 3, 0]]
    assert copying(cycle, EYE, by="eigenvalues") == pytest.approx(0, abs=1e-12)
    assert copying(cycle, EYE) == -1
    assert copying(cycle, EYE, unembed=EYE[[3, 0, 1, 2]]) == 1  # read back by the inverse permutation


@given(st.integers(0, 10**6))
def test_eigenvalues_of_the_small_product_are_those_of_the_circuit(seed):
    rng = np.random.default_rng(seed)
    through, written, read = rng.normal(size=(3, 3)), rng.normal(size=(7, 3)), rng.normal(size=(7, 3))
    full = np.linalg.eigvals(read @ through @ written.T)
    assert copying(through, written, read, by="eigenvalues") == pytest.approx(
        full.sum().real / np.abs(full).sum(), abs=1e-5
    )


def test_random_heads_copy_by_chance_alone():
    """100 heads, 40 words: 2/40 − 1 by logits, up to the spread of the raised logits; 0 by eigenvalues."""
    rng = np.random.default_rng(0)
    draws = [(rng.normal(size=(8, 8)), rng.normal(size=(40, 8)), rng.normal(size=(40, 8))) for _ in range(100)]
    logits = [copying(*draw) for draw in draws]
    signs = [copying(*draw, by="eigenvalues") for draw in draws]
    assert abs(np.mean(logits) - (2 / 40 - 1)) < 4 * np.std(logits) / 10
    assert abs(np.mean(signs)) < 4 * np.std(signs) / 10


def test_composition_of_rank_one_is_a_cosine():
    rng = np.random.default_rng(1)
    writes, reads = rng.normal(size=(2, 5))
    cosine = abs(ha.cosine(writes, reads))
    found = composition(np.outer(writes, [1.0, 2.0]), np.outer([3.0, 1.0, 1.0], reads))
    assert found == pytest.approx(cosine)
    assert composition(np.outer(writes, [1.0]) * 1e200, np.outer([1e-200], reads)) == pytest.approx(cosine)


@pytest.mark.parametrize(("dim", "rank"), [(4, 1), (8, 3), (12, 12)])
def test_the_mean_square_of_turned_matrices_is_1_over_dim(dim, rank):
    rng = np.random.default_rng(2)
    w_out = rng.normal(size=(dim, rank)) @ rng.normal(size=(rank, dim))
    w_in = rng.normal(size=(3, rank)) @ rng.normal(size=(rank, dim))
    found = composition_baseline(w_out, w_in, n_draws=4000, rng=0)
    square = found.mean**2 + found.deviation**2
    assert square == pytest.approx(1 / dim, rel=0.05)
    assert found.mean < dim**-0.5
    one, again = (composition_baseline(w_out, w_in, n_draws=50, rng=0) for _ in range(2))
    assert (again.mean, again.deviation) == (one.mean, one.deviation)


def test_gaussian_matrices_lie_within_the_baseline():
    rng = np.random.default_rng(3)
    scores = []
    for _ in range(40):
        w_out, w_in = rng.normal(size=(2, 16, 16))
        scores.append(composition_baseline(w_out, w_in, n_draws=50, rng=rng).deviations(composition(w_out, w_in)))
    assert abs(np.mean(scores)) < 4 / 40**0.5 and 0.6 < np.std(scores) < 1.5


def test_the_three_compositions_of_two_heads_are_those_of_their_matrices():
    rng = np.random.default_rng(4)
    query, key, value, out, later_query, later_key, later_value, later_out = rng.normal(size=(8, 3, 5))
    earlier, later = (
        ha.Head(query, key, value, mask="causal"),
        ha.Head(later_query, later_key, later_value, mask="causal"),
    )
    found = head_compositions(earlier, later, w_out=out.T, later_w_out=later_out.T)
    writes = out.T @ value
    norm = np.linalg.norm
    for name, reads in (
        ("query", later_key.T @ later_query),
        ("key", later_query.T @ later_key),
        ("value", later_out.T @ later_value),  # W_OV of both heads, as Elhage et al. (2021) have it
    ):
        assert getattr(found, name) == pytest.approx(norm(reads @ writes) / norm(reads) / norm(writes))


def test_copying_of_many_words_holds_few_columns_at_a_time():
    """As the definition has it, 2 [M_jj − m_j]₊ / Σ_i [M_ij − m_j]₊ − 1, the mean over j, column by column."""
    rng, n = np.random.default_rng(5), 5000
    through, words = rng.normal(size=(3, 3)), rng.normal(size=(n, 3))
    shares = []
    for start in range(0, n, 500):
        logits = words @ through @ words[start : start + 500].T
        raised = np.maximum(logits - logits.mean(axis=0), 0)
        shares.append(2 * raised[np.arange(start, start + 500), np.arange(500)] / raised.sum(axis=0) - 1)
    tracemalloc.start()
    score = copying(through, words)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert score == pytest.approx(np.mean(shares), rel=1e-12)
    assert peak < 0.75 * 8 * n**2


@pytest.mark.parametrize("by", ["logits", "eigenvalues"])
def test_the_size_of_the_matrices_does_not_count(by):
    rng = np.random.default_rng(1)
    through, words = rng.standard_normal((5, 5)), rng.standard_normal((7, 5))
    assert copying(1e300 * through, 1e10 * words, by=by) == pytest.approx(copying(through, words, by=by))
    assert copying(np.eye(2) * 1e300, np.eye(2) * 1e10, by=by) == 1


def test_the_input_is_not_changed():
    given_matrix = np.random.default_rng(5).normal(size=(4, 4))
    kept = given_matrix.copy()
    copying(given_matrix, EYE), composition_baseline(given_matrix, given_matrix, n_draws=2, rng=0)
    np.testing.assert_array_equal(given_matrix, kept)
