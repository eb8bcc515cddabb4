"""The public names of hopattn.jax, each stated once."""

from .fixed_point import Recalled as Recalled
from .fixed_point import largest_eigenvalue as largest_eigenvalue
from .fixed_point import recall as recall
from .layer import Hopfield as Hopfield
