"""The public names of `ha.retrieval`."""

from .features import RandomFeatures as RandomFeatures
from .free_energies import FreeEnergy as FreeEnergy
from .similarity import Additive as Additive
from .similarity import Bilinear as Bilinear
from .similarity import Capped as Capped
from .weight_spread import operating_class as operating_class
