"""The census of heads: the streamed measures equal the plain ones, and its memory does not grow with the text."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import entropy

import hopattn as ha
from hopattn.circuits.census.measures import MEASURES
from hopattn.foundation.threads import thread_limit
from hopattn.positions import Alibi
from hopattn.transformer import Affine
from tests.draws import count

circuits = ha.circuits
SCORES = {
    "previous_token": lambda weights, tokens: circuits.previous_token(weights),
    "duplicate_token": circuits.duplicate_token,
    "prefix_matching": circuits.prefix_matching,
    "attention_sink": lambda weights, tokens: circuits.attention_sink(weights),
}
GROWS = 160
"""The bytes of a token in one head: queries, keys and values of 13 numbers and their turns, and eight numbers."""
MASKS = ("none", "causal", "strict", "nonzero", ha.window(5), "array", "without")
BIASES = (None, Alibi(0.3), "array", "hides")


def heads_of(rng, n, kind, dtype=np.float64, dim=8):
    """Two heads of keys, each of which serves two of queries, in one layer."""
    mask, position, sink, bias, separation = kind

    def normal(*shape):
        return rng.normal(size=shape).astype(dtype)

    masks = {"array": rng.random((n, n)) < 0.7}
    hidden = np.where(rng.random((n, n)) < 0.2, -np.inf, normal(n, n).astype(np.float64))
    biases = {"array": normal(n, n), "hides": hidden}
    own_bias = biases.get(bias, bias) if isinstance(bias, str) else bias
    shared = [(normal(4, dim), normal(5, dim)) for _ in range(2)]
    heads = []
    for i in range(4):
        affine = Affine(normal(4, dim), normal(4))
        given = "causal" if mask == "without" else masks.get(mask, mask) if isinstance(mask, str) else mask
        head = ha.Head(affine, *shared[i // 2], mask=given, position=position, bias=own_bias, sink=sink,
                       separation=separation, beta=0.7)  # fmt: skip
        heads.append(head.without([2, -1], at=4) if mask == "without" else head)
    return ha.MultiHead(heads, normal(dim, 20))


def plain(layer, states, tokens):
    """Every measure of the attention by the definitions, from full matrices."""
    for i, (head, trace) in enumerate(zip(layer.heads, layer.trace(states).heads, strict=True)):
        n = len(states)
        seen = np.ones((n, n), bool) if trace.mask is None else np.broadcast_to(trace.mask, (n, n))
        even, step = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1), head.retrieval
        values = {name: score(trace.weights, tokens) for name, score in SCORES.items()}
        chances = {name: score(even, tokens) for name, score in SCORES.items()}
        lengths = np.linalg.norm(trace.values @ layer.w_out[:, 5 * i : 5 * i + 5].T, axis=1)
        for found, rows in ((values, trace.weights), (chances, even)):
            total = rows @ lengths
            found["sink_by_norm"] = np.mean(rows[:, 0] * lengths[0] / np.where(total > 0, total, 1))
        values["null_weight"] = np.nan if trace.rest is None else trace.rest.mean()
        if trace.bias is None:
            found = step.free_energy(trace.queries, trace.keys, None if trace.mask is None else seen)
            values |= {name: np.mean(getattr(found, name)) for name in ("energy", "entropy", "effective_keys")}
            values["free_energy"] = np.mean(found.free)
        chances["effective_keys"] = seen.sum(axis=1).mean()
        yield values, chances


def assert_plain(rng, n, kind, dtype, words):
    layer = heads_of(rng, n, kind, dtype)
    states, tokens = rng.normal(size=(n, 8)).astype(dtype), rng.integers(0, words, n)
    found = circuits.head_census([(layer, states)], tokens, followed=2)
    close = {"rtol": 1e-10, "atol": 1e-10} if dtype is np.float64 else {"rtol": 2e-5, "atol": 2e-5}
    for row, (values, chances) in zip(found.rows, plain(layer, states, tokens), strict=True):
        for name, value in values.items():
            np.testing.assert_allclose(row.values[name], value, err_msg=name, **close)
        for name, value in chances.items():
            np.testing.assert_allclose(row.chances[name], value, err_msg=name, **close)


@settings(max_examples=count(60, 20))
@given(
    st.sampled_from(MASKS), st.sampled_from([None, "rope"]), st.sampled_from([None, 0.5]), st.sampled_from(BIASES),
    st.sampled_from(["softmax", "sparsemax"]), st.sampled_from([np.float64, np.float32]), st.integers(0, 2**31),
)  # fmt: skip
def test_the_measures_are_those_of_full_matrices(mask, position, sink, bias, separation, dtype, seed):
    sink = sink if separation == "softmax" else None
    assert_plain(np.random.default_rng(seed), 12, (mask, position, sink, bias, separation), dtype, 4)


@pytest.mark.parametrize("mask", MASKS)
def test_so_are_those_of_a_text_that_is_read_in_chunks_of_queries(mask):
    bias = BIASES[MASKS.index(mask) % len(BIASES)]
    assert_plain(np.random.default_rng(10), 600, (mask, "rope", 0.5, bias, "softmax"), np.float64, 300)


def test_a_bias_gives_the_free_energy_of_the_scores_with_it():
    """By SciPy: F = −β⁻¹ log Σ exp(βs + b), S the entropy of the weights, U = F + S/β."""
    rng, n = np.random.default_rng(0), 9
    layer = heads_of(rng, n, ("causal", None, None, "array", "softmax"))
    states = rng.normal(size=(n, 8))
    found = circuits.head_census([(layer, states)], [0, 1, 2] * 3)
    for row, trace in zip(found.rows, layer.trace(states).heads, strict=True):
        logits = np.where(np.tril(np.ones((n, n))) > 0, 0.7 * trace.scores + trace.bias, -np.inf)
        spread, free = entropy(trace.weights, axis=1), -logsumexp(logits, axis=1) / 0.7
        assert row.values["free_energy"] == pytest.approx(free.mean(), rel=1e-12)
        assert row.values["entropy"] == pytest.approx(spread.mean(), rel=1e-12)
        assert row.values["energy"] == pytest.approx((free + spread / 0.7).mean(), rel=1e-12)
        assert row.values["effective_keys"] == pytest.approx(np.exp(spread).mean(), rel=1e-12)


@pytest.mark.parametrize("mask", ["causal", "none", ha.window(40)])
def test_the_operating_class_is_that_of_the_full_weights(mask):
    rng, n = np.random.default_rng(3), 80
    layer = heads_of(rng, n, (mask, None, None, None, "softmax"))
    states = 2 * rng.normal(size=(n, 8))
    found = circuits.head_census([(layer, states)], np.arange(n) % 7, followed=0)
    for row, trace in zip(found.rows, layer.trace(states).heads, strict=True):
        assert row.operating_class == ha.retrieval.operating_class(trace.weights, trace.mask)


def test_one_step_beside_the_fixed_point_is_that_of_a_memory_of_the_keys():
    """With β = 1 and no mask, the head's keys are a modern memory, whose recall ends at the same fixed points."""
    rng, n = np.random.default_rng(4), 20
    layer = heads_of(rng, n, ("none", None, None, None, "softmax"))
    states = 0.5 * rng.normal(size=(n, 8))
    found = circuits.head_census([(layer, states)], np.arange(n) % 7, followed=n)
    for row, trace in zip(found.rows, layer.trace(states).heads, strict=True):
        memory = ha.memories.modern(trace.keys, beta=0.7)
        ended = memory.recall(trace.queries, tol=1e-9, max_steps=1000).state
        change = 0.5 * np.abs(memory.weights(trace.queries) - memory.weights(ended)).sum(axis=1)
        assert row.values["fixed_point_reached"] == 1
        assert row.values["fixed_point_change"] == pytest.approx(change.mean(), abs=1e-3)
        keys = memory.free_energy(ended).effective_keys.mean()
        assert row.values["fixed_point_keys"] == pytest.approx(keys, rel=1e-3)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compositions_and_copying_are_those_of_products_of_full_matrices(dtype):
    rng, close = np.random.default_rng(5), 1e-10 if dtype is np.float64 else 2e-5
    layers = [heads_of(rng, 6, ("causal", None, None, None, "softmax"), dtype) for _ in range(2)]
    states, embed, unembed = (rng.normal(size=(n, 8)).astype(dtype) for n in (6, 30, 30))
    stack = [(layer, states) for layer in layers]
    found = circuits.head_census(stack, [0, 1, 2] * 2, embed=embed, unembed=unembed)
    for i, later in enumerate(layers[1].heads):
        own, row = layers[1].w_out[:, 5 * i : 5 * i + 5], found.rows[4 + i]
        pairs = [
            circuits.head_compositions(one, later, w_out=layers[0].w_out[:, 5 * j : 5 * j + 5], later_w_out=own)
            for j, one in enumerate(layers[0].heads)
        ]
        for name in ("query", "key", "value"):
            scores = [getattr(one, name) for one in pairs]
            assert row.values[f"{name}_composition"] == pytest.approx(max(scores), rel=close)
            assert row.partners[f"{name}_composition_with"] == f"1.{np.argmax(scores) + 1}"
            assert row.chances[f"{name}_composition"] == 8**-0.5
        full = circuits.copying(own @ later.w_value, embed, unembed, by="eigenvalues")
        assert row.values["copying"] == pytest.approx(full, rel=1e-6 if dtype is np.float64 else 1e-3)


def test_our_trained_model_shows_its_induction_heads_first():
    training = circuits.Training.load("scenarios/circuits/two-layers.npz")
    model, text = training.model(), training.recipe.held_out(1).tokens[0]
    found = circuits.head_census(model, text, embed=model.embed, unembed=model.unembed)
    followed = circuits.head_census(model, text, followed=32).matrix("fixed_point_keys")
    np.testing.assert_array_equal(found.matrix("fixed_point_keys"), followed)
    best, previous = found.strongest("prefix_matching"), found.strongest("previous_token")[0]
    assert {one.head for one in best} == {"2.1", "2.2", "2.3", "2.4"}
    assert min(one.value for one in best) > 0.9 > 20 * best[0].chance
    assert found.matrix("copying")[1].min() > 0.99
    assert previous.head == "1.4"
    assert {one.partner for one in found.strongest("key_composition")} == {"1.4"}
    traced = np.array([[head.weights for head in layer.heads] for layer in model.trace(text)])
    np.testing.assert_allclose(found.matrix("prefix_matching"), circuits.prefix_matching(traced, text), rtol=1e-5)
    assert repr(found).startswith("Census(2 layers, 8 heads, 64 tokens, 2.")


@pytest.mark.slow
def test_the_memory_of_a_layer_does_not_grow_with_the_text():
    """The peak beside the states and a head's own vectors is one chunk of scores, whatever the length."""
    rng, peaks = np.random.default_rng(6), []
    layer = heads_of(rng, 1, ("causal", "rope", 0.5, None, "softmax"), np.float32)
    for n in (800, 800, 2400):  # the first one imports what it needs
        states, tokens = rng.normal(size=(n, 8)).astype(np.float32), np.arange(n) % 100
        with thread_limit(1):
            tracemalloc.start()
            circuits.head_census([(layer, states)], tokens, followed=4)
            peaks.append(tracemalloc.get_traced_memory()[1] - GROWS * n)
            tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]  # of the squares of the lengths it would be nine times as much


def test_tables_of_all_sorts_hold_the_same_numbers():
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    rng = np.random.default_rng(7)
    layers = [(heads_of(rng, 6, ("causal", None, None, None, "softmax")), rng.normal(size=(6, 8))) for _ in range(2)]
    done = []
    found = circuits.head_census(layers, [0, 1, 2] * 2, about="a test", report=done.append)
    assert done == [1, 2] and found.layers == (0, 1) and found.size == "2 layers, 8 heads, 6 tokens"
    for name in ("prefix_matching", "copying", "energy"):
        values, chances = found.matrix(name).ravel(), np.nan_to_num(found.chance(name).ravel(), nan=-np.inf)
        above = sorted(values[values > chances], reverse=True)
        assert [one.value for one in found.strongest(name, 8)] == above and len(found.strongest(name)) == min(
            5, len(above)
        )
    frame, array = found.to_pandas(), found.to_xarray()
    assert isinstance(frame, pandas.DataFrame) and isinstance(array, xarray.Dataset)
    assert frame.attrs["about"] == array.attrs["about"] == "a test"
    lines = found.to_csv().splitlines()
    assert len(lines) == 1 + 8 and lines[0].startswith("layer,head,previous_token,previous_token_chance")
    for name in found.measures:
        assert name in MEASURES
        np.testing.assert_array_equal(array[name].values, found.matrix(name))
        np.testing.assert_array_equal(frame[name].astype(float).unstack().values, found.matrix(name))
    assert frame.loc[(2, 3), "key_composition_with"].startswith("1.")
    written, of_csv = found.to_dict()["rows"], lines[1].split(",")
    assert (found.rows[0].layer, frame.index[0], found.rows[0].name) == (0, (1, 1), "1.1")
    assert (written[0]["layer"], written[0]["head"], *of_csv[:2]) == (1, 1, "1", "1")
    assert np.isnan(found.matrix("key_composition")[0]).all()
    assert len(found.to_dict()["rows"]) == 8 and found.copied == array.attrs["copied"] == "vectors"


def test_a_text_without_repeats_has_no_scores_of_repeats():
    rng = np.random.default_rng(8)
    layer = heads_of(rng, 6, ("causal", None, None, None, "softmax"))
    found = circuits.head_census([(layer, rng.normal(size=(6, 8)))], list("abcdef"))
    assert not {"prefix_matching", "duplicate_token"} & set(found.measures)
    assert found.strongest("prefix_matching") == []
