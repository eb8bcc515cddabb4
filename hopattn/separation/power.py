"""Power separations: the interaction of dense associative memories."""

import math
from dataclasses import dataclass
from typing import ClassVar

from hopattn.arrays import Array, namespace, whole
from hopattn.separation.base import Separation, masked


@dataclass(frozen=True)
class Power(Separation):
    """Ψ₁(s) = Σ sⁿ/n, p = (βs)ⁿ⁻¹, for a whole n from 2 to 1000.

    Convex for even n only: for odd n the energy may rise. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, eq. 2 with F(x) = xⁿ (our potential is theirs divided by n; their
    update flips one neuron at a time by its energy difference, our step moves all by the gradient).
    """

    n: int = 2
    source: ClassVar[str] = "Krotov & Hopfield 2016"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "n", whole(self.n, "n", least=2, most=1000))

    @property
    def convex(self) -> bool:
        return self.n % 2 == 0

    def seen(self, scores: Array, where: Array | None) -> Array:
        """The scores that the powers are taken of."""
        return masked(scores, where)

    def potential(self, scores: Array, where: Array | None = None) -> Array:
        near, rest = self._split_beta()
        seen = near * self.seen(scores, where)
        return rest**self.n / (self.n * self.beta) * namespace(seen).sum(seen**self.n, axis=-1)

    def factored_weights(self, scores: Array, where: Array | None = None) -> tuple[Array, float]:
        near, rest = self._split_beta()
        return (near * self.seen(scores, where)) ** (self.n - 1), rest ** (self.n - 1)

    def _split_beta(self) -> tuple[float, float]:
        """β as a power of two times a number in [√½, √2).

        The power of two goes to the scores, which it scales without rounding, so that neither (βs)ⁿ⁻¹ overflows where
        βs does not, nor a tie between whole numbers is lost; what remains is applied after the sum.
        """
        exponent = round(math.log2(self.beta))
        return 2.0**exponent, self.beta / 2.0**exponent


@dataclass(frozen=True)
class RectifiedPower(Power):
    """Ψ₁(s) = Σ [s]₊ⁿ/n, p = [βs]₊ⁿ⁻¹, for a whole n from 2 to 1000: only patterns on the side of the cue count.

    Convex for every n. Raises `InvalidInput` for another n.
    Source: Krotov & Hopfield (2016), NeurIPS 29, eq. 4 (rectified polynomials; our potential is theirs over n).
    """

    @property
    def convex(self) -> bool:
        return True

    def seen(self, scores: Array, where: Array | None) -> Array:
        return namespace(scores).clip(masked(scores, where), 0.0, None)
