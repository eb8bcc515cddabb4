"""Work in blocks: what is done some rows at a time, because they stay in the cache of a processor."""

from collections.abc import Iterator


def blocks(n: int, size: int) -> Iterator[slice]:
    """The numbers from 0 to n in blocks of that size; the last one may be shorter."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def ranges(within: range, size: int) -> list[range]:
    """Neighbouring numbers in blocks of that size, as ranges."""
    return [range(i, min(i + size, within.stop)) for i in range(within.start, within.stop, size)]
