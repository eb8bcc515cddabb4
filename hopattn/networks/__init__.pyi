"""The public names of `ha.networks`."""

from . import learning as learning
from .ising import Boltzmann as Boltzmann
from .ising import CurieWeiss as CurieWeiss
from .ising import boltzmann as boltzmann
from .ising import curie_weiss as curie_weiss
from .ising import mean_field as mean_field
