"""A Dask scheduler: the connection to it, and the wait for its results, with an error of one sentence if it fails.

Dask gives the work of a lost worker to others. But it waits without end for a scheduler that is silent, and for workers
where there are none.
"""

import asyncio
import logging
import re
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, wait
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from hopattn.foundation.errors import CannotDo, InvalidInput, shortened

SILENCE = 6.0
"""The seconds after which a scheduler that does not answer counts as lost."""
WORKER_TIMEOUT = 25.0
"""The seconds that the first worker may take to join, or the last one to come back."""
POLL_SECONDS = 1.0
"""The seconds between two questions whether the scheduler still answers."""


@contextmanager
def connected(cluster: Any, seconds: float = 5.0) -> Iterator[Any]:
    """The client of a cluster, closed at the end of the block unless it was passed; Dask's loggers are silent in it.

    cluster: the address of a scheduler, or a client or a cluster object of Dask; None for Dask's newest client, or None
    if there is none. seconds: the time in which the scheduler must answer. Raises `InvalidInput` for an invalid address
    or an asynchronous client, and `CannotDo` if no scheduler answers, or if Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise CannotDo("a cluster needs Dask: pip install distributed") from None
    if cluster is None:
        with suppress(ValueError):
            cluster = Client.current()
    if cluster is None or isinstance(cluster, Client):
        if cluster is not None and cluster.asynchronous:
            raise InvalidInput("cluster: expected a client that waits for its answers, not an asynchronous one")
        yield cluster
        return
    address = getattr(cluster, "scheduler_address", cluster)
    with quiet():
        _require_scheduler(address, seconds)
        client = Client(address, timeout=seconds, set_as_default=False)
        try:
            yield client
        finally:
            with suppress(TimeoutError, OSError, AssertionError):
                client.close(timeout=1)


def computed(client: Any, task: Any) -> Any:
    """The result of a delayed task or an array of Dask; client: None for the scheduler that Dask itself takes.

    Raises `CannotDo` as `require_workers` and `on_cluster`; an error of the work is raised as it is.
    """
    if client is None:
        return task.compute()

    async def result() -> Any:
        return await future

    with on_cluster(client):
        future = client.compute(task)
        answer = asyncio.run_coroutine_threadsafe(result(), client.loop.asyncio_loop)
        try:
            while not wait([answer], POLL_SECONDS).done:
                require_workers(client)
            return answer.result()
        finally:
            answer.cancel()


@contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Work on a running cluster: Dask's loggers are silent, and what is lost, or cannot be done, is a `CannotDo`."""
    import dask
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    _require_running(client)
    try:
        with quiet(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            yield
    except KilledWorker:
        why = "one worker after the other died of the same piece of work; a memory limit that is too low for it is the "
        raise CannotDo(f"{_name(client)} gives up: {why}usual reason") from None
    except (CancelledError, CommClosedError) as error:
        _require_running(client)
        raise CannotDo(f"{_name(client)} did not do its part: {shortened(error, 200)}") from None
    except RuntimeError as error:
        _require_running(client)
        if "deserialization" not in str(error):
            raise
        cure = "its scheduler and its workers need hopattn as it is installed here"
        raise CannotDo(f"{_name(client)} cannot read what it is sent: {cure}") from None


def require_workers(client: Any) -> dict[str, Any]:
    """What the scheduler knows of its workers, by address, without those that Dask has paused for lack of memory.

    Raises `CannotDo` if the scheduler is lost or silent, or if there is none within `WORKER_TIMEOUT`.
    """
    deadline = time.monotonic() + WORKER_TIMEOUT
    while True:
        _require_running(client)
        try:
            workers = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=SILENCE)["workers"]
        except TimeoutError:
            silent = f"nothing was heard from its scheduler for {SILENCE:g} s; is the process stopped, or its machine?"
            raise CannotDo(f"{_name(client)} does not answer: {silent}") from None
        running = {address: worker for address, worker in workers.items() if worker["status"] == "running"}
        if running:
            return running
        if time.monotonic() > deadline:
            full = f" with memory to spare ({len(workers)} are paused; keys in files need less)" if workers else ""
            raise CannotDo(f"{_name(client)} has no worker{full}, and none joined within {WORKER_TIMEOUT:g} s")
        time.sleep(0.2)


def _require_running(client: Any) -> None:
    """Raise `CannotDo` unless the client has a scheduler; a client that is connecting again is waited for."""
    while client.status in ("connecting", "newly-created"):
        time.sleep(0.05)
    if client.status != "running":
        raise CannotDo(f"{_name(client)} is lost: its scheduler is gone, or the client was closed")


def _name(client: Any) -> str:
    """The name of a client's cluster in messages, with the address of its scheduler while the client has one."""
    return f"the cluster at {client.scheduler.address}" if client.scheduler else "the cluster"


def _require_scheduler(address: Any, seconds: float) -> None:
    """Raise `InvalidInput` unless this is an address, `host:port` with or without a protocol, and `CannotDo` unless a
    scheduler answers there: Dask waits without end for a port that takes the connection and says nothing.

    The address is tried in a thread, because the caller may run within an event loop, as a notebook does.
    """
    from distributed.comm.registry import backends
    from distributed.core import rpc
    from distributed.security import Security

    expected = "cluster: expected the address of a scheduler, such as tcp://127.0.0.1:8786, or a client of Dask's"
    if not isinstance(address, str):
        raise InvalidInput(f"{expected}, not {type(address).__name__}")
    protocol, _, location = address.rpartition("://")
    port = re.fullmatch(r"[^\s/]+:([0-9]{1,5})/?", location)
    if protocol not in ("", *backends):
        raise InvalidInput(f"{expected}; '{shortened(protocol)}' is none of {', '.join(sorted(backends))}")
    if protocol != "inproc" and not (port and 0 < int(port[1]) < 2**16):
        raise InvalidInput(f"{expected}, not '{shortened(address)}'")
    faults = ["what listens there says nothing"]

    async def ask() -> None:
        remote = rpc(address, timeout=seconds / 2, connection_args=Security().get_connection_args("client"))
        try:
            kind = (await asyncio.wait_for(remote.identity(), seconds))["type"]
            faults[0] = "" if kind == "Scheduler" else f"what answers is a {shortened(kind)}"
        except TimeoutError:
            faults[0] = "what listens there takes the connection and says nothing"
        except OSError:
            faults[0] = "nothing takes the connection"
        except Exception:
            faults[0] = "what answers speaks another language"
        with suppress(Exception):
            await remote.close_rpc()

    attempt = Thread(target=lambda: asyncio.run(ask()), daemon=True)
    attempt.start()
    attempt.join(seconds + 1)
    if faults[0]:
        cure = "is it running, and can this machine reach it?"
        raise CannotDo(f"{shortened(address)}: no scheduler answers there within {seconds:g} s ({faults[0]}); {cure}")


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the loggers of Dask and of its event loop; the caller raises one error instead of their messages."""
    names = [name for name in logging.root.manager.loggerDict if re.match(r"(distributed|tornado|asyncio)\b", name)]
    loggers, silent = [logging.getLogger(name) for name in names], lambda record: False
    for logger in loggers:
        logger.addFilter(silent)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(silent)
