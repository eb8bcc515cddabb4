"""A cluster of machines: the connection to a Dask scheduler, with an error of one sentence if it fails.

It needs the extra `cluster`. A scheduler that does not answer is an error within seconds. Dask itself waits without end
for a port that takes the connection and then sends nothing.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Any

from hopattn.foundation.errors import CannotDo, InvalidInput, shortened

EXAMPLE = "tcp://127.0.0.1:8786"
"""An address of a scheduler, for messages."""
CLOSING = 1.0
"""The seconds that closing a client may take."""
_LOGGERS = ("distributed", "tornado", "asyncio")
"""The loggers, with those below them, to which Dask and its event loop report problems of a connection."""


class Connection:
    """A client of a cluster, `distributed.Client`; a `with` block gives the client, and closes it at its end.

    own: whether the client was made here. Another one is never closed. While an own client is open, Dask's loggers are
    silent: every loss is reported by an error.
    """

    def __init__(self, client: Any, own: bool) -> None:
        self.client, self.own = client, own
        self._silence = ExitStack()
        if own:
            self._silence.enter_context(quiet())
            self._silence.callback(_close, client)

    def __enter__(self) -> Any:
        return self.client

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the client, unless it was given."""
        self._silence.close()


def connected(cluster: Any, seconds: float = 5.0) -> Connection:
    """The connection to a cluster.

    cluster: the address of its scheduler, or a client or cluster object of Dask. A client is taken as it is. Otherwise
    a new client is made, which does not become Dask's default client.
    seconds: the time in which the scheduler must answer.
    Raises `InvalidInput` for an invalid address or an asynchronous client, and `CannotDo` if no scheduler answers, if
    the connection of the client is lost, or if Dask is not installed.
    """
    dask = _distributed()
    if isinstance(cluster, dask.Client):
        if cluster.asynchronous:
            raise InvalidInput("cluster: expected a client that waits for its answers, not an asynchronous one")
        require_running(cluster)
        return Connection(cluster, own=False)
    address = getattr(cluster, "scheduler_address", cluster)
    _require_address(address)
    with quiet():
        fault = "" if address.startswith("inproc://") else _why_no_scheduler(address, seconds)
        if not fault:
            try:
                return Connection(dask.Client(address, timeout=seconds, set_as_default=False), own=True)
            except (OSError, ImportError, ValueError, RuntimeError, AssertionError) as error:
                fault = _message_of(error)
    raise CannotDo(
        f"{shortened(address)}: no scheduler answers there within {seconds:g} s ({fault}); "
        "is it running, and can this machine reach it?"
    )


class Interrupted(CannotDo):
    """A part of the work was lost with a worker; the cluster still runs, so the work can be repeated."""


@contextmanager
def translated_errors(client: Any) -> Iterator[None]:
    """Raise the errors of a lost cluster, or of one that cannot do its part, as `CannotDo`; others stay as they are.

    Lost work that can be repeated is `Interrupted`.
    """
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker:
        raise CannotDo(
            f"{cluster_name(client)} gives up: one worker after the other died of the same piece of work; "
            "a memory limit that is too low for it is the usual reason"
        ) from None
    except (CancelledError, CommClosedError, TimeoutError) as error:
        require_running(client)
        raise Interrupted(f"{cluster_name(client)} did not do its part: {_message_of(error)}") from None
    except Exception as error:
        require_running(client)
        if isinstance(error, RuntimeError) and "deserialization" in str(error):
            raise CannotDo(
                f"{cluster_name(client)} cannot read what it is sent: its scheduler and its workers need hopattn as it "
                "is installed here"
            ) from None
        raise


def require_running(client: Any) -> None:
    """Raise `CannotDo` unless the client has a scheduler; a client that is connecting again is waited for."""
    while client.status in ("connecting", "newly-created"):
        time.sleep(0.05)
    if client.status != "running":
        raise CannotDo(f"{cluster_name(client)} is lost: its scheduler is gone, or the client was closed")


def cluster_name(client: Any) -> str:
    """The name of a client's cluster in messages, with the address of its scheduler while the client has one."""
    address = getattr(client.scheduler, "address", None)
    return f"the cluster at {address}" if address else "the cluster"


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise CannotDo("a cluster needs Dask: pip install distributed") from None
    return distributed


def _require_address(address: Any) -> None:
    """Raise `InvalidInput` unless the address is `host:port`, with or without a protocol before it."""
    from distributed.comm.registry import backends

    expected = f"cluster: expected the address of a scheduler, such as {EXAMPLE}, or a client of Dask's"
    if not isinstance(address, str):
        raise InvalidInput(f"{expected}, not {type(address).__name__}")
    protocol, separator, location = address.rpartition("://")
    if separator and protocol not in backends:
        raise InvalidInput(f"{expected}; '{shortened(protocol)}' is none of {', '.join(sorted(backends))}")
    if protocol == "inproc":
        return
    host, _, port = location.partition("/")[0].rpartition(":")
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else 0
    if not host or any(c.isspace() for c in host) or not 0 < number < 2**16:
        raise InvalidInput(f"{expected}, not '{shortened(address)}'")


def _why_no_scheduler(address: str, seconds: float) -> str:
    """The reason why no scheduler answers at this address, or an empty string if one does.

    The address is tried in a thread, because the caller may run within an event loop, as a notebook does.
    """
    reasons: list[str] = []
    attempt = Thread(target=lambda: reasons.append(asyncio.run(_answer(address, seconds))), daemon=True)
    attempt.start()
    attempt.join(seconds + 1)
    return reasons[0] if reasons else "what listens there says nothing"


async def _answer(address: str, seconds: float) -> str:
    """The reason, as in `_why_no_scheduler`, from a call to the address."""
    import dask
    from distributed.core import rpc
    from distributed.security import Security

    arguments = Security().get_connection_args("client") if address.startswith(("tls://", "wss://")) else {}
    with dask.config.set({"distributed.comm.retry.count": 0}):
        remote = rpc(address, timeout=seconds / 2, connection_args=arguments)
        try:
            identity = await asyncio.wait_for(remote.identity(), seconds)
        except TimeoutError:
            return "what listens there takes the connection and says nothing"
        except OSError as error:
            return f"nothing takes the connection{_cause(error)}"
        except Exception:
            return "what answers speaks another language"
        finally:
            with suppress(Exception):
                await remote.close_rpc()
    kind = identity.get("type") if isinstance(identity, dict) else type(identity).__name__
    return "" if kind == "Scheduler" else f"what answers is a {shortened(kind)}"


def _cause(error: BaseException) -> str:
    """The operating system's message for the first cause of an error, after a colon; else an empty string."""
    while error.__cause__:
        error = error.__cause__
    return f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""


def _message_of(error: BaseException) -> str:
    return shortened(str(error) or type(error).__name__, 200)


def _close(client: Any) -> None:
    """Close a client; one whose scheduler does not answer is given up after `CLOSING` seconds."""
    with suppress(TimeoutError, OSError, AssertionError):
        client.close(timeout=CLOSING)


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the loggers of Dask and of its event loop; the caller raises one error instead of their messages."""

    def silent(_: logging.LogRecord) -> bool:
        return False

    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in _LOGGERS]
    loggers = [logging.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(silent)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(silent)
