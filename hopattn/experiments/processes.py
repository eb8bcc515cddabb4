"""Work on an executor of `concurrent.futures`: several processes of this machine, or the workers of a cluster.

The processes end when the process that started them ends, in whatever way.
"""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, wait
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from threading import Thread
from typing import Any

from hopattn.cluster.connection import POLL_SECONDS, connected, on_cluster, require_workers
from hopattn.foundation.errors import CannotDo, InvalidInput, quoted, shortened

JOBLIB_READS = ("JOBLIB_", "LOKY_")
"""The beginnings of the variables that joblib reads."""
Look = Callable[[], object]
"""Called while nothing is finished; it raises an error if nothing will be."""
AHEAD = 5000
"""The tasks that a cluster has at a time, so that any number of them needs little memory."""
IDLE_SECONDS = 300
"""The seconds for which processes without work are kept."""
WATCH_SECONDS = 0.5
"""The seconds between two looks of a worker whether the process that started it is still there."""


def results_of(
    work: Callable[[Any], Any], tasks: Iterable[Any], count: int | None = None, ordered: bool = False, cluster: Any = ""
) -> Iterator[Any]:
    """The result of work(task) for each task, computed on several processes.

    count: the number of processes of this machine; None for one on each core, 1 for this one alone. ordered: whether
    the results have the order of the tasks, or that in which they are finished. cluster: a Dask cluster, as for
    `connected`, used instead of this machine; empty for none.
    Raises `CannotDo` if a process ends before its work is done, or if the cluster is lost or does not answer, and
    `InvalidInput` for an environment that joblib cannot read; an error of the work is raised as it is. After an error
    the processes are ended; otherwise they are kept for the next call.
    """
    here = isinstance(cluster, str) and not cluster
    if here and count == 1:
        yield from map(work, tasks)
        return
    with _processes(count) if here else _workers(cluster) as (executor, ahead, look):
        numbered = _completed(executor, work, tasks, ahead, look)
        yield from _in_order(numbered) if ordered else (result for _, result in numbered)


def _completed(
    executor: Executor, work: Callable[[Any], Any], tasks: Iterable[Any], ahead: int, look: Look
) -> Iterator[tuple[int, Any]]:
    """The number and the result of each task of an executor, as they are finished.

    ahead: the number of tasks that are given out at a time. look: called after each `POLL_SECONDS` without a result.
    """
    left = enumerate(tasks)
    running = {executor.submit(work, task): i for i, task in islice(left, ahead)}
    while running:
        done = wait(running, POLL_SECONDS, FIRST_COMPLETED).done
        if not done:
            look()
        for future in done:
            yield running.pop(future), future.result()
        running |= {executor.submit(work, task): i for i, task in islice(left, len(done))}


def _in_order(numbered: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    """The results in the order of their numbers, each as soon as those before it are there."""
    kept, following = {}, 0
    for number, result in numbered:
        kept[number] = result
        while following in kept:
            yield kept.pop(following)
            following += 1


@contextmanager
def _workers(cluster: Any) -> Iterator[tuple[Executor, int, Look]]:
    """The workers of a cluster: the arguments of `_completed`."""
    with connected(cluster) as client, on_cluster(client):
        executor = client.get_executor(pure=False)
        try:
            yield executor, AHEAD, partial(require_workers, client)
        finally:
            with suppress(Exception):  # a lost cluster
                executor.shutdown(wait=False)


@contextmanager
def _processes(count: int | None) -> Iterator[tuple[Executor, int, Look]]:
    """Processes of this machine, each with one thread: the arguments of `_completed`.

    They are ended after an error, and otherwise kept. Loky prints a traceback if it ends them before it has given out
    every task, so that is awaited. With more tasks ahead, they would not all be given out at once.
    """
    _require_joblib()
    from joblib.externals.loky import cpu_count, get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool
    from joblib.parallel import ParallelBackendBase

    count = count or cpu_count()
    executor = get_reusable_executor(
        count,
        timeout=IDLE_SECONDS,
        initializer=_begin,
        initargs=(os.getpid(),),
        env=dict.fromkeys(ParallelBackendBase.MAX_NUM_THREADS_VARS, "1"),
    )
    try:
        with _interrupts_held():
            executor.submit(int)  # starts the processes
        yield executor, 2 * count - 1, lambda: None
    except BrokenProcessPool as error:
        message = f"a worker ended before its work was done ({shortened(error, 120)})"
        raise CannotDo(f"{message}; what a file keeps is not lost; take fewer workers") from None
    except BaseException:
        with suppress(BrokenProcessPool):
            last = executor.submit(int)
            while not (last.running() or last.done()):
                time.sleep(0.001)
        executor.shutdown(kill_workers=True)
        raise


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
