"""Layers of PyTorch that recall: attention of any number of steps, to be trained in a network (the extra `torch`).

- `bags.py`: two tasks in which one vector of a bag decides, learned by layers beside each other
- `layers.py`: `Hopfield`, `HopfieldPooling` and `HopfieldLayer`, modules of PyTorch
- `states.py`: the states of hopfield-layers and of `torch.nn.MultiheadAttention`, read and written
- `rest.py`: recall to the fixed point, and its gradient
- `association.py`: one step of all heads, its weights and its energy
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__, needs="torch")
