"""The read-out of a scenario: from the last state to a probability of each word, as language models do.

    logits = words · state          probabilities = softmax(β · logits)

The words that are read out are the vectors that go in (tied weights; Press & Wolf 2017, EACL).
"""

import math
from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from hopattn.foundation.vectors import linear
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.scenario.language.fields import PositiveNumber, Problem, Table
from hopattn.scenario.words.vocabulary import WORD, Encoding

LOGITS, PROBABILITIES = "logits", "probabilities"
"""The names of the arrays, one row for each token and one column for each word."""


class ReadoutTable(Table):
    """The read-out: the last state of each token is compared with every word, and a softmax makes probabilities."""

    part: Annotated[str, Field(alias="in")] = WORD
    """The part of the vector that is read."""
    beta: PositiveNumber = 1.0
    """The inverse temperature, which multiplies the dot products of state and words."""
    base: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    """The base of the powers in the softmax, instead of e: beta = ln base."""

    def problems(self, encoding: Encoding) -> Iterator[Problem]:
        """An unknown part, one that cannot be compared with words, and a base together with a beta."""
        yield from encoding.word_part_problems(self.part, ("readout", "in"))
        if not encoding.words:
            yield Problem(("readout",), "needs words that are written out, in [vocabulary] or [spaces]")
        if self.base is not None and self.beta != 1.0:
            yield Problem(("readout", "base"), "beta and base say the same thing; give one of them")

    @property
    def separation(self) -> Separation:
        """The softmax that makes probabilities of dot products."""
        return separations.make("softmax", beta=self.beta if self.base is None else math.log(self.base))

    def arrays(self, encoding: Encoding, state: np.ndarray) -> dict[str, np.ndarray]:
        """The logits and the probabilities of a state `(n, dim)`, each `(n, n_words)`."""
        words = np.stack(list(encoding.words.values()))
        logits = np.asarray(linear(state[:, encoding.parts[self.part]], words))
        return {LOGITS: logits, PROBABILITIES: np.asarray(self.separation.weights(logits))}
