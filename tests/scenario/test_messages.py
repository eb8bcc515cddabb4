"""Messages on a graph of words: written edges, masks as missing edges, several layers, and the messages of errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.refusal import assert_refused, problems

TEXT = """schema = 1
title = "messages"
source = "ours"
kind = "messages"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1, 0]
b = [0.5, 2]
c = [-1, 1]
[input]
tokens = ["a", "b", "c", "a"]
[[layer]]
[[layer.head]]
mask = "none"
"""
LABELS = ("a#1", "b", "c", "a#2")
WORDS = np.array([[1, 0], [0.5, 2], [-1, 1], [1, 0]])


def found(text=TEXT, changes=None):
    return ha.run(parse(text, "f.toml", "f"), overrides=changes).arrays


@pytest.mark.parametrize(("mask", "edges"), [("none", 16), ("causal", 10), ("strict", 6)])
def test_a_mask_is_the_edges_that_are_missing(mask, edges):
    arrays = found(changes={"layer.head.mask": mask})
    assert arrays["edges"].values == edges
    assert arrays["difference"].values < 1e-12


@settings(max_examples=count(60, 10), deadline=None)
@given(st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.sampled_from(["softmax", "identity"]))
def test_written_edges_are_the_sums_over_the_neighbours(edges, separation):
    written = [[LABELS[i], LABELS[j]] for i, j in sorted(edges)]
    changes = {"graph": {"edges": written}, "layer.head.separation": separation}
    arrays = found(changes=changes)
    for i in range(4):
        near = [j for j in range(4) if (i, j) in edges]
        scores = WORDS[near] @ WORDS[i]
        weights = np.exp(scores) / np.exp(scores).sum() if separation == "softmax" else scores
        received = weights @ WORDS[near] if near else np.zeros(2)
        np.testing.assert_allclose(arrays["layer 1 head 1 messages"].values[i], received, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(arrays["layer 1 state"].values[i], WORDS[i] + received, rtol=1e-12, atol=1e-12)
    assert arrays["edges"].values == len(edges)


def test_two_heads_two_layers_and_a_word_of_padding():
    text = (
        TEXT.replace('"a"]\n', '"a"]\npadding = "c"\n') + "[[layer.head]]\nbeta = 2\n" + TEXT[TEXT.index("[[layer]]") :]
    )
    arrays = found(text)
    assert arrays["edges"].values == 4 * 3 + (1 + 2 + 2 + 3) + 4 * 3
    assert arrays["difference"].values < 1e-12


def test_other_words_receive_messages_from_the_text():
    text = TEXT.replace('"a"]\n', '"a"]\nqueries = ["c"]\n')
    arrays = found(text, {"graph": {"edges": [["c", "b"], ["c", "a#2"]]}})
    weights = np.exp(WORDS[[1, 3]] @ WORDS[2])
    expected = weights @ WORDS[[1, 3]] / weights.sum()
    np.testing.assert_allclose(arrays["layer 1 head 1 messages"].values, [expected], rtol=1e-12)
    assert (arrays["edges"].values, arrays["difference"].values < 1e-12) == (2, True)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('edges = [["b", "d"]]', "18: graph.edges"),
        ('edges = [["b", "a"]]', "18: graph.edges.1: 'a' occurs 2 times; write a#1 or a#2"),
        ('edges = [["b", "c"], ["b", "c"]]', "18: graph.edges: 'b → c' is given 2 times"),
        ('edges = [["b", "c", "c"]]', "18: graph.edges.1"),
        ("edges = []", "18: graph.edges"),
        ('edge = [["b", "c"]]', "18: graph.edge"),
    ],
)
def test_edges_that_do_not_fit_are_reported_with_their_line(lines, message):
    assert_refused(TEXT + "[graph]\n" + lines + "\n", message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('mask = "none"', ""), 'mask: the edges say who attends to whom; write mask = "none"'),
        (('mask = "none"', 'mask = "strict"'), "mask: the edges say who attends to whom"),
        (('mask = "none"', f"weights = {np.eye(4).tolist()}"), "weights: goes by places, which a graph has not"),
        (('"a"]\n', '"a"]\nbatch = [["a", "b", "c", "b"]]\n'), "batch: only kind 'attention' has batch"),
        (('["a", "b", "c", "a"]', str(["a"] * 2000).replace("'", '"')), "would take about"),
    ],
)
def test_values_that_do_not_fit_are_reported(change, message):
    text = TEXT.replace(*change) + '[graph]\nedges = [["b", "c"]]\n'
    assert any(message in line for line in problems(text))


def test_the_explanation_has_every_message():
    arrays = ha.run(parse(TEXT, "f.toml", "f"), overrides={"layer.head.separation": "identity"}, explain=True)
    lines = "\n".join(arrays.runs[0].working)
    assert "  b → c: 1.5×(.5, 2) = (.75, 3)" in lines
    assert lines.endswith("16 edges; the largest difference from the matrix form is 0")
