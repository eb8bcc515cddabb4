"""`hopattn compare` from the command line: random patterns, scenarios and files, and wrong usage."""

import csv
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from hopattn.scenario.files import shipped

WITH_KEYS = [
    name
    for name, file in shipped().items()
    if re.search('^kind = "(attention|memory)"', file.read_text(encoding="utf-8"), re.MULTILINE)
]
"""The shipped scenarios that have keys and cues."""
FEW = ("--trials", "2", "--set", "dim=16")


@pytest.mark.parametrize("name", WITH_KEYS[::12])
def test_the_comparison_of_a_scenario_fits_on_one_screen(hopattn, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = hopattn("compare", name)
    lines = out.splitlines()
    assert code in (0, 2)
    assert len(lines) + err.count("\n") + 2 <= 24, out  # the command and the next prompt
    assert max(map(len, lines), default=0) <= 80, out


def test_a_grid_is_printed_drawn_and_kept(hopattn, tmp_path):
    grid = ("--over", "load=0.1:0.5:3", "--models", "dense, modern")
    code, _, err = hopattn("compare", *FEW, *grid, "--out", "a.csv", "--out", "b/a.png")
    assert code == 0
    assert {"b/a.png", "a.csv"} <= set(err.split("\n"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert [(row["memory"], row["load"]) for row in rows] == [
        (m, x) for x in ("0.125", "0.3125", "0.5") for m in ("dense", "modern")
    ]
    with Image.open(tmp_path / "b/a.png") as picture:
        assert picture.size == (1920, 1080)
    parsed = json.loads(hopattn("compare", *FEW, *grid, "--json")[1])
    assert [f"{row['recalled']}" for row in parsed["rows"]] == [row["recalled"] for row in rows]


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("bank", "; 2 cues that may see no key are left out"),
        ("aaba", "; 1 head is left out, without dot products, with a bias, or with a mask that hides every key"),
        ("letters", None),
    ],
)
def test_what_is_left_out_of_a_scenario_is_said_with_the_reason(hopattn, name, left_out):
    words = " ".join(hopattn("compare", name, "--models", "nearest")[1].split())
    assert left_out in words if left_out else "left out" not in words


def test_a_comparison_in_which_nothing_takes_part_is_a_sentence(hopattn):
    code, out, _ = hopattn("compare", "bank", "--models", "classical,dense")
    assert code == 0
    assert "hopfield and dense could not take part" in " ".join(out.split()) and "--long" not in out
    assert not any(line.startswith(("memory ", "beta")) for line in out.split("\n"))


def test_heads_and_patterns_come_from_files(hopattn, tmp_path):
    rng = np.random.default_rng(2)
    np.savez(tmp_path / "heads.npz", **{name: rng.normal(size=(2, 5, 4)) for name in "qkv"})
    code, out, _ = hopattn("compare", "heads.npz", "--mask", "causal", "--models", "modern", "--json")
    assert code == 0
    assert [(row["where"], row["beta"], row["is_attention"]) for row in json.loads(out)["rows"]] == [
        ("head 1", 0.5, True),
        ("head 2", 0.5, True),
    ]
    np.save(tmp_path / "own.npy", rng.choice([-1.0, 1.0], size=(3, 20)))
    few = ("--set", "noise=0", "--models", "nearest,modern", "--trials", "1")
    code, out, _ = hopattn("compare", "own.npy", *few, "--json")
    assert (code, [row["recalled"] for row in json.loads(out)["rows"]]) == (0, [1.0, 1.0])


def test_a_scenario_is_compared_with_the_nearest_word_of_each_cue_and_every_measure(hopattn):
    code, out, err = hopattn("compare", "bank", "--models", "modern,linear", "--long")
    lines = [line.split() for line in out.split("\n")]
    assert code == 0 and "One step of modern is attention" in out and "--long" not in out
    assert [line[0] for line in lines if line[1:2] == ["river"]] == ["modern", "linear"]
    assert ["river:", "nearest", "at", "the", "end", "muddy", "rivers", "banks"] in lines
    held = "beside attention: computed independently with NumPy"
    assert err in (f"{held}\n", f"{held} and with PyTorch\n")


def test_random_patterns_are_a_table_with_a_line_for_each_column_and_a_sentence(hopattn):
    code, out, err = hopattn("compare", *FEW)
    (about, *table), words, legend = (part.split("\n") for part in out.split("\n\n"))
    assert (code, err) == (0, "") and about.startswith("2 random patterns of ±1 of 16 neurons")
    names = ["memory", "hopfield", "dense", "modern", "sparse", "linear", "nearest"]
    assert [line.split()[0] for line in table] == names and len(legend) == 7  # 5 columns, --long, the end
    assert "One step of modern is attention, up to rounding." in " ".join(words)
