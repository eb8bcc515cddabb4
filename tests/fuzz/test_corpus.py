"""Every kept case, once more: what was mended stays mended."""

import json

import pytest

from tests.fuzz.corpus import kept
from tests.fuzz.judging import faults
from tests.fuzz.kinds import KINDS
from tests.processes import ROOT


@pytest.mark.quick(0)
def test_no_kept_case_breaks_the_law(worker):
    found = {}
    for name, one in kept().items():
        if one["kind"] == "wrong_calls":
            continue  # `test_wrong_calls.py` makes them in this process
        if wrong := faults(worker.outcome(KINDS[one["kind"]].__name__, one["case"]), one["case"]):
            found[name] = (one["once"], wrong)
    assert found == {}


def test_a_kept_case_says_what_once_went_wrong_and_names_no_folder_of_a_machine():
    for name, one in kept().items():
        assert one.keys() == {"kind", "once", "case"} and one["once"], name
        assert str(ROOT) not in json.dumps(one), name
        assert len(json.dumps(one)) < 50_000, f"{name}: write what is repeated as [text, n]"
