"""Emergence: induction heads that arise while a small model is trained on repeated words.

- `record.py`: a training as data: recipe, texts, model, measures, and its file
- `training.py`: the training itself, by PyTorch
"""
