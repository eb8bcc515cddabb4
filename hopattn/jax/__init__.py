"""Recall and a layer for JAX, to be trained in a network (the extra `jax`).

- `fixed_point.py`: recall of some steps or to the fixed point, with its gradient
- `layer.py`: `Hopfield`, heads with projections as a pytree
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, needs="jax")
