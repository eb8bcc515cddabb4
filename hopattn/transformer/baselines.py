"""Simple language models that a lecture compares with attention: the average of the words, and n-grams."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.boundary import Count, Declared
from hopattn.foundation.checks import each, entries_of, instance, real, whole
from hopattn.foundation.errors import InvalidInput


def average(words: Array) -> Array:
    """The mean of a text's word vectors, `(…, n, dim)` to `(…, dim)`: the input of a deep averaging network.

    Source: Iyyer et al. (2015), ACL (their z, before the layers above it); CS 371N Lecture 10 ("DAN").
    """
    return namespace(words).mean(words, axis=-2)


@dataclass(frozen=True, kw_only=True)
class NGram(Declared):
    """An n-gram model: P(w_i | w_{i−n+1} … w_{i−1}), estimated from counts; the bigram is n = 2.

        P(w | context) = (count of w after the context + k) / (count of the context + k · |words|)

    Parameters
    ----------
    n : the number of words that are counted together, 1 or more; with n = 1 there is no context.
    counts : for each context, a tuple of n − 1 words, the number of times that each word followed it.
    words : the vocabulary, in the order of first appearance.
    add : k of add-k smoothing, 0 or more; with 0 the probability is the plain share.

    Raises
    ------
    InvalidInput : for another n or k.

    Notes
    -----
    Source: CS 371N Lecture 10 ("n-gram LMs"); Jurafsky & Martin, Speech and Language Processing, chapter 3 ("add-k").
    """

    n: Count
    counts: dict[tuple[str, ...], Counter[str]]
    words: tuple[str, ...]
    add: Annotated[float, partial(real, least=0.0)] = 0.0

    @classmethod
    def counted(cls, texts: Iterable[Sequence[str]], n: int = 2, *, add: float = 0.0) -> "NGram":
        """The model of the runs of n words in texts. The first n − 1 words of a text are context only.

        >>> model = NGram.counted([["A", "A", "B", "A", "A", "A"]], n=3)
        >>> model.probability("B", after=["A", "A"])
        0.5
        """
        n = whole(n, "n")
        counts: dict[tuple[str, ...], Counter[str]] = {}
        words: dict[str, None] = {}
        for given in entries_of(texts, "texts"):
            text = _words(given, "texts")
            words.update(dict.fromkeys(text))
            for end in range(n - 1, len(text)):
                counts.setdefault(text[end - n + 1 : end], Counter())[text[end]] += 1
        return cls(n=n, counts=counts, words=tuple(words), add=add)

    def probability(self, word: str, after: Sequence[str] = ()) -> float:
        """P(word | after), of which the last n − 1 words count; over all `words` these sum to 1.

        It is 0 for a word that no text has. Without smoothing it is 0 too if nothing ever followed `after`; with it,
        all words are then equally likely. Raises `InvalidInput` where `after` has fewer than n − 1 words.
        """
        if instance(word, str, "word") not in self.words:
            return 0.0
        followers = self._followers(after)
        total = followers.total() + self.add * len(self.words)
        return (followers[word] + self.add) / total if total else 0.0

    def distribution(self, after: Sequence[str] = ()) -> dict[str, float]:
        """P(word | after) of every word; the arguments are those of `probability`."""
        return {word: self.probability(word, after) for word in self.words}

    def likeliest(self, after: Sequence[str] = ()) -> list[str]:
        """The most frequent next words: several in a tie, an empty list if `after` was never followed by a word."""
        followers = self._followers(after)
        return [word for word, count in followers.items() if count == max(followers.values())]

    def _followers(self, given: Sequence[str]) -> Counter[str]:
        after = _words(given, "after")
        if len(after) < self.n - 1:
            raise InvalidInput(f"after: {len(after)} words; n = {self.n} needs the {self.n - 1} before the next word")
        return self.counts.get(after[len(after) - self.n + 1 :], Counter())


def _words(text: Any, what: str) -> tuple[str, ...]:
    """The words of a text, a list of them or their letters; raises `InvalidInput` for anything else."""
    return tuple(text) if isinstance(text, str) else each(text, str, what, "a word")
