"""Commands in processes of their own, and the processes that they leave behind. It reads /proc, so it needs Linux."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
CATCH = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
"""A shell makes the commands that it starts in the background ignore Ctrl-C, and they pass that on."""
START = f"{CATCH}; from hopattn.__main__ import main; main()"


def started(folder, *words, before=":", **options):
    """`hopattn` with these words as a process, in a session of its own; standard output and error are read by pipes.

    before: what a shell does first in this process. Python could do it only after a fork, at which JAX warns.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = ["bash", "-c", f'{before}; exec "$0" "$@"', sys.executable, "-c", START, *words]
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **pipes | options)


FORKS = """
import json, os, sys, traceback
start, *scripts = json.loads(sys.argv[1])
names, ends = {}, []
exec(start, names)
for script in scripts:
    if os.fork() == 0:
        code = 0
        for number, name in ((1, "output"), (2, "errors")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        try:
            exec(script, names)
        except SystemExit as ended:
            code = ended.code
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    ends.append([os.waitstatus_to_exitcode(os.wait()[1]), *(open(name).read() for name in ("output", "errors"))])
print(json.dumps(ends))
"""


def forked(folder, start, scripts):
    """The exit code, standard output and standard error of each script, as (n_scripts, 3).

    Each runs in a process of its own, which is forked from one that has run `start`: what that imports, no script
    imports anew.
    """
    command = [sys.executable, "-c", FORKS, json.dumps([start, *scripts])]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)


def running(session):
    """The commands of a session that still run, by their process numbers."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, own, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:  # it has just ended
            continue
        if int(own) == session and state != "Z":
            found[int(entry.name)] = command
    return found


def left_after(session, seconds):
    """The commands of a session that still run after so many seconds; an empty list as soon as there are none."""
    deadline = time.monotonic() + seconds
    while (found := running(session)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return list(found.values())


def end(session):
    """End what is left of a session."""
    for number in running(session):
        os.kill(number, signal.SIGKILL)
