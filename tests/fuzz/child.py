"""A process that executes cases: each in a process forked from it, under limits, in an empty folder of its own.

It reads questions from standard input and answers on standard output, a line of JSON each. A question names a module
and a case, and the function `attempt` of the module executes the case. As everything is imported before the first
fork, a case takes some milliseconds; as `python -m tests.fuzz.child cold {}` it imports nothing beforehand.
It reads /proc and polls process descriptors, so it needs Linux.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import asdict
from functools import cache
from pathlib import Path

from tests.fuzz.case_process import Limits, execute
from tests.fuzz.judging import Outcome
from tests.fuzz.missing import hide
from tests.processes import ROOT

PR_SET_CHILD_SUBREAPER = 36
"""The request to Linux that processes whose parent has ended become children of this one."""


def warm():
    """Import everything, so that no case has to."""
    hide()
    import hopattn

    for module in pkgutil.walk_packages(hopattn.__path__, "hopattn."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    for name in ("bank", "letters"):
        hopattn.run(hopattn.load(name))
    from matplotlib import font_manager

    font_manager.findfont("DejaVu Sans")
    gc.collect()
    gc.freeze()


@cache
def _prepared(module):
    """Do once what each case of a module needs, and not in each process."""
    getattr(importlib.import_module(module), "prepare", int)()


def outcome(module, case, limits):
    """The outcome of a case."""
    _prepared(module)
    base = Path(tempfile.mkdtemp(prefix="case-"))
    try:
        process = os.fork()
        if not process:
            try:
                execute(base, module, case, limits)
            finally:
                os._exit(70)  # the frame itself has failed, and has said so on standard error
        hung = not _ends(process, limits.wall)
        if hung:
            os.kill(process, signal.SIGKILL)
        _, status, used = os.wait4(process, 0)
        left = _left_after(0.0 if hung else limits.leaving)
        report = base / "report.json"
        said = json.loads(report.read_text()) if report.exists() else {"code": os.waitstatus_to_exitcode(status)}
        texts = {name: (base / name).read_bytes().decode(errors="surrogateescape") for name in ("output", "errors")}
        seconds, mib = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        return Outcome(hung=hung, left=() if hung else left, seconds=seconds, mib=mib, **texts, **said)
    finally:
        shutil.rmtree(base, ignore_errors=True)


def _ends(process, seconds):
    """Whether a process ends in time; afterwards it still has to be waited for."""
    descriptor = os.pidfd_open(process)
    try:
        ready = select.poll()
        ready.register(descriptor, select.POLLIN)
        return bool(ready.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _left_after(seconds):
    """The commands of the processes that a case has left after so many seconds; this process inherits and ends them."""
    deadline, left = time.monotonic() + seconds, []
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return tuple(left)
        if not ended and time.monotonic() > deadline:
            for number in Path("/proc/thread-self/children").read_text().split():
                left.append(Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ").strip())
                os.kill(int(number), signal.SIGKILL)
                os.waitpid(int(number), 0)
        elif not ended:
            time.sleep(0.01)


def main(start, **limits):
    answers = os.fdopen(os.dup(1), "w")
    questions = os.fdopen(os.dup(0))
    os.dup2(2, 1)  # what a library prints while it is imported is not an answer
    os.environ["PYTHONPATH"] = str(ROOT)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if start == "warm":
        warm()
    for line in questions:
        answers.write(json.dumps(asdict(outcome(*json.loads(line), Limits(**limits)))) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1], **json.loads(sys.argv[2]))
