"""Neurons that are coupled to each other: by a matrix, or in layers by synapses.

- `couplings.py`: the sums over couplings, and spins that are updated one at a time by them
- `classical.py`: Hopfield: the protocol of a memory from a square matrix
- `associator.py`: Associator: one matrix, from one side to another; Bidirectional: two sides that recall each other
- `layers.py`: layers of neurons, whose Lagrangians are activations or separations
- `synapses.py`: the alignments of two, three and more layers: dense, convolution, attention
- `layered_spins.py`: spins of layers that are updated one at a time
- `network.py`: Network: layers and synapses, with the protocol of a memory
- `energy_transformer.py`: EnergyTransformer: tokens that descend one energy; Patches: pictures as tokens
- `ising.py`: averages over all states of a few spins at a temperature, and the magnet in which all are coupled alike
- `optimisation.py`: objectives as energies: the travelling salesman, cuts of graphs, queens, and their minima by recall
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
