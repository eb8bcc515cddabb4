"""The machine: threads to share work out to, and how large its caches are.

Blocks go to threads of our own, each with one thread of BLAS: the product of one block is too small to be divided
again, and threads of BLAS within threads would only wait for one another.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

Share = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], list[Any]]

_BLAS_IS_HELD = Lock()
"""How many threads BLAS has is a setting of the whole process: two who change it at once might not set it back."""


@contextmanager
def workers(threads: int | None = None) -> Iterator[Share]:
    """Threads that do a work for each of many tasks and give what came of them, in the order of the tasks.

    threads: the caller among them; None for as many as BLAS has by itself, which is what the user has set for it, or
    one for each core. What NumPy is told to ignore here is ignored in the threads too.
    """
    from concurrent.futures import ThreadPoolExecutor  # not while a small scenario starts

    with _BLAS_IS_HELD:
        blas = _blas()
        wanted = threads or max((library["num_threads"] for library in blas.info()), default=os.cpu_count() or 1)
        with blas.limit(limits=1), ThreadPoolExecutor(max(wanted - 1, 1)) as others:

            def share(work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
                found: list[Any] = [None] * len(tasks)
                left = deque(range(len(tasks)))
                helping = [
                    others.submit(copy_context().run, _drain, left, work, tasks, found)
                    for _ in range(min(wanted, len(tasks)) - 1)
                ]
                try:
                    _drain(left, work, tasks, found)
                finally:
                    left.clear()  # where a task has failed, the others need not be done
                for helper in helping:
                    helper.result()
                return found

            yield share


def _drain(left: deque[int], work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], found: list[Any]) -> None:
    """Do the tasks that are left until none is."""
    while True:
        try:
            i = left.popleft()
        except IndexError:  # another thread has taken the last
            return
        found[i] = work(*tasks[i])


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
