"""`hopattn compare` from the command line: random patterns, scenarios and files, and wrong usage."""

import csv
import io
import json
import re

import numpy as np
import pytest
from PIL import Image

from hopattn.scenario.files import shipped
from tests.counts import spread
from tests.each import each

WITH_KEYS = [
    name
    for name, file in shipped().items()
    if re.search('^kind = "(attention|memory)"', file.read_text(encoding="utf-8"), re.MULTILINE)
]
"""The shipped scenarios that have keys and cues."""
FEW = ("--trials", "2", "--dim", "16")


def test_random_patterns_are_a_table_a_line_for_each_column_and_a_sentence(hopattn):
    code, out, err = hopattn("compare", *FEW)
    (about, *table), words, legend = (part.split("\n") for part in out.split("\n\n"))
    assert (code, err) == (0, "")
    assert about.startswith("2 random patterns of ±1 of 16 neurons")
    names = ["hopfield", "dense", "modern", "sparse", "linear", "nearest"]
    assert [line.split()[0] for line in table] == ["memory", *names]
    assert "at rest: share of the cues that reached a fixed point" in legend
    assert "One step of modern is attention, up to rounding." in " ".join(words)
    assert table[0].split() == ["memory", "one", "step", "fixed", "point", "steps", "at", "rest", "cosine"]
    assert "██████████  100 %" in table[3] and len(legend) == 7  # 5 columns, --all, the end


def test_all_shows_every_measure_and_says_what_one_step_was_compared_with(hopattn):
    _, out, err = hopattn("compare", *FEW, "--all")
    assert any("rounding" in line for line in out.split("\n") if line.startswith("modern"))
    assert "stored numbers: " in out and "--all" not in out
    held = "beside attention: computed independently with NumPy"
    assert err in (f"{held}\n", f"{held} and with PyTorch\n")
    assert hopattn("compare", *FEW, "--memories", "nearest", "--all")[2] == ""


@pytest.mark.parametrize("name", spread(WITH_KEYS, 8))
def test_the_comparison_of_a_scenario_fits_on_one_screen(hopattn, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = hopattn("compare", name)
    lines = out.splitlines()
    assert code in (0, 2)
    assert len(lines) + err.count("\n") + 2 <= 24, out  # the command and the next prompt
    assert max(map(len, lines), default=0) <= 80, out


def test_a_grid_is_printed_drawn_and_kept(hopattn, tmp_path):
    grid = ("--over", "load=0.1:0.5:3", "--memories", "dense, modern")
    code, _, err = hopattn("compare", *FEW, *grid, "--csv", "a.csv", "--figure", "b/a.png")
    assert code == 0
    assert {"b/a.png", "a.csv"} <= set(err.split("\n"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert [(row["memory"], row["load"]) for row in rows] == [
        (m, x) for x in ("0.1", "0.3", "0.5") for m in ("dense", "modern")
    ]
    with Image.open(tmp_path / "b/a.png") as picture:
        assert picture.size == (1920, 1080)
    parsed = json.loads(hopattn("compare", *FEW, *grid, "--json")[1])
    assert [f"{row['recalled']}" for row in parsed["rows"]] == [row["recalled"] for row in rows]


def test_the_lectures_bank_is_compared(hopattn):
    code, out, _ = hopattn("compare", "bank", "--memories", "modern,linear", "--all")
    assert code == 0
    assert [line.split()[:2] for line in out.split("\n") if " river " in line] == [
        ["modern", "river"],
        ["linear", "river"],
    ]
    assert ["river:", "nearest", "at", "the", "end", "muddy", "rivers", "banks"] in [
        line.split() for line in out.split("\n")
    ]
    assert "One step of modern is attention" in out
    beta = json.loads(hopattn("compare", "bank", "--over", "beta=1,2", "--json")[1])
    assert {row["beta"] for row in beta["rows"]} == {1, 2}


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("bank", "; 2 cues that may see no key are left out"),
        ("aaba", "; 1 head is left out, without dot products, with a bias, or with a mask that hides every key"),
        ("letters", None),
    ],
)
def test_what_is_left_out_of_a_scenario_is_said_with_the_reason(hopattn, name, left_out):
    words = " ".join(hopattn("compare", name, "--memories", "nearest")[1].split())
    assert left_out in words if left_out else "left out" not in words


def test_a_comparison_in_which_nothing_takes_part_is_a_sentence(hopattn):
    code, out, _ = hopattn("compare", "bank", "--memories", "classical,dense")
    assert code == 0
    assert "hopfield and dense could not take part" in " ".join(out.split()) and "--all" not in out
    assert not any(line.startswith(("memory ", "beta")) for line in out.split("\n"))


def test_heads_and_patterns_come_from_files(hopattn, tmp_path):
    rng = np.random.default_rng(2)
    np.savez(tmp_path / "heads.npz", **{name: rng.normal(size=(2, 5, 4)) for name in "qkv"})
    code, out, _ = hopattn("compare", "heads.npz", "--mask", "causal", "--memories", "modern", "--json")
    assert code == 0
    assert [(row["where"], row["beta"], row["is_attention"]) for row in json.loads(out)["rows"]] == [
        ("head 1", 0.5, True),
        ("head 2", 0.5, True),
    ]
    np.save(tmp_path / "own.npy", rng.choice([-1.0, 1.0], size=(3, 20)))
    few = ("--noise", "0", "--memories", "nearest,modern", "--trials", "1")
    code, out, _ = hopattn("compare", "own.npy", *few, "--json")
    assert (code, [row["recalled"] for row in json.loads(out)["rows"]]) == (0, [1.0, 1.0])


@each(
    ("arguments", "message"),
    [
        (("bnk",), "there is no scenario or file 'bnk'; did you mean 'bank'?"),
        (("none.npz",), "there is no file 'none.npz'"),
        (("bank", "--load", "0.1"), "--load: does not go with a scenario"),
        (("bank", "--over", "noise=0.1,0.2"), "--over: noise does not go with a scenario, only beta"),
        (("--mask", "causal"), "--mask: does not go with random patterns"),
        (("--memories", "softmx"), "memories: 'softmx' is unknown; did you mean 'softmax'?"),
        (("--memories", ""), "memories: '' is unknown"),
        (("--over", "bta=1,2"), "--over: 'bta' is unknown; did you mean 'beta'?"),
        (("--over", "beta"), "--over 'beta': expected KEY=GRID"),
        (("--over", "beta="), "--over beta: a number is missing"),
        (("--over", "beta=3:1:2"), "--over beta: '3:1:2' runs from 3 to 1"),
        (("--over", "beta=1,x"), "--over beta: 'x' is not a number"),
        (("--over", "beta=0,1"), "beta: expected a positive finite number, not 0"),
        (("--over", "beta=1,2", "--over", "beta=1,2"), "--over beta: is given twice"),
        (("bank", "--over", "beta=1,2", "--beta", "1"), "beta: is given both as a number and as an axis"),
        (("--beta", "nan"), "beta: expected a positive finite number"),
        (("--patterns", "spin"), "patterns: 'spin' is unknown; did you mean 'spins'?"),
        (("--trials", "0"), "trials: expected a whole number"),
        (("--measure", "steps"), "--measure: is what a figure shows; write --figure too"),
        (("--measure", "step", "--figure", "a.svg"), "--measure: 'step' is unknown; did you mean 'steps'"),
        (("--csv", "out.xlsx"), "--csv: out.xlsx: expected a file that ends in .csv"),
        (("--figure", "a.gif"), "--figure: a.gif: expected a file that ends in .svg, .pdf or .png"),
        (
            (
                *FEW,
                "--memories",
                "nearest",
                "--figure",
                "a.png",
                "--over",
                "load=0.1,0.2",
                "--over",
                "noise=0,0.1",
                "--over",
                "hidden=0,0.1",
            ),
            "figure: a figure shows one axis or two, not load, noise, hidden",
        ),
    ],
)
def test_wrong_usage_is_reported_in_a_line(hopattn, tmp_path, arguments, message):
    code, out, err = hopattn("compare", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_exit_code_3(hopattn, tmp_path):
    (tmp_path / "there").write_text("a file")
    assert hopattn("compare", *FEW, "--csv", "there/a.csv")[0] == 3
