"""Layers of PyTorch that recall: attention of any number of steps, to be trained in a network (the extra `torch`).

- `bags.py`: two tasks in which one vector of a bag decides, learned by layers beside each other
- `layers.py`: `Hopfield`, `HopfieldPooling` and `HopfieldLayer`, modules of PyTorch
- `states.py`: the states of hopfield-layers and of `torch.nn.MultiheadAttention`, read and written
- `rest.py`: recall to the fixed point, and its gradient
- `association.py`: one step of all heads, its weights and its energy
"""

from importlib.util import find_spec
from typing import Any

from hopattn.foundation.errors import CannotDo
from hopattn.foundation.lazy import attach

load, __dir__, names = attach(__name__, __file__)
__all__ = names if find_spec("torch") else []


def __getattr__(name: str) -> Any:
    if name in names and not __all__:
        raise CannotDo(f"hopattn.torch.{name} needs PyTorch: pip install torch")
    return load(name)
