"""The measurement of one memory on one problem: its answers after one step and at the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.likeness import MATCH, ranked
from hopattn.experiments.comparison.contenders import Contender, update_of
from hopattn.experiments.comparison.problem import UNKNOWN, RecallProblem
from hopattn.experiments.comparison.stored_numbers import stored_numbers
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import normalised, row_length
from hopattn.memories.memory import Memory
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.weight_spread import entropy, least_number, shares_of
from hopattn.transformer.plain_attention import referees, rounding_bound

TIE = 1e-6
"""Cosines that differ by less are a tie: fixed points are exact only up to ε^¾."""


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to the cues whose key is known, compared with the values of those keys, `(n_known,)` each.

    recalled: whether the value of the key is the nearest one, with a cosine of at least `MATCH`. cosine: of the answer
    with the value of the key.
    """

    recalled: np.ndarray
    cosine: np.ndarray


class Difference(NamedTuple):
    """The largest difference between one step and the independent attentions (the referees).

    bound: the largest difference that rounding explains. referees: the names of the libraries. largest and bound are
    None if the memory is not softmax attention, or if its scores are too large to compare.
    """

    largest: float | None = None
    bound: float | None = None
    referees: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """The result of one memory on one problem.

    first, last: the answers after one step and at the end. at_rest: `(n_cues,)`, whether a cue reached a fixed point.
    steps, fall, distance: for converged cues, the steps to the fixed point, the fall of the energy (None without an
    energy), and the distance from the answer after one step to the last one, in lengths of a value.
    least, visible, entropy: for the cues whose weights are not all 0, the least number of weights that hold nine
    tenths, the number of keys that may be attended to, and the entropy of the weights; least and entropy are None if
    the weights cannot be divided by their sum.
    difference: of one step from independent attention. parameters: the numbers that are stored, as `stored_numbers`
    counts them. entries: the numbers of all patterns that a cue may ask for.
    why: the reason for each number that is None, by the name of the number in a row. named: if cues and keys have
    names, for each cue its name, the key whose value its last answer is nearest to (ties are joined by " = ", "nothing"
    if there is none), and that cosine.
    """

    first: Answers
    last: Answers
    at_rest: np.ndarray
    steps: np.ndarray
    fall: np.ndarray | None
    distance: np.ndarray
    least: np.ndarray | None
    visible: np.ndarray
    entropy: np.ndarray | None
    difference: Difference
    parameters: int | None
    entries: int
    why: dict[str, str] = field(default_factory=dict)
    named: tuple[tuple[str, str, float], ...] = ()


def measure(contender: Contender, problem: RecallProblem, beta: float, max_steps: int, rng: Any) -> Measured:
    """The measurement of a memory; raises `InvalidInput` if it cannot store these keys or take these cues.

    max_steps: of the recall. rng: for the order in which an asynchronous update takes the neurons.
    """
    with np.errstate(all="ignore"):  # an overflow in a recall that diverges is reported in its status
        memory = contender.build(problem.keys, beta)
        reader = contender.reader and contender.reader(problem.keys, problem.values, beta)
        update = contender.update or update_of(memory)
        recall = memory.recall(problem.cues, update=update, max_steps=max_steps, rng=rng, mask=problem.mask)
        if problem.autoassociative:
            first, last = np.asarray(memory.step(problem.cues, problem.mask)), recall.state
        else:
            first, last = (_read_out(contender, reader, problem, states) for states in (problem.cues, recall.state))
        rest = recall.converged
        apart = not problem.autoassociative
        stores = [reader] if apart and isinstance(memory, Memory) else [memory, reader] if apart else [memory]
        why: dict[str, str] = {}
        if recall.energies is None:
            why["energy_fall"] = memory.lacks["energy"]
        weights = _normalised_weights(reader, problem, why)
        length = float(np.sqrt(np.mean(np.sum(problem.values**2, axis=-1)))) or 1.0
        least = np.zeros(0) if weights is None else least_number(weights)
        weighted = np.flatnonzero(least)  # a row of zeros has no operating class and no entropy
        return Measured(
            first=_answers(first, problem),
            last=_answers(last, problem),
            at_rest=rest,
            steps=recall.steps[rest],
            fall=None if recall.energies is None else (recall.energies[:, 0] - recall.energies[:, -1])[rest],
            distance=row_length((last - first)[rest]) / length,
            least=None if weights is None else least[weighted],
            visible=problem.visible[weighted],
            entropy=None if weights is None else entropy(weights)[weighted],
            difference=_difference_from_attention(reader, memory, first, problem, why),
            parameters=stored_numbers(*stores),
            entries=problem.values.size,
            why=why,
            named=tuple(_named(last, problem)),
        )


def _read_out(contender: Contender, reader: Memory | None, problem: RecallProblem, states: np.ndarray) -> np.ndarray:
    """The values that a memory reads out for states, `(n_cues, dim_out)`."""
    if reader is None:
        raise InvalidInput("it has no weights to read values out with")
    if contender.normalised:
        return np.asarray(shares_of(reader.weights(states, problem.mask)) @ problem.values)
    return np.asarray(reader.step(states, problem.mask))


def _normalised_weights(reader: Memory | None, problem: RecallProblem, why: dict[str, str]) -> np.ndarray | None:
    """The weights of the keys at the cues, divided by their sum; None if that cannot be, with the reason in `why`."""
    try:
        if reader is None:
            raise InvalidInput("it does not weigh the keys")
        return shares_of(reader.weights(problem.cues, problem.mask))
    except InvalidInput as error:
        why["operating_class"] = str(error)
        return None


def _answers(states: np.ndarray, problem: RecallProblem) -> Answers:
    """The comparison of the states with the values of the known keys."""
    known = problem.targets != UNKNOWN
    if not known.any():
        return Answers(np.zeros(0, dtype=bool), np.zeros(0))
    answers, wanted = states[known], problem.values[problem.targets[known]]
    rank = ranked(answers, problem.values)
    same = np.all(problem.values[rank.nearest] == wanted, axis=-1)  # several keys may have the same value
    cosines = np.sum(normalised(answers) * normalised(wanted), axis=-1)
    return Answers(same & (rank.largest >= MATCH), np.where(np.isfinite(cosines), cosines, 0.0))


def _named(states: np.ndarray, problem: RecallProblem) -> Iterator[tuple[str, str, float]]:
    """Each cue by name, the keys whose values its answer is nearest to (several in a tie), and that cosine."""
    if problem.cue_names:
        cosines = normalised(states) @ normalised(problem.values).T
        for cue, row in zip(problem.cue_names, np.where(np.isfinite(cosines), cosines, 0.0), strict=True):
            names = dict.fromkeys(problem.key_names[i] for i in np.flatnonzero(row >= row.max() - TIE))
            yield cue, " = ".join(names) if row.max() > TIE else "nothing", float(row.max())


def _difference_from_attention(
    reader: Memory | None, memory: Any, first: np.ndarray, problem: RecallProblem, why: dict[str, str]
) -> Difference:
    """The difference between the first answers `first` and the referees; if they cannot be compared, `why` says so."""
    if not isinstance(memory, Memory) or reader is None or not isinstance(memory.activation, Identity):
        return Difference()
    if type(reader.separation) is not Softmax or not isinstance(reader.similarity, Dot):
        return Difference()
    beta = reader.separation.beta
    results = referees(problem.cues, problem.keys, problem.values, beta, problem.mask)
    largest = float(np.max([np.max(np.abs(first - result.output)) for result in results]))
    bound = rounding_bound(problem.cues, problem.keys, problem.values, beta)
    if not (np.isfinite(largest) and np.isfinite(bound)):
        why["difference"] = "the scores are beyond the numbers; use a smaller beta, or smaller vectors"
        return Difference()
    if bound > np.abs(problem.values).max():
        why["difference"] = "rounding may exceed the values; use a smaller beta, or smaller vectors"
        return Difference()
    return Difference(largest, bound, tuple(result.name for result in results))
