"""Landscapes: all states of a small memory, its basins and saddles; of any memory, how far it recalls.

- `flow.py`: where a rule leads: the cycles of a map, the probabilities of the ends of a random descent
- `saddles.py`: the lowest ways from one minimum to another
- `enumerated.py`: all states of a few spins: energies, moves, basins with their update named
- `plane.py`: the energy over a plane or along a line, and where each state leads, for figures
- `sampled.py`: the share of damaged cues that return, by sampling, and the radius within which half of them do
- `stationary.py`: the fixed points of a continuous memory, which of them are stable, how they merge
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
