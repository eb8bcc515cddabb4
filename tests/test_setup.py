"""The first use of a fresh clone: each slow step says first what it does."""

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


def due(folder, ran):
    """The output and the exit code of .ci/full-is-due, where the commit `ran` stands in .ci/full-ran."""
    (folder / ".ci/full-ran").write_text(f"{ran} 2026-01-01 passed\n")
    done = subprocess.run(["sh", ".ci/full-is-due"], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip(), done.returncode


def test_everything_is_due_after_fifty_commits_or_at_a_word(clone, tmp_path):
    first = tip = clone("rev-parse", "HEAD")
    tree = clone("write-tree")
    for count in range(1, 51):
        tip = clone("commit-tree", tree, "-p", tip, "-m", f"commit {count}")
        if count in (49, 50):
            clone("update-ref", "HEAD", tip)
            assert due(tmp_path, first) == (("", 1) if count == 49 else ("50 commits since it ran", 0))
    assert due(tmp_path, tip) == ("", 1)
    assert due(tmp_path, "0" * 40) == ("", 1), "a shallow clone"
    clone("commit", "--quiet", "--allow-empty", "--message", "Release [full]")
    assert due(tmp_path, tip) == ("the last commit asks for it", 0)
