"""Random numbers: without a seed every call draws others, and what has drawn keeps the seed that repeats it."""

import copy
import pickle

import numpy as np
import pytest

import hopattn as ha
from hopattn.retrieval.similarity import FeatureMap

FEW = {"memories": ["hopfield"], "max_steps": 2}
PATTERNS = np.sign(np.random.default_rng(0).normal(size=(3, 8)))


def swept(point, seed):
    return {"y": np.random.default_rng(seed).random()}


KEPT = {
    "certify": (lambda rng: ha.certify("linear", count=20, rng=rng), lambda found: found.seeds[0]),
    "compare": (lambda rng: ha.compare(PATTERNS, PATTERNS, rng=rng, **FEW), lambda found: found.seed),
    "compare_random": (
        lambda rng: ha.experiments.compare_random(trials=1, dim=8, rng=rng, **FEW),
        lambda found: found.seed,
    ),
    "compare_patterns": (
        lambda rng: ha.experiments.compare_patterns(PATTERNS, trials=1, rng=rng, **FEW),
        lambda found: found.seed,
    ),
    "sweep": (lambda rng: ha.sweep(swept, {"x": (1, 2)}, workers=1, rng=rng), lambda found: found.about["seed"]),
    "forgetting": (
        lambda rng: ha.experiments.forgetting((2,), names=2, trials=2, rng=rng),
        lambda found: found.about["seed"],
    ),
    "RandomFeatures": (lambda rng: ha.retrieval.RandomFeatures(8, rng=rng), lambda found: found.rng),
    "random_features": (lambda rng: ha.memories.random_features(PATTERNS, n=8, rng=rng), lambda found: found.phi.rng),
    "Recipe": (lambda rng: ha.circuits.Recipe(seed=rng), lambda found: found.seed),
}
"""Each call by its name: with a seed, and the seed that its answer keeps."""


def numbers(found):
    """What an answer holds, as one text."""
    if isinstance(found, ha.Sweep):
        return str({name: rows.tolist() for name, rows in found.values.items()})
    return found.to_json() if isinstance(found, ha.Comparison) else repr(found)


@pytest.mark.parametrize("name", KEPT)
def test_what_has_drawn_keeps_a_seed_that_repeats_it(name):
    call, kept = KEPT[name]
    one, other = call(None), call(None)
    assert type(kept(one)) is int and kept(one) != kept(other)
    assert numbers(call(kept(one))) == numbers(one)
    drawn, again = (kept(call(np.random.default_rng(3))) for _ in range(2))
    assert drawn == again != kept(one)


def test_features_are_drawn_once_for_all_calls_and_copies():
    x = np.eye(4)
    phi = ha.retrieval.RandomFeatures(8)
    written = eval(repr(phi), {"RandomFeatures": type(phi)})
    for other in (copy.copy(phi), pickle.loads(pickle.dumps(phi)), written):
        assert other == phi and np.array_equal(other(x), phi(x))
    for calls in (
        FeatureMap("random_features").__call__,
        lambda q, k: ha.Memory(k, similarity=FEATURES, separation="proportional").scores(q),
        lambda q, k: STATE.extended(k, k).read(q),
        lambda q, k: DELTA.extended(k, k).read(q),
    ):
        assert np.array_equal(calls(x, x[:3]), calls(x, x[:3]))


FEATURES = FeatureMap("random_features")
STATE, DELTA = (kind("random_features") for kind in (ha.transformer.LinearState, ha.transformer.DeltaState))


def test_a_sweep_goes_on_with_the_seed_of_its_file(tmp_path):
    file, options = tmp_path / "points.jsonl", {"workers": 1}
    first = ha.sweep(swept, {"x": (1, 2)}, file=file, trials=1, **options)
    more = ha.sweep(swept, {"x": (1, 2)}, file=file, trials=3, **options)
    assert first.about["seed"] == more.about["seed"]
    assert np.array_equal(more.values["y"][:, :1], first.values["y"])
