"""A file that is not hopattn's, or that a command reads, is never changed: a law over every option that writes."""

import io
from pathlib import Path

import click
import numpy as np
import pytest
from PIL import Image

import hopattn as ha
from hopattn.cli.main import cli
from tests.refusal import refused

READS = {("heads", "--ids"), ("heads", "--text"), ("practice", "--mark")}
"""The options whose file is read."""
FEW = ["--trials", "1", "--set", "dim=8", "--seed", "1", "--models", "nearest"]
SWEEP = ["sweep", "capacity", "--over", "load=0.1", "--trials", "1"]
LINES = {
    ("compare", "--out"): (["compare", *FEW], [".csv", ".json", ".npz", ".svg", ".png"]),
    ("explore", "--out"): (["explore", "bank", "--no-open"], [".html"]),
    ("figures", "--out"): (["figures", "attention"], [".svg", ".pdf"]),
    ("heads", "--out"): (["heads", "one-layer", "--repeats", "4x2"], [".csv", ".svg"]),
    ("papers", "--out"): (["papers", "gardner-load"], [".svg", ".png", ".csv"]),
    ("practice", "--out"): (["practice", "bank"], [".md", ".tex", ".html", ".ipynb"]),
    ("practice", "--key"): (["practice", "bank"], [".md"]),
    ("run", "--out"): (["run", "bank"], [".csv", ".npz", ".json", ".md", ".html", ".tex", ".svg", ".pdf"]),
    ("separation", "--out"): (["separation", "a.csv"], [".csv", ".json"]),
    ("sweep", "--out"): ([*SWEEP, "--points", "p"], [".json", ".csv", ".npz"]),
    ("sweep", "--points"): (SWEEP, [".jsonl", ".json"]),
}
"""A line of each command that writes a file, by command and option, and the endings that its file may have."""


def writing_options():
    """Every option of a command that takes a path and is not one of `READS`."""
    for name in cli.list_commands(None):
        for param in cli.get_command(None, name).params:
            if isinstance(param, click.Option) and isinstance(param.type, click.Path):
                yield name, param.opts[0]


def test_each_option_that_takes_a_path_is_known_to_read_or_to_write():
    assert set(writing_options()) == READS | {("bags", "--out"), ("train", "--out")} | set(LINES)


def picture():
    stream = io.BytesIO()
    Image.new("L", (2, 2)).save(stream, "png")
    return stream.getvalue()


def archive(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


FOREIGN = {
    "words": b"My thesis: a page about hopattn.\n",
    "table": b"1,-1,1\n-1,1,1\n",
    "json": b'{"sweep": {"mine": 1}}',
    "page": b"<!DOCTYPE html>\n<html><title>mine</title></html>",
    "picture": picture(),
    "archive": archive(A=np.eye(3)),
}


@pytest.mark.parametrize(("command", "option"), LINES)
def test_a_file_of_somebody_elses_is_left_as_it_is(hopattn, tmp_path, command, option):
    line, endings = LINES[command, option]
    (tmp_path / "a.csv").write_text("1,0\n0,1\n")
    for ending in endings:
        for kind, data in FOREIGN.items():
            file = tmp_path / f"{kind}{ending}"
            file.write_bytes(data)
            (tmp_path / f"link{ending}").unlink(missing_ok=True)
            (tmp_path / f"link{ending}").symlink_to(file)
            for name in [file, *[tmp_path / f"link{ending}"] * (kind == "words")]:
                code, _, err = hopattn(*line, option, str(name))
                assert file.read_bytes() == data
                assert code == 2 and name.name in err, (kind, err)


@pytest.mark.parametrize(("command", "option"), [key for key in LINES if key != ("sweep", "--points")])
def test_an_older_file_of_the_same_command_is_replaced(hopattn, tmp_path, command, option):
    line, endings = LINES[command, option]
    (tmp_path / "a.csv").write_text("1,0\n0,1\n")
    for ending in endings[:1]:
        file = tmp_path / f"new{ending}"
        codes = [hopattn(*line, option, str(file))[0]]
        first = file.read_bytes()
        file.write_bytes(first + b"\n")
        codes.append(hopattn(*line, option, str(file))[0])
        assert codes == [0, 0] and file.read_bytes() == first
        file.write_bytes(b"")  # a name that is reserved
        assert hopattn(*line, option, str(file))[0] == 0 and file.read_bytes() == first


def test_a_file_that_the_command_reads_is_left_as_it_is(hopattn, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = """schema = 1\ntitle = "t"\nsource = "ours"\nkind = "memory"\n[pictures]
size = [3, 3]
files = {{ a = "{}" }}\n[memory]\npatterns = ["a"]\nmodel = "hopfield"\n[cue.c]\nof = "a"\nhide = "left"\n"""
    Path("s.toml").write_text(text.format("a.png"))
    Path("a.png").write_bytes(picture())
    line = ["run", "s.toml", "--figure", "recall", "--out", "recall.png"]
    assert hopattn(*line)[0] == 0
    drawn = Path("recall.png").read_bytes()
    Path("s.toml").write_text(text.format("recall.png"))
    code, _, err = hopattn(*line)
    assert code == 2 and "recall.png: is read or written by this command" in err
    assert Path("recall.png").read_bytes() == drawn


def test_a_training_of_somebody_elses_is_left_as_it_is(hopattn, tmp_path, torch):
    (tmp_path / "one-layer.npz").write_bytes(archive(A=np.eye(3)))
    code, _, err = hopattn("train", "one-layer", "--steps", "1", "--out", str(tmp_path))
    assert code == 2 and "one-layer.npz" in err
    assert (tmp_path / "one-layer.npz").read_bytes() == archive(A=np.eye(3))


def test_a_folder_of_somebody_elses_is_left_as_it_is(hopattn, tmp_path):
    (tmp_path / "mine").mkdir()
    for name in ("a.txt", "attention.svg", "bank-attention.svg", "arrays.npz", "one-layer.npz", "model.safetensors"):
        (tmp_path / "mine" / name).write_bytes(b"mine")
    lines = (
        ["run", "bank", "--out"],
        ["run", "bank", "--figure", "attention", "--out"],
        ["figures", "attention", "--out"],
        ["heads", "one-layer", "--repeats", "4x2", "--out"],
    )
    for line in lines:
        code, _, err = hopattn(*line, str(tmp_path / "mine"))
        assert code == 2 and "mine" in err, (line, err)
        assert all(file.read_bytes() == b"mine" for file in (tmp_path / "mine").iterdir())
        assert len(list((tmp_path / "mine").iterdir())) == 6


WRITES = {
    "memory": lambda file: ha.Memory(np.eye(2)).save(file),
    "page": lambda file: ha.explore("bank").save(file),
}


@pytest.mark.parametrize("what", WRITES)
@pytest.mark.parametrize("kind", FOREIGN)
def test_a_function_leaves_a_file_of_somebody_elses_as_it_is(tmp_path, what, kind):
    for file in (tmp_path / "a.npz", tmp_path / "a.html", tmp_path / "a.npy"):
        file.write_bytes(FOREIGN[kind])
        refused(lambda file=file: WRITES[what](file), "", file.name)
        assert file.read_bytes() == FOREIGN[kind]
    refused(lambda: WRITES[what](tmp_path), "", tmp_path.name)


def test_two_options_do_not_write_one_file(hopattn, tmp_path):
    one = str(tmp_path / "a.md")
    code, _, err = hopattn("practice", "bank", "--out", one, "--key", f"{tmp_path}/./a.md")
    assert code == 2 and "a.md" in err


def test_a_training_is_continued_in_its_file(hopattn, tmp_path, torch):
    for steps in ("1", "2"):
        code, _, err = hopattn("train", "one-layer", "--steps", steps, "--out", str(tmp_path))
        assert code in (0, 2) and "is read or written" not in err, err


def test_bags_of_somebody_elses_are_left_as_they_are_and_older_ones_replaced(hopattn, tmp_path, torch):
    line = ["bags", "--trials", "1", "--steps", "1", "--out"]
    for ending, data in ((".csv", FOREIGN["table"]), (".json", FOREIGN["json"])):
        file = tmp_path / f"bags{ending}"
        file.write_bytes(data)
        code, _, err = hopattn(*line, str(file))
        assert code == 2 and file.name in err and file.read_bytes() == data
        file.write_bytes(b"")  # a name that is reserved
        assert hopattn(*line, str(file))[0] == 0
        first = file.stat().st_mtime_ns
        assert hopattn(*line, str(file))[0] == 0 and file.stat().st_mtime_ns > first
