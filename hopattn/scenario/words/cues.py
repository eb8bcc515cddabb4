"""The words of a memory, from its vocabulary and its pictures; and cues made from words by damage or mixture."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import shortened
from hopattn.foundation.sentences import in_comma, say
from hopattn.scenario.arrays import labels
from hopattn.scenario.language.table import (
    ByTomlType,
    Parts,
    PoolEntry,
    PositiveNumber,
    Table,
    Text,
    Told,
    Vector,
    need,
    need_different,
    need_known,
    need_one_of,
)
from hopattn.scenario.words.pictures import Pictures, Size, Vectors, Words
from hopattn.scenario.words.vocabulary import Input, Vocabulary

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Hidden = Annotated[
    Annotated[Literal["left", "right", "top", "bottom"], Tag("text")] | Annotated[Fraction, Tag("number")], ByTomlType
]
SOURCES, DAMAGE = ("of", "state", "mixture"), ("reverse", "flip", "noise", "hide")
"""The keys of which one says what a cue is made of, and those of its damage."""
OF_STATES: tuple[PoolEntry, ...] = ("spins", "bits")
"""The pools of states of neurons."""
INSTEAD_OF_NOISE = "; use `flip`, the fraction of the neurons that is reversed, instead of noise"
"""The advice where a memory refuses a noisy cue: a neuron that is reversed keeps its magnitude."""


def combined_words(vocabulary: Vocabulary | None, pictures: Pictures | None) -> Words:
    """The words of the vocabulary and of the pictures.

    Raises `Refused` for what is wrong with each, and where they do not fit together.
    """
    words = drawn = Words((), Vectors({}))
    with Parts() as parts:
        if vocabulary is not None:
            with parts.at("vocabulary"):
                words = Words(tuple(vocabulary.axes), Vectors(vocabulary.vectors))
        if pictures is not None:
            with parts.at("pictures"):
                drawn = pictures.loaded
    if vocabulary is None or drawn.size is None:
        return words if drawn.size is None else drawn
    fit = f"do not fit the {drawn.size.pixels} pixels of the pictures ({drawn.size})"
    need(len(words.axes) == drawn.size.pixels, ("vocabulary", "axes"), f"{len(words.axes)} axes {fit}")
    for name in words.vectors:
        need(name not in drawn.vectors, ("vocabulary", "words", name), f"'{shortened(name)}' is a picture already")
    vectors = Vectors({**words.vectors, **drawn.vectors}, drawn.vectors.absent)
    return replace(drawn, axes=words.axes, vectors=vectors)


def vectors_of(text: Input, words: Vectors) -> np.ndarray:
    """The vectors `(n_tokens, dim)` of the tokens of a kind that uses them alone.

    Raises `Refused` for unknown tokens, for two of one label, and for a key of kind "attention".
    """
    with Parts() as parts:
        vectors = []
        for i, token in enumerate(text.tokens):
            with parts.at("tokens", i):
                vectors.append(words[token])
        with parts.at("tokens"):
            need_different(labels(text.tokens))
        with parts.at():
            text.need_plain()
    return np.stack(vectors)


class Damaged(Table):
    """A cue that is made of a word, of several, or of numbers. The damage is done in the order of these keys."""

    of: Text | None = None
    """The word that it is made of."""
    state: Annotated[Vector | None, Told(pools=OF_STATES)] = None
    """The numbers of its neurons, instead of `of`: [1, 1, -1]."""
    mixture: Annotated[list[Text], Field(min_length=2)] | None = None
    """The words of a mixture, instead of `of`: the sign of their sum, and 0 (unknown) where the sum is 0."""
    reverse: bool = False
    """Whether every neuron is reversed: black becomes white."""
    flip: Fraction | None = None
    """The fraction of the neurons that is reversed; the seed decides which ones."""
    noise: PositiveNumber | None = None
    """The standard deviation of the Gaussian noise that is added to every neuron."""
    hide: Hidden | None = None
    """The part that becomes unknown (0): a half of a picture (a middle row or column stays), or a fraction of the
    neurons; the seed decides which ones."""

    answer: Annotated[
        Annotated[Annotated[Text, Tag("text")] | Annotated[Vector, Tag("array")], ByTomlType] | None,
        Told(pools=OF_STATES),
    ] = None
    """Of a memory of two sides, the second side of the cue: a word of [vocabulary.answer], or numbers. Without `of` and
    its like, the first side is unknown (0)."""

    def build(self, words: Mapping[str, np.ndarray], size: Size | None, rng: np.random.Generator) -> np.ndarray:
        """The cue, `(dim,)`.

        All random numbers are sampled, even for keys that are not given. So a change of one key does not change the
        random numbers of another, and a smaller fraction touches a subset of the neurons of a larger one. size: of the
        pictures; None if there are none. Raises `Refused` for none or several of `of`, `state` and `mixture`, an
        unknown word, and a half of something other than a picture.
        """
        with Parts() as parts:
            with parts.at():
                need_one_of(self, *SOURCES)
            if self.of is not None:
                with parts.at("of"):
                    need_known(self.of, words)
            for i, word in enumerate(self.mixture or []):
                with parts.at("mixture", i):
                    need_known(word, words)
            with parts.at("hide"):
                side = self.hide if isinstance(self.hide, str) else ""
                need(size or not side, (), f"only a picture has a {side}; give a fraction, such as 0.5")
        if self.state is not None:
            vector = np.array(self.state, dtype=float)
        elif self.of is not None:
            vector = words[self.of]
        else:
            vector = np.sign(np.sum([words[word] for word in self.mixture or []], axis=0))
        flipped, hidden = rng.permutation(len(vector)), rng.permutation(len(vector))
        noise = rng.standard_normal(len(vector))
        vector = -vector if self.reverse else vector.copy()
        vector[flipped[: round((self.flip or 0) * len(vector))]] *= -1
        vector += (self.noise or 0) * noise
        if isinstance(self.hide, str) and size is not None:
            vector[_half(self.hide, size)] = 0
        elif self.hide is not None and not isinstance(self.hide, str):
            vector[hidden[: round(self.hide * len(vector))]] = 0
        return vector + 0.0  # no −0

    def description(self, dim: int) -> str:
        """The word or mixture and its damage, in words; dim: the number of neurons."""
        parts = [self.of or " + ".join(self.mixture or []) or say("numbers")]
        parts += [say("reversed")] if self.reverse else []
        parts += [say("{} of {} neurons flipped", str(round(self.flip * dim)), str(dim))] if self.flip else []
        parts += [say("noise of {}", in_comma(f"{self.noise:g}"))] if self.noise else []
        if isinstance(self.hide, str):
            parts.append(say(f"{self.hide} half hidden"))
        elif self.hide:
            parts.append(say("{} of {} neurons hidden", str(round(self.hide * dim)), str(dim)))
        return ", ".join(parts)


def random_stream(root: int, name: str) -> np.random.Generator:
    """A random generator for a named cue; it depends on this name and on the root seed of the run only.

    So the random numbers of a cue do not depend on the other cues.
    """
    return np.random.default_rng(np.random.SeedSequence(root, spawn_key=tuple(name.encode())))


def _half(side: str, size: Size) -> np.ndarray:
    """A mask `(n_pixels,)` of one half of a picture; a middle row or column belongs to neither half."""
    row, column = np.divmod(np.arange(size.pixels), size.columns)
    near, far = size.columns // 2, (size.columns + 1) // 2
    above, below = size.rows // 2, (size.rows + 1) // 2
    return {"left": column < near, "right": column >= far, "top": row < above, "bottom": row >= below}[side]
