"""What a person sees of a recall of pictures: the way from each cue to where it ended, and how pixels agree."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hopattn.dynamics.likeness import Spurious
from hopattn.dynamics.record import Status
from hopattn.dynamics.updates.base import Recallable
from hopattn.dynamics.updates.together import Synchronous
from hopattn.foundation.labelled import Labelled
from hopattn.foundation.registry import name_of
from hopattn.memories.memory import Memory
from hopattn.scenario.explain.arithmetic import dot, equals, number, vector, weighing, weighted_sum
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.words.character_pictures import Size, Strip, drawn
from hopattn.scenario.words.word_list import Words

Arrays = Mapping[str, Labelled]

FRAMES = 10
"""So many pictures are shown of a recall; of a longer one, the first and the last."""

_ENDED = {
    Status.CONVERGED: "converged after",
    Status.CYCLE: "in a cycle of two after",
    Status.LIMIT: "stopped after",
    Status.DIVERGED: "diverged after",
    Status.ANSWERED: "answered after",
}


def strips(arrays: Arrays, words: Words, told: Sequence[str]) -> Iterator[Strip]:
    """For each cue its way, picture by picture; told: for each cue what it is made of, or an empty text."""
    size = words.size or Size(1, 1)
    for i, label in enumerate(arrays["input"].labels[0]):
        way = arrays["trajectory"].values[i] / words.black
        chosen = _changes([drawn(picture, size) for picture in way[: int(arrays["steps"].values[i]) + 1]])
        names = tuple(f"step {t}" if t else "cue" for t in chosen)
        names = (*names[:-1], f"… {names[-1]}") if len(chosen) == FRAMES else names  # what lies between is not shown
        shown = way[chosen]
        if "answer" in arrays:
            names, shown = (*names, "answer"), np.concatenate([shown, arrays["answer"].values[i : i + 1]])
        yield Strip(f"{label}: {told[i]}" if told[i] else label, size, names, shown, _sentence(arrays, i))


def _changes(way: Sequence[list[str]]) -> list[int]:
    """The cue, the steps after which a picture looks another, and of too many the first and the last."""
    seen = [0, *(t for t in range(1, len(way)) if way[t] != way[t - 1] or t == 1)]
    return seen if len(seen) <= FRAMES else [*seen[: FRAMES - 1], seen[-1]]


def _sentence(arrays: Arrays, i: int) -> str:
    """What became of a cue, in words."""
    steps, status = int(arrays["steps"].values[i]), Status(str(arrays["status"].values[i]))
    told_of = _spurious(arrays, i)
    answers = f", and {arrays['answers'].values[i]} beside it" if "answers" in arrays else ""
    ended = f"{_ENDED[status]} {steps} step{'' if steps == 1 else 's'}"
    return f"recalls {arrays['recalls'].values[i]}{told_of}{answers}, {ended}"


def _spurious(arrays: Arrays, i: int) -> str:
    """What a spurious state is made of, in words."""
    of, kind = str(arrays["of"].values[i]), str(arrays["spurious"].values[i])
    return f" ({of} {'reversed' if kind == Spurious.REVERSED else 'mixed'})" if of else ""


def agreement(cue: np.ndarray, pattern: np.ndarray) -> str:
    """The dot product of two pictures: the pixels that agree less those that differ, where there are no shades.

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


def inset(picture: np.ndarray, words: Words) -> Iterator[str]:
    """A picture in the working, set in; nothing where the words are no pictures."""
    for row in drawn(picture / words.black, words.size) if words.size is not None else ():
        yield f"    {row}"


def explained(arrays: Arrays, memory: Recallable, table: MemoryTable, words: Words) -> Iterator[str]:
    """The working of a recall: of each cue the first step with its arithmetic, then how it ended."""
    for i, label in enumerate(arrays["input"].labels[0]):
        yield f"{label}, the first step:"
        cue = arrays["input"].values[i]
        yield from inset(cue, words)
        if isinstance(memory, Memory) and "step 1 weights" in arrays:
            yield from _weighed(memory, cue, arrays, i, words)
        else:
            yield from _coupled(memory, cue, arrays["step 1 field"].values[i], table.recalled_words, words)
        update = table.updated()
        made = name_of(memory.activation)
        way = f"{made} gives" if isinstance(update, Synchronous) else f"{made}, {update.way}, gives"
        yield from _told(f"  {way}", arrays["step 1 output"].values[i], words)
        yield from _explained_end(arrays, i, words)


def _weighed(memory: Memory, cue: np.ndarray, arrays: Arrays, i: int, words: Words) -> Iterator[str]:
    """From scores to weights and, all neurons together, to the field."""
    names = arrays["step 1 scores"].labels[1]
    scores, weights = (arrays[f"step 1 {what}"].values[i] for what in ("scores", "weights"))
    product = dot if words.size is None else agreement
    kind = name_of(memory.similarity)
    for name, pattern, score in zip(names, memory.keys, scores, strict=True):
        told = product(cue, pattern) if memory.similarity.linear else f"{kind} {number(score)}"
        yield f"  similarity to {name}: {told}"
    for line in weighing(memory.separation, scores, names):
        yield f"  {line}"
    field = weights @ memory.values
    numbers = "" if words.size else f" {equals(weights, field)} {vector(field)}"
    yield f"  field: {weighted_sum(weights, names)}{numbers}"


def _coupled(
    memory: Recallable, cue: np.ndarray, field: np.ndarray, names: Sequence[str], words: Words
) -> Iterator[str]:
    """How the cue overlaps with what is stored, and what field the couplings make of it."""
    product = dot if words.size is None else agreement
    for name, pattern in zip(names, memory.patterns, strict=True):
        yield f"  similarity to {name}: {product(cue, pattern)}"
    if words.size is None:
        yield f"  field of all neurons: {vector(field)}"
    against, idle = int(np.sum(field * cue < 0)), int(np.sum(field == 0))
    yield f"  of {len(field)} neurons, {against} stand against their field, and {idle} feel none"


def _told(before: str, values: np.ndarray, words: Words, after: str = "") -> Iterator[str]:
    """A sentence with a vector in it; of a picture, with the picture below it."""
    if words.size is None:
        yield f"{before}: {vector(values)}{after}" if after else f"{before} {vector(values)}"
    else:
        yield f"{before}{after}:"
        yield from inset(values, words)


def _explained_end(arrays: Arrays, i: int, words: Words) -> Iterator[str]:
    status, steps = Status(str(arrays["status"].values[i])), int(arrays["steps"].values[i])
    told = f"  after {steps} step{'' if steps == 1 else 's'}"
    yield from _told(told, arrays["state"].values[i], words, f"; {status.meaning}")
    if "energy" in arrays:
        shown = [number(value) for value in arrays["energy"].values[i][: steps + 1]]
        shown = shown if len(shown) <= 12 else [*shown[:10], "…", shown[-1]]
        yield f"  energy: {' → '.join(shown)}"
    yield f"  recalls: {arrays['recalls'].values[i]}{_spurious(arrays, i)}"
    if "answers" in arrays:
        yield f"  answers: {arrays['answers'].values[i]}"
