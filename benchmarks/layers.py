"""Layers of PyTorch: one step beside fused attention, many beside a loop of whole matrices, and the memory of many.

The rows are measured on the CPU, and on a GPU too where PyTorch has one.
"""

import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import hopattn as ha
from benchmarks.devices import tensors, to_the_end
from benchmarks.measuring import Measured, Options, Row, Target, interleaved, measured_row, ratio
from benchmarks.plain import Size, require_close, size_label

SIZE: Size = (4096, 4096, 64)
MORE = 5
"""The number of steps after the first."""
AT_REST = 200


def rows(options: Options) -> Iterator[Row]:
    """The ratios attention / layer, with and without a gradient, loop / layer of six steps, and memory of 200 / 1."""
    for device in ("cpu", "cuda"):
        size = f"{size_label(SIZE)}, float32, {device}"
        for gradient in (False, True):
            work = f"PyTorch's attention / layer of one step{', with gradient' * gradient}, {size}"
            yield measured_row(work, Target("≥", 0.95), partial(_step, device, gradient, options))
        work = f"a loop that holds all weights / layer of {1 + MORE} steps, {size}"
        yield measured_row(work, Target("≥", 20) if device == "cpu" else None, partial(_steps, device, options))
        work = f"peak memory of {AT_REST} steps to a fixed point / of one, with gradient, 512 × 512 × 64, {device}"
        yield measured_row(work, Target("≤", 1.1), partial(_memory, device))


def peak_bytes(torch: Any, device: str, work: Callable[[], object]) -> int:
    """The most bytes that tensors take at once during a work, beyond those before it."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        work()
        return int(torch.cuda.max_memory_allocated() - before)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        work()
    most = held = 0
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            most = max(most, held)
    return most


def _step(device: str, gradient: bool, options: Options) -> Measured:
    torch, keys, cues = tensors(device, "float32")
    layer, attend = ha.torch.Hopfield(SIZE[2], maps=()), torch.nn.functional.scaled_dot_product_attention
    stored, query = (text[None].requires_grad_(gradient) for text in (keys, cues))

    def done(output: Any) -> Any:
        return torch.autograd.grad(output.sum(), (stored, query)) if gradient else output

    works = {
        "PyTorch": lambda: done(attend(query[:, None], stored[:, None], stored[:, None])),
        "layer": lambda: done(layer(query, stored)),
    }
    for ours, theirs in zip(works["layer"](), works["PyTorch"](), strict=True):
        require_close(ours.detach().cpu().squeeze(), theirs.detach().cpu().squeeze())
    works = {name: to_the_end(torch, device, work) for name, work in works.items()}
    return ratio(interleaved(works, options), "PyTorch", "layer")


def _steps(device: str, options: Options) -> Measured:
    torch, keys, cues = tensors(device, "float32")
    layer = ha.torch.Hopfield(SIZE[2], maps=(), steps=1 + MORE)

    def loop() -> Any:
        """The loop of hopfield-layers: the weights of each head are compared with those before while it moves."""
        active = torch.ones(1, 1, 1, dtype=torch.bool, device=device)
        q, k, weights = cues[None] / math.sqrt(SIZE[2]), keys[None], None
        for _ in range(1 + MORE):
            if weights is not None:
                moved = weights.masked_select(active).view(weights.shape) @ k / math.sqrt(SIZE[2])
                q = torch.masked_scatter(q, active, moved)
            scores, before = q @ k.mT, weights
            scores = scores - scores.amax(-1, keepdim=True)
            if before is None:
                weights = torch.softmax(scores, -1)
            else:
                again = torch.softmax(scores.masked_select(active).view(scores.shape), -1)
                weights = torch.masked_scatter(before, active, again)
                active = active & ((before - weights).norm(dim=(1, 2), keepdim=True) >= 0)
        return weights @ k

    with torch.no_grad():
        require_close(layer(cues, keys).cpu(), loop()[0].cpu())
        works = {"loop": to_the_end(torch, device, loop), "layer": to_the_end(torch, device, lambda: layer(cues, keys))}
        return ratio(interleaved(works, options), "loop", "layer")


def _memory(device: str) -> Measured:
    torch, keys, cues = tensors(device, "float32")
    keys, cues = keys[:512].requires_grad_(), cues[:512]

    def train(steps: int) -> None:
        layer = ha.torch.Hopfield(SIZE[2], maps=(), steps=None, tol=0.0, max_steps=steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one step does not come to rest
            torch.autograd.grad(layer(cues, keys).sum(), keys)

    train(1)
    one, many = (peak_bytes(torch, device, partial(train, steps)) for steps in (1, AT_REST))
    note = f"one {one / 2**20:.1f} MiB; {AT_REST} steps {many / 2**20:.1f} MiB"
    return Measured(many / one, many / one, many / one, note)
