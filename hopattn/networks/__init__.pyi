"""The public names of `ha.networks`."""

from .energy_transformer import EnergyTransformer as EnergyTransformer
from .energy_transformer import Patches as Patches
from .ising import Boltzmann as Boltzmann
from .ising import CurieWeiss as CurieWeiss
from .ising import boltzmann as boltzmann
from .ising import curie_weiss as curie_weiss
from .ising import mean_field as mean_field
from .layers import Layer as Layer
from .network import Network as Network
from .optimisation import MaxCut as MaxCut
from .optimisation import Minimised as Minimised
from .optimisation import Quadratic as Quadratic
from .optimisation import Queens as Queens
from .optimisation import TravellingSalesman as TravellingSalesman
from .optimisation import minimise as minimise
from .synapses import Attention as Attention
from .synapses import Convolution as Convolution
from .synapses import Dense as Dense
from .synapses import Function as Function
from .synapses import Stored as Stored
from .synapses import Synapse as Synapse
