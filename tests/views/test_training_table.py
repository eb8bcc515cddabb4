"""The table of a training on the terminal, and the command that trains."""

import pytest

import hopattn as ha
from hopattn.scenario.files import shipped_folder
from hopattn.views.training_table import show_training


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
