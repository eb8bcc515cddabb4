"""Neurons that are coupled to each other by a matrix.

- `learning.py`: from patterns to couplings: Hebb, covariance, pseudo-inverse, Storkey, perceptron
- `hopfield.py`: Hopfield: the protocol of a memory from a square matrix
- `associator.py`: Associator: one matrix, from one side to another; Bidirectional: two sides that recall each other
- `ising.py`: averages over all states of a few spins at a temperature, and the magnet in which all are coupled alike
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
