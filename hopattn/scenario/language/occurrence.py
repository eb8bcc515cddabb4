"""The tokens of a text with their labels, as data: `their#2` is the second `their`."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

_NUMBERED = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)


class Occurrence(NamedTuple):
    """A word of a text, and which of its occurrences; 0 for a word that occurs once.

    >>> Occurrence.parse("their#2"), str(Occurrence("their", 2)), Occurrence.parse("C#")
    (Occurrence(word='their', number=2), 'their#2', Occurrence(word='C#', number=0))
    """

    word: str
    number: int = 0

    @classmethod
    def parse(cls, label: str) -> "Occurrence":
        """The word and the number of a label; a label without a number is the word itself."""
        found = _NUMBERED.fullmatch(label)
        return cls(label) if found is None else cls(found[1], int(found[2]))

    def __str__(self) -> str:
        return f"{self.word}#{self.number}" if self.number else self.word


def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """A label for each token: the word, followed by the number of its occurrence if the word occurs several times.

    >>> labels(["their", "dog", "their"])
    ('their#1', 'dog', 'their#2')
    """
    counts, so_far = Counter(tokens), Counter[str]()
    result = []
    for token in tokens:
        so_far[token] += 1
        result.append(str(Occurrence(token, so_far[token] if counts[token] > 1 else 0)))
    return tuple(result)


def occurrences(text: Sequence[str], words: Collection[str] = ()) -> tuple[Occurrence, ...]:
    """The tokens of a text by their labels.

    words: names that are words as they are. So is a label with a number whose word occurs once.

    >>> [one.word for one in occurrences(["their#1", "dog", "their#2", "A#4"])]
    ['their', 'dog', 'their', 'A#4']
    """
    parsed = [Occurrence(label) if label in words else Occurrence.parse(label) for label in text]
    counts = Counter(one.word for one in parsed if one.number)
    return tuple(one if counts[one.word] > 1 else Occurrence(label) for one, label in zip(parsed, text, strict=True))
