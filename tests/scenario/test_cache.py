"""The kind cache: word by word is all at once, the counts are those of loops, and what is refused."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse

TEXT = shipped()["quadratic"].read_text(encoding="utf-8").partition("[[expect]]")[0]


def run(text=TEXT, **overrides):
    return ha.run(parse(text, "t.toml", "t", overrides), explain=True)


def test_word_by_word_is_all_at_once_by_a_softmax_written_out():
    arrays = run().arrays
    x = arrays["input"].values
    rows = []
    for i in range(4):
        powers = np.exp(x[: i + 1] @ x[i])
        rows.append(x[i] + powers / powers.sum() @ x[: i + 1])
    np.testing.assert_allclose(arrays["word by word"].values, rows, rtol=0, atol=1e-14)
    np.testing.assert_allclose(arrays["state"].values, rows, rtol=0, atol=1e-14)
    assert arrays["difference"].values < 1e-15


def test_counts_are_those_of_loops_over_two_layers():
    """One product for each row and column of a matrix, and for each number of a score or a weighted value."""
    arrays = run(f"{TEXT}\n[[layer]]\n[[layer.head]]\n[[layer.head]]\n", **{"cache.up_to": 9}).arrays
    counts = arrays["multiplications"]
    assert counts.labels[0] == ("1", "2", "4", "8")
    text_cached = text_anew = 0
    for n in range(1, 9):
        word = sum(heads * (3 * 2 * 2 + 2 * 2 + n * (2 + 2)) for heads in (1, 2))
        text_cached, text_anew = text_cached + word, text_anew + n * word
        if n in (1, 2, 4, 8):
            row = counts.values[[1, 2, 4, 8].index(n)]
            assert row.tolist() == [word, n * word, text_cached, text_anew]
    for j, way in enumerate(("word_cached", "word_anew", "text_cached", "text_anew")):
        growth = np.log2(counts.values[-1, j] / counts.values[-2, j])
        assert arrays[f"{way}_growth"].values == pytest.approx(growth, rel=1e-15)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "[[layer]]\n",
            '[[layer]]\nnorm = "layer"\nfeed_forward = { inner = [[1, 2], [0, 1]], outer = [[1, 0], [1, 1]] }\n',
        ),
        ("[[layer]]\n", '[[layer]]\nnorm = "rms"\n'),
        ("[[layer]]\n", "[[layer]]\noutput = [[1, 2], [0, 1]]\n"),
        ("[[layer.head]]\n", "[[layer.head]]\n[[layer.head]]\nbeta = 2\n"),  # heads that differ
    ],
)
def test_every_layer_is_computed_word_by_word_too(old, new):
    arrays = run(TEXT.replace(old, new)).arrays
    assert not np.allclose(arrays["state"].values, run().arrays["state"].values)
    assert arrays["difference"].values < 1e-14


def test_growth_is_by_powers_of_the_number_of_words():
    arrays = run(**{"cache.up_to": 2**30}).arrays
    growth = [float(arrays[f"{way}_growth"].values) for way in ("word_cached", "word_anew", "text_cached", "text_anew")]
    np.testing.assert_allclose(growth, [1, 2, 2, 3], atol=1e-6)
    assert arrays["multiplications"].values.dtype == np.float64  # more than 64 bits hold


def test_it_explains_the_counts():
    lines = "\n".join(run().runs[0].working)
    assert "take 2×2 + 2×2 + 2×2 + 2×2 = 16 multiplications" in lines
    assert "word 4 with the cache: 16 + 4×4 = 32" in lines


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[layer.head]]\n", '[[layer.head]]\nmask = "none"\n', "layer.1.head.1.mask: 'none' does not fit a text"),
        (
            "[[layer.head]]\n",
            f"[[layer.head]]\nscores = {np.eye(4).tolist()}\n",
            "layer.1: its similarity 'fixed_scores' goes by the places of texts of one length",
        ),
        ("up_to = 1024", "up_to = 1", "cache.up_to"),
        ("[input]\n", '[input]\npadding = "A"\n', "input.padding: only kind 'attention' has padding"),
        ('tokens = ["A"', 'tokens = ["C"', "input.tokens.1: 'C' is unknown"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(old, new, message):
    assert old in TEXT
    with pytest.raises(InvalidInput) as error:
        parse(TEXT.replace(old, new), "t.toml", "t")
    assert message in str(error.value)
    assert str(error.value).startswith("t.toml:")
