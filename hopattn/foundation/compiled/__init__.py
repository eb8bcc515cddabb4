"""Loops that numba compiles, for large work; `kernels.py` imports them, one subject at a time.

Each subject is imported alone, because its first import compiles it and a later one reads it from numba's cache. A
file that cannot be imported, for whatever reason, leaves its work to NumPy.

- `needed.py`: the numba that the loops need
- `jit.py`: the way in which the loops are compiled, and arithmetic that Python has no word for
- `powers.py`: powers of two, and other powers, several numbers at once
- `products.py`: matrix products, by the BLAS that SciPy brings
- `softmax.py`: blocks of keys of the online softmax, with their sums of powers
- `spins.py`: spins of a dense memory that turn one after the other
- `thresholds.py`: thresholds at which sparse weights have their sum
"""
