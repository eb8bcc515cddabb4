"""Power separations: the interaction of dense associative memories."""

import math
from dataclasses import dataclass
from typing import ClassVar

from hopattn.foundation.arrays import Array, namespace
from hopattn.foundation.checks import whole
from hopattn.foundation.vectors import nonzero, rectified
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.block_form import BlockForm, PlainSum
from hopattn.retrieval.separation.scores import masked, whole_power


@dataclass(frozen=True)
class Power(Separation):
    """Ψ₁(s) = Σ sⁿ/n, p = (βs)ⁿ⁻¹, for a whole n from 2 to 1000.

    Convex for even n only; for odd n the energy may rise. Each row of scores is divided by a power of two before the
    power is taken, which rounds nothing: only a result that is itself out of range overflows, and a tie between whole
    numbers stays a tie. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, with F(x) = xⁿ (our potential is theirs divided by n; their
    update flips one neuron at a time by its energy difference, our step moves all by the gradient).
    """

    n: int = 2
    tempered: ClassVar[bool] = False
    source: ClassVar[str] = "Krotov & Hopfield 2016"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "n", whole(self.n, "n", least=2, most=1000))

    @property
    def convex(self) -> bool:
        return self.n % 2 == 0

    def block_form(self) -> BlockForm:
        return PlainSum()

    @property
    def as_sum(self) -> tuple[int, bool, float]:
        """Ψ as (n, whether scores below 0 count as 0, factor): the factor times the sum of the powers of the bases."""
        exponent, rest = self._split_beta()
        return self.n, False, rest**self.n / (self.n * self.beta) * 2.0 ** (self.n * exponent)

    def base(self, scores: Array, where: Array | None) -> Array:
        """The base of the powers: the scores, 0 where masked."""
        return masked(scores, where)

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        exponent, rest = self._split_beta()
        base, own = self._sized(scores, where)
        total = namespace(base).sum(whole_power(base, self.n), axis=-1)
        return total * (rest**self.n / (self.n * self.beta)) * _two_to(self.n * (own[..., 0] + exponent))

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, Array]:
        exponent, rest = self._split_beta()
        base, own = self._sized(scores, where)
        xp, power = namespace(scores), self.n - 1
        above_one = math.log2(rest) if isinstance(rest, float) else 0.0
        most = math.log2(float(xp.finfo(scores.dtype).max)) - 1 - power * max(0.0, above_one)
        return whole_power(base, power), rest**power * _two_to(
            xp.clip(power * (own + exponent), None, most)
        )  # no 0 · inf

    def _sized(self, scores: Array, where: Array | None) -> tuple[Array, Array]:
        """The bases divided by the power of two at or below the largest of their row, and its exponent, `(…, 1)`."""
        xp = namespace(scores)
        base = self.base(scores, where)
        exponent = xp.floor(xp.log2(nonzero(xp.max(xp.abs(base), axis=-1, keepdims=True))))
        return base / _two_to(exponent), exponent

    def _split_beta(self) -> tuple[int, float]:
        """β as (exponent, rest): β = rest · 2^exponent, with rest in [√½, √2); a β that is an array is the rest."""
        if not isinstance(self.beta, float):
            return 0, self.beta
        exponent = round(math.log2(self.beta))
        return exponent, self.beta / 2.0**exponent


@dataclass(frozen=True)
class RectifiedPower(Power):
    """Ψ₁(s) = Σ [s]₊ⁿ/n, p = [βs]₊ⁿ⁻¹, for a whole n from 2 to 1000: only patterns on the side of the cue count.

    Convex for every n. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, eq. 3 (rectified polynomials; our potential is theirs over n).
    """

    @property
    def convex(self) -> bool:
        return True

    @property
    def as_sum(self) -> tuple[int, bool, float]:
        n, _, factor = super().as_sum
        return n, True, factor

    def base(self, scores: Array, where: Array | None) -> Array:
        return rectified(masked(scores, where))


def _two_to(exponent: Array) -> Array:
    return namespace(exponent).pow(namespace(exponent).full_like(exponent, 2.0), exponent)
