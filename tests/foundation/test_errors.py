"""Messages: whatever they quote, they have an end, and nothing in them controls a terminal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import MAX_LINE, CannotDo, InvalidInput, listed, nearest, quoted, shortened, unknown
from hopattn.scenario.checking import InvalidScenario

DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


MUTE = type("Mute", (), {"__repr__": lambda self: 1 / 0})()
NAMES = [f"name {i}" for i in range(13_000)]
ENDLESS = ["x" * 5_000_000, NAMES, dict.fromkeys(NAMES, 1), bytes(100_000), "\x1b[31m\n" * 1000, [*range(13_000)]]


@pytest.mark.parametrize("value", [*ENDLESS, 10**5000, DEEP, MUTE], ids=range(9))
def test_a_value_of_any_size_takes_a_part_of_a_line(value):
    for write in (shortened, quoted):
        assert 0 < len(write(value)) <= 60
        assert write(value).isprintable()
    assert len(unknown(value, ["a", "b"])) < 200
    assert nearest(value, ["a", "b"]) is None


@given(st.text(), st.integers(1, 80))
def test_a_text_that_fits_stays_as_it_is(text, width):
    found = shortened(text, width)
    assert len(found) <= width and found.isprintable()
    if text.isprintable() and len(text) <= width:
        assert found == text
    assert shortened(found, width) == found


def test_a_long_list_gives_its_first_names_and_their_number():
    assert listed(["a", "b"]) == "a, b"
    assert listed(NAMES[:40]).endswith(", name 39") and listed(NAMES[:41]).endswith("name 39, … 41 in all")
    assert listed([" a", ""]) == "' a', ''"
    assert len(listed(["x" * 1000] * 100)) < MAX_LINE


@pytest.mark.parametrize("kind", [InvalidInput, CannotDo, lambda message: InvalidScenario([message])])
def test_no_error_has_a_message_without_an_end(kind):
    reported = str(kind("\x1b[2J" + "x" * 10**6 + "\n" * 10_000))
    assert all(len(line) <= MAX_LINE and line.isprintable() for line in reported.split("\n"))
    assert reported.count("\n") < 200
    assert reported.startswith(r"\x1b[2J")


MEMORY = ha.Memory(np.eye(3))
CALLS = [lambda value, name=name: MEMORY.recall(np.eye(3), **{name: value}) for name in ("tol", "update", "max_steps")]
CALLS += [lambda value, name=name: ha.Memory(np.eye(3), **{name: value}) for name in ("similarity", "beta")]
CALLS += [lambda value: ha.compare(np.eye(3), np.eye(3), memories=value), ha.load]


@pytest.mark.parametrize("value", ENDLESS, ids=range(6))
@pytest.mark.parametrize("call", CALLS, ids=range(7))
def test_a_call_with_a_value_without_end_is_refused_in_a_line(call, value):
    with pytest.raises(InvalidInput) as caught:
        call(value)
    assert len(str(caught.value)) < 600 and str(caught.value).isprintable()


def test_the_nearest_choice_is_found_whatever_its_letters_and_however_many_there_are():
    choices = [f"word{i}" for i in range(3000)] + ["banks"]
    assert nearest("bnaks", choices) == "banks"
    assert nearest("wordd0", choices) == "word0"
    assert nearest("xanks", choices) is None  # of very many, those with the same letter are compared
    assert nearest("SOFTMX", ["Softmax", "argmax"]) == "Softmax" and nearest("=", [">=", "=="]) == "=="
    assert unknown("qq", ["a"], ["qqq"]) == "'qq' is unknown; did you mean 'qqq'? (choices: a, qqq)"
    assert unknown("qq", []).endswith("nothing to choose from")
