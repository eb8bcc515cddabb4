"""Theory: numbers that the literature derives for infinitely many neurons or random patterns, without a simulation.

- `given.py`: the numbers that a formula is given
- `order_parameters.py`: the mean-field equations of the Hopfield network, and the curve of their solutions
- `retrieval.py`: how much of a pattern is retrieved at a load and a temperature, and where it is lost
- `stable_phases.py`: where a stored pattern is the deepest state, and where the spin glass melts
- `dense.py`: the number of patterns of a dense associative memory
- `sparse.py`: sparse coding: neurons of 0 and 1, patterns of low activity, the covariance rule and a threshold
"""

from hopattn.theory.dense import dense_capacity as dense_capacity
from hopattn.theory.retrieval import critical_load as critical_load
from hopattn.theory.retrieval import overlap as overlap
from hopattn.theory.retrieval import retrieval_temperature as retrieval_temperature
from hopattn.theory.sparse import sparse_load as sparse_load
from hopattn.theory.sparse import sparse_overlap as sparse_overlap
from hopattn.theory.stable_phases import glass_temperature as glass_temperature
from hopattn.theory.stable_phases import stable_load as stable_load
from hopattn.theory.stable_phases import stable_temperature as stable_temperature
