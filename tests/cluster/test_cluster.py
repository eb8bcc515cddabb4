"""Many machines: a silent cluster is reported in seconds, and one that loses workers recalls what one machine
does. Four worker processes, two in a quick run, each with a memory limit below the size of the keys.
"""

import os
import re
import signal
import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hopattn as ha
import hopattn.cluster.calls
import hopattn.cluster.workers
from hopattn.cluster.calls import workers_of
from hopattn.cluster.connection import connected
from hopattn.cluster.workers import OnWorkers
from hopattn.foundation.errors import CannotDo
from tests.counts import count
from tests.each import each
from tests.on_workers import Deadly, failing, frozen, process

WORKERS, LIMIT = count(4, 2), 200 * 2**20
LARGE = count(40_000, 20_000)
"""Keys, each part of which is larger than what is sent with each call."""


@pytest.fixture(scope="module")
def cluster(dask):
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "memory_limit": LIMIT, "dashboard_address": ":0"}
    with dask.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def connection(dask, cluster):
    with dask.Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture
def client(connection):
    connection.wait_for_workers(WORKERS, timeout=120)
    return connection


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def stored(rng, m=3000, n=20, dim=16):
    keys = rng.normal(size=(m, dim))
    return keys, keys[:n] + 0.1 * rng.normal(size=(n, dim))


def same(found, wanted):
    assert_allclose(found.state, wanted.state, rtol=0, atol=1e-12 * np.abs(wanted.state).max())
    assert_allclose(found.energies, wanted.energies, rtol=1e-12, atol=1e-12)
    for name in ("steps", "status", "matched", "spurious"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


# The connection.


@pytest.fixture
def silent():
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"tcp://127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def closed():
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"tcp://127.0.0.1:{port}"


@each("what, message", [("silent", "says nothing"), ("closed", "nothing takes the connection")])
def test_a_scheduler_that_does_not_answer_is_reported_in_seconds(dask, what, message, request, capfd, monkeypatch):
    address, start = request.getfixturevalue(what), time.monotonic()
    monkeypatch.setitem(dask.config["distributed"]["comm"]["timeouts"], "connect", "600s")
    with pytest.raises(CannotDo, match=f"{address}: no scheduler answers there within 1 s .*{message}"):
        connected(address, seconds=1.0)
    assert time.monotonic() - start < 120  # of Dask's own 600 seconds, as they are set here
    assert capfd.readouterr() == ("", "")


def test_a_memory_of_a_scheduler_that_does_not_answer_is_none(dask, closed, monkeypatch):
    monkeypatch.setattr("hopattn.cluster.partition.connected", lambda address: connected(address, seconds=0.5))
    with pytest.raises(CannotDo, match="no scheduler answers"):
        ha.cluster.sharded(np.eye(3), closed)


@each(
    "address, message",
    [
        ("nonsense", "not 'nonsense'"),
        ("127.0.0.1", "such as tcp://127.0.0.1:8786"),
        ("tcp://127.0.0.1:99999", "not 'tcp://127.0.0.1:99999'"),
        ("tcp://:8786", "not 'tcp://:8786'"),
        ("ftp://127.0.0.1:8786", "'ftp' is none of"),
        (8786, "not int"),
    ],
)
def test_what_is_not_an_address_is_refused(dask, address, message):
    with pytest.raises(ha.InvalidInput, match=message):
        connected(address)


def test_without_dask_the_message_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CannotDo, match="pip install distributed"):
        connected("tcp://127.0.0.1:8786")


def test_a_worker_is_not_a_scheduler(client):
    with pytest.raises(CannotDo, match="what answers is a Worker"):
        connected(next(iter(workers_of(client))), seconds=2.0)


def test_a_client_is_taken_as_it_is_and_an_address_gets_its_own(dask, cluster, client):
    with connected(client) as given:
        assert given is client
    assert client.status == "running"
    for given in (cluster, cluster.scheduler_address):
        with connected(given) as own:
            assert own is not client and own.scheduler.address == cluster.scheduler_address
            with pytest.raises(ValueError, match="No client"):
                dask.default_client()


# A memory on the cluster.


def test_a_memory_on_a_cluster_is_the_memory_itself(client, rng):
    keys, cues = stored(rng)
    values = rng.normal(size=(len(keys), 5))
    memory, mask = ha.Memory(keys, beta=2.0), rng.random((len(cues), len(keys))) < 0.5
    found = ha.cluster.sharded(keys, client, beta=2.0)
    assert len(found.shards) == WORKERS
    assert len(set(found.shards.each(process))) == WORKERS  # one on each
    same(found.recall(cues, max_steps=8), memory.recall(cues, max_steps=8))
    same(found.recall(cues[0], max_steps=3), memory.recall(cues[0], max_steps=3))
    same(found.recall(cues, mask=mask, max_steps=3), memory.recall(cues, mask=mask, max_steps=3))
    assert_allclose(found.weights(cues, mask), memory.weights(cues, mask), atol=1e-12)
    for separation in ("entmax", "rectified_power"):
        apart = ha.cluster.sharded(keys, client, values, separation=separation, shards=5)
        assert_allclose(
            apart.step(cues), ha.Memory(keys, values, separation=separation).step(cues), rtol=1e-12, atol=1e-12
        )
    light = keys.astype(np.float32)
    state = ha.cluster.sharded(light, client, beta=2.0).step(cues.astype(np.float32))
    assert state.dtype == np.float32
    assert_allclose(state, memory.step(cues), atol=1e-5)


def test_files_are_shards_too(client, rng, tmp_path):
    keys, cues = stored(rng)
    paths = [tmp_path / f"{i}.npy" for i in range(3)]
    for path, part in zip(paths, np.split(keys, [100, 2000]), strict=True):
        np.save(path, part)
    found, memory = ha.cluster.sharded(paths, client, beta=2.0), ha.Memory(keys, beta=2.0)
    assert [len(span) for span in found.layout.spans] == [100, 1900, 1000]
    same(found.recall(cues, max_steps=3), memory.recall(cues, max_steps=3))
    apart = ha.cluster.sharded(paths, client, keys[:, :4], beta=2.0)
    assert_allclose(apart.step(cues), ha.Memory(keys, keys[:, :4], beta=2.0).step(cues), atol=1e-12)


def test_the_example_of_the_page_runs(cluster, rng, tmp_path, monkeypatch):
    text = (Path(__file__).parents[2] / "docs/howto/cluster.md").read_text(encoding="utf-8")
    example = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[-1]
    assert "tcp://127.0.0.1:8786" in example
    monkeypatch.chdir(tmp_path)
    patterns = rng.normal(size=(20, 64))
    np.save("patterns.npy", patterns)
    names = {"ha": ha, "cues": patterns}
    exec(example.replace("tcp://127.0.0.1:8786", cluster.scheduler_address), names)
    assert names["found"].matched.tolist() == list(range(20))


def test_its_own_connection_is_closed_with_it(cluster, rng):
    keys, cues = stored(rng)
    with ha.cluster.sharded(keys, cluster.scheduler_address, beta=2.0) as memory:
        found = memory.recall(cues, max_steps=2)
        one = memory.recall(cues[0], max_steps=2)
    wanted = ha.Memory(keys, beta=2.0).recall(cues, max_steps=2)
    assert np.array_equal(found.matched, wanted.matched) and one.matched == wanted.matched[0]
    with pytest.raises(CannotDo, match="its scheduler is gone, or the client was closed"):
        memory.step(cues)


# The keys must exceed the memory of a worker process.
@pytest.mark.quick(0)
def test_keys_larger_than_the_memory_of_any_worker(client, rng, tmp_path):
    m, dim, path = 600_000, 96, tmp_path / "keys.npy"
    keys = np.lib.format.open_memmap(path, mode="w+", dtype="float32", shape=(m, dim))
    some = rng.standard_normal((50_000, dim), dtype="float32")
    for start in range(0, m, 50_000):
        keys[start : start + 50_000] = some * (1 + start / m)
    assert keys.nbytes > 1.05 * LIMIT
    cues = np.array(keys[:: m // 16], dtype=float)
    before = client.run(os.getpid)
    memory, found = ha.Memory(path, beta=0.5), ha.cluster.sharded(path, client, beta=0.5)
    assert_allclose(found.step(cues), memory.step(cues), rtol=0, atol=1e-12 * np.abs(cues).max())
    assert_allclose(found.energy(cues), memory.energy(cues), rtol=1e-12)
    assert client.run(os.getpid) == before  # none was ended because of its memory


# The arrays must exceed the memory of a worker process.
@pytest.mark.quick(0)
def test_arrays_larger_than_the_memory_of_any_worker(client, rng):
    keys = np.tile(rng.standard_normal((25_000, 96)), (11, 1))
    keys *= np.linspace(0.5, 1, len(keys))[:, None]
    assert keys.nbytes > 1.0 * LIMIT and keys.nbytes / WORKERS < 0.6 * LIMIT
    before = client.run(os.getpid)
    found, cues = ha.cluster.sharded(keys, client, beta=0.5), keys[:8]
    assert_allclose(found.step(cues), ha.Memory(keys, beta=0.5).step(cues), rtol=0, atol=1e-12 * np.abs(keys).max())
    assert client.run(os.getpid) == before


def test_a_part_that_no_worker_has_room_for_is_reported(client, rng, monkeypatch):
    monkeypatch.setattr(hopattn.cluster.workers, "WORKER_TIMEOUT", 0.5)
    message = f"no room for a part of 192 MB: none of its {WORKERS} workers may hold more than 60% of 210"
    with pytest.raises(CannotDo, match=message):
        ha.cluster.sharded(np.zeros((250_000, 96)), client, shards=1)


@pytest.mark.parametrize("where", ["large", "file"])
def test_a_worker_lost_in_the_middle_of_a_step_is_made_up_for(client, rng, tmp_path, where):
    keys, cues = stored(rng, m=LARGE if where == "large" else 3000)
    np.save(tmp_path / "keys.npy", keys)
    trap = tmp_path / "trap"
    given = keys if where == "large" else tmp_path / "keys.npy"
    found = ha.cluster.sharded(given, client, similarity=Deadly(path=str(trap)), beta=2.0)
    before = set(client.run(os.getpid).values())
    trap.touch()
    state = found.step(cues)
    assert not trap.exists()
    assert_allclose(state, ha.Memory(keys, beta=2.0).step(cues), rtol=0, atol=1e-12 * np.abs(keys).max())
    client.wait_for_workers(WORKERS, timeout=120)
    assert set(client.run(os.getpid).values()) != before


@pytest.mark.quick(0)
def test_the_only_worker_that_is_lost_is_waited_for(dask, rng, tmp_path):
    keys, _ = stored(rng)
    cues, trap = rng.normal(size=(10_000, 16)), tmp_path / "trap"
    assert cues.nbytes > hopattn.cluster.workers.SMALL
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with dask.LocalCluster(**options) as cluster, dask.Client(cluster, set_as_default=False) as client:
        found = ha.cluster.sharded(keys, client, similarity=Deadly(path=str(trap)), beta=2.0, shards=3)
        trap.touch()
        assert_allclose(found.step(cues), ha.Memory(keys, beta=2.0).step(cues), rtol=0, atol=1e-11)
        assert not trap.exists()


@pytest.mark.quick(1)
@pytest.mark.parametrize("where", ["large", "small"])
def test_a_worker_lost_between_the_steps_of_a_recall_is_made_up_for(client, rng, where):
    keys, cues = stored(rng, m=LARGE if where == "large" else 3000)
    memory, found = ha.Memory(keys, beta=2.0), ha.cluster.sharded(keys, client, beta=2.0)
    pids = found.shards.each(process)
    killer = threading.Timer(0.1, os.kill, (pids[1], signal.SIGKILL))
    killer.start()
    record = found.recall(cues)
    killer.join()
    same(record, memory.recall(cues))
    os.kill(found.shards.each(process)[0], signal.SIGKILL)
    same(found.recall(cues, max_steps=3), memory.recall(cues, max_steps=3))


# The scheduler notices a stopped worker after some seconds.
@pytest.mark.quick(1)
@pytest.mark.parametrize("where", ["large", "small"])
def test_a_worker_that_does_not_answer_is_made_up_for(two_workers, rng, told_by_dask, where):
    keys, cues = stored(rng, m=LARGE if where == "large" else 3000)
    with ha.cluster.sharded(keys, two_workers.scheduler_address, beta=2.0) as found:
        before = found.shards.each(process)
        with frozen(before[0]):
            state = found.step(cues)
            assert set(found.shards.each(process)) == {before[1]}
    assert_allclose(state, ha.Memory(keys, beta=2.0).step(cues), rtol=0, atol=1e-12 * np.abs(keys).max())
    assert told_by_dask == []


def test_a_cluster_that_does_not_answer_is_reported(served, rng, told_by_dask, monkeypatch):
    monkeypatch.setattr(hopattn.cluster.calls, "SILENCE", 1.0)
    (address, pid), (keys, cues) = served, stored(rng)
    with ha.cluster.sharded(keys, address, beta=2.0) as memory, frozen(pid):
        start = time.monotonic()
        with pytest.raises(CannotDo, match="does not answer: nothing was heard from its scheduler for 1 s"):
            memory.step(cues)
        assert time.monotonic() - start < 120
    assert told_by_dask == []


def test_what_is_sent_to_a_worker_that_has_just_gone_is_sent_again(client, monkeypatch, rng):
    keys, gone = rng.normal(size=(LARGE, 16)), ["tcp://127.0.0.1:1"]
    on_workers, worker_for = OnWorkers(client, [keys]), OnWorkers._worker_for
    monkeypatch.setattr(OnWorkers, "_worker_for", lambda self, size: gone.pop() if gone else worker_for(self, size))
    assert on_workers.each(np.shape) == [keys.shape]


def test_an_error_of_the_work_is_raised_as_it_is(client):
    with pytest.raises(ZeroDivisionError, match="of 1"):
        OnWorkers(client, [1, 2]).each(failing, ZeroDivisionError)


def test_a_file_that_no_worker_sees_is_reported(client, tmp_path):
    with pytest.raises(ha.InvalidInput, match=r"keys: on a worker: there is no file 'keys\.npy'"):
        ha.cluster.sharded(tmp_path / "keys.npy", client)


def test_what_cannot_be_cut_is_refused(client, rng, tmp_path):
    keys, _ = stored(rng, m=20)
    for name, rows in {"a": keys[:8], "b": keys[8:], "c": keys[:12], "narrow": keys[:, :3], "flat": keys[0]}.items():
        np.save(tmp_path / f"{name}.npy", rows)
    a, b, c, narrow, flat = (tmp_path / f"{name}.npy" for name in ("a", "b", "c", "narrow", "flat"))
    broken = keys.copy()
    broken[17, 3] = np.nan
    for arguments, message in [
        (((keys,), {"values": keys[1:]}), "values: 19 rows do not fit 20 keys"),
        ((([a, b],), {"values": [c, a]}), "do not hold as many rows each"),
        ((([a, b],), {"shards": 3}), "each of the 2 files is a shard"),
        ((([a, narrow],), {}), "'narrow.npy' has dim 3 in float64, and the first file dim 16"),
        (((flat,), {}), r"expected \(n_patterns, dim\)"),
        (((keys,), {"shards": 21}), "from 1 to 20"),
        (((keys,), {"separation": "softmx"}), "did you mean 'softmax'"),
        (((broken,), {}), "keys: row 17 holds a NaN"),
        (((keys,), {"values": broken}), "values: row 17 holds a NaN"),
    ]:
        (given, *_), options = arguments
        with pytest.raises(ha.InvalidInput, match=message):
            ha.cluster.sharded(given, client, **options)


def test_a_cluster_that_is_lost_in_the_middle_is_reported(dask, rng, capfd):
    keys, cues = stored(rng)
    options = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "protocol": "tcp"}
    with dask.LocalCluster(**options) as cluster, dask.Client(cluster.scheduler_address, timeout=1) as client:
        memory = ha.cluster.sharded(keys, client, beta=2.0)
        memory.step(cues)
        cluster.close()
        with pytest.raises(CannotDo, match="is lost: its scheduler is gone"):
            memory.step(cues)


def test_a_cluster_without_workers_is_reported(dask, monkeypatch):
    monkeypatch.setattr(hopattn.cluster.calls, "WORKER_TIMEOUT", 0.3)
    options = {"n_workers": 0, "processes": False, "dashboard_address": ":0", "protocol": "tcp"}
    with (
        dask.LocalCluster(**options) as cluster,
        pytest.raises(CannotDo, match="has no worker, and none joined within"),
    ):
        ha.cluster.sharded(np.eye(3), cluster)
