"""Published numbers: each record holds, and a wrong number fails under every verdict."""

import pytest

from hopattn.papers import records
from tests.each import each

QUICK = [name for name, record in records().items() if record.trial is None and record.scenario is None]


@each("name", QUICK)
def test_each_record_holds(name):
    assert records()[name].compute().holds is not False, name


def test_a_wrong_published_number_fails():
    record = records()["critical-load"]
    assert not record.model_copy(update={"published": 0.15}).compute().holds


@pytest.mark.full
@each("name", [name for name in records() if name not in QUICK])
def test_each_simulated_record_holds(name):
    assert records()[name].compute().holds
