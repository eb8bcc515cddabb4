"""The words of a memory: those of its vocabulary and its pictures, together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hopattn.foundation.errors import shortened
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.words.character_pictures import Size
from hopattn.scenario.words.pictures import Pictures
from hopattn.scenario.words.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Words:
    """Every word as a vector `(dim,)`, the names of its elements, and the size of a picture where there are any."""

    axes: tuple[str, ...]
    vectors: Mapping[str, np.ndarray]
    size: Size | None = None
    black: float = 1.0
    """The number of a black pixel; a white one is minus that."""


def picture_problems(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Iterator[Problem]:
    """What is wrong with the pictures; until they are right, nothing has a size."""
    if vocabulary is None and pictures is None:
        yield Problem((), "needs [vocabulary] or [pictures]: nothing says which words there are")
    if pictures is not None:
        yield from pictures.loaded.problems


def vocabulary_problems(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Iterator[Problem]:
    """What is wrong with the vocabulary, by itself and beside pictures that are right."""
    if vocabulary is None:
        return
    yield from vocabulary.problems()
    if pictures is not None:
        loaded = pictures.loaded
        if len(vocabulary.axes) != loaded.size.pixels:
            fit = f"do not fit the {loaded.size.pixels} pixels of the pictures ({loaded.size})"
            yield Problem(("vocabulary", "axes"), f"{len(vocabulary.axes)} axes {fit}")
        for name in vocabulary.words.keys() & loaded.words.keys():
            yield Problem(("vocabulary", "words", name), f"'{shortened(name)}' is a picture already")


def gathered(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Words:
    """The words of both; their problems have been looked for before."""
    if pictures is None:
        return Words((), {}) if vocabulary is None else Words(tuple(vocabulary.axes), vocabulary.vectors)
    loaded = pictures.loaded
    size = loaded.size
    axes = tuple(f"row {i + 1}, column {j + 1}" for i in range(size.rows) for j in range(size.columns))
    if vocabulary is None:
        return Words(axes, loaded.words, size, loaded.black)
    return Words(tuple(vocabulary.axes), {**vocabulary.vectors, **loaded.words}, size, loaded.black)
