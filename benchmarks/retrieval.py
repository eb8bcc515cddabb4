"""One softmax step compared with PyTorch's fused attention, with the default BLAS kernel and with a chosen one.

PyTorch gets its own layout (batch, head, token, dim) and one thread per core.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.machine import architecture
from benchmarks.measuring import Measured, Options, Row, Target, cores, import_or_skip, interleaved, measured_row, ratio
from benchmarks.plain import SIZES, Size, memory_of, random_arrays, require_close, size_label

KERNEL = "SkylakeX"
"""The chosen OpenBLAS kernel, used if the processor supports it."""
CAUSAL: tuple[Size, ...] = ((4096, 4096, 64), (4096, 4096, 384))


def rows(options: Options) -> Iterator[Row]:
    """The time of PyTorch over ours for each size, the geometric mean, and the same with a causal mask."""
    kernel = f"{'chosen' if options.kernel else 'default'} kernel ({architecture()})"
    each = Target(">", 1) if options.kernel else Target("≥", 0.85)
    steps = [
        measured_row(f"PyTorch / step, {size_label(size)}, {kernel}", each, partial(_against, size, False, options))
        for size in SIZES
    ]
    yield from steps
    if options.kernel:
        yield _mean(f"PyTorch / step, geometric mean of the {len(steps)} sizes, {kernel}", steps)
    for size in CAUSAL:
        work = f"PyTorch / causal step, {size_label(size)}, {kernel}"
        yield measured_row(work, Target("≥", 1), partial(_against, size, True, options))


def _against(size: Size, causal: bool, options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.set_num_threads(cores())
    keys, cues = random_arrays(size)
    memory, mask = memory_of(keys), "causal" if causal else None
    own, stored = (torch.from_numpy(array)[None, None] for array in (cues, keys))

    def attended() -> Any:
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(own, stored, stored, is_causal=causal)

    works = {"PyTorch": attended, "hopattn": lambda: memory.step(cues, mask=mask)}
    require_close(memory.step(cues, mask=mask), attended()[0, 0])
    return ratio(interleaved(works, options), "PyTorch", "hopattn")


def _mean(work: str, steps: list[Row]) -> Row:
    ratios = [row.measured for row in steps if row.measured is not None]
    if len(ratios) < len(steps):
        return Row(work, str(Target("≥", 1.3)), "skipped", note="a size is missing")
    value, low, high = (
        math.prod(numbers) ** (1 / len(ratios))
        for numbers in zip(*((each.value, each.low, each.high) for each in ratios), strict=True)
    )
    return measured_row(work, Target("≥", 1.3), lambda: Measured(value, low, high))
