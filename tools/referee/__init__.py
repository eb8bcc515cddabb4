"""A referee for a change of design: what hopattn does, recorded on one tree and held against another.

Only public names and the command are used, so that the inside may be another one: every shipped scenario with its
arrays, labels and verdicts; every public function and method with the arguments of `tests/fuzz/calls.py`, and with
wrong ones; every memory under every update, and every similarity with every separation and activation, on NumPy,
PyTorch, JAX and the strict array library; memories in files and larger than a block; wrong scenario files; commands.

- `samples.py`: the memories, cues and texts that it tries
- `records.py`: what is kept of each
- `differences.py`: what is another between two records
"""
