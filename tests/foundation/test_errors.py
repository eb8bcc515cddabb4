"""Messages: whatever they quote, they have an end, and nothing in them controls a terminal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import (
    MAX_LINE,
    CannotDo,
    InvalidInput,
    listed,
    nearest,
    quoted,
    shortened,
    unknown,
)
from hopattn.scenario.checking import InvalidScenario
from tests.each import each

DEEP = []
for _ in range(100_000):
    DEEP = [DEEP]


class Mute:
    def __repr__(self):
        raise KeyError("no")


LONG = {
    "text": "x" * 5_000_000,
    "numbers": list(range(13_000)),
    "names": [f"name {i}" for i in range(13_000)],
    "digits": 10**5000,
    "deep": DEEP,
    "mute": Mute(),
    "table": {f"key {i}": i for i in range(5000)},
    "bytes": bytes(100_000),
    "escapes": "\x1b[31m\n" * 1000,
}


@each("value", LONG.values())
def test_a_value_of_any_size_takes_a_part_of_a_line(value):
    for write in (shortened, quoted):
        assert len(write(value)) <= 60
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
    assert listed(LONG["names"]).endswith("name 39, … 13000 in all")
    assert len(listed(["x" * 1000] * 100)) < MAX_LINE


@pytest.mark.parametrize("kind", [InvalidInput, CannotDo, lambda message: InvalidScenario([message])])
def test_no_error_has_a_message_without_an_end(kind):
    reported = str(kind("\x1b[2J" + "x" * 10**6 + "\n" * 10_000))
    assert all(len(line) <= MAX_LINE and line.isprintable() for line in reported.split("\n"))
    assert reported.count("\n") < 200
    assert reported.startswith(r"\x1b[2J")


MEMORY = ha.Memory(np.eye(3))
CALLS = {
    "Memory(similarity)": lambda value: ha.Memory(np.eye(3), similarity=value),
    "Memory(beta)": lambda value: ha.Memory(np.eye(3), beta=value),
    "recall(tol)": lambda value: MEMORY.recall(np.eye(3), tol=value),
    "recall(update)": lambda value: MEMORY.recall(np.eye(3), update=value),
    "recall(max_steps)": lambda value: MEMORY.recall(np.eye(3), max_steps=value),
    "recall(mask)": lambda value: MEMORY.recall(np.eye(3), mask=value),
    "RandomFeatures(orthogonal)": lambda value: ha.retrieval.RandomFeatures(4, orthogonal=value),
    "compare(memories)": lambda value: ha.compare(np.eye(3), np.eye(3), memories=value),
    "load": ha.load,
}


@each("value", ["text", "numbers", "names", "table", "bytes", "escapes"])
@each("call", CALLS.values())
def test_a_call_with_a_value_without_end_is_refused_in_a_line(call, value):
    with pytest.raises(InvalidInput) as caught:
        call(LONG[value])
    assert len(str(caught.value)) < 600 and str(caught.value).isprintable()


def test_of_very_many_choices_those_with_the_same_letter_are_compared():
    choices = [f"word{i}" for i in range(3000)] + ["banks"]
    assert nearest("bnaks", choices) == "banks"
    assert nearest("wordd0", choices) == "word0"
    assert nearest("xanks", choices) is None
