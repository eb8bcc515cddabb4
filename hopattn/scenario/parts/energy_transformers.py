"""Energy Transformer blocks, as a scenario writes them: of pictures, or of matrices."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.networks.energy_transformer import EnergyTransformer, Patches, TokenMemory
from hopattn.retrieval.activation import Activation, Identity
from hopattn.scenario.language.common_problems import one_of_problems, refusals, unused_problems
from hopattn.scenario.language.fields import Count, PositiveNumber, Problem, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.networks import (
    ArrayChoice,
    Cue,
    Settling,
    array_of,
    array_problems,
    count_of,
    pattern_problems,
)
from hopattn.scenario.words.damaged_cues import random_stream
from hopattn.scenario.words.word_list import Words

OF_PICTURES, OF_MATRICES = ("pictures", "patches", "sharpness"), ("query", "key", "memories")
"""The keys of a block that completes pictures, and of one that is given by its matrices."""
HIDDEN = 1e-9
"""The largest number of a pixel that is hidden."""


class EnergyTransformerTable(Settling):
    """An Energy Transformer block: of pictures, whose hidden patches it completes, or of matrices."""

    pictures: Annotated[list[Text], Field(min_length=1)] | None = None
    """The pictures of which the block is made, without training."""
    patches: Count = 1
    """With `pictures`: the number of patches of a picture, each of them a token; a patch is a run of pixels."""
    sharpness: PositiveNumber = 4.0
    """With `pictures`: the inverse temperature of the memories, which are their patches."""
    query: ArrayChoice | None = None
    """Instead of pictures: W_Q, of the shape [heads, dim of a head, dim of a token]."""
    key: ArrayChoice | None = None
    """With `query`: W_K, of the same shape."""
    memories: ArrayChoice | None = None
    """With `query`: the vectors that tokens are compared with, one in each row."""
    beta: PositiveNumber | None = None
    """The inverse temperature of the attention; by default 0.5 with `pictures`, else 1/√(dim of a head)."""
    attends_itself: bool = False
    """Whether a token attends to itself too; the energy may rise then."""

    @property
    def patterns(self) -> list[str]:
        """The words with which a recall is compared."""
        return self.pictures or []

    @property
    def answers(self) -> list[str]:
        """The words with which an answer is compared; a block has none."""
        return []

    @property
    def given(self) -> str:
        """The name of what a cue gives."""
        return "picture" if self.pictures else "tokens"

    def size(self, dim: int) -> tuple[int, int]:
        """The numbers of a state, at most, and of the matrices."""
        tokens = self.patches if self.pictures else 64
        matrices = sum(count_of(one, dim) for one in (self.query, self.key, self.memories) if one is not None)
        return 2 * tokens * (dim + tokens), matrices

    def problems(self, words: Words) -> Iterator[Problem]:
        """Keys that do not go together, unknown words, and arrays that do not fit."""
        place: Path = ("energy_transformer",)
        found = [*one_of_problems(self, ("pictures", "query"), place)]
        if not found and self.pictures:
            found += unused_problems(self, OF_MATRICES, place, "belongs to `query`, and `pictures` is given")
            found += pattern_problems(self.pictures, words, len(words.axes), (*place, "pictures"))
            found += [] if words.size else [Problem((*place, "pictures"), "the words are not pictures")]
        elif not found:
            found += unused_problems(self, OF_PICTURES, place, "belongs to `pictures`, and `query` is given")
            absent = [f"`{name}`" for name in OF_MATRICES if getattr(self, name) is None]
            found += [Problem(place, f"needs {' and '.join(absent)} beside `query`")] if absent else []
            for name in OF_MATRICES:
                if (value := getattr(self, name)) is not None:
                    found += array_problems(value, words, (*place, name))
        yield from found
        if not found:
            yield from refusals(place, lambda: self.build(words, 0), "n_tokens: ")

    def build(self, words: Words, root: int) -> EnergyTransformer:
        """The block; raises `InvalidInput` for matrices that do not fit, and a number of patches that does not."""
        if self.pictures is None:
            query, key, memories = (
                array_of(getattr(self, name), words, random_stream(root, name)) for name in OF_MATRICES
            )
            return EnergyTransformer(query, key, memories, beta=self.beta, attends_itself=self.attends_itself)
        rows = np.stack([words.vectors[word] for word in self.pictures])
        block = EnergyTransformer.of_pictures(
            rows, self._patches(words), beta=self.beta or 0.5, sharpness=self.sharpness
        )
        return replace(block, attends_itself=self.attends_itself)

    def _patches(self, words: Words) -> Patches:
        return Patches(len(words.axes), self.patches)

    def cue_problems(self, cue: Cue, words: Words, path: Path) -> Iterator[Problem]:
        """A value of another name, words that are unknown, and pictures of which nothing is hidden."""
        if [*cue] != [self.given]:
            yield Problem(path, unknown(next((name for name in cue if name != self.given), ""), [self.given]))
            return
        problems = [*array_problems(cue[self.given], words, (*path, self.given))]
        yield from problems
        if not problems:
            start = lambda: self.start(self.build(words, 0), cue, words, 0, "")  # noqa: E731
            yield from refusals((*path, self.given), start, "clamped: ")

    def start(
        self, block: EnergyTransformer, cue: Cue, words: Words, root: int, name: str
    ) -> tuple[TokenMemory, np.ndarray]:
        """The memory of this cue, whose known patches are clamped, and the state from which it starts."""
        given, known = array_of(cue[self.given], words, random_stream(root, f"{name} {self.given}")), None
        if self.pictures is not None:
            known = np.all(given.reshape(self.patches, -1) != 0, axis=1)
            given = self._patches(words).tokens(given)
        memory = block.memory(len(given), clamped=known)
        return memory, np.asarray(block.norm(given)).reshape(-1)

    def parts(self, memory: TokenMemory) -> dict[str, slice]:
        """The part of each token in a state."""
        dim = memory.block.dim
        return {f"token {i + 1}": slice(i * dim, (i + 1) * dim) for i in range(memory.total // dim)}

    def seen(self, memory: TokenMemory, states: np.ndarray, words: Words) -> np.ndarray:
        """The pictures of states `(…, total)`, `(…, n_pixels)`: the sign of each pixel, 0 for one that is hidden."""
        tokens = states.reshape(*states.shape[:-1], self.patches, memory.block.dim)
        pixels = np.asarray(self._patches(words).pictures(tokens))
        return np.where(np.abs(pixels) > HIDDEN, np.sign(pixels), 0.0)

    def neurons(self, memory: TokenMemory) -> Activation:
        """The activation of the pictures."""
        return Identity()
