"""Memories whose energy is the logarithm of a sum of kernels, E = −β⁻¹ log Σ_μ k(ξ_μ, x).

The kernel of Epanechnikov has a range; the kernel exp(β ξ·x) is a sum over random features, in which patterns add up.
"""

import math
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.recall import AssociativeMemory, Cues
from hopattn.foundation.arrays import Array, Mask, as_float, in_numbers_of, namespace, shaped
from hopattn.foundation.boundary import Declared, Of, Positive, public
from hopattn.foundation.vectors import nonzero
from hopattn.memories.memory import rows_of
from hopattn.retrieval.activation import Activation, Identity
from hopattn.retrieval.features import RandomFeatures
from hopattn.retrieval.masks import as_mask
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Euclidean, Similarity

CURE = "a smaller beta such as 1/dim"
Patterns = Annotated[Any, rows_of, Of("n_patterns dim")]


@dataclass(frozen=True, eq=False)
class LogSumRelu(Declared, AssociativeMemory):
    """A memory with a range: E(x) = −β⁻¹ log(ε + Σ_μ [1 − ½β|x − ξ_μ|²]₊), and x⁺ is the mean of the patterns near x.

    patterns: `(n_patterns, dim)`. beta: β; a pattern is near a state where |x − ξ_μ| < √(2/β). epsilon: ε, which keeps
    the energy finite where nothing is near: it is −β⁻¹ log ε there; 1e-8 by default. Raises `InvalidInput` for
    patterns that are not finite, and for a β or an ε that is not positive.

    The gradient is ∇E = n (x − x⁺) / (ε + Σ_μ [1 − ½β|x − ξ_μ|²]₊), with the n patterns near x and their mean x⁺. So a
    state is a fixed point only where it is that mean, and a step never raises the energy: with Ψ = Σ [1 − ½β d_μ]₊,
    convex in the squared distances d, Ψ(x⁺) − Ψ(x) ≥ ½β Σ_near (|x − ξ_μ|² − |x⁺ − ξ_μ|²) = ½β n |x⁺ − x|². A state
    that no pattern is near stays where it is, and its recall has the status "nothing near".
    Source: Hoover et al. (2025), NeurIPS, arXiv:2506.10801, "log-sum-ReLU" (their Ξ is our patterns); the step is one
    of the mean shift: Fukunaga & Hostetler (1975), IEEE Trans. Inf. Theory 21, 32.
    """

    _file_kind: ClassVar[str] = "LogSumRelu"
    similarity: ClassVar[Similarity] = Euclidean()
    activation: ClassVar[Activation] = Identity()
    _cure: ClassVar[str] = CURE
    patterns: Patterns
    beta: Positive = 1.0
    epsilon: Positive = 1e-8

    def __repr__(self) -> str:
        return f"LogSumRelu(patterns {tuple(self.patterns.shape)}, beta={self.beta:g}, epsilon={self.epsilon:g})"

    @property
    def _reference(self) -> ReferencePatterns:
        return ReferencePatterns(self.patterns, self.activation, by_distance=True)

    @property
    def radius(self) -> float:
        """√(2/β): the distance below which a pattern is near a state."""
        return math.sqrt(2 / self.beta)

    @public
    def weights(self, cues: Cues, mask: Mask = None) -> Array:
        """1/n for each of the n patterns near a cue, else 0, `(n_cues, n_patterns)`; zeros where nothing is near."""
        near, n = self._near(cues, mask)[1:]
        return near / nonzero(n)

    def _why_not(self, capability: str) -> str:
        match capability:
            case "single-neuron updates":
                return "the patterns near a state depend on all its neurons together"
            case "continuous time":
                return "the mean of the patterns near a state jumps"
        return super()._why_not(capability)

    def _field_at(self, x: Array, mask: Any) -> Array:
        near, n = self._near(x, mask)[1:]
        return namespace(x).where(n > 0, (near @ self.patterns) / nonzero(n), x)

    def _nothing_near(self, states: Array, mask: Any = None) -> Array:
        return self._near(states, mask)[2][..., 0] == 0

    def _energy_at(self, x: Array, mask: Any) -> Array:
        depths, near, n = self._near(x, mask)
        xp = namespace(depths)
        excess = (n[..., 0] - 1) - xp.sum(xp.where(near > 0, depths, 0.0), axis=-1)
        is_near = n[..., 0] > 0
        log = xp.log1p(xp.where(is_near, excess, 0.0) + self.epsilon)  # keeps the digits near a pattern
        return -xp.where(is_near, log, math.log(self.epsilon)) / self.beta

    @public
    def gradient(self, states: Cues, mask: Mask = None) -> Array:
        """∇E(x) = n (x − x⁺) / (ε + Σ_μ [1 − ½β|x − ξ_μ|²]₊), `(n_cues, dim)`; 0 where nothing is near."""
        depths, near, n = self._near(states, mask)
        total = n - namespace(depths).sum(depths * near, axis=-1, keepdims=True) + self.epsilon
        return n / total * (states - self._field_at(states, mask))

    def _near(self, states: Array, mask: Any) -> tuple[Array, Array, Array]:
        """½β|x − ξ_μ|², at most 4, and 1 where it is below 1, `(…, n_patterns)`; the number of these, `(…, 1)`."""
        xp = namespace(states)
        reach = xp.clip(self.similarity(states, self.patterns) / self.radius, -2.0, None)  # no square overflows
        depths = reach * reach
        near = depths < 1 if mask is None else (depths < 1) & as_mask(mask)
        indicator = xp.astype(near, states.dtype)
        return depths, indicator, xp.sum(indicator, axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class SuperposedMemory(Declared, AssociativeMemory):
    """A memory of exp(β ξ·x) in which the patterns are added up: T = Σ_μ φ(ξ_μ), in n random features.

    E(x) = ½|x|² − β⁻¹ log T·φ(x)          x⁺ = ½ Σ_i p_i √((1 + 4a)/β) ω_i,  p = softmax_i(log T_i + log φ_i(x))

    patterns: `(n_patterns, dim)`, with which recalled states are compared; no step reads them. phi: the features, a
    `hopattn.retrieval.RandomFeatures` with β and a damping a. sums: log T, `(n,)`, by default that of the patterns: n
    numbers, however many patterns are stored; `with_patterns` adds more. Raises `InvalidInput` for sums that do not
    fit.

    The exact energy is that of `ha.memories.modern`. Errors of energy and gradient fall like 1/√n, and grow with β and
    with the lengths of patterns and states. Since log φ_i(x) is −½β|x|² plus a linear function of x, the energy is |x|²
    minus a convex function; the step minimises |x|² minus the tangent of that, so that it never raises the energy.
    Source: Hoover et al. (2024), NeurIPS, arXiv:2410.24153 (their T is our T, their Y our n, their φ has sines and
    cosines), with the positive features of Choromanski et al. (2021), ICLR.
    """

    _file_kind: ClassVar[str] = "SuperposedMemory"
    activation: ClassVar[Activation] = Identity()
    _cure: ClassVar[str] = CURE
    patterns: Patterns
    phi: RandomFeatures
    sums: Annotated[Array, Of("n_features")] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sums is None:
            object.__setattr__(self, "sums", Softmax().potential(self.phi.exponents(self.patterns).mT))
        shaped(self.sums, "sums", "n_features", n_features=self.phi.n)

    def __repr__(self) -> str:
        return f"SuperposedMemory(patterns {tuple(self.patterns.shape)}, {self.phi!r})"

    @property
    def beta(self) -> float:
        """The inverse temperature, that of the features."""
        return self.phi.beta

    def with_patterns(self, patterns: Array) -> Self:
        """The memory with more patterns `(n_patterns, dim)`, or one `(dim,)`; the number of its sums stays the same."""
        xp, more = namespace(self.patterns), as_float(patterns, "patterns", like=self.patterns)
        rows = rows_of(xp.concat([self.patterns, more if more.ndim > 1 else more[None, ...]]), "patterns")
        exponents = self.phi.exponents(rows[self.patterns.shape[0] :, ...])
        return replace(self, patterns=rows, sums=Softmax().potential(xp.concat([self.sums[None, :], exponents]).mT))

    def _why_not(self, capability: str) -> str:
        match capability:
            case "mask":
                return "the patterns are added up, so that none can be masked"
            case "single-neuron updates":
                return "a neuron takes part in every feature, so that none is updated alone"
        return super()._why_not(capability)

    def _field_at(self, x: Array, mask: Any) -> Array:
        weights = Softmax().weights(self.phi.projections(x) + self.sums)
        directions = in_numbers_of(x, self.phi.directions(x.shape[-1]))
        return (weights @ directions) * (0.5 * math.sqrt((1 + 4 * self.phi.damping) / self.beta))

    def _energy_at(self, x: Array, mask: Any) -> Array:
        return self.activation.conjugate(x) - Softmax().potential(self.phi.exponents(x) + self.sums) / self.beta

    @public
    def gradient(self, states: Cues, mask: Mask = None) -> Array:
        """∇E(x) = 2 (x − x⁺), `(n_cues, dim)`. A mask raises `InvalidInput`: the patterns are added up."""
        return 2 * super().gradient(states, mask)
