"""Small calls compared with the same formulas written by hand: what checks, arrays of any library and records cost.

Each row times `CALLS` calls together, of 16 patterns of 64 neurons; every result is checked against the formula.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, import_or_skip, interleaved, measured_row, ratio
from benchmarks.plain import require_close
from hopattn.networks import Dense, Layer, Network

PATTERNS, DIM, WORDS, BETA, STEPS = 16, 64, 10, 1.2, 10
CALLS = 200
Works = tuple[Callable[[], Any], Callable[[], Any]]
"""A call of hopattn, and the same formula by hand."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios hopattn / by hand of a step, an energy, a recall, attention, and steps of a network of layers."""
    for name, measure in _WORKS.items():
        yield measured_row(f"{name} / by hand, {PATTERNS} × {DIM}", None, partial(_compared, measure, options))


def _compared(measure: Callable[[], Works], options: Options) -> Measured:
    hopattn, hand = measure()
    require_close(np.asarray(hopattn()), np.asarray(hand()))
    over, under = f"hopattn × {CALLS}", f"by hand × {CALLS}"
    works = {over: partial(_many, hopattn), under: partial(_many, hand)}
    return ratio(interleaved(works, options), over, under)


def _many(work: Callable[[], Any]) -> None:
    for _ in range(CALLS):
        work()


def _arrays() -> tuple[np.ndarray, np.ndarray]:
    """Patterns of unit length, `(16, 64)`, and a text `(10, 64)`."""
    rng = np.random.default_rng(0)
    return ha.unit(rng.standard_normal((PATTERNS, DIM))), rng.standard_normal((WORDS, DIM))


def softmax(scores: np.ndarray) -> np.ndarray:
    """The weights of scores `(…, n)`."""
    parts = np.exp(scores - scores.max()) if scores.ndim == 1 else np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(parts / (parts.sum() if scores.ndim == 1 else parts.sum(axis=-1, keepdims=True)))


def _step() -> Works:
    keys, text = _arrays()
    memory, cue = ha.Memory(keys, beta=BETA), text[0]
    return lambda: memory.step(cue), lambda: softmax(BETA * (keys @ cue)) @ keys


def _energy() -> Works:
    keys, text = _arrays()
    memory, cue = ha.Memory(keys, beta=BETA), text[0]

    def hand() -> Any:
        scores = BETA * (keys @ cue)
        top = scores.max()
        return 0.5 * cue @ cue - (top + np.log(np.exp(scores - top).sum())) / BETA

    return lambda: memory.energy(cue), hand


def _recall() -> Works:
    keys, text = _arrays()
    memory, cue = ha.Memory(keys, beta=BETA), text[0]

    def hand() -> Any:
        x = cue
        for _ in range(STEPS):
            scores = BETA * (keys @ x)
            top = scores.max()
            parts = np.exp(scores - top)
            energy = 0.5 * x @ x - (top + np.log(parts.sum())) / BETA
            y = parts / parts.sum() @ keys
            if np.abs(y - x).max() <= 0 or not math.isfinite(energy):
                break
            x = y
        return x

    return lambda: memory.recall(cue, tol=0, max_steps=STEPS).state, hand


def _attention() -> Works:
    _, text = _arrays()
    causal = np.tril(np.ones((WORDS, WORDS), bool))
    hand = lambda: softmax(np.where(causal, text @ text.T / DIM**0.5, -np.inf)) @ text  # noqa: E731
    return lambda: ha.attention(text, text, text, mask="causal"), hand


def _of_torch(steps: int) -> Works:
    torch = import_or_skip("torch")
    keys, text = map(torch.asarray, _arrays())
    memory, cue = ha.Memory(keys, beta=BETA), text[0]

    def hand() -> Any:
        x = cue
        for _ in range(steps):
            x = torch.softmax(BETA * (keys @ x), dim=-1) @ keys
        return x

    if steps == 1:
        return lambda: memory.step(cue), hand
    return lambda: memory.recall(cue, tol=0, max_steps=steps).state, hand


def _network(steps: int) -> Works:
    keys, text = _arrays()
    layers = Layer("v", DIM, "tanh", beta=2), Layer("h", PATTERNS, "softmax", beta=4)
    network = Network(layers, [Dense(keys).on("h", "v")])
    start = network.join({"v": np.tanh(text[0])})
    v, h = start[:DIM], start[DIM:]
    if steps == 1:
        both = lambda: np.concatenate([np.tanh(2 * (h @ keys)), softmax(4 * (keys @ v))])  # noqa: E731
        return lambda: network.step(start), both

    def hand() -> Any:
        visible, hidden = v, h
        for _ in range(steps):
            visible = np.tanh(2 * (hidden @ keys))
            hidden = softmax(4 * (keys @ visible))
        return np.concatenate([visible, hidden])

    return lambda: network.recall(start, tol=0, max_steps=steps).state, hand


_WORKS: dict[str, Callable[[], Works]] = {
    "step": _step,
    "energy": _energy,
    f"recall of {STEPS} steps": _recall,
    f"attention of {WORDS} words, causal,": _attention,
    "step of PyTorch arrays": partial(_of_torch, 1),
    f"recall of {STEPS} steps of PyTorch arrays": partial(_of_torch, STEPS),
    "step of a network of two layers": partial(_network, 1),
    f"recall of {STEPS} steps of a network of two layers": partial(_network, STEPS),
}
