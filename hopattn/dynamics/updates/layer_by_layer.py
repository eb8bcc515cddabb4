"""One layer after another: a step without a step size."""

from dataclasses import dataclass
from typing import ClassVar

from hopattn.dynamics.updates.base import AssociativeMemory, Descent, Moved, StepContext, Update
from hopattn.foundation.arrays import Array

NO_LAYERS = "the neurons of this memory are not in layers; 'sync' updates them all at once"


@dataclass(frozen=True)
class Layers(Update):
    """One layer after another takes the activation of its field: g⁺ = ∇L(∂F/∂g); a step is one sweep over all layers.

    g⁺ minimises L*(g) − x·g for the field x. Where the alignments F are linear in the layer, that is the energy: the
    step finds its exact minimum over the layer. Where they are convex in it, −F lies below its tangent, and the energy
    falls at least as far (the concave–convex procedure). Neither has a step size. Layers without a common synapse do
    not see each other's step, so that their order changes nothing. It is for a `Network` of layers alone; in the memory
    of an Energy Transformer, the tokens take their turns.
    Source: Krotov & Hopfield (2021), ICLR (the energy); Yuille & Rangarajan (2003) (the concave–convex procedure).
    """

    source: ClassVar[str] = "Krotov & Hopfield 2021; Yuille & Rangarajan 2003"
    way: ClassVar[str] = "one layer after another"
    on_devices: ClassVar[bool] = True

    def step(self, memory: AssociativeMemory, states: Array, *, mask: Array | None, context: StepContext) -> Moved:
        return memory._step_at(states, mask, energy=True, in_turn=True)  # type: ignore[call-arg]

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        if reason := memory.why_not("convexity of a layer"):
            return Descent(False, reason)
        return Descent(True, "each layer in turn minimises the energy, or a bound that touches it")

    def obstacle(self, memory: AssociativeMemory) -> str:
        return "" if hasattr(memory, "step_of_layers") else NO_LAYERS
