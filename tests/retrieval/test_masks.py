"""Masks: who sees whom."""

import re
import tracemalloc
from dataclasses import fields
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.masks import Without, joint, mask_rules, resolve

RULES = {name: {field.name: 2 for field in fields(rule)} for name, rule in mask_rules.items()}
"""Every rule, with 2 for each of its parameters."""
MADE = {
    **{name: lambda scores, name=name: resolve(mask_rules.make(name, **RULES[name]), scores) for name in RULES},
    "ha.causal": lambda scores: ha.causal.array(*scores.shape),
    "ha.strict": lambda scores: ha.strict.array(len(scores)),
    "ha.window": lambda scores: ha.window(3).array(*scores.shape),
    "ha.padding": lambda scores: ha.padding(range(len(scores))).array(len(scores)),
    "without": lambda scores: resolve(Without.of([1, 3], 2), scores),
    "several": lambda scores: resolve(joint("causal", ha.window(9), "strict"), scores),
    "alibi": lambda scores: ha.positions.alibi(4, *scores.shape),
}
"""How each mask, or bias, is made as an array for scores."""


@pytest.mark.parametrize("name", MADE)
def test_a_mask_takes_little_more_memory_than_its_array(name):
    make, scores = MADE[name], np.random.default_rng(0).normal(size=(1024, 1024))
    make(scores[:8, :8])
    tracemalloc.start()
    mask = make(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (0 if mask is None else 2.2 * mask.nbytes) + 2**14


@pytest.mark.parametrize("make", [ha.causal.array, ha.window(3).array])
def test_a_mask_that_fits_into_the_memory_is_made(make, monkeypatch):
    n = 4200  # of float64, 141 MB; of booleans, 18 MB
    monkeypatch.setattr("hopattn.foundation.checks._memory", lambda: (1e8, 1e8))
    assert make(n).nbytes == n * n
    assert ha.padding([n] * n).array(n).nbytes == n * n
    with pytest.raises(ha.InvalidInput, match=r"would take"):
        make(2**15)


@given(n=st.integers(1, 8), m=st.integers(0, 8))
def test_masks_by_their_definition(n, m):
    m = n + m
    for i in range(n):
        for j in range(m):
            query = m - n + i  # the queries are the last n of the m tokens
            assert ha.causal.array(n, m)[i, j] == (j <= query)
            assert ha.window(3).array(n, m)[i, j] == (query - 3 < j <= query)
    assert np.array_equal(ha.strict.array(n), np.tril(np.ones((n, n), bool), -1))


def test_padding_cuts_off_the_keys_of_short_texts():
    mask = ha.padding([2, 0, 3]).array(3)
    assert mask.shape == (3, 1, 3)
    assert mask[:, 0].tolist() == [[True, True, False], [False] * 3, [True] * 3]
    assert ha.padding(2).array(3).tolist() == [[True, True, False]]


@pytest.mark.parametrize("n_heads", [2, 3])  # with 3, there are as many heads as texts
def test_padding_of_texts_with_heads_is_that_of_each_text_in_all_its_heads(n_heads):
    lengths, q = [2, 4, 3], np.random.default_rng(0).normal(size=(3, n_heads, 4, 5))
    alone = [ha.attention(text, text[:, :k], text[:, :k]) for text, k in zip(q, lengths, strict=True)]
    np.testing.assert_allclose(ha.attention(q, q, q, mask=ha.padding(lengths)), alone, atol=1e-14)


@pytest.mark.parametrize("call", [ha.Step(), ha.Step().weights, ha.transformer.free_energy, ha.attention])
def test_the_rule_of_padded_texts_is_its_array(call):
    rng, rule = np.random.default_rng(1), ha.padding([3, 1])
    texts = [rng.normal(size=(2, n, 4)) for n in ((5, 3, 3) if call is ha.attention else (5, 3))]
    found, expected = (call(*texts, mask=mask) for mask in (rule, rule.array(3)))
    name = "free" if call is ha.transformer.free_energy else "T"
    assert np.array_equal(getattr(found, name), getattr(expected, name))


def test_two_rules_are_joined_and_shown_as_they_are_written():
    q = np.random.default_rng(2).normal(size=(2, 3, 4))
    both = ha.causal & ha.padding([3, 2])
    array = ha.causal.array(3) & ha.padding([3, 2]).array(3)
    assert np.array_equal(ha.attention(q, q, q, mask=both), ha.attention(q, q, q, mask=array))
    assert (
        repr(both) == "ha.causal & ha.padding([3, 2])" and repr(ha.window(2) & "strict") == "ha.window(2) & ha.strict"
    )
    assert ha.padding([3, 2]) == ha.padding(np.array([3, 2])) != ha.padding([3, 1])


@pytest.mark.parametrize("call", [ha.Step(), ha.Step().weights, ha.Memory(np.eye(4)).step])
def test_one_cue_takes_the_rule_of_one_length(call):
    cue, keys = np.arange(4.0), np.eye(4)
    of_memory = getattr(call, "__name__", "") == "step"
    found, expected = (call(cue, *([] if of_memory else [keys]), mask=m) for m in (ha.padding(2), np.arange(4) < 2))
    assert np.array_equal(found, expected)


def test_the_rule_of_padded_texts_is_compiled(torch):
    rule, q = ha.padding([3, 2]), torch.ones(2, 3, 4)
    for call in (partial(ha.attention, mask=rule), partial(ha.Step(), mask=rule)):
        compiled = torch.compile(lambda q, call=call: call(q, q, q), fullgraph=True, backend="eager")
        torch.testing.assert_close(compiled(q), call(q, q, q))


@given(data=st.data())
def test_a_mask_with_too_few_or_too_many_axes_of_one_is_told_the_shape_that_fits(data):
    """The axes differ in size, so that one shape alone can be meant."""
    scores = np.zeros((2, 3, 4, 5))
    axes = [n if data.draw(st.booleans()) else 1 for n in scores.shape]
    mask = np.random.default_rng(0).random(axes) < 0.5
    kept = [n for n in axes[:-1] if n > 1 or data.draw(st.booleans())]
    given = mask.reshape(*[1] * data.draw(st.integers(0, 2)), *kept, axes[-1])
    try:
        found = resolve(given, scores)
    except ha.InvalidInput as error:
        shape = re.fullmatch(r"mask: shape .* reshape it to \((.*)\)", str(error)).group(1)
        found = resolve(given.reshape([int(n) for n in shape.split(",")]), scores)
    assert np.array_equal(np.broadcast_to(found, scores.shape), np.broadcast_to(mask, scores.shape))


def test_nonzero_looks_at_the_scores():
    scores = np.array([[1.0, 0.0, 1e-17], [0.0, 0.0, 0.0]])
    assert resolve("nonzero", scores).tolist() == [[True, False, True], [False, False, False]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e10])
def test_nonzero_forgives_what_rounding_leaves_of_a_zero(dtype, scale):
    query = np.array([[0.1, 0.2, 0.3]], dtype=dtype)
    keys = np.array([[3.0, 0.0, -1.0], [0.1, 0.1, 0.1]], dtype=dtype)  # the first is orthogonal, up to rounding
    for similarity in ("dot", "cosine"):
        memory = ha.Memory(keys, similarity=similarity)
        weights = memory.weights(query * dtype(scale), "nonzero")
        assert weights.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("name", RULES)
def test_the_same_on_every_library(name, library):
    scores = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]])
    rule = mask_rules.make(name, **RULES[name])
    found, expected = resolve(rule, library.array(scores)), resolve(rule, scores)
    assert (found is None) == (expected is None)
    if found is not None:
        assert np.array_equal(library.numpy(found), np.asarray(expected))


def test_nonzero_of_one_cue_is_that_of_a_batch_of_one():
    memory, cue = ha.Memory([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]), np.array([0.5, 0.0])
    assert np.array_equal(memory.weights(cue, "nonzero"), memory.weights(cue[None], "nonzero")[0])
    assert memory.step(cue, "nonzero").shape == (2,)


def test_lengths_of_padded_texts_may_be_of_any_library(torch, jax):
    for make in (torch.tensor, jax.numpy.asarray, np.asarray):
        assert np.array_equal(ha.padding(make([3, 4])).array(5), ha.padding([3, 4]).array(5))


@pytest.mark.parametrize("n", [6, 1100])  # 1100 words go over blocks of queries and keys
def test_several_masks_together_allow_what_each_allows(n):
    words, seen = np.random.default_rng(0).normal(size=(n, 3)), np.random.default_rng(1).random((n, n)) < 0.6
    head, both = ha.Head(*[np.eye(3)] * 3, mask="causal"), seen & ha.causal.array(n)
    weights = head.trace(words, seen).weights
    assert np.array_equal(weights > 0, both)
    np.testing.assert_allclose(weights, ha.Memory(words).weights(words, both), atol=1e-15)
    np.testing.assert_allclose(head(words, seen), weights @ words, atol=1e-12)
