"""`hopattn sweep` from the command line: its table, its files, an interruption and its continuation, wrong input."""

import json
import os
import shlex
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from hopattn.experiments.sweeps.checkpoint import read_checkpoint
from tests.processes import started

SMALL = ("--set", "ensemble.neurons=40", "--set", "ensemble.max_steps=2", "--trials", "2", "--workers", "1")
AXES = ("--over", "load=0.1,0.2", "--over", "temperature=0.1:0.9:3")


def test_a_sweep_prints_a_table_and_writes_what_is_asked_for(hopattn, tmp_path):
    files = ("table.csv", "table.npz", "table.json", "map.svg")
    outs = [part for name in files for part in ("--out", name)]
    code, out, err = hopattn("sweep", "phases", *SMALL, *AXES, *outs)
    assert code == 0
    lines = out.splitlines()
    assert lines[0].split() == ["load", "temperature", "patterns", "neurons", "overlap"] and len(lines) == 1 + 6 + 1
    assert lines[-1] == "6 points; [ ]: 95 % interval (Student's t) of 2 trials"
    kept = "finished points are saved in phases-points.jsonl: the same command reuses them; or delete the file"
    assert err.splitlines()[-6:] == ["6 of 6 points", *files, kept]
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    assert table["load"].tolist() == [0.1, 0.1, 0.1, 0.2, 0.2, 0.2]
    with np.load(tmp_path / "table.npz") as archive:
        arrays = dict(archive)
    assert arrays["overlap"].shape == (2, 3, 2)
    assert np.allclose(arrays["overlap"].mean(axis=-1).ravel(), table["overlap"])
    assert json.loads((tmp_path / "table.json").read_text())["axes"]["temperature"] == [0.1, 0.5, 0.9]
    assert b"temperature" in (tmp_path / "map.svg").read_bytes()
    assert len(read_checkpoint(tmp_path / "phases-points.jsonl")[1]) == 6
    code, again, err = hopattn("sweep", "phases", *SMALL, *AXES, "--json")
    assert err.splitlines() == [kept]
    assert code == 0 and json.loads(again) == json.loads((tmp_path / "table.json").read_text())


def test_an_incomplete_file_is_repaired_and_that_is_said(hopattn, tmp_path):
    _, out, _ = hopattn("sweep", "phases", *SMALL, *AXES, "--points", "p.jsonl")
    file = tmp_path / "p.jsonl"
    file.write_bytes(file.read_bytes()[:-5])
    code, again, err = hopattn("sweep", "phases", *SMALL, *AXES, "--points", "p.jsonl")
    assert code == 0 and again == out and "p.jsonl: the last line was incomplete; its point is computed again" in err
    assert err.splitlines()[-1].startswith("finished points are saved in p.jsonl")


def test_the_points_of_another_sweep_are_left_as_they_are(hopattn, tmp_path):
    hopattn("sweep", "phases", *SMALL, *AXES)
    before = (tmp_path / "phases-points.jsonl").read_bytes()
    code, _, err = hopattn("sweep", "phases", *SMALL, "--over", "load=0.1,0.3")
    assert code == 2 and "holds another sweep (temperature: " in err
    assert (tmp_path / "phases-points.jsonl").read_bytes() == before


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize(
    "text", ["{", "{}", '{"sweep":', '{"sweep": "of my chimney"}', '{"sweep": 2, "year": 1987}', '{"point": 1}', " "]
)
def test_a_file_of_ones_own_is_no_file_of_points_and_stays_as_it_is(hopattn, text, end):
    Path("mine.json").write_text(text + end)
    code, out, err = hopattn("sweep", "phases", *SMALL, *AXES, "--points", "mine.json")
    assert (code, out) == (2, "") and err.startswith("mine.json:1: expected ") and "is left as it is" in err
    assert Path("mine.json").read_text() == text + end


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_stops_and_the_printed_command_goes_on(hopattn, tmp_path, workers):
    words = ["sweep", "phases", "--set", "ensemble.neurons=100", "--trials", "60", "--workers", workers]
    words += ["--over", "load=0.05:0.2:16"]
    running = started(tmp_path, *words, text=True)
    file, deadline = tmp_path / "phases-points.jsonl", time.monotonic() + 120
    while time.monotonic() < deadline and (not file.exists() or file.read_bytes().count(b"\n") < 3):
        time.sleep(0.02)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130 and out == "" and "Traceback" not in err
    assert f"finished points are kept in {file.name}; go on with:" in err
    again = next(shlex.split(line) for line in err.splitlines() if "-c" in line or line.startswith("  hopattn"))
    assert again[-len(words) :] == words
    finished = len(read_checkpoint(file)[1])
    assert 2 <= finished < 16
    code, out, _ = hopattn(*words)
    assert code == 0 and out.count("\n") == 18 and len(read_checkpoint(file)[1]) == 16
