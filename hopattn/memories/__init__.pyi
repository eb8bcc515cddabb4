"""The public names of `ha.memories`."""

from .from_layers import of_network as of_network
from .interventions import worth as worth
from .models import named_memories as named_memories
from .models.addressed import delta as delta
from .models.addressed import linear as linear
from .models.addressed import nearest as nearest
from .models.addressed import sdm as sdm
from .models.addressed import universal as universal
from .models.classical import bam as bam
from .models.classical import graded as graded
from .models.classical import hopfield as hopfield
from .models.classical import input_driven as input_driven
from .models.dense import dense as dense
from .models.dense import exponential as exponential
from .models.dense import sequence as sequence
from .models.hidden import stable_hidden_states as stable_hidden_states
from .models.hidden import threshold_layer as threshold_layer
from .models.kernels import log_sum_relu as log_sum_relu
from .models.kernels import random_features as random_features
from .models.modern import k_subsets as k_subsets
from .models.modern import modern as modern
from .models.modern import normmax as normmax
from .models.modern import sparse as sparse
from .models.modern import spherical as spherical
