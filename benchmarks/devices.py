"""PyTorch arrays: one softmax step compared with PyTorch's fused attention, and ten steps and a sink compared with one.

The rows are measured on the CPU, and on a GPU too where PyTorch has one.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import hopattn as ha
from benchmarks.machine import cores
from benchmarks.measuring import Measured, Options, Row, Skip, Target, import_or_skip, interleaved, measured_row, ratio
from benchmarks.plain import Size, random_arrays, require_close, size_label

SIZE: Size = (4096, 4096, 64)
STEPS = 10
BETA = {"float32": 0.19, "float64": 0.034}
"""The β for which the cues converge in `STEPS` steps, to the mean of all patterns."""
NO_GPU = "PyTorch has no GPU here"


def rows(options: Options) -> Iterator[Row]:
    """The ratios attention / step, recall of ten steps / step, and step with a sink / step, on each device."""
    for device in ("cpu", "cuda"):
        for dtype in ("float32", "float64"):
            setting = f"{size_label(SIZE)}, {dtype}, {device}"
            attention = f"PyTorch's attention / step of PyTorch arrays, {setting}"
            yield measured_row(attention, Target("≥", 0.95), partial(_step, device, dtype, options))
            recall = f"recall of {STEPS} steps / step of PyTorch arrays, {setting}"
            yield measured_row(recall, Target("≤", STEPS + 1), partial(_recall, device, dtype, options))
            sink = f"step with a sink / step of PyTorch arrays, {setting}"
            yield measured_row(
                sink, Target("≤", 1.1) if device == "cpu" else None, partial(_sink, device, dtype, options)
            )


def tensors(device: str, dtype: str) -> tuple[Any, Any, Any]:
    """PyTorch, and keys and cues on a device."""
    torch = import_or_skip("torch")
    if device == "cuda" and not torch.cuda.is_available():
        raise Skip(NO_GPU)
    torch.set_num_threads(cores())
    return torch, *(torch.from_numpy(array).to(device) for array in random_arrays(SIZE, dtype))


def to_the_end(torch: Any, device: str, work: Callable[[], Any]) -> Callable[[], Any]:
    """A work that lasts until the device has done it."""

    def whole() -> Any:
        result = work()
        if device == "cuda":
            torch.cuda.synchronize()
        return result

    return whole


def _step(device: str, dtype: str, options: Options) -> Measured:
    torch, keys, cues = tensors(device, dtype)
    memory, attend = ha.Memory(keys, beta=1 / math.sqrt(SIZE[2])), torch.nn.functional.scaled_dot_product_attention
    stored, own = keys[None, None], cues[None, None]
    works = {"PyTorch": lambda: attend(own, stored, stored), "hopattn": lambda: memory.step(cues)}
    require_close(memory.step(cues).cpu(), works["PyTorch"]()[0, 0].cpu())
    works = {name: to_the_end(torch, device, work) for name, work in works.items()}
    return ratio(interleaved(works, options), "PyTorch", "hopattn")


def _recall(device: str, dtype: str, options: Options) -> Measured:
    torch, keys, cues = tensors(device, dtype)
    memory, expected = ha.Memory(keys, beta=BETA[dtype]), cues
    recall = memory.recall(cues, max_steps=STEPS)
    if not (recall.converged.all() and (recall.steps == STEPS).any()):
        raise Skip(f"the last cues do not converge at step {STEPS}")
    for _ in range(STEPS):
        expected = memory.step(expected)
    require_close(recall.state.cpu(), expected.cpu())
    works = {"recall": lambda: memory.recall(cues, max_steps=STEPS), "step": lambda: memory.step(cues)}
    works = {name: to_the_end(torch, device, work) for name, work in works.items()}
    return ratio(interleaved(works, options), "recall", "step")


def _sink(device: str, dtype: str, options: Options) -> Measured:
    torch, keys, cues = tensors(device, dtype)
    plain, memory = (ha.Memory(keys, beta=1 / math.sqrt(SIZE[2]), sink=sink) for sink in (None, 0.0))
    require_close(memory.step(cues).cpu(), ((1 - memory.rest(cues))[:, None] * plain.step(cues)).cpu())
    works = {"with a sink": lambda: memory.step(cues), "without": lambda: plain.step(cues)}
    works = {name: to_the_end(torch, device, work) for name, work in works.items()}
    return ratio(interleaved(works, options), "with a sink", "without")
