"""One softmax step compared with PyTorch's fused attention, with NumPy alone and with compiled kernels.

PyTorch gets its own layout (batch, head, token, dim) and one thread per core.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.machine import architecture, cores
from benchmarks.measuring import (
    Measured,
    Options,
    Row,
    Target,
    geometric_mean,
    import_or_skip,
    interleaved,
    measured_row,
    ratio,
)
from benchmarks.plain import SIZES, Size, memory_of, random_arrays, require_close, size_label

EACH = {"float32": 0.85, "float64": 1.15}
MEAN = {"float32": 0.95, "float64": 1.15}
"""The least ratios with compiled kernels: at each size, and in the geometric mean."""
CAUSAL: tuple[tuple[Size, float], ...] = (((4096, 4096, 64), 1.0), ((4096, 4096, 384), 1.1))


def rows(options: Options) -> Iterator[Row]:
    """The time of PyTorch over ours for each size and dtype, the geometric mean, and the same with a causal mask."""
    setting = f"{options.setting.words} ({architecture()})"
    for dtype in EACH:
        target = Target("≥", EACH[dtype]) if options.setting.compiled else None
        steps = []
        for size in SIZES[::3] if options.quick else SIZES:
            work = f"PyTorch / step, {size_label(size)}, {dtype}, {setting}"
            steps.append(measured_row(work, target, partial(_against, size, dtype, False, options)))
            yield steps[-1]
        mean = Target("≥", MEAN[dtype]) if options.setting.compiled else None
        yield geometric_mean(f"PyTorch / step, mean of {len(steps)} sizes, {dtype}, {setting}", mean, steps)
    for size, least in CAUSAL:
        work = f"PyTorch / causal step, {size_label(size)}, float32, {setting}"
        target = Target("≥", least) if options.setting.compiled else None
        yield measured_row(work, target, partial(_against, size, "float32", True, options))


def _against(size: Size, dtype: str, causal: bool, options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.set_num_threads(cores())
    keys, cues = random_arrays(size, dtype)
    memory, mask = memory_of(keys), "causal" if causal else None
    own, stored = (torch.from_numpy(array)[None, None] for array in (cues, keys))

    def attended() -> Any:
        with torch.inference_mode():
            return torch.nn.functional.scaled_dot_product_attention(own, stored, stored, is_causal=causal)

    works = {"PyTorch": attended, "hopattn": lambda: memory.step(cues, mask=mask)}
    require_close(memory.step(cues, mask=mask), attended()[0, 0])
    return ratio(interleaved(works, options), "PyTorch", "hopattn")
