"""The process that executes cases, as its user sees it: a case goes in, an outcome comes out."""

import json
import subprocess
import sys

from tests.fuzz.judging import Outcome
from tests.processes import ROOT, end


class Worker:
    """A process of `tests.fuzz.child`, which is started when it is first asked; use it in a `with` block.

    start: "warm", or "cold" for a process that imports nothing beforehand. limits: fields of `case_process.Limits`.
    """

    def __init__(self, start="warm", **limits):
        self._command = [sys.executable, "-m", "tests.fuzz.child", start, json.dumps(limits)]
        self._process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process is not None:
            self._process.stdin.close()
            self._process.stdout.close()
            end(self._process.pid)
            self._process.wait()
            self._process = None

    def outcome(self, module, case):
        """The outcome of a case of a module; raises `RuntimeError` if the frame itself fails."""
        if self._process is None:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen(self._command, cwd=ROOT, start_new_session=True, text=True, **pipes)
        self._process.stdin.write(json.dumps([module, case]) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that executes cases has ended; its last case: {json.dumps(case)[:1000]}")
        return Outcome(**json.loads(answer))
