"""Positions: how a vector encodes the position of its word in a text.

- `circle.py`: points on a circle, and rotations that move them
"""
