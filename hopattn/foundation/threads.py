"""The machine: threads to share work out to, and how large its caches are.

Blocks go to threads of our own, each with one thread of BLAS: the product of one block is too small to be divided
again, and threads of BLAS within threads would only wait for one another.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from pathlib import Path
from threading import Lock, Thread
from typing import Any

Share = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]
"""Does a work for each of many tasks, and gives what came of them in their order."""

_WITHIN: ContextVar[bool] = ContextVar("within", default=False)
"""Whether this is the work of such threads already: then there are no more to be had."""

_ALLOWED: ContextVar[int | None] = ContextVar("allowed", default=None)
"""How many threads there are to be had, where that is not for BLAS to say."""


class _Held:
    """How many threads BLAS has is a setting of the whole process: two who change it at once might not set it back."""

    def __init__(self) -> None:
        self.lock = Lock()


_BLAS = _Held()


class _Alone:
    """How many work alone just now: the first sets BLAS to one thread, the last sets it back."""

    def __init__(self) -> None:
        self.lock, self.count = Lock(), 0
        self.limit: Any = None


_ALONE = _Alone()
if hasattr(os, "register_at_fork"):  # the thread that holds it does not live on in a child
    os.register_at_fork(after_in_child=_BLAS.__init__)  # type: ignore[misc]
    os.register_at_fork(after_in_child=_ALONE.__init__)  # type: ignore[misc]


@contextmanager
def workers(threads: int | None = None) -> Iterator[Share]:
    """Threads that share work, the caller among them.

    threads: None for as many as `at_most` allows, or else as BLAS has by itself, which is what the user has set for it,
    or one for each core. What NumPy is told to ignore here is ignored in the threads too. The first error of any of
    them is raised, and no task is begun after it.
    """
    if _WITHIN.get():
        yield lambda work, tasks: [work(*task) for task in tasks]
        return
    with _BLAS.lock:
        within = _WITHIN.set(True)
        try:
            blas = _blas()
            own = max((library["num_threads"] for library in blas.info()), default=os.cpu_count() or 1)
            wanted = threads or _ALLOWED.get() or own
            with blas.limit(limits=1):
                yield lambda work, tasks: _shared(work, tasks, wanted)
        finally:
            _WITHIN.reset(within)


@contextmanager
def alone() -> Iterator[None]:
    """Work in this thread alone, BLAS with one thread too, beside others that do the same in threads of this process.

    So what comes out does not depend on how many work side by side.
    """
    with _ALONE.lock:
        if _ALONE.count == 0:
            _ALONE.limit = _blas().limit(limits=1)
        _ALONE.count += 1
    within = _WITHIN.set(True)
    try:
        yield
    finally:
        _WITHIN.reset(within)
        with _ALONE.lock:
            _ALONE.count -= 1
            if _ALONE.count == 0:
                _ALONE.limit.restore_original_limits()


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Within it, `workers` gives so many threads where it is not told how many."""
    before = _ALLOWED.set(threads)
    try:
        yield
    finally:
        _ALLOWED.reset(before)


def _shared(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], threads: int) -> list[Any]:
    found: list[Any] = [None] * len(tasks)
    left, failed = deque(range(len(tasks))), deque[BaseException]()

    def drain() -> None:
        try:
            while left:
                try:
                    i = left.popleft()
                except IndexError:  # another thread has taken the last
                    return
                found[i] = work(*tasks[i])
        except BaseException as error:
            failed.append(error)
            left.clear()

    helpers = [Thread(target=copy_context().run, args=(drain,)) for _ in range(min(threads, len(tasks)) - 1)]
    try:
        for helper in helpers:
            helper.start()
    except RuntimeError:  # no thread is to be had, as when Python shuts down: the others do it all
        helpers = [helper for helper in helpers if helper.is_alive()]
    drain()
    for helper in helpers:
        helper.join()
    if failed:
        raise failed[0]
    return found


def second_cache() -> int:
    """The size in bytes of the cache that a core has to itself (the second level); 1 MiB where it is not told."""
    try:
        told = Path("/sys/devices/system/cpu/cpu0/cache/index2/size").read_text(encoding="ascii").strip()
        return int(told.removesuffix("K")) * 1024
    except (OSError, ValueError):
        return 2**20


@cache
def _blas() -> Any:
    """The BLAS that NumPy has loaded; looked for once, because that takes as long as a small step."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
