"""Signals stop a command: it ends in seconds with one line, its exit code, and none of its processes left."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hopattn.experiments.sweeps.checkpoint import read_checkpoint
from tests.processes import end, left_after, running, started

SWEEP = ("sweep", "phases", "--set", "ensemble.neurons=60", "--trials", "4", "--over", "load=0.05:0.2:400")
SECONDS = 60
"""The seconds for a command to end: a few on a calm machine, many on a busy one. What goes on has another code."""
KEPT = "finished points are kept in phases-points.jsonl; go on with:"


@pytest.fixture
def sweeping(tmp_path):
    """Start a sweep, wait until it is so far, and give the process; what is left of it is ended."""
    commands = []

    def start(is_so_far, *words):
        commands.append(started(tmp_path, *SWEEP, *words, text=True))
        deadline = time.monotonic() + 60
        while not is_so_far(commands[-1].pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        return commands[-1]

    yield start
    for command in commands:
        end(command.pid)
        command.communicate()


def points(folder, number):
    """A function that says whether a sweep in this folder has finished so many points."""
    file = folder / "phases-points.jsonl"
    return lambda _: file.exists() and file.read_bytes().count(b"\n") > number


def workers(session):
    return [number for number, command in running(session).items() if "LokyProcess" in command]


# Three processes import the package each time: only they show that a signal reaches all of them.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "send", "code", "word"),
    [
        (signal.SIGTERM, os.kill, 143, "terminated"),
        (signal.SIGTERM, os.killpg, 143, "terminated"),
        (signal.SIGINT, os.killpg, 130, "interrupted"),
    ],
)
def test_a_sweep_on_two_workers_stops_with_them_and_keeps_its_points(sweeping, tmp_path, number, send, code, word):
    command = sweeping(points(tmp_path, 2), "--workers", "2")
    send(command.pid, number)
    assert left_after(command.pid, SECONDS) == []
    out, err = command.communicate()
    assert (command.returncode, out) == (code, "")
    first, again, last = (line for line in err.splitlines() if " of 400 points" not in line)
    assert (first, last) == (KEPT, word) and again.startswith("  hopattn ")
    assert len(read_checkpoint(tmp_path / "phases-points.jsonl")[1]) >= 2


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(sweeping, tmp_path):
    command = sweeping(points(tmp_path, 1), "--workers", "2")
    assert len(workers(command.pid)) == 2
    os.kill(command.pid, signal.SIGKILL)
    assert left_after(command.pid, SECONDS) == []
    assert "Traceback" not in command.communicate()[1]


@pytest.mark.slow
def test_ctrl_c_while_workers_start_is_one_line(sweeping):
    command = sweeping(workers, "--workers", "2")
    os.killpg(command.pid, signal.SIGINT)
    assert left_after(command.pid, SECONDS) == []
    assert command.communicate()[1].splitlines()[-1:] == ["interrupted"]
    assert command.returncode == 130


def stopped(script, *numbers):
    """The exit code and standard error of a script that says when it is ready for these signals."""
    start = "import os, signal, time; from hopattn.cli.signals import Stopped, stoppable"
    catch = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    words = [sys.executable, "-c", f"{start}\n{catch}\n{script}"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for number in numbers:
        process.stdout.readline()
        process.send_signal(number)
    _, err = process.communicate(timeout=20)
    return process.returncode, err


SLEEPS = "print(flush=True); [time.sleep(0.01) for _ in range(2000)]"
"""A long sleep does not hear a signal that arrives just before it begins."""
CLOSED = f"""
try:
    with stoppable(): {SLEEPS}
except Stopped as stopped: os.write(2, f"{{stopped.word}} {{stopped.code}}".encode())
"""
IN_A_CALLBACK = f"""
class Slow:
    def __del__(self): {SLEEPS}
with stoppable(): Slow(); time.sleep(20)
"""
TWICE = f"""
import hopattn.cli.signals
hopattn.cli.signals.GRACE = {{grace}}
with stoppable():
    try: {SLEEPS}
    finally: {SLEEPS}
"""
IGNORED = "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwith stoppable(): print(flush=True); time.sleep(0.1)"


@pytest.mark.parametrize(
    ("script", "numbers", "ended"),
    [
        (CLOSED, [signal.SIGINT], (0, "interrupted 130")),
        (CLOSED, [signal.SIGTERM], (0, "terminated 143")),
        (IN_A_CALLBACK, [signal.SIGTERM], (143, "terminated\n")),  # no error can leave it
        (TWICE.format(grace=20), [signal.SIGTERM, signal.SIGINT], (-signal.SIGINT, "")),  # the second one ends at once
        (TWICE.format(grace=0.1), [signal.SIGTERM], (143, "")),  # and so does a clock
        (IGNORED, [signal.SIGINT], (0, "")),
    ],
)
def test_a_signal_closes_what_is_open_or_ends_the_process(script, numbers, ended):
    assert stopped(script, *numbers) == ended
