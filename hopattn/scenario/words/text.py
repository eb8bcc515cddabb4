"""The input text: its tokens, the queries of cross-attention, padding, other texts of a batch."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.scenario.language.common_problems import duplicate_problems
from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import labels


class Input(Table):
    """The text that goes in."""

    tokens: Annotated[list[str], Field(min_length=1)]
    """The words, in their order."""
    queries: Annotated[list[str], Field(min_length=1)] | None = None
    """Other words that look at the tokens (cross-attention); by default the tokens look at themselves."""
    padding: str | None = None
    """The word that fills a text up to the length of the tokens; nothing attends to it."""
    batch: Annotated[list[Annotated[list[str], Field(min_length=1)]], Field(min_length=1)] | None = None
    """Other texts that are computed together with the tokens. None may be longer than the tokens; a shorter one is
    filled up with the padding."""

    def problems(self, words: Mapping[str, Any]) -> Iterator[Problem]:
        """The problems of the input: unknown tokens, and texts of a batch whose length does not fit."""
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

    def problems_of_tokens(self, words: Mapping[str, Any]) -> Iterator[Problem]:
        """The problems of the input of a kind that uses the tokens alone."""
        yield from token_problems(self.tokens, words, ("input", "tokens"))
        yield from self.attention_key_problems()

    def attention_key_problems(self, keys: Sequence[str] = ("queries", "padding", "batch")) -> Iterator[Problem]:
        """One problem for each key that only the kind `attention` has."""
        for key in keys:
            if getattr(self, key) is not None:
                yield Problem(("input", key), f"only kind 'attention' has {key}")

    def large(self, dim: int) -> tuple[Path, str]:
        """The place of a text that makes a run large, and a name for it. dim: the number of elements of a word."""
        n, queries = len(self.tokens), len(self.queries or [])
        longest, key = (queries, "queries") if queries > n else (n, "tokens")
        return ("input", key) if longest > dim else (), f"a text of {longest:,} words, each of {dim:,} numbers,"

    def texts(self) -> list[list[str]]:
        """The tokens and the other texts of the batch, all padded to one length."""
        length = len(self.tokens)
        return [[*text, *[self.padding or ""] * (length - len(text))] for text in [self.tokens, *(self.batch or [])]]


def token_problems(
    tokens: Sequence[str], words: Mapping[str, Any], path: Path, known: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Problem]:
    """The problems of tokens: those that are not words, and words whose names give two tokens the same label.

    known: the message for each name that is something else than a word.
    """
    for i, token in enumerate(tokens):
        if token not in words:
            yield Problem((*path, i), known.get(token) or unknown(token, words))
    yield from duplicate_problems(labels(tokens), path)
