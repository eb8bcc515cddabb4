"""Damaged cues: a word with some of its neurons reversed, made noisy or hidden, or a mixture of several words."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import shortened, unknown
from hopattn.scenario.language.fields import BySort, PositiveNumber, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.words.character_pictures import Size

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Hidden = Annotated[
    Annotated[Literal["left", "right", "top", "bottom"], Tag("text")] | Annotated[Fraction, Tag("number")], BySort
]


class Damaged(Table):
    """A cue that is made of a word, or of several; what is asked for is done in the order of these keys."""

    of: Text | None = None
    """The word that it is made of."""
    mixture: Annotated[list[Text], Field(min_length=2)] | None = None
    """The words that it is mixed of, in place of `of`: the sign of their sum, and 0 (unknown) where that is 0."""
    reverse: bool = False
    """Whether every neuron is reversed: black becomes white."""
    flip: Fraction | None = None
    """Which fraction of the neurons is reversed; which ones, the seed decides."""
    noise: PositiveNumber | None = None
    """The standard deviation of the Gaussian noise that is added to every neuron."""
    hide: Hidden | None = None
    """What becomes unknown (0): a half of a picture (its middle line aside), or a fraction of the neurons; which ones,
    the seed decides."""

    def problems(self, words: Mapping[str, object], size: Size | None, path: Path) -> Iterator[Problem]:
        """Words that are none, not exactly one of `of` and `mixture`, a half of what is no picture."""
        if (self.of is None) == (self.mixture is None):
            yield Problem(path, f"needs one of `of` and `mixture`; {'none' if self.of is None else 'both'} is given")
        if self.of is not None and self.of not in words:
            yield Problem((*path, "of"), unknown(self.of, words))
        for i, word in enumerate(self.mixture or []):
            if word not in words:
                yield Problem((*path, "mixture", i), unknown(word, words))
        if isinstance(self.hide, str) and size is None:
            yield Problem((*path, "hide"), f"only a picture has a {self.hide}; give a fraction, such as 0.5")

    def made(self, words: Mapping[str, np.ndarray], size: Size | None, draws: np.random.Generator) -> np.ndarray:
        """The cue, `(dim,)`.

        Everything that could be drawn is drawn, so that a change of one key leaves what another draws as it is; and the
        neurons of a smaller fraction are among those of a larger one.
        """
        vector = self._undamaged(words)
        flipped, hidden = draws.permutation(len(vector)), draws.permutation(len(vector))
        grain = draws.standard_normal(len(vector))
        vector = -vector if self.reverse else vector.copy()
        vector[flipped[: round((self.flip or 0) * len(vector))]] *= -1
        vector += (self.noise or 0) * grain
        if isinstance(self.hide, str) and size is not None:
            vector[_half(self.hide, size)] = 0
        elif self.hide is not None and not isinstance(self.hide, str):
            vector[hidden[: round(self.hide * len(vector))]] = 0
        return vector + 0.0  # no −0

    def told(self, dim: int) -> str:
        """What was done, in words."""
        done = [self.of or " + ".join(self.mixture or [])]
        done += ["reversed"] if self.reverse else []
        done += [f"{round(self.flip * dim)} of {dim} neurons flipped"] if self.flip else []
        done += [f"noise of {self.noise:g}"] if self.noise else []
        if isinstance(self.hide, str):
            done.append(f"{self.hide} half hidden")
        elif self.hide:
            done.append(f"{round(self.hide * dim)} of {dim} neurons hidden")
        return ", ".join(done)

    def _undamaged(self, words: Mapping[str, np.ndarray]) -> np.ndarray:
        if self.of is not None:
            return words[self.of]
        total: np.ndarray = np.sum([words[word] for word in self.mixture or []], axis=0)
        signs: np.ndarray = np.sign(total)
        return signs


def stream(root: int, name: str) -> np.random.Generator:
    """The random numbers of one cue: they depend on the run's root and the cue's name, and on no other cue."""
    return np.random.default_rng(np.random.SeedSequence(root, spawn_key=tuple(name.encode())))


def cue_problems(cues: Mapping[str, Damaged], words: Mapping[str, object], size: Size | None) -> Iterator[Problem]:
    """What is wrong with the cues of a scenario."""
    for name, cue in cues.items():
        path = ("cue", name)
        if name in words:
            yield Problem(path, f"'{shortened(name)}' is a word already; give the cue another name")
        yield from cue.problems(words, size, path)


def _half(side: str, size: Size) -> np.ndarray:
    """The places of one half of a picture; a middle row or column belongs to neither."""
    row, column = np.divmod(np.arange(size.pixels), size.columns)
    near, far = size.columns // 2, (size.columns + 1) // 2
    above, below = size.rows // 2, (size.rows + 1) // 2
    return {"left": column < near, "right": column >= far, "top": row < above, "bottom": row >= below}[side]
