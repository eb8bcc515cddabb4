"""Attention heads, side by side and in layers.

- `positions/`: points on a circle, and the rotations that offset them
- `baselines.py`: what attention is compared with: averages, counted pairs of words
- `plain_attention.py`: softmax attention written apart, in NumPy and PyTorch, to compare ours with
- `heads.py`: attention, one head, heads side by side
- `layers.py`: layers of attention, one above the other
"""
