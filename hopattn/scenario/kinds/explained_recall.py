"""The arithmetic of a recall and of its energy, and for pictures the strip from each cue to its final state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.memories.kernels import LogSumRelu
from hopattn.memories.memory import Memory
from hopattn.networks.classical import Coupled, Hopfield
from hopattn.retrieval.separation.base import Separation, with_sink
from hopattn.scenario.arithmetic import (
    LINES,
    MANY,
    dot,
    equals,
    factor,
    vector,
    weighing,
    weighted_sum,
    written,
)
from hopattn.scenario.arrays import Arrays, behind, labels
from hopattn.scenario.kinds.explained_turns import Flow, synchronous_fields
from hopattn.scenario.kinds.models import MemoryTable
from hopattn.scenario.result import named, recalled
from hopattn.scenario.words.pictures import Size, Strip, Words, as_characters, small

UNKNOWN = "unknown"
"""The array that says of a cue of 0 and 1, for neurons of ±1, how many of them are unknown."""
FRAMES = 10
"""The largest number of pictures in a strip; of a longer recall, the first pictures and the last."""
_ENDED = {
    Status.CONVERGED: "converged {1}",
    Status.CYCLE: "in a cycle of {0} {1}",
    Status.LIMIT: "stopped {1}",
    Status.DIVERGED: "diverged {1}",
    Status.NOTHING_NEAR: "nothing near {1}",
    Status.ANSWERED: "answered {1}",
}
"""How a recall ended, in words: {0} is the length of its cycle, {1} tells after how many steps."""


def strips(arrays: Arrays, words: Words, damage: Sequence[str]) -> Iterator[Strip]:
    """The strip of pictures of each cue.

    damage: for each cue the text of its damage, such as `A, 4 of 35 neurons flipped`, or an empty text.
    """
    size = words.size or Size(1, 1)
    for i, label in enumerate(arrays["input"].labels[0]):
        own = of_cue(arrays, i)
        steps, states = int(own["steps"]), own["trajectory"] / words.black
        shown = [as_characters(state, size) for state in states[: steps + 1]]
        frames = [t for t in range(len(shown)) if t < 2 or shown[t] != shown[t - 1]]
        frames = frames if len(frames) <= FRAMES else [*frames[: FRAMES - 1], frames[-1]]
        names = tuple(say("step {}", t) if t else say("cue") for t in frames)
        names = (*names[:-1], f"… {names[-1]}") if len(frames) == FRAMES else names  # steps before the last are skipped
        pictures = states[frames]
        if "answer" in own and own["answer"].shape == states.shape[1:]:  # else the second side is no picture
            names, pictures = (*names, say("answer")), np.concatenate([pictures, own["answer"][None]])
        answers = say(", and {} with it", named(own["answers"])) if "answers" in own else ""
        ended = say(_ENDED[Status(str(own["status"]))], str(own["period"]), after(steps))
        caption = (
            say("recalls {}{}, {}", recalled(own["recalls"], own["of"], own["spurious"]), answers, ended)
            if "recalls" in own
            else ended
        )
        yield Strip(f"{label}: {damage[i]}" if damage[i] else label, size, names, pictures, caption)


def of_cue(arrays: Arrays, i: int) -> dict[str, Any]:
    """The values of every array for cue i."""
    cues = len(arrays["input"].values)
    return {name: one.values[i] for name, one in arrays.items() if one.dims[:1] == ("cue",) and len(one.values) == cues}


def after(steps: int) -> str:
    """When a recall ended."""
    return say("after {} step" if steps == 1 else "after {} steps", steps)


def agreement(cue: np.ndarray, pattern: np.ndarray) -> str:
    """The dot product of two pictures; without shades, the pixels that agree minus those that differ.

    >>> agreement(np.array([1, -1, 0]), np.array([1, 1, 1]))
    '1 pixel agrees, 1 differs: 1 − 1 = 0'
    """
    products = cue * pattern
    total = float(products.sum())
    if np.isin(cue, (-1, 0, 1)).all() and np.isin(pattern, (-1, 0, 1)).all():
        same, other = int(np.sum(products > 0)), int(np.sum(products < 0))
        agree = say("{} pixel agrees" if same == 1 else "{} pixels agree", str(same))
        differ = say("{} differs" if other == 1 else "{} differ", str(other))
        return f"{agree}, {differ}: {same} − {other} = {number(total)}"
    return say("sum of {} products {} {}", str(len(products)), equals(total), number(total))


def explain_recall(
    arrays: Arrays, memory: AssociativeMemory, table: MemoryTable, words: Words, flow: Flow | None
) -> Iterator[str]:
    """The arithmetic of the first step of each cue, then the end of its recall.

    flow: that of an asynchronous recall, of which every step is worked out, neuron by neuron.
    """
    product = dot if words.size is None else agreement
    update, activation = table.update_rule(memory), name_of(memory.activation)
    way = [] if isinstance(update, Synchronous) else [say(update.way)]
    verb = say("{}, {}, gives" if way else "{} gives", activation, *way)
    if activation == "identity" and words.size:
        verb = say("the new state, {}" if way else "the new state", *way)
    elif activation == "identity":
        verb = say("the new state, {}, is" if way else "the new state is", *way)
    for i, label in enumerate(arrays["input"].labels[0]):
        own = of_cue(arrays, i)
        yield say("{}, the first step:", label)
        yield from _with_picture(None, own["input"], words)
        if UNKNOWN in arrays and label in arrays[UNKNOWN].labels[0]:
            yield f"  {table.unknown(own['input'])}"
        if isinstance(memory, LogSumRelu):
            yield from _explain_range(memory, own["input"], behind("pattern", table.recalled_words))
        elif isinstance(memory, Memory) and "step 1 weights" in own:
            names = behind("pattern", labels(table.patterns))
            scores, weights = own["step 1 scores"], own["step 1 weights"]
            for name, pattern, score in zip(names, memory.keys, scores, strict=True):
                other = f"{name_of(memory.similarity)} {number(score)}"
                alike = product(own["input"], pattern) if memory.similarity.linear else other
                yield "  " + say("similarity to {}: {}", name, alike)
            yield from (f"  {line}" for line in weighing(memory.separation, scores, names))
            yield "  " + say("field: {}", weighted_sum(weights, names, None if words.size else memory.values))
        else:
            names = behind("pattern", table.recalled_words)
            for name, pattern in zip(names, memory.patterns, strict=True):
                yield "  " + say("similarity to {}: {}", name, product(own["input"], pattern))
            yield from _explain_couplings(memory, own["input"], own["step 1 field"], names, words)
            if isinstance(update, Synchronous):
                if isinstance(memory, Coupled) and words.size is None:
                    step = (own[f"step 1 {name}"] for name in ("field", "output"))
                    yield from (f"    {line}" for line in synchronous_fields(memory, own["input"], *step))
                yield from _explain_opposed(memory, update, own["input"], own["step 1 field"])
        if flow is not None:
            yield from flow.sweep(i, 0)
        yield from _with_picture(f"  {verb}", own["step 1 output"], words)
        if flow is not None:
            yield from flow.further_sweeps(i, int(own["steps"]))
        yield from _explain_end(own, words, memory)


def _explain_range(memory: LogSumRelu, cue: np.ndarray, names: Sequence[str]) -> Iterator[str]:
    """The distance of a cue from each stored pattern, and the patterns of whose mean the step consists."""
    distances, near = -np.asarray(memory.similarity(cue, memory.patterns)), np.asarray(memory.weights(cue)) > 0
    reach = f"√(2/β) {equals(memory.radius)} {number(memory.radius)}"
    for name, distance, within in zip(names, distances, near, strict=True):
        place = "near: below" if within else "not near: not below"
        yield "  " + say(f"distance to {{}}: {{}}, {place} {{}}", name, number(distance), reach)
    means = [name for name, within in zip(names, near, strict=True) if within]
    if means:
        yield "  " + say("the step leads to the mean of {}", say(" and ").join(means))
    else:
        yield "  " + say("nothing is near: the state stays")


def _explain_couplings(
    memory: AssociativeMemory, cue: np.ndarray, field: np.ndarray, names: Sequence[str], words: Words
) -> Iterator[str]:
    """The field of a cue under the couplings.

    By Hebb's rule, it is a sum of the stored patterns less each neuron's own value, with which it has no coupling.
    """
    by_hebb = ""
    if isinstance(memory, Hopfield):
        scores, (many, n) = memory.patterns @ cue, memory.patterns.shape
        if np.allclose(field, (scores @ memory.patterns - many * cue) / n):  # else another rule, or with its diagonal
            by_hebb = say("({} − {}×cue)/{}", weighted_sum(scores, names), str(many), str(n))
    numbers = "" if words.size else f"{equals(field)} {vector(field)}" if by_hebb else vector(field)
    if by_hebb or numbers:
        yield "  " + say("field of all neurons: {}", " ".join(filter(None, (by_hebb, numbers))))


def _explain_opposed(
    memory: AssociativeMemory, update: Synchronous, cue: np.ndarray, field: np.ndarray
) -> Iterator[str]:
    """How many neurons a synchronous step turns."""
    if memory.activation.discrete or isinstance(memory, Hopfield):
        against, idle = int(np.sum(field * cue < 0)), int(np.sum(field == 0))
        up = ", which gives 1" if update.ties == "up" else ""
        opposed = say("{} is opposed to its field" if against == 1 else "{} are opposed to their field", str(against))
        zero = say(f"{{}} {'has' if idle == 1 else 'have'} zero field{up}", str(idle))
        yield "  " + say("{} neurons: {}, {}", str(len(field)), opposed, zero)


def _with_picture(before: str | None, values: np.ndarray, words: Words, after: str = "") -> Iterator[str]:
    """A sentence with a vector in it, or with a picture below it if the words are pictures; None: only the picture."""
    if words.size is None:
        if before is not None:
            yield f"{before}: {vector(values)}{after}" if after else f"{before} {vector(values)}"
        return
    picture, size, remark = small(values / words.black, words.size)
    if before is not None:
        yield f"{before}{after}{f' ({remark})' if remark else ''}:"
    for row in as_characters(picture, size):
        yield f"    {row}"


def _explain_end(own: Mapping[str, Any], words: Words, memory: AssociativeMemory) -> Iterator[str]:
    status, steps, state = Status(str(own["status"])), int(own["steps"]), own["state"]
    ended = f"  {after(steps)}"
    meaning = say(", as asked") if (status, steps) == (Status.LIMIT, 1) else f"; {say(status.meaning)}"
    if words.size and np.array_equal(state, own["step 1 output"]):
        yield f"{ended}{say(', the same picture') if steps > 1 else ''}{meaning}"
    else:
        yield from _with_picture(ended, state, words, meaning)
    if "energy" in own:
        shown = [number(value) for value in own["energy"][: steps + 1]]
        yield "  " + say("energy: {}", " → ".join(shown if len(shown) <= LINES else [*shown[:10], "…", shown[-1]]))
        for what, one, t in (("the cue", own["input"], 0), ("the last state", state, steps)):
            yield from (f"    {line}" for line in explain_energy(what, memory, one, float(own["energy"][t])))
    if "recalls" in own:
        yield "  " + say("recalls: {}", recalled(own["recalls"], own["of"], own["spurious"]))
    if "answers" in own:
        yield "  " + say("answers: {}", named(own["answers"]))


def explain_energy(what: str, memory: AssociativeMemory, state: np.ndarray, energy: float) -> Iterator[str]:
    """The energy of a state as a sum, E(x) = Φ*(x) − Ψ(K x) or Φ*(x) − ½ x·W x.

    A bias b gives −½ x·W x − b·x. Nothing where its terms are too many, or not of the forms that are written here.
    what: the name of the state. energy: as the recall gives it.
    """
    own = float(memory.activation.conjugate(state))
    if isinstance(memory, Hopfield):
        bias = np.asarray(memory.bias)
        biased, field = bool(np.any(bias)), memory.field(state) - bias
        total, shift = float(state @ field), float(bias @ state)
        text, second, by_hand = f"½×{factor(total)}", total / 2 + shift, float(written(total)) / 2
        yield say(f"x·{'W x' if biased else 'h'} of {what}: {{}}", dot(state, field))
        if biased:
            text, by_hand = f"{text} − {factor(shift)}", by_hand + float(written(shift))
            yield say(f"b·x of {what}: {{}}", dot(bias, state))
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
    yield say(f"energy of {what}: {{}}", f"{left}{text}{middle} {last} {number(energy)}")


def _potential(separation: Separation, scores: np.ndarray) -> str:
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
