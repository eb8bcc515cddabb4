"""The lower limit of one softmax step: its two matrix products alone, without scale, exponential and sum.

The limit is the faster of two ways: whole matrices with all threads of BLAS, and blocks over threads with one BLAS
thread each. The product of each block overwrites the previous one, because adding them up is not part of the products.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from threadpoolctl import ThreadpoolController

from benchmarks.machine import cores
from benchmarks.measuring import (
    Measured,
    Options,
    Row,
    Target,
    fastest,
    geometric_mean,
    interleaved,
    measured_row,
    ratio,
)
from benchmarks.plain import SIZES, Size, check_step, memory_of, random_arrays, size_label

BLOCK = 512
"""The number of cues, and of patterns, in a block."""
LEAST_MEAN = 0.85
"""The least mean of the sizes, with compiled kernels."""


def rows(options: Options) -> Iterator[Row]:
    """The time of the products over that of a step, for each size and dtype."""
    for dtype in ("float32", "float64"):
        steps = []
        for size in SIZES[::3] if options.quick else SIZES:
            work = f"matrix products / step, {size_label(size)}, {dtype}, {options.setting.words}"
            steps.append(measured_row(work, None, partial(_share, size, dtype, options)))
            yield steps[-1]
        mean = Target("≥", LEAST_MEAN) if options.setting.compiled else None
        work = f"matrix products / step, mean of {len(steps)} sizes, {dtype}, {options.setting.words}"
        yield geometric_mean(work, mean, steps)


def _share(size: Size, dtype: str, options: Options) -> Measured:
    keys, cues = random_arrays(size, dtype)
    memory = memory_of(keys)
    check_step(memory, keys, cues)
    works = {"whole products": whole_products(cues, keys), "products in blocks": products_in_blocks(cues, keys)}
    times = interleaved({**works, "hopattn": lambda: memory.step(cues)}, options)
    return ratio(times, fastest(times, *works), "hopattn")


def whole_products(cues: np.ndarray, keys: np.ndarray) -> Callable[[], None]:
    """A function that computes both products of whole matrices, into arrays allocated before."""
    scores, field = np.empty((len(cues), len(keys)), cues.dtype), np.empty_like(cues)

    def multiply() -> None:
        np.matmul(cues, keys.T, out=scores)
        np.matmul(scores, keys, out=field)

    return multiply


def products_in_blocks(cues: np.ndarray, keys: np.ndarray) -> Callable[[], None]:
    """A function that computes both products block by block, with the blocks of cues over threads."""
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
