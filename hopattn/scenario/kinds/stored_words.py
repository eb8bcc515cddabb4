"""The base of the kinds with a memory of words: vocabulary, pictures, and the words that are stored."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated

from pydantic import Field

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.parts.memories import MemoryTable
from hopattn.scenario.words.character_pictures import letters
from hopattn.scenario.words.pictures import Pictures
from hopattn.scenario.words.text import token_problems
from hopattn.scenario.words.vocabulary import Vocabulary
from hopattn.scenario.words.word_list import Words, combined_words, picture_problems


class StoredWords(Spec):
    """The base of the kinds with a memory of words."""

    written: Annotated[Vocabulary | None, Field(alias="vocabulary")] = None
    """The words as vectors."""
    pictures: Pictures | None = None
    """The words that are pictures."""

    @cached_property
    def vocabulary(self) -> Words:
        """The words and the pictures together."""
        return combined_words(self.written, self.pictures)

    def part_problems(self) -> Iterator[Problem]:
        yield from picture_problems(self.written, self.pictures)

    @property
    def absent_letters(self) -> dict[str, str]:
        """The message for each letter that comes with hopattn, where the file has pictures of letters."""
        with_letters = self.pictures is not None and self.pictures.letters is not None
        advice = "is unknown; it comes with hopattn: write it in the letters of [pictures]"
        return {letter: f"'{letter}' {advice}" for letter in letters()} if with_letters else {}

    def stored_problems(self, memory: MemoryTable, cues: Iterable[str] = ()) -> Iterator[Problem]:
        """Words of a memory that the file does not have. cues: the names of damaged words, which cannot be stored."""
        words, absent = self.vocabulary.vectors, self.absent_letters
        damaged = {name: f"'{shortened(name)}' is a damaged cue; store a word" for name in cues}
        for key in ("patterns", "values"):
            yield from token_problems(getattr(memory, key) or [], words, ("memory", key), absent | damaged)
        if (word := memory.input) is not None and word not in words:
            yield Problem(("memory", "input"), absent.get(word) or unknown(word, words))
