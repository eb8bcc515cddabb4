"""Scores of heads: hand-computed cases, chance values, and messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.circuits import attention_sink, duplicate_token, head_scores, prefix_matching, previous_token, sink_share
from hopattn.circuits.scores import even_attention

ABAB = ["a", "b", "a", "b"]
ATTENTION = np.array([[1, 0, 0, 0], [0.25, 0.75, 0, 0], [0.125, 0.5, 0.375, 0], [0.125, 0.25, 0.5, 0.125]])


def test_hand_computed_scores_of_a_text_of_four():
    """abab: row 2 has the earlier copy 0 and the successor 1; row 3 has 1 and 2."""
    assert previous_token(ATTENTION) == (0.25 + 0.5 + 0.5) / 3
    assert duplicate_token(ATTENTION, ABAB) == (0.125 + 0.25) / 2
    assert prefix_matching(ATTENTION, ABAB) == (0.5 + 0.5) / 2
    assert attention_sink(ATTENTION) == (1 + 0.25 + 0.125 + 0.125) / 4
    assert attention_sink(ATTENTION, position=3) == 0.125


def test_a_perfect_head_on_the_papers_text_scores_1_over_rows_and_half_over_entries():
    """25 tokens four times: rows of repeat r have r − 1 successors, so the entries number 25 · (1 + 2 + 3) for 75."""
    tokens = np.tile(np.random.default_rng(0).permutation(1000)[:25], 4)
    target = np.maximum(np.arange(100) - 24, 0)  # the successor of the latest earlier copy
    perfect = np.eye(100)[target]
    assert prefix_matching(perfect, tokens) == 1
    assert prefix_matching(perfect, tokens, over="entries") == 0.5


@given(st.integers(2, 9), st.integers(0, 10**6))
def test_scores_agree_with_loops_over_pairs(n, seed):
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, 3, n)
    tokens[-1] = tokens[0]
    attention = rng.dirichlet(np.ones(n), n)
    copies, followers = {}, {}
    for i in range(n):
        for j in range(i):
            if tokens[j] == tokens[i]:
                copies.setdefault(i, []).append(j)
                followers.setdefault(i, []).append(j + 1)
    for score, found in ((duplicate_token, copies), (prefix_matching, followers)):
        sums = [sum(attention[i, j] for j in keys) for i, keys in found.items()]
        assert score(attention, tokens) == pytest.approx(np.mean(sums))
        entries = [attention[i, j] for i, keys in found.items() for j in keys]
        assert score(attention, tokens, over="entries") == pytest.approx(np.mean(entries))
    assert previous_token(attention) == pytest.approx(np.mean([attention[i, i - 1] for i in range(1, n)]))


def test_chance_is_the_score_of_uniform_attention_in_closed_form():
    n = 12
    harmonic = np.cumsum(1 / np.arange(1, 2 * n + 1))  # H_1 … H_2n
    uniform, twice = ha.circuits.uniform_attention(2 * n), np.tile(np.arange(n), 2)
    assert previous_token(uniform) == pytest.approx((harmonic[-1] - 1) / (2 * n - 1))
    assert prefix_matching(uniform, twice) == pytest.approx((harmonic[-1] - harmonic[n - 1]) / n)
    assert duplicate_token(uniform, twice) == pytest.approx((harmonic[-1] - harmonic[n - 1]) / n)
    assert attention_sink(uniform) == pytest.approx(harmonic[-1] / (2 * n))


@pytest.mark.parametrize("n", [1, 6])
def test_even_attention_is_uniform_over_what_a_row_sees(n):
    np.testing.assert_array_equal(even_attention(np.tril(np.ones((n, n), bool))), ha.circuits.uniform_attention(n))
    seen = np.random.default_rng(1).random((2, 7, 7)) < 0.3
    np.testing.assert_allclose(even_attention(seen).sum(axis=-1), seen.any(axis=-1))
    np.testing.assert_array_equal(even_attention(seen) > 0, seen)


def test_random_heads_score_chance_on_average():
    """2,000 heads whose rows are uniform on the simplex of the visible keys; four standard errors."""
    rng = np.random.default_rng(1)
    tokens = np.array([3, 1, 2, 3, 3, 1, 0, 2])
    weights = np.tril(rng.exponential(size=(2000, 8, 8)))
    heads = weights / weights.sum(axis=-1, keepdims=True)
    for score in (
        previous_token,
        attention_sink,
        lambda given: prefix_matching(given, tokens),
        lambda given: duplicate_token(given, tokens, over="entries"),
    ):
        found = score(heads)
        error = found.std() / len(found) ** 0.5
        assert abs(found.mean() - score(ha.circuits.uniform_attention(8))) < 4 * error < 0.03


def test_batches_equal_their_texts_one_by_one_and_nothing_is_changed():
    rng = np.random.default_rng(2)
    heads = rng.dirichlet(np.ones(6), (3, 2, 6))  # 3 texts, 2 heads
    tokens = np.array([[0, 1, 0, 1, 2, 2], [5, 5, 5, 5, 5, 5], [0, 1, 2, 3, 4, 0]])
    kept = heads.copy(), tokens.copy()
    found = prefix_matching(heads, tokens[:, None])
    assert found.shape == (3, 2)
    for i in range(3):
        for j in range(2):
            assert found[i, j] == prefix_matching(heads[i, j], tokens[i])
    np.testing.assert_array_equal(found, prefix_matching(heads, tokens[:, None]))
    np.testing.assert_array_equal(heads, kept[0])
    np.testing.assert_array_equal(tokens, kept[1])


def test_heads_that_attend_to_the_first_token_alone_and_masked_rows_give_numbers():
    first = np.zeros((4, 4))
    first[:, 0] = 1
    assert prefix_matching(first, ABAB) == 0
    assert duplicate_token(first, ABAB) == 0.5
    assert attention_sink(first) == 1
    strict = first.copy()
    strict[0] = 0  # a row with nothing to attend to counts as no attention
    assert attention_sink(strict) == 0.75
    assert previous_token(strict) == previous_token(first) == pytest.approx(1 / 3)
    assert previous_token(np.zeros((4, 4))) == 0


def test_the_share_of_sinks_counts_heads_over_the_threshold():
    rng = np.random.default_rng(3)
    heads = rng.dirichlet(np.full(5, 0.3), (4, 7, 5))
    means = heads[..., 0].mean(axis=-1)
    for threshold in (0.1, 0.2, 0.3):
        assert sink_share(heads, threshold=threshold) == np.mean(means > threshold)
    assert sink_share(heads) == np.mean(means > 0.3)
    assert 0 < sink_share(heads, threshold=0.2) < 1


def test_arrays_of_objects_and_of_texts_of_any_length_are_tokens():
    arrays = [np.array(words, dtype=object) for words in (list("abab"), [7, 8, 7, 8])]
    if hasattr(np.dtypes, "StringDType"):  # from NumPy 2 on
        arrays.append(np.array(list("abab"), dtype=np.dtypes.StringDType()))
    for tokens in arrays:
        assert prefix_matching(ATTENTION, tokens) == prefix_matching(ATTENTION, ["a", "b", "a", "b"])


def test_pytorchs_weights_are_scored_like_numpys():
    torch = pytest.importorskip("torch")
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        words = torch.randn(1, 6, 8)
    _, weights = layer(words, words, words, average_attn_weights=False)
    expected = weights.detach().numpy()
    tokens = [0, 1, 0, 1, 0, 1]
    for given_weights in (weights, weights.half()):
        found = prefix_matching(given_weights, tokens)
        np.testing.assert_allclose(found, prefix_matching(expected, tokens), atol=1e-3)


def test_all_scores_by_their_names():
    found = head_scores([ATTENTION, ATTENTION], ABAB)
    assert {name: score.tolist() for name, score in found.items()} == {
        "previous token": [1.25 / 3] * 2,
        "duplicate token": [0.1875] * 2,
        "prefix matching": [0.5] * 2,
        "attention sink": [0.375] * 2,
    }
