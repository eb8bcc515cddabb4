"""Published numbers: each record holds, a wrong one fails under every verdict, and a wrong file says what is wrong."""

import ast
import inspect
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
from hopattn.papers import Computed, records, trials
from hopattn.papers.record import VERDICTS, Verdict
from hopattn.papers.ways import Measure
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.running import run
from hopattn.views.papers_text import difference
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


def kept(name):
    """A record with our number, as it was computed last."""
    return Computed(records()[name], *KEPT[name])


@pytest.mark.parametrize("name", [name for name in KEPT if kept(name).ours is not None])
def test_a_number_of_ours_that_is_off_fails(name):
    """A formula's by a twentieth, a simulation's by 15 %, or by .1 where it is 0; and by more than the tolerance."""
    one, reference = kept(name), records()[name].reference
    off = (0.05 if name in FORMULAS else 0.15) * abs(one.ours) or 0.1
    value, within = (reference.value, reference.within) if reference else (one.target, one.record.within)
    beyond = 1.001 * (within + 4 * one.error) + 1e-14
    assert one.holds
    for wrong in (one.ours - off, one.ours + off, value - beyond, value + beyond):
        assert replace(one, ours=wrong).holds is False, wrong


@pytest.mark.parametrize("name", [name for name in KEPT if kept(name).ours is not None])
def test_a_wrong_published_number_fails(name):
    one = kept(name)
    far = 1 + 10 * (one.allowed + abs(one.record.published))
    if one.record.verdict == "bound":
        wrong = with_published(one, one.ours + (far if one.record.bound == "ours is at least" else -far))
    elif one.record.verdict in ("superseded", "does not hold"):
        wrong = with_published(one, one.ours)
    else:
        wrong = replace(with_published(one, one.ours + far), here=one.here if one.here is None else one.ours + far)
    assert wrong.holds is False


def test_a_number_that_is_not_checked_neither_holds_nor_fails():
    assert {name for name in KEPT if kept(name).holds is None} == {
        name for name, record in records().items() if record.verdict == "not checked"
    }


def with_hopattn():
    """The functions of `trials.py` that use a name from hopattn, or a constant made of one."""
    parts, found = set(), set()
    for one in ast.parse(inspect.getsource(trials)).body:
        used = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} & parts
        if isinstance(one, ast.ImportFrom) and one.module.startswith("hopattn"):
            parts |= {name.name for name in one.names}
        elif isinstance(one, ast.Assign) and used:
            parts |= {target.id for target in one.targets}
        elif isinstance(one, ast.FunctionDef) and used:
            found.add(one.name)
    return found


def test_a_record_is_of_the_paper_alone_where_its_simulation_uses_no_part_of_hopattn():
    simulations, used = {name for name, _ in inspect.getmembers(trials, inspect.isfunction)}, with_hopattn()
    alone = {
        name
        for name, record in records().items()
        if getattr(record, "trial", "") in simulations - used and record.at_this_size is None
    }
    assert alone == {name for name, record in records().items() if record.checks == "paper"} and alone


LONG = {
    *("sdm-reading", "orthogonal-error", "feature-error", "sequence-error-2", "contraction", "retrieval-error"),
    *("multitasking-second", "multitasking-third", "cover-simulated", "sphere-first-step-62"),
}
SIMULATIONS = [name for name, record in records().items() if record.way and name not in FORMULAS]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in SIMULATIONS]
)
def test_a_simulation_gives_its_number_again(name):
    one, (ours, error, here) = computed(name), KEPT[name]
    assert one.holds and (one.ours, one.error) == pytest.approx((ours, error), rel=1e-4)
    assert one.here is here is None or one.here == pytest.approx(here, rel=1e-4)


def test_the_words_say_what_is_computed_and_what_is_of_the_paper_alone(hopattn):
    out = hopattn("papers", "score-variance", "sphere-bound-1", "--check", "--long", "--workers", "1")[1]
    assert "0.315747 (computed)  0.3157465" in out and "exact, paper alone" in out
    assert "2 numbers: 1 hold, 0 fail, 1 of the paper alone, 0 not checked" in out
    assert (
        "2 numbers of 2 papers: 2 exact; 1 of the paper alone"
        in hopattn("papers", "score-variance", "sphere-bound-1")[1]
    )
    assert "no part of hopattn" in hopattn("papers", "score-variance")[1]
    whole = hopattn("papers", "newman-bound")[1]
    assert "0.1379056: the critical load, to the digits" in whole and "no part" not in whole
    low = replace(kept("newman-bound"), ours=0.12)
    assert low.holds is False and "; ours − the reference = −0.0179; tolerance 5e-09" in difference(low)


def test_the_working_of_a_scenario_is_cut_after_40_lines():
    lines = run(load_scenario(shipped()["softmax-table"]), rng=0, explain=True).runs[0].working
    assert len(lines) > 41
    shown = Measure(scenario="softmax-table", measure="x").working.split("\n")
    assert shown == [*(f"    {line}" for line in lines[:40]), f"    … {len(lines)} lines; --explain writes all"]


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
        (THEORY, f'{THEORY}\nchecks = "paper"', "17: checks", ["a trial alone"]),
        (THEORY, f"{THEORY}\nreference = {{ value = 1 }}", "17: because", ["missing"]),
        (f'"exact"\n{THEORY}', '"not checked"\nreference = { value = 1, because = "x" }', "16: reference", ["none"]),
        ('"exact"', '"exact"\nkind = "copied"', "16: kind", ["'copied'", "'computed'"]),
        ('"exact"', '"bound"\nbound = "ours is at least"', "7: reference", ["missing", "'bound'"]),
        ('"exact"', '"superseded"\nsuperseded_by = "a-load"', "7: reference", ["missing"]),
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
    reference = 'reference = { value = 0.1379, within = 1e-4, because = "x" }'
    later = GOOD.replace('"exact"', f'"superseded"\nsuperseded_by = "b"\n{reference}').replace("a-load", "c-load")
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
    assert one[:2] == two[:2] and [record["name"] for record in json.loads(one[1])] == names
    assert [record["ours"] for record in json.loads(one[1])] == pytest.approx([KEPT[name][0] for name in names])
