"""One step of associative recall: similarity, separation, projection, activation.

    s = sim(K, x)          p = ∇Ψ(s)          h = Vᵀ p          x⁺ = ∇Φ(h)

Its files, each of which imports only those above it:

- `features.py`: φ(x): maps of cues and keys whose products are scores
- `similarity.py`: s = sim(K, x): how well a cue matches each key
- `separation/`: p = ∇Ψ(s): from scores to weights
- `activation.py`: x⁺ = ∇Φ(h): from the field of a neuron to its state
- `masks.py`: the keys that each query may attend to
- `cues.py`: the lecture's cue: a matrix of weights and one activation
- `weight_spread.py`: how widely a row of weights is spread: entropy, operating class
- `free_energies.py`: F = U − S/β: what weights of scores minimise
- `online_softmax.py`: running sums over blocks of keys: the online softmax, plain sums
- `blockwise.py`: the same step over blocks of cues and keys
- `ways.py`: which way a step is computed: in one piece, over blocks, by PyTorch's kernel
- `fused.py`: the same step by PyTorch's fused attention
- `step.py`: the four formulas, in four lines
- `interventions.py`: the step without a pattern, by a formula
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
