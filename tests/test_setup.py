"""The first use of a fresh clone: each slow step says first what it does."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_every_slow_step_of_the_set_up_is_announced(tmp_path):
    command = ["make", "--dry-run", "demo", "test", "lint", "site", f"VENV={tmp_path / 'venv'}"]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    slow = [i for i, line in enumerate(lines) if "sh .ci/" in line]
    assert len(slow) == 6
    assert all(lines[i - 1].startswith("echo >&2 ") for i in slow)


def test_drawing_figures_is_announced_on_standard_error(hopattn):
    code, out, err = hopattn("figures", "neuron", "--out", "drawn")
    assert (code, out) == (0, "drawn/neuron.svg\n")
    assert err.startswith("drawing into drawn …\n")


@pytest.fixture
def clone(tmp_path):
    """A repository with .ci/full-is-due in it; give a function that runs git there."""

    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/full-is-due", tmp_path / ".ci")
    git("init", "--quiet")
    git("commit", "--quiet", "--allow-empty", "--message", "first")
    return git


def due(folder, **ran):
    """The parts that .ci/full-is-due prints, and what it says on standard error. ran: their commits and ends."""
    rows = (f"{part} {commit} 2026-01-01 {how} in 3 min\n" for part, (commit, how) in ran.items())
    (folder / ".ci/full-ran").write_text("".join(rows))
    done = subprocess.run(["sh", ".ci/full-is-due"], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.split(), done.stderr


def test_a_part_is_due_after_fifty_commits_where_it_failed_or_at_a_word(clone, tmp_path):
    first = tip = clone("rev-parse", "HEAD")
    tree = clone("write-tree")
    for count in range(1, 51):
        tip = clone("commit-tree", tree, "-p", tip, "-m", f"commit {count}")
        if count in (49, 50):
            clone("update-ref", "HEAD", tip)
            expected = ["laws"] if count == 49 else ["fuzz", "laws"]
            assert due(tmp_path, fuzz=(first, "passed"), laws=(tip, "failed")) == (expected, "")
    parts, message = due(tmp_path, fuzz=("0" * 40, "passed"))
    assert parts == [] and "is not in this clone" in message, "a shallow clone"
    clone("commit", "--quiet", "--allow-empty", "--message", "Release [full]")
    assert due(tmp_path, fuzz=(tip, "passed"), laws=(tip, "passed")) == (["fuzz", "laws"], "")


def test_everything_runs_each_part_and_keeps_how_it_ended(clone, tmp_path):
    def everything(*parts, fails="nothing"):
        scripts = {".ci/every-extra": ":", ".ci/other-versions": ":", ".venv/bin/python": ":"}
        scripts["make"] = f"echo $* >>made; case $* in *{fails}*) exit 1;; esac"
        for name, script in scripts.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
        (tmp_path / "made").write_text("")
        path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        ran = subprocess.run(["bash", ".ci/full", *parts], cwd=tmp_path, env=path, capture_output=True, text=True)
        made = [line.split()[0] for line in (tmp_path / "made").read_text().splitlines()]
        return ran.returncode, made, ran.stderr

    shutil.copy(ROOT / ".ci/full", tmp_path / ".ci")
    commit = clone("rev-parse", "--short", "HEAD")
    ran = tmp_path / ".ci/full-ran"
    ran.write_text(f"laws {commit} 2026-01-01 passed in 9 min\nfuzz {commit} 2026-01-01 failed in 9 min\n")
    code, made, message = everything("fuzzz")
    assert (code, made) == (2, []) and "'fuzzz' is not a part of .ci/full; expected some of: figures" in message
    assert everything("fuzz", "benchmarks") == (0, ["fuzz", "bench"], "")
    rows = [line.split() for line in ran.read_text().splitlines()]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        (part, commit, "passed") for part in ("laws", "fuzz", "benchmarks")
    ]
    assert everything(fails="FUZZ_SECONDS") == (1, ["test-all"] * 3 + ["fuzz", "bench"], "")
    rows = [line.split() for line in ran.read_text().splitlines()]
    assert {row[0]: row[3] for row in rows} == {"fuzz": "failed"} | dict.fromkeys(
        ("figures", "practice", "laws", "faults", "benchmarks", "least", "newest"), "passed"
    )


def test_the_tests_that_other_versions_run_are_there():
    named = re.findall(r"tests/\S+", (ROOT / ".ci/other-versions").read_text(encoding="utf-8"))
    assert len(named) > 20 and [name for name in named if not (ROOT / name).exists()] == []
