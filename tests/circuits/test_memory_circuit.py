"""The induction head of associative memories: its matrices, its answers by other code, the capacity of its memories."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import softmax

import hopattn as ha
from hopattn.circuits import composition_baseline, memory_circuit, memory_curves, outer_product_recall, recall_width
from hopattn.transformer import stack
from tests.draws import count


def directions(rng, n, d):
    vectors = rng.standard_normal((n, d))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def matrices(circuit):
    """W_K1, W_O1, W_V1, W_K2, W_O2, W_V2 of a circuit."""
    return [m for layer in circuit.layers for m in _matrices(layer.attention)]


def _matrices(attention):
    return attention.heads[0].w_key, attention.w_out, attention.heads[0].w_value


def answers(words, embed, unembed, positions, given, beta):
    """The logits of a text in plain NumPy, query by query; no code of the package."""
    w_key, w_out, w_value, later_key, later_out, later_value = given
    state = np.array([embed[word] + positions[i] for i, word in enumerate(words)])
    for key, out, value in ((w_key, w_out, w_value), (later_key, later_out, later_value)):
        keys, values = state @ key.T, state @ value.T @ out.T
        new = [x + softmax(beta * keys[: i + 1] @ x) @ values[: i + 1] for i, x in enumerate(state)]
        state = np.array(new)
    return state @ unembed.T


def test_the_three_memories_are_sums_of_outer_products_of_the_right_pairs():
    circuit = memory_circuit(6, n_words=4, length=5, rng=0)
    w_key, w_out, w_value, later_key, later_out, later_value = matrices(circuit)
    e, u, p = circuit.embed, circuit.unembed, circuit.positions
    remap = w_out @ w_value
    np.testing.assert_allclose(w_key, sum(np.outer(p[t + 1], p[t]) for t in range(4)), atol=1e-13)
    np.testing.assert_allclose(later_key, sum(np.outer(e[k], remap @ e[k]) for k in range(4)), atol=1e-13)
    np.testing.assert_allclose(later_out, sum(np.outer(u[k], later_value @ e[k]) for k in range(4)), atol=1e-13)
    for vectors in (e, u, p):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-12)


def test_the_logits_are_those_of_loops_over_queries():
    circuit = memory_circuit(24, n_words=9, length=12, beta=7.0, rng=1)
    texts = np.random.default_rng(1).integers(9, size=(3, 12))
    plain, said = memory_circuit(4, rng=0), memory_circuit(4, n_words=65, length=256, beta=20.0, rng=0)
    np.testing.assert_array_equal(plain([0, 1]), said([0, 1]))
    for text, logits in zip(texts, circuit(texts), strict=True):
        expected = answers(text, circuit.embed, circuit.unembed, circuit.positions, matrices(circuit), 7.0)
        np.testing.assert_allclose(logits, expected, rtol=1e-9, atol=1e-9)


def test_wide_circuits_have_heads_for_the_word_before_and_for_prefixes():
    circuit = memory_circuit(1024, n_words=30, length=40, rng=2)
    tokens = np.tile(np.random.default_rng(2).permutation(30)[:20], 2)
    state = circuit.embed[tokens] + circuit.positions
    first, second = (trace.heads[0].weights for trace in stack(circuit.layers, state))
    assert ha.circuits.previous_token(first) > 0.9
    assert ha.circuits.prefix_matching(second, tokens) > 0.9


def test_the_keys_of_layer_2_read_layer_1_and_its_queries_and_values_do_not():
    circuit = memory_circuit(count(128, 64), n_words=20, length=20, rng=2)
    earlier, later = (layer.attention for layer in circuit.layers)
    found = ha.circuits.head_compositions(earlier.heads[0], later.heads[0], w_out=earlier.w_out)
    writes, keys = earlier.w_out @ earlier.heads[0].w_value, later.heads[0].w_key  # the queries are the words
    reads = {"query": keys.T, "key": keys, "value": later.heads[0].w_value}
    by_role = {role: composition_baseline(writes, read, n_draws=count(60, 20), rng=0) for role, read in reads.items()}
    assert by_role["key"].deviations(found.key) > 8
    assert abs(by_role["query"].deviations(found.query)) < 5
    assert abs(by_role["value"].deviations(found.value)) < 5


def accuracy_by_other_code(rng, width, n_texts, n_words=65, length=256, n_triggers=5, beta=20.0):
    """The share of right answers of one random circuit, in plain NumPy."""
    embed, unembed, positions = (directions(rng, n, width) for n in (n_words, n_words, length))
    w_out, w_value, later_value = rng.standard_normal((3, width, width)) / math.sqrt(width)
    w_key = np.einsum("ti,tj->ij", positions[1:], positions[:-1])
    later_key = np.einsum("ki,kj->ij", embed, embed @ (w_out @ w_value).T)
    later_out = np.einsum("ki,kj->ij", unembed, embed @ later_value.T)
    later = np.tril(np.ones((length, length), dtype=bool))
    right = asked = 0
    for _ in range(n_texts):
        triggers = rng.choice(n_words, n_triggers, replace=False)
        others = np.setdiff1d(np.arange(n_words), triggers)
        follower = {trigger: rng.choice(others) for trigger in triggers}
        words, places, seen = [rng.integers(n_words)], [], set()
        while len(words) < length:
            last = words[-1]
            if last in seen:
                places.append(len(words) - 1)
            if last in follower:
                seen.add(last)
            words.append(follower[last] if last in follower else rng.integers(n_words))
        state = embed[words] + positions
        for key, out, value in ((w_key, w_out, w_value), (later_key, later_out, later_value)):
            scores = np.where(later, beta * state @ (state @ key.T).T, -1e30)
            state = state + softmax(scores, axis=1) @ (state @ value.T) @ out.T
        found = np.argmax(state[places] @ unembed.T, axis=1)
        right, asked = right + np.sum(found == np.array(words)[np.array(places) + 1]), asked + len(places)
    return right / asked


@pytest.mark.parametrize(
    ("width", "expected"), [(64, 0.047), (128, 0.356), (256, 0.906), pytest.param(512, 0.989, marks=pytest.mark.slow)]
)
def test_the_accuracy_by_width_agrees_with_other_code(width, expected):
    """`expected` are the numbers of the scenario `birth-of-a-transformer`. Full: 40 draws of 4 texts; quick: 4."""
    rng, draws = np.random.default_rng(width), count(40, 4 if width < 512 else 2)
    other = [accuracy_by_other_code(rng, width, 4) for _ in range(draws)]
    own = memory_curves([width], n_draws=draws, rng=width).trials["accuracy"][:, 0]
    deviation = {64: 0.038, 128: 0.107, 256: 0.043, 512: 0.02}[width]  # between draws of 4 texts
    assert np.mean(other) == pytest.approx(expected, abs=4 * deviation / math.sqrt(draws) + 0.01)
    assert np.mean(own) == pytest.approx(np.mean(other), abs=4 * deviation * math.sqrt(2 / draws))


def test_probes_near_1_do_not_make_the_answers_right():
    found = memory_curves([128], n_draws=count(20, 3), rng=3).mean
    assert min(found[name][0] for name in ("previous word", "same word", "output")) > 0.99
    assert found["accuracy"][0] < 0.6


def test_two_keys_of_dim_1_are_recalled_where_their_signs_say_so():
    """All signs of two keys and two values; a tie is not a recall."""
    found = []
    for *keys, v, w in itertools.product([-1, 1], repeat=4):
        matrix = v * keys[0] + w * keys[1]
        found += [v * matrix * keys[0] > w * matrix * keys[0], w * matrix * keys[1] > v * matrix * keys[1]]
    assert np.mean(found) == outer_product_recall(2, 1) == 0.25


MANY = [(12, 4), (10, 8), (65, 32), (65, 48), (256, 64), (256, 96)]
RECALLS = [(2, 1, 1), (3, 1, 1), (8, 1, 1), (2, 2, 1), (3, 2, 1), (3, 6, 1), (20, 8, 1), (40, 16, 1)]
RECALLS += [(*sizes, spread) for sizes in MANY for spread in (1, 2)]


@pytest.mark.parametrize(("n", "width", "spread"), RECALLS)
def test_the_recall_of_outer_products_is_as_near_to_simulations_as_stated(n, width, spread):
    """Four standard errors of the trials, beside what the docstring states; spread 2: a random matrix maps the keys."""
    rng, shares = np.random.default_rng(n), []
    for _ in range(count(20_000, 400) if n < 50 else count(200, 20)):
        keys, values = directions(rng, n, width), directions(rng, n, width)
        keys = keys if spread == 1 else keys @ rng.standard_normal((width, width)) / math.sqrt(width)
        scores = values @ (values.T @ keys) @ keys.T
        right = np.diagonal(scores).copy()
        np.fill_diagonal(scores, -np.inf)
        shares.append(np.mean(right > scores.max(axis=0) + 1e-9))
    expected = outer_product_recall(n, width, spread=spread)
    stated = 0 if width == 1 else 0.02 if expected > 0.95 else 0.06
    assert abs(np.mean(shares) - expected) <= stated + 4 * np.std(shares) / math.sqrt(len(shares))


def test_at_the_capacity_about_one_key_is_lost_and_fewer_the_more_keys_there_are():
    ns = (65, 256, 1024, 4096)
    for terms, few in ((1, 0.8), (2, 1.5)):
        widths = [round(recall_width(n, spread=terms)) for n in ns]
        lost = [n * (1 - outer_product_recall(n, width, spread=terms)) for n, width in zip(ns, widths, strict=True)]
        assert lost[0] == pytest.approx(few, abs=0.05)
        assert lost == sorted(lost, reverse=True)
    narrow = [n * (1 - outer_product_recall(n, round(0.7 * recall_width(n)))) for n in ns]
    assert min(narrow) > 7 and narrow == sorted(narrow)
    assert recall_width(100) == pytest.approx(math.sqrt(800 * math.log(100)))


@pytest.mark.parametrize("width", [32, 48, 64])
def test_two_probes_are_the_recall_of_independent_outer_products(width):
    """Those of W_K1, and of W_O2, whose keys are mapped by a random matrix; values of W_K2 depend on its keys."""
    found = memory_curves([width], n_draws=count(40, 8), n_words=65, length=66, rng=5, n_triggers=9)
    for name, terms in (("previous word", 1), ("output", 2)):
        expected = outer_product_recall(65, width, spread=terms)
        assert found.mean[name][0] == pytest.approx(expected, abs=4 * found.error[name][0] + 0.03)


def test_a_word_after_a_trigger_is_its_follower_and_answers_can_be_known():
    texts = ha.circuits.trigger_texts(6, length=200, n_words=20, n_triggers=3, rng=6)
    for words, asked in zip(texts.words.tolist(), texts.asked.tolist(), strict=True):
        triggers = {words[i] for i in range(200) if asked[i]}
        assert 1 <= len(triggers) <= 3
        for trigger in triggers:
            followers = {words[i + 1] for i in range(199) if words[i] == trigger}
            places = [i for i in range(199) if words[i] == trigger]
            assert len(followers) == 1
            assert [asked[i] for i in places] == [False] + [True] * (len(places) - 1)
        assert not asked[-1]
    words = texts.words[~np.roll(texts.asked, 1, axis=1)]
    assert set(words.tolist()) == set(range(20))
