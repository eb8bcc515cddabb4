"""The language models that a lecture holds attention against: an average of the words, and counted pairs of words."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hopattn.foundation.arrays import Array, namespace


def average(words: Array) -> Array:
    """The deep averaging network's view of a text: the mean of its word vectors, `(…, n, dim)` to `(…, dim)`.

    Source: Iyyer et al. (2015), ACL, eq. 1 (their z, before the layers above it); CS 371N Lecture 10 ("DAN").
    """
    return namespace(words).mean(words, axis=-2)


@dataclass(frozen=True)
class Bigram:
    """P(w_i | w_{i−1}), estimated by counting and normalising.

    counts: how often each word followed each word. Source: CS 371N Lecture 10 ("Bigram").
    """

    counts: dict[str, Counter[str]]

    @classmethod
    def counted(cls, texts: Iterable[Sequence[str]]) -> "Bigram":
        """Count the pairs of neighbours in texts.

        >>> Bigram.counted([["A", "B", "A", "B", "B"]]).probability("B", after="A")
        1.0
        """
        counts: dict[str, Counter[str]] = {}
        for text in texts:
            for before, word in pairwise(text):
                counts.setdefault(before, Counter())[word] += 1
        return cls(counts)

    def probability(self, word: str, after: str) -> float:
        """P(word | after); 0 where `after` was never seen before another word."""
        seen = self.counts.get(after, Counter())
        return seen[word] / seen.total() if seen else 0.0

    def likeliest(self, after: str) -> list[str]:
        """The likeliest next words; several where they were counted equally often, none where nothing was counted."""
        seen = self.counts.get(after, Counter())
        return [word for word, count in seen.items() if count == max(seen.values())]
