#!/usr/bin/env python3
"""Print `name==version` with the least version of each package that pyproject.toml names, one on a line.

The packages are those that hopattn is built with, those that it needs, and those of every extra: `pip install -r` takes
the lines. Ends with code 1 and a message where a requirement is not written as `name>=version`, or where a package has
two least versions.
"""

import re
import sys
import tomllib
from itertools import chain
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def minimums(stated: dict) -> dict[str, str]:
    """The least version of each package by its name; raises `ValueError` where there is not exactly one."""
    found: dict[str, str] = {}
    project = stated["project"]
    groups = [stated["build-system"]["requires"], project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in chain.from_iterable(groups):
        parts = re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement)
        if parts is None:
            raise ValueError(f"{requirement!r}: expected name>=version")
        name, version = parts.groups()
        if found.setdefault(name, version) != version:
            raise ValueError(f"{name}: both {found[name]} and {version} are its least version")
    return found


if __name__ == "__main__":
    try:
        least = minimums(tomllib.loads(PROJECT.read_text(encoding="utf-8")))
    except ValueError as error:
        sys.exit(f"{PROJECT.name}: {error}")
    sys.stdout.writelines(f"{name}=={version}\n" for name, version in least.items())
