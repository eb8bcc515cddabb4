"""What follows from what in a text on attention or on a Hopfield network: each formula in the forms of courses."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from hopattn import learning
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import cosine

Formula = Callable[..., np.ndarray]
softmax: Formula = separations.make("softmax").weights
"""The weights of each row of scores, `(rows, keys)`."""


class Rule(NamedTuple):
    """A quantity that follows from others.

    convention: what the readings differ in; two of one convention are never mixed in a chain. readings: the formulas,
    each by its name; the first is preferred where several agree alike.
    """

    result: str
    inputs: tuple[str, ...]
    convention: str
    readings: Mapping[str, Formula]


def causal(scores: np.ndarray) -> np.ndarray:
    """Square scores with −∞ for the words after each; raises ValueError for others."""
    if scores.shape[0] != scores.shape[1]:
        raise ValueError
    return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)


def scaled(scores: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Scores divided by √d, d the length of vectors, `(…, d)`."""
    return np.asarray(scores / float(vectors.shape[-1]) ** 0.5)


def _hebb(divisor: Callable[[np.ndarray], float], keeps_diagonal: bool) -> Formula:
    """Hebb's sum over patterns of ±1 or, as 2V − 1, of 0 and 1, divided."""

    def couplings(patterns: np.ndarray) -> np.ndarray:
        spins = patterns if np.any(patterns < 0) else 2 * patterns - 1
        if np.any(abs(spins) != 1):
            raise ValueError
        return np.asarray(learning.outer_products(spins, self_coupling=keeps_diagonal) / divisor(spins))

    return couplings


_DIVISORS: dict[str, Callable[[np.ndarray], float]] = {"": lambda p: 1.0, "1/N ": lambda p: p.shape[1], "1/P ": len}
_TIES: dict[str, Callable[[float, float], float]] = {
    "a field of 0 keeps the neuron": lambda old, low: old,
    "a field of 0 gives 1": lambda old, low: 1.0,
    "a field of 0 gives the lower value": lambda old, low: low,
}
TOGETHER = "all neurons together"


def _update(how: str, tie: Callable[[float, float], float], neuron: int = -1) -> Formula:
    """The state after all neurons are updated together, or one after the other until none changes, or one is alone."""

    def state(couplings: np.ndarray, states: np.ndarray) -> np.ndarray:
        low, size = 0.0 if np.any(states == 0) else -1.0, states.shape[1]
        if couplings.shape != (size, size) or not np.all((states == low) | (states == 1)) or neuron >= size:
            raise ValueError
        row: np.ndarray = states[-1].copy()
        for _ in range(20 if how != TOGETHER and neuron < 0 else 1):
            before = row.copy()
            for i in range(size) if neuron < 0 else (neuron,):
                field = float(couplings[i] @ (before if how == TOGETHER else row))
                row[i] = tie(row[i], low) if abs(field) < 1e-9 else 1.0 if field > 0 else low
            if np.array_equal(before, row):
                break
        return row

    return state


def _energy(factor: float, keeps_diagonal: bool = True, sign: float = 0.0) -> Formula:
    """The energies of states of ±1, or of 0 and 1, as a column: factor · sᵀWs + sign · θᵀs."""

    def energies(couplings: np.ndarray, states: np.ndarray, *thresholds: np.ndarray) -> np.ndarray:
        if couplings.shape != (states.shape[1],) * 2 or np.any((abs(states) != 1) & (states != 0)):
            raise ValueError
        weights = couplings if keeps_diagonal else couplings - np.diag(np.diag(couplings))
        bias = states @ np.atleast_2d(thresholds[0])[0] if thresholds else 0.0
        return np.asarray(factor * np.sum(states @ weights * states, axis=1) + sign * bias)[:, None]

    return energies


# fmt: off
RULES = (
    *(Rule(name, ("X", f"W_{name}"), "matrices", {
        "X·W": lambda x, w: x @ w, "W x": lambda x, w: x @ w.T, "W·X": lambda x, w: w @ x}) for name in "QKV"),
    Rule("scores", ("Q", "K"), "scale", {"Q·Kᵀ": lambda q, k: q @ k.T, "Q·Kᵀ/√d": lambda q, k: scaled(q @ k.T, q)}),
    Rule("scores", ("scores", "K"), "scale", {"scores/√d": scaled}),
    Rule("scores", ("X",), "scale", {
        "X·Xᵀ": lambda x: x @ x.T, "X·Xᵀ/√d": lambda x: scaled(x @ x.T, x), "cosines": lambda x: cosine(x, x)}),
    Rule("weights", ("scores",), "mask", {"softmax": softmax, "causal softmax": lambda s: softmax(causal(s))}),
    *(Rule("weights", ("scores", name), "scale", {
        "softmax(scores/√d)": lambda s, k: softmax(scaled(s, k)),
        "causal softmax(scores/√d)": lambda s, k: softmax(causal(scaled(s, k)))}) for name in "KX"),
    Rule("output", ("weights", "V"), "values", {"A·V": lambda a, v: a @ v}),
    Rule("output", ("weights", "X"), "values", {"A·X": lambda a, x: a @ x}),
    Rule("couplings", ("patterns",), "hebb", {
        f"{name}Σ ξξᵀ{'' if keeps else ', diagonal 0'}": _hebb(divisor, keeps)
        for name, divisor in _DIVISORS.items() for keeps in (False, True)}),
    Rule("field", ("couplings", "state"), "field", {"W s": lambda w, s: s @ w.T}),
    Rule("state", ("couplings", "state"), "update", {
        **{f"{how}; {name}": _update(how, tie)
           for how in (TOGETHER, "neuron by neuron to the end") for name, tie in _TIES.items()},
        **{f"neuron {i + 1} alone": _update("", _TIES["a field of 0 keeps the neuron"], i) for i in range(12)}}),
    Rule("energy", ("couplings", "state", "thresholds"), "energy", {
        "−½ sᵀWs + θᵀs": _energy(-0.5, sign=1), "−sᵀWs + θᵀs": _energy(-1, sign=1),
        "−½ sᵀWs − θᵀs": _energy(-0.5, sign=-1), "−sᵀWs − θᵀs": _energy(-1, sign=-1)}),
    Rule("energy", ("couplings", "state"), "energy", {
        "−½ sᵀWs": _energy(-0.5), "−sᵀWs": _energy(-1), "−½ sᵀWs, diagonal 0": _energy(-0.5, keeps_diagonal=False)}),
)
# fmt: on
"""The rules; those of one result in the order in which they are tried."""
