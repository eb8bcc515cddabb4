"""Gradients: how much of a change of the output reaches the input and the weights, and where it vanishes.

- `backward_pass.py`: the derivatives of each piece of a layer, and the backward pass of blocks and stacks
- `curves.py`: random trials: the softmax against the magnitude of its scores, gradients against the depth of a stack
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
