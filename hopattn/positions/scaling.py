"""Scaled rotary positions: the frequencies of a model that was made fit for longer texts than it was first trained on.

A frequency θ turns its plane once in 2π/θ positions. The slow ones are slowed down further, the fast ones stay.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass

import numpy as np

from hopattn.foundation.boundary import Count, Declared, Flag, Positive
from hopattn.foundation.errors import InvalidInput


class Scaling(ABC):
    """A rule for frequencies `(n_planes,)` that were base^(−2i / dim).

    length: the factor of all rotated dims, so that scores grow by its square.
    """

    length: float = 1.0

    @abstractmethod
    def __call__(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        """The scaled frequencies."""


@dataclass(frozen=True)
class LinearScaling(Declared, Scaling):
    """All frequencies divided by `factor`. Source: Chen et al. (2023), arXiv:2306.15595, section 2.3."""

    factor: Positive

    def __call__(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        return np.asarray(frequencies / self.factor)


@dataclass(frozen=True)
class WavelengthScaling(Declared, Scaling):
    """Waves shorter than original/high stay, those longer than original/low are slowed `factor` times, as in Llama 3.1.

    Between them, the share of the frequency that stays rises with original/wavelength from 0 at `low` to 1 at `high`.

    Parameters
    ----------
    original : the number of positions that the model was first trained on.

    Raises
    ------
    InvalidInput : unless high is above low.

    Notes
    -----
    Source: the published code of Llama 3.1 (`apply_scaling`).
    """

    factor: Positive
    _: KW_ONLY
    low: Positive
    high: Positive
    original: Count

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.high <= self.low:
            raise InvalidInput(f"high: got {self.high:g}; expected a number above low, {self.low:g}")

    def __call__(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        turns = self.original * frequencies / (2 * math.pi)
        share = np.clip((turns - self.low) / (self.high - self.low), 0.0, 1.0)
        return np.asarray((1 - share) * frequencies / self.factor + share * frequencies)


@dataclass(frozen=True)
class YarnScaling(Declared, Scaling):
    """Planes that turn more than `fast` times in the original length stay, those below `slow` turns are slowed.

    Parameters
    ----------
    factor : by which the slowed frequencies are divided; between both, the share falls linearly from plane to plane.
    original : the positions that the model was first trained on.
    whole : whether the ends of the linear part are rounded outwards to whole planes.
    length : the factor of the rotated dims, 1 + 0.1 log(factor) by the paper's choice.

    Notes
    -----
    Source: Peng et al. (2024), ICLR, 3.2 and 3.4 (their s, α and β are our factor, slow and fast).
    """

    factor: Positive
    _: KW_ONLY
    original: Count
    fast: Positive
    slow: Positive
    whole: Flag
    length: Positive

    def __call__(self, frequencies: np.ndarray, base: float) -> np.ndarray:
        n = len(frequencies)
        if base == 1:
            raise InvalidInput("base: got 1; expected another one, since all frequencies are then alike")

        def plane(turns: float) -> float:
            return n * math.log(self.original / (turns * 2 * math.pi)) / math.log(base)

        low, high = plane(self.fast), plane(self.slow)
        if self.whole:
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, 2 * n - 1)
        ramp = np.clip((np.arange(n) - low) / (high - low if high != low else 0.001), 0.0, 1.0)
        return np.asarray(ramp * frequencies / self.factor + (1 - ramp) * frequencies)
