"""Clusters of Dask for tests: each skips where Dask is missing."""

import logging
import multiprocessing

import pytest

from tests.on_workers import serve


@pytest.fixture(scope="session")
def dask():
    """Dask with a scheduler that soon gives up a worker, and a cluster that never gives up to start it again.

    Fifteen seconds after the end of a worker, a cluster with Dask's own settings asks whether the worker is back, and
    closes its place if it is not: a second end in that moment would leave the cluster a worker short for ever.
    """
    distributed = pytest.importorskip(
        "distributed", reason="distributed is not installed (the extra 'cluster' brings it)"
    )
    import dask

    waits = {"distributed.scheduler.worker-ttl": "1s", "distributed.deploy.lost-worker-timeout": "1h"}
    with dask.config.set(waits):
        yield distributed


@pytest.fixture
def two_workers(dask):
    """A cluster of two worker processes with one thread each, for one test, which may stop them for ever."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with dask.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture
def served(dask):
    """A cluster of one worker with one thread, in a process of its own: the address and the number of the process."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    there.close()
    yield here.recv(), process.pid
    process.kill()
    process.join()
    here.close()


@pytest.fixture
def told_by_dask(dask):
    """The warnings and errors that Dask and its event loop write to their loggers during a test."""
    message = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: message.append(record.getMessage())
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
    yield message
    for logger in loggers:
        logger.removeHandler(handler)
