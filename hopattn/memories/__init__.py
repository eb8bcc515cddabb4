"""Memories of keys and values, and every named model of the literature.

- `memory.py`: Memory: keys, values and the four parts of a step
- `random_patterns.py`: random patterns, damaged cues, and random parameters for the certificate
- `crosstalk.py`: the signal of a cue's own pattern, and the crosstalk of the others
- `saved.py`: memories in files
- `models/`: the named memories
"""
