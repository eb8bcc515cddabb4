"""Words as vectors: the vocabulary, the named parts of a vector, and the encoding of a text."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import quoted, shortened, unknown
from hopattn.foundation.vectors import normalised
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import ByTomlType, Count, Problem, Table, Text, Vector
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.positions import POSITION, Positions

UNIT_TOLERANCE = 1e-6
"""The tolerance for the magnitude of a unit vector, which allows for numbers written with seven digits."""

WORD, VOCABULARY = "word", "vocabulary"

DEFAULT_SPACES = {WORD: VOCABULARY}
"""The parts of a vector in a file without [spaces]: the word alone, on the axes of the vocabulary."""


class Vocabulary(Table):
    """Words as vectors on named axes."""

    axes: Annotated[list[Text], Field(min_length=1)]
    """The names of the vectors' elements, in their order."""
    magnitude: Literal["unit", "normalise", "free"] = "unit"
    """"unit" checks that every vector has length 1, "normalise" scales it to length 1, "free" leaves it as it is."""
    words: Annotated[dict[str, Vector], Field(min_length=1)]
    """Each word and its vector."""

    def problems(self) -> Iterator[Problem]:
        """The problems of the vocabulary: repeated axes, and vectors that do not fit the axes or the magnitude."""
        yield from duplicate_problems(self.axes, ("vocabulary", "axes"))
        yield from self.vector_problems(self.words, ("vocabulary", "words"))

    def vector_problems(self, vectors: Mapping[str, Sequence[float]], path: Path) -> Iterator[Problem]:
        """One problem for each vector with the wrong number of elements or the wrong magnitude."""
        for name, vector in vectors.items():
            magnitude = math.hypot(*vector)
            if len(vector) != len(self.axes):
                fit = f"do not fit the {len(self.axes)} axes ({', '.join(self.axes[:8])})"
                yield Problem((*path, name), f"{len(vector)} numbers {fit}{comma_hint(vector, len(self.axes))}")
            elif self.magnitude == "unit" and not abs(magnitude - 1) <= UNIT_TOLERANCE:
                advice = 'write it with more digits, or set magnitude = "normalise" or "free"'
                yield Problem((*path, name), f"has magnitude {magnitude:.6g}; expected 1 ({advice})")
            elif self.magnitude == "normalise" and magnitude == 0:
                yield Problem((*path, name), "is zero and cannot be normalised")

    @cached_property
    def vectors(self) -> dict[str, np.ndarray]:
        """The vector `(dim,)` of each word, scaled to unit magnitude if `magnitude` is "normalise"."""
        return self.scaled(self.words)

    def scaled(self, vectors: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
        """Vectors by name as arrays, scaled to unit magnitude if `magnitude` is "normalise"."""
        free = {name: np.array(vector, dtype=float) for name, vector in vectors.items()}
        return {name: normalised(vector) for name, vector in free.items()} if self.magnitude == "normalise" else free


class RandomWords(Table):
    """A space of random words: new random unit vectors for every sequence, so that no word occurs in two sequences."""

    random: Count
    """The number of elements of each vector."""


Space = Annotated[
    Annotated[list[Text], Field(min_length=1), Tag("array")]
    | Annotated[Text, Tag("text")]
    | Annotated[RandomWords, Tag("table")],
    ByTomlType,
]


@dataclass(frozen=True, eq=False)
class Encoding:
    """The encoding of tokens as vectors.

    parts: the slice of a vector that each named part takes. axes: the names of a vector's elements. words: the vector
    of each word. positions: None if the vectors have no positions.
    """

    parts: Mapping[str, slice]
    axes: tuple[str, ...]
    words: Mapping[str, np.ndarray]
    positions: Positions | None = None

    @property
    def dim(self) -> int:
        """The number of elements of a vector, with all parts."""
        return len(self.axes)

    def size(self, part: str | None) -> int:
        """The number of elements of a named part; of the whole vector for None."""
        return self.dim if part is None else self.parts[part].stop - self.parts[part].start

    def word_part_problems(self, part: str, path: Path) -> Iterator[Problem]:
        """A part that there is not, or that cannot be compared with words."""
        if part not in self.parts:
            yield Problem(path, unknown(part, self.parts))
        elif self.size(part) != self.size(WORD):
            yield Problem(path, f"the part '{shortened(part)}' has not as many elements as a word")

    @property
    def joined(self) -> str:
        """The setting of the file by which positions join the words, for messages."""
        return f'how = "{self.positions.how}"' if self.positions is not None else "nothing"

    def encode(self, tokens: Sequence[str]) -> np.ndarray:
        """The vectors of a text, `(n_tokens, dim)`, with word and position in their parts; the other parts are 0."""
        vectors = np.zeros((len(tokens), self.dim))
        vectors[:, self.parts[WORD]] = [self.words[token] for token in tokens]
        if self.positions is not None:
            if self.positions.how == "concatenate":
                vectors[:, self.parts[POSITION]] = self.positions.vectors(len(tokens), self.position_dim)
            else:
                vectors[:, self.parts[WORD]] = self.positions.joined(vectors[:, self.parts[WORD]])
        return vectors

    @property
    def position_dim(self) -> int:
        """The number of elements of the part "position", or of a word where there is no such part."""
        part = self.parts.get(POSITION, self.parts[WORD])
        return int(part.stop - part.start)

    def offset(self, steps: float) -> np.ndarray:
        """The matrix that moves position p to position p + steps; the identity for a text without positions."""
        return np.eye(2) if self.positions is None else self.positions.moved(steps, self.position_dim)

    def with_words(self, words: Mapping[str, np.ndarray]) -> "Encoding":
        """The same encoding with other words."""
        return Encoding(self.parts, self.axes, words, self.positions)


def spaces_problems(
    spaces: Mapping[str, Any], vocabulary: Vocabulary | None, positions: Positions | None
) -> Iterator[Problem]:
    """The problems of [spaces], and of their fit with the vocabulary and the positions."""
    if not spaces and vocabulary is None:
        yield Problem((), "needs a [vocabulary] or [spaces]: nothing says which words there are")
    if spaces and WORD not in spaces:
        yield Problem(("spaces",), 'has no part "word", where the tokens go: word = "vocabulary", or a list of words')
    sound = True
    for name, space in spaces.items():
        for problem in _space_problems(space, spaces, vocabulary, ("spaces", name)):
            sound = False
            yield problem
    if positions is not None:
        known = sound and (WORD in spaces if spaces else vocabulary is not None)
        word = _size(_resolved(WORD, spaces or DEFAULT_SPACES, vocabulary)) if known else None
        yield from positions.problems(spaces.get(POSITION), word)
    elif POSITION in spaces:
        yield Problem(("spaces", POSITION), "needs [positions], such as turn = … degrees a step")


def _space_problems(
    space: Any, spaces: Mapping[str, Any], vocabulary: Vocabulary | None, path: Path
) -> Iterator[Problem]:
    """The problems of one part: repeated axes, a missing vocabulary, or a wrong reference to another part."""
    if isinstance(space, list):
        yield from duplicate_problems(space, path)
    elif space == VOCABULARY and vocabulary is None:
        yield Problem(path, 'says "vocabulary", but there is no [vocabulary]')
    elif isinstance(space, str) and space != VOCABULARY:
        other = _other_part(space)
        if other not in spaces:
            expected = 'a list of axes, "vocabulary", "like <part>" or { random = … }'
            message = unknown(other, spaces) if space.startswith("like ") else f"{quoted(space)}: expected {expected}"
            yield Problem(path, message)
        elif isinstance(spaces[other], str) and spaces[other] != VOCABULARY:
            yield Problem(path, f"is like '{other}', which is itself like another part; name that one")


def spaces_size(spaces: Mapping[str, Any], vocabulary: Vocabulary | None) -> int:
    """The number of elements of a vector, with all parts; `spaces_problems` must have found no problem."""
    spaces = spaces or DEFAULT_SPACES
    return sum(_size(_resolved(name, spaces, vocabulary)) for name in spaces)


def encoding(spaces: Mapping[str, Any], vocabulary: Vocabulary | None, positions: Positions | None) -> Encoding:
    """The encoding that a scenario describes; `spaces_problems` must have found no problem."""
    spaces = spaces or DEFAULT_SPACES
    axes: list[str] = []
    parts: dict[str, slice] = {}
    for name in spaces:
        space = _resolved(name, spaces, vocabulary)
        own = [str(i + 1) for i in range(space.random)] if isinstance(space, RandomWords) else space
        parts[name] = slice(len(axes), len(axes) + len(own))
        axes += [f"{name}: {axis}" if len(spaces) > 1 else axis for axis in own]
    if vocabulary is not None and spaces[WORD] == VOCABULARY:
        words: Mapping[str, np.ndarray] = vocabulary.vectors
    elif isinstance(spaces[WORD], list):
        words = dict(zip(spaces[WORD], np.eye(len(spaces[WORD])), strict=True))
    else:
        words = {}
    return Encoding(parts, tuple(axes), words, positions)


def _size(space: list[str] | RandomWords) -> int:
    return space.random if isinstance(space, RandomWords) else len(space)


def _resolved(name: str, spaces: Mapping[str, Any], vocabulary: Vocabulary | None) -> list[str] | RandomWords:
    """The axes of a part, or its random words; a part that is like another one has those of the other."""
    space = spaces[name]
    if isinstance(space, (list, RandomWords)):
        return space
    return vocabulary.axes if space == VOCABULARY and vocabulary else _resolved(_other_part(space), spaces, vocabulary)


def _other_part(space: str) -> str:
    """The name of the other part in "like <part>"."""
    return space.removeprefix("like ").strip()
