"""`rng` alone is the source of random numbers: a whole number, a generator, or without it others in every call."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.circuits import World, composition_baseline, memory_circuit, memory_curves, random_blocks, walk

SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 12))
EYE = np.eye(6)[:, :4]
WALK = walk(World.torus(4, 4), steps=20, rng=0)

CALLS = {
    "sdm": lambda **random: ha.memories.sdm(SPINS, SPINS, radius=11, locations=40, **random).keys,
    "walk": lambda **random: walk(World.torus(4, 4), steps=20, **random).positions,
    "with_noise": lambda **random: WALK.with_noise(2.0, **random).positions,
    "memory_circuit": lambda **random: memory_circuit(8, 4, 5, **random).embed,
    "memory_curves": lambda **random: memory_curves([6], n_words=8, length=40, **random).trials["previous word"],
    "trigger_texts": lambda **random: ha.circuits.trigger_texts(4, 40, 8, 3, **random).words,
    "random_blocks": lambda **random: random_blocks(1, 4, 2, **random)[0].attention.w_out,
    "random_texts": lambda **random: ha.circuits.random_texts(2, 3, 4, 5, **random),
    "composition_baseline": lambda **random: composition_baseline(EYE, EYE.T, 5, **random).mean,
}


@pytest.mark.parametrize("name", CALLS)
def test_a_whole_number_is_the_generator_of_that_seed(name):
    call = CALLS[name]
    np.testing.assert_array_equal(call(rng=3), call(rng=np.random.default_rng(3)))
    if name != "memory_curves":  # few keys: two draws may agree
        assert not np.array_equal(call(), call())
    with pytest.raises(ha.InvalidInput, match=r"^rng: expected a seed"):
        call(rng="a")
