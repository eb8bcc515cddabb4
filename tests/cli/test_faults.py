"""Commands that are killed or disturbed say so by their exit code, and leave nothing half done."""

import json
import os
import signal
import time

import pytest

from tests.processes import end, left_after, started

RUN = ("run", "bank", "--out", "results")
SWEEP = ("sweep", "bank", "--over", "layer.head.beta=1:9:30", "--trials", "2", "--workers", "1", "--out", "table.csv")
FILES = {"arrays.npz", "result.json", "expectations.csv", "provenance.json"}


def ended(command):
    """The exit code, output and errors of a command, of which no process is left."""
    output, errors = command.communicate(timeout=120)
    assert left_after(command.pid, 60) == []
    assert b"Traceback" not in output + (errors or b"")
    return command.returncode, output, errors


@pytest.mark.slow
def test_a_killed_command_leaves_no_half_file_and_then_gives_the_same_bytes(tmp_path):
    begun, folder = time.monotonic(), tmp_path / "again"
    folder.mkdir()
    whole = ended(started(folder, *SWEEP))
    seconds, table = time.monotonic() - begun, (folder / "table.csv").read_bytes()
    command = started(tmp_path, *SWEEP)
    time.sleep(0.7 * seconds)
    os.killpg(command.pid, signal.SIGKILL)
    command.communicate()
    end(command.pid)
    assert not (tmp_path / "table.csv").exists() or (tmp_path / "table.csv").read_bytes() == table
    again = ended(started(tmp_path, *SWEEP))
    assert (whole[0], again[0], again[1]) == (0, 0, whole[1])
    assert (tmp_path / "table.csv").read_bytes() == table


@pytest.mark.slow
@pytest.mark.parametrize("kib", [1, 4])
def test_a_full_disk_is_3_and_leaves_no_half_folder(tmp_path, kib):
    code, _, errors = ended(started(tmp_path, *RUN, before=f"ulimit -f {kib}"))
    assert (code, list(tmp_path.rglob("*.*"))) == (3, []) and b"cannot be written" in errors


@pytest.mark.slow
@pytest.mark.parametrize(("closed", "code"), [(0, 0), (1, 141), (2, 0)])
def test_a_closed_stream_stops_only_what_nobody_could_read(tmp_path, closed, code):
    assert ended(started(tmp_path, *RUN, before=f"exec {closed}>&-"))[0] == code
    names = {path.name for path in (tmp_path / "results").glob("*")}
    assert names == FILES if code == 0 else names in (set(), FILES)
    for name in names & {"result.json", "provenance.json"}:  # no file has taken the place of the stream
        json.loads((tmp_path / "results" / name).read_text())
