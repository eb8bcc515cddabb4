"""Positions: how a vector, or a score, encodes the position of its word in a text.

- `planes.py`: pairs of axes, their frequencies, the rotation of all pairs, and points on a circle
- `sinusoids.py`: points on circles of many frequencies, the matrix of a step, and words joined with positions
- `scaling.py`: rotary frequencies of models that were made fit for longer texts
- `rotary.py`: queries and keys, rotated by their positions
- `distance_biases.py`: biases of scores that fall with the distance
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
