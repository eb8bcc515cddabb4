"""Published numbers: each record holds, a wrong one fails under every verdict, and a wrong file says what is wrong."""

import json
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from docs.builder import papers as page
from hopattn.papers import Computed, records
from hopattn.papers.record import VERDICTS, Verdict
from tests.refusal import refused

FORMULAS = [name for name, record in records().items() if hasattr(record, "theory")]
KEPT = json.loads(page.KEPT.read_text(encoding="utf-8"))


@cache
def computed(name):
    return records()[name].compute()


def with_published(one, published):
    return replace(one, record=one.record.model_copy(update={"published": published}))


@pytest.mark.parametrize("name", FORMULAS)
def test_each_formula_holds(name):
    assert computed(name).holds, name


def test_there_is_a_number_of_every_verdict():
    assert {record.verdict for record in records().values()} == {*VERDICTS} == {*get_args(Verdict)}


@pytest.mark.parametrize("name", [*KEPT])
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


THEORY = 'theory = "critical_load"'


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        (THEORY, 'theory = "critical_laod"', "16: theory", ["'critical_laod'", "'critical_load'"]),
        (THEORY, "", "7:", ["no way", "verdict = 'exact'", "one of theory, scenario, trial"]),
        (THEORY, 'scenario = "capacity"', "7: measure", ["missing"]),
        (THEORY, 'scenario = "capcity"\nmeasure = "overlap"', "16: scenario", ["'capcity'", "'capacity'"]),
        (THEORY, 'trial = "spin_glas"', "16: trial", ["'spin_glas'", "'spin_glass'?"]),
        (THEORY, f"{THEORY}\ntrials = 3", "17: trials", ["unknown"]),
        (THEORY, f'{THEORY}\nshown_by = "capcity"', "17: shown_by", ["'capcity'", "'capacity'"]),
        (THEORY, f"{THEORY}\nat_this_size = {{ {THEORY} }}", "17: at_this_size", ["asymptotic and kinetic"]),
        ('"exact"', '"exakt"', "15: verdict", ["'exakt'", "'exact'?"]),
        ('"exact"', '"bound"', "7: bound", ["missing", "verdict = 'bound'"]),
        ('"exact"', '"asymptotic"', "7: at_this_size", ["missing", "a value at this size"]),
        ('"exact"', '"not checked"', "7:", ["a way", "verdict = 'not checked'", "none of theory"]),
        ('"exact"', '"exact"\nerratum = "x"', "16: erratum", ["verdict = 'exact'", "verdict = 'does not hold'"]),
        ("within = 0.001", "wihtin = 0.001", "13: wihtin", ["'within'?"]),
        ("within = 0.001", "within = -1", "13: within", ["-1", "at least 0"]),
        ("0.138", '"0.138"', "12: published", ["'0.138'", "a number"]),
        ('"a-load"', '"A load"', "8: name", ["'A load'", "lower-case"]),
        ('"a-load"', '"a--load"', "8: name", ["'a--load'", "lower-case"]),
        ("year = 2000", "", "", ["year: is missing"]),
        ("year = 2000", "year = 1899", "3: year", ["1899", "1900"]),
        ("year = 2000", "year =", "3:", ["not TOML"]),
    ],
)
def test_a_wrong_file_says_where_and_what_was_expected(tmp_path, monkeypatch, old, new, place, words):
    assert old in GOOD
    monkeypatch.chdir(tmp_path)
    refused(lambda: read(Path(), GOOD.replace(old, new)), f"a-2000.toml:{place}", *words)


def test_all_errors_of_all_files_come_together_and_a_name_is_given_once(tmp_path):
    later = GOOD.replace('"exact"', '"superseded"\nsuperseded_by = "b"').replace("a-load", "c-load")
    call = partial(read, tmp_path, GOOD, b=GOOD, c=GOOD.replace("exact", "exakt"), d=later)
    refused(lambda: read(tmp_path, GOOD, d=later), "c-load: superseded_by", "'b'")
    with pytest.raises(ha.InvalidInput) as caught:
        call()
    assert all(word in str(caught.value) for word in ("'a-load' is the name of two records", "'exakt'"))


@pytest.mark.parametrize(
    ("new", "place", "words"),
    [
        (f"{THEORY}\ngiven = {{ temprature = 0 }}", "a-load: given", ["temprature", "temperature"]),
        (f"{THEORY}\ngiven = {{ temperature = [0, 0.1] }}", "a-load: theory", ["2 numbers", "`part`"]),
        (f'{THEORY}\npart = "reach"', "a-load: part", ["'reach'"]),
        ('scenario = "capacity"\nmeasure = "ovrlap"', "a-load: measure 'ovrlap'", ["'overlap'"]),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_the_name_of_the_record(tmp_path, new, place, words):
    refused(read(tmp_path, GOOD.replace(THEORY, new))["a-load"].compute, place, *words)


def test_a_part_of_a_result_is_an_attribute_or_an_index(tmp_path):
    call = 'theory = "margins"\ngiven = { patterns = [[1, 0], [0, 1]] }\npart = "reach.0"'
    assert read(tmp_path, GOOD.replace('theory = "critical_load"', call))["a-load"].compute().ours == pytest.approx(
        0.5**0.5
    )


def test_a_scenario_is_run_with_its_changes_over_independent_seeds(tmp_path):
    call = 'scenario = "capacity"\nmeasure = "overlap"\nset = { "ensemble.neurons" = 60 }\ntrials = 5'
    found = read(tmp_path, GOOD.replace('theory = "critical_load"', call))["a-load"].compute()
    assert 0.5 < found.ours <= 1 and 0 < found.error < 0.3


@pytest.mark.slow
def test_several_processes_give_what_one_gives_in_the_order_that_is_asked_for(hopattn):
    names = ["critical-load", "score-variance", "metastable-count"]
    one, two = (hopattn("papers", *names, "--check", "--json", "--workers", workers) for workers in "12")
    assert one == two and [record["name"] for record in json.loads(one[1])] == names
    assert [record["ours"] for record in json.loads(one[1])] == pytest.approx([KEPT[name][0] for name in names])
