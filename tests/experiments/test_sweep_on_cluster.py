"""A sweep on a real Dask cluster is computed there, even if a worker is lost; a lost cluster is reported in seconds."""

import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hopattn as ha
from hopattn.cluster import connection
from hopattn.cluster.connection import connected
from tests.draws import count
from tests.on_workers import slow
from tests.refusal import refused

pytestmark = pytest.mark.slow
AXES = {"x": (1, 2, 3, 4, 5, 6, 7, 8)}


@pytest.fixture(scope="module")
def cluster(dask):
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with dask.LocalCluster(**options) as made:
        yield made


def after(finished, act):
    """A report that calls `act` once, when so many points are finished."""
    calls = []

    def report(done, total):
        if done >= finished and not calls:
            calls.append(done)
            act()

    return report


def test_one_worker_with_one_thread_computes_every_point(served):
    address, pid = served
    assert set(ha.sweep(slow, {"x": (1, 2, 3)}, scheduler=address).values["pid"].ravel()) == {pid}


@pytest.mark.parametrize("fault, message", [(signal.SIGKILL, "is lost"), (signal.SIGSTOP, "does not answer")])
def test_a_cluster_that_goes_is_reported_and_nothing_is_computed_here(
    served, told_by_dask, tmp_path, monkeypatch, fault, message
):
    monkeypatch.setattr(connection, "SILENCE", 2.0)
    monkeypatch.setattr("hopattn.experiments.processes.connected", lambda at: connected(at, 2.0))
    (address, pid), file = served, tmp_path / "points.jsonl"
    report = after(2, lambda: os.kill(pid, fault))
    refused(lambda: ha.sweep(slow, AXES, scheduler=address, file=file, report=report), "", message)
    points = [json.loads(line)["numbers"] for line in file.read_text().splitlines()[1:]]
    assert {point["pid"][0] for point in points} == {pid} and told_by_dask == []


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_goes_in_mid_sweep_changes_nothing(dask, two_workers, told_by_dask, tmp_path, fault):
    file = tmp_path / "points.jsonl"
    with dask.Client(two_workers, set_as_default=False) as client:
        pids = set(client.run(os.getpid).values())
    gone = min(pids)
    address, report = two_workers.scheduler_address, after(2, lambda: os.kill(gone, fault))
    far = ha.sweep(slow, AXES, trials=2, scheduler=address, file=file, report=report, rng=0)
    here = ha.sweep(slow, AXES, trials=2, workers=1, rng=0)
    assert np.array_equal(far.values["value"], here.values["value"])
    assert len(file.read_text().splitlines()) == 1 + len(AXES["x"])  # no point is lost, and none is there twice
    assert pids - {gone} <= set(far.values["pid"].ravel()) and os.getpid() not in far.values["pid"]
    assert told_by_dask == []


def test_a_scenario_sweeps_there_as_here_and_what_a_trial_refuses_there_is_reported_here(cluster):
    def refuses(point, seed):
        raise ha.InvalidInput("not this one")

    more = {"trials": 2, "measures": ["overlap"], "overrides": {"ensemble.neurons": 60, "ensemble.max_steps": 2}}
    far, here = (
        ha.experiments.sweep_scenario(ha.load("phases"), {"load": (0.1, 0.2)}, **more, **where)
        for where in ({"scheduler": cluster.scheduler_address}, {"workers": 1})
    )
    assert np.array_equal(far.values["overlap"], here.values["overlap"])
    refused(lambda: ha.sweep(refuses, {"x": (1,)}, scheduler=cluster.scheduler_address), "x = 1", "not this one")


def test_the_example_of_the_page_on_slurm_runs(cluster, tmp_path, monkeypatch):
    asked = []

    def jobs(*, cores, processes, memory, walltime, scheduler_options):
        """The jobs of dask-jobqueue; the cluster of the tests does their work."""
        asked.append(scheduler_options)
        adapt = lambda *, minimum_jobs, maximum_jobs: asked.append(minimum_jobs - maximum_jobs)  # noqa: E731
        return nullcontext(SimpleNamespace(scheduler_address=cluster.scheduler_address, adapt=adapt))

    page = (Path(__file__).parents[2] / "docs/howto/slurm.md").read_text(encoding="utf-8")
    (example,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "SLURMCluster" in block)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "dask_jobqueue", SimpleNamespace(SLURMCluster=jobs))
    exec(example.replace("0.05:0.2:16", "0.05:0.2:2").replace("trials=100", "trials=1"), {})
    here = ha.experiments.sweep_scenario(ha.load("capacity"), {"load": "0.05:0.2:2"}, trials=1, workers=1)
    assert Path("capacity.csv").read_text() == here.to_csv() and asked == [{"worker_ttl": "30s"}, 0]


def test_a_scheduler_that_does_not_answer_is_reported_within_seconds(dask, tmp_path, monkeypatch):
    monkeypatch.setattr("hopattn.experiments.processes.connected", lambda at: connected(at, count(5.0, 1.0)))
    monkeypatch.setitem(dask.config["distributed"]["comm"]["timeouts"], "connect", "600s")
    start, at = time.monotonic(), "tcp://127.0.0.1:{}".format
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()[1]
    file = tmp_path / "points.jsonl"
    refused(lambda: ha.sweep(slow, AXES, scheduler=at(closed), file=file), "", "no scheduler answers there")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        refused(lambda: ha.sweep(slow, AXES, scheduler=at(port)), "", "no scheduler answers there")
    assert time.monotonic() - start < 120  # of Dask's own 600 seconds each, as they are set here
    for address in ("nowhere", np.zeros(2)):
        refused(lambda: ha.sweep(slow, AXES, scheduler=address), "cluster", "expected the address of a scheduler")  # noqa: B023
