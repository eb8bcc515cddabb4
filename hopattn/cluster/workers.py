"""Objects on the workers of a cluster: each lies on one worker, and one call runs a function on all of them.

The client keeps every object. If a worker is lost, its objects go to other workers, and only the calls that have no
result yet are repeated. A shard of a file is an object that holds the path and not the rows.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Protocol

from hopattn.cluster.calls import WORKER_TIMEOUT, OnCluster, Worker, awaited, started, wait_for_calls, workers_of
from hopattn.cluster.connection import Interrupted, cluster_name, quiet
from hopattn.foundation.errors import CannotDo
from hopattn.foundation.threads import thread_limit

SENT_BYTES = 2**20
"""A value below this size in bytes is sent with each call; Dask then repeats the call itself if a worker is lost."""
MEMORY_SHARE = 0.6
"""The part of a worker's memory that objects may fill; above it Dask writes to the disk."""
ATTEMPTS = 8
"""The number of times that lost calls are tried before the cluster counts as lost."""

Work = Callable[..., Any]


class Scattered(Protocol):
    """Objects in several places, and a call that runs a function on all of them."""

    def __len__(self) -> int: ...
    def each(self, work: Work, *shared: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """The results of work(object, *shared), or of work(object, *shared, own[i]), for all objects in order."""


class OnWorkers:
    """Objects on the workers of a cluster, spread evenly, within the memory of each worker."""

    def __init__(self, client: Any, objects: Sequence[Any]) -> None:
        self.client, self.objects = client, list(objects)
        self._addresses: list[str] = [""] * len(self.objects)
        self._copies: list[Any] = [None] * len(self.objects)

    def __len__(self) -> int:
        return len(self.objects)

    def each(self, work: Work, *shared: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """The results of work(object, *shared), or of work(object, *shared, own[i]), for all objects in order.

        Raises `CannotDo` if the cluster is lost or keeps losing workers; an error of the work is raised as it is.
        """
        results: dict[int, Any] = {}
        with quiet():
            for _ in range(ATTEMPTS):
                remaining = [i for i in range(len(self)) if i not in results]
                with suppress(Interrupted), OnCluster(self.client) as executor:
                    self._place(remaining)
                    calls = self._started(executor, work, shared, own, remaining)
                    wait_for_calls(self.client, {call: self._addresses[i] for i, call in calls.items()})
                    for i, call in calls.items():
                        with suppress(Interrupted):
                            if call.done():
                                results[i] = awaited(self.client, call)
                if len(results) == len(self):
                    return [results[i] for i in range(len(self))]
                workers = workers_of(self.client)
                kept = zip(self._copies, self._addresses, strict=True)
                self._copies = [copy if address in workers else None for copy, address in kept]
        raise CannotDo(f"{cluster_name(self.client)} gives up: it lost workers {ATTEMPTS} times in a row")

    def _place(self, numbers: list[int]) -> None:
        """Give each of these objects a worker, unless its copy is sent with each call, or its worker has it."""
        copies = self._copies
        missing = [i for i in numbers if copies[i] is None or getattr(copies[i], "status", "finished") != "finished"]
        for i in missing:
            self._addresses[i], self._copies[i] = "", None
        for i in missing:
            self._addresses[i] = self._worker_for(_size(self.objects[i]))
            self._copies[i] = self._sent(self.objects[i], [self._addresses[i]])

    def _worker_for(self, size: int) -> str:
        """The address of the worker with the fewest objects that has memory for `size` more bytes."""
        deadline = time.monotonic() + WORKER_TIMEOUT
        while True:
            workers = workers_of(self.client)
            load = dict.fromkeys(workers, (0, 0))
            for address, placed in zip(self._addresses, self.objects, strict=True):
                if address in load:
                    count, total = load[address]
                    load[address] = (count + 1, total + _size(placed))
            fitting = [
                address
                for address, worker in workers.items()
                if size < SENT_BYTES or load[address][1] + size <= MEMORY_SHARE * _memory(worker)
            ]
            if fitting:
                return min(fitting, key=lambda address: load[address])
            if time.monotonic() > deadline:
                raise CannotDo(_no_room(self.client, workers, size))
            time.sleep(0.2)

    def _started(
        self, executor: OnCluster, work: Work, shared: Sequence[Any], own: Sequence[Any] | None, numbers: list[int]
    ) -> dict[int, Future[Any]]:
        """The calls of the work on these objects, each on its object's worker."""
        everywhere = sorted({self._addresses[i] for i in numbers})
        common = [self._sent(value, everywhere) for value in shared]
        calls = {}
        for i in numbers:
            here = [self._addresses[i]]
            last = [] if own is None else [self._sent(own[i], here)]
            movable = self._copies[i] is self.objects[i]  # a copy that lies on a worker must not be sent to another
            arguments = (_on_worker, work, self._copies[i], *common, *last)
            calls[i] = executor.submit(*arguments, workers=here, allow_other_workers=movable)
        return calls

    def _sent(self, value: Any, workers: list[str]) -> Any:
        """An argument for work on these workers: a small value itself, a large one as a copy that lies on them."""
        if _size(value) < SENT_BYTES:
            return value
        options = {"workers": workers, "broadcast": len(workers) > 1, "hash": False, "asynchronous": True}
        try:
            return awaited(self.client, started(self.client, self.client.scatter([value], **options)))[0]
        except (KeyError, OSError) as error:  # the scheduler raises it when a worker has just gone
            raise Interrupted(f"{cluster_name(self.client)} lost {error}") from None


def _size(value: Any) -> int:
    from dask.sizeof import sizeof

    return int(sizeof(value))


def _memory(worker: Worker) -> float:
    """The memory of a worker in bytes; infinity if it has no limit."""
    return worker.get("memory_limit") or float("inf")


def _no_room(client: Any, workers: dict[str, Worker], size: int) -> str:
    """The message for an object that is too large for every worker."""
    most, mega = max(map(_memory, workers.values())), 1e6
    return (
        f"{cluster_name(client)} has no room for a part of {size / mega:,.0f} MB: none of its {len(workers)} "
        f"workers may hold more than {MEMORY_SHARE:.0%} of {most / mega:,.0f} MB; take more parts or workers, or files"
    )


def _on_worker(work: Work, placed: Any, *arguments: Any) -> Any:
    """Run the work on a worker, with at most as many threads as the worker has for all its tasks."""
    from distributed import get_worker

    with thread_limit(get_worker().state.nthreads):
        return work(placed, *arguments)
