"""The base of the kinds whose texts are encoded as vectors: words, parts of a vector, positions."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property

from pydantic import Field

from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.words.positions import Positions
from hopattn.scenario.words.vocabulary import (
    Encoding,
    Space,
    Vocabulary,
    encoding,
    spaces_problems,
    spaces_size,
)


class EncodedSpec(Spec):
    """The base of the kinds whose texts are encoded as vectors."""

    vocabulary: Vocabulary | None = None
    """The words as vectors."""
    spaces: dict[Text, Space] = Field(default_factory=dict)
    """The named parts of a vector."""
    positions: Positions | None = None
    """The position of each word in the text, as a vector."""

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of tokens as vectors."""
        return encoding(self.spaces, self.vocabulary, self.positions)

    @property
    def dim(self) -> int:
        """The number of elements of a vector, counted before any vector is built."""
        return spaces_size(self.spaces, self.vocabulary)

    def part_problems(self) -> Iterator[Problem]:
        return spaces_problems(self.spaces, self.vocabulary, self.positions)

    def fit_problems(self) -> Iterator[Problem]:
        if self.vocabulary is not None:
            yield from self.vocabulary.problems()
        yield from self.text_problems(self.encoding)

    @abstractmethod
    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        """Problems with the text and the layers."""

    def length_problems(self, n: int) -> Iterator[Problem]:
        """The problem of positions that do not reach over a text of n words."""
        if self.positions is not None:
            yield from self.positions.length_problems(n)
