"""Tables on the terminal, their progress, and the texts around them."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.sweeps.table import Sweep
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.language.paths import last_keys
from hopattn.views import tables
from hopattn.views.tables import show_sweep
from hopattn.views.training_table import show_training


def test_the_axes_of_a_sweep_have_the_last_keys_of_their_paths_as_headings(capsys):
    axes = {"layer.head.beta": (1, 2), 'cue."half of R".flip': (0.1,)}
    show_sweep(Sweep(axes=axes, trials=1, values={"steps": np.ones((2, 1, 1))}))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:3]] == [["beta", "flip", "steps"], ["1", ".1", "1"], ["2", ".1", "1"]]


def test_two_axes_with_the_same_last_key_keep_their_whole_paths():
    paths = ["layer.1.head.beta", "layer.2.head.beta", "network.neuron.2", "no path"]
    assert list(last_keys(paths).values()) == [*paths[:2], "neuron.2", "no path"]


def test_the_table_has_eleven_steps_from_the_first_to_the_last(capsys):
    training = ha.circuits.Training.load(shipped_folder() / "circuits" / "two-layers.npz")
    show_training("two-layers", training)
    lines = capsys.readouterr().out.split("\n")
    assert lines[0] == "two-layers"
    assert [line.split()[0] for line in lines[2:13]] == [str(step) for step in range(0, 1001, 100)]
    assert "the energy of its head 3, the best at what followed, falls at" in " ".join(lines)


def test_the_command_trains_and_goes_on(hopattn):
    pytest.importorskip("torch", reason="PyTorch is not installed (the extra `torch`)")
    code, first, err = hopattn("train", "two-layers", "--steps", "2", "--out", "kept")
    assert (code, err.split("\n")[-2]) == (0, "kept in kept/two-layers.npz")
    assert hopattn("train", "two-layers", "--steps", "2", "--out", "kept")[:2] == (0, first)
    code, _, err = hopattn("train", "two-layers", "--steps", "3", "--out", "kept")
    assert code == 2
    assert "steps is 2 there and 3 here; choose another file; a finished training cannot be prolonged" in err


RESULT = ha.run(ha.load("bank"))


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (RESULT, ["Result('bank'", "attention", "seed 0", "4 expectations met, 0 missed", "as written, river"]),
        (RESULT.runs[1], ["Run('river'", "layer 1 head 1 weights"]),
        (ha.load("bank"), ["Scenario('bank'", "attention", "banks, next to", "river"]),
        (
            ha.experiments.compare_random(
                {"load": [0.1, 0.2]}, memories=["nearest", "classical"], trials=1, dim=8, rng=0
            ),
            ["Comparison(", "nearest, ", "over load, 4 rows, seed 0"],
        ),
        (
            ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, workers=1, trials=2, rng=0),
            ["Sweep(square over x 1 to 3 (3); 2 trials; .table() has the numbers)"],
        ),
        (ha.memories.named_memories["modern"], ["Card(name='modern'", "Ramsauer et al. 2021"]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_text_is_one_short_line(thing, words):
    text = repr(thing)
    assert [word for word in words if word not in text] == []
    assert len(text) < 300 and "\n" not in text and "array(" not in text and " at 0x" not in text


@pytest.fixture
def clock(monkeypatch):
    """A clock whose seconds the test sets."""
    times = [0.0]
    monkeypatch.setattr(tables, "monotonic", lambda: times[0])

    def at(seconds):
        times[0] = seconds

    return at


def test_long_work_says_how_much_is_done_and_what_is_left(clock, capsys):
    with tables.progress("scenarios", quick=True) as report:
        for done, seconds in ((0, 0), (1, 4), (2, 11), (3, 15), (4, 23)):
            clock(seconds)
            report(done, 4)
    assert capsys.readouterr() == ("", "2 of 4 scenarios, about 11 seconds left\n4 of 4 scenarios\n")


@pytest.mark.parametrize(("quick", "written"), [(True, ""), (False, "2 of 2 points\n")])
def test_quick_work_may_be_silent(clock, capsys, quick, written):
    with tables.progress(quick=quick) as report:
        report(0, 2)
        clock(3)
        report(2, 2)
    assert capsys.readouterr() == ("", written)
