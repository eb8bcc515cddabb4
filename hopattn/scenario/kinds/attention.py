"""kind = "attention": a text goes through layers of attention heads."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import dot, weighing
from hopattn.scenario.explain.attention import explain_layers
from hopattn.scenario.kinds.layered_text import TextSpec
from hopattn.scenario.language.array_layout import ArraySpec
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
        return super().size() + (0 if self.readout is None else words * (3 * len(self.rows) + self.dim))

    def declared_arrays(self) -> Iterator[ArraySpec]:
        yield from super().declared_arrays()
        if self.readout is not None:
            axes = ("token", self.rows), ("word", tuple(self.encoding.words))
            yield from (ArraySpec(name, axes) for name in (LOGITS, PROBABILITIES))

    def compute(self, rng: np.random.Generator) -> dict[str, Any]:
        arrays = super().compute(rng)
        if self.readout is None:
            return arrays
        return arrays | self.readout.arrays(self.encoding, arrays[self._last])

    @property
    def _last(self) -> str:
        """The name of the last state."""
        return f"layer {len(self.layer)} state"

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        yield from explain_layers(self.layer, self.encoding, arrays, crossed=self.crossed)
        if self.readout is not None:
            state, words = arrays[self._last], self.encoding.words
            yield f"the read-out of {state.labels[0][-1]}:"
            own = state.values[-1, self.encoding.parts[self.readout.part]]
            yield from (f"  {word}: {dot(own, vector)}" for word, vector in words.items())
            lines = weighing(self.readout.separation, arrays[LOGITS].values[-1].tolist(), [*words])
            yield from (f"  {line}" for line in lines)
