"""One fault in a shipped scenario is one error, whatever follows from it."""

import re

import numpy as np
import pytest

from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.files import shipped_folder
from hopattn.scenario.loading import parse

WORD = r'"([A-Za-z]\w*)"'
NUMBER = r"(?<=[\[ ])-?\d+(?:\.\d+)?(?=[,\]\s]|$)"
FAULTS = {
    "misspelt key": (r"^([a-z_]+)(?= *=)", r"\1x"),
    "misspelt heading": (r"^(\[+[^\]\"]+)(?=\])", r"\1x"),
    "no heading": (r"^\[(?!fig|fixed)\w.*", ""),
    "misspelt name": (WORD, r'"\1x"'),
    "missing token": (rf"(?<=^tokens = \[){WORD}, ", ""),
    "misspelt token": (rf"(?<=^tokens = \[){WORD}", r'"\1x"'),
    "text for a number": (NUMBER, '"abc"'),
    "wrong number": (NUMBER, "-7"),
    "wrong shape": (r"(?<=\[)-?\d+(?:\.\d+)?, ", ""),
}
"""What is put where a pattern first fits on a line."""


def lines_with(fault):
    """The places of a fault: the path of a scenario, the number of a line, and the line with the fault."""
    pattern, new = FAULTS[fault]
    for path in sorted(shipped_folder().rglob("*.toml")):
        for number, line in enumerate(path.read_text().splitlines()):
            changed = line if line.startswith("#") else re.sub(pattern, new, line, count=1)
            if changed != line:
                yield path, number, changed


@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_is_one_error(fault):
    places = [*lines_with(fault)]
    refused, several = 0, []
    for place in np.random.default_rng(1).permutation(len(places))[:60]:
        path, number, changed = places[place]
        lines = path.read_text().splitlines()
        lines[number] = changed
        try:
            parse("\n".join(lines), str(path), "file")
        except InvalidScenario as error:
            refused += 1
            several += [error.problems] * (len(error.problems) > 1)
    assert refused > 15
    assert not several
