"""Friendly numbers: the rule that every drawn problem keeps.

A problem is friendly if its key can be written by hand: each answer is a decimal of at most three places or a fraction
with a denominator of at most 20, no line of the working is rounded, no neuron has a field of 0 (where more than one
number is asked), no two words are the same vector, and what the lesson says holds with a margin of at least .05.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

import numpy as np

from hopattn.foundation.writing import WRITTEN_AS_0, short_fraction
from hopattn.practice.problem import Grid
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Name
from hopattn.scenario.expectations.base import Verdict

MARGIN = 0.05
"""The least difference of two cosines that a lesson compares."""
_NUMBER = re.compile(r"(?<![\w.])−?(?:\d+/\d+|\d*\.?\d+)")
"""A number as `number` writes it."""
_ROUNDED = re.compile(r"≈|\.\d{4}|\d\.\d{3}\d|e-\d")
"""A sign of rounding in a line of arithmetic."""
_STAGES = {
    "couplings": "coupling from ",
    "scores": "similarity to ",
    "weights": r"weights \(|powers of e|\(?[\d.]+\)?\^|e\^|nothing to attend",
    "field": "field",
    "turns": r"neuron \d+|sweep",
    "output": "output|the new state|sign",
    "state": r"layer \d+, the|after \d|energy|x·h|recalls|answers",
}
"""The beginnings of the lines that lead to each quantity, in the order of the arithmetic."""
_ALONE = {
    "couplings": _STAGES["couplings"],
    "energy": r".*, the first step:|field|energy(?! of the last)|x·h of the cue",
}
"""The beginnings of the only lines that lead to a quantity."""
_QUOTIENT = re.compile(r"(−?\d+/\d+) = \1(?![\d/])")
"""A quotient that is written twice, as a fraction does not change when it is in lowest terms."""


def is_short(values: np.ndarray) -> bool:
    """Whether every number is a short decimal or a fraction of a small denominator."""
    return all(short_fraction(value) is not None for value in np.asarray(values, dtype=float).ravel().tolist())


def holds(verdicts: Iterable[Verdict]) -> bool:
    """Whether the lesson holds with its margin."""
    return all(verdict.met and verdict.margin >= MARGIN for verdict in verdicts)


def first_alike(words: Mapping[str, np.ndarray]) -> dict[str, str]:
    """For each word the first word of the same vector, to six decimals; most often the word itself."""
    first: dict[tuple[float, ...], str] = {}
    return {word: first.setdefault((*(vector.round(6) + 0.0).tolist(),), word) for word, vector in words.items()}


def without_zero_fields(arrays: Mapping[str, Labelled], words: Mapping[str, np.ndarray]) -> bool:
    """Whether no field of a neuron of −1 and 1 is 0."""
    states = [*words.values()] or [array.values for name, array in arrays.items() if name == "input"]
    spins = all(set(np.unique(np.abs(values))) <= {1.0} for values in states)
    fields = [array.values for name, array in arrays.items() if Name.parse(name).quantity.endswith("field")]
    fields += [arrays["turns"].values[..., 0]] if "turns" in arrays else []  # each neuron in its turn
    return not (spins and any(np.any(np.abs(values) <= WRITTEN_AS_0) for values in fields))


def is_by_hand(working: Iterable[str]) -> bool:
    """Whether no line of the working is rounded."""
    return not any(_ROUNDED.search(line) for line in working)


def reduced(line: str) -> str:
    """A line of arithmetic in which a quotient in lowest terms stands once.

    >>> reduced("a 1/3 = 1/3, b 2/4 = .5")
    'a 1/3, b 2/4 = .5'
    """
    return _QUOTIENT.sub(r"\1", line)


def up_to_layer(working: Iterable[str], last: int) -> Iterator[str]:
    """The lines of the working up to a layer, without the same again as messages."""
    later = re.compile(rf"layer {last + 1},|layer .*, as messages:$")
    return takewhile(lambda line: not later.match(line), working)


def relevant(working: Sequence[str], words: Sequence[str], quantity: str) -> Iterator[str]:
    """The lines of the working that lead to a quantity of some words.

    Two spaces before a line are one level of depth. A line belongs to a word if it begins with it; where none does, all
    lines of this level are kept. quantity: "scores", "weights", "field", "energy", "output", or "" for the last one.

    >>> working = ["head:", "  in:", "    output: 0", "  banks:", "    weights (given): .6", "    output: 1"]
    >>> [*relevant(working, ["banks"], "weights")]
    ['head:', '  banks:', '    weights (given): .6']
    """
    blocks: list[list[str]] = []
    depth = min((_depth(line) for line in working), default=0)
    for line in working:
        if _depth(line) == depth or not blocks:
            blocks.append([line])
        else:
            blocks[-1].append(line)
    begins = tuple(f"{word}{end}" for word in words for end in (":", " →", ", the first step"))
    own = [block for block in blocks if block[0].strip().startswith(begins)]
    later = [*_STAGES.values()][[*_STAGES, quantity].index(quantity) + 1 :]
    if quantity in _ALONE:
        own, later = [block for block in own or blocks if re.match(_ALONE[quantity], block[0].strip())], []
    for first, *rest in own if quantity in _ALONE else own or blocks:
        if not any(re.match(stage, first.strip()) for stage in later):
            yield first
            yield from relevant(rest, words, quantity)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def numbers_in(parts: Iterable[str | Grid]) -> list[str]:
    """The numbers of sentences and tables, as texts."""
    texts = ([part] if isinstance(part, str) else [cell for row in part.cells for cell in row] for part in parts)
    return [number for own in texts for text in own for number in _NUMBER.findall(text)]
