"""Streams that were closed when the process began."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, sys
from hopattn.cli.streams import reader_has_left, make_safe
make_safe()
for stream in (sys.stdout, sys.stderr):
    stream.write("nobody reads this")
    stream.flush()  # as `multiprocessing` does
with open("file", "w") as file:
    file.write(f"{file.fileno() > 2} {reader_has_left()}")
"""


@pytest.mark.parametrize(("closed", "lost"), [(0, False), (1, True), (2, False)])
def test_no_file_takes_the_place_of_a_stream_that_is_closed(tmp_path, closed, lost):
    begin = f'exec {closed}>&-; exec "$0" "$@"'
    subprocess.run(["bash", "-c", begin, sys.executable, "-c", SCRIPT], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "file").read_text() == f"True {lost}"
