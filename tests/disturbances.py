"""Disturbances of a command: signals at random moments, a full disk, outputs that are full, closed, unread or slow."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.processes import end, left_after, running, started

SECONDS = 5.0
"""The time in which the processes of a command that is stopped must be gone."""
LIMIT = 120.0
"""The time in which a command that is not stopped must have ended."""


@dataclass(frozen=True)
class End:
    """The end of a command: its exit code, what it wrote, the processes that it left, and the seconds that it took."""

    code: int
    output: bytes
    errors: str
    left: tuple[str, ...]
    seconds: float


@dataclass(frozen=True)
class Disturbance:
    """A way to disturb a command.

    run: gives the end of the command, as run(folder, words, usual, rng); `usual` is its end without a disturbance.
    codes: the exit codes that it may then have. resumed: whether the same command is run once more afterwards.
    """

    run: Callable[..., End]
    codes: tuple[int, ...]
    resumed: bool = False


def undisturbed(folder, words):
    return _ended(started(folder, *words), LIMIT)


def _ended(process, seconds):
    """The end of a command, which may take so many seconds; what is left then is ended."""
    start = time.monotonic()
    try:
        output, errors = process.communicate(timeout=seconds)
        left = left_after(process.pid, start + seconds - time.monotonic())
        end(process.pid)
    except subprocess.TimeoutExpired:
        left = running(process.pid).values()
        end(process.pid)
        output, errors = process.communicate()
    taken = time.monotonic() - start
    return End(process.returncode, output or b"", (errors or b"").decode(), tuple(left), taken)


def _killed(folder, words, usual, rng, number):
    process = started(folder, *words)
    time.sleep(rng.uniform(0, usual.seconds))
    if number == signal.SIGINT:
        _await_begin(process.pid)
    # Ctrl-C goes to the whole session, `kill` to one process, the end of a session or a container to all
    send = os.kill if number == signal.SIGKILL or rng.random() < 0.5 else os.killpg
    send(process.pid, number)
    return _ended(process, SECONDS + usual.seconds)  # on a busy machine, that took longer too


def _await_begin(pid):
    """Wait until hopattn has begun. For some 20 ms before that, Python itself answers Ctrl-C with a traceback."""
    while _caught(pid, signal.SIGINT) and not _caught(pid, signal.SIGTERM):
        time.sleep(0.001)


def _caught(pid, number):
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")), "0")
    return bool(int(caught, 16) >> (number - 1) & 1)


def _on_full_disk(folder, words, usual, rng):
    """No file may become larger than a random size: the write beyond it fails as on a full disk."""
    kib = int(10 ** rng.uniform(0, 1.6))
    return _ended(started(folder, *words, before=f"ulimit -f {kib}"), LIMIT)


def _with_full_output(folder, words, usual, rng):
    with Path("/dev/full").open("wb") as full:
        return _ended(started(folder, *words, stdout=full), LIMIT)


def _with_unread_output(folder, words, usual, rng):
    with ExitStack() as stack:
        here, there = os.pipe()
        stack.callback(os.close, there)
        os.close(here)
        return _ended(started(folder, *words, stdout=there), LIMIT)


def _with_closed(folder, words, usual, rng, stream):
    return _ended(started(folder, *words, before=f"exec {stream}>&-"), LIMIT)


def _with_slow_reader(folder, words, usual, rng):
    process = started(folder, *words, bufsize=0)
    read = b""
    while part := process.stdout.read(rng.randrange(1, 200)):
        read += part
        time.sleep(0.005)
    found = _ended(process, LIMIT)
    return End(found.code, read, found.errors, found.left, found.seconds)


KILLS = {
    number.name: Disturbance(partial(_killed, number=number), (0, -number, *own), resumed=True)
    for number, own in ((signal.SIGKILL, ()), (signal.SIGTERM, (143,)), (signal.SIGINT, (130,)))
}
"""0: it had finished. The number itself, below 0: the signal came while Python was starting or ending."""
OTHERS = {
    "full disk": Disturbance(_on_full_disk, (0, 3), resumed=True),
    "full output": Disturbance(_with_full_output, (3,)),
    "closed output": Disturbance(partial(_with_closed, stream=1), (141,)),
    "unread output": Disturbance(_with_unread_output, (141,)),
    "slow output": Disturbance(_with_slow_reader, (0,)),
    "closed errors": Disturbance(partial(_with_closed, stream=2), (0,)),
}
