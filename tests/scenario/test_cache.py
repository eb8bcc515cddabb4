"""The kind cache: word by word is all at once, and its counts of multiplications are those of loops."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from tests.texts import parsed

TEXT = shipped()["quadratic"].read_text(encoding="utf-8").partition("[[expect]]")[0]
WAYS = ("word_cached", "word_anew", "text_cached", "text_anew")


def run(text=TEXT, **overrides):
    return ha.run(parsed(text), overrides=overrides, explain=True)


def test_word_by_word_is_all_at_once_by_a_softmax_written_out():
    arrays = run().arrays
    x = arrays["input"].values
    powers = np.tril(np.exp(x @ x.T))
    rows = x + powers / powers.sum(axis=1, keepdims=True) @ x
    np.testing.assert_allclose(arrays["word by word"].values, rows, rtol=0, atol=1e-14)
    np.testing.assert_allclose(arrays["state"].values, rows, rtol=0, atol=1e-14)
    assert arrays["difference"].values < 1e-15


def test_counts_are_those_of_loops_over_two_layers():
    """One product for each row and column of a matrix, and for each number of a score or a weighted value."""
    arrays = run(f"{TEXT}\n[[layer]]\n[[layer.head]]\n[[layer.head]]\n", **{"cache.up_to": 9}).arrays
    counts = arrays["multiplications"]
    assert counts.labels == (("1", "2", "4", "8"), WAYS)
    words = [sum(heads * (3 * 2 * 2 + 2 * 2 + n * (2 + 2)) for heads in (1, 2)) for n in range(1, 9)]
    rows = [
        [words[n - 1], n * words[n - 1], sum(words[:n]), sum(k * word for k, word in enumerate(words[:n], start=1))]
        for n in (1, 2, 4, 8)
    ]
    assert counts.values.tolist() == rows
    for j, way in enumerate(WAYS):
        assert arrays[f"{way}_growth"].values == pytest.approx(np.log2(rows[3][j] / rows[2][j]), rel=1e-15)
        assert arrays[way].values == rows[2][j], "of the text itself, which has four words"


LAYER = 'norm = "layer"\nfeed_forward = { inner = [[1, 2], [0, 1]], outer = [[1, 0], [1, 1]] }\n'


@pytest.mark.parametrize("keys", [LAYER, 'norm = "rms"\n', "output = [[1, 2], [0, 1]]\n", "[[layer.head]]\nbeta = 2\n"])
def test_every_layer_is_computed_word_by_word_too(keys):
    arrays = run(TEXT.replace("[[layer]]\n", f"[[layer]]\n{keys}")).arrays
    assert not np.allclose(arrays["state"].values, run().arrays["state"].values)
    assert arrays["difference"].values < 1e-14


def test_growth_is_by_powers_of_the_number_of_words():
    arrays = run(**{"cache.up_to": 2**30}).arrays
    assert [float(arrays[f"{way}_growth"].values) for way in WAYS] == pytest.approx([1, 2, 2, 3], abs=1e-6)
    assert len(arrays["multiplications"].values) == 31
    assert arrays["multiplications"].values[-1, 3] > 2.0**64, "more than 64 bits hold"


def test_it_explains_the_counts():
    lines = "\n".join(run().runs[0].working)
    for line in (
        "take 2×2 + 2×2 + 2×2 + 2×2 = 16 multiplications",
        "word 4 with the cache: 16 + 4×4 = 32",
        "4×(16 + 4×4)",
    ):
        assert line in lines
