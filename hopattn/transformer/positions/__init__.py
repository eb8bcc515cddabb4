"""Positions: how a vector, or a score, encodes the position of its word in a text.

- `planes.py`: pairs of axes, their frequencies, and the turn of all pairs
- `circle.py`: points on a circle, and rotations that move them
- `sinusoidal.py`: points on circles of many frequencies, and the matrix of a step
- `rotary.py`: queries and keys, turned by their positions
- `alibi.py`: biases of scores that fall with the distance
- `joining.py`: words and positions added, multiplied or concatenated
"""
