"""Published numbers: each record holds, a wrong one fails under every verdict, and a wrong file says what is wrong."""

import json
from dataclasses import replace
from functools import cache
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docs.builder import papers as page
from hopattn.foundation.errors import InvalidInput
from hopattn.papers import Computed, checking, records
from hopattn.papers.record import VERDICTS, Verdict
from hopattn.papers.ways import Formula
from tests.each import each

FORMULAS = [name for name, record in records().items() if isinstance(record, Formula)]
KEPT = json.loads(page.KEPT.read_text(encoding="utf-8"))


@cache
def computed(name):
    return records()[name].compute()


def with_published(one, published):
    return replace(one, record=one.record.model_copy(update={"published": published}))


@each("name", FORMULAS)
def test_each_formula_holds(name):
    assert computed(name).holds, name


@pytest.mark.full
@each("name", [name for name, record in records().items() if not isinstance(record, Formula)])
def test_each_simulation_holds(name):
    assert computed(name).holds is not False, name


def test_there_is_a_number_of_every_verdict():
    assert {record.verdict for record in records().values()} == {*VERDICTS} == {*get_args(Verdict)}


@each("name", [*KEPT])
def test_a_wrong_published_number_fails(name):
    """Ours is the number that is kept."""
    record, (ours, error, here) = records()[name], KEPT[name]
    one = Computed(record, ours, error, here)
    far = 1 + 10 * (one.allowed + abs(record.published))
    if ours is None:
        assert record.verdict == "not checked" and one.holds is None
        return
    assert one.holds
    if record.verdict == "bound":
        wrong = with_published(one, ours + (far if record.bound == "ours is at least" else -far))
    elif record.verdict in ("superseded", "does not hold"):
        wrong = with_published(one, ours)
    elif here is not None:
        wrong = replace(one, here=ours + far)
    else:
        wrong = with_published(one, ours + far)
    assert wrong.holds is False


FINITE = st.floats(-1e6, 1e6)


@given(ours=FINITE, published=FINITE, within=st.floats(0, 1e3), error=st.floats(0, 1e3))
def test_ours_may_differ_by_the_tolerance_and_four_standard_errors(ours, published, within, error):
    base = records()["critical-load"]

    def holds(verdict, bound=None):
        changes = {"published": published, "within": within, "verdict": verdict, "bound": bound}
        return Computed(base.model_copy(update=changes), ours, error, None).holds

    near = abs(ours - published) <= within + 4 * error
    assert holds("exact") is holds("kinetic") is near
    assert holds("superseded") is holds("does not hold") is (not near)
    assert holds("bound", "ours is at least") is (near or ours > published)
    assert holds("bound", "ours is at most") is (near or ours < published)


def test_the_kept_numbers_are_those_of_all_records_and_come_out_again():
    assert [*KEPT] == [*records()], "make docs"
    for name in FORMULAS:
        for kept, now in zip(KEPT[name], page.numbers(computed(name)), strict=True):
            assert kept is now is None or kept == pytest.approx(now, rel=1e-6, abs=1e-12), name


GOOD = """
authors = "Someone"
year = 2000
title = "A paper"
where = "A journal"

[[record]]
name = "a-load"
says = "a load"
at = "abstract"
setting = "a network"
published = 0.138
within = 0.001
because = "a reason"
verdict = "exact"
theory = "critical_load"
"""


def read(folder, text, **others):
    for name, one in {"a-2000": text, **others}.items():
        (folder / f"{name}.toml").write_text(one, encoding="utf-8")
    return records(folder)


def test_a_record_of_a_file_of_ones_own_is_computed(tmp_path):
    one = read(tmp_path, GOOD)["a-load"]
    assert one.compute().holds and one.source.short == "Someone 2000"


@each(
    ("old", "new", "message"),
    [
        ('theory = "critical_load"', 'theory = "critical_laod"', "theory: 'critical_laod' is unknown; did you mean"),
        (
            'theory = "critical_load"',
            "",
            "got no way to compute it; verdict = 'exact' expected one of theory, scenario, trial",
        ),
        ('"exact"', '"exakt"', "a-2000.toml:15: verdict: 'exakt' is unknown; did you mean 'exact'?"),
        ('"exact"', '"bound"', "a-2000.toml:7: bound: is missing; it belongs to verdict = 'bound'"),
        ('"exact"', '"asymptotic"', "at_this_size: is missing; an asymptotic number has a value at this size"),
        ('"exact"', '"not checked"', "got a way to compute it; verdict = 'not checked' expected none of theory"),
        ('"exact"', '"superseded"\nsuperseded_by = "b"', "a-load: superseded_by: 'b' is unknown"),
        (
            '"exact"',
            '"exact"\nerratum = "x"',
            "erratum: verdict = 'exact'; the key belongs to verdict = 'does not hold'",
        ),
        ("within = 0.001", "wihtin = 0.001", "a-2000.toml:13: wihtin: 'wihtin' is unknown; did you mean 'within'?"),
        ("0.138", '"0.138"', "a-2000.toml:12: published: got '0.138'; expected a number"),
        ("within = 0.001", "within = -1", "within: got -1; expected at least 0"),
        ('"a-load"', '"A load"', "a-2000.toml:8: name: got 'A load'; expected lower-case words"),
        ('"critical_load"', '"critical_load"\ntrials = 3', "trials: 'trials' is unknown"),
        ('"critical_load"', '"critical_load"\nshown_by = "capcity"', "shown_by: 'capcity' is unknown; did you mean"),
        ('theory = "critical_load"', 'scenario = "capacity"', "measure: is missing"),
        (
            'theory = "critical_load"',
            'trial = "spin_glas"',
            "trial: 'spin_glas' is unknown; did you mean 'spin_glass'?",
        ),
        ("year = 2000", "", "year: is missing"),
        ("year = 2000", "year =", "not TOML"),
    ],
)
def test_a_wrong_file_says_where_and_what_was_expected(tmp_path, old, new, message):
    assert old in GOOD
    with pytest.raises(InvalidInput) as refused:
        read(tmp_path, GOOD.replace(old, new))
    assert message in str(refused.value)


def test_all_errors_of_all_files_come_together_and_a_name_is_given_once(tmp_path):
    with pytest.raises(InvalidInput) as refused:
        read(tmp_path, GOOD, b=GOOD, c=GOOD.replace("exact", "exakt"))
    assert "'a-load' is the name of two records" in str(refused.value) and "'exakt'" in str(refused.value)


@each(
    ("old", "new", "message"),
    [
        ('"critical_load"', '"critical_load"\ngiven = { temprature = 0 }', "a-load: given: got an unexpected keyword"),
        (
            '"critical_load"',
            '"critical_load"\ngiven = { temperature = [0, 0.1] }',
            "gives 2 numbers; choose one by `part`",
        ),
        ('"critical_load"', '"critical_load"\npart = "reach"', "part: 'reach' is no part of"),
        ('theory = "critical_load"', 'scenario = "capacity"\nmeasure = "ovrlap"', "a-load: measure 'ovrlap'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_the_name_of_the_record(tmp_path, old, new, message):
    one = read(tmp_path, GOOD.replace(old, new))["a-load"]
    with pytest.raises(InvalidInput) as refused:
        one.compute()
    assert message in str(refused.value)


def test_a_part_of_a_result_is_an_attribute_or_an_index(tmp_path):
    call = 'theory = "margins"\ngiven = { patterns = [[1, 0], [0, 1]] }\npart = "reach.0"'
    assert read(tmp_path, GOOD.replace('theory = "critical_load"', call))["a-load"].compute().ours == pytest.approx(
        0.5**0.5
    )


def test_a_scenario_is_run_with_its_changes_over_independent_seeds(tmp_path):
    call = 'scenario = "capacity"\nmeasure = "overlap"\nset = { "ensemble.neurons" = 60 }\ntrials = 5'
    found = read(tmp_path, GOOD.replace('theory = "critical_load"', call))["a-load"].compute()
    assert 0.5 < found.ours <= 1 and 0 < found.error < 0.3


@pytest.mark.full  # starts processes
def test_several_processes_give_what_one_gives():
    names = ["critical-load", "score-variance", "metastable-count"]
    one, two = (checking.computed([records()[name] for name in names], workers) for workers in (1, 2))
    assert one == two
