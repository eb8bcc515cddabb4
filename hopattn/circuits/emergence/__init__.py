"""Emergence: induction heads that arise while a small model is trained on repeated words.

- `recipe.py`: the texts, the size of the model, and the numbers of the training
- `model.py`: the model, made of hopattn's own layers
- `measures.py`: losses, attention patterns and energies of a model
- `record.py`: a training as a file: what was measured, the weights, and the state to go on from
- `training.py`: the training itself, by PyTorch
"""
