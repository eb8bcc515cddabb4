"""A case of a command: files in an empty folder, the words of a command line, and how the process begins.

    {"files": {"a.toml": "schema = 1"}, "words": ["run", "a.toml"]}

A text may be given in pieces, of which [text, n] is repeated n times. Bytes that are not UTF-8 stand in texts as
Python's "surrogateescape" writes them. "input" is the text of standard input. With "environment" or "closed", the
command runs in a process that is started anew, with these variables (null: without it) and these streams closed.
"""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.processes import START

OWN = {
    "run": "{0}-figures",
    "sweep": "{0}-points.jsonl",
    "explore": "{0}-explorer.html",
    "figures": "figures",
    "train": "trained",
}
"""The paths that commands write to unless they get another; {0}: the name of the scenario."""
KEEPING = {"HOME": (".cache", ".config"), "XDG_CACHE_HOME": ("matplotlib",), "XDG_CONFIG_HOME": ("matplotlib",)}
"""Variables with a folder in which libraries keep files of their own, and the folders that they make there."""
_REPEATED = re.compile(r"(.{1,8}?)\1{99,}", re.DOTALL)


def whole(text):
    """A text from its pieces."""
    return text if isinstance(text, str) else "".join(one if isinstance(one, str) else one[0] * one[1] for one in text)


def in_pieces(text):
    """A text in pieces, if it repeats some characters often."""
    pieces, at = [], 0
    for found in _REPEATED.finditer(text):
        pieces += [text[at : found.start()], [found[1], len(found[0]) // len(found[1])]]
        at = found.end()
    return [piece for piece in (*pieces, text[at:]) if piece] if pieces else text


def in_bytes(text):
    """The bytes that a text of a case stands for."""
    return whole(text).encode("utf-8", "surrogateescape")


def as_text(data):
    """The text of a case that stands for bytes."""
    return in_pieces(data.decode("utf-8", "surrogateescape"))


def asked(case):
    """The paths that may be there when a case has ended: the given files, and those that its words ask for."""
    words = [whole(word) for word in case["words"]]
    named = [part for word in words for part in (word, word.partition("=")[2]) if part]
    own = OWN.get(next((word for word in words if word in OWN), ""), "").format("*")
    stems = [Path(word).stem for word in words if word] + ["bank", "standard input", ""]
    defaults = [own.replace("*", stem) for stem in stems] if own else []
    given = case.get("environment", {})
    kept = [f"{given[name]}/{inner}" for name, own in KEEPING.items() if given.get(name) for inner in own]
    return [path for path in (*case.get("files", {}), *named, *defaults, *kept) if "\0" not in path]


def attempt(case):
    """Execute a case in the current folder; the end is a `SystemExit` with the exit code."""
    for name, text in case.get("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(in_bytes(text))
    words = [whole(word) for word in case["words"]]
    given = in_bytes(case.get("input", ""))
    if "environment" in case or "closed" in case:
        sys.exit(_started(words, given, case))
    from hopattn.cli.main import main

    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    sys.argv = ["hopattn", *words]
    main(words)


def _started(words, given, case):
    """The exit code of a command in a process that is started for it."""
    changes = case.get("environment", {})
    own = {name: value for name, value in os.environ.items() if name not in changes}

    def close():
        for stream in case.get("closed", ()):
            os.close(stream)

    return subprocess.run(
        [sys.executable, "-c", START, *words],
        input=given,
        env=own | {name: whole(value) for name, value in changes.items() if value is not None},
        preexec_fn=close,
        check=False,
    ).returncode
