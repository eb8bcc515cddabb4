"""The public names of `ha.retrieval`."""

from .features import RandomFeatures as RandomFeatures
from .learned_similarity import Additive as Additive
from .learned_similarity import Bilinear as Bilinear
from .weight_spread import operating_class as operating_class
