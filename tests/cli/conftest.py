"""Streams of this process, as a command finds them on a terminal."""

import io

import pytest

from hopattn.cli.main import main


@pytest.fixture
def in_encoding(monkeypatch):
    """Run a command whose streams have an encoding, such as a code page of Windows; give what it prints, decoded."""

    def run(encoding, *arguments):
        written = io.BytesIO()
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            for name in ("stdout", "stderr"):
                patch.setattr(f"sys.{name}", io.TextIOWrapper(written, encoding, write_through=True))
            main(arguments)
        return written.getvalue().decode(encoding)

    return run
