"""Recall and a layer for JAX, to be trained in a network (the extra `jax`).

- `fixed_point.py`: recall of some steps or to the fixed point, with its gradient
- `layer.py`: `Hopfield`, heads with projections as a pytree
"""

from importlib.util import find_spec
from typing import Any

from hopattn.foundation.errors import CannotDo
from hopattn.foundation.lazy import attach

load, __dir__, names = attach(__name__, __file__)
__all__ = names if find_spec("jax") else []


def __getattr__(name: str) -> Any:
    if name in names and not __all__:
        raise CannotDo(f"hopattn.jax.{name} needs JAX: pip install jax")
    return load(name)
