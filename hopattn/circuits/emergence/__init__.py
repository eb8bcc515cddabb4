"""Emergence: induction heads that arise while a small model is trained on repeated words.

- `gpt2_form.py`: a model of attention alone in the form of GPT-2
- `record.py`: a training as data: recipe, texts, model, measures, and its file
- `training.py`: the training itself, by PyTorch
"""
