"""The public names of `ha.torch`."""

from .bags import BagTraining as BagTraining
from .bags import learn_bag as learn_bag
from .bags import learn_bags as learn_bags
from .layers import Hopfield as Hopfield
from .layers import HopfieldLayer as HopfieldLayer
from .layers import HopfieldPooling as HopfieldPooling
from .rest import Rest as Rest
