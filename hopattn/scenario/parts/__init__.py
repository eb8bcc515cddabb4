"""The parts of a model, as a scenario file writes them.

- `projection.py`: queries, keys and values
- `head_positions.py`: rotary positions and biases of a head
- `heads.py`: attention heads
- `writing_rules.py`: the rules by which a text is written into one matrix
- `layers.py`: layers of heads
- `recurrent.py`: recurrent networks, and their decoder with attention
- `memories.py`: memories, by the name of a model or by their parts
"""
