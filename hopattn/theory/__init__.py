"""Theory: numbers that the literature derives for infinitely many neurons or random patterns, without a simulation.

- `mean_field.py`: the Hopfield network at a load and a temperature: its mean-field equations, and its phases
- `dense.py`: the number of patterns of a dense associative memory
- `sparse.py`: sparse coding: neurons of 0 and 1, patterns of low activity, the covariance rule and a threshold
"""

from hopattn.theory.dense import dense_capacity as dense_capacity
from hopattn.theory.mean_field import critical_load as critical_load
from hopattn.theory.mean_field import glass_temperature as glass_temperature
from hopattn.theory.mean_field import overlap as overlap
from hopattn.theory.mean_field import retrieval_temperature as retrieval_temperature
from hopattn.theory.mean_field import stable_load as stable_load
from hopattn.theory.mean_field import stable_temperature as stable_temperature
from hopattn.theory.sparse import sparse_load as sparse_load
from hopattn.theory.sparse import sparse_overlap as sparse_overlap
