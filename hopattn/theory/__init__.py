"""Theory: numbers that the literature derives for infinitely many neurons or random patterns, without a simulation.

- `mean_field.py`: the Hopfield network at a load and a temperature: its mean-field equations, and its phases
- `dense.py`: the number of patterns of a dense associative memory
- `separation.py`: how far given patterns are apart: the β that recalls them, the damage that surely heals
- `sparse.py`: sparse coding: neurons of 0 and 1, patterns of low activity, the covariance rule and a threshold
- `variants.py`: static noise, clipped synapses, dilution and forgetting
- `spin_glass.py`: the number of metastable states of a Sherrington–Kirkpatrick spin glass
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
