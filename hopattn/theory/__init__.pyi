"""The public names of `ha.theory`."""

from .dense import dense_capacity as dense_capacity
from .mean_field import critical_load as critical_load
from .mean_field import glass_temperature as glass_temperature
from .mean_field import overlap as overlap
from .mean_field import retrieval_temperature as retrieval_temperature
from .mean_field import stable_load as stable_load
from .mean_field import stable_temperature as stable_temperature
from .separation import Margins as Margins
from .separation import margins as margins
from .sparse import sparse_load as sparse_load
from .sparse import sparse_overlap as sparse_overlap
from .spin_glass import metastable_rate as metastable_rate
from .variants import diluted_load as diluted_load
from .variants import forgetting_load as forgetting_load
from .variants import noisy_load as noisy_load
