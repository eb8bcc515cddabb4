"""A checkpoint loses no finished point, whatever happens to its file; the checkpoint of another sweep is refused."""

import json
import subprocess
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopattn.experiments.sweep.checkpoint import open_checkpoint, read_checkpoint
from hopattn.foundation.errors import CannotDo, InvalidInput
from hopattn.results.files import write_over
from tests.counts import count

HEAD = {"sweep": 1, "about": {"scenario": "bank"}, "axes": {"beta": [1, 2]}, "trials": 2}
RESULT = {"point": {"beta": 1}, "numbers": {"met": [1.0, None]}}


def write(file, *keys):
    with open_checkpoint(file, HEAD) as checkpoint:
        for key in keys:
            checkpoint.add(key, RESULT)


def test_what_is_kept_is_there_when_the_file_is_opened_again(tmp_path):
    file = tmp_path / "new" / "points.jsonl"
    write(file, "a")
    write(file, "b")
    with open_checkpoint(file, HEAD) as checkpoint:
        assert checkpoint.finished == {"a": RESULT, "b": RESULT} and not checkpoint.repaired
    assert read_checkpoint(file) == (HEAD, {"a": RESULT, "b": RESULT})


@settings(max_examples=count(40, 15))
@given(st.data())
def test_a_file_that_is_cut_anywhere_keeps_its_whole_lines(tmp_path_factory, data):
    file = tmp_path_factory.mktemp("cut") / "points.jsonl"
    write(file, "a", "b", "c")
    text = file.read_bytes()
    cut = data.draw(st.integers(0, len(text)))
    file.write_bytes(text[:cut])
    with open_checkpoint(file, HEAD) as checkpoint:
        whole = max(text[:cut].count(b"\n") - 1, 0)
        assert list(checkpoint.finished) == ["a", "b", "c"][:whole]
        assert checkpoint.repaired == (cut > 0 and text[cut - 1 : cut] != b"\n")
    for key in ["a", "b", "c"][whole:]:
        write(file, key)
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": 3}, "trials: 2 there, 3 here"),
        ({"about": {"scenario": "induction"}}, 'scenario: "bank" there, "induction" here'),
        ({"axes": {"beta": [1, 2, 3]}}, "beta: \\[1, 2\\] there, \\[1, 2, 3\\] here"),
        ({"more": 1}, "more: nothing there, 1 here"),
    ],
)
def test_the_file_of_another_sweep_is_refused_and_left_as_it_is(tmp_path, change, message):
    file = tmp_path / "points.jsonl"
    write(file, "a")
    file.write_bytes(file.read_bytes() + b'{"torn')
    before = file.read_bytes()
    with (
        pytest.raises(InvalidInput, match=f"holds another sweep \\({message}\\), and is left as it is"),
        open_checkpoint(file, HEAD | change),
    ):
        pass
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a table\n1,2\n", ":1: is not a line of a sweep"),
        (b"a table", ":1: is not a line of a sweep"),
        (b'{"other": 1}\n', ":1: is not a line of a sweep"),
        (json.dumps(HEAD).encode() + b"\nno point\n", ":2: is not a line of a sweep"),
        (json.dumps(HEAD).encode() + b'\n{"key": 1}\n', ":2: is not a finished point"),
        (b"\xff\xfe\n", ":1: is not a line of a sweep"),
    ],
)
def test_a_file_of_something_else_is_refused_and_left_as_it_is(tmp_path, text, message):
    file = tmp_path / "points.jsonl"
    file.write_bytes(text)
    with pytest.raises(InvalidInput, match=message), open_checkpoint(file, HEAD):
        pass
    assert file.read_bytes() == text


def test_a_file_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        read_checkpoint(tmp_path / "none.jsonl")


def test_a_file_of_many_gibibytes_is_not_read(tmp_path):
    for start, message in (
        (b"", ":1: is not a line of a sweep"),
        (json.dumps(HEAD).encode() + b"\n", "would take .* GiB"),
    ):
        file = tmp_path / "points.jsonl"
        file.write_bytes(start)
        with file.open("r+b") as stream:
            stream.truncate(2**42)
        with pytest.raises(InvalidInput, match=message):
            read_checkpoint(file)
        with pytest.raises(InvalidInput, match=message), open_checkpoint(file, HEAD):
            pass
        file.unlink()


def test_a_link_to_nothing_is_refused_and_makes_no_file(tmp_path):
    file, target = tmp_path / "points.jsonl", tmp_path / "target"
    file.symlink_to(target)
    for refused in (lambda: read_checkpoint(file), lambda: write(file, "a"), lambda: write_over(file, b"x")):
        with pytest.raises(InvalidInput, match="is a link to a file that is not there"):
            refused()
    assert not target.exists()
    target.touch()
    write(file, "a")
    assert len(read_checkpoint(target)[1]) == 1


def test_two_cannot_write_one_file(tmp_path):
    file = tmp_path / "points.jsonl"
    with (
        open_checkpoint(file, HEAD),
        pytest.raises(CannotDo, match="is being written by another sweep"),
        open_checkpoint(file, HEAD),
    ):
        pass


def test_a_place_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotDo, match="cannot be written"), open_checkpoint(tmp_path / "file" / "points.jsonl", HEAD):
        pass
    with pytest.raises(InvalidInput, match="is a folder"), open_checkpoint(tmp_path, HEAD):
        pass


def test_a_full_disk_takes_no_earlier_point(tmp_path):
    file = tmp_path / "points.jsonl"
    script = textwrap.dedent(f"""
        import resource, signal
        from pathlib import Path
        from hopattn.foundation.errors import CannotDo
        from hopattn.experiments.sweep.checkpoint import open_checkpoint
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400, 400))
        try:
            with open_checkpoint(Path({str(file)!r}), {HEAD!r}) as checkpoint:
                for i in range(100):
                    checkpoint.add(str(i), {RESULT!r})
        except CannotDo as error:
            print(error)
    """)
    message = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    _, finished = read_checkpoint(file)
    assert len(finished) > 1 and f"the {len(finished)} points before are kept" in message
    assert file.read_bytes().endswith(b"\n")
    with open_checkpoint(file, HEAD) as checkpoint:
        assert not checkpoint.repaired
        checkpoint.add("more", RESULT)
    assert len(read_checkpoint(file)[1]) == len(finished) + 1
