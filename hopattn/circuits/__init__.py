"""Circuits: what attention heads do together.

- `*.py`: one circuit or measure each
- `emergence/`: induction heads that arise in training
"""
