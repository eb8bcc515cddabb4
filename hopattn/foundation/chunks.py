"""Chunks: the rows of an array in blocks, so that one block fits into the processor's cache."""

from collections.abc import Iterator


def blocks(n: int, size: int) -> Iterator[slice]:
    """Slices that divide the numbers from 0 to n − 1 into blocks of `size`; the last block may be shorter."""
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def ranges(within: range, size: int) -> list[range]:
    """The range `within`, divided into consecutive ranges of `size` numbers; the last one may be shorter."""
    return [range(i, min(i + size, within.stop)) for i in range(within.start, within.stop, size)]
