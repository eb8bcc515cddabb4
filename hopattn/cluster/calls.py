"""Calls of a cluster, as the futures of `concurrent.futures`.

Dask's scheduler gives the work of a lost worker to others, tries it again, and notices a worker that is silent. Only a
scheduler that is silent itself, or that has no workers, is noticed here.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor, Future, wait
from typing import Any
from weakref import WeakSet

from hopattn.cluster.connection import cluster_name, require_running, translated_errors
from hopattn.foundation.errors import CannotDo

SILENCE = 6.0
"""The seconds after which a scheduler that does not answer counts as lost."""
WORKER_TIMEOUT = 30.0
"""The seconds that the first worker may take to join, or the last one to come back."""
POLL_SECONDS = 1.0
"""The seconds between two questions whether the scheduler still answers."""

Worker = Mapping[str, Any]
"""The facts that the scheduler knows of a worker, by Dask's names for them."""


class OnCluster(Executor):
    """The workers of a cluster as an executor; the end of its `with` block gives up the work that is not finished.

    Unlike in Dask's own executor, a future ends with an error if its result cannot be brought here.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._futures: WeakSet[Future[Any]] = WeakSet()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """The future result of work(*arguments). options: those of Dask for the task, such as `workers`."""
        with translated_errors(self.client):
            task = self.client.submit(work, *arguments, pure=False, **options)
            future = started(self.client, _result(task))
        self._futures.add(future)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Give up the work that is not finished, without waiting for it."""
        for future in tuple(self._futures):
            future.cancel()


def started(client: Any, call: Coroutine[Any, Any, Any]) -> Future[Any]:
    """The future result of an asynchronous call of the client."""
    return asyncio.run_coroutine_threadsafe(call, client.loop.asyncio_loop)


async def _result(task: Any) -> Any:
    return await task


def awaited(client: Any, future: Future[Any]) -> Any:
    """The result of a call; raises `CannotDo` if the cluster is lost meanwhile, `Interrupted` if the call is."""
    try:
        while not wait([future], POLL_SECONDS).done:
            workers_of(client)
        with translated_errors(client):
            return future.result()
    finally:
        future.cancel()


def wait_for_calls(client: Any, calls: Mapping[Future[Any], str]) -> None:
    """Wait until each call is done, or its worker is lost. calls: each with the address of its worker.

    Dask keeps a call for the address of its worker: if all workers are lost at once, those that come back have other
    addresses, and none of them ever gets the call. Raises `CannotDo` as `workers_of`.
    """
    waiting = set(calls)
    while waiting := wait(waiting, POLL_SECONDS).not_done:
        workers = workers_of(client)
        waiting = {call for call in waiting if calls[call] in workers}


def workers_of(client: Any) -> dict[str, Worker]:
    """The workers that the scheduler knows, by address, in order.

    Raises `CannotDo` if the scheduler is lost or does not answer, or if there is no worker and none joins within
    `WORKER_TIMEOUT`.
    """
    deadline = time.monotonic() + WORKER_TIMEOUT
    while True:
        require_running(client)
        answer = started(client, client.scheduler.identity())
        if not wait([answer], SILENCE).done:
            answer.cancel()
            raise CannotDo(
                f"{cluster_name(client)} does not answer: nothing was heard from its scheduler for {SILENCE:g} s; "
                "is the process stopped, or its machine?"
            )
        with translated_errors(client):
            if workers := answer.result()["workers"]:
                return dict(sorted(workers.items()))
        if time.monotonic() > deadline:
            raise CannotDo(f"{cluster_name(client)} has no worker, and none joined within {WORKER_TIMEOUT:g} s")
        time.sleep(0.2)
