"""A training of seconds, for tests of what a training keeps and says."""

from dataclasses import replace

from hopattn.circuits.emergence.record import Recipe

SMALL = Recipe(dim=8, heads=2, words=10, length=12, shortest=3, longest=5, batch=4, every=2, seed=0)


def small(**changes):
    return replace(SMALL, **changes)
