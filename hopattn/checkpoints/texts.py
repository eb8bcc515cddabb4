"""A text as tokens: their ids and words, by the `tokenizer.json` in the folder of a model."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.array_headers import named, opened
from hopattn.foundation.checks import instance
from hopattn.foundation.errors import InvalidInput, listed, quoted, shortened
from hopattn.results.dataset import imported

TOKENIZER = "tokenizer.json"
OLDER = ("vocab.json", "merges.txt", "vocab.txt", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
"""The files of a vocabulary from which `transformers` writes a `tokenizer.json`."""
WRITES = "transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)"
NO_TEXT = "\ufffd"
"""What a decoder writes for bytes that are no character."""


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """The tokens of a text; a slice, such as `tokens[:9]`, has the tokens at these positions.

    ids: their numbers in the vocabulary, `(n,)`. words: what each is, as text, n of them: what it decodes to alone; its
    name in the vocabulary where that is no text, such as a part of a character; its id where only ids are known.
    """

    ids: np.ndarray
    words: tuple[str, ...]

    @classmethod
    def of_ids(cls, ids: np.ndarray) -> "Tokens":
        """The tokens of a text of which only ids are known."""
        return cls(ids, tuple(map(str, ids.tolist())))

    @property
    def labels(self) -> tuple[str, ...]:
        """The positions, all different; where words are known with the word, as in "3 Mary"."""
        if self.words == Tokens.of_ids(self.ids).words:
            return tuple(map(str, range(1, len(self) + 1)))
        return tuple(f"{i} {word.strip() or repr(word)}" for i, word in enumerate(self.words, start=1))

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: slice) -> "Tokens":
        positions = instance(part, slice, "tokens", "a slice, such as tokens[:9]; one token is in its ids and words")
        return Tokens(self.ids[positions], self.words[positions])

    def __repr__(self) -> str:
        return f"Tokens({len(self)}: {shortened(list(self.words))})"


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """The `tokenizer.json` in the folder of a model with so many tokens, as the package `tokenizers` reads it.

    A text is neither padded nor cut, whatever the file says of batches; special tokens are added as it says. The file
    is read with the first text.
    """

    folder: Path
    n_tokens: int

    def tokens(self, text: str, what: str) -> Tokens:
        """The tokens of a text; what: its name in messages.

        Raises `InvalidInput` where the package or the file is missing or the file is damaged, for a text that cannot be
        read or has no tokens, and for a token that the model lacks.
        """
        tokens = self._tokens(text, what)
        if not len(tokens):
            raise InvalidInput(f"{what}: {quoted(text)} has no tokens; expected at least one")
        return tokens

    def id_of(self, word: str, what: str) -> int:
        """The id of a text that is one token, or that is a name in the vocabulary.

        Raises `InvalidInput` as `tokens` does, for a text of several tokens, and for one that is not in the vocabulary.
        """
        tokens = self._tokens(word, what, special=False)
        if len(tokens) == 1 and not self._is_unknown(word):
            return int(tokens.ids[0])
        if (id := self._reader.token_to_id(word)) is not None:
            return int(id)
        if len(tokens) == 1:
            raise InvalidInput(f"{what}: {quoted(word)} is not in the vocabulary of {named(self._file)}")
        names = f": {listed(map(repr, tokens.words))}" if len(tokens) else ""
        raise InvalidInput(f"{what}: {quoted(word)} is {len(tokens)} tokens{names}; expected a text of one token")

    def _tokens(self, text: str, what: str, special: bool = True) -> Tokens:
        reader = self._reader
        try:
            text.encode()
            ids = np.array(reader.encode(text, add_special_tokens=special).ids, np.int64)
        except UnicodeEncodeError as error:
            half = f"character {error.start} is {quoted(text[error.start])}"
            raise InvalidInput(f"{what}: {half}, which is half of one; expected a text that UTF-8 can write") from None
        except Exception as error:  # the package has no class of its own for a text that it cannot read
            raise InvalidInput(f"{what}: {named(self._file)} cannot read it: {shortened(error, 100)}") from None
        word_of = {id: self._word(id) for id in set(ids.tolist())}
        tokens = Tokens(ids, tuple(word_of[id] for id in ids.tolist()))
        if (wrong := np.flatnonzero(ids >= self.n_tokens)).size:
            i = int(wrong[0])
            token = f"token {i + 1}, {quoted(tokens.words[i])}, has the id {ids[i]:,} in {named(self._file)}"
            raise InvalidInput(f"{what}: {token}; the model has the ids 0 to {self.n_tokens - 1:,}; leave the word out")
        return tokens

    def _word(self, id: int) -> str:
        word = str(self._reader.decode([id], skip_special_tokens=False))
        return word if word and NO_TEXT not in word else str(self._reader.id_to_token(id) or id)

    def _is_unknown(self, word: str) -> bool:
        """Whether the one token of a word stands for all that is not in the vocabulary."""
        encoding, reader = self._reader.encode(word, add_special_tokens=False), self._reader
        name = reader.id_to_token(encoding.ids[0])
        return bool(name != encoding.tokens[0] or name == getattr(reader.model, "unk_token", None))

    @property
    def _file(self) -> Path:
        return self.folder / TOKENIZER

    @cached_property
    def _reader(self) -> Any:
        library = imported("tokenizers", "the tokens of a text")
        if not self._file.is_file():
            older = [name for name in OLDER if (self.folder / name).is_file()]
            files = f"{TOKENIZER}, but {listed(older)}" if older else TOKENIZER
            cure = f"`{WRITES}` writes it" if older else "copy that of the model to it"
            raise InvalidInput(f"'{shortened(self.folder)}' has no {files}; {cure}, or give the ids of the text")
        with opened(self._file) as stream:
            content = stream.read()
        try:
            reader = library.Tokenizer.from_buffer(content)
        except Exception as error:  # the package has no class of its own for a wrong file
            why = shortened(str(error).removeprefix("Cannot instantiate Tokenizer from buffer: "), 100)
            raise InvalidInput(f"{named(self._file)}: `tokenizers` cannot use it: {why}") from None
        reader.no_padding()
        reader.no_truncation()
        return reader
