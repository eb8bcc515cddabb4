"""Streams of this process, as a command finds them on a terminal."""

import io

import pytest

from hopattn.cli.main import main


@pytest.fixture
def in_ascii(monkeypatch):
    """Run a command whose output is a terminal that has no other characters; give the bytes that it prints."""

    def run(*arguments):
        written = io.BytesIO()
        with monkeypatch.context() as patch, pytest.raises(SystemExit) as ended:
            patch.setattr("sys.stdout", io.TextIOWrapper(written, "ascii", write_through=True))
            main(arguments)
        assert ended.value.code == 0
        return written.getvalue()

    return run
