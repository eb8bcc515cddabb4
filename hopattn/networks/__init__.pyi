"""The public names of `ha.networks`."""

from . import learning as learning
from .curie_weiss import CurieWeiss as CurieWeiss
from .curie_weiss import curie_weiss as curie_weiss
from .curie_weiss import mean_field as mean_field
from .ising import Boltzmann as Boltzmann
from .ising import boltzmann as boltzmann
