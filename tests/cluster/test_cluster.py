"""Many machines: a silent cluster is reported in seconds, and one that loses workers recalls what one machine
does. Four worker processes, two in a quick run, each with a memory limit below the size of the keys.
"""

import os
import re
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import hopattn as ha
import hopattn.cluster.connection
from hopattn.cluster.connection import computed, connected
from hopattn.foundation.errors import CannotDo
from hopattn.retrieval.online_softmax import adds_up
from tests.draws import count, in_dtypes
from tests.on_workers import Deadly, failing, frozen, killed
from tests.refusal import refused

WORKERS, LIMIT = count(4, 2), 320 * 2**20
"""A worker needs 135 MiB before it has any keys, because Dask's arrays import xarray, pandas and SciPy where they are
installed; Dask pauses a worker at .8 of its limit.
"""
LARGE = count(40_000, 20_000)


@pytest.fixture(scope="module")
def cluster(dask):
    options = {"n_workers": WORKERS, "threads_per_worker": 1, "memory_limit": LIMIT, "dashboard_address": ":0"}
    with dask.LocalCluster(**options) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def connection(dask, cluster):
    """A client that waits for workers by the scheduler's word; through a cluster it would rewrite what the cluster
    knows of its workers.
    """
    with dask.Client(cluster.scheduler_address, set_as_default=False) as client:
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


def holders(client, memory):
    """The processes that hold the keys of a memory, each once."""
    pids, who = client.run(os.getpid), client.who_has(memory.keys).values()
    return sorted({pids[address] for addresses in who for address in addresses})


def same(found, wanted):
    assert_allclose(found.state, wanted.state, rtol=0, atol=1e-12 * np.abs(wanted.state).max())
    assert_allclose(found.energies, wanted.energies, rtol=1e-12, atol=1e-12)
    for name in ("steps", "status", "matched", "spurious"):
        assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


@pytest.fixture
def ports():
    """The addresses of a port that takes connections and says nothing, and of one at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            numbers = silent.getsockname()[1], closed.getsockname()[1]
        yield [f"tcp://127.0.0.1:{number}" for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize(("which", "message"), [(0, "says nothing"), (1, "nothing takes the connection")])
def test_a_scheduler_that_does_not_answer_is_reported_in_seconds(dask, ports, which, message, capfd, monkeypatch):
    start = time.monotonic()
    monkeypatch.setitem(dask.config["distributed"]["comm"]["timeouts"], "connect", "600s")
    place = f"{ports[which]}: no scheduler answers there within 1 s"
    refused(lambda: connected(ports[which], seconds=1.0).__enter__(), place, message)
    assert time.monotonic() - start < 120  # of Dask's own 600 seconds, as they are set here
    assert capfd.readouterr() == ("", "")


def test_a_client_is_taken_as_it_is_and_an_address_gets_its_own(dask, cluster, client):
    with connected(client) as given:
        assert given is client
    assert client.status == "running"
    for given in (cluster, cluster.scheduler_address):
        with connected(given) as own:
            assert own is not client and own.scheduler.address == cluster.scheduler_address
            with pytest.raises(ValueError, match="No client"):
                dask.default_client()


def test_a_memory_on_a_cluster_is_the_memory_itself(client, rng):
    keys, cues = stored(rng)
    values = rng.normal(size=(len(keys), 5))
    memory, mask = ha.Memory(keys, beta=2.0), rng.random((len(cues), len(keys))) < 0.5
    found = ha.cluster.sharded(keys, client, beta=2.0)
    assert found.keys.numblocks[0] == WORKERS
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


@pytest.mark.parametrize(
    ("name", "dtype"), in_dtypes((name,) for name, kind in ha.separations.items() if adds_up(kind()))
)
def test_sums_merged_on_workers_are_those_of_one_machine(client, rng, name, dtype):
    keys, cues = (0.3 * part.astype(dtype) for part in stored(rng, m=300))
    memory, tol = ha.Memory(keys, separation=name), {"float64": 1e-12, "float32": 1e-5}[dtype]
    wanted = memory.step(cues)
    for shards in (1, 3, 10):
        found = ha.cluster.sharded(keys, client, separation=name, shards=shards)
        assert found.keys.numblocks[0] == shards
        assert_allclose(found.step(cues), wanted, rtol=0, atol=tol * max(1.0, float(np.abs(wanted).max())), strict=True)


def test_files_are_shards_too(client, rng, tmp_path):
    keys, cues = stored(rng)
    paths = [tmp_path / f"{i}.npy" for i in range(3)]
    for path, part in zip(paths, np.split(keys, [100, 2000]), strict=True):
        np.save(path, part)
    found, memory = ha.cluster.sharded(paths, client, beta=2.0), ha.Memory(keys, beta=2.0)
    assert {100, 2000} <= set(np.cumsum(found.keys.chunks[0]))
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


def test_arrays_of_dask_and_its_own_client_are_taken(dask, cluster, rng):
    keys, cues = stored(rng)
    da, memory = pytest.importorskip("dask.array"), ha.Memory(keys, beta=2.0)
    chunks = da.from_array(keys, chunks=(700, 5))
    with dask.Client(cluster.scheduler_address) as client:
        for given in (chunks, client.persist(chunks)):
            found = ha.cluster.sharded(given, beta=2.0)  # by the newest client
            assert found.retrieval.client is client and found.keys.chunks == ((700, 700, 700, 700, 200), (16,))
            same(found.recall(cues, max_steps=3), memory.recall(cues, max_steps=3))
    whole = ha.cluster.sharded(chunks.round().astype(int), beta=2.0)  # by threads
    assert_allclose(whole.step(cues), ha.Memory(keys.round(), beta=2.0).step(cues), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("where", "m"), [("file", 900_000), ("arrays", 112_500 * WORKERS)])
def test_keys_larger_than_the_memory_of_any_worker(client, rng, tmp_path, where, m):
    path, dtype = tmp_path / "keys.npy", "float32" if where == "file" else "float64"
    keys, some = np.lib.format.open_memmap(path, "w+", dtype, (m, 96)), rng.standard_normal((25_000, 96))
    for start in range(0, m, 25_000):
        keys[start : start + 25_000] = some * (0.5 + start / m)
    assert keys.nbytes > LIMIT * WORKERS / 4  # of arrays, a worker holds a quarter of its memory
    cues, before = np.array(keys[:: m // 16], dtype=float), client.run(os.getpid)
    given = path if where == "file" else np.array(keys)
    memory, found = ha.Memory(given, beta=0.5), ha.cluster.sharded(given, client, beta=0.5)
    assert_allclose(found.step(cues), memory.step(cues), rtol=0, atol=1e-12 * np.abs(cues).max())
    assert_allclose(found.energy(cues), memory.energy(cues), rtol=1e-12)
    assert client.run(os.getpid) == before  # none was ended because of its memory


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


@pytest.mark.slow  # the scheduler notices a stopped worker after some seconds
def test_a_worker_that_does_not_answer_is_made_up_for(two_workers, rng, told_by_dask):
    keys, cues = stored(rng)
    address = two_workers.scheduler_address
    with (
        ha.cluster.sharded(keys, address, beta=2.0, shards=6) as found,
        frozen(holders(found.retrieval.client, found)[0]),
    ):
        state = found.step(cues)
    assert_allclose(state, ha.Memory(keys, beta=2.0).step(cues), rtol=0, atol=1e-12 * np.abs(keys).max())
    assert told_by_dask == []


def test_a_cluster_that_does_not_answer_is_reported(served, rng, told_by_dask, monkeypatch):
    monkeypatch.setattr(hopattn.cluster.connection, "SILENCE", 1.0)
    (address, pid), (keys, cues) = served, stored(rng)
    with ha.cluster.sharded(keys, address, beta=2.0) as memory, frozen(pid):
        start = time.monotonic()
        with pytest.raises(CannotDo, match="does not answer: nothing was heard from its scheduler for 1 s"):
            memory.step(cues)
        assert time.monotonic() - start < 120
    assert told_by_dask == []


def test_a_cluster_that_is_lost_in_the_middle_is_reported(dask, rng, capfd):
    keys, cues = stored(rng)
    options = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "protocol": "tcp"}
    with dask.LocalCluster(**options) as cluster, dask.Client(cluster.scheduler_address, timeout=1) as client:
        memory = ha.cluster.sharded(keys, client, beta=2.0)
        memory.step(cues)
        cluster.close()
        with pytest.raises(CannotDo, match="is lost: its scheduler is gone"):
            memory.step(cues)


def test_a_cluster_without_workers_is_reported(dask, rng, monkeypatch):
    monkeypatch.setattr(hopattn.cluster.connection, "WORKER_TIMEOUT", 0.3)
    options, silent = (
        {"processes": False, "dashboard_address": ":0", "protocol": "tcp"},
        "has no worker, and none joined",
    )
    with dask.LocalCluster(n_workers=0, **options) as cluster, pytest.raises(CannotDo, match=silent):
        ha.cluster.sharded(np.eye(3), cluster)
    with dask.LocalCluster(n_workers=1, **options) as cluster:
        memory = ha.cluster.sharded(np.eye(3), cluster)
        cluster.scale(0)
        with pytest.raises(CannotDo, match=silent):  # none comes back
            memory.step(np.ones(3))
        cluster.scale(1)
        assert_allclose(memory.step(np.ones(3)), ha.Memory(np.eye(3)).step(np.ones(3)), rtol=1e-12)
        memory.close()


def test_a_worker_that_dies_of_its_work_ends_the_call_with_a_message(dask, two_workers, rng, tmp_path):
    with dask.Client(two_workers.scheduler_address, set_as_default=False) as client:
        found = ha.cluster.sharded(np.eye(3), client, similarity=Deadly(path=str(tmp_path / "trap")))
        two_workers.scheduler.allowed_failures = 0
        (tmp_path / "trap").touch()
        with pytest.raises(CannotDo, match="one worker after the other died of the same piece of work"):
            found.step(np.ones(3))


@pytest.mark.parametrize("lost", ["holder", "all"])
def test_workers_killed_in_the_middle_of_a_recall_change_nothing(client, rng, monkeypatch, lost):
    keys, cues = stored(rng, m=LARGE)
    memory, found = ha.Memory(keys, beta=0.05), ha.cluster.sharded(keys, client, beta=0.05)
    pids, passes = holders(client, found), []

    def killing(client, task):
        """The result of a task; during the third one, the workers are killed."""
        passes.append(task)
        if len(passes) == 3:
            threading.Timer(0.01, killed, (pids if lost == "all" else pids[:1],)).start()
        return computed(client, task)

    monkeypatch.setattr("hopattn.cluster.sharded_memory.computed", killing)
    same(found.recall(cues), memory.recall(cues))
    assert len(passes) > 3
    client.wait_for_workers(WORKERS, timeout=120)
    assert not set(pids) <= set(client.run(os.getpid).values())
    same(found.recall(cues, max_steps=3), memory.recall(cues, max_steps=3))


def test_what_is_no_scheduler_is_refused(dask, client, ports, monkeypatch):
    for address, words in {
        "nonsense": ["not 'nonsense'"],
        "127.0.0.1": ["tcp://127.0.0.1:8786"],
        "tcp://127.0.0.1:99999": ["not 'tcp://127.0.0.1:99999'"],
        "tcp://127.0.0.1:65536": ["not 'tcp://127.0.0.1:65536'"],
        "tcp://:8786": ["not 'tcp://:8786'"],
        "ftp://127.0.0.1:8786": ["'ftp'"],
        8786: ["not int"],
    }.items():
        refused(lambda address=address: connected(address).__enter__(), "cluster: ", *words)
    worker = next(iter(client.scheduler_info()["workers"]))
    refused(lambda: connected(worker, seconds=2.0).__enter__(), worker, "what answers is a Worker")
    monkeypatch.setattr("hopattn.cluster.sharded_memory.connected", lambda address: connected(address, seconds=0.5))
    refused(lambda: ha.cluster.sharded(np.eye(3), ports[1]), ports[1], "no scheduler answers")
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused(lambda: connected("tcp://127.0.0.1:8786").__enter__(), "", "pip install distributed")


def test_what_cannot_be_cut_and_what_a_worker_cannot_read_is_refused(client, rng, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keys, _ = stored(rng, m=20)
    for name, rows in {"a": keys[:8], "b": keys[8:], "c": keys[:12], "narrow": keys[:, :3], "flat": keys[0]}.items():
        np.save(f"{name}.npy", rows)
    broken, da = keys.copy(), pytest.importorskip("dask.array")
    broken[17, 3] = np.nan
    two = ["a.npy", "b.npy"]
    for given, options, place, word in [
        (keys, {"values": keys[1:]}, "values: ", "19 rows"),
        (two, {"values": ["c.npy", "b.npy"]}, "values: ", "24 rows"),
        (["a.npy", "narrow.npy"], {}, "keys: ", "'narrow.npy' has dim 3 in float64, and the first file dim 16"),
        ("flat.npy", {}, "keys: ", "(n_patterns, dim)"),
        ("gone.npy", {}, "keys: on a worker: ", "'gone.npy'"),
        (keys, {"shards": 21}, "shards: ", "from 1 to 20"),
        (da.from_array(keys * 1j), {}, "keys: ", "complex128"),
        (da.from_array(keys)[da.from_array(keys[:, 0]) > 0], {}, "keys: ", "known sizes"),
        (keys, {"separation": "softmx"}, "", "'softmax'"),
        (broken, {}, "keys: row 17 ", "NaN"),
        (keys, {"values": broken}, "values: row 17 ", "NaN"),
    ]:
        refused(lambda given=given, options=options: ha.cluster.sharded(given, client, **options), place, word)
    delayed = pytest.importorskip("dask").delayed
    with pytest.raises(ZeroDivisionError, match="of 1"):  # an error of the work itself is raised as it is
        computed(client, delayed(failing)(1, ZeroDivisionError))


@pytest.mark.slow
def test_the_only_worker_that_is_lost_is_waited_for(dask, rng, tmp_path):
    keys, _ = stored(rng)
    cues, trap = rng.normal(size=(10_000, 16)), tmp_path / "trap"
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with dask.LocalCluster(**options) as cluster, dask.Client(cluster, set_as_default=False) as client:
        found = ha.cluster.sharded(keys, client, similarity=Deadly(path=str(trap)), beta=2.0, shards=3)
        trap.touch()
        assert_allclose(found.step(cues), ha.Memory(keys, beta=2.0).step(cues), rtol=0, atol=1e-11)
        assert not trap.exists()


@pytest.mark.slow  # the workers take seconds to come back
def test_every_call_ends_although_all_workers_are_lost_at_once(dask, two_workers, rng, tmp_path):
    """In the middle of a call and between two calls, with keys in files, sent with each call and kept on workers."""
    keys, cues = stored(rng, m=LARGE)
    few, paths = keys[:3000], [tmp_path / f"{i}.npy" for i in range(6)]
    for path, part in zip(paths, np.split(few, len(paths)), strict=True):
        np.save(path, part)
    trap = tmp_path / "trap"
    with ThreadPoolExecutor() as threads, dask.Client(two_workers.scheduler_address, set_as_default=False) as client:
        similarity = Deadly(path=str(trap), others=tuple(client.run(os.getpid).values()))
        calls = []
        for given, rows in ((paths, few), (few, few), (keys, keys)):
            found = ha.cluster.sharded(given, client, similarity=similarity, beta=2.0)
            calls.append((found, ha.Memory(rows, beta=2.0).recall(cues)))

        def recalled():
            started = [(threads.submit(found.recall, cues), wanted) for found, wanted in calls]
            for call, wanted in started:
                same(call.result(timeout=60), wanted)  # the 30 s of the documentation, and the time of the recalls

        trap.touch()
        recalled()
        assert not trap.exists()
        client.wait_for_workers(2, timeout=120)
        killed(client.run(os.getpid).values())
        recalled()
