"""The measurement of one memory on one problem, and its averages over all trials."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import MATCH, errors, nearer, ranked
from hopattn.experiments.comparison.contenders import Contender, update_of
from hopattn.experiments.comparison.cost import AT_ONCE
from hopattn.experiments.comparison.problem import UNKNOWN, RecallProblem
from hopattn.experiments.comparison.row import Row
from hopattn.experiments.comparison.stored_numbers import stored_numbers
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.intervals import share_interval
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import normalised, row_length
from hopattn.memories.memory import Memory
from hopattn.results.dataset import plain
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation.entmax import Entmax, Normmax
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.weight_spread import FEWEST_KEYS, NO_CLASS, class_of, entropy, least_number, shares_of
from hopattn.transformer.plain_attention import referees, rounding_bound

WITH_BETA = (Softmax, Entmax, Normmax)
"""The separations whose weights depend on the size of the scores."""
TIE = 1e-6
"""Cosines that differ by less are a tie: fixed points are exact only up to ε^¾."""
AVERAGED = (
    *("recalled", "recalled_first", "cosine", "cosine_first", "cosine_cue"),
    *("error_first", "error_second", "error_rest", "nearer", "effective_beta"),
    *("at_rest", "steps", "energy_fall", "distance", "entropy", "effective_keys", "free_energy"),
)
"""The fields of a row that are means over cues."""
MEDIANS = {"median_first": "error_first", "median_rest": "error_rest"}
"""The fields of a row that are medians over cues, with the numbers whose medians they are."""


@dataclass(frozen=True, eq=False)
class Measured:
    """The result of one memory on one problem.

    numbers: by the name of the field of `Row` that they make, one for each cue that has one; `visible` are the keys
    that a cue with weights may attend to. A field that the memory lacks has no numbers, and `why` says the reason.
    beside: the largest difference of one step from the independent attentions `referees`, and the largest that rounding
    explains; empty if they were not compared. parameters, key_dim: as in `Row`. entries: the numbers of all
    patterns that a cue may ask for. named: as in `Row`.
    """

    numbers: Mapping[str, np.ndarray]
    beside: tuple[float, ...]
    referees: tuple[str, ...]
    parameters: int | None
    key_dim: int
    entries: int
    why: Mapping[str, str]
    named: tuple[tuple[str, str, float], ...]


def measure(contender: Contender, problem: RecallProblem, beta: float, max_steps: int, rng: Any) -> Measured:
    """The measurement of a memory; raises `InvalidInput` if it cannot store these keys or take these cues.

    max_steps: of the recall. rng: for the order in which an asynchronous update takes the neurons.
    """
    with np.errstate(all="ignore"):  # an overflow in a recall that diverges is reported in its status
        memory = contender.build(problem.keys, beta)
        reader = contender.reader(problem.keys, problem.values, beta)
        update = contender.update or update_of(memory)
        recall = memory.recall(problem.cues, update=update, max_steps=max_steps, rng=rng, mask=problem.mask)
        if problem.autoassociative:
            first, last, stores = np.asarray(memory.step(problem.cues, problem.mask)), recall.state, [memory]
            second = np.asarray(memory.step(first, problem.mask))
        else:
            after_one = np.asarray(memory.step(problem.cues, problem.mask))
            states = problem.cues, after_one, recall.state
            first, second, last = (_read_out(contender, reader, problem, one) for one in states)
            stores = [reader] if isinstance(memory, Memory) else [memory, reader]
        rest, energies = recall.converged, recall.energies
        why = {} if energies is not None else {"energy_fall": memory.why_not("energy")}
        falls = np.zeros((len(rest), 0)) if energies is None else (energies[0] - energies[-1])[:, None]
        weights = _of_weights(reader, lambda one: _shares(one, problem), "operating_class", why)
        free = _of_weights(reader, lambda one: one.free_energy(problem.cues, problem.mask).free, "free_energy", why)
        least = least_number(weights)
        entropies = entropy(weights)
        weighted = np.flatnonzero(least)  # a row of zeros has no operating class and no entropy
        beside, names = _beside_attention(reader, memory, first, problem, why)
        length = float(np.sqrt(np.mean(np.sum(problem.values**2, axis=-1)))) or 1.0
        return Measured(
            {
                **_answers(last, problem, ""),
                **_answers(first, problem, "_first"),
                **_errors(first, second, last, problem),
                "effective_beta": _effective_betas(reader, problem, why),
                "at_rest": rest,
                "steps": recall.steps[rest],
                "energy_fall": falls[rest].ravel(),
                "distance": row_length((last - first)[rest]) / length,
                "least_number": least[weighted],
                "visible": problem.visible[weighted],
                "entropy": entropies[weighted],
                "effective_keys": np.exp(entropies[weighted]),
                "free_energy": free.ravel(),
            },
            beside,
            names,
            stored_numbers(*stores),
            problem.keys.shape[1],
            problem.values.size,
            why,
            tuple(_named(last, problem)),
        )


def row_of(memory: str, where: str, point: Mapping[str, float], n_keys: int, trials: Sequence[Measured]) -> Row:
    """The row of a memory from its measurements, one for each trial."""
    numbers = {name: np.concatenate([trial.numbers[name] for trial in trials]) for name in trials[0].numbers}
    means: dict[str, Any] = {name: _mean(numbers[name]) for name in AVERAGED}
    medians: dict[str, Any] = {name: _mean(numbers[of], np.median) for name, of in MEDIANS.items()}
    shares = [trial.numbers["recalled"].mean() for trial in trials if trial.numbers["recalled"].size]
    low, high = plain(share_interval(shares)[1])
    notes = dict(item for trial in trials for item in trial.why.items())
    if not numbers["steps"].size:
        notes |= dict.fromkeys(("steps", "distance"), "no cue converged")
        notes.setdefault("energy_fall", "no cue converged")
    least, parameters, recalled = numbers["least_number"], trials[0].parameters, means["recalled"]
    has_class = bool((numbers["visible"] >= FEWEST_KEYS).any())
    if least.size and not has_class:
        notes["operating_class"] = NO_CLASS
    beside = np.array([trial.beside for trial in trials if trial.beside])
    difference, bound = beside.max(axis=0).tolist() if beside.size else (None, None)
    return Row(
        memory=memory,
        where=where,
        point=dict(point),
        n_keys=n_keys,
        n_cues=numbers["at_rest"].size,
        trials=len(trials),
        recalled_low=low,
        recalled_high=high,
        operating_class=str(class_of(least, numbers["visible"])) if has_class else None,
        least_number=float(np.median(least)) if least.size else None,
        difference=difference,
        bound=bound,
        key_dim=trials[0].key_dim,
        parameters=parameters,
        recalled_per_number=recalled * trials[0].entries / parameters if recalled is not None and parameters else None,
        notes=notes,
        named=trials[0].named,
        **means,
        **medians,
    )


def _mean(numbers: np.ndarray, of: Callable[[np.ndarray], Any] = np.mean) -> float | None:
    """The mean, or the median; None if there are no numbers, or if it overflows."""
    with np.errstate(all="ignore"):
        mean = float(of(numbers)) if numbers.size else np.nan
    return mean if np.isfinite(mean) else None


def _read_out(contender: Contender, reader: Memory | None, problem: RecallProblem, states: np.ndarray) -> np.ndarray:
    """The values that a memory reads out for states, `(n_cues, dim_out)`."""
    if reader is None:
        raise InvalidInput("it has no weights to read values out with")
    if contender.normalised:
        return np.asarray(shares_of(reader.weights(states, problem.mask)) @ problem.values)
    return np.asarray(reader.step(states, problem.mask))


def _of_weights(reader: Memory | None, compute: Callable[[Memory], Any], name: str, why: dict[str, str]) -> np.ndarray:
    """What is computed of the weights of the keys; no numbers if that cannot be, and then `why` has the reason."""
    try:
        if reader is None:
            raise InvalidInput("it does not weigh the keys")
        return np.asarray(compute(reader))
    except InvalidInput as error:
        why[name] = str(error)
        return np.zeros((0, 1))


def _shares(reader: Memory, problem: RecallProblem) -> np.ndarray:
    """The weights of the keys at the cues, divided by their sum.

    They are taken block by block of the cues: a distance holds differences `(cues, n_keys, dim)`.
    """
    rows = blocks(len(problem.cues), max(AT_ONCE // problem.keys.size, 1))
    masks = ((one, None if problem.mask is None else problem.mask[one]) for one in rows)
    return shares_of(np.concatenate([np.asarray(reader.weights(problem.cues[one], mask)) for one, mask in masks]))


def _answers(states: np.ndarray, problem: RecallProblem, ending: str) -> dict[str, np.ndarray]:
    """Whether each cue whose key is known is recalled, and the cosine with that key's value; ending: of their names."""
    known = problem.targets != UNKNOWN
    if not known.any():
        return {f"recalled{ending}": np.zeros(0, dtype=bool), f"cosine{ending}": np.zeros(0)}
    answers, wanted = states[known], problem.values[problem.targets[known]]
    rank = ranked(answers, problem.values)
    same = np.all(problem.values[rank.nearest] == wanted, axis=-1)  # several keys may have the same value
    cosines = np.sum(normalised(answers) * normalised(wanted), axis=-1)
    cosines = np.where(np.isfinite(cosines), cosines, 0.0)
    return {f"recalled{ending}": same & (rank.largest >= MATCH), f"cosine{ending}": cosines}


def _errors(first: np.ndarray, second: np.ndarray, last: np.ndarray, problem: RecallProblem) -> dict[str, np.ndarray]:
    """The errors of each cue whose key is known, after one step, two, and at the end; and its cosine with the key."""
    known = problem.targets != UNKNOWN
    keys, wanted = problem.keys[problem.targets[known]], problem.values[problem.targets[known]]
    one, two, end = (errors(states[known], wanted) for states in (first, second, last))
    cosines = np.sum(normalised(problem.cues[known]) * normalised(keys), axis=-1)
    return {
        "error_first": one,
        "error_second": two,
        "error_rest": end,
        "nearer": nearer(end, one),
        "cosine_cue": cosines,
    }


def _effective_betas(reader: Memory | None, problem: RecallProblem, why: dict[str, str]) -> np.ndarray:
    """β · |key| · |cue| of each cue, with the mean length of a key; of no cue if β has no effect, with the reason in
    `why`.
    """
    if reader is None or not isinstance(reader.similarity, Dot) or not isinstance(reader.separation, WITH_BETA):
        why["effective_beta"] = "only softmax, entmax and normmax of dot products have one"
        return np.zeros(0)
    return np.asarray(reader.separation.beta * np.mean(row_length(problem.keys)) * row_length(problem.cues))


def _named(states: np.ndarray, problem: RecallProblem) -> Iterator[tuple[str, str, float]]:
    """Each cue by name, the keys whose values its answer is nearest to (several in a tie), and that cosine."""
    if problem.cue_names:
        cosines = normalised(states) @ normalised(problem.values).T
        for cue, row in zip(problem.cue_names, np.where(np.isfinite(cosines), cosines, 0.0), strict=True):
            names = dict.fromkeys(problem.key_names[i] for i in np.flatnonzero(row >= row.max() - TIE))
            yield cue, " = ".join(names) if row.max() > TIE else "nothing", float(row.max())


def _beside_attention(
    reader: Memory | None, memory: Any, first: np.ndarray, problem: RecallProblem, why: dict[str, str]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """`beside` and `referees` of the first answers `first`; if they cannot be compared, `why` has the reason."""
    if not isinstance(memory, Memory) or reader is None or not isinstance(memory.activation, Identity):
        return (), ()
    if type(reader.separation) is not Softmax or not isinstance(reader.similarity, Dot):
        return (), ()
    beta = reader.separation.beta
    results = referees(problem.cues, problem.keys, problem.values, beta, problem.mask)
    largest = float(np.max([np.max(np.abs(first - result.output)) for result in results]))
    bound = rounding_bound(problem.cues, problem.keys, problem.values, beta)
    if not (np.isfinite(largest) and np.isfinite(bound)):
        why["difference"] = "the scores are beyond the numbers; use a smaller beta, or smaller vectors"
        return (), ()
    if bound > np.abs(problem.values).max():
        why["difference"] = "rounding may exceed the values; use a smaller beta, or smaller vectors"
        return (), ()
    return (largest, bound), tuple(result.name for result in results)
