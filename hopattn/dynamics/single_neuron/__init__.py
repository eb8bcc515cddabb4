"""Neurons that are updated one at a time: with couplings, and with stored patterns.

- `base.py`: a batch of states in which one neuron changes at a time; the definition of a sweep
- `block_sums.py`: sums over all neurons for a block of them, from couplings or from overlaps with patterns
- `coupled.py`: neurons with couplings: a sweep in blocks, with the same result
- `stored.py`: neurons with stored patterns: a flip costs one evaluation of the potential
"""

from hopattn.dynamics.single_neuron.base import KnownDecision, SingleNeuronStates, SpinView, are_spins
from hopattn.dynamics.single_neuron.block_sums import Overlaps
from hopattn.dynamics.single_neuron.coupled import CoupledNeurons, CoupledSpins
from hopattn.dynamics.single_neuron.stored import StoredSpins

__all__ = [
    "CoupledNeurons",
    "CoupledSpins",
    "KnownDecision",
    "Overlaps",
    "SingleNeuronStates",
    "SpinView",
    "StoredSpins",
    "are_spins",
]
