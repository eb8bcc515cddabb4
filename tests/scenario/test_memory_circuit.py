"""The kind memory_circuit: its arrays, its arithmetic, and its messages."""

import pytest

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems

TEXT = """schema = 1
title = "a circuit"
source = "ours"
kind = "memory_circuit"
[circuit]
widths = [16, 64]
words = 8
length = 40
triggers = 2
texts = 2
"""


def test_the_arrays_are_the_curves_of_the_circuit():
    result = ha.run(parse(TEXT, "file.toml", "file"), 5, explain=True)
    arrays = result.arrays
    assert arrays["probes"].labels == (("previous word", "same word", "output"), ("16", "64"))
    for i, name in enumerate(arrays["probes"].labels[0]):
        assert [arrays[f"{name} at {d}"].values for d in (16, 64)] == arrays["probes"].values[i].tolist()
    assert [arrays[f"accuracy at {d}"].values for d in (16, 64)] == arrays["accuracy"].values.tolist()
    assert arrays["capacity"].values.tolist() == [ha.circuits.recall_width(39), ha.circuits.recall_width(8, 2)]
    assert arrays["expected recall"].values[1, 0] == ha.circuits.outer_product_recall(8, 16, 2)
    assert any("√(16 × 8 × ln 8) = 16.31" in line for line in result.runs[0].working)


def test_another_seed_draws_other_circuits():
    one, same, other = (ha.run(parse(TEXT, "file.toml", "file"), seed).to_json() for seed in (1, 1, 2))
    assert one == same != other.replace('"seed": 2', '"seed": 1')


@each(
    ("change", "message"),
    [
        (("triggers = 2", "triggers = 8"), "circuit.triggers: 8 of 8 words leave none for a follower"),
        (("[16, 64]", "[16, 64, 16]"), "circuit.widths: 16 is given 2 times; expected different numbers"),
        (("[16, 64]", "[]"), "circuit.widths: is empty"),
        (("[16, 64]", "[0.5]"), "circuit.widths.1: got 0.5"),
        (("[16, 64]", "[100000]"), "would take about"),
        (("length = 40", "length = 1000000"), "would take about"),
        (("length = 40", "length = 1"), "circuit.length: got 1; expected at least 2"),
        (("words = 8", "words = 1"), "circuit.words: got 1; expected at least 2"),
        (("words = 8", "word = 8"), "did you mean 'words'"),
        (("texts = 2", "beta = 0"), "circuit.beta: got 0; expected more than 0"),
        (("texts = 2", '[[expect]]\nmeasure = "accuracy at 32"\nis = 1'), "'accuracy at 32' is unknown"),
    ],
)
def test_values_that_do_not_fit_are_reported(change, message):
    assert any(message in line for line in problems(TEXT.replace(*change)))


def test_texts_in_which_no_trigger_comes_twice_are_refused_with_their_line():
    with pytest.raises(ha.InvalidInput, match=r"no trigger comes twice in 2 words; expected longer texts"):
        ha.run(parse(TEXT.replace("length = 40", "length = 2"), "file.toml", "file"))
