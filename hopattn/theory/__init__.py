"""Theory: numbers that the literature derives for infinitely many neurons or random patterns, without a simulation.

- `normal_means.py`: means over a normal field, at any ratio of its noise to the temperature
- `replica_symmetric.py`: the mean-field equations of the Hopfield network at a load and a temperature
- `phases.py`: the lines of the Hopfield network in the plane of load and temperature
- `mixtures.py`: the symmetric mixtures of patterns in a Hopfield network: overlap, energy, and where they are minima
- `dense_memories.py`: the number of patterns of a dense associative memory, and its errors
- `separation.py`: how far given patterns are apart: the β that recalls them, the damage that surely heals
- `one_step.py`: one step of Hebb's rule: the neurons that it turns
- `counting.py`: how many patterns any rule at all can store
- `sequences.py`: the length of a sequence of patterns
- `kanerva.py`: sparse distributed memory by its binomial counts
- `sparse_coding.py`: sparse coding: neurons of 0 and 1, patterns of low activity, the covariance rule and a threshold
- `variants.py`: static noise, clipped synapses, diluted synapses or patterns, and forgetting
- `parts.py`: a threshold layer, which keeps the sums of its parts
- `spin_glass.py`: the number of metastable states of a Sherrington–Kirkpatrick spin glass
- `random_energy.py`: Gaussian scores: the keys that hold the softmax weight, the load of Gaussian patterns
- `sphere.py`: the exponential memory on the sphere: its load, its temperature, its first step at finite N
- `one_update.py`: one update of a softmax memory: bounds of its error, and random patterns that are surely stored
- `denoising.py`: the least error of denoising, which one step of attention reaches
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
