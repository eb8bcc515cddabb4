"""The table of a sweep on the terminal."""

import numpy as np

from hopattn.experiments.sweep.table import Sweep
from hopattn.scenario.language.paths import last_keys
from hopattn.views.tables import show_sweep


def test_the_axes_of_a_sweep_have_the_last_keys_of_their_paths_as_headings(capsys):
    axes = {"layer.head.beta": (1, 2), 'cue."half of R".flip': (0.1,)}
    show_sweep(Sweep(axes, 1, {"steps": np.ones((2, 1, 1))}))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines[:3]] == [["beta", "flip", "steps"], ["1", ".1", "1"], ["2", ".1", "1"]]


def test_two_axes_with_the_same_last_key_keep_their_whole_paths():
    paths = ["layer.1.head.beta", "layer.2.head.beta", "network.neuron.2", "no path"]
    assert list(last_keys(paths).values()) == [*paths[:2], "neuron.2", "no path"]
