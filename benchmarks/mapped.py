"""More patterns than one would hold in memory: a step over keys in a memory-mapped file."""

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

from benchmarks.measuring import Measured, Options, Row, Skip, Target, attempted, interleaved, ratio
from benchmarks.plain import memory_of, refereed
from benchmarks.products import in_blocks

PATTERNS, QUICK_PATTERNS, CUES, DIM = 1_000_000, 100_000, 1000, 384
WRITTEN = 20_000
"""How many patterns are written at a time."""
MEGABYTE = 1e6
CEILING = 4 * 10**9
"""Bytes of memory of its own that the process may take, so that a step that takes more cannot stop the machine."""
STATUS = Path("/proc/self/status")


def rows(options: Options) -> Iterator[Row]:
    """The products' time over that of a step, and how much memory of its own the process takes, the file apart."""
    count = QUICK_PATTERNS if options.quick else PATTERNS
    size = f"{count:,} patterns × {DIM} in a file, {CUES:,} cues"
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder:
        yield attempted(
            f"matrix products / step, {size}",
            Target("≥", 0.7),
            partial(_measured, Path(folder) / "keys.npy", count, watch, options),
        )
    yield attempted(f"megabytes of its own, {size}", Target("<", 300), watch.measured)


@dataclass
class Watch:
    """The peak of the memory that is the process's own, above what it was at the beginning, in bytes."""

    peaks: dict[str, int] = field(default_factory=dict)
    refused: str = ""

    def over(self, what: str, work: Callable[[], Any]) -> Any:
        """Do a work while a thread looks how much memory there is."""
        before, done = own_memory(), threading.Event()

        def look() -> None:
            while not done.wait(0.002):
                self.peaks[what] = max(self.peaks.get(what, 0), own_memory() - before)

        watcher = threading.Thread(target=look)
        watcher.start()
        try:
            return work()
        except MemoryError as error:
            self.refused = str(error)
            raise
        finally:
            done.set()
            watcher.join()

    def measured(self) -> Measured:
        """The larger of the peaks."""
        if not STATUS.exists():
            raise Skip("this system does not tell what memory is the process's own")
        if self.refused:
            raise MemoryError(self.refused)
        if "step" not in self.peaks:
            raise Skip("no step was taken")
        megabytes = {what: peak / MEGABYTE for what, peak in self.peaks.items()}
        largest = max(megabytes.values())
        return Measured(largest, largest, largest, "; ".join(f"{what} {m:.0f} MB" for what, m in megabytes.items()))


def own_memory() -> int:
    """The resident bytes that no file stands behind."""
    if not STATUS.exists():
        return 0
    found = [line.split() for line in STATUS.read_text(encoding="utf-8").splitlines() if line.startswith("RssAnon")]
    return 1024 * int(found[0][1]) if found else 0


def _measured(path: Path, count: int, watch: Watch, options: Options) -> Measured:
    stored = _stored(path, count)
    keys = np.asarray(stored)
    keys[:, 0].sum()  # has every page read into the system's cache
    cues = np.random.default_rng(1).standard_normal((CUES, DIM), dtype="float32")
    products = in_blocks(cues, keys)
    with ceiling():
        memory = watch.over("memory made", lambda: memory_of(stored))
        refereed(memory, keys, cues, watch.over("step", lambda: memory.step(cues)))
        times = interleaved({"products": products, "hopattn": lambda: memory.step(cues)}, options, warm=False)
    return ratio(times, "products", "hopattn")


def _stored(path: Path, count: int) -> np.ndarray:
    """A file of patterns, written in blocks and mapped into memory."""
    size = count * DIM * 4
    if shutil.disk_usage(path.parent).free < 2 * size:
        raise Skip(f"the temporary folder has no room for {2 * size / MEGABYTE:,.0f} MB")
    if _available() < size + 10**9:
        raise Skip(f"less than {(size + 10**9) / MEGABYTE:,.0f} MB of memory are free, so that the disk would be timed")
    rng, shape = np.random.default_rng(0), (count, DIM)
    keys = np.lib.format.open_memmap(path, mode="w+", dtype="float32", shape=shape)
    for start in range(0, count, WRITTEN):
        keys[start : start + WRITTEN] = rng.standard_normal((min(WRITTEN, count - start), DIM), dtype="float32")
    keys.flush()
    del keys
    return np.asanyarray(np.load(path, mmap_mode="r"))


@contextmanager
def ceiling() -> Iterator[None]:
    """Within it, to take more memory than `CEILING` is a MemoryError, where the system can see to that."""
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
    """Bytes of memory that are free or can be freed; infinite where the system does not tell."""
    path = Path("/proc/meminfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return next((1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")), float("inf"))
