"""The table `[practice]`: pools draw what they say, faults of a table are reported with their lines."""

import math
from itertools import pairwise, permutations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopattn.scenario.mistakes import mistakes
from hopattn.scenario.practice_table import PracticeTable, pools, unit_tenths

PRESENT = {"rotations": [[1, 0], [0, 1]], "circle": {"a": [1, 0], "b": [0, 1]}}


def test_unit_vectors_in_tenths_are_all_that_there_are():
    """By trying every vector of positive tenths; of three numbers there is none, of four there are 43."""
    for count in (2, 3, 4, 5):
        every = {v for v in product(range(1, 11), repeat=count) if sum(value * value for value in v) == 100}
        ours = {tuple(round(10 * value, 9) for value in one) for one in unit_tenths(count) if one != (0.28, 0.96)}
        assert {order for one in ours for order in permutations(one)} == every
        assert all(list(one) == sorted(one) for one in ours)
    assert len({order for one in unit_tenths(4) for order in permutations(one)}) == 43
    assert unit_tenths(3) == () and (0.28, 0.96) in unit_tenths(2)


@given(seed=st.integers(0, 10**6), present=st.lists(st.sampled_from([0, 0, 0.5, -2]), min_size=4, max_size=9))
def test_a_pool_keeps_the_form_and_the_zeros(seed, present):
    places = [i for i, value in enumerate(present) if value]
    for name in ("whole", "tenths"):
        drawn = pools.make(name).draw(present, Random(seed))
        assert [i for i, value in enumerate(drawn) if value] == places
        assert drawn == pools.make(name).draw(present, Random(seed))  # the same seed, the same numbers
    if unit_tenths(len(places)):
        drawn = pools.make("unit-tenths").draw(present, Random(seed))
        assert [i for i, value in enumerate(drawn) if value] == places
        assert math.hypot(*drawn) == pytest.approx(1, abs=1e-12)
    assert sorted(pools.make("order").draw(present, Random(seed))) == sorted(present)
    assert {*pools.make("spins").draw(present, Random(seed))} <= {-1, 1}


@given(seed=st.integers(0, 10**6), step=st.sampled_from([30, 45, 90]))
def test_angles_are_multiples_and_rotations_rotate(seed, step):
    angle = pools.make("angles", step=step).draw(90, Random(seed))
    assert angle % step == 0 and 0 < abs(angle) < 360
    (a, b), (c, d) = pools.make("rotations").draw([[1, 0], [0, 1]], Random(seed))
    assert a * d - b * c == pytest.approx(1) and a == d and b == -c and a * a + b * b == pytest.approx(1)


@given(seed=st.integers(0, 10**6), count=st.integers(2, 6))
def test_a_circle_goes_on_by_one_angle(seed, count):
    drawn = pools.make("circle").draw({str(i): [1, 0] for i in range(count)}, Random(seed))
    points = [complex(*point) for point in drawn.values()]
    assert [*drawn] == [str(i) for i in range(count)] and all(abs(point) == pytest.approx(1) for point in points)
    steps = [later / one for one, later in pairwise(points)]
    assert all(abs(step - steps[0]) < 1e-9 and abs(step.imag) > 0.5 for step in steps)


@given(
    seed=st.integers(0, 10**6),
    words=st.lists(st.text("ab", min_size=1, max_size=3), min_size=2, max_size=4, unique=True),
)
def test_a_text_has_each_of_its_words(seed, words):
    drawn = pools.make("texts", words=words).draw(["x"] * 5, Random(seed))
    assert len(drawn) == 5 and {*drawn} == {*words}


def test_a_short_path_draws_what_the_whole_path_draws():
    file = {"vocabulary": {"words": {"x": [0.6, 0.8]}}, "layer": [{"head": [{"beta": 2}, {"beta": 3}]}]}
    short, whole = ["x", "head.2.beta"], ["vocabulary.words.x", "layer.head.2.beta"]
    tables = [PracticeTable.model_construct(vary=dict.fromkeys(paths, "whole")) for paths in (short, whole)]
    one, other = (table.drawn(file, lambda _: False, Random(0)) for table in tables)
    assert [*one.values()] == [*other.values()] and [*one] == short


def test_draws_use_whole_numbers_alone():
    """A generator of floats differs between machines; the whole numbers of `random.Random` do not."""

    class WholeNumbers(Random):
        def random(self):
            raise AssertionError("a float was drawn")

        def getrandbits(self, count):
            return super().getrandbits(count)

    for name in pools:
        present = PRESENT.get(name, [0.6, 0.8])
        pools.make(name, **({"words": ["a", "b"]} if name == "texts" else {})).draw(present, WholeNumbers(0))


def test_every_error_has_words():
    from hopattn.practice.wording import texts

    assert {*texts("en")["error"]} == {*mistakes}
