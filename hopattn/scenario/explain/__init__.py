"""The arithmetic of a run, line by line, as a lecture writes it.

- `arithmetic.py`: numbers and sums in print
- `attention.py`: the arithmetic of layers of attention
- `recall.py`: the pictures and the arithmetic of a recall
"""
