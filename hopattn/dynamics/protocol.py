"""The protocol of a memory: what a recall and an update ask of it, with the answers that most memories give.

A memory of any kind (keys and values, couplings, two sides, keys on many machines) subclasses it and overrides what
differs.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from hopattn.dynamics.likeness import ReferencePatterns
from hopattn.dynamics.single_neuron import SingleNeuronStates
from hopattn.foundation.arrays import Array, namespace, shaped
from hopattn.foundation.boundary import Of, Owner
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.vectors import largest_entries, nonzero
from hopattn.retrieval.activation import Activation

Cues = Annotated[Any, Of("… dim")]
"""Cues, or states, of the dim that the arrays of a memory say."""
NO_LAYERS = "the neurons of this memory are not in layers; 'sync' updates them all at once"


class Recallable(Owner, ABC):
    """A memory as `recall` and every update see it.

    patterns: `(n_patterns, dim)`, the patterns that recalled states are compared with. activation: the activation of
    its neurons. lacks: what the memory lacks, each with the reason:

        "recall"                   a state that can be the next cue
        "energy"                   an energy
        "convexity"                a convex potential of the states
        "convexity of a neuron"    a potential that is convex in each neuron alone
        "convexity of a layer"     a potential that is convex in each layer alone
        "single-neuron updates"    neurons that can be updated one at a time
        "continuous time"          a field that can be followed in continuous time

    A subclass has these as fields, class variables or properties.
    """

    if TYPE_CHECKING:  # at run time a property here would hide a field of a subclass

        @property
        def lacks(self) -> Mapping[str, str]: ...
        @property
        def patterns(self) -> np.ndarray: ...
        @property
        def activation(self) -> Activation: ...
    else:
        lacks = MappingProxyType({})

    @abstractmethod
    def step(self, cues: Any, mask: Any = None) -> Any:
        """x⁺: one synchronous step, `(n_cues, dim)`."""

    @abstractmethod
    def field(self, cues: Any, mask: Any = None) -> Any:
        """h: the field of every neuron, before the activation, `(n_cues, dim)`."""

    @abstractmethod
    def energy(self, states: Any, mask: Any = None) -> Any:
        """E(x), `(n_cues,)`; raises `InvalidInput` with the reason where the memory lacks it."""

    def gradient(self, states: Any, mask: Any = None) -> Any:
        """∇E(x) = ∇Φ*(x) − h(x), `(n_cues, dim)`; of the activation "unit", its part along the sphere.

        Raises `InvalidInput` with the reason where the memory lacks an energy, and for an activation that jumps.
        """
        self.require_energy()
        x = shaped(states, "states", "… dim", like=("patterns", self.patterns), dim=self.patterns.shape[-1])
        return self.activation.inverse(x) - self.field(x, mask)

    def single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> SingleNeuronStates:
        """A batch of states in which one neuron is updated at a time; raises `InvalidInput` where that is lacking."""
        raise InvalidInput(f"update: {self.lacks['single-neuron updates']}")

    def require_energy(self) -> None:
        """Raise `InvalidInput` with the reason where the memory lacks an energy."""
        if "energy" in self.lacks:
            raise InvalidInput(f"energy: {self.lacks['energy']}")

    def nothing_near(self, states: Any, mask: Any = None) -> Any:
        """Whether no pattern takes part in the step of each state, `(n_cues,)`; in most memories, one always does."""
        x = shaped(states, "states", "… dim")
        return namespace(x).zeros_like(x[..., 0], dtype=namespace(x).bool)

    def step_with_energy(self, states: Any, mask: Any = None) -> tuple[Any, Any]:
        """One step, and the energy of the states before it; None where the memory lacks an energy."""
        return self.step(states, mask), None if "energy" in self.lacks else self.energy(states, mask)

    def step_of_layers(self, states: Any, mask: Any = None) -> Any:
        """One layer after another, each with the new states of those before it; a memory without layers has none."""
        raise InvalidInput(f"update: {NO_LAYERS}")

    @property
    def cure(self) -> str:
        """What makes an energy smaller that is beyond the numbers."""
        return "smaller couplings"

    @property
    def reference(self) -> ReferencePatterns:
        """The patterns that recalled states are compared with."""
        return ReferencePatterns(self.patterns, self.activation)

    def size_read(self, states: Array, mask: Array | None = None) -> Array:
        """The mean of the largest |entry| of each pattern, by the |overlaps| of states `(n, dim)`, `(n,)`."""
        return shared(abs(self.reference.overlaps(states)), largest_entries(self.patterns))

    @property
    def largest(self) -> float:
        """The largest |entry| of the patterns, and of what is read out for them."""
        return self.reference.largest

    @property
    def n_keys(self) -> int:
        """The number of keys: the last axis of a mask."""
        return self.reference.shape[0]

    @property
    def curvature(self) -> float:
        """The least λ for which the potential plus ½λ|x|² is convex: 0 if it is convex, infinite if no λ is enough."""
        return float("inf") if "convexity" in self.lacks else 0.0

    @property
    def time_constants(self) -> Any:
        """τ of each neuron, a number or `(dim,)`; infinite for one that is clamped."""
        return 1.0


def shared(shares: Array, sizes: Array) -> Array:
    """The mean of sizes `(n_patterns,)` by shares `(n, n_patterns)` of 0 or more, `(n,)`; 0 where all shares are 0."""
    with np.errstate(over="ignore", invalid="ignore"):
        xp = namespace(shares)
        parts = shares / nonzero(xp.max(shares, axis=-1, keepdims=True))
        return parts @ sizes / nonzero(xp.sum(parts, axis=-1))
