"""Words as vectors: the vocabulary, the named parts of a vector, the positions of a text, and the text that goes in."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import MAX_LISTED, quoted, shortened, unknown
from hopattn.foundation.vectors import normalised
from hopattn.foundation.writing import counted
from hopattn.positions.planes import circle, rotation_degrees
from hopattn.positions.sinusoids import How, sinusoidal, sinusoidal_shift, with_positions
from hopattn.scenario.arrays import labels
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.table import (
    Angle,
    ByTomlType,
    Count,
    Matrix,
    Parts,
    PoolEntry,
    PositiveNumber,
    Problem,
    Table,
    Text,
    Told,
    Vector,
    fitting,
    need,
    need_different,
    need_room,
    refusal,
)

WORD, POSITION, VOCABULARY = "word", "position", "vocabulary"
_SHORT = ((0.6, 0.8), (0.28, 0.96), (0.352, 0.936))
_PAIRS = [[a, b] for pair in _SHORT for a, b in (pair, pair[::-1])]
_CIRCLE = [[1, 0], [0, 1], [-1, 0], [0, -1], *([a * i, b * j] for a, b in _PAIRS[:2] for i in (1, -1) for j in (1, -1))]
OF_MATRICES: tuple[PoolEntry, ...] = ({"name": "whole", "most": 3}, "tenths")
"""The pools of matrices."""
OF_VECTORS: tuple[PoolEntry, ...] = ("spins", "unit-tenths", _PAIRS, _CIRCLE, {"name": "whole", "most": 5}, "tenths")
"""The pools of vectors; those of two numbers of magnitude 1 are all short ones, the angles of three triangles."""


class Vocabulary(Table):
    """Words as vectors on named axes."""

    axes: Annotated[list[Text], Field(min_length=1), Told()]
    """The names of the vectors' elements, in their order."""
    magnitude: Annotated[Literal["unit", "normalise", "free"], Told()] = "unit"
    """"unit" checks that every vector has length 1, "normalise" scales it to length 1, "free" leaves it as it is."""
    words: Annotated[dict[str, Vector], Field(min_length=1), Told(pools=OF_VECTORS)]
    """Each word and its vector."""

    @cached_property
    def vectors(self) -> dict[str, np.ndarray]:
        """The vector `(dim,)` of each word, of the magnitude that `magnitude` asks for."""
        with Parts() as parts:
            with parts.at("axes"):
                need_different(self.axes)
            with parts.at("words"):
                return self.scaled(self.words)

    def scaled(self, vectors: Mapping[str, Sequence[float]]) -> dict[str, np.ndarray]:
        """Vectors by name as arrays, scaled to unit magnitude if `magnitude` is "normalise".

        Raises `Refused` for each vector that does not fit the axes, and for the first of another magnitude.
        """
        axes = len(self.axes), f"one for each axis ({', '.join(self.axes[:8])})"
        made, wrong = dict[str, np.ndarray](), dict[str, float]()
        with Parts() as parts:
            for name, vector in vectors.items():
                with parts.at(name):
                    made[name] = fitting(vector, (), axes)
                    size = math.hypot(*vector)
                    need(size or self.magnitude != "normalise", (), "is zero and cannot be normalised")
                    if self.magnitude == "unit" and abs(size - 1) > 1e-6:  # of numbers with seven digits
                        wrong[name] = size
            for name, size in [*wrong.items()][:1]:
                others = f", here and in {counted(len(wrong) - 1, 'more vector')}" if len(wrong) > 1 else ""
                advice = 'set magnitude = "normalise" or "free", or write more digits'
                with parts.at(name):
                    raise refusal((), f"has magnitude {size:.6g}; expected 1{others} ({advice})")
        return {name: normalised(vector) for name, vector in made.items()} if self.magnitude == "normalise" else made


class VocabularyOfSides(Vocabulary):
    """Words as vectors on named axes, and those of a second side."""

    answer: Annotated[Vocabulary | None, Told()] = None
    """The words of the second side of a bidirectional memory, on axes of their own: `values` are among them."""


class RandomWords(Table):
    """A space of random words: new random unit vectors for every sequence, so that no word occurs in two sequences."""

    random: Count
    """The number of elements of each vector."""


Space = Annotated[
    Annotated[list[Text], Field(min_length=1), Tag("array")]
    | Annotated[Text, Tag("text")]
    | Annotated[RandomWords, Tag("table")],
    ByTomlType,
]


class SinusoidalTable(Table):
    """Sines and cosines of a position at many frequencies."""

    base: PositiveNumber = 10000.0
    """The base of the frequencies: pair i of the elements turns by base^(−2i / dim) radians a position, i = 0, 1, …"""


Sinusoidal = Annotated[Annotated[bool, Tag("truth value")] | Annotated[SinusoidalTable, Tag("table")], ByTomlType]


class Positions(Table):
    """The position of each word in the text, as a vector: give one of `turn`, `sinusoidal` and `table`."""

    turn: Annotated[Angle | None, Told()] = None
    """Points on the unit circle: the angle between neighbouring positions, in degrees, counter-clockwise."""
    sinusoidal: Sinusoidal = False
    """Sines and cosines of the position at many frequencies (true), or a table with the base of the frequencies."""
    table: Matrix | None = None
    """Learned vectors, one row for each position."""
    how: How = "concatenate"
    """The way positions join the words: "concatenate" gives them a part of their own; "add" and "multiply" apply them
    to the word's elements, a point on the circle to each pair of them."""
    start: Annotated[int, Field(ge=-(10**6), le=10**6)] = 0
    """The position of the first token."""

    @property
    def base(self) -> float:
        """The base of the frequencies of sinusoidal positions."""
        return self.sinusoidal.base if isinstance(self.sinusoidal, SinusoidalTable) else SinusoidalTable().base

    def need_fit(self, part: Any, word: int) -> None:
        """Refuse positions that do not fit a word of so many elements, or the part "position" of [spaces].

        part: the part as [spaces] gives it, None if it does not. The refusals have their places in the whole file.
        """
        own, space, table = ("positions",), ("spaces", POSITION), ("positions", "table")
        given = [way for way in ("turn", "sinusoidal", "table") if getattr(self, way) not in (None, False)]
        lack = "needs one of turn = … degrees a step, sinusoidal = true, and table = [[…], …], a row a position"
        need(len(given) == 1, (*own, *given[1:2]), f"is given with {given[0]}; give one of them" if given else lack)
        need(self.table is None or self.start >= 0, (*own, "start"), "a table has no row for a position below 0")
        if self.how != "concatenate":
            need(part is None, space, f'is not used where positions are joined by how = "{self.how}"')
            odd = f'"{self.how}" lays points along pairs of axes, but their number is odd'
            need(self.table is not None or not word % 2, (*own, "how"), odd)
            fitting(self.table, table, (word, "one for each element of a word"))
            return
        axes = '["cos", "sin"]' if self.turn is not None else "a list of axes"
        words = 'and with a word part such as word = "vocabulary"'
        need(part is not None, own, f"needs [spaces] with position = {axes}, {words}")
        two = self.turn is None or (isinstance(part, list) and len(part) == 2)
        need(two, space, f"needs two axes, such as {axes}: it holds a point on the circle")
        need(isinstance(part, list), space, "needs a list of axes, one for each element of a position")
        fitting(self.table, table, (len(part), "one for each axis of the part 'position'"))
        pairs = f"needs an even number of axes, a sine and a cosine for each frequency, not {len(part)}"
        need(self.table is not None or not len(part) % 2, space, pairs)

    def vectors(self, n: int, dim: int) -> np.ndarray:
        """The vectors of the positions of n words, `(n, dim)`, or `(n, 2)` for points on the circle.

        dim: the number of elements of the part "position", or of a word that they are joined with.
        """
        if self.turn is not None:
            return np.asarray(circle(self.start + np.arange(n), self.turn))
        if self.table is not None:
            first = f", the first at position {self.start}" if self.start else ""
            have = f"has {len(self.table)} rows, but the text has {n} words{first}"
            need(self.start + n <= len(self.table), "table", f"{have}; every position needs a row")
            return np.array(self.table[self.start : self.start + n], dtype=float)
        return np.asarray(sinusoidal(n, dim, base=self.base) @ sinusoidal_shift(self.start, dim, base=self.base).T)

    def moved(self, steps: float, dim: int) -> np.ndarray:
        """The matrix `(dim, dim)` that moves position p to position p + steps."""
        need(self.table is None, (), "no rotation moves the positions of a learned table; give a matrix")
        if self.turn is not None:
            return rotation_degrees(steps * self.turn, dim)
        return sinusoidal_shift(steps, dim, base=self.base)


@dataclass(frozen=True, eq=False)
class Encoding:
    """The encoding of tokens as vectors.

    parts: the slice of a vector that each named part takes. axes: the names of a vector's elements. words: the vector
    of each word. positions: None if the vectors have no positions.
    """

    parts: Mapping[str, slice]
    axes: tuple[str, ...]
    words: Mapping[str, np.ndarray]
    positions: Positions | None = None

    @property
    def dim(self) -> int:
        """The number of elements of a vector, with all parts."""
        return len(self.axes)

    def part(self, name: str | None, *path: str) -> slice:
        """The place of a named part in a vector; the whole vector for None."""
        if name == POSITION and name not in self.parts and self.positions is not None:
            how = f'how = "{self.positions.how}"'
            raise refusal(path, f"there is no part 'position' where positions are joined by {how}")
        need(name is None or name in self.parts, path, lambda: unknown(name, self.parts))
        return slice(0, self.dim) if name is None else self.parts[name]

    def word_part(self, name: str, *path: str) -> slice:
        """The place of a part that can be compared with words."""
        part, word = self.part(name, *path), self.parts[WORD]
        fits = part.stop - part.start == word.stop - word.start
        need(fits, path, f"the part '{shortened(name)}' has not as many elements as a word")
        return part

    def encode(self, tokens: Sequence[str], *path: str | int) -> np.ndarray:
        """The vectors of a text, `(n_tokens, dim)`, with word and position in their parts; the other parts are 0.

        Raises `Refused` for tokens that are not words, and for words whose names give two tokens one label. path: the
        place of the text in the file.
        """
        vectors, positions = np.zeros((len(tokens), self.dim)), self.positions
        with Parts() as parts:
            for i, token in enumerate(tokens):
                if token not in self.words:  # the choices, which take long, are told as often as a message lists them
                    few = len(parts.problems) < MAX_LISTED
                    said = unknown(token, self.words) if few else f"'{shortened(token)}' is unknown"
                    parts.problems.append(Problem((*path, i), said))
            with parts.at(*path):
                need_different(labels(tokens))
            with parts.at("positions"):
                if positions is not None:
                    places = positions.vectors(len(tokens), self.position_dim)
        words = np.array([self.words[token] for token in tokens])
        if positions is not None and positions.how == "concatenate":
            vectors[:, self.parts[POSITION]] = places
        elif positions is not None:
            words = with_positions(words, places, positions.how)
        vectors[:, self.parts[WORD]] = words
        return vectors

    @property
    def position_dim(self) -> int:
        """The number of elements of the part "position", or of a word where there is no such part."""
        part = self.parts.get(POSITION, self.parts[WORD])
        return int(part.stop - part.start)

    def offset(self, steps: float) -> np.ndarray:
        """The matrix that moves position p to position p + steps; the identity for a text without positions."""
        return np.eye(2) if self.positions is None else self.positions.moved(steps, self.position_dim)

    def with_words(self, words: Mapping[str, np.ndarray]) -> "Encoding":
        """The same encoding with other words."""
        return replace(self, words=words)


def spaces_size(spaces: Mapping[str, Any], vocabulary: Vocabulary | None) -> int:
    """The number of elements of a vector, with all parts, before any vector is made."""
    return sum(_size(space) for space in _resolved(spaces, vocabulary).values())


def encoding(spaces: Mapping[str, Any], vocabulary: Vocabulary | None, positions: Positions | None) -> Encoding:
    """The encoding that a file describes.

    Raises `Refused`, with places in the whole file, for parts that do not fit each other, and for wrong vectors.
    """
    resolved, axes, slices = _resolved(spaces, vocabulary), list[str](), dict[str, slice]()
    dim = sum(map(_size, resolved.values()))
    need_room(dim, (), f"a word of {dim:,} numbers")
    with Parts() as parts:
        with parts.at():
            _need_positions(resolved, spaces, positions)
        with parts.at("vocabulary"):
            vectors = {} if vocabulary is None else vocabulary.vectors
    for name, space in resolved.items():
        own = [str(i + 1) for i in range(space.random)] if isinstance(space, RandomWords) else space
        slices[name] = slice(len(axes), len(axes) + len(own))
        axes += [f"{name}: {axis}" if len(resolved) > 1 else axis for axis in own]
    word = spaces.get(WORD, VOCABULARY)
    listed = dict(zip(word, np.eye(len(word)), strict=True)) if isinstance(word, list) else {}
    return Encoding(slices, tuple(axes), vectors if word == VOCABULARY else listed, positions)


def _need_positions(resolved: Mapping[str, Any], spaces: Mapping[str, Any], positions: Positions | None) -> None:
    if positions is not None:
        positions.need_fit(spaces.get(POSITION), _size(resolved[WORD]))
    needs = "needs [positions], such as turn = … degrees a step"
    need(positions is not None or POSITION not in spaces, ("spaces", POSITION), needs)


def _resolved(spaces: Mapping[str, Any], vocabulary: Vocabulary | None) -> dict[str, list[str] | RandomWords]:
    """The axes of each part, or its random words; a part that is like another one has those of the other."""
    need(spaces or vocabulary is not None, (), "needs a [vocabulary] or [spaces]: nothing says which words there are")
    needs = 'has no part "word", where the tokens go: word = "vocabulary", or a list of words'
    need(not spaces or WORD in spaces, "spaces", needs)
    own = [] if vocabulary is None else vocabulary.axes
    resolved: dict[str, list[str] | RandomWords] = {}
    with Parts() as parts:
        for name, space in (spaces or {WORD: VOCABULARY}).items():
            with parts.at("spaces", name):
                if isinstance(space, list):
                    need_different(space)
                if space == VOCABULARY:
                    need(vocabulary is not None, (), 'says "vocabulary", but there is no [vocabulary]')
                elif isinstance(space, str):
                    if (other := space.removeprefix("like ").strip()) not in spaces:
                        forms = 'a list of axes, "vocabulary", "like <part>" or { random = … }'
                        like = space.startswith("like ") and len(parts.problems) < MAX_LISTED
                        raise refusal((), unknown(other, spaces) if like else f"{quoted(space)}: expected {forms}")
                    space = spaces[other]
                    twice = f"is like '{other}', which is itself like another part; name that one"
                    need(not str(space).startswith("like "), (), twice)
                resolved[name] = own if isinstance(space, str) else space
    return resolved


def _size(space: list[str] | RandomWords) -> int:
    return space.random if isinstance(space, RandomWords) else len(space)


class Input(Table):
    """The text that goes in."""

    tokens: Annotated[list[str], Field(min_length=1), Told()]
    """The words, in their order."""
    queries: Annotated[Annotated[list[str], Field(min_length=1)] | None, Told()] = None
    """Other words that look at the tokens (cross-attention); by default the tokens look at themselves."""
    padding: str | None = None
    """The word that fills a text up to the length of the tokens; nothing attends to it."""
    batch: Annotated[list[Annotated[list[str], Field(min_length=1)]], Field(min_length=1)] | None = None
    """Other texts that are computed together with the tokens. None may be longer than the tokens; a shorter one is
    filled up with the padding."""

    def need_plain(self, *keys: str) -> None:
        """Refuse keys that only the kind `attention` has; by default all of these."""
        with Parts() as parts:
            for key in keys or ("queries", "padding", "batch"):
                with parts.at(key):
                    need(getattr(self, key) is None, (), f"only kind 'attention' has {key}")

    def plain(self, coding: Encoding) -> np.ndarray:
        """The text of a kind that reads the tokens alone, `(n, dim)`, with places in the whole file."""
        with Parts() as parts:
            with parts.at("input"):
                self.need_plain()
            with parts.at():
                return coding.encode(self.tokens, "input", "tokens")

    def large(self, dim: int) -> tuple[Path, str]:
        """The place of a text that makes a run large, and a name for it. dim: the number of elements of a word."""
        n, queries = len(self.tokens), len(self.queries or [])
        longest, key = (queries, "queries") if queries > n else (n, "tokens")
        return ("input", key) if longest > dim else (), f"a text of {longest:,} words, each of {dim:,} numbers,"

    def texts(self) -> list[list[str]]:
        """The tokens and the other texts of the batch, all padded to one length."""
        length = len(self.tokens)
        return [[*text, *[self.padding or ""] * (length - len(text))] for text in [self.tokens, *(self.batch or [])]]

    def encoded(self, coding: Encoding) -> tuple[np.ndarray, np.ndarray | None]:
        """The texts of the queries, `(n_texts, n, dim)`, and the text of keys and values where it is another one.

        Raises `Refused`, with places in the whole file, for unknown words, and for texts that do not fit each other.
        """
        texts = {"tokens": self.tokens} | ({} if self.queries is None else {"queries": self.queries})
        with Parts() as parts:
            with parts.at("input"):
                need(self.padding in (None, *coding.words), "padding", lambda: unknown(self.padding, coding.words))
                alone = "a batch of queries is not supported; leave one of them out"
                need(self.batch is None or self.queries is None, "batch", alone)
            for key, text in texts.items():
                with parts.at():
                    coding.encode(text, "input", key)
            for i, text in enumerate(self.batch or []):
                path = ("input", "batch", i)
                with parts.at():
                    more = f"{len(text)} words are more than the {len(self.tokens)} tokens"
                    need(len(text) <= len(self.tokens), path, more)
                    short = "is shorter than the tokens, so it needs input.padding"
                    need(len(text) == len(self.tokens) or self.padding is not None, path, short)
                    coding.encode(text, *path)
        if self.queries is not None:
            return coding.encode(self.queries)[None], coding.encode(self.tokens)
        return np.stack([coding.encode(text) for text in self.texts()]), None
