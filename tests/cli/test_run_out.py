"""What run writes: results, figures, and practice sheets."""

import csv
import hashlib
import json

import numpy as np
import pytest
from PIL import Image

from hopattn.scenario.files import shipped


def test_the_folder_holds_every_file(hopattn, tmp_path):
    assert hopattn("run", "bank", "--out", "kept/here")[0] == 0
    folder = tmp_path / "kept/here"
    assert {path.name for path in folder.iterdir()} == {
        "arrays.npz",
        "result.json",
        "expectations.csv",
        "provenance.json",
    }
    with np.load(folder / "arrays.npz") as arrays:
        assert arrays["layer 1 head 1 weights"][3, 1] == 0.7
        assert "river/layer 1 state" in arrays
    assert json.loads((folder / "result.json").read_text())["ok"]
    rows = list(csv.DictReader((folder / "expectations.csv").read_text().splitlines()))
    assert [row["met"] for row in rows] == ["True"] * 4
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["sha256"] == hashlib.sha256(shipped()["bank"].read_bytes()).hexdigest()
    assert provenance["versions"]["numpy"] == np.__version__
    assert provenance["command"] == "hopattn run bank --out kept/here"


def test_one_array_is_printed_as_csv(hopattn):
    code, out, _ = hopattn("run", "five-neurons", "--out", "-.csv", "--array", "as written/couplings")
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0 and [row["to"] for row in rows] == list("12345") and float(rows[0]["3"]) == 0.2
    code, out, _ = hopattn("run", "hopfield", "--out", "-.csv", "--array", "as written/couplings")
    assert code == 0 and len(out.splitlines()) == 36  # more neurons than `run` shows
    err = hopattn("run", "five-neurons", "--out", "-.csv", "--array", "couplngs")[2]
    assert err.startswith("--array: ") and "did you mean 'couplings'" in err


@pytest.mark.parametrize(
    ("array", "row"),
    [
        ("weights", "river,banks,0.1,,,0.0,0.7,0.62"),
        ("layer 1 head 1 weights", "as written,banks,0.1,0.7,0.62,0.0"),
        ("river/weights", "query,in,muddy,"),
    ],
)
def test_a_short_name_is_resolved_as_in_an_expectation(hopattn, array, row):
    code, out, _ = hopattn("run", "bank", "--out", "-.csv", "--array", array)
    assert code == 0 and any(line.startswith(row) for line in out.splitlines())


def test_several_arrays_of_a_name_are_told(hopattn):
    code, _, err = hopattn("run", "induction", "--out", "-.csv", "--array", "weights")
    assert code == 2 and err.startswith(
        "--array: 2 arrays are called 'weights'; give the layer and head, or a whole name"
    )


def test_two_runs_write_the_same_bytes(hopattn, tmp_path):
    for name in ("one", "two"):
        hopattn("run", "random-features", "--out", name)
    for file in ("arrays.npz", "result.json", "expectations.csv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_a_folder_or_file_that_exists_stays_as_it_was(hopattn, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/file").write_text("mine")
    (tmp_path / "text").write_text("mine")
    for name in ("mine", "text"):
        code, _, err = hopattn("run", "bank", "--out", name)
        assert code == 2
        assert "is left as it is" in err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "mine", "text"]


def test_run_draws_in_every_format_that_is_asked_for(hopattn, tmp_path):
    code, _, errors = hopattn("run", "quadratic", "--figure", "all", "--out", "slides/", "--as", "svg, png,gif")
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "slides").iterdir()) == [
        "quadratic-growth.png",
        "quadratic-growth.svg",
    ]
    assert "growth.png" in errors


def test_the_named_figures_alone_are_drawn_in_a_size_and_a_style(hopattn, tmp_path):
    options = ("--size", "3.4x2.4", "--style", "paper", "--no-title", "--out", "column/")
    code, _, _ = hopattn("run", "bank", "--figure", "words,attention", *options)
    assert code == 0
    assert sorted(path.stem for path in (tmp_path / "column").iterdir()) == ["bank-attention", "bank-words"]
    svg = (tmp_path / "column" / "bank-words.svg").read_text(encoding="utf-8")
    assert 'width="244.8pt" height="172.8pt"' in svg  # 72 points an inch
    assert "next to" not in "".join(svg.split("</metadata>")[1:]), "the title is left out of the picture"
    assert "<title>banks, next to 'financial'</title>" in svg.replace("&#x27;", "'").replace("&apos;", "'")


def test_a_run_is_chosen_by_its_name(hopattn, tmp_path):
    assert hopattn("run", "bank", "--figure", "attention", "--set", "figure.run=river")[0] == 0
    svg = (tmp_path / "figures" / "bank-attention.svg").read_text(encoding="utf-8")
    assert "muddy" in svg and "financial<" not in svg.split("</metadata>")[1]


def test_a_png_fills_a_projector_and_takes_other_shapes_and_finer_pixels(hopattn, tmp_path):
    for options, pixels in (
        ((), (1920, 1080)),
        (("--size", "4:3"), (1920, 1440)),
        (("--size", "16:9", "--dpi", "300"), (3840, 2160)),
        (("--style", "paper", "--size", "16 : 9"), (1020, 573)),
    ):
        code, _, errors = hopattn("run", "bank", "--figure", "attention", "--out", "attention.png", *options)
        assert code == 0, errors
        with Image.open(tmp_path / "attention.png") as picture:
            assert (picture.size[0], abs(picture.size[1] - pixels[1]) <= 1) == (pixels[0], True), options
