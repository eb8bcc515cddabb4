"""The arithmetic of the energy of one state: E(x) = Φ*(x) − Ψ(K x), or Φ*(x) − ½ x·W x, term by term."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import number
from hopattn.memories.memory import Memory
from hopattn.networks.classical import Hopfield
from hopattn.retrieval.separation.base import Separation, with_sink
from hopattn.scenario.explain.arithmetic import MANY, dot, equals, factor, written


def explain_energy(what: str, memory: AssociativeMemory, state: np.ndarray, energy: float) -> Iterator[str]:
    """The energy of a state as a sum; nothing where its terms are too many, or not of the forms that are written here.

    what: the name of the state. energy: as the recall gives it.
    """
    own = float(memory.activation.conjugate(state))
    if isinstance(memory, Hopfield):
        field = memory.field(state) + memory.bias  # x·(W x + 2b) holds the bias as often as E does
        total = float(state @ field)
        text, second, by_hand = f"½×{factor(total)}", total / 2, float(written(total)) / 2
        yield f"x·h of {what}: {dot(state, field)}"
    elif isinstance(memory, Memory) and len(memory.keys) <= MANY:
        scores = np.asarray(memory.scores(state))
        text, second = _potential(memory.separation, scores), float(memory.separation.potential(scores))
        rounded = replace(memory.separation, beta=float(written(memory.separation.beta)))
        if rounded.sink is not None:
            rounded = with_sink(rounded, float(written(rounded.sink)))
        by_hand = float(rounded.potential(written(scores)))  # of the numbers as they are written
    else:
        return
    if not text or not np.isclose(own - second, energy, rtol=1e-9, atol=1e-9):
        return
    length = float(state @ state)
    half = name_of(memory.activation) == "identity"
    left = f"½×{number(length)} − " if half else f"{number(own)} − " if own else "−"
    sign = equals([own, second], [written(length) / 2 if half else own, by_hand])
    middle = f" {sign} {number(own)} − {factor(second)}" if own else ""
    last = equals(energy, written(own) - (written(second) if own else by_hand))
    yield f"energy of {what}: {left}{text}{middle} {last} {number(energy)}"


def _potential(separation: Separation, scores: Sequence[float] | np.ndarray) -> str:
    """Ψ(s) of a few scores as a formula; empty for a separation whose potential is not a sum over the scores."""
    kind, beta = name_of(separation), separation.beta
    times = "" if beta == 1 else f"{number(beta)}×"
    if kind == "identity":
        return f"½×{times}({' + '.join(f'{factor(score)}²' for score in scores)})"
    if kind == "softmax":
        powers = [f"e^({times}{factor(score)})" if times else f"e^{factor(score)}" for score in scores]
        powers += [] if separation.sink is None else [f"e^{factor(separation.sink)}"]
        return f"log({' + '.join(powers)})" + (f"/{number(beta)}" if times else "")
    if kind in ("power", "rectified_power"):
        n = separation.n  # type: ignore[attr-defined]
        opening, closing = ("[", "]₊") if kind == "rectified_power" else ("(", ")")
        powers = [f"{opening}{times}{number(score)}{closing}^{n}" for score in scores]
        return f"({' + '.join(powers)})/{f'({n}×{number(beta)})' if times else n}"
    return ""
