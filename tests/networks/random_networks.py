"""Random states of networks of layers, and the rises of their energy."""

import numpy as np

from hopattn.dynamics.updates.base import StepContext
from hopattn.experiments.random_networks import LAGRANGIANS, random_network

__all__ = ["LAGRANGIANS", "random_network", "random_states", "rises"]


def random_states(network, rng, n=4, dtype="float64"):
    """States that the activations give."""
    field = rng.normal(size=(n, network.total)) * rng.choice([0.1, 1.0, 3.0])
    return np.asarray(network.activation(field.astype(dtype)))


def rises(network, update, states, steps):
    """The rise of the energy by each step, as a part of Σ |parts of the energy|, `(steps, n)`; NaN where one grew."""
    found, internal, rng = [], update.internal(network, states), np.random.default_rng(0)
    for t in range(steps):
        context = StepContext(t, rng, (), internal)
        with np.errstate(all="ignore"):
            moved, before = update.step(network, states, None, context)
            parts = np.array(list(network.energies(moved).values()))
            scale = np.maximum(np.abs(parts).sum(axis=0), sum(map(np.abs, network.energies(states).values())))
            rise = (parts.sum(axis=0) - before) / np.where(scale == 0, 1, scale)
        internal = context.internal
        grown = ~(np.abs(moved).max(axis=-1) < 1e6)
        found.append(np.where(grown, np.nan, rise))
        states = np.where(grown[:, None], states, moved)
        internal = None if internal is None else np.where(grown[:, None], update.internal(network, states), internal)
    return np.array(found)
