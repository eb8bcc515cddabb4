"""Circuits: what attention heads do together.

- `maps/`: maps of places: a walk, and attention over what was seen on it
- `attention_only.py`: a model of attention alone
- `scores.py`: scores of heads: previous token, duplicate token, prefix matching, sinks
- `*.py`: one circuit or measure each
- `census/`: the measures of all heads of a model
- `emergence/`: induction heads that arise in training
"""

from hopattn.foundation.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
