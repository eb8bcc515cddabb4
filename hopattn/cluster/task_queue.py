"""A queue of tasks for the workers of a cluster; the results come in the order in which they are finished.

Each worker has a few tasks at a time. The tasks of a worker that is lost, or that no longer answers, go to others.
Nothing is computed in this process.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hopattn.cluster.connection import Interrupted, given_up, quiet, translated_errors
from hopattn.cluster.heartbeats import POLL_SECONDS, Heartbeats, Worker

AHEAD = 2
"""The tasks that a worker has at a time for each of its threads: while it works on one, the next is on its way."""
LOSSES = 4
"""The number of workers that may be lost with the same task, before the task is given up."""


@dataclass(eq=False)
class _Task:
    """A task, the number of workers that were lost with it, and the address of the worker that has it now."""

    given: Any
    losses: int = 0
    address: str = ""


class TaskQueue:
    """The work on tasks, each of which goes to one worker of a cluster.

    note: called with a sentence for the user when a worker is lost.
    """

    def __init__(
        self, client: Any, work: Callable[[Any], Any], tasks: Iterable[Any], note: Callable[[str], None]
    ) -> None:
        self.client, self.work, self.note = client, work, note
        self._waiting = deque(_Task(task) for task in tasks)
        self._running: dict[Any, _Task] = {}
        self._heartbeats = Heartbeats(client)
        self._workers: dict[str, Worker] = {}

    def results(self) -> Iterator[Any]:
        """The result of work(task) for each task, in the order in which they are finished.

        Raises `CannotDo` if the cluster is lost, if none of its workers answers, or if `LOSSES` workers were lost with
        the same task; an error of the work is raised as it is. Tasks that are not finished then are given up.
        """
        looked = 0.0
        with quiet():
            try:
                while self._waiting or self._running:
                    if time.monotonic() > looked + POLL_SECONDS:
                        self._look()
                        looked = time.monotonic()
                    self._hand_out()
                    for future in self._ended():
                        yield from self._result(future)
            finally:
                for future in self._running:
                    future.release()

    def _look(self) -> None:
        """Find the workers that answer, and take the tasks of the others back."""
        before, self._workers = self._workers, self._heartbeats.workers()
        for address in before.keys() - self._workers.keys():
            self.note(f"the worker at {address} is lost, or does not answer; its work goes to others")
        for future, task in list(self._running.items()):
            if task.address not in self._workers:
                self._take_back(future)

    def _hand_out(self) -> None:
        """Give tasks to the workers that have few, one after the other."""
        open_to_work = [address for address, worker in self._workers.items() if worker["status"] == "running"]
        room = {address: AHEAD * self._workers[address]["nthreads"] for address in open_to_work}
        for task in self._running.values():
            if task.address in room:
                room[task.address] -= 1
        while self._waiting and max(room.values(), default=0) > 0:
            task = self._waiting.popleft()
            task.address = max(room, key=lambda address: room[address])
            room[task.address] -= 1
            with translated_errors(self.client):
                future = self.client.submit(self.work, task.given, pure=False, workers=[task.address])
            self._running[future] = task

    def _ended(self) -> list[Any]:
        """The futures that have ended in any way, after at most `POLL_SECONDS`."""
        from distributed import wait

        with suppress(TimeoutError, CancelledError), self.client.as_current():
            wait(list(self._running), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        return [future for future in self._running if future.status != "pending"]

    def _result(self, future: Any) -> Iterator[Any]:
        """The result of a future that has ended; nothing if it was lost, and its task then waits again."""
        if future.status == "error":
            with translated_errors(self.client):
                future.result()
        try:
            if future.status == "finished":
                address = self._running[future].address
                result = self._heartbeats.awaited(self.client.gather(future, asynchronous=True), [address])
                del self._running[future]
                yield result
                return
        except Interrupted:
            pass
        self._take_back(future)

    def _take_back(self, future: Any) -> None:
        """Let a task wait again, and count the loss of its worker; raises `CannotDo` after too many of them."""
        task = self._running.pop(future)
        future.release()
        task.losses += 1
        if task.losses == LOSSES:
            raise given_up(self.client)
        self._waiting.appendleft(task)
