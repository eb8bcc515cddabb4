"""The words of a memory, from its vocabulary and its pictures."""

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
    """The words of a memory.

    axes: the names of a vector's elements. vectors: the vector `(dim,)` of each word. size: the size of the pictures;
    None if no word is a picture.
    """

    axes: tuple[str, ...]
    vectors: Mapping[str, np.ndarray]
    size: Size | None = None
    black: float = 1.0
    """The value of a black pixel; a white pixel has the opposite value."""


def picture_problems(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Iterator[Problem]:
    """The problems of the pictures. Further checks need their size, so these problems must be solved first."""
    if vocabulary is None and pictures is None:
        yield Problem((), "needs [vocabulary] or [pictures]: nothing says which words there are")
    if pictures is not None:
        yield from pictures.loaded.problems


def vocabulary_problems(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Iterator[Problem]:
    """The problems of the vocabulary, alone and together with the pictures; the pictures must have none."""
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


def combined_words(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Words:
    """The words of the vocabulary and of the pictures; both must be free of problems."""
    if pictures is None:
        return Words((), {}) if vocabulary is None else Words(tuple(vocabulary.axes), vocabulary.vectors)
    loaded = pictures.loaded
    size = loaded.size
    axes = tuple(f"row {i + 1}, column {j + 1}" for i in range(size.rows) for j in range(size.columns))
    if vocabulary is None:
        return Words(axes, loaded.words, size, loaded.black)
    return Words(tuple(vocabulary.axes), {**vocabulary.vectors, **loaded.words}, size, loaded.black)
