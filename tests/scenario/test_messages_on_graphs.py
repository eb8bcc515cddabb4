"""Messages on a graph of words: written edges, masks as missing edges, several layers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from tests.texts import parsed

TEXT = (
    'schema = 1\ntitle = "messages"\nsource = "ours"\nkind = "messages"\n[vocabulary]\naxes = ["x", "y"]\n'
    'magnitude = "free"\n[vocabulary.words]\na = [1, 0]\nb = [0.5, 2]\nc = [-1, 1]\n[input]\n'
    'tokens = ["a", "b", "c", "a"]\n[[layer]]\n[[layer.head]]\nmask = "none"\n'
)
LABELS = ("a#1", "b", "c", "a#2")
WORDS = np.array([[1, 0], [0.5, 2], [-1, 1], [1, 0]])


def found(text=TEXT, changes=None):
    return ha.run(parsed(text), overrides=changes).arrays


@pytest.mark.parametrize(("mask", "edges"), [("none", 16), ("causal", 10), ("strict", 6)])
def test_a_mask_is_the_edges_that_are_missing(mask, edges):
    arrays = found(changes={"layer.head.mask": mask})
    assert arrays["edges"].values == edges
    assert arrays["difference"].values < 1e-12


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
    padded = TEXT.replace('"a"]\n', '"a"]\npadding = "c"\n')
    arrays = found(f"{padded}[[layer.head]]\nbeta = 2\n{TEXT[TEXT.index('[[layer]]') :]}")
    assert arrays["edges"].values == 4 * 3 + (1 + 2 + 2 + 3) + 4 * 3
    assert arrays["difference"].values < 1e-12


def test_other_words_receive_messages_from_the_text():
    text = TEXT.replace('"a"]\n', '"a"]\nqueries = ["c"]\n')
    arrays = found(text, {"graph": {"edges": [["c", "b"], ["c", "a#2"]]}})
    weights = np.exp(WORDS[[1, 3]] @ WORDS[2])
    expected = weights @ WORDS[[1, 3]] / weights.sum()
    np.testing.assert_allclose(arrays["layer 1 head 1 messages"].values, [expected], rtol=1e-12)
    assert (arrays["edges"].values, arrays["difference"].values < 1e-12) == (2, True)


def test_the_explanation_has_every_message():
    arrays = ha.run(parsed(TEXT), overrides={"layer.head.separation": "identity"}, explain=True)
    lines = "\n".join(arrays.runs[0].working)
    assert "  b → c: 1.5×(.5, 2) = (.75, 3)" in lines
    assert lines.endswith("16 edges; the largest difference from the matrix form is 0")
