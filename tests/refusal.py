"""A text that must be refused, and the message that must be among those it is refused with."""

import pytest

from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.loading import parse


def problems(text):
    """The messages that a text is refused with."""
    with pytest.raises(InvalidScenario) as caught:
        parse(text, "file.toml", "file")
    return list(caught.value.problems)


def assert_refused(text, message):
    """One of the messages begins so, after the name of the file."""
    found = problems(text)
    assert any(line.startswith(f"file.toml:{message}") for line in found), found
