"""One memory and one question: what it answers after one step, and at the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import MATCH
from hopattn.dynamics.ranking import ranked
from hopattn.experiments.comparison.contenders import Contender
from hopattn.experiments.comparison.problem import UNKNOWN, Question
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import normalised, row_length
from hopattn.memories.memory import Memory
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.weight_spread import entropy, least_number, shares_of
from hopattn.transformer.plain_attention import referees, rounding_bound

TIE = 1e-6
"""Cosines that differ by less are equal: fixed points are found up to ε^¾."""


@dataclass(frozen=True, eq=False)
class Answers:
    """How near answers are to what they should be, `(n_known,)` each, for the cues whose key is known.

    recalled: whether the answer is the value of that key: no other is nearer, and its cosine is at least `MATCH`.
    """

    recalled: np.ndarray
    cosine: np.ndarray


@dataclass(frozen=True, eq=False)
class Measured:
    """What became of each cue, `(n_cues,)` each.

    first, last: the answers after one step, and at the end. fall, distance and steps: of the cues that came to rest,
    from the cue to the fixed point; fall is None without an energy. least, seen, entropy: the least number of weights
    that hold nine tenths, among how many, and the entropy, of the cues that weigh anything; None where the weights are
    no shares. difference, bound:
    from the attention that is written apart, and what rounding explains; None where the memory is not attention.
    why: what is None, and why. named: where cues and keys have names, the cue, the key whose value its last answer is
    most like (with " = " between those that tie, "nothing" for none), and that cosine.
    """

    first: Answers
    last: Answers
    at_rest: np.ndarray
    steps: np.ndarray
    fall: np.ndarray | None
    distance: np.ndarray
    least: np.ndarray | None
    seen: np.ndarray
    entropy: np.ndarray | None
    difference: float | None
    bound: float | None
    referees: tuple[str, ...] = ()
    why: dict[str, str] = field(default_factory=dict)
    named: tuple[tuple[str, str, float], ...] = ()


def measure(contender: Contender, question: Question, beta: float, max_steps: int, rng: Any) -> Measured:
    """Ask a memory; raises `InvalidInput` where it cannot store these keys or take these cues."""
    with np.errstate(all="ignore"):  # a recall that grows without bound is reported as one
        memory = contender.build(question.keys, beta)
        reader = contender.reader and contender.reader(question.keys, question.values, beta)
        found = memory.recall(question.cues, update=contender.update, max_steps=max_steps, rng=rng, mask=question.mask)
        if question.itself:
            first, last = np.asarray(memory.step(question.cues, question.mask)), found.state
        else:
            first, last = (_read(contender, reader, question, states) for states in (question.cues, found.state))
        rest = found.converged
        why: dict[str, str] = {}
        if found.energies is None:
            why["energy_fall"] = memory.lacks_energy
        weights = _shares(reader, question, why)
        size = float(np.sqrt(np.mean(np.sum(question.values**2, axis=-1)))) or 1.0
        least = np.zeros(0) if weights is None else least_number(weights)
        weighing = np.flatnonzero(least)  # a row of zeros has no class and no entropy
        beside, names = _beside_attention(reader, memory, first, question, why)
        return Measured(
            _answers(first, question),
            _answers(last, question),
            rest,
            found.steps[rest],
            None if found.energies is None else (found.energies[:, 0] - found.energies[:, -1])[rest],
            row_length((last - first)[rest]) / size,
            None if weights is None else least[weighing],
            question.seen[weighing],
            None if weights is None else entropy(weights)[weighing],
            *beside,
            names,
            why,
            tuple(_named(last, question)),
        )


def _read(contender: Contender, reader: Memory | None, question: Question, states: np.ndarray) -> np.ndarray:
    """The values that states read out, `(n_cues, dim_out)`."""
    if reader is None:
        raise InvalidInput("it has no weights to read values out with")
    if contender.as_shares:
        return np.asarray(shares_of(reader.weights(states, question.mask)) @ question.values)
    return np.asarray(reader.step(states, question.mask))


def _shares(reader: Memory | None, question: Question, why: dict[str, str]) -> np.ndarray | None:
    """The weights of the keys at the cue, as shares, or None where they are not; `why` is told."""
    try:
        if reader is None:
            raise InvalidInput("it does not weigh the keys")
        return shares_of(reader.weights(question.cues, question.mask))
    except InvalidInput as error:
        why["operating_class"] = str(error)
        return None


def _answers(states: np.ndarray, question: Question) -> Answers:
    known = question.targets != UNKNOWN
    if not known.any():
        return Answers(np.zeros(0, dtype=bool), np.zeros(0))
    given, wanted = states[known], question.values[question.targets[known]]
    rank = ranked(given, question.values)
    same = np.all(question.values[rank.nearest] == wanted, axis=-1)  # a value may stand there more than once
    cosines = np.sum(normalised(given) * normalised(wanted), axis=-1)
    return Answers(same & (rank.largest >= MATCH), np.where(np.isfinite(cosines), cosines, 0.0))


def _named(states: np.ndarray, question: Question) -> Iterator[tuple[str, str, float]]:
    """Each cue by name, the keys whose values its answer is most like (several in a tie), and that cosine."""
    if question.cue_names:
        cosines = normalised(states) @ normalised(question.values).T
        for cue, row in zip(question.cue_names, np.where(np.isfinite(cosines), cosines, 0.0), strict=True):
            names = dict.fromkeys(question.key_names[i] for i in np.flatnonzero(row >= row.max() - TIE))
            yield cue, " = ".join(names) if row.max() > TIE else "nothing", float(row.max())


def _beside_attention(
    reader: Memory | None, memory: Any, first: np.ndarray, question: Question, why: dict[str, str]
) -> tuple[tuple[float | None, float | None], tuple[str, ...]]:
    """The largest difference of one step from each attention written apart, what rounding explains, and their names;
    None where the memory is not softmax attention, or its scores are beyond the numbers.
    """
    one = reader if isinstance(memory, Memory) else None
    soft = one is not None and type(one.separation) is Softmax and isinstance(one.similarity, Dot)
    if one is None or not soft or not isinstance(memory.activation, Identity):
        return (None, None), ()
    given = question.cues, question.keys, question.values, one.separation.beta
    found = referees(*given, question.mask)
    difference = float(np.max([np.max(np.abs(first - other.output)) for other in found]))
    bound = rounding_bound(*given)
    if not (np.isfinite(difference) and np.isfinite(bound)):
        why["difference"] = "the scores are beyond the numbers; use a smaller beta, or smaller vectors"
        return (None, None), ()
    return (difference, bound), tuple(other.name for other in found)
