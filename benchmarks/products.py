"""The limit of one softmax step: its two matrix products alone, at the speed of BLAS, without scale, exponential, sum.

Measured in two ways, of which the faster is the limit: whole matrices with all threads of BLAS, and blocks over
threads with BLAS at one thread each. A block's product overwrites that of the block before it, since to add them up is
no part of the products.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from threadpoolctl import ThreadpoolController

from benchmarks.measuring import Measured, Options, Row, Target, attempted, cores, faster, interleaved, ratio
from benchmarks.plain import SIZES, Size, drawn, memory_of, named, refereed

BLOCK = 512
"""How many cues, and how many patterns, are in a block."""
TARGETS = {"float32": Target("≥", 0.6), "float64": Target("≥", 0.75)}


def rows(options: Options) -> Iterator[Row]:
    """The products' time over that of a step, at each size in each type."""
    for dtype, target in TARGETS.items():
        for size in SIZES[::3] if options.quick else SIZES:
            work = f"matrix products / step, {named(size)}, {dtype}"
            yield attempted(work, target, partial(_share, size, dtype, options))


def _share(size: Size, dtype: str, options: Options) -> Measured:
    keys, cues = drawn(size, dtype)
    memory = memory_of(keys)
    refereed(memory, keys, cues)
    works = {"whole products": whole(cues, keys), "products in blocks": in_blocks(cues, keys)}
    times = interleaved({**works, "hopattn": lambda: memory.step(cues)}, options)
    return ratio(times, faster(times, *works), "hopattn")


def whole(cues: np.ndarray, keys: np.ndarray) -> Callable[[], None]:
    """Both products of whole matrices, into arrays that are there already."""
    scores, field = np.empty((len(cues), len(keys)), cues.dtype), np.empty_like(cues)

    def multiply() -> None:
        np.matmul(cues, keys.T, out=scores)
        np.matmul(scores, keys, out=field)

    return multiply


def in_blocks(cues: np.ndarray, keys: np.ndarray) -> Callable[[], None]:
    """Both products block by block, the blocks of cues over threads."""
    blas, threads = ThreadpoolController(), cores()
    starts = range(0, len(cues), BLOCK)

    def multiply(start: int) -> None:
        own = cues[start : start + BLOCK]
        scores, field = np.empty((len(own), BLOCK), cues.dtype), np.empty_like(own)
        for i in range(0, len(keys), BLOCK):
            block = keys[i : i + BLOCK]
            np.matmul(own, block.T, out=scores[:, : len(block)])
            np.matmul(scores[:, : len(block)], block, out=field)

    def multiply_all() -> None:
        with blas.limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
            list(pool.map(multiply, starts))

    return multiply_all
