"""Circuits: what attention heads do together.

- `maps/`: maps of places: a walk, and attention over what was seen on it
- `rasp.py`: programs in heads: selections, aggregations, widths
- `linear_probe.py`: a linear classifier of vectors
- `given_heads.py`: checks of the attention and the tokens that a measure is given
- `given_matrices.py`: checks of the matrices that a measure is given
- `trigger_texts.py`: texts in which some words are followed by what the text alone decides
- `*.py`: one circuit or measure each
- `emergence/`: induction heads that arise in training
- `scores_by_name.py`: the scores of heads by their names
"""
