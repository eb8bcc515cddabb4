"""Simple language models that a lecture compares with attention: the average of the words, and bigrams."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopattn.foundation.arrays import Array, namespace


def average(words: Array) -> Array:
    """The mean of a text's word vectors, `(…, n, dim)` to `(…, dim)`: the input of a deep averaging network.

    Source: Iyyer et al. (2015), ACL (their z, before the layers above it); CS 371N Lecture 10 ("DAN").
    """
    return namespace(words).mean(words, axis=-2)


@dataclass(frozen=True)
class Bigram:
    """A bigram model: P(w_i | w_{i−1}), estimated from counts.

    counts: for each word, the number of times that each other word followed it. Source: CS 371N Lecture 10 ("Bigram").
    """

    counts: dict[str, Counter[str]]

    @classmethod
    def counted(cls, texts: Iterable[Sequence[str]]) -> "Bigram":
        """The model of the pairs of neighbouring words in texts.

        >>> Bigram.counted([["A", "B", "A", "B", "B"]]).probability("B", after="A")
        1.0
        """
        counts: dict[str, Counter[str]] = {}
        for text in texts:
            for before, word in pairwise(text):
                counts.setdefault(before, Counter())[word] += 1
        return cls(counts)

    def probability(self, word: str, after: str) -> float:
        """P(word | after); 0 if `after` was never followed by a word."""
        followers = self.counts.get(after, Counter())
        return followers[word] / followers.total() if followers else 0.0

    def likeliest(self, after: str) -> list[str]:
        """The most frequent next words: several in a tie, an empty list if `after` was never followed by a word."""
        followers = self.counts.get(after, Counter())
        return [word for word, count in followers.items() if count == max(followers.values())]
