"""The census: the measures of all heads of a model, each beside its value by chance.

- `measures.py`: the names, the units and the meanings of the measures
- `streamed.py`: the measures of the attention of one head, in chunks of queries
- `matrices.py`: copying and composition, from the matrices of heads
- `table.py`: the result: a row for each head
- `heads.py`: the census of layers, one layer in memory at a time
"""
