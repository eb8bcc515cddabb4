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

TEMPLATE = """\
# A word with two senses, and a word before it that tells which. Change the words, the text, and what must come out.
schema = 1
title = "my first attention"
source = "ours"                          # the document and section that it comes from
kind = "attention"

[vocabulary]
axes = ["cave", "cricket"]               # one name for each number of a vector
magnitude = "unit"                       # checked; "normalise" scales, "free" leaves vectors as they are
[vocabulary.words]
cave    = [1, 0]
cricket = [0, 1]
bat     = [0.6, 0.8]                     # half way between; .6² + .8² = 1

[input]
tokens = ["cave", "bat"]                 # the text

[[layer]]                                # more layers may follow
[[layer.head]]                           # more heads may follow
separation = "identity"                  # the raw similarity is the weight; "softmax" is a transformer's
mask = "strict"                          # previous words only; "causal" lets in the word itself

[[variant]]                              # the same with another text
name = "sport"
set = { "input.tokens" = ["cricket", "bat"] }

[[expect]]
at = "bat"
closer_to = "cave"
than = "cricket"
than_before = true                       # and closer than the bare word was

[[expect]]
variant = "sport"
at = "bat"
closer_to = "cricket"
than = "cave"

[[expect]]
weight = { from = "bat", to = "cave" }   # .6 × 1 + .8 × 0
is = 0.6
"""


class Attention(TextSpec):
    """A text and the layers of attention that it goes through."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("weights", "state", PROBABILITIES)
    template: ClassVar[str] = TEMPLATE
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
