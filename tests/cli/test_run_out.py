"""`hopattn run --out FOLDER`: every file of a result in a new folder, or no folder at all."""

import csv
import hashlib
import json

import numpy as np

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
