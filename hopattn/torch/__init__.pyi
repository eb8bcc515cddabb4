"""The public names of `ha.torch`."""

from .layers import Hopfield as Hopfield
from .layers import HopfieldLayer as HopfieldLayer
from .layers import HopfieldPooling as HopfieldPooling
from .rest import Rest as Rest
