"""A step over keys in a memory-mapped file: time, and the memory of the process."""

import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measuring import Measured, Options, Row, Skip, Target, interleaved, measured_row, ratio
from benchmarks.plain import check_step, memory_of
from benchmarks.products import products_in_blocks

PATTERNS, QUICK_PATTERNS, CUES, DIM = 1_000_000, 100_000, 1000, 384
WRITE_BLOCK = 20_000
"""The number of patterns written at a time."""
MEGABYTE = 1e6
CEILING = 4 * 10**9
"""The limit of the process's own memory in bytes, so that a faulty step cannot exhaust the machine's memory."""
STATUS = Path("/proc/self/status")


def rows(options: Options) -> Iterator[Row]:
    """The time of the matrix products over that of a step, and the process's own memory without the mapped file."""
    count = QUICK_PATTERNS if options.quick else PATTERNS
    size = f"{count:,} patterns × {DIM} in a file, {CUES:,} cues"
    watch = MemoryWatch()
    with tempfile.TemporaryDirectory() as folder:
        yield measured_row(
            f"matrix products / step, {size}",
            Target("≥", 0.7),
            partial(_products_over_step, Path(folder) / "keys.npy", count, watch, options),
        )
    yield measured_row(f"megabytes of its own, {size}", Target("<", 300), watch.largest)


@dataclass
class MemoryWatch:
    """The largest growth of the process's own memory during each named call.

    peaks: bytes above the memory before the call. memory_error: the message of a MemoryError in a call, or "".
    """

    peaks: dict[str, int] = field(default_factory=dict)
    memory_error: str = ""

    def during(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of `work`, called while a thread records the memory under `name`."""
        before, done = own_memory(), threading.Event()

        def record() -> None:
            while not done.wait(0.002):
                self.peaks[name] = max(self.peaks.get(name, 0), own_memory() - before)

        recorder = threading.Thread(target=record)
        recorder.start()
        try:
            return work()
        except MemoryError as error:
            self.memory_error = str(error)
            raise
        finally:
            done.set()
            recorder.join()

    def largest(self) -> Measured:
        """The largest of the peaks, in megabytes; raises `Skip` if unknown, and MemoryError if a call raised it."""
        if not STATUS.exists():
            raise Skip("this system does not tell what memory is the process's own")
        if self.memory_error:
            raise MemoryError(self.memory_error)
        if "step" not in self.peaks:
            raise Skip("no step was taken")
        megabytes = {name: peak / MEGABYTE for name, peak in self.peaks.items()}
        largest = max(megabytes.values())
        return Measured(largest, largest, largest, "; ".join(f"{name} {m:.0f} MB" for name, m in megabytes.items()))


def own_memory() -> int:
    """The resident memory of the process that is not mapped from a file, in bytes; 0 if the system does not give it."""
    if not STATUS.exists():
        return 0
    lines = [line.split() for line in STATUS.read_text(encoding="utf-8").splitlines() if line.startswith("RssAnon")]
    return 1024 * int(lines[0][1]) if lines else 0


def _products_over_step(path: Path, count: int, watch: MemoryWatch, options: Options) -> Measured:
    stored = _stored(path, count)
    keys = np.asarray(stored)
    keys[:, 0].sum()  # reads every page into the system's cache
    cues = np.random.default_rng(1).standard_normal((CUES, DIM), dtype="float32")
    products = products_in_blocks(cues, keys)
    with memory_ceiling():
        memory = watch.during("memory made", lambda: memory_of(stored))
        check_step(memory, keys, cues, watch.during("step", lambda: memory.step(cues)))
        times = interleaved({"products": products, "hopattn": lambda: memory.step(cues)}, options, warm=False)
    return ratio(times, "products", "hopattn")


def _stored(path: Path, count: int) -> np.ndarray:
    """Random patterns in a new file, mapped into memory; raises `Skip` if disk or memory is too small."""
    size = count * DIM * 4
    if shutil.disk_usage(path.parent).free < 2 * size:
        raise Skip(f"the temporary folder has no room for {2 * size / MEGABYTE:,.0f} MB")
    if _available() < size + 10**9:
        raise Skip(f"less than {(size + 10**9) / MEGABYTE:,.0f} MB of memory are free, so that the disk would be timed")
    rng, shape = np.random.default_rng(0), (count, DIM)
    keys = np.lib.format.open_memmap(path, mode="w+", dtype="float32", shape=shape)
    for start in range(0, count, WRITE_BLOCK):
        keys[start : start + WRITE_BLOCK] = rng.standard_normal((min(WRITE_BLOCK, count - start), DIM), dtype="float32")
    keys.flush()
    del keys
    return np.asanyarray(np.load(path, mmap_mode="r"))


@contextmanager
def memory_ceiling() -> Iterator[None]:
    """A context in which allocations above `CEILING` raise MemoryError, if the system supports such a limit."""
    try:
        import resource
    except ImportError:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (CEILING, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def _available() -> float:
    """Bytes of memory that are free or can be freed; infinite if the system does not give the number."""
    path = Path("/proc/meminfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), float("inf"))
