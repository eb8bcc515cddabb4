"""Files: a device is never replaced, a link is followed, a table holds no formula."""

import csv
import io
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.experiments.sweeps.table import load_sweep
from hopattn.results.files import csv_text, require_regular, write_over


@pytest.fixture
def odd_paths(tmp_path, monkeypatch):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    (tmp_path / "link").symlink_to("/dev/null")
    monkeypatch.chdir(tmp_path)  # the path of a socket is short
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket")
        yield {"/dev/null": "device", str(pipe): "pipe", str(folder): "folder", "socket": "socket", "link": "device"}


def test_a_path_that_is_not_a_plain_file_is_named_with_its_kind_and_left_alone(odd_paths, tmp_path):
    for path, kind in odd_paths.items():
        for refuse in (require_regular, lambda file: write_over(file, b"data"), load_sweep):
            with pytest.raises(ha.InvalidInput, match=f"is a {kind}; expected a plain file"):
                refuse(tmp_path / path)


@pytest.mark.parametrize("name", ["out.csv", "out.svg"])
def test_a_comparison_does_not_replace_a_device(hopattn, name, tmp_path):
    (tmp_path / name).symlink_to("/dev/null")
    code, _, errors = hopattn("compare", "--out", name)
    assert (code, "is a device; expected a plain file" in errors) == (2, True)


def test_a_pipe_of_points_is_refused_at_once(hopattn, tmp_path):
    os.mkfifo(tmp_path / "points")
    code, _, errors = hopattn("sweep", "capacity", "--points", "points", "--trials", "1")
    assert (code, "points: is a pipe; expected a plain file" in errors) == (2, True)
    code, _, errors = hopattn("sweep", "capacity", "--points", "/dev/full", "--trials", "1")
    assert (code, "/dev/full: is a device; expected a plain file" in errors) == (2, True)


def test_a_scenario_is_not_a_pipe(hopattn, tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    code, _, errors = hopattn("run", "pipe.toml")
    assert (code, "is a pipe" in errors) == (2, True)


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "real").write_text("hopattn page: old")
    (tmp_path / "link").symlink_to("real")
    write_over(tmp_path / "link", b"hopattn page: new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "hopattn page: new"


@pytest.mark.parametrize(("stream", "name"), [(1, "standard output"), (2, "standard error")])
def test_a_file_to_which_this_process_prints_is_left_alone(tmp_path, stream, name):
    (tmp_path / "notes.txt").write_text("kept\n")
    before = os.dup(stream)
    with (tmp_path / "notes.txt").open("a") as notes:
        os.dup2(notes.fileno(), stream)
    try:
        for path in (tmp_path / "notes.txt", Path(f"/dev/fd/{stream}")):
            with pytest.raises(ha.InvalidInput, match=f"{name} goes there"):
                write_over(path, b"new")
    finally:
        os.dup2(before, stream)
        os.close(before)
    assert (tmp_path / "notes.txt").read_text() == "kept\n"


def test_a_write_that_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_over(tmp_path / "file", b"data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-x", "\tx", "\n=x", "-", "=1"])
def test_a_formula_is_written_as_text(text):
    assert next(csv.reader(io.StringIO(csv_text([text], []), newline=""))) == [f"'{text}"]


def test_a_carriage_return_does_not_end_a_row():
    assert csv_text(["a\rb", "\r\n=1"], []) == '"a\nb","\'\n=1"\n'


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_are_written_as_they_are(number):
    assert csv_text(["x"], [[number], [str(number)]]) == f"x\n{number}\n{number}\n"


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\r'"))


@given(st.lists(st.tuples(WORDS, WORDS), max_size=4))
def test_every_other_text_survives(rows):
    read = list(csv.reader(io.StringIO(csv_text(["a", "b"], rows), newline="")))[1:]
    assert [tuple(cell.removeprefix("'") for cell in row) for row in read] == rows
