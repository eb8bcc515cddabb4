"""Gradients: how much of a change of the output reaches the input and the weights, and where it vanishes.

- `curves.py`: random trials over a row of points: mean, standard error, median
- `softmax.py`: the Jacobian of the softmax, and its size
- `saturation.py`: the size of that Jacobian against the magnitude of the scores
"""
