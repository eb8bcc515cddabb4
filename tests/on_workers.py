"""Work that tests give to other processes. Each process imports this file, so it imports little."""

import os
import signal
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopattn.retrieval.similarity import Dot


def noisy(point, seed):
    """Random numbers, one of them around x·y."""
    rng = np.random.default_rng(seed)
    return {"value": point["x"] * point["y"] + rng.normal(), "second": rng.random()}


def slow(point, seed):
    """A trial that takes long enough for its worker to be killed during it."""
    time.sleep(0.15)
    return {"value": point["x"] + np.random.default_rng(seed).normal(), "pid": float(os.getpid())}


def serve(pipe):
    """A cluster of one worker with one thread, all in this process, until the other end of the pipe is closed."""
    from distributed import LocalCluster

    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp"}
    with LocalCluster(dashboard_address=":0", silence_logs=50, **options) as cluster:
        pipe.send(cluster.scheduler_address)
        with suppress(EOFError):
            pipe.recv()


@contextmanager
def frozen(pid):
    """Within it, a process does not run; somebody may end it meanwhile."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def failing(thing, kind):
    raise kind(f"of {thing}")


@dataclass(frozen=True)
class Deadly(Dot):
    """The dot product, which ends the process that first computes it after the file was made, after these others."""

    path: str = ""
    others: tuple[int, ...] = ()

    def __call__(self, cues, keys):
        try:
            Path(self.path).unlink()
        except OSError:
            return super().__call__(cues, keys)
        return killed((*self.others, os.getpid()))


def killed(processes):
    """End these processes at once; those that have ended stay so."""
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
