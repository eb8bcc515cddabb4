"""Positions: how a vector carries its place in a text.

- `circle.py`: points on a circle and the rotations that offset them
"""
