"""The arithmetic of a run, line by line, as a lecture writes it.

- `arithmetic.py`: sums and weights as text
- `positions.py`: positions that join words, turn queries and keys, and change scores
- `transformer_layer.py`: the arithmetic of output matrix, norms and feed-forward layer
- `attention.py`: the arithmetic of layers of attention
- `program.py`: the steps of a program
- `interventions.py`: the worth of patterns and tokens, by a formula and measured
- `energy.py`: the energy of a state, term by term
- `recall.py`: the arithmetic and the pictures of a recall
- `network.py`: the arithmetic of a network of layers
- `recurrent.py`: the arithmetic of a recurrent network and its decoder
"""
