"""One step of recall over blocks of cues and keys: no matrix of all scores is ever held (NumPy).

- `online_sums.py`: running sums over blocks of keys: the online softmax, plain sums
- `sizes.py`: the sizes of blocks, and when blocks are worth their while
- `parts.py`: runs of rows, parts of keys and masks, results that are put together
- `streaming.py`: the blocks, their order, and the threads that share them
"""
