"""Values without end in a scenario: whatever a message quotes of them takes a part of a line."""

import re

import pytest

from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from tests.counts import count, spread

WRITTEN = re.compile(r'"[^"\n]*"|\[[^\[\]\n]*\]')
"""A text, the name of a table, or a short list."""
ENDLESS = {"text": '"' + 100_000 * "x" + '"', "list": "[" + 2_000 * '"name", ' + "]", "digits": 4000 * "9"}


@pytest.mark.quick(4)
@pytest.mark.parametrize("value", ENDLESS.values(), ids=ENDLESS)
@pytest.mark.parametrize("name", ["bank", "letters", "head-scores", "torus-walk", "rope"])
def test_a_value_without_end_takes_a_part_of_a_line(name, value):
    text = shipped()[name].read_text(encoding="utf-8")
    for start, end in spread([found.span() for found in WRITTEN.finditer(text)], count(40, 4)):
        try:
            parse(text[:start] + value + text[end:], "file.toml", "file")
        except InvalidScenario as error:
            assert max(len(line) for problem in error.problems for line in problem.split("\n")) < 800
