"""The recipe of a training: texts of repeated words, the size of the model, the numbers of the optimiser."""

from dataclasses import dataclass, fields

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.objects import flag
from hopattn.foundation.room import require_room
from hopattn.foundation.scalars import positive, whole


@dataclass(frozen=True)
class Recipe:
    """A model that consists of attention alone, the texts that it learns from, and how it learns.

    layers, heads: their numbers; dim: entries of a word vector, divided by the heads. words: the size of the
    vocabulary. length: words of a text. shortest, longest: the range of a period. A text is a row of distinct random
    words that is repeated until the text is full; its length, the period, is drawn anew for each text. With one fixed
    period a single layer could look back by a fixed number of words, and would need no induction.
    positions: whether the words get vectors of their places; without them, the causal mask alone tells where a word is.
    steps: of the optimiser, each with a batch of new texts. rate: the learning rate of Adam, reached after 50 steps.
    every: steps between two measurements. seed: of texts and first weights. Raises `InvalidInput` for numbers out of
    range or that do not fit one another.
    Source: Olsson et al. (2022), In-context Learning and Induction Heads, for what is measured; the recipe is ours.
    """

    layers: int = 2
    dim: int = 64
    heads: int = 4
    words: int = 48
    length: int = 64
    shortest: int = 8
    longest: int = 24
    steps: int = 1000
    batch: int = 32
    rate: float = 5e-3
    every: int = 25
    seed: int = 0
    positions: bool = True

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.name not in ("rate", "seed", "positions")):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        object.__setattr__(self, "seed", whole(self.seed, "seed", least=0))
        object.__setattr__(self, "rate", positive(self.rate, "rate"))
        object.__setattr__(self, "positions", flag(self.positions, "positions"))
        if self.dim % self.heads:
            raise InvalidInput(f"heads: {self.heads} heads do not divide the dim {self.dim}")
        if not 2 <= self.shortest <= self.longest:
            raise InvalidInput(f"shortest: {self.shortest}; expected at least 2 and at most longest ({self.longest})")
        if self.longest > self.words:
            raise InvalidInput(f"longest: {self.longest} distinct words do not exist among {self.words}")
        if self.longest + 2 > self.length:
            raise InvalidInput(f"length: {self.length} words leave no repeated pair after a period of {self.longest}")

    def texts(self, count: int, rng: np.random.Generator) -> "RepeatedTexts":
        """New random texts."""
        periods = rng.integers(self.shortest, self.longest, size=count, endpoint=True)
        rows = np.argsort(rng.random((count, self.words)), axis=1)  # a random order of all words for each text
        places = np.arange(self.length) % periods[:, None]
        return RepeatedTexts(np.take_along_axis(rows, places, axis=1), periods)

    def batch_of(self, step: int) -> "RepeatedTexts":
        """The texts of one step of the training; those of a step are the same whenever they are drawn."""
        return self.texts(self.batch, np.random.default_rng([self.seed, 1, whole(step, "step", least=0)]))

    def held_out(self, count: int = 32) -> "RepeatedTexts":
        """Texts for measurements, drawn from a stream that no step of the training uses."""
        require_room(whole(count, "count") * self.words, f"{count:,} texts of {self.words:,} words")
        return self.texts(count, np.random.default_rng([self.seed, 2]))


@dataclass(frozen=True, eq=False)
class RepeatedTexts:
    """Texts of repeated words. tokens: the number of each word, `(n_texts, length)`. periods: `(n_texts,)`."""

    tokens: np.ndarray
    periods: np.ndarray

    @property
    def repeated(self) -> np.ndarray:
        """Where the next word can be known: the word at hand occurred before, `(n_texts, length − 1)`."""
        return np.asarray(np.arange(self.tokens.shape[1] - 1) >= self.periods[:, None])

    @property
    def new(self) -> np.ndarray:
        """Where the next word is one that the text did not have yet, so that it can only be guessed, as `repeated`."""
        return np.asarray(np.arange(self.tokens.shape[1] - 1) < self.periods[:, None] - 1)
