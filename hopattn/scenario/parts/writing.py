"""The text that a decoder writes, and the way its vectors become words."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.retrieval.similarity import similarities
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import NameIn, PositiveNumber, Problem, Table, Text
from hopattn.scenario.words.text import token_problems
from hopattn.scenario.words.vocabulary import WORD, Encoding


class WritingTable(Table):
    """The text that the decoder writes, and how its vectors become words."""

    words: Annotated[list[Text], Field(min_length=1)]
    """The words that can be written, with the one that ends the text; of equal scores the first word is written."""
    start: Text
    """The word that the decoder reads before it has written any."""
    end: Text | None = None
    """The word that ends the text."""
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    """The largest number of words that are written."""
    read: Text = WORD
    """The part of a vector that is compared with the words."""
    similarity: Annotated[str, NameIn(similarities)] = "dot"
    """How well the vector matches a word: the score of the word."""
    beta: PositiveNumber = 1.0
    """The inverse temperature of the softmax that makes probabilities of the scores."""

    def problems(self, coding: Encoding) -> Iterator[Problem]:
        """Words that are not in the vocabulary, an end that cannot be written, a part of another size."""
        yield from token_problems(list(dict.fromkeys(self.words)), coding.words, ("writing", "words"))
        yield from duplicate_problems(self.words, ("writing", "words"))
        if self.start not in coding.words:
            yield Problem(("writing", "start"), unknown(self.start, coding.words))
        if self.end is not None and self.end not in self.words:
            yield Problem(("writing", "end"), unknown(self.end, self.words))
        yield from coding.word_part_problems(self.read, ("writing", "read"))

    def scores(self, coding: Encoding, states: np.ndarray) -> np.ndarray:
        """The score of each word that can be written, `(n, n_words)`, for vectors `(n, dim)`."""
        keys = np.stack([coding.words[word] for word in self.words])
        return np.asarray(similarities.make(self.similarity)(states[:, coding.parts[self.read]], keys))
