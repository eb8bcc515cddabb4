"""Small arrays and objects from which the calls of the tables are made."""

import numpy as np

import hopattn as ha

SPINS = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
REAL = np.array([[0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 0.8, 0.6], [1.0, 0.0, 0.0, 0.0]])
EYE = np.eye(4)
ONES = np.ones(4)
ATTENTION = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
WIDE_ATTENTION = np.eye(32)
TOKENS = ["a", "b", "a"]


def head(**options):
    return ha.Head(EYE[:2], EYE[:2], EYE, **options)


def multi_head():
    return ha.MultiHead([head(mask="none")], EYE)


def layer():
    return ha.transformer.AttentionLayer(multi_head())


def block(**options):
    """A block that PyTorch has too."""
    attention = ha.circuits.random_blocks(1, 4, 1, rng=0)[0].attention
    norms = [ha.transformer.LayerNorm(ONES, ONES)] * (2 + len(options))
    return ha.Block(
        attention,
        ha.transformer.FeedForward(ha.transformer.Affine(EYE, ONES), ha.transformer.Affine(EYE, ONES)),
        norms,
        **options,
    )


def modern_at(beta):
    return ha.memories.modern(REAL, beta)


def decoder_block():
    return block(cross=block().attention)


def texts():
    return ha.circuits.random_texts(4, 4, 3, 4, rng=0)


def trigger_texts():
    return ha.circuits.trigger_texts(n_texts=1, length=16, n_words=4, n_triggers=2, rng=0)


def recipe():
    return ha.circuits.Recipe(
        layers=1, dim=4, heads=2, words=6, length=8, shortest=2, longest=3, steps=1, batch=1, every=1, seed=0
    )


def trial(point, seed):
    return {"y": float(point["x"])}


def graph():
    import networkx

    made = networkx.MultiDiGraph()
    made.add_edge("here", "there", action="go")
    made.add_edge("there", "here", action="back")
    return made
