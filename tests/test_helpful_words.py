"""Words that help: a message tells what a new user meant, and how that is written."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.grids import axis_values
from hopattn.scenario.loading import parse
from tests.each import each

SPINS = [[1, -1, 1, -1], [1, 1, -1, -1]]
ENSEMBLE = """schema = 1
title = "t"
source = "ours"
kind = "ensemble"
[ensemble]
model = "hopfield"
neurons = 20
patterns = 2
flip = 0.2
"""


def of_file(text):
    return lambda: parse(text, "file.toml", "file")


@each(
    "call, words",
    [
        (
            lambda: ha.memories.hopfield([[0, 1, 1, 0]]),
            "row 0 holds 0; the neurons are spins, −1 or 1; for 0 and 1, write 2*x − 1",
        ),
        (lambda: ha.memories.dense(np.array(SPINS) > 0), "write 2*x − 1"),
        (lambda: ha.Hopfield(SPINS), "(2, 4); `ha.memories.hopfield(patterns)` makes the couplings of patterns"),
        (
            of_file(ENSEMBLE.replace("0.2", "20")),
            "9: ensemble.flip: got 20; expected at most 1; a fraction: write 0.2 for 20 %",
        ),
        (
            lambda: ha.experiments.compare_random(dim=8, n_patterns=2, noise=20),
            "noise: expected the fraction of spins that is reversed, 0 to 1, not 20; for 20 %, give 0.2",
        ),
        (of_file(ENSEMBLE.replace("schema = 1", "")), "schema: is missing; write schema = 1"),
        (of_file("# nothing\n"), "the file is empty: `hopattn new` writes one to begin with"),
        (lambda: ha.load("their-dog"), "there is no scenario or file 'their-dog'; did you mean 'induction'?"),
        (lambda: ha.load("banks"), "did you mean 'bank'?"),
        (lambda: ha.load("softmx"), "did you mean 'bank-softmax'?"),
        (
            lambda: ha.unit("0.6 0.8"),
            "unit: expected numbers such as [0.5, -1], not the text '0.6 0.8'; `numpy.load` reads a .npy",
        ),
        (lambda: ha.attention("q.npy", SPINS, SPINS), "q: expected numbers such as [0.5, -1], not the text 'q.npy'"),
        (
            lambda: ha.memories.hopfield(SPINS).recall(SPINS, update="glauber"),
            "update 'glauber': needs temperature; in Python, give Glauber(temperature=…)",
        ),
        (
            lambda: axis_values("0,05:0,2:3", "load"),
            "load: '0,05' is not a number; a number has a decimal point: write 0.05",
        ),
        (
            lambda: axis_values("0,1,0,2", "load"),
            "write the numbers in rising order; if the commas are decimal ones, write 0.1",
        ),
    ],
)
def test_a_message_tells_what_was_meant(call, words):
    with pytest.raises(ha.InvalidInput) as caught:
        call()
    assert words in str(caught.value)


def test_words_of_very_many_titles_lead_nowhere():
    titles = [
        file.read_text(encoding="utf-8").split("title", 1)[1].split("\n")[0].split() for file in shipped().values()
    ]
    assert sum("and" in title for title in titles) > 10
    with pytest.raises(ha.InvalidInput, match=r"no scenario or file 'and' \("):
        ha.load("and")


def test_a_table_with_semicolons_has_advice_how_to_save_it(hopattn, tmp_path):
    (tmp_path / "mine.csv").write_text("0,5;1,2\n0,7;2,5\n")
    assert "save a table with semicolons with commas between its numbers" in hopattn("compare", "mine.csv")[2]
