"""The heartbeats of a cluster: which of its workers answer.

A process that is stopped keeps its connections open, and Dask waits for it without end. Here a scheduler or a worker
from which nothing is heard for `SILENCE` seconds counts as lost.
"""

import asyncio
import time
from collections.abc import Coroutine, Iterable, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any

from hopattn.cluster.connection import Interrupted, cluster_name, require_running, translated_errors
from hopattn.foundation.errors import CannotDo

SILENCE = 6.0
"""The seconds after which a scheduler or a worker that does not answer counts as lost."""
FEW = 50
"""The number of workers up to which `SILENCE` holds; beyond, it grows as the time between two heartbeats does."""
WORKER_TIMEOUT = 30.0
"""The seconds that a worker may take to join, or to come back."""
POLL_SECONDS = 1.0
"""The seconds between two checks that the workers still answer."""

Worker = Mapping[str, Any]
"""The facts that the scheduler knows of a worker, by Dask's names for them."""


class Heartbeats:
    """The workers of a cluster that answer, by the changes of the time at which the scheduler last heard from each.

    The scheduler's times are compared with one another only, because its clock may differ from the one here.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._last: dict[str, tuple[Any, float]] = {}

    def workers(self) -> dict[str, Worker]:
        """The workers that answer, by address, in order.

        Raises `CannotDo` if the scheduler is lost or does not answer, if none of the workers answers, or if there is
        none and none joins within `WORKER_TIMEOUT`.
        """
        deadline = time.monotonic() + WORKER_TIMEOUT
        while True:
            known = self._known()
            answering = {address: known[address] for address in sorted(self._heard(known))}
            if answering:
                return answering
            if known:
                addresses = f"{', '.join(sorted(known)[:3])}{' …' if len(known) > 3 else ''}"
                raise CannotDo(
                    f"{cluster_name(self.client)} has no worker that answers: nothing was heard for {SILENCE:g} s from "
                    f"{addresses}; is a process stopped, or its machine?"
                )
            if time.monotonic() > deadline:
                name = cluster_name(self.client)
                raise CannotDo(f"{name} has no worker, and none joined within {WORKER_TIMEOUT:g} s")
            time.sleep(0.2)

    def awaited(self, transfer: Coroutine[Any, Any, Any], workers: Iterable[str]) -> Any:
        """The result of a transfer to or from these workers; raises `Interrupted` if one of them is lost.

        Dask itself may wait without end for a lost worker.
        """
        future = asyncio.run_coroutine_threadsafe(transfer, self.client.loop.asyncio_loop)
        needed = set(workers)
        try:
            with translated_errors(self.client):
                while not future.done():
                    with suppress(TimeoutError):
                        return future.result(POLL_SECONDS)
                    if not future.done() and not needed <= set(self.workers()):
                        name = cluster_name(self.client)
                        raise Interrupted(f"{name} lost a worker that something was sent to, or had from")
                return future.result()
        except KeyError as error:  # the scheduler raises it when a worker has just gone
            raise Interrupted(f"{cluster_name(self.client)} lost {error}") from None
        finally:
            future.cancel()

    def _known(self) -> dict[str, Worker]:
        """The workers that the scheduler knows, by address."""
        require_running(self.client)
        every = {"n_workers": -1} if "n_workers" in signature(self.client.scheduler_info).parameters else {}
        answer = asyncio.run_coroutine_threadsafe(self._identity(every), self.client.loop.asyncio_loop)
        with suppress(TimeoutError):
            answer.exception(SILENCE)
        if not answer.done():
            answer.cancel()
            raise CannotDo(
                f"{cluster_name(self.client)} does not answer: nothing was heard from its scheduler for {SILENCE:g} s; "
                "is the process stopped, or its machine?"
            )
        with translated_errors(self.client):
            known: dict[str, Worker] = answer.result()["workers"]
        return known

    async def _identity(self, every: Mapping[str, int]) -> Any:
        return await self.client.scheduler.identity(**every)

    def _heard(self, known: Mapping[str, Worker]) -> list[str]:
        """The addresses of the workers from which the scheduler has heard lately."""
        now, patience = time.monotonic(), SILENCE * max(1, len(known) / FEW)
        last = {address: (worker.get("last_seen"), now) for address, worker in known.items()}
        for address, (heard, _) in last.items():
            before = self._last.get(address)
            if before and before[0] == heard:
                last[address] = before
        self._last = last
        return [address for address, (_, since) in last.items() if now - since <= patience]
