"""Threads that share work, and the size of the processor's cache.

Blocks of work go to threads of this process, and BLAS has one thread meanwhile: the product of one block is too small
to be divided again, and BLAS threads within threads would only wait for one another.
"""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any

Share = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""share(work, tasks): the results of work(*task) for each task, in the order of the tasks."""

_IN_SHARED_WORK: ContextVar[bool] = ContextVar("in_shared_work", default=False)
"""True within work that must not start threads of its own."""

_THREAD_LIMIT: ContextVar[int | None] = ContextVar("thread_limit", default=None)
"""The number of threads that `thread_limit` allows; None: as many as BLAS has."""


class _BlasSetting:
    """The lock of BLAS's number of threads.

    That number is a setting of the whole process: two threads that change it at the same time might not restore it.
    """

    def __init__(self) -> None:
        self.lock = Lock()


_BLAS = _BlasSetting()


class _SingleThreaded:
    """The number of threads that are within `single_threaded`: the first limits BLAS, the last restores its setting."""

    def __init__(self) -> None:
        self.lock, self.count = Lock(), 0
        self.limit: Any = None


_SINGLE_THREADED = _SingleThreaded()
if hasattr(os, "register_at_fork"):  # in a forked child, no other thread is left that could release the lock
    os.register_at_fork(after_in_child=_BLAS.__init__)  # type: ignore[misc]
    os.register_at_fork(after_in_child=_SINGLE_THREADED.__init__)  # type: ignore[misc]


_NEW_BLAS: list[Any] = []
"""The limits of BLAS that came after shared work had begun, and end with it."""


@contextmanager
def workers(threads: int | None = None) -> Iterator[Share]:
    """Give a function that shares tasks among threads; the calling thread is one of them.

    threads: their number. None: the limit of `thread_limit`; without one, the number of threads that BLAS has, which
    the user may have set; without BLAS, one for each core. The threads work in a copy of the caller's context, so that
    `numpy.errstate` holds in them too. After the first error no further task starts, and the error is raised. Within
    shared work there are no more threads: the tasks run one after the other.
    """
    if _IN_SHARED_WORK.get():
        yield lambda work, tasks: [work(*task) for task in tasks]
        return
    with _BLAS.lock:
        token = _IN_SHARED_WORK.set(True)
        try:
            blas = _blas()
            available = max((library["num_threads"] for library in blas.info()), default=os.cpu_count() or 1)
            number = threads or _THREAD_LIMIT.get() or available
            with blas.limit(limits=1):
                yield lambda work, tasks: _run(work, tasks, number)
                _restore_new_blas()
        finally:
            _IN_SHARED_WORK.reset(token)


@contextmanager
def single_threaded() -> Iterator[None]:
    """Work in the calling thread only, with one thread of BLAS; several threads of a process may do so side by side.

    The results therefore do not depend on the number of trials that run at the same time.
    """
    with _SINGLE_THREADED.lock:
        if _SINGLE_THREADED.count == 0:
            _SINGLE_THREADED.limit = _blas().limit(limits=1)
        _SINGLE_THREADED.count += 1
    token = _IN_SHARED_WORK.set(True)
    try:
        yield
    finally:
        _IN_SHARED_WORK.reset(token)
        with _SINGLE_THREADED.lock:
            _SINGLE_THREADED.count -= 1
            if _SINGLE_THREADED.count == 0:
                _restore_new_blas()
                _SINGLE_THREADED.limit.restore_original_limits()


@contextmanager
def thread_limit(threads: int) -> Iterator[None]:
    """Set the number of threads that `workers` takes when its caller names none."""
    token = _THREAD_LIMIT.set(threads)
    try:
        yield
    finally:
        _THREAD_LIMIT.reset(token)


def hold_new_blas() -> None:
    """Give one thread to a BLAS that was imported within shared work, as the others have, until that work ends."""
    if _IN_SHARED_WORK.get():
        _NEW_BLAS.append(_blas().limit(limits=1))


def _restore_new_blas() -> None:
    while _NEW_BLAS:
        _NEW_BLAS.pop().restore_original_limits()


def _run(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], threads: int) -> list[Any]:
    """The results of the tasks, in their order; raises the first error of a task."""
    results: list[Any] = [None] * len(tasks)
    remaining, errors = deque(range(len(tasks))), deque[BaseException]()

    def run_remaining() -> None:
        try:
            while remaining:
                try:
                    i = remaining.popleft()
                except IndexError:  # another thread has taken the last task
                    return
                results[i] = work(*tasks[i])
        except BaseException as error:
            errors.append(error)
            remaining.clear()

    helpers = [Thread(target=copy_context().run, args=(run_remaining,)) for _ in range(min(threads, len(tasks)) - 1)]
    try:
        for helper in helpers:
            helper.start()
    except RuntimeError:  # no thread can start, for example while Python shuts down: the others do all tasks
        helpers = [helper for helper in helpers if helper.is_alive()]
    run_remaining()
    for helper in helpers:
        helper.join()
    if errors:
        raise errors[0]
    return results


def l2_cache_size() -> int:
    """The size in bytes of a core's second-level cache, which it has to itself; 1 MiB if the system does not say."""
    try:
        text = Path("/sys/devices/system/cpu/cpu0/cache/index2/size").read_text(encoding="ascii").strip()
        return int(text.removesuffix("K")) * 1024
    except (OSError, ValueError):
        return 2**20


def _blas() -> Any:
    """The controller of every BLAS of this process: SciPy brings one of its own, beside NumPy's."""
    return _blas_among(len(sys.modules))


@lru_cache(maxsize=1)
def _blas_among(modules: int) -> Any:
    """The same; cached until another module is imported, because the search takes as long as a small step."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
