"""One softmax step against PyTorch's fused attention, with the BLAS kernel as it comes and with one that is chosen.

PyTorch is given its own layout (batch, head, token, dim) and as many threads as there are cores.
"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.machine import architecture
from benchmarks.measuring import Measured, Options, Row, Target, attempted, cores, interleaved, ratio, required
from benchmarks.plain import SIZES, Size, agree, drawn, memory_of, named

KERNEL = "SkylakeX"
"""The kernel of OpenBLAS that is chosen, on a processor that has what it needs."""
CAUSAL: tuple[Size, ...] = ((4096, 4096, 64), (4096, 4096, 384))


def rows(options: Options) -> Iterator[Row]:
    """PyTorch's time over ours at each size, their mean, and the same where each cue sees only what is before it."""
    kernel = f"{'chosen' if options.kernel else 'default'} kernel ({architecture()})"
    each = Target(">", 1) if options.kernel else Target("≥", 0.85)
    steps = [
        attempted(f"PyTorch / step, {named(size)}, {kernel}", each, partial(_against, size, False, options))
        for size in SIZES
    ]
    yield from steps
    if options.kernel:
        yield _mean(f"PyTorch / step, geometric mean of the {len(steps)} sizes, {kernel}", steps)
    for size in CAUSAL:
        work = f"PyTorch / causal step, {named(size)}, {kernel}"
        yield attempted(work, Target("≥", 1), partial(_against, size, True, options))


def _against(size: Size, causal: bool, options: Options) -> Measured:
    torch = required("torch")
    torch.set_num_threads(cores())
    keys, cues = drawn(size)
    memory, mask = memory_of(keys), "causal" if causal else None
    own, stored = (torch.from_numpy(array)[None, None] for array in (cues, keys))

    def attended() -> Any:
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(own, stored, stored, is_causal=causal)

    works = {"PyTorch": attended, "hopattn": lambda: memory.step(cues, mask=mask)}
    agree(memory.step(cues, mask=mask), attended()[0, 0])
    return ratio(interleaved(works, options), "PyTorch", "hopattn")


def _mean(work: str, steps: list[Row]) -> Row:
    found = [row.measured for row in steps if row.measured is not None]
    if len(found) < len(steps):
        return Row(work, str(Target("≥", 1.3)), "skipped", note="a size is missing")
    value, low, high = (
        math.prod(numbers) ** (1 / len(found))
        for numbers in zip(*((one.value, one.low, one.high) for one in found), strict=True)
    )
    return attempted(work, Target("≥", 1.3), lambda: Measured(value, low, high))
