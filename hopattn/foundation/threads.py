"""Work in blocks, shared among threads of this process.

BLAS has one thread meanwhile: the product of one block is too small to be divided again, and BLAS threads within
threads would only wait for each other.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import lru_cache
from threading import Lock, Thread
from typing import Any

Share = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""share(work, tasks): the results of work(*task) for each task, in the order of the tasks."""
_IN_SHARED_WORK: ContextVar[bool] = ContextVar("in_shared_work", default=False)  # within, no threads are started
_THREAD_LIMIT: ContextVar[int | None] = ContextVar("thread_limit", default=None)  # None: as many as BLAS has


class _Blas:
    """The number of threads of BLAS, a setting of the whole process: the first user sets it to 1, the last restores it.

    threads: the number before. limits: what the last restores, one for each BLAS that is imported meanwhile.
    """

    def __init__(self) -> None:
        self.lock, self.users, self.threads = Lock(), 0, 1
        self.limits: list[Any] = []

    @contextmanager
    def held(self) -> Iterator[None]:
        """Work with one thread of BLAS, in which `workers` starts no threads."""
        with self.lock:
            if not self.users:
                blas = _blas_among(len(sys.modules))
                self.threads = max((library["num_threads"] for library in blas.info()), default=os.cpu_count() or 1)
                _free_blas()
                self.limits = [blas.limit(limits=1)]
            self.users += 1
        token = _IN_SHARED_WORK.set(True)
        try:
            yield
        finally:
            with self.lock:
                self.users -= 1
                while not self.users and self.limits:
                    _free_blas()
                    self.limits.pop().restore_original_limits()
                    _free_blas()
            _IN_SHARED_WORK.reset(token)


def _free_blas() -> None:
    """Let this thread set OpenBLAS: threadpoolctl from 3.8 on lets only the thread that was the first to set it."""
    import threadpoolctl

    if hasattr(threadpoolctl.OpenBLASController, "clear_controlling_thread"):
        threadpoolctl.OpenBLASController.clear_controlling_thread(force=True)


@lru_cache(maxsize=1)
def _blas_among(modules: int) -> Any:
    """The controller of every BLAS of this process: SciPy brings one of its own, beside NumPy's.

    It is cached until another module is imported, because the search takes as long as a small step.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


_BLAS = _Blas()
if hasattr(os, "register_at_fork"):  # in a forked child, no thread is left that could release the lock
    os.register_at_fork(after_in_child=lambda: setattr(_BLAS, "lock", Lock()))


def in_turn(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
    """As `workers` shares tasks, in one thread."""
    return [work(*task) for task in tasks]


@contextmanager
def workers(threads: int | None = None) -> Iterator[Share]:
    """Give a function that shares tasks among threads; the calling thread is one of them.

    threads: their number. None: the limit of `thread_limit`; without one, the number of threads that BLAS has, which
    the user may have set; without BLAS, one for each core. The threads work in a copy of the caller's context, so that
    `numpy.errstate` holds in them too. After the first error no further task starts, and the error is raised. Within
    shared work there are no more threads: the tasks run one after the other.
    """
    if _IN_SHARED_WORK.get():
        yield in_turn
        return
    with _BLAS.held():
        number = threads or _THREAD_LIMIT.get() or _BLAS.threads
        yield lambda work, tasks: _run(work, tasks, number)


single_threaded = _BLAS.held
"""Work in the calling thread only, with one thread of BLAS; several threads of a process may do so side by side."""


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
    with _BLAS.lock:
        if _BLAS.users:
            _free_blas()
            _BLAS.limits.append(_blas_among(len(sys.modules)).limit(limits=1))


def _run(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], threads: int) -> list[Any]:
    """The results of the tasks, in their order; raises the first error of a task."""
    results, errors = [None] * len(tasks), list[BaseException]()
    remaining = iter(range(len(tasks)))

    def run_remaining() -> None:
        try:
            for i in remaining:
                results[i] = work(*tasks[i])
        except BaseException as error:
            errors.append(error)
            for _ in remaining:  # no further task starts
                pass

    helpers = [Thread(target=copy_context().run, args=(run_remaining,)) for _ in range(min(threads, len(tasks)) - 1)]
    with suppress(RuntimeError):  # no thread can start, for example while Python shuts down: the others do all tasks
        for helper in helpers:
            helper.start()
    run_remaining()
    for helper in helpers:
        if helper.is_alive():
            helper.join()
    if errors:
        raise errors[0]
    return results


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices that divide 0 to n − 1 into blocks of `size`; the last block may be shorter."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def ranges(within: range, size: int) -> list[range]:
    """The range `within`, divided into consecutive ranges of `size` numbers; the last one may be shorter."""
    return [range(i, min(i + size, within.stop)) for i in range(within.start, within.stop, size)]
