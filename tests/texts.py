"""Texts of scenario files that several tests change: one of two words, one of a large random vocabulary."""

import numpy as np

GOOD = """schema = 1
title = "a title"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
a = [1, 0]
b = [0.6, 0.8]
[input]
tokens = ["a", "b", "a"]
[[layer]]
[[layer.head]]
separation = "softmax"
mask = "causal"
[[expect]]
at = "b"
nearest = "b"
"""

HUGE = """schema = 1
title = "t"
source = "ours"
kind = "task"
[spaces]
word = { random = 8 }
[task]
induction = { count = 1, length = 3 }
[[layer]]
[[layer.head]]
"""


def attention_of_size(n):
    """A text of n random unit words of n numbers through one softmax head."""
    words = np.random.default_rng(n).normal(size=(n, n))
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    lines = "\n".join(f"w{i} = {row.tolist()}" for i, row in enumerate(words))
    axes, tokens = ([f"{letter}{i}" for i in range(n)] for letter in "xw")
    return f"""schema = 1
title = "{n} words of {n} numbers"
source = "ours"
kind = "attention"
[vocabulary]
axes = {axes}
[vocabulary.words]
{lines}
[input]
tokens = {tokens}
[[layer]]
[[layer.head]]
separation = "softmax"
mask = "causal"
"""
