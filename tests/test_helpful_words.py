"""Words that help: a message tells what a new user meant, and how that is written."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.grids import axis_values
from tests.refusal import refused
from tests.texts import GOOD, parsed

SPINS = [[1, -1, 1, -1], [1, 1, -1, -1]]
HELP = [
    (lambda: ha.memories.hopfield([[0, 1, 1, 0]]), "", "row 0 holds 0", "2*x − 1"),
    (lambda: ha.memories.dense(np.array(SPINS) > 0), "", "2*x − 1"),
    (lambda: ha.Hopfield(SPINS), "", "(2, 4)", "`ha.memories.hopfield(patterns)`"),
    (lambda: ha.run("capacity", overrides={"ensemble.flip": 20}), "", "ensemble.flip: ", "write 0.2 for 20 %"),
    (lambda: ha.experiments.compare_random(dim=8, n_patterns=2, noise=20), "noise: ", "0 to 1", "for 20 %, give 0.2"),
    (lambda: parsed(GOOD.replace("schema = 1", "")), "", "schema: ", "write schema = 1"),
    (lambda: parsed("# nothing\n"), "", "empty", "`hopattn new`"),
    (lambda: ha.load("their-dog"), "", "'their-dog'", "'induction'"),
    (lambda: ha.load("banks"), "", "'bank'"),
    (lambda: ha.load("softmx"), "", "'bank-softmax'"),
    (lambda: ha.unit("0.6 0.8"), "unit: ", "not the text '0.6 0.8'", "`numpy.load`"),
    (lambda: ha.attention("q.npy", SPINS, SPINS), "q: ", "[0.5, -1]", "not the text 'q.npy'"),
    (
        lambda: ha.memories.hopfield(SPINS).recall(SPINS, update="glauber"),
        "update 'glauber': ",
        "Glauber(temperature=…)",
    ),
    (lambda: axis_values("0,05:0,2:3", "load"), "load: '0,05' ", "write 0.05"),
    (lambda: axis_values("0,1,0,2", "load"), "", "rising order", "write 0.1"),
]


@pytest.mark.parametrize(("call", "place", "words"), [(call, place, words) for call, place, *words in HELP])
def test_a_message_tells_what_was_meant(call, place, words):
    refused(call, place, *words)


def test_words_of_very_many_titles_lead_nowhere():
    titles = [ha.load(name).spec.title.split() for name in shipped()]
    assert sum("and" in title for title in titles) > 10
    with pytest.raises(ha.InvalidInput, match=r"no scenario or file 'and' \("):
        ha.load("and")
