"""Memories of keys and values, and every named model of the literature.

- `memory.py`: Memory: keys, values, and a step with a similarity, a separation and an activation
- `interventions.py`: the worth of a pattern: the memory without it, by a formula and measured
- `from_layers.py`: a network of layers as a memory
- `kernels.py`: memories of a sum of kernels: one with a range, and one whose patterns are added up
- `saved.py`: memories in files
- `models/`: the named memories
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
