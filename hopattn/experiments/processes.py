"""Work on several processes of this machine, which end when the process that started them ends, in whatever way."""

import os
import signal
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from hopattn.foundation.errors import CannotDo, InvalidInput, quoted, shortened

JOBLIB_READS = ("JOBLIB_", "LOKY_")
"""The beginnings of the variables that joblib reads."""
WATCH_SECONDS = 0.5
"""The seconds between two looks of a worker whether the process that started it is still there."""


def results_of(
    work: Callable[[Any], Any], tasks: Iterable[Any], count: int | None = None, ordered: bool = False
) -> Iterator[Any]:
    """The result of work(task) for each task, computed on several processes.

    count: the number of processes; None for one on each core, 1 for this one alone. ordered: whether the results have
    the order of the tasks, or that in which they are finished. Raises `CannotDo` if a process ends before its work is
    done, and `InvalidInput` for an environment that joblib cannot read; an error of the work is raised as it is. After
    an error the processes are ended; otherwise they are kept for the next call.
    """
    if count == 1:
        yield from map(work, tasks)
        return
    _require_joblib()
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import BrokenProcessPool

    started_by = {"initializer": _begin, "initargs": (os.getpid(),)}
    return_as = "generator" if ordered else "generator_unordered"
    results = None
    try:
        with (
            parallel_config(backend="loky", n_jobs=count or -1, inner_max_num_threads=1, **started_by),
            _interrupts_held(),
        ):
            results = Parallel(return_as=return_as)(delayed(work)(task) for task in tasks)
        for result in results:  # noqa: UP028 – with `yield from`, joblib would warn of tasks that are given up
            yield result
    except BrokenProcessPool as error:
        message = f"a worker ended before its work was done ({shortened(error, 120)})"
        raise CannotDo(f"{message}; what a file keeps is not lost; take fewer workers") from None
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if results is not None:
                results.close()


def _require_joblib() -> None:
    """Import joblib; raises `InvalidInput` with the variables of the environment that keep it from working."""
    try:
        import joblib  # noqa: F401 – it reads the variables when it is imported
    except Exception:
        given = [f"{name}={quoted(os.environ[name])}" for name in sorted(os.environ) if name.startswith(JOBLIB_READS)]
        if not given:
            raise
        raise InvalidInput(f"{', '.join(given)}: joblib cannot read this; unset the variable") from None
    if int(several := os.environ.get("JOBLIB_MULTIPROCESSING", "1")) == 0:
        message = f"JOBLIB_MULTIPROCESSING={quoted(several)}: joblib starts no processes then"
        raise InvalidInput(f"{message}; unset the variable, or take one worker")
    limit = os.environ.get("LOKY_MAX_CPU_COUNT", "1").strip()
    if not (limit.isascii() and limit.isdigit() and int(limit)):
        raise InvalidInput(f"LOKY_MAX_CPU_COUNT={quoted(limit)}: expected a whole number from 1; unset the variable")


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start, and in them for ever.

    The terminal sends it to all of them, and Python would print a traceback in one that is still importing. The
    process that started them stops them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    from joblib.externals.loky.backend import resource_tracker as resource_tracker_of_loky

    for tracker in (resource_tracker, resource_tracker_of_loky):
        tracker.ensure_running()  # started later, it would let the signal through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(parent: int) -> None:
    """Make this process, a worker, ignore Ctrl-C and end with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process as soon as its parent is another one: the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)
