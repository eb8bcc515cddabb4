"""Damaged cues: a word with neurons reversed, hidden or made noisy, or a mixture of several words."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.language.common_problems import one_of_problems
from hopattn.scenario.language.fields import ByTomlType, PositiveNumber, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.character_pictures import Size

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Hidden = Annotated[
    Annotated[Literal["left", "right", "top", "bottom"], Tag("text")] | Annotated[Fraction, Tag("number")], ByTomlType
]


INSTEAD_OF_NOISE = "; use `flip`, the fraction of the neurons that is reversed, instead of noise"
"""The advice where a memory refuses a noisy cue: a neuron that is reversed keeps its magnitude."""


class Damaged(Table):
    """A cue that is made of a word, or of several. The damage is done in the order of these keys."""

    of: Text | None = None
    """The word that it is made of."""
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

    def problems(self, words: Mapping[str, object], size: Size | None, path: Path) -> Iterator[Problem]:
        """The problems of the cue: both or none of `of` and `mixture`, an unknown word, a half of something other
        than a picture.

        words: the words by name. size: the size of the pictures; None if there are none.
        """
        yield from one_of_problems(self, ("of", "mixture"), path)
        if self.of is not None and self.of not in words:
            yield Problem((*path, "of"), unknown(self.of, words))
        for i, word in enumerate(self.mixture or []):
            if word not in words:
                yield Problem((*path, "mixture", i), unknown(word, words))
        if isinstance(self.hide, str) and size is None:
            yield Problem((*path, "hide"), f"only a picture has a {self.hide}; give a fraction, such as 0.5")

    def build(self, words: Mapping[str, np.ndarray], size: Size | None, rng: np.random.Generator) -> np.ndarray:
        """The cue, `(dim,)`.

        All random numbers are sampled, even for keys that are not given. So a change of one key does not change the
        random numbers of another, and a smaller fraction touches a subset of the neurons of a larger one.
        """
        mixed: np.ndarray = np.sum([words[word] for word in self.mixture or []], axis=0)
        vector = np.sign(mixed) if self.of is None else words[self.of]
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
        parts = [self.of or " + ".join(self.mixture or [])]
        parts += ["reversed"] if self.reverse else []
        parts += [f"{round(self.flip * dim)} of {dim} neurons flipped"] if self.flip else []
        parts += [f"noise of {self.noise:g}"] if self.noise else []
        if isinstance(self.hide, str):
            parts.append(f"{self.hide} half hidden")
        elif self.hide:
            parts.append(f"{round(self.hide * dim)} of {dim} neurons hidden")
        return ", ".join(parts)


def random_stream(root: int, name: str) -> np.random.Generator:
    """A random generator for a named cue; it depends on this name and on the root seed of the run only.

    So the random numbers of a cue do not depend on the other cues.
    """
    return np.random.default_rng(np.random.SeedSequence(root, spawn_key=tuple(name.encode())))


def cue_problems(cues: Mapping[str, Damaged], words: Mapping[str, object], size: Size | None) -> Iterator[Problem]:
    """The problems of the cues of a scenario, which are given by name."""
    for name, cue in cues.items():
        path = ("cue", name)
        if name in words:
            yield Problem(path, f"'{shortened(name)}' is a word already; give the cue another name")
        yield from cue.problems(words, size, path)


def _half(side: str, size: Size) -> np.ndarray:
    """A mask `(n_pixels,)` of one half of a picture; a middle row or column belongs to neither half."""
    row, column = np.divmod(np.arange(size.pixels), size.columns)
    near, far = size.columns // 2, (size.columns + 1) // 2
    above, below = size.rows // 2, (size.rows + 1) // 2
    return {"left": column < near, "right": column >= far, "top": row < above, "bottom": row >= below}[side]
