"""Expectations of the vector at one token: its numbers, its cosine with a word, its nearest word."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import shortened, unknown
from hopattn.foundation.writing import shown
from hopattn.results.labelled import Labelled
from hopattn.retrieval.similarity import cosine
from hopattn.scenario.expectations.base import EXACT, FEW_DIGITS, Arrays, Expectation, Numeric, Value, Verdict
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.decimal_commas import comma_hint
from hopattn.scenario.language.fields import Count, Problem, TextOrTexts, Vector
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.vocabulary import WORD


class Located(Expectation):
    """An expectation of the vector at one token."""

    at: str
    """The token; `their#2` is the second `their`."""
    of: Literal["state", "output", "attended", "fed", "input", "context"] = "state"
    """The vector: the word after the layer, the output of the heads, the word after attention, residual and norm, the
    output of the feed-forward layer, the input, or what a recurrent decoder recalls."""
    layer: Count | None = None
    """The layer; by default the last."""
    part: Annotated[str | None, Field(alias="in")] = None
    """The part of the vector; by default the word."""

    @property
    def words(self) -> tuple[str, ...]:
        return (self.at,)

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from layout.row_problem(self.at, (*path, "at"))
        where = (*path, "layer") if self.layer else (*path, "at")
        yield from layout.array_problem(self.of, self.layer, None, where, several=True)
        if self.part is not None and self.part not in layout.parts:
            yield Problem((*path, "in"), unknown(self.part, layout.parts))

    def vector(self, arrays: Arrays, layout: ArrayLayout, of: str | None = None) -> np.ndarray:
        """The vector that the expectation refers to, `(dim of the part,)`; of: another array than its own."""
        name = layout.find(of or self.of, self.layer if of is None else None)[-1]
        row = arrays[name].values[layout.index(self.at)]
        return np.asarray(row if len(layout.parts) == 1 else row[layout.parts[self.part or WORD]])

    def size(self, layout: ArrayLayout) -> int | None:
        """The number of elements of the vector; None if the run has no such array or part."""
        names = layout.find(self.of, self.layer)
        part = layout.parts.get(self.part or WORD)
        if not names or part is None:
            return None
        return layout.arrays[names[-1]][-1] if len(layout.parts) == 1 else part.stop - part.start

    def place(self) -> str:
        """The token, layer, array and part, in words."""
        of = "" if self.of == "state" else f" ({self.of})"
        layer = f" after layer {self.layer}" if self.layer else ""
        return f"{self.at}{layer}{of}" + (f" in '{self.part}'" if self.part else "")

    def word_problems(self, words: list[str], layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        """Words that are not in the vocabulary, or whose vectors have another size than the part."""
        size = self.size(layout)
        for word in words:
            if word not in layout.words:
                yield Problem(path, unknown(word, layout.words))
            elif size not in (None, len(layout.words[word])):
                own = len(layout.words[word])
                yield Problem(path, f"'{shortened(word)}' has {own} elements, the vector has {size}")


class CosineTo(Located, Value):
    """The cosine of a token's vector with a word's."""

    leading: ClassVar[tuple[str, ...]] = ("cosine_to",)

    cosine_to: str
    """The word to compare with."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from super().problems(layout, path)
        yield from self.word_problems([self.cosine_to], layout, (*path, "cosine_to"))
        yield from self.stated_problems(self.is_, self.stated, path)

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        return Labelled(np.asarray(cosine(self.vector(arrays, layout), layout.words[self.cosine_to])))

    def sentence(self) -> str:
        return f"cosine of {self.place()} to {self.cosine_to}"


class CloserTo(Located):
    """A token's vector is closer (by cosine) to one word than to others, or than the bare word was."""

    leading: ClassVar[tuple[str, ...]] = ("closer_to",)

    closer_to: str
    """The word that it is closer to."""
    than: TextOrTexts | None = None
    """The word or words that it is less close to."""
    than_before: Literal[True] | None = None
    """Closer than the token's own input was."""

    @property
    def others(self) -> list[str]:
        """The words of `than`."""
        return [] if self.than is None else [self.than] if isinstance(self.than, str) else self.than

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from super().problems(layout, path)
        yield from self.word_problems([self.closer_to], layout, (*path, "closer_to"))
        yield from self.word_problems(self.others, layout, (*path, "than"))
        if not self.others and not self.than_before:
            yield Problem(path, 'needs `than = "word"` or `than_before = true`')
        if self.than_before and not layout.find("input"):
            yield Problem((*path, "than_before"), "there is no array 'input' here")

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        vector = self.vector(arrays, layout)
        near = float(cosine(vector, layout.words[self.closer_to]))
        rivals = {word: float(cosine(vector, layout.words[word])) for word in self.others}
        if self.than_before:
            before = self.vector(arrays, layout, of="input")
            rivals["before"] = float(cosine(before, layout.words[self.closer_to]))
        expected = ", ".join(f"{shown(value, FEW_DIGITS)} ({word})" for word, value in rivals.items())
        margin = near - max(rivals.values())
        return Verdict(margin > EXACT, f"> {expected}", shown(near, FEW_DIGITS), margin=margin)

    def sentence(self) -> str:
        rivals = [*self.others, *(["before"] if self.than_before else [])]
        return f"{self.place()} is closer to {self.closer_to} than {' and '.join(rivals)}"


class Nearest(Located):
    """The word nearest (by cosine) to a token's vector; a tie of several words is a miss."""

    leading: ClassVar[tuple[str, ...]] = ("nearest",)

    nearest: str
    """The nearest word."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from super().problems(layout, path)
        yield from self.word_problems([self.nearest], layout, (*path, "nearest"))

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        vector = self.vector(arrays, layout)
        words = nearest_words(vector, layout.words)
        cosines = dict(zip(layout.words, cosine(np.stack(list(layout.words.values())), vector).tolist(), strict=True))
        margin = cosines.pop(self.nearest) - max(cosines.values(), default=-1.0)
        return Verdict(words == [self.nearest], self.nearest, " and ".join(words[:4]) or "nothing", margin=margin)

    def is_exact(self, arrays: Arrays, layout: ArrayLayout) -> bool:
        """Whether the token's vector is the word itself."""
        return bool(np.allclose(self.vector(arrays, layout), layout.words[self.nearest], atol=EXACT))

    def sentence(self) -> str:
        return f"nearest word to {self.place()}"


class VectorIs(Located, Numeric):
    """The numbers of a token's vector."""

    leading: ClassVar[tuple[str, ...]] = ("is",)

    is_: Annotated[Vector, Field(alias="is")]
    """The right numbers."""
    stated: Vector | None = None
    """The numbers that the source prints."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from super().problems(layout, path)
        yield from self.stated_problems(self.is_, self.stated, path)
        size = self.size(layout)
        if size is not None and size != len(self.is_):
            fit = f"do not fit the {size} elements of the vector{comma_hint(self.is_, size)}"
            yield Problem((*path, "is"), f"{len(self.is_)} numbers {fit}")

    def answer(self, arrays: Arrays, layout: ArrayLayout) -> Labelled:
        array = arrays[layout.find(self.of, self.layer)[-1]]
        names = array.labels[-1] if len(layout.parts) == 1 else array.labels[-1][layout.parts[self.part or WORD]]
        return Labelled(self.vector(arrays, layout), array.dims[-1:], (names,))

    def sentence(self) -> str:
        return f"vector of {self.place()}"


def nearest_words(vector: np.ndarray, words: Mapping[str, np.ndarray]) -> list[str]:
    """The words with the largest cosine with the vector: several in a tie up to rounding, none for a zero vector."""
    if not np.any(vector):
        return []
    cosines = cosine(np.stack(list(words.values())), vector)
    return [word for word, value in zip(words, cosines, strict=True) if value >= cosines.max() - EXACT]


def largest_axes(vector: np.ndarray, axes: Sequence[str]) -> list[str]:
    """The axes with the largest number: several in a tie up to rounding, none for a zero vector."""
    if not np.any(vector):
        return []
    return [axis for axis, value in zip(axes, vector, strict=True) if value >= vector.max() - EXACT]
