"""Wrong arguments of recalls and updates: each is refused by its name, with what would help."""

import array_api_strict
import numpy as np
import pytest

import hopattn as ha
from tests.refusal import refused

EYE, VALUES = ha.Memory(np.eye(2)), ha.Memory(np.eye(2), np.ones((2, 2)))
WIDE = ha.Memory(np.eye(2), [[1.0, 0, 0], [0, 0, 2]])
PAIR, TURNING = ha.memories.hopfield([[1, -1]]), ha.Hopfield([[0, 1], [-1, 0]])
SPINS, ORDER = ha.Memory(np.eye(2), activation="sign"), ha.Asynchronous("sequence")
BEYOND = ha.Memory(np.ones((3, 100)), separation=ha.separations["rectified_power"](n=200), activation="sign")
ALIKE = np.concatenate([np.tile([1.0, -1.0], (3, 50)), np.ones((1, 100))])


def recall(cues=(1.0, 0.0), memory=EYE, **options):
    return lambda: memory.recall(cues, **options)


ROWS = [
    (recall([[1.0, 0.0], [np.nan, 0.0]]), "cues: ", "row 1", "NaN"),
    (recall([1.0, 0.0, 0.0]), "cues: ", "dim = 2 of patterns"),
    (recall(np.zeros((0, 2))), "cues: ", "(n_cues, dim)", "(0, 2)"),
    (recall(np.zeros((1, 1, 2))), "cues: ", "(n_cues, dim)", "(1, 1, 2)"),
    (recall(array_api_strict.asarray([0.6, 0.4])), "cues: ", "NumPy arrays", "x.numpy()"),
    (recall([[1.0, 0.0], [0.5, 1.0]], ha.Memory([[1.0, -1]], activation="sign")), "cues: ", "row 1 holds 0.5", "spins"),
    (recall([1.0, 1.0], ha.Memory([[1.0, -1]], activation="unit")), "cues: ", "the cue", "1.41421", "at most 1"),
    (recall(max_steps=0), "max_steps: ", "whole number", "not 0"),
    (recall(max_steps=10**30), "max_steps: ", "from 1 to 100000000", "not 1000"),
    (recall(tol=-1.0), "tol: ", "at least 0", "-1"),
    (recall(tol=np.nan), "tol: ", "nan"),
    (recall(tol="a"), "tol: ", "'a'"),
    (recall(keep=("trajctory",)), "keep: ", "'trajctory'", "did you mean 'trajectory'"),
    (recall([1.0], ha.Hopfield([[0.0]]), keep="weights"), "keep: ", "no weights of patterns"),
    (recall(memory=WIDE, keep="weights"), "keep: ", "weights", "several steps", "dim 3"),
    (recall(memory=WIDE, update="async"), "update: ", "Asynchronous", "several steps"),
    (recall(update="snyc"), "update: ", "'snyc'", "did you mean 'sync'"),
    (recall(mask=[True, False, True]), "mask: shape"),
    (recall(mask="causal"), "mask: ", "booleans", "'causal'"),
    (recall(mask=[[1, 0]]), "mask: ", "booleans"),
    (recall(mask=[[True], [True, False]]), "mask: ", "unequal length"),
    (recall(rng="a"), "rng: ", "seed", "'a'"),
    (recall(rng=-1), "rng: ", "seed", "-1"),
    (recall(rng=np.random.RandomState(1)), "rng: ", "seed"),
    (recall(ALIKE, BEYOND, update=ORDER), "energy: ", "float64", "row 3"),
    (recall(ALIKE[3], BEYOND, update="sync"), "energy: ", "float64"),
    *(
        (
            recall(np.ones(100, "f4"), ha.memories.dense(np.ones((3, 100), "f4"), n=40), update=update),
            "energy: ",
            "float32",
            "row 0",
        )
        for update in ("sync", "async")
    ),
    (lambda: ha.Asynchronous("rndom"), "order: ", "did you mean 'random'"),
    (lambda: ha.Asynchronous([0, 0, 1]), "order: ", "every neuron once"),
    (lambda: ha.Asynchronous([0.5, 1]), "order: ", "every neuron once"),
    (lambda: ha.Glauber(-0.1), "temperature: ", "at least 0", "-0.1"),
    (lambda: ha.Glauber("hot"), "temperature: ", "'hot'"),
    (lambda: ha.Glauber(np.nan), "temperature: ", "nan"),
    (lambda: ha.Glauber(1, cooling=0), "cooling: ", "positive", "not 0"),
    (lambda: ha.Glauber(1, cooling=1.5), "cooling: ", "at most 1", "1.5"),
    (lambda: ha.Graded(0), "dt: ", "positive", "not 0"),
    (lambda: ha.Graded(1e6), "dt: ", "at most 1000", "not 1000000.0"),
    (lambda: ha.updates.make("glauber"), "", "glauber", "needs temperature"),
    (lambda: ha.Metropolis(-1), "temperature: ", "at least 0", "-1"),
    (lambda: ha.Metropolis(1, width=-1), "width: ", "positive", "-1"),
    (lambda: ha.Langevin(-1), "temperature: ", "at least 0", "-1"),
    (lambda: ha.Langevin(1, dt=0), "dt: ", "positive", "not 0"),
    (lambda: ha.Langevin(1, correction="no"), "correction: ", "'no'"),
    (lambda: VALUES.gradient([1, 1]), "energy: ", "values differ from"),
    (lambda: PAIR.gradient([1, 1]), "Sign", "no inverse"),
]
CANNOT = [
    ("async", ha.Memory(np.eye(2), activation="unit"), "'unit' looks at all neurons together"),
    ("async", ha.Memory(np.eye(2), np.ones((2, 2)), activation="sign"), "values differ from keys"),
    ("async", ha.Memory(np.eye(2), similarity="cosine", activation="sign"), "is not the dot product"),
    (ha.Asynchronous([0, 1, 2]), SPINS, "names 3 neurons, but there are 2"),
    (ha.Glauber(1), EYE, "is for spins, and the activation 'identity' gives none"),
    ("graded", SPINS, "need an activation with an inverse, and 'sign'"),
    ("graded", ha.Memory(np.eye(2), activation="layer_norm"), "need an activation with an inverse"),
    ("graded", ha.Memory(np.eye(2), separation="argmax"), "Argmax", "jump"),
    ("concave_convex", TURNING, "not symmetric"),
    ("concave_convex", ha.Hopfield([[0, -1], [-1, 0]], activation="layer_norm"), "no form with inertia"),
    ("concave_convex", ha.Memory(np.eye(2), separation=ha.separations["power"](n=3)), "inertia cannot fix this"),
    (ha.Metropolis(1), PAIR, "on the sphere, in the cube"),
    (ha.Langevin(1), PAIR, "Langevin's update is for"),
    (ha.Langevin(1), VALUES, "values differ from"),
]


@pytest.mark.parametrize("row", ROWS)
def test_a_wrong_argument_is_refused_by_its_name(row):
    refused(*row)


@pytest.mark.parametrize(("update", "memory", "words"), [(*row[:2], row[2:]) for row in CANNOT])
def test_an_update_that_cannot_be_applied_is_refused_with_the_reason_and_promises_nothing(update, memory, words):
    refused(recall(memory=memory, update=update), "update: ", *words)
    assert not memory.descends(update)
