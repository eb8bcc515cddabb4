"""The least versions: pyproject.toml states one for each package, and the list for an environment with them has all."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hopattn.foundation.kernels import LEAST
from tests.each import each

ROOT = Path(__file__).parent.parent
STATED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def listing(root):
    return subprocess.run([sys.executable, root / ".ci/minimum_versions.py"], capture_output=True, text=True)


@pytest.fixture(scope="module")
def least():
    """The least version of each package by its name."""
    return dict(line.split("==") for line in listing(ROOT).stdout.splitlines())


def test_each_package_of_the_project_and_its_extras_is_listed_with_its_least_version(least):
    extras = STATED["project"]["optional-dependencies"].values()
    groups = [STATED["build-system"]["requires"], STATED["project"]["dependencies"], *extras]
    assert {f"{name}>={version}" for name, version in least.items()} == set().union(*groups)


def test_the_loops_refuse_what_is_older_than_the_least_numba(least):
    assert least["numba"] == LEAST


@each(
    ("extra", "message"),
    [
        ("b", "'b': expected name>=version"),
        ("b==2", "'b==2': expected name>=version"),
        ("a>=2", "a: both 1 and 2 are its least version"),
    ],
)
def test_a_package_without_one_least_version_is_refused(extra, message, tmp_path):
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    needed = '[build-system]\nrequires = []\n[project]\ndependencies = ["a>=1"]\n'
    extras = f'[project.optional-dependencies]\nsome = ["{extra}"]\n'
    (tmp_path / "pyproject.toml").write_text(needed + extras)
    ended = listing(tmp_path)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", f"pyproject.toml: {message}\n")
