"""The text that goes in: its words, other words that look at it, padding, other texts of the batch."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.vocabulary import doubles


class Input(Table):
    """The text that goes in."""

    tokens: Annotated[list[str], Field(min_length=1)]
    """The words, in their order."""
    queries: Annotated[list[str], Field(min_length=1)] | None = None
    """Other words that look at the tokens (cross-attention); by default the tokens look at themselves."""
    padding: str | None = None
    """The word that only fills a text up; nothing attends to it."""
    batch: Annotated[list[Annotated[list[str], Field(min_length=1)]], Field(min_length=1)] | None = None
    """Other texts that are computed together with the tokens; none longer, and filled up with the padding."""

    def problems(self, words: Mapping[str, Any]) -> Iterator[Problem]:
        """Tokens that are no words, texts of a batch that do not fit."""
        path: Path = ("input",)
        yield from token_problems(self.tokens, words, (*path, "tokens"))
        yield from token_problems(self.queries or [], words, (*path, "queries"))
        if self.padding is not None and self.padding not in words:
            yield Problem((*path, "padding"), unknown(self.padding, words))
        for i, text in enumerate(self.batch or []):
            yield from token_problems(text, words, (*path, "batch", i))
            if len(text) > len(self.tokens):
                yield Problem((*path, "batch", i), f"{len(text)} words are more than the {len(self.tokens)} tokens")
            elif len(text) < len(self.tokens) and self.padding is None:
                yield Problem((*path, "batch", i), "is shorter than the tokens, so it needs input.padding")
        if self.batch is not None and self.queries is not None:
            yield Problem((*path, "batch"), "a batch of queries is not supported; leave one of them out")

    def only_tokens(self) -> Iterator[Problem]:
        """What only a text that attends can have."""
        for key in ("queries", "padding", "batch"):
            if getattr(self, key) is not None:
                yield Problem(("input", key), f"only kind 'attention' has {key}")

    def texts(self) -> list[list[str]]:
        """The tokens and the other texts of the batch, all of one length."""
        length = len(self.tokens)
        return [[*text, *[self.padding or ""] * (length - len(text))] for text in [self.tokens, *(self.batch or [])]]

    def words_only(self, text: Sequence[str]) -> np.ndarray:
        """Which tokens of a text are words and not padding, `(1, n)`, a mask for every query."""
        return np.array([[token != self.padding for token in text]])


def token_problems(tokens: Sequence[str], words: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    """The tokens that are no word of the vocabulary, and words so named that two tokens would have one label."""
    for i, token in enumerate(tokens):
        if token not in words:
            yield Problem((*path, i), unknown(token, words))
    yield from doubles(labels(tokens), path)


def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """A label for each token: the word itself, with its occurrence where it stands more than once.

    >>> labels(["their", "dog", "their"])
    ('their#1', 'dog', 'their#2')
    """
    several = {token for token, count in Counter(tokens).items() if count > 1}
    seen: Counter[str] = Counter()
    named = []
    for token in tokens:
        seen[token] += 1
        named.append(f"{token}#{seen[token]}" if token in several else token)
    return tuple(named)
