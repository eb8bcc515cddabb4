"""What wrong input is refused with: the place that a message names, and the key words that it must hold.

A message may say its sentence in other words tomorrow. So a table holds the place (an argument, a file's line and key)
with which the message begins, and the words without which it would not help: what stands there, the nearest choice, the
number that was expected.
"""

import pytest

from hopattn.foundation.errors import HopattnError
from hopattn.scenario.checking import InvalidScenario
from tests.texts import parsed


def assert_says(message, place, *words):
    """A message begins with its place and holds each of the words; `message` may be one of several lines."""
    lines = message if isinstance(message, list) else [message]
    assert any(line.startswith(place) and all(word in line for word in words) for line in lines), (place, words, lines)


def refused(call, place, *words):
    """A call without arguments is refused by hopattn, with such a message."""
    with pytest.raises(HopattnError) as caught:
        call()
    assert_says(str(caught.value), place, *words)


def problems(text):
    """The messages that the text of a scenario is refused with."""
    with pytest.raises(InvalidScenario) as caught:
        parsed(text)
    return list(caught.value.problems)


def assert_refused(text, place, *words):
    """One of the messages names this place, as `14: layer.head.separation`, and holds the words."""
    assert_says(problems(text), f"file.toml:{place}", *words)
