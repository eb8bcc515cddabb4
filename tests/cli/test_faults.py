"""Commands that are killed or disturbed: some of those of `python -m tests.faults`, and what that would find."""

import random
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tests.counts import spread
from tests.disturbances import KILLS, OTHERS, End
from tests.faults import COMMANDS, Command, Trial, table

SHORT = Command("run", "run bank --out results", folders=("results",))
SWEEP = next(command for command in COMMANDS if command.name == "sweep on workers")
CASES = [
    *((SHORT, "full disk"), (SWEEP, "SIGKILL"), (SHORT, "SIGINT"), (SHORT, "slow output"), (SWEEP, "closed errors")),
    (SHORT, "closed errors"),
]
"""With quick counts all variants are the first and the last; `tests/fuzz` keeps cases of workers without a stream."""


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The trial of a command, which is made once."""
    return cache(lambda command: Trial.of(command, tmp_path_factory.mktemp("usual")))


# A command runs in a process of its own, undisturbed and disturbed.
@pytest.mark.quick(0)
@pytest.mark.parametrize(("command", "name"), spread(CASES, 2))
def test_a_disturbed_command_leaves_nothing_half_done(undisturbed, command, name, tmp_path):
    trial = replace(undisturbed(command), folder=tmp_path)
    assert trial.faults({**KILLS, **OTHERS}[name], random.Random(0)) == []


FINE = End(0, b"a table\n", "message\n", (), 1.0)
FILES = {"table.csv": b"1\n", "results/a": b"a", "results/b": b"b"}


@pytest.mark.parametrize(
    ("end", "files", "fault"),
    [
        (replace(FINE, code=1), FILES, "exit code 1"),
        (replace(FINE, errors="Traceback (most recent call last)"), FILES, "traceback"),
        (replace(FINE, left=("a worker",)), FILES, "left running: a worker"),
        (FINE, FILES | {"table.csv": b"1"}, "table.csv: is not what it is usually"),
        (replace(FINE, code=3), {"results/a": b"a"}, "results: lacks results/b"),
        (FINE, {}, "has finished without results/a, results/b, table.csv"),
        (replace(FINE, output=b"a tab"), FILES, "has finished with another output"),
    ],
)
def test_each_fault_is_found(end, files, fault):
    trial = Trial(Command("a command", "", ("table.csv",), ("results",)), Path(), FINE, FILES)
    assert trial.wrong_with(FINE, (0,), FILES) == []
    assert trial.wrong_with(replace(FINE, code=3, output=b""), (3,), {}) == []
    found = trial.wrong_with(end, (0, 3), files)
    assert found[0] == fault and found[-1] == end.errors


def test_the_table_counts_what_was_tried_and_what_held():
    tried, failed = {("run", "SIGKILL"): 3, ("certify", "SIGTERM"): 2}, {("certify", "SIGTERM"): 1}
    lines = table(Counter(tried), Counter(failed)).splitlines()
    assert lines[0].split()[:2] == ["SIGKILL", "SIGTERM"]
    assert lines[1].split()[:3] == ["run", "3", "–"]
    assert lines[-1].split()[:5] == ["certify", "–", "1", "of", "2"]
