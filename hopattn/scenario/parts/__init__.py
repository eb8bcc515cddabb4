"""The parts of a model, as a scenario file writes them.

- `projection.py`: queries, keys and values
- `heads.py`: attention heads, their rotary positions and biases
- `writing_rules.py`: the rules by which a text is written into one matrix
- `sublayers.py`: the feed-forward layer and the normalisation of a layer
- `torch_layers.py`: a layer with the weights of PyTorch's
- `layers.py`: layers of heads, with all that belongs to a transformer's layer
- `recurrent.py`: recurrent networks, and their decoder with attention
- `without.py`: patterns and tokens that are taken away
- `readout.py`: from the last state to the probabilities of words
- `decoder_layers.py`: the layers of a decoder
- `writing.py`: the text that a decoder writes
- `memories.py`: memories, by the name of a model or by their parts
- `ensembles.py`: patterns, random or from a file, the memory that stores them, and the damage of their cues
- `magnets.py`: spins and their energy
- `networks.py`: networks of layers
- `energy_transformers.py`: Energy Transformer blocks
- `worlds.py`: the places of a walk, and the actions that lead from one to another
- `program.py`: the steps of a program
"""
