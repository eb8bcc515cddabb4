"""`rng` takes a seed or a generator, wherever random numbers are drawn."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.checks import generator, whole_seed
from hopattn.foundation.errors import InvalidInput
from tests.each import each

SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 12))


def recalled(rng):
    return ha.memories.hopfield(SPINS).recall(SPINS[0], update=ha.Glauber(2.0), max_steps=2, rng=rng).state.tolist()


def counted(point, seed):
    return {"draw": np.random.default_rng(seed).random()}


CALLS = {
    "recall": recalled,
    "run": lambda rng: ha.run(ha.load("bank"), rng=rng).seed,
    "sweep": lambda rng: ha.sweep(counted, {"x": (1,)}, workers=1, rng=rng).values["draw"].tolist(),
    "sweep_scenario": lambda rng: ha.experiments.sweep_scenario(
        ha.load("hopfield"), {"memory.max_steps": (2,)}, workers=1, rng=rng
    ).to_csv(),
    "compare": lambda rng: ha.compare(SPINS, SPINS, memories=["nearest"], rng=rng).seed,
    "compare_random": lambda rng: ha.experiments.compare_random(
        memories=["nearest"], trials=1, dim=8, rng=rng
    ).to_json(),
    "compare_patterns": lambda rng: ha.experiments.compare_patterns(
        SPINS, memories=["nearest"], trials=1, rng=rng
    ).to_json(),
    "certify": lambda rng: ha.certify("modern", count=5, rng=rng),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_seed_and_its_generator_are_accepted(call):
    assert CALLS[call](3) == CALLS[call](np.int64(3))
    assert CALLS[call](np.random.default_rng(4)) == CALLS[call](np.random.default_rng(4))


@each("call", CALLS)
@each("rng", ["a", -1, 1.5, True])
def test_anything_else_is_refused(call, rng):
    wanted = "a seed of at least 0 or a numpy.random.Generator"
    with pytest.raises(InvalidInput, match=f"^rng: expected {wanted}, not {rng!r}"):
        CALLS[call](rng)


def test_a_generator_gives_another_whole_seed_each_time():
    rng = np.random.default_rng(0)
    assert whole_seed(rng) != whole_seed(rng)
    assert whole_seed(None, default=7) == 7
    assert generator(rng) is rng
    assert generator(1).random() == np.random.default_rng(1).random()
