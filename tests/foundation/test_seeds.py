"""`rng` takes a seed or a generator, wherever random numbers are drawn."""

import numpy as np
import pytest

import hopattn as ha

SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 12))
GLAUBER, experiments = ha.Glauber(2.0), ha.experiments


def counted(point, seed):
    return {"draw": np.random.default_rng(seed).random()}


CALLS = {
    "recall": lambda rng: (
        ha.memories.hopfield(SPINS).recall(SPINS, update=GLAUBER, max_steps=2, rng=rng).state.tolist()
    ),
    "run": lambda rng: ha.run(ha.load("bank"), rng=rng).seed,
    "sweep": lambda rng: ha.sweep(counted, {"x": (1,)}, workers=1, rng=rng).values["draw"].tolist(),
    "sweep_scenario": lambda rng: experiments.sweep_scenario(
        ha.load("hopfield"), {"memory.max_steps": (2,)}, workers=1, rng=rng
    ).to_csv(),
    "compare": lambda rng: ha.compare(SPINS, SPINS, memories=["nearest"], rng=rng).seed,
    "compare_random": lambda rng: experiments.compare_random(memories=["nearest"], trials=1, dim=8, rng=rng).to_json(),
    "compare_patterns": lambda rng: experiments.compare_patterns(
        SPINS, memories=["nearest"], trials=1, rng=rng
    ).to_json(),
    "certify": lambda rng: ha.certify("modern", count=5, rng=rng),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_seed_and_its_generator_are_accepted(call):
    assert CALLS[call](3) == CALLS[call](np.int64(3))
    generator = np.random.default_rng(4)
    assert CALLS[call](generator) == CALLS[call](np.random.default_rng(4))
    assert generator.random() != np.random.default_rng(4).random()  # a generator moves on


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("rng", ["a", -1, 1.5, True])
def test_anything_else_is_refused(call, rng):
    wanted = "a seed of at least 0 or a numpy.random.Generator"
    with pytest.raises(ha.InvalidInput, match=f"^rng: expected {wanted}, not {rng!r}"):
        CALLS[call](rng)
