"""The examples of a page: its blocks of Python and of commands run in their order, in one folder.

A block that begins with `>>>` is a doctest, any other block of Python is executed. A line of a `sh` block that begins
with `hopattn` or `python -m` runs in this process, and meets its expectations unless its comment says that one is
missed; the other lines, such as `make demo`, must be commands that the repository has.
`<!-- not run: … -->` or `<!-- run by … -->` before a block gives the reason why it is left out.
"""

import contextlib
import doctest
import io
import re
import shlex
import sys
import tomllib
from pathlib import Path
from runpy import run_module
from unittest.mock import patch

import pytest
from matplotlib import pyplot

from hopattn.cli.main import main

ROOT = Path(__file__).parent.parent
_BLOCK = re.compile(r"(<!-- (?:not run|run by)\b[^>]*-->\n\n)?```(python|sh)\n(.*?)```", re.DOTALL)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^(\w[\w-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def examples(text):
    """The blocks that run, each with its language."""
    return [(language, block) for reason, language, block in _BLOCK.findall(text) if not reason]


def run(text, name):
    """Run the examples of a page in the current folder; an example that fails is an `AssertionError`."""
    names = {}
    for language, block in examples(text):
        if language == "sh":
            for line in block.strip().splitlines():
                _command(line)
        elif block.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, names, name, None, 0)
            failed = doctest.DocTestRunner(verbose=False).run(test, clear_globs=False).failed
            names = test.globs
            assert failed == 0, block
        else:
            exec(compile(block, name, "exec"), names)
            pyplot.close("all")


def run_module_of(words):
    """Run a module as `python -m` does, in this process."""
    sys.modules.pop(words[0], None)  # of which runpy warns
    with patch.object(sys, "argv", words):
        run_module(words[0], run_name="__main__")


def _command(line):
    command, _, file = line.partition(" > ")
    words = shlex.split(command, comments=True)
    if words[0] == "hopattn" or words[:2] == ["python", "-m"]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), pytest.raises(SystemExit) as ended:
            main(words[1:]) if words[0] == "hopattn" else run_module_of(words[2:])
        assert ended.value.code == (1 if "missed" in line.partition("#")[2] else 0), line
        if file:
            Path(file).write_text(printed.getvalue(), encoding="utf-8")
    elif words[0] == "make":
        assert {word for word in words[1:] if "=" not in word} <= TARGETS, line
    elif words[:2] == ["pip", "install"]:
        asked = re.search(r"\[(.*)\]", words[2])
        assert set(asked[1].split(",") if asked else ()) <= EXTRAS.keys(), line
    else:
        assert line == "source .venv/bin/activate", line
