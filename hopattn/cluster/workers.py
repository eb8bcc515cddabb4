"""Placing: things that each lie on a worker of a cluster, and are asked all at once.

The client keeps what it has placed, or how it is made: what a worker had that is lost is placed on another one, and
only what was not yet answered is asked again.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from inspect import signature
from typing import Any, Protocol

from hopattn.cluster.connection import Interrupted, lost_is_told, quiet, require_running, where
from hopattn.foundation.errors import CannotDo
from hopattn.foundation.threads import at_most

SMALL = 2**20
"""Up to so many bytes go along with the work itself, which Dask then does again by itself where a worker is lost."""
SHARE = 0.6
"""How much of its memory a worker may be given to hold: from there on Dask writes to the disk."""
TRIES = 8
"""So often is asked again what was lost, before the cluster counts as lost."""
PATIENCE = 30.0
"""How many seconds a worker may take to join, or to come back."""

POLL = 1.0
"""So many seconds pass before it is looked whether the workers are still there."""

Work = Callable[..., Any]


class Asked(Protocol):
    """Things that are asked all at once, wherever they lie."""

    def __len__(self) -> int: ...
    def each(self, work: Work, *shared: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """work(thing, *shared), or work(thing, *shared, own_i), of each thing, in their order."""


class Placed:
    """Things on the workers of a cluster: as many on each as its memory bears, evenly."""

    def __init__(self, client: Any, things: Sequence[Any]) -> None:
        self.client, self.things = client, list(things)
        self._at: list[str] = [""] * len(self.things)
        self._copies: list[Any] = [None] * len(self.things)

    def __len__(self) -> int:
        return len(self.things)

    def each(self, work: Work, *shared: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """work(thing, *shared), or work(thing, *shared, own_i), of each thing, in their order.

        Raises `CannotDo` where the cluster is lost, or goes on losing workers; what the work raises is raised.
        """
        found: dict[int, Any] = {}
        told = ""
        with quiet():
            for _ in range(TRIES):
                require_running(self.client)
                try:
                    left = [i for i in range(len(self)) if i not in found]
                    self._place(left)
                    for i, task in self._finished(self._begun(work, shared, own, left)):
                        found[i] = self._told(i, task)
                except Interrupted as error:
                    told = f": {error}"
                if len(found) == len(self):
                    return [found[i] for i in range(len(self))]
                self._forget_small()
        raise CannotDo(f"{where(self.client)} gives up: it lost workers {TRIES} times in a row{told}")

    def _told(self, i: int, task: Any) -> Any:
        """What came of one of the tasks; what it has raised is raised."""
        if task.status == "error":
            with lost_is_told(self.client):
                return task.result()
        return _patiently(self.client, self.client.gather(task, asynchronous=True), [self._at[i]])

    def _forget_small(self) -> None:
        """What goes along with the work may go to another worker the next time."""
        self._copies = [None if one is thing else one for one, thing in zip(self._copies, self.things, strict=True)]

    def _place(self, some: list[int]) -> None:
        """Have each of these lie somewhere; a copy that was lost is made again."""
        gone = [i for i in some if not _there(self._copies[i])]
        for i in gone:
            self._at[i], self._copies[i] = "", None
        for i in gone:
            self._at[i] = self._worker_for(_size(self.things[i]))
            self._copies[i] = _sent(self.client, self.things[i], [self._at[i]])

    def _worker_for(self, size: int) -> str:
        """The worker that has least of the things, and room for one of so many bytes."""
        end = time.monotonic() + PATIENCE
        while True:
            workers = workers_of(self.client)
            held = dict.fromkeys(workers, (0, 0))
            for at, thing in zip(self._at, self.things, strict=True):
                if at in held:
                    held[at] = (held[at][0] + 1, held[at][1] + _size(thing))
            room = [at for at in workers if size < SMALL or held[at][1] + size <= SHARE * workers[at]]
            if room:
                return min(room, key=lambda at: held[at])
            if time.monotonic() > end:
                raise CannotDo(_no_room(self.client, workers, size))
            time.sleep(0.2)

    def _begun(self, work: Work, shared: Sequence[Any], own: Sequence[Any] | None, some: list[int]) -> dict[int, Any]:
        """The work on each of these, begun where it lies."""
        common = [_sent(self.client, one, sorted({self._at[i] for i in some})) for one in shared]
        tasks = {}
        for i in some:
            at = [self._at[i]]
            alone = [] if own is None else [_sent(self.client, own[i], at)]
            given = (work, self._copies[i], *common, *alone)
            elsewhere = self._copies[i] is self.things[i]  # what lies on its worker is not to be sent on to another
            with lost_is_told(self.client):
                tasks[i] = self.client.submit(_done, *given, pure=False, workers=at, allow_other_workers=elsewhere)
        return tasks

    def _finished(self, tasks: dict[int, Any]) -> list[tuple[int, Any]]:
        """Those that came to an end, once all have, or are lost.

        What was begun on a worker that has gone is given up: where no other was there at that moment, Dask would wait
        for that one for ever.
        """
        from distributed import wait

        while waiting := {i: task for i, task in tasks.items() if task.status == "pending"}:
            with suppress(TimeoutError, CancelledError), self.client.as_current():
                wait(list(waiting.values()), timeout=POLL)
                continue
            workers = workers_of(self.client)
            for i, task in waiting.items():
                if self._at[i] not in workers:
                    task.cancel()
        return [(i, task) for i, task in tasks.items() if task.status in ("finished", "error")]


def workers_of(client: Any) -> dict[str, float]:
    """The addresses of a cluster's workers with their memory in bytes; `CannotDo` where none joins in time."""
    end = time.monotonic() + PATIENCE
    every = {"n_workers": -1} if "n_workers" in signature(client.scheduler_info).parameters else {}
    while True:
        require_running(client)
        with lost_is_told(client):
            told = client.scheduler_info(**every)["workers"]
        if told:
            return {at: one.get("memory_limit") or float("inf") for at, one in sorted(told.items())}
        if time.monotonic() > end:
            raise CannotDo(f"{where(client)} has no worker, and none joined within {PATIENCE:g} s")
        time.sleep(0.2)


def _there(copy: Any) -> bool:
    """Whether what was placed is still there: sent along with the work, or on its worker."""
    return copy is not None and getattr(copy, "status", "finished") == "finished"


def _sent(client: Any, value: Any, workers: list[str]) -> Any:
    """A value as the work on these workers is given it: itself where it is small, else a copy that lies there."""
    if _size(value) < SMALL:
        return value
    options = {"workers": workers, "broadcast": len(workers) > 1, "hash": False, "asynchronous": True}
    return _patiently(client, client.scatter([value], **options), workers)[0]


def _patiently(client: Any, doing: Coroutine[Any, Any, Any], workers: list[str]) -> Any:
    """What Dask is doing with these workers, once it is done; it may wait for one that has gone, and we do not."""
    begun = asyncio.run_coroutine_threadsafe(doing, client.loop.asyncio_loop)
    try:
        with lost_is_told(client):
            while not begun.done():
                with suppress(TimeoutError):
                    return begun.result(POLL)
                if not begun.done() and not set(workers) <= set(workers_of(client)):
                    raise Interrupted(f"{where(client)} lost a worker that something was sent to, or had from")
            return begun.result()
    except KeyError as error:  # what the scheduler stumbles over where a worker has just gone
        raise Interrupted(f"{where(client)} lost {error}") from None
    finally:
        begun.cancel()


def _size(value: Any) -> int:
    from dask.sizeof import sizeof

    return int(sizeof(value))


def _no_room(client: Any, workers: dict[str, float], size: int) -> str:
    most, mega = max(workers.values()), 1e6
    return (
        f"{where(client)} has no room for a part of {size / mega:,.0f} MB: none of its {len(workers)} "
        f"workers may hold more than {SHARE:.0%} of {most / mega:,.0f} MB; take more parts or workers, or files"
    )


def _done(work: Work, thing: Any, *arguments: Any) -> Any:
    """What a worker does: the work, with as many threads as the worker has for all that it does."""
    from distributed import get_worker

    with at_most(get_worker().state.nthreads):
        return work(thing, *arguments)
