"""kind = "attention": a text goes through layers of attention heads."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

import numpy as np

from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.explain.readout import explain_readout
from hopattn.scenario.kinds.layered_text import TextSpec
from hopattn.scenario.language.array_layout import ArraySpec, all_labelled
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.parts.readout import LOGITS, PROBABILITIES, ReadoutTable
from hopattn.scenario.words.vocabulary import WORD, Encoding


class Attention(TextSpec):
    """A text and the layers of attention that it goes through."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", "state", PROBABILITIES)
    kind: Literal["attention"]
    """Which kind of scenario it is."""
    readout: ReadoutTable | None = None
    """The read-out of the last state: a probability of each word."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from super().text_problems(coding)
        if self.readout is not None:
            yield from self.readout.problems(coding)

    def size(self) -> int:
        listed = self.spaces.get(WORD)
        words = len(listed) if isinstance(listed, list) else len(self.vocabulary.words) if self.vocabulary else 0
        return super().size() + (0 if self.readout is None else words * (3 * len(self._rows) + self.dim))

    def declared_arrays(self) -> list[ArraySpec]:
        arrays = super().declared_arrays()
        if self.readout is not None:
            axes = ("token", self._rows), ("word", tuple(self.encoding.words))
            arrays += [ArraySpec(name, axes) for name in (LOGITS, PROBABILITIES)]
        return arrays

    def compute(self, rng: np.random.Generator) -> dict[str, Labelled]:
        arrays = super().compute(rng)
        if self.readout is None:
            return arrays
        read = self.readout.arrays(self.encoding, self._last(arrays).values)
        return arrays | all_labelled(read, self.declared_arrays())

    def _last(self, arrays: Mapping[str, Labelled]) -> Labelled:
        return arrays[f"layer {len(self.layer)} state"]

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.input.queries is not None)
        if self.readout is not None:
            yield from explain_readout(self.readout, self.encoding, self._last(arrays), arrays)
