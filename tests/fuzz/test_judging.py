"""The frame can fail: each way to break the law is found in a case that really breaks it."""

import json
import os
import sys
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import strategies as st

from hopattn.foundation.errors import InvalidInput
from tests.each import each
from tests.fuzz import environments, judging
from tests.fuzz.corpus import keep
from tests.fuzz.judging import Outcome, faults
from tests.fuzz.search import Search

OUTSIDE = "../outside"


def loop():
    while True:
        pass


def many_bytes():
    sys.stdout.write(str(len(bytearray(80 * 2**20))))


def no_key():
    raise KeyError("x")


def interrupted():
    os.kill(os.getpid(), 9)


def refuse():
    raise InvalidInput("x: expected a number")


def refuse_endlessly():
    error = InvalidInput()
    error.args = ("x" * 10_000,)
    raise error


WAYS = {
    "an escape": lambda: sys.stdout.write("\x1b[31m"),
    "a tab": lambda: sys.stderr.write("\t"),
    "a process": lambda: os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "60"),
    "a file outside": lambda: Path(OUTSIDE).write_text("x"),
    "a device": lambda: Path("x").rename("/dev/null"),
    "a file": lambda: Path("unasked").write_text("x"),
    "no end": loop,
    "waiting": lambda: time.sleep(60),
    "many bytes": many_bytes,
    "KeyError": no_key,
    "a signal": interrupted,
    "a warning": lambda: warnings.warn("old", DeprecationWarning, stacklevel=1),
    "exit code 5": lambda: sys.exit(5),
    "exit code 2": lambda: sys.exit(2),
    "an endless message": refuse_endlessly,
    "a refusal": refuse,
    "nothing": lambda: None,
}


def attempt(case):
    """Break the law in the way that the case names; a number breaks it from 10 on."""
    warnings.simplefilter("always")
    if "number" in case and case["number"] >= 10:
        raise KeyError(case["number"])
    WAYS[case.get("way", "nothing")]()


def cases():
    return st.builds(lambda number: {"number": number}, st.integers(0, 1000))


def found(worker, way):
    return faults(worker.outcome(__name__, {"way": way}), {})


@each(
    ("way", "fault"),
    [
        ("an escape", "output hold '\\x1b' raw"),
        ("a tab", "errors hold '\\t' raw"),
        ("a file outside", "changes …/outside, which nobody asked for"),
        ("a device", "changes /dev/null, which nobody asked for"),
        ("a file", "changes …/work/unasked, which nobody asked for"),
        ("KeyError", "raises KeyError: 'x' (tests/fuzz/test_judging.py:"),
        ("a signal", "exit code -9"),
        ("no end", "exit code -9"),
        ("waiting", "it hangs"),
        ("a process", "leaves a process: sleep 60"),
        ("a warning", "warning: "),
        ("exit code 5", "exit code 5"),
        ("exit code 2", "exit code 2 without a message"),
        ("an endless message", "a message with a line of more than 4200 characters"),
    ],
)
def test_each_way_to_break_the_law_is_found(cold_worker, way, fault):
    reported = found(cold_worker, way)
    assert any(one.startswith(fault) for one in reported), reported


def test_many_bytes_are_found(cold_worker, monkeypatch):
    monkeypatch.setattr(judging, "MOST_MIB", 64)
    assert found(cold_worker, "nothing") == []
    assert found(cold_worker, "many bytes") == ["takes more than 64 MiB"]


def test_nothing_is_judged_where_python_does_not_start():
    assert faults(Outcome(code=1, errors=f"{judging.NOT_STARTED}: …\nTraceback (most recent call last):\n"), {}) == []


def test_a_case_that_writes_more_files_may_take_longer():
    assert faults(Outcome(seconds=11, files=2), {}) == []
    assert faults(Outcome(seconds=11, files=1), {}) == ["takes more than 10.8 seconds"]


@pytest.mark.parametrize("way", ["a refusal", "nothing"])
def test_the_law_is_kept_by_a_call_that_returns_and_by_one_that_is_refused(cold_worker, way):
    assert found(cold_worker, way) == []


def test_a_search_makes_a_case_small_and_counts_it_once(cold_worker):
    search = Search(cold_worker, "numbers", sys.modules[__name__])
    for number in range(3):
        search.batch(number, time.monotonic() + 60, most=20)
    assert [case for _, case in search.found.values()] == [{"number": 10}]
    assert 20 < search.cases < 120


def test_a_search_ends_when_its_time_is_up(cold_worker):
    search = Search(cold_worker, "numbers", sys.modules[__name__])
    search.batch(0, time.monotonic() - 1)
    assert (search.cases, search.found) == (0, {})


def test_a_library_may_keep_files_in_a_home_that_a_case_names():
    asked = environments.asked({"words": ["figures", "neuron"], "environment": {"HOME": "."}})
    assert {Path(".cache"), Path(".config")} <= set(asked)


def test_a_case_is_kept_in_one_file(tmp_path):
    files = [keep("scenarios", "it hung", {"words": ["list"]}, tmp_path) for _ in range(2)]
    assert list(tmp_path.iterdir()) == files[:1] and files[0] == files[1]
    assert json.loads(files[0].read_text()) == {"kind": "scenarios", "once": "it hung", "case": {"words": ["list"]}}
    assert faults(Outcome(), {}) == []
