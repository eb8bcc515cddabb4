"""The cases that are kept: in `corpus/`, a JSON file each, with the kind and a line that says what once went wrong."""

import hashlib
import json
from pathlib import Path

FOLDER = Path(__file__).parent / "corpus"


def kept():
    """Every kept case by the name of its file: its kind, what once went wrong, and the case itself."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def executor(kind):
    """The name of the module whose `attempt(case)` executes the cases of a kind."""
    return "tests.fuzz.wrong_calls" if kind == "wrong_calls" else "tests.fuzz.commands"


def keep(kind, once, case, folder=FOLDER):
    """Write a case into a file; gives its path. The name comes from the case, so that no case is kept twice."""
    text = json.dumps({"kind": kind, "once": once, "case": case}, indent=1) + "\n"
    file = folder / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    file.write_text(text, encoding="utf-8")
    return file
