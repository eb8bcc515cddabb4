"""Texts of scenario files that several tests change: one of two words, one of many random words."""

from hopattn.scenario.loading import parse


def parsed(text):
    """The scenario of a text; the place in a message is `file.toml`."""
    return parse(text, "file.toml", "file")


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
