"""Loops that numba compiles, for large work; `kernels.py` imports them, one subject at a time.

- `jit.py`: the way in which the loops are compiled; powers, several numbers at once
- `softmax.py`: the weights of a block of keys, for the online softmax
- `spins.py`: spins that turn one after the other
- `thresholds.py`: sparse weights, whose threshold gives them their sum
"""
