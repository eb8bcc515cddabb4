"""How the time and the memory of one softmax step grow: exponents of the size, with their standard error.

Time is measured without the tracing of memory, and memory (NumPy's buffers, which tracemalloc counts) in calls of its
own. The result's own size is no part of the extra memory.
"""

import statistics
import tracemalloc
from collections.abc import Iterator
from functools import partial

from benchmarks.measuring import Measured, Options, Row, Target, attempted, duration, interleaved, slope
from benchmarks.plain import Size, drawn, memory_of, refereed

TIMED: dict[str, list[Size]] = {
    "patterns": [(n, 1024, 64) for n in (8192, 16384, 32768, 65536)],
    "cues": [(8192, n, 64) for n in (1024, 2048, 4096, 8192)],
    "dim": [(4096, 4096, n) for n in (64, 128, 256, 512)],
}
TRACED: dict[str, list[Size]] = {
    "patterns": [(n, 2048, 64) for n in (8192, 16384, 32768, 65536)],
    "cues": [(8192, n, 64) for n in (2048, 4096, 8192, 16384)],
}
"""From the sizes on at which a step goes block by block; a smaller one may take the whole at once."""
MEBIBYTE = 2**20


def rows(options: Options) -> Iterator[Row]:
    """The exponents of time in patterns, cues and dim, and of extra memory in patterns and cues."""
    for what, sizes in TIMED.items():
        yield attempted(f"time of a step ∝ {what}ᵇ", Target("≤", 1.1), partial(_time, what, sizes, options))
    for what, sizes in TRACED.items():
        work = f"memory beyond the result ∝ {what}ᵇ"
        yield attempted(work, Target("≤", 0.1), partial(_memory, what, sizes))


def _varied(what: str, size: Size) -> int:
    return size[("patterns", "cues", "dim").index(what)]


def _time(what: str, sizes: list[Size], options: Options) -> Measured:
    works = {}
    for size in sizes:
        keys, cues = drawn(size)
        memory = memory_of(keys)
        refereed(memory, keys, cues)
        works[f"{_varied(what, size):,}"] = partial(memory.step, cues)
    times = interleaved(works, options)
    note = "; ".join(f"{name}: {duration(each)}" for name, each in times.items())
    return slope([_varied(what, size) for size in sizes], [statistics.median(each) for each in times.values()], note)


def _memory(what: str, sizes: list[Size]) -> Measured:
    extra = [_extra(size) for size in sizes]
    note = "; ".join(f"{_varied(what, size):,}: {each:.1f} MiB" for size, each in zip(sizes, extra, strict=True))
    return slope([_varied(what, size) for size in sizes], extra, note)


def _extra(size: Size) -> float:
    """The peak of what one step allocates beyond its result, in MiB."""
    keys, cues = drawn(size)
    memory = memory_of(keys)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        found = memory.step(cues)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    refereed(memory, keys, cues, found)
    return float(peak - before - found.nbytes) / MEBIBYTE
