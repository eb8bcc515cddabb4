"""The arithmetic of a recall, and for pictures the strip from each cue to its final state."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import counted, number
from hopattn.memories.kernels import LogSumRelu
from hopattn.memories.memory import Memory
from hopattn.networks.classical import Hopfield
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import added, dot, equals, vector, weighing, weighted_sum, written
from hopattn.scenario.explain.energy import explain_energy
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.words.character_pictures import Size, Strip, as_characters
from hopattn.scenario.words.word_list import Words

Arrays = Mapping[str, Labelled]

FRAMES = 10
"""The largest number of pictures in a strip; of a longer recall, the first pictures and the last."""

_ENDED = {
    Status.CONVERGED: "converged after",
    Status.CYCLE: "in a cycle of {} after",
    Status.LIMIT: "stopped after",
    Status.DIVERGED: "diverged after",
    Status.NOTHING_NEAR: "nothing near after",
    Status.ANSWERED: "answered after",
}


def strips(arrays: Arrays, words: Words, damage: Sequence[str]) -> Iterator[Strip]:
    """The strip of pictures of each cue.

    damage: for each cue the text of its damage, such as `A, 4 of 35 neurons flipped`, or an empty text.
    """
    size = words.size or Size(1, 1)
    for i, label in enumerate(arrays["input"].labels[0]):
        states = arrays["trajectory"].values[i] / words.black
        frames = _frames([as_characters(state, size) for state in states[: int(arrays["steps"].values[i]) + 1]])
        names = tuple(f"step {t}" if t else "cue" for t in frames)
        names = (*names[:-1], f"… {names[-1]}") if len(frames) == FRAMES else names  # steps before the last are skipped
        pictures = states[frames]
        if "answer" in arrays:
            names, pictures = (*names, "answer"), np.concatenate([pictures, arrays["answer"].values[i : i + 1]])
        heading = f"{label}: {damage[i]}" if damage[i] else label
        yield Strip(heading, size, names, pictures, _caption(arrays, i))


def _frames(pictures: Sequence[list[str]]) -> list[int]:
    """The steps that a strip shows: 0 for the cue, step 1, and every step that changes the picture.

    pictures: the characters of the picture after each step.
    """
    steps = [0, *(t for t in range(1, len(pictures)) if pictures[t] != pictures[t - 1] or t == 1)]
    return steps if len(steps) <= FRAMES else [*steps[: FRAMES - 1], steps[-1]]


def _caption(arrays: Arrays, i: int) -> str:
    """The end of the recall of cue i, in words."""
    steps, status = int(arrays["steps"].values[i]), Status(str(arrays["status"].values[i]))
    answers = f", and {arrays['answers'].values[i]} with it" if "answers" in arrays else ""
    ended = f"{_ENDED[status].format(arrays['period'].values[i])} {counted(steps, 'step')}"
    return f"recalls {arrays['recalls'].values[i]}{_spurious(arrays, i)}{answers}, {ended}"


def _spurious(arrays: Arrays, i: int) -> str:
    """The patterns that the spurious state of cue i is made of, in words; empty for another state."""
    of, kind = str(arrays["of"].values[i]), str(arrays["spurious"].values[i])
    return f" ({of} {'reversed' if kind == Spurious.REVERSED else 'mixed'})" if of else ""


def agreement(cue: np.ndarray, pattern: np.ndarray) -> str:
    """The dot product of two pictures; without shades, the pixels that agree minus those that differ.

    >>> agreement(np.array([1, -1, 0]), np.array([1, 1, 1]))
    '1 pixel agrees, 1 differs: 1 − 1 = 0'
    """
    products = cue * pattern
    total = float(products.sum())
    if np.isin(cue, (-1, 0, 1)).all() and np.isin(pattern, (-1, 0, 1)).all():
        same, other = int(np.sum(products > 0)), int(np.sum(products < 0))
        agree = "1 pixel agrees" if same == 1 else f"{same} pixels agree"
        return f"{agree}, {other} {'differs' if other == 1 else 'differ'}: {same} − {other} = {number(total)}"
    return f"sum of {len(products)} products {equals(total)} {number(total)}"


def _indented_picture(picture: np.ndarray, words: Words) -> Iterator[str]:
    """The lines of a picture, indented; none if the words are not pictures."""
    for row in as_characters(picture / words.black, words.size) if words.size is not None else ():
        yield f"    {row}"


def explain_recall(arrays: Arrays, memory: AssociativeMemory, table: MemoryTable, words: Words) -> Iterator[str]:
    """The arithmetic of the first step of each cue, then the end of its recall."""
    for i, label in enumerate(arrays["input"].labels[0]):
        yield f"{label}, the first step:"
        cue = arrays["input"].values[i]
        yield from _indented_picture(cue, words)
        if isinstance(memory, Memory) and "step 1 weights" in arrays:
            yield from _explain_weights(memory, cue, arrays, i, words)
        elif isinstance(memory, LogSumRelu):
            yield from _explain_range(memory, cue, table.recalled_words)
        else:
            yield from _explain_couplings(memory, cue, arrays["step 1 field"].values[i], table.recalled_words, words)
        update = table.update_rule(memory)
        activation = name_of(memory.activation)
        way = "" if isinstance(update, Synchronous) else f", {update.way},"
        if activation != "identity":
            verb = f"{activation}{way} gives"
        else:
            verb = f"the new state{way}".rstrip(",") if words.size else f"the new state{way} is"
        yield from _with_vector(f"  {verb}", arrays["step 1 output"].values[i], words)
        yield from _explained_end(arrays, i, words, memory)


def _explain_weights(memory: Memory, cue: np.ndarray, arrays: Arrays, i: int, words: Words) -> Iterator[str]:
    """The scores and weights of cue i, and the field of all neurons together."""
    names = arrays["step 1 scores"].labels[1]
    scores, weights = arrays["step 1 scores"].values[i], arrays["step 1 weights"].values[i]
    product = dot if words.size is None else agreement
    kind = name_of(memory.similarity)
    for name, pattern, score in zip(names, memory.keys, scores, strict=True):
        similarity = product(cue, pattern) if memory.similarity.linear else f"{kind} {number(score)}"
        yield f"  similarity to {name}: {similarity}"
    for line in weighing(memory.separation, scores, names):
        yield f"  {line}"
    field = weights @ memory.values
    numbers = (
        "" if words.size else f" {equals(field, added(written(weights) * np.asarray(memory.values).T))} {vector(field)}"
    )
    yield f"  field: {weighted_sum(weights, names)}{numbers}"


def _explain_range(memory: LogSumRelu, cue: np.ndarray, names: Sequence[str]) -> Iterator[str]:
    """The distance of a cue from each stored pattern, and the patterns of whose mean the step consists."""
    distances, near = -np.asarray(memory.similarity(cue, memory.patterns)), np.asarray(memory.weights(cue)) > 0
    reach = f"√(2/β) {equals(memory.radius)} {number(memory.radius)}"
    for name, distance, within in zip(names, distances, near, strict=True):
        place = "near: below" if within else "not near: not below"
        yield f"  distance to {name}: {number(distance)}, {place} {reach}"
    means = [name for name, within in zip(names, near, strict=True) if within]
    yield f"  the step leads to the mean of {' and '.join(means)}" if means else "  nothing is near: the state stays"


def _explain_couplings(
    memory: AssociativeMemory, cue: np.ndarray, field: np.ndarray, names: Sequence[str], words: Words
) -> Iterator[str]:
    """The similarity of a cue to each stored pattern, and its field under the couplings."""
    product = dot if words.size is None else agreement
    for name, pattern in zip(names, memory.patterns, strict=True):
        yield f"  similarity to {name}: {product(cue, pattern)}"
    by_hebb = _field_by_hebb(memory, cue, field, names) if isinstance(memory, Hopfield) else ""
    numbers = "" if words.size else f"{equals(field)} {vector(field)}" if by_hebb else vector(field)
    if by_hebb or numbers:
        yield f"  field of all neurons: {by_hebb}{' ' * bool(by_hebb and numbers)}{numbers}"
    if not memory.activation.discrete and not isinstance(memory, Hopfield):
        return
    against, idle = int(np.sum(field * cue < 0)), int(np.sum(field == 0))
    are = "is opposed to its" if against == 1 else "are opposed to their"
    yield f"  {len(field)} neurons: {against} {are} field, {idle} {'has' if idle == 1 else 'have'} zero field"


def _field_by_hebb(network: Hopfield, cue: np.ndarray, field: np.ndarray, names: Sequence[str]) -> str:
    """The field as a sum of the stored patterns, less each neuron's own value, with which it has no coupling.

    Empty for couplings that are not those of Hebb's rule, or keep their diagonal.
    """
    scores, (many, n) = network.patterns @ cue, network.patterns.shape
    if not np.allclose(field, (scores @ network.patterns - many * cue) / n):
        return ""
    return f"({weighted_sum(scores, names)} − {many}×cue)/{n}"


def _with_vector(before: str, values: np.ndarray, words: Words, after: str = "") -> Iterator[str]:
    """A sentence with a vector in it, or with a picture below it if the words are pictures."""
    if words.size is None:
        yield f"{before}: {vector(values)}{after}" if after else f"{before} {vector(values)}"
    else:
        yield f"{before}{after}:"
        yield from _indented_picture(values, words)


def _explained_end(arrays: Arrays, i: int, words: Words, memory: AssociativeMemory) -> Iterator[str]:
    status, steps = Status(str(arrays["status"].values[i])), int(arrays["steps"].values[i])
    after = f"  after {counted(steps, 'step')}"
    meaning = ", as asked" if (status, steps) == (Status.LIMIT, 1) else f"; {status.meaning}"
    if words.size and np.array_equal(arrays["state"].values[i], arrays["step 1 output"].values[i]):
        yield f"{after}{', the same picture' if steps > 1 else ''}{meaning}"
    else:
        yield from _with_vector(after, arrays["state"].values[i], words, meaning)
    if "energy" in arrays:
        shown = [number(value) for value in arrays["energy"].values[i][: steps + 1]]
        shown = shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]]
        yield f"  energy: {' → '.join(shown)}"
        for what, name, t in (("the cue", "input", 0), ("the last state", "state", steps)):
            energy = float(arrays["energy"].values[i][t])
            yield from (f"    {line}" for line in explain_energy(what, memory, arrays[name].values[i], energy))
    yield f"  recalls: {arrays['recalls'].values[i]}{_spurious(arrays, i)}"
    if "answers" in arrays:
        yield f"  answers: {arrays['answers'].values[i]}"
