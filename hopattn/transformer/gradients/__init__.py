"""Gradients: how much of a change of the output reaches the input and the weights, and where it vanishes.

- `curves.py`: random trials over a row of points: mean, standard error, median
- `softmax.py`: the Jacobian of the softmax, and its size
- `saturation.py`: the size of that Jacobian against the magnitude of the scores
- `pieces.py`: the derivatives of affine maps, nonlinearities, normalisations and feed-forward layers
- `attention.py`: the derivatives of one head, and of heads in parallel
- `block.py`: the backward pass of a block
- `stack.py`: the backward pass of a stack of blocks
- `depth.py`: the gradients at each layer of random stacks
"""
