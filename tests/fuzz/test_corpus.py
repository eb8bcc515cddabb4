"""Every kept case, once more: what was mended stays mended."""

import json

import pytest

from tests.fuzz.corpus import executor, kept
from tests.fuzz.judging import faults
from tests.processes import ROOT


@pytest.mark.slow
def test_no_kept_case_breaks_the_law(worker):
    """One test, since the process that executes the cases begins for seconds; another test makes the wrong calls."""
    commands = {name: one for name, one in kept().items() if one["kind"] != "wrong_calls"}
    found = {
        name: faults(worker.outcome(executor(one["kind"]), one["case"]), one["case"]) for name, one in commands.items()
    }
    assert {name: (commands[name]["once"], wrong) for name, wrong in found.items() if wrong} == {}


def test_a_kept_case_says_what_once_went_wrong_and_names_no_folder_of_a_machine():
    for name, one in kept().items():
        assert one.keys() == {"kind", "once", "case"} and one["once"], name
        assert str(ROOT) not in json.dumps(one), name
        assert len(json.dumps(one)) < 50_000, f"{name}: write what is repeated as [text, n]"
