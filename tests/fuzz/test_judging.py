"""The frame can fail: each way to break the law is found in a case that really breaks it."""

import json
import os
import sys
import time
import warnings
from pathlib import Path

import pytest

from hopattn.foundation.errors import InvalidInput
from tests.fuzz import commands, judging
from tests.fuzz.corpus import keep
from tests.fuzz.judging import Outcome, faults


def loop():
    while True:
        pass


def refuse(message):
    error = InvalidInput()
    error.args = (message,)
    raise error


WAYS = {
    "an escape": (lambda: sys.stdout.write("\x1b[31m"), "output hold '\\x1b' raw"),
    "a tab": (lambda: sys.stderr.write("\t"), "errors hold '\\t' raw"),
    "a process": (lambda: os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "60"), "leaves a process: sleep 60"),
    "a file outside": (lambda: Path("../outside").write_text("x"), "changes …/outside, which nobody asked for"),
    "a device": (lambda: Path("x").rename("/dev/null"), "changes /dev/null, which nobody asked for"),
    "a file": (lambda: Path("unasked").write_text("x"), "changes …/work/unasked, which nobody asked for"),
    "no end": (loop, "exit code -9"),
    "waiting": (lambda: time.sleep(60), "it hangs"),
    "KeyError": (lambda: {}["x"], "raises KeyError: 'x' (tests/fuzz/test_judging.py:"),
    "a signal": (lambda: os.kill(os.getpid(), 9), "exit code -9"),
    "a warning": (lambda: warnings.warn("old", DeprecationWarning, stacklevel=1), "warning: "),
    "exit code 5": (lambda: sys.exit(5), "exit code 5"),
    "exit code 2": (lambda: sys.exit(2), "exit code 2 without a message"),
    "an endless message": (lambda: refuse("x" * 10_000), "a message with a line of more than 4200 characters"),
    "many bytes": (lambda: sys.stdout.write(str(len(bytearray(80 * 2**20)))), "takes more than 64 MiB"),
    "a refusal": (lambda: refuse("x: expected a number"), None),
    "nothing": (lambda: None, None),
}
"""What a case does, and how the sentence about it begins; None where it keeps the law."""


def attempt(case):
    """Break the law in the way that the case names."""
    warnings.simplefilter("always")
    WAYS[case["way"]][0]()


@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.slow] * (way == "waiting")) for way in WAYS])
def test_each_way_to_break_the_law_is_found(cold_worker, monkeypatch, way):
    monkeypatch.setattr(judging, "MOST_MIB", 64)
    said, fault = faults(cold_worker.outcome(__name__, {"way": way}), {}), WAYS[way][1]
    assert said == [] if fault is None else any(one.startswith(fault) for one in said), said


def test_nothing_is_judged_where_python_does_not_start_and_files_take_their_time():
    assert faults(Outcome(code=1, errors=f"{judging.NOT_STARTED}: …\nTraceback (most recent call last):\n"), {}) == []
    assert faults(Outcome(seconds=11, files=2), {}) == []
    assert faults(Outcome(seconds=11, files=1), {}) == ["takes more than 10.8 seconds"]


def test_a_library_may_keep_files_in_a_home_that_a_case_names():
    asked = commands.asked({"words": ["figures", "words"], "environment": {"HOME": "."}})
    assert {"./.cache", "./.config"} <= set(asked)


def test_a_case_is_kept_in_one_file(tmp_path):
    files = [keep("scenarios", "it hung", {"words": ["list"]}, tmp_path) for _ in range(2)]
    assert list(tmp_path.iterdir()) == files[:1] and files[0] == files[1]
    assert json.loads(files[0].read_text()) == {"kind": "scenarios", "once": "it hung", "case": {"words": ["list"]}}
