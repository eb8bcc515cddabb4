"""A file of finished points loses nothing that was finished, whatever happened to it, and is no other sweep's."""

import json
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopattn.experiments.sweep.checkpoint import opened, read_points
from hopattn.foundation.errors import CannotDo, InvalidInput

HEAD = {"sweep": 1, "about": {"scenario": "bank"}, "axes": {"beta": [1, 2]}, "trials": 2}
FOUND = {"point": {"beta": 1}, "numbers": {"met": [1.0, None]}}


def kept(file, *keys):
    with opened(file, HEAD) as points:
        for key in keys:
            points.keep(key, FOUND)


def test_what_is_kept_is_there_when_the_file_is_opened_again(tmp_path):
    file = tmp_path / "new" / "points.jsonl"
    kept(file, "a")
    kept(file, "b")
    with opened(file, HEAD) as points:
        assert points.done == {"a": FOUND, "b": FOUND} and not points.repaired
    assert read_points(file) == (HEAD, {"a": FOUND, "b": FOUND})


@settings(max_examples=40)
@given(st.data())
def test_a_file_that_is_cut_anywhere_keeps_its_whole_lines(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("cut") / "points.jsonl"
    kept(file, "a", "b", "c")
    text = file.read_bytes()
    cut = data.draw(st.integers(0, len(text)))
    file.write_bytes(text[:cut])
    with opened(file, HEAD) as points:
        whole = max(text[:cut].count(b"\n") - 1, 0)
        assert list(points.done) == ["a", "b", "c"][:whole]
        assert points.repaired == (cut > 0 and text[cut - 1 : cut] != b"\n")
    for key in ["a", "b", "c"][whole:]:
        kept(file, key)
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"trials": 3}, "trials: 2 there, 3 here"),
        ({"about": {"scenario": "induction"}}, 'scenario: "bank" there, "induction" here'),
        ({"axes": {"beta": [1, 2, 3]}}, "beta: \\[1, 2\\] there, \\[1, 2, 3\\] here"),
        ({"more": 1}, "more: nothing there, 1 here"),
    ],
)
def test_the_file_of_another_sweep_is_refused_and_left_as_it_is(tmp_path, change, told):
    file = tmp_path / "points.jsonl"
    kept(file, "a")
    file.write_bytes(file.read_bytes() + b'{"torn')
    before = file.read_bytes()
    with (
        pytest.raises(InvalidInput, match=f"holds another sweep \\({told}\\), and is left as it is"),
        opened(file, HEAD | change),
    ):
        pass
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"a table\n1,2\n", ":1: is no line of a sweep"),
        (b"a table", ":1: is no line of a sweep"),
        (b'{"other": 1}\n', ":1: is no line of a sweep"),
        (json.dumps(HEAD).encode() + b"\nno point\n", ":2: is no line of a sweep"),
        (json.dumps(HEAD).encode() + b'\n{"key": 1}\n', ":2: is no finished point"),
        (b"\xff\xfe\n", ":1: is no line of a sweep"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path, text, told):
    file = tmp_path / "points.jsonl"
    file.write_bytes(text)
    with pytest.raises(InvalidInput, match=told), opened(file, HEAD):
        pass
    assert file.read_bytes() == text


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        read_points(tmp_path / "none.jsonl")


def test_two_cannot_write_one_file(tmp_path):
    file = tmp_path / "points.jsonl"
    with opened(file, HEAD), pytest.raises(CannotDo, match="is being written by another sweep"), opened(file, HEAD):
        pass


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotDo, match="cannot be written"), opened(tmp_path / "file" / "points.jsonl", HEAD):
        pass
    with pytest.raises(CannotDo, match="cannot be written"), opened(tmp_path, HEAD):
        pass


def test_a_full_disk_takes_no_earlier_point(tmp_path):
    file = tmp_path / "points.jsonl"
    script = textwrap.dedent(f"""
        import resource, signal
        from pathlib import Path
        from hopattn.foundation.errors import CannotDo
        from hopattn.experiments.sweep.checkpoint import opened
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
        try:
            with opened(Path({str(file)!r}), {HEAD!r}) as points:
                for i in range(100):
                    points.keep(str(i), {FOUND!r})
        except CannotDo as error:
            print(error)
    """)
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    _, done = read_points(file)
    assert len(done) > 1 and f"the {len(done)} points before are kept" in told
    assert file.read_bytes().endswith(b"\n")
    with opened(file, HEAD) as points:
        assert not points.repaired
        points.keep("more", FOUND)
    assert len(read_points(file)[1]) == len(done) + 1
