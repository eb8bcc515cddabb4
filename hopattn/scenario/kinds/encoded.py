"""The bases of the kinds whose texts are encoded as vectors: words, parts of a vector, positions, one text."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from pydantic import Field

from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.words.positions import Positions
from hopattn.scenario.words.text import Input
from hopattn.scenario.words.vocabulary import Encoding, Space, Vocabulary, encoding, spaces_problems, spaces_size


class WordsSpec(Spec):
    """The base of the kinds whose words are vectors."""

    vocabulary: Vocabulary | None = None
    """The words as vectors."""
    spaces: dict[Text, Space] = Field(default_factory=dict)
    """The named parts of a vector."""

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding of tokens as vectors."""
        return encoding(self.spaces, self.vocabulary, getattr(self, "positions", None))

    @property
    def dim(self) -> int:
        """The number of elements of a vector, counted before any vector is built."""
        return spaces_size(self.spaces, self.vocabulary)

    def part_problems(self) -> Iterator[Problem]:
        yield from spaces_problems(self.spaces, self.vocabulary, getattr(self, "positions", None))

    def fit_problems(self) -> Iterator[Problem]:
        if self.vocabulary is not None:
            yield from self.vocabulary.problems()
        yield from self.text_problems(self.encoding)

    @abstractmethod
    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        """Problems with the text, and with what is done with it."""


class EncodedSpec(WordsSpec):
    """The base of the kinds whose words may have positions."""

    positions: Positions | None = None
    """The position of each word in the text, as a vector."""

    def length_problems(self, n: int) -> Iterator[Problem]:
        """The problem of positions that do not reach over a text of n words."""
        if self.positions is not None:
            yield from self.positions.length_problems(n)


class OneText(WordsSpec):
    """The base of the kinds with one text."""

    input: Input
    """The text that goes in."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the rows: of the queries, or of the tokens where these look at themselves."""
        return labels(self.input.queries or self.input.tokens)

    @property
    def crossed(self) -> bool:
        """Whether other words than the tokens look at these (cross-attention)."""
        return self.input.queries is not None

    def largest(self) -> tuple[Path, str]:
        return self.input.large(self.dim)

    def layout(self) -> ArrayLayout:
        words, parts, columns = self.encoding.words, self.encoding.parts, labels(self.input.tokens)
        return replace(super().layout(), rows=self.rows, columns=columns, words=words, parts=parts)
