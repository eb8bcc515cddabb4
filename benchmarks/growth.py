"""Growth of the time and memory of one softmax step with size: exponents, with their standard errors.

Time and memory are measured in separate calls, because tracing memory takes time. The memory is that of NumPy's
buffers, which tracemalloc counts, without the result.
"""

import statistics
import tracemalloc
from collections.abc import Iterator
from functools import partial

from benchmarks.measuring import Measured, Options, Row, Target, duration, interleaved, measured_row, slope
from benchmarks.plain import Size, check_step, memory_of, random_arrays

TIMED: dict[str, list[Size]] = {
    "patterns": [(n, 1024, 64) for n in (8192, 16384, 32768, 65536)],
    "cues": [(8192, n, 64) for n in (1024, 2048, 4096, 8192)],
    "dim": [(4096, 4096, n) for n in (64, 128, 256, 512)],
}
TRACED: dict[str, list[Size]] = {
    "patterns": [(n, 2048, 64) for n in (8192, 16384, 32768, 65536)],
    "cues": [(8192, n, 64) for n in (2048, 4096, 8192, 16384)],
}
"""Sizes large enough for a step to work block by block; for smaller ones it may use whole matrices."""
MEBIBYTE = 2**20


def rows(options: Options) -> Iterator[Row]:
    """The exponents of time in patterns, cues and dim, and of extra memory in patterns and cues."""
    for axis, sizes in TIMED.items():
        yield measured_row(f"time of a step ∝ {axis}ᵇ", Target("≤", 1.1), partial(_time, axis, sizes, options))
    for axis, sizes in TRACED.items():
        work = f"memory beyond the result ∝ {axis}ᵇ"
        yield measured_row(work, Target("≤", 0.1), partial(_memory, axis, sizes))


def _along(axis: str, size: Size) -> int:
    return size[("patterns", "cues", "dim").index(axis)]


def _time(axis: str, sizes: list[Size], options: Options) -> Measured:
    works = {}
    for size in sizes:
        keys, cues = random_arrays(size)
        memory = memory_of(keys)
        check_step(memory, keys, cues)
        works[f"{_along(axis, size):,}"] = partial(memory.step, cues)
    times = interleaved(works, options)
    note = "; ".join(f"{name}: {duration(each)}" for name, each in times.items())
    return slope([_along(axis, size) for size in sizes], [statistics.median(each) for each in times.values()], note)


def _memory(axis: str, sizes: list[Size]) -> Measured:
    extra = [_extra(size) for size in sizes]
    note = "; ".join(f"{_along(axis, size):,}: {each:.1f} MiB" for size, each in zip(sizes, extra, strict=True))
    return slope([_along(axis, size) for size in sizes], extra, note)


def _extra(size: Size) -> float:
    """The peak of the memory that one step allocates, without its result, in MiB."""
    keys, cues = random_arrays(size)
    memory = memory_of(keys)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        field = memory.step(cues)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    check_step(memory, keys, cues, field)
    return float(peak - before - field.nbytes) / MEBIBYTE
