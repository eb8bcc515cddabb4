"""What is printed on a terminal: colours of hopattn, and nothing raw of what a user or a file wrote."""

import os
import pty
import re
import sys
from threading import Thread

import pytest

from hopattn.cli.main import main
from hopattn.cli.streams import make_safe

NAME = "f\x1b[35m\x9b31mg"
SCENARIO = r"""
schema = 1
title = "a\u001b[31m\u001b]0;owned\u0007\u202etitle"
source = "here"
kind = "attention"
vocabulary = { axes = ["x", "y"], words = { a = [1, 0], b = [0, 1] } }
[input]
tokens = ["a", "b"]
[[layer]]
[[layer.head]]
"""
OWN = rb"\x1b\[(\d+(;\d+)*)?m"
"""The colours and weights of letters that hopattn and click may print."""


@pytest.fixture
def on_terminal(tmp_path, monkeypatch):
    """Run a command whose streams are a terminal; give all that it prints."""

    def run(*arguments):
        ours, theirs = pty.openpty()
        printed = []
        reader = Thread(target=lambda: printed.extend(iter(lambda: _read(ours), b"")))
        reader.start()
        with monkeypatch.context() as patch, open(theirs, "w") as out, open(os.dup(theirs), "w") as errors:  # noqa: PTH123
            patch.chdir(tmp_path)
            patch.setenv("TERM", "xterm-256color")
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", errors)
            with pytest.raises(SystemExit):
                main(arguments)
        reader.join()
        os.close(ours)
        return b"".join(printed)

    return run


def _read(descriptor):
    try:
        return os.read(descriptor, 2**16)
    except OSError:  # so Linux says that the other side is closed
        return b""


def test_a_terminal_gets_colours_and_no_sequence_of_a_title_a_folder_or_a_file(on_terminal, tmp_path):
    (tmp_path / NAME).mkdir()
    (tmp_path / f"{NAME}.toml").write_text(SCENARIO)
    printed = on_terminal("run", f"{NAME}.toml", "--figure", "attention", "--out", f"{NAME}/x")
    text = printed.decode()
    assert re.search(OWN, printed), "no colour of our own"
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202e]", text)
    assert b"\x1b[31m" not in printed and b"\x1b[35m" not in printed
    assert re.sub(OWN, b"", printed).count(b"\x1b") == 0
    assert r"a\x1b[31m\x1b]0;owned\x07\u202etitle" in text
    assert r"f\x1b[35m\x9b31mg/x/f\x1b[35m\x9b31mg-attention.svg" in text


def test_a_note_beside_a_bar_of_progress_is_not_raw_either(on_terminal, hopattn, tmp_path):
    command = ("sweep", "bank", "--over", "layer.head.beta=1,2", "--workers", "1", "--points", NAME)
    assert hopattn(*command)[0] == 0
    with (tmp_path / NAME).open("a") as points:
        points.write('{"point": {"torn')
    printed = on_terminal(*command)
    assert rb"f\x1b[35m\x9b31mg: the last line was incomplete" in printed
    assert b"\x1b[35mg" not in printed


@pytest.mark.parametrize(
    "before", ["", "run ", "run bank --seed ", "check ", "figures ", "sweep bank --over ", "compare "]
)
def test_no_message_is_printed_raw(hopattn, before):
    _, out, err = hopattn(*before.split(), "\x1b[31m=1")
    assert "\x1b" not in out + err
    assert r"\x1b[31m" in out + err


def test_line_breaks_letters_of_all_scripts_and_spaces_stay(capsys):
    make_safe()
    sys.stdout.write("ψυχή\n\tqu\u00a0? \u202fनि\u200dऒ 語\r\x85")
    assert capsys.readouterr().out == "ψυχή\n\tqu\u00a0? \u202fनि\u200dऒ 語" + r"\r\x85"
