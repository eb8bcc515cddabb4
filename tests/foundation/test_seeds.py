"""`seed` and `rng` are two names of one argument, wherever random numbers are drawn."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.seeds import generator, whole_seed
from tests.each import each

SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 12))


def recalled(**random):
    return ha.hopfield(SPINS).recall(SPINS[0], update=ha.Glauber(2.0), max_steps=2, **random).state.tolist()


def counted(point, seed):
    return {"draw": np.random.default_rng(seed).random()}


CALLS = {
    "recall": recalled,
    "run": lambda **random: ha.run(ha.load("bank"), **random).seed,
    "sweep": lambda **random: ha.sweep(counted, {"x": (1,)}, workers=1, **random).values["draw"].tolist(),
    "sweep_scenario": lambda **random: ha.sweep_scenario(
        ha.load("hopfield"), {"memory.max_steps": (2,)}, workers=1, **random
    ).to_csv(),
    "compare": lambda **random: ha.compare(SPINS, SPINS, memories=["nearest"], **random).seed,
    "compare_random": lambda **random: ha.compare_random(memories=["nearest"], trials=1, dim=8, **random).to_json(),
    "compare_patterns": lambda **random: ha.compare_patterns(SPINS, memories=["nearest"], trials=1, **random).to_json(),
    "certify": lambda **random: ha.certify("modern", count=5, **random),
    "sdm": lambda **random: ha.sdm(SPINS, SPINS, radius=11, locations=40, **random).keys.tolist(),
}


@pytest.mark.parametrize("call", CALLS)
def test_both_names_are_accepted_and_give_the_same(call):
    with_seed = CALLS[call](seed=3)
    assert with_seed == CALLS[call](rng=3)
    drawn = CALLS[call](seed=np.random.default_rng(4))
    assert drawn == CALLS[call](rng=np.random.default_rng(4))


@each("call", CALLS)
def test_both_together_are_refused(call):
    with pytest.raises(InvalidInput, match="seed and rng: both name the source of random numbers; give one of them"):
        CALLS[call](seed=1, rng=1)


def test_a_generator_gives_another_whole_seed_each_time():
    rng = np.random.default_rng(0)
    first, second = (whole_seed(None, rng, 0) for _ in range(2))
    assert first != second
    assert whole_seed(None, None, 7) == 7
    assert generator(seed=rng) is rng


@pytest.mark.parametrize("name", ["seed", "rng"])
def test_anything_else_is_refused_by_its_own_name(name):
    with pytest.raises(InvalidInput, match=f"^{name}: expected a seed or a numpy.random.Generator, not 'a'"):
        generator(**{name: "a"})
    with pytest.raises(InvalidInput, match=f"^{name}: expected a whole number of at least 0, not -1"):
        whole_seed(**{"seed": None, "rng": None, name: -1}, default=0)
