"""Random states of networks of layers, and the rises of their energy."""

import numpy as np

import hopattn as ha
from hopattn.experiments.random_networks import LAGRANGIANS, random_network
from hopattn.networks import Dense, Layer, Network

__all__ = ["LAGRANGIANS", "P", "random_network", "random_states", "rises", "two_layers"]
P = np.array([[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]])


def two_layers(visible="identity", hidden="softmax", beta=4.0, **options):
    layers = Layer("visible", 6, visible), Layer("hidden", 2, hidden, beta=beta)
    return Network(layers, [Dense(P).on("hidden", "visible")], **options)


def random_states(network, rng, n=4, dtype="float64"):
    """States that the activations give."""
    field = rng.normal(size=(n, network.total)) * rng.choice([0.1, 1.0, 3.0])
    return np.asarray(network.activation(field.astype(dtype)))


def moved(network, update, states):
    """The states after one step; NaN for a state whose energy then is beyond the numbers."""
    try:
        return network.recall(states, update=update, max_steps=1, rng=0).state
    except ha.InvalidInput as error:
        assert str(error).startswith("energy: beyond the numbers")
        return states * np.nan if len(states) == 1 else np.vstack([moved(network, update, x[None]) for x in states])


def rises(network, update, states, steps):
    """The rise of the energy by each step, as a part of Σ |parts of the energy|, `(steps, n)`; NaN where one grew."""
    found = []
    for _ in range(steps):
        with np.errstate(all="ignore"):
            after = moved(network, update, states)
            parts, before = (np.array(list(network.energies(x).values())) for x in (after, states))
            scale = np.maximum(np.abs(parts).sum(axis=0), np.abs(before).sum(axis=0))
            rise = (parts.sum(axis=0) - before.sum(axis=0)) / np.where(scale == 0, 1, scale)
        grown = ~(np.abs(after).max(axis=-1) < 1e6)
        found.append(np.where(grown, np.nan, rise))
        states = np.where(grown[:, None], states, after)
    return np.array(found)
