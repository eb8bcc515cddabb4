"""What holds of every kind: its template is met, and its seed alone decides what is random."""

import pytest

import hopattn as ha
from hopattn.scenario.kinds import kinds
from tests.texts import parsed

SLOW = "emergence", "landscape"
DRAWN = {"emergence", "ensemble", "forgetting", "gradients", "ising", "landscape", "memory_circuit", "probe"}
DRAWN |= {"simulation", "walk"}
"""The kinds whose templates draw random numbers."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in kinds])
def test_the_seed_decides_every_byte_of_a_kind_and_of_what_is_drawn_alone(kind):
    scenario = parsed(kinds[kind].template())
    assert ha.run(scenario).ok
    one, same = (ha.run(scenario, 1) for _ in range(2))
    assert one.to_json() == same.to_json() and one.seed == 1
    others = (ha.run(scenario, seed).to_json().replace(f'"seed": {seed}', '"seed": 1') for seed in (2, 3, 4))
    assert any(one.to_json() != other for other in others) is (kind in DRAWN)
