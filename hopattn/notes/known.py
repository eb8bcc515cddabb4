"""The numbers of a finished run by the names that a text calls them by."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.arrays import Name, Occurrence
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.result import Outcome
from hopattn.scenario.running import run
from hopattn.scenario.words.vocabulary import Vocabulary

VOCABULARY = "vocabulary"
"""The name under which the words' own vectors stand among the arrays."""
_WORDS_FOR = {
    "weights": r"\bweight|\battention\b|softmax|gewicht",
    "scores": r"\bscore|\blogit|similarit|ähnlichkeit",
    "state": r"\bstates?\b|\bresult|zustand|zustände",
    "output": r"\boutputs?\b|ausgabe",
    "queries": r"\bquery\b|\bqueries\b",
    VOCABULARY: r"\bvocabulary|\bvectors?\b|\bembedding|\baxes\b|vokabular|vektor",
}
"""What a text may call an array, as a regular expression; any array by its name."""


class Value(NamedTuple):
    """A number of a run. array: the name of its array. run: scenario and variant. room: how far it may be off."""

    number: float
    array: str
    run: str
    room: float = 0.0


@dataclass(frozen=True, eq=False)
class Known:
    """The numbers of one run.

    run: scenario and variant, as a text names them. arrays: those of numbers, the words' own vectors first. words: the
    vectors by word. outcomes: the verdicts on its expectations. rooms: how far the entries of a vector may be off.
    """

    run: str
    arrays: Mapping[str, Labelled]
    words: Mapping[str, np.ndarray]
    outcomes: Sequence[Outcome]
    rooms: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The words, and the labels of all rows and columns, that have a letter."""
        labels = {name for array in self.arrays.values() for row in array.labels for name in row}
        every = {*self.words, *labels, *(Occurrence.parse(name).word for name in labels)}
        return tuple(name for name in sorted(every) if re.search(r"[^\W\d]", name))

    def rows(self, name: str, arrays: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
        """The vectors of a word in arrays of two axes: those of its rows."""
        for key in arrays:
            array = self.arrays[key]
            if len(array.labels) == 2:
                yield from ((key, array.values[i]) for i in places(name, array.labels[0]))

    def entries(self, quantity: str, one: str, other: str) -> Iterator[Value]:
        """The entries of the arrays of a quantity from a word to another."""
        for key, array in self.arrays.items():
            if Name.parse(key).quantity == quantity and len(array.labels) == 2:
                for i in places(one, array.labels[0]):
                    yield from (Value(array.values[i, j], key, self.run) for j in places(other, array.labels[1]))

    def products(self, one: str, other: str, cosines: bool) -> Iterator[Value]:
        """The cosines, or the products, of a word's vectors with another word."""
        product = cosine if cosines else np.dot
        rooms = [
            max((self.rooms[key] for key in self.rooms if places(word, [key])), default=0.0) for word in (one, other)
        ]
        for to in [self.words[word] for word in self.words if places(other, (word,))]:
            for key, vector in self.rows(one, tuple(self.arrays)):
                if vector.shape == to.shape and Name.parse(key).quantity in (VOCABULARY, "state", "output"):
                    right = float(product(vector, to))
                    moved = [product(vector + step, to) for step in rooms[0] * np.eye(len(to))]
                    moved += [product(vector, to + step) for step in rooms[1] * np.eye(len(to))]
                    yield Value(right, key, self.run, float(np.sum(np.abs(np.array(moved) - right))))

    def measures(self) -> Iterator[tuple[str, float]]:
        """The numbers of the run that have a name of several words, and the computed numbers of its expectations."""
        for key, array in self.arrays.items():
            if array.values.ndim == 0 and " " in key:
                yield key, float(array.values)
        for outcome in self.outcomes:
            if " " in outcome.expectation and re.fullmatch(r"-?[\d.]+(e-?\d+)?", outcome.computed):
                yield outcome.expectation, float(outcome.computed)


def known(name: str) -> list[Known]:
    """The runs of a scenario: all of `bank`, one of `bank variant river`; raises `InvalidInput` if there is none."""
    place, _, variant = name.partition(" variant ")
    scenario = load_scenario(place.strip())
    if variant and variant not in scenario.runs:
        raise InvalidInput(f"{scenario.where}: variant {unknown(variant, filter(None, scenario.runs))}")
    result = run(scenario)
    return [
        Known(
            f"{result.name} variant {one.name}" if one.name else result.name,
            _arrays(scenario.runs[one.name], {name: one.table(name) for name in one.arrays}, one.arrays.words),
            one.arrays.words,
            [outcome for outcome in result.expectations if outcome.run == one.name],
        )
        for one in result.runs
        if not variant or one.name == variant
    ]


def _arrays(spec: Kind, arrays: Mapping[str, Labelled], words: Mapping[str, np.ndarray]) -> dict[str, Labelled]:
    """The arrays of numbers, the words' own vectors first: as they are, and as the file has them."""
    vocabulary, own = getattr(spec, VOCABULARY, None), dict[str, Labelled]()
    if isinstance(vocabulary, Vocabulary):
        axes = tuple(vocabulary.axes)
        for name, vectors in ((VOCABULARY, vocabulary.vectors), ("written vocabulary", vocabulary.words)):
            own[name] = Labelled(np.array([*vectors.values()], float), ("word", "axis"), (tuple(vectors), axes))
    elif len({vector.shape for vector in words.values()}) == 1:
        axes = tuple(map(str, range(1, len(next(iter(words.values()))) + 1)))
        own[VOCABULARY] = Labelled(np.stack([*words.values()]), ("word", "axis"), (tuple(words), axes))
    return own | {name: array for name, array in arrays.items() if array.values.dtype.kind in "fiu"}


def places(name: str, labels: Sequence[str]) -> list[int]:
    """The places of a name among labels: as it is, or as the word of a label such as `their#2`; case is left out."""
    wanted = " ".join(name.lower().split())
    lower = [label.lower() for label in labels]
    words = [Occurrence.parse(label).word for label in lower]
    return [i for i, one in enumerate(lower) if one == wanted] or [i for i, one in enumerate(words) if one == wanted]


def meant(near: Sequence[str], arrays: Sequence[str]) -> list[str]:
    """The arrays that the nearest of some texts names, by layer and head too if it does; none if no text names one.

    >>> meant(["the weights of layer 2", "the states"], ["layer 1 weights", "layer 2 weights", "layer 2 state"])
    ['layer 2 weights']
    """
    for text in near:
        whole = [name for name in arrays if " " in name and name in text.lower()]
        own = whole or [name for name in arrays if re.search(called(Name.parse(name).quantity), text, re.I)]
        for key in ("layer", "head"):
            number = re.search(rf"\b{key}s?\s+(\d+)", text, re.I)
            at = [name for name in own if number and str(getattr(Name.parse(name), key)) == number[1]]
            own = at or own
        if own:
            return own
    return []


def called(quantity: str) -> str:
    """The regular expression of what a text may call an array."""
    return _WORDS_FOR.get(quantity, rf"\b{re.escape(quantity.removesuffix('s'))}")
