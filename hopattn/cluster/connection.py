"""A cluster of machines: the connection to a Dask scheduler, and what goes wrong with it in one sentence (the extra
`cluster`).

A scheduler that does not answer is told within seconds: Dask itself waits without end for a port that takes the
connection and then says nothing.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Any

from hopattn.foundation.errors import CannotDo, InvalidInput, shortened

EXAMPLE = "tcp://127.0.0.1:8786"


def connected(cluster: Any, seconds: float = 5.0) -> Any:
    """A `distributed.Client` of a cluster: of its scheduler's address, or of a client or cluster of Dask's own.

    A client is given back as it is; of anything else a new one is made, which is to be closed, and which is no default
    for what else uses Dask. seconds: how long the scheduler may take to answer. Raises `InvalidInput` for an address
    that is none, and `CannotDo` where no scheduler answers or Dask is not installed.
    """
    dask = _distributed()
    if isinstance(cluster, dask.Client):
        if cluster.asynchronous:
            raise InvalidInput("cluster: expected a client that waits for its answers, not an asynchronous one")
        require_running(cluster)
        return cluster
    address = getattr(cluster, "scheduler_address", cluster)
    _require_address(address)
    with quiet():
        fault = "" if address.startswith("inproc://") else _silence_of(address, seconds)
        if not fault:
            try:
                return dask.Client(address, timeout=seconds, set_as_default=False)
            except (OSError, ImportError, ValueError, RuntimeError, AssertionError) as error:
                fault = _told(error)
    raise CannotDo(
        f"{shortened(address)}: no scheduler answers there within {seconds:g} s ({fault}); "
        "is it running, and can this machine reach it?"
    )


class Interrupted(CannotDo):
    """Part of the work was lost with a worker; the cluster is there, and may be asked again."""


@contextmanager
def lost_is_told(client: Any) -> Iterator[None]:
    """Within it, a cluster that is lost, or cannot do its part, is a `CannotDo`; other errors stay as they are."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker:
        raise CannotDo(
            f"{where(client)} gives up: one worker after the other died of the same piece of work; "
            "a memory limit that is too low for it is the usual reason"
        ) from None
    except (CancelledError, CommClosedError, TimeoutError) as error:
        require_running(client)
        raise Interrupted(f"{where(client)} did not do its part: {_told(error)}") from None
    except Exception as error:
        require_running(client)
        if isinstance(error, RuntimeError) and "deserialization" in str(error):
            raise CannotDo(
                f"{where(client)} cannot read what it is sent: its scheduler and its workers need hopattn as it is "
                "installed here"
            ) from None
        raise


def require_running(client: Any) -> None:
    """Raise `CannotDo` unless the client has a scheduler; one that has just lost it may take its time to find it."""
    while client.status in ("connecting", "newly-created"):
        time.sleep(0.05)
    if client.status != "running":
        raise CannotDo(f"{where(client)} is lost: its scheduler is gone, or the client was closed")


def where(client: Any) -> str:
    """The cluster of a client as a message names it: with its scheduler's address, while there is one."""
    address = getattr(client.scheduler, "address", None)
    return f"the cluster at {address}" if address else "the cluster"


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise CannotDo('a cluster needs Dask: pip install "hopattn[cluster]"') from None
    return distributed


def _require_address(address: Any) -> None:
    """Raise `InvalidInput` unless it is `host:port`, perhaps after the name of a protocol."""
    from distributed.comm.registry import backends

    told = f"cluster: expected the address of a scheduler, such as {EXAMPLE}, or a client of Dask's"
    if not isinstance(address, str):
        raise InvalidInput(f"{told}, not {type(address).__name__}")
    protocol, separator, place = address.rpartition("://")
    if separator and protocol not in backends:
        raise InvalidInput(f"{told}; '{shortened(protocol)}' is none of {', '.join(sorted(backends))}")
    if protocol == "inproc":
        return
    host, _, port = place.partition("/")[0].rpartition(":")
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else 0
    if not host or any(c.isspace() for c in host) or not 0 < number < 2**16:
        raise InvalidInput(f"{told}, not '{shortened(address)}'")


def _silence_of(address: str, seconds: float) -> str:
    """What is wrong with what answers at this address, or an empty string for a scheduler.

    Asked in a thread, since the caller may be within an event loop, as a notebook is.
    """
    found: list[str] = []
    asking = Thread(target=lambda: found.append(asyncio.run(_fault(address, seconds))), daemon=True)
    asking.start()
    asking.join(seconds + 1)
    return found[0] if found else "what listens there says nothing"


async def _fault(address: str, seconds: float) -> str:
    import dask
    from distributed.core import rpc
    from distributed.security import Security

    arguments = Security().get_connection_args("client") if address.startswith(("tls://", "wss://")) else {}
    with dask.config.set({"distributed.comm.retry.count": 0}):
        asked = rpc(address, timeout=seconds / 2, connection_args=arguments)
        try:
            told = await asyncio.wait_for(asked.identity(), seconds)
        except TimeoutError:
            return "what listens there takes the connection and says nothing"
        except OSError as error:
            return f"nothing takes the connection{_cause(error)}"
        except Exception:
            return "what answers speaks another language"
        finally:
            with suppress(Exception):
                await asked.close_rpc()
    kind = told.get("type") if isinstance(told, dict) else type(told).__name__
    return "" if kind == "Scheduler" else f"what answers is a {shortened(kind)}"


def _cause(error: BaseException) -> str:
    """What the system says of an error in the end, after a colon, or nothing."""
    while error.__cause__:
        error = error.__cause__
    return f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""


def _told(error: BaseException) -> str:
    return shortened(str(error) or type(error).__name__, 200)


_TALKING = ("distributed.client", "distributed.core", "distributed.comm.core", "distributed.comm.tcp")
"""The logs in which Dask writes down what goes wrong with a connection."""


@contextmanager
def quiet() -> Iterator[None]:
    """Within it, Dask's connections write nothing down: what comes of them is told once, by whoever asked."""

    def silent(_: logging.LogRecord) -> bool:
        return False

    loggers = [logging.getLogger(name) for name in _TALKING]
    for logger in loggers:
        logger.addFilter(silent)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(silent)
