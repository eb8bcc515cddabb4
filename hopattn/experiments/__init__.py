"""Measurements over many trials: sweeps, comparisons, the certificate of descent.

- `certificate.py`: whether a claimed descent holds, on random memories, states and updates
- `sweep/`: a function or a scenario over a grid
- `comparison/`: several memories on the same keys, values and cues
"""
