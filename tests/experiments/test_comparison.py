"""A comparison as sentences, table, CSV, JSON, pandas and xarray: the same numbers, and the words that fit them."""

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from tests.html_page import Page

GRID = ha.experiments.compare_random(
    {"load": [0.2, 0.4]}, memories=["hopfield", "modern", "dense"], dim=10, trials=2, patterns="unit", rng=4
)
REFUSED = GRID.rows[0]


def row(memory, where="", refusal="", beta=1.0, **measures):
    return replace(REFUSED, memory=memory, where=where, refusal=refusal, point={"beta": beta}, **measures)


def words(rows, axes=()):
    return ha.Comparison(about="this", rows=tuple(rows), axes=axes, seed=0, referees=()).words()


def test_every_form_holds_the_same_rows():
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    table, told, frame = GRID.table(), json.loads(GRID.to_json()), GRID.to_pandas()
    sheet = list(csv.DictReader(io.StringIO(GRID.to_csv())))
    assert told["rows"] == table and told["words"] == GRID.words()
    assert (told["about"], told["axes"], told["seed"]) == (GRID.about, ["load"], 4)
    assert told["referees"] == [*GRID.referees] and GRID.referees[0] == "NumPy"
    assert len(sheet) == len(table) == len(frame) == len(GRID.rows) == 6
    assert [*sheet[0]][:4] == ["memory", "of", "beta", "load"]
    titles = {"recalled": "recalled", "n_keys": "keys", "n_cues": "cues", "recalled_low": "recalled low"}
    titles |= {"error_first": "error in one step", "error_rest": "error at rest", "median_rest": "median at rest"}
    titles |= {"effective_keys": "effective keys", "difference": "beside attention", "free_energy": "free energy"}
    titles |= {
        "nearer": "nearer at rest",
        "key_dim": "dim of a key",
        "is_attention": "is attention",
        "trials": "trials",
    }
    for i, (one, entry, line) in enumerate(zip(GRID.rows, table, sheet, strict=True)):
        assert (
            (entry["memory"], entry["load"]) == (one.memory, one.point["load"]) == (line["memory"], float(line["load"]))
        )
        assert one.memory == ("hopfield", "modern", "dense")[i % 3] and one.point["load"] == (0.2, 0.4)[i // 3]
        for name, title in titles.items():
            value = getattr(one, name)
            assert entry[name] == value and line[title] == ("" if value is None else str(value)), name
            assert frame[name].iloc[i] == value or value is None
        assert line["notes"] == "; ".join(f"{name}: {why}" for name, why in entry["notes"].items())
    cube = GRID.to_xarray()
    assert cube["cosine"].sel(memory="modern", load=0.4).values.item() == GRID.rows[4].cosine


def test_the_same_input_gives_the_same_text_and_a_seed_may_be_a_generator():
    seeds = (1, 1, 2, np.random.default_rng(7), np.random.default_rng(7))
    more = {"memories": ["hopfield"], "dim": 12, "trials": 3, "noise": 0.3}
    one, same, other, drawn, again = (ha.experiments.compare_random(rng=rng, **more).to_json() for rng in seeds)
    assert one == same and drawn == again and len({one, other, drawn}) == 3


def test_it_is_shown_in_a_line():
    assert repr(GRID) == f"Comparison({GRID.about}: hopfield, modern, dense, over load, 6 rows, seed 4)"
    single = ha.compare(np.eye(2), np.eye(2), memories="nearest", rng=0)
    assert repr(single) == "Comparison(2 cues and 2 keys of dim 2: nearest, 1 rows, seed 0)"


COLUMNS = {
    "recalled_first": "in one step", "cosine": "cosine", "error_first": "error in one step",
    "error_second": "error in two steps", "error_rest": "error at rest", "median_first": "median in one step",
    "median_rest": "median at rest", "nearer": "nearer at rest", "at_rest": "at rest", "steps": "steps",
    "energy_fall": "energy falls by", "distance": "one step to end", "least_number": "keys for 90 %",
    "entropy": "entropy", "effective_keys": "effective keys", "free_energy": "free energy",
    "effective_beta": "effective beta", "recalled_per_number": "recalled per number",
}  # fmt: skip


def test_the_table_has_each_number_in_its_column_and_one_that_is_rounding_is_0_or_said_to_be():
    numbers = {name: i + 0.1234 for i, name in enumerate(COLUMNS, 1)}
    other = {
        "recalled": 0.25,
        "recalled_low": 0.2012,
        "recalled_high": 0.3,
        "operating_class": "II",
        "parameters": 12345,
    }
    apart = {"difference": 2.5e-3, "bound": 1e-12, "beta": 2.0}
    rows = [
        row("u", **numbers, **other, **apart),
        row("v", cosine=9e-13, entropy=2e-12, recalled=1.0, **SOFTMAX),
        row("w", difference=1e-12, bound=1e-12),
    ]
    headings, *cells = Page(
        ha.Comparison(about="this", rows=tuple(rows), axes=(), seed=0, referees=())._repr_html_()
    ).tables[0]
    first, second, third = (dict(zip(headings, line, strict=True)) for line in cells)
    texts = {"memory": "u", "beta": "2", "recalled": "0.25 [0.201, 0.3]", "class": "II", "stored numbers": "12,345"}
    texts |= {title: f"{numbers[name]:.3g}" for name, title in COLUMNS.items()}
    assert first == {**texts, "beside attention": "2.5e-03"}
    known = {"memory": "v", "beta": "1", "recalled": "1", "cosine": "0", "entropy": "2e-12"}
    assert second == dict.fromkeys(headings, "–") | known | {"beside attention": "rounding"}
    assert third["beside attention"] == "rounding"


REASON = "patterns: row 0 holds 0.1; the neurons are spins"
SOFTMAX = {"difference": 0.0, "bound": 1e-15}
UNTOLD = {"notes": {"difference": "too large"}}
DIFFERS = "One step of modern differs from attention by up to 1.0e-03, which is more than rounding."
LEFT = "; 1 of 2 rows cannot be compared: too large."
ATTENTION = "One step of modern is attention, up to rounding"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row(name, where, REASON) for name in "uv" for where in "ab"], f"u and v could not take part ({REASON})."),
        (
            [row("v", "a", REASON), row("v", "b"), row("v", "c", REASON), row("w", "a", "no")],
            f"v could not take part in 2 of 3 rows ({REASON}); w could not take part (no).",
        ),
        ([row("modern", **SOFTMAX), row("w", "", "no")], f"{ATTENTION}. w could not take part (no)."),
        ([row("modern", difference=1e-15, bound=1e-15)], f"{ATTENTION}."),
        ([row("modern", difference=one, bound=1e-12) for one in (1e-3, 2e-4)], DIFFERS),
        ([row("modern", **UNTOLD)], "One step of modern cannot be compared with attention: too large."),
        ([row("modern", **SOFTMAX), row("modern", **UNTOLD)], f"{ATTENTION}{LEFT}"),
        ([row("modern")], ""),
    ],
)
def test_sentences_say_who_could_not_take_part_and_whether_one_step_is_attention(rows, sentence):
    assert words(rows) == sentence


STEP, END = "after one step", "of the cues, at the fixed point"


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        (
            [("modern", 1.0, 0.114, 6.06), ("sparse", 1.0, 0.01, 1.15), ("linear", 0.5, 0.45, 1.15)],
            f"can hurt: {STEP} sparse recalls all {END} 1 % (β = 1.15); modern all, then 11 % (β = 6.06).",
        ),
        (
            [("hopfield", 0.2, 0.996, 1.0), ("hopfield", 0.0, 0.999, 2.0), ("dense", 0.0, 0.3, 2.0)],
            f"helps: {STEP} hopfield recalls none {END} >99 % (β = 2); dense none, then 30 % (β = 2).",
        ),
        (
            [("modern", 0.9, 0.75, 1.0), ("dense", 0.0, 0.9, 1.0)],  # what hurts is told first
            f"can hurt: {STEP} modern recalls 90 % {END} 75 % (β = 1).",
        ),
        ([("a", 0.62, 1.0, 1.0), ("a", 0.2, 0.25, 2.0)], f"helps: {STEP} a recalls 62 % {END} all (β = 1)."),
        ([("dense", 0.0, 0.1, 1.0)], f"helps: {STEP} dense recalls none {END} 10 % (β = 1)."),
        ([("dense", 0.0, 0.099, 1.0)], ""),
        ([("modern", 0.95, 1.0, 1.0), ("sparse", None, None, 1.0), ("dense", 0.5, 0.41, 1.0)], ""),
    ],
)
def test_a_sentence_says_what_iterating_does(shares, sentence):
    rows = [row(name, beta=beta, recalled_first=one, recalled=end) for name, one, end, beta in shares]
    assert words(rows, ("beta",)).removeprefix("Iterating ") == sentence


@given(st.permutations(range(4)))
def test_the_sentence_on_iterating_does_not_depend_on_the_order_of_the_rows(order):
    shares = [("a", 1.0, 0.1, 1.0), ("b", 1.0, 0.4, 2.0), ("a", 1.0, 0.5, 3.0), ("c", 0.1, 0.9, 4.0)]
    rows = [row(name, beta=beta, recalled_first=one, recalled=end) for name, one, end, beta in shares]
    assert words([rows[i] for i in order], ("beta",)) == words(rows, ("beta",))


ONE = "One step of modern is nearer to the target on average (0.031 against 0.042"
AFTER = "of modern is nearer to the target on average (0.031 against 0.042 after one step, β = 2), and for"
DIFFER = "of the cues: mean and median differ."


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ((0.031, 0.042, 0.82, 1.0), f"{ONE} at rest, β = 2); the fixed point is nearer for 82 % {DIFFER}"),
        ((0.042, 0.031, 0.82, 1.0), f"The fixed point {AFTER} 82 % of the cues."),
        ((0.042, 0.031, 0.2, 0.9), f"The last state {AFTER} 20 % {DIFFER}"),
        ((0.031, 0.042, 0.0, 0.9), f"{ONE} at the end, β = 2); the last state is nearer for none of the cues."),
        ((0.031, 0.031, 0.0, 1.0), ""),
        ((0.031, 0.031 + 1e-8, 0.0, 1.0), ""),
        ((None, None, None, 1.0), ""),
        ((0.031, 0.042, 0.0, 0.0), ""),
    ],
)
def test_a_sentence_says_whether_one_step_is_nearer(numbers, sentence):
    measured = dict(zip(("error_first", "error_rest", "nearer", "at_rest"), numbers, strict=True))
    assert words([row("modern", beta=2.0, **measured)], ("beta",)) == sentence


def test_of_several_rows_the_one_is_told_in_which_mean_and_median_differ_and_softmax_comes_first():
    def told(memory, beta, first, rest, share, **more):
        return row(memory, beta=beta, error_first=first, error_rest=rest, nearer=share, at_rest=1.0, **more)

    rows = [told("linear", 1.0, 1.0, 9.0, 0.9), told("modern", 1.0, 0.1, 0.9, 0.0, **SOFTMAX)]
    assert "One step of modern is nearer" in words(rows, ("beta",))
    assert "One step of linear is nearer" in words(rows[:1], ("beta",))
    rows += [told("modern", 2.0, 0.1, 0.95, 0.0, **SOFTMAX)]
    assert "(0.1 against 0.95 at rest, β = 2)" in words(rows, ("beta",))
    rows += [told("modern", 3.0, 0.1, 0.2, 0.7, **SOFTMAX)]
    assert "(0.1 against 0.2 at rest, β = 3)" in words(rows, ("beta",))
    placed = replace(rows[-1], where="head 2", point={"beta": 3.0, "load": 0.25})
    assert "(0.1 against 0.2 at rest, head 2, β = 3, load = 0.25)" in words([placed], ("beta", "load"))
    assert "(0.1 against 0.2 at rest)" in words(rows[-1:])


def test_the_csv_has_every_column_of_the_table_that_is_printed_and_each_is_explained_in_a_line(hopattn, tmp_path):
    _, out, _ = hopattn("compare", "--trials", "2", "--set", "dim=10", "--long", "--out", "a.csv")
    header = next(csv.reader((tmp_path / "a.csv").read_text().splitlines()))
    about, _, *parts = out.split("\n\n")
    legend = [line for line in parts[-1].splitlines() if line]
    headings = [line.partition(":")[0] for line in legend]
    assert len(headings) > 15 and {*headings} <= {*header, "[ ]"} and max(map(len, legend)) <= 120
    assert "memory" not in headings and headings.index("recalled") < headings.index("cosine") < headings.index("steps")
    assert about.splitlines()[0].startswith("1 random pattern of ±1 of 10 neurons")


def test_a_grid_that_is_longer_than_the_screen_is_one_measure_of_all_memories(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    few = ("compare", "--models", "nearest,linear", "--trials", "1", "--set", "dim=8", "--over")
    assert hopattn(*few, "load=0.1,0.2")[1].splitlines()[2].split()[:4] == ["memory", "load", "patterns", "one"]
    lines = hopattn(*few, "noise=0.01:0.3:30")[1].splitlines()
    assert len(lines) == 24 - 2  # the command and the next prompt
    heads = next(i for i, line in enumerate(lines) if line.split() == ["noise", "nearest", "linear"])
    shown = [line.split() for line in lines[heads + 1 :] if line.strip().startswith(".")]
    assert [float(cells[0]) for cells in shown[:2]] == [0.01, 0.02] and {len(cells) for cells in shown} == {3}
    assert lines[-1] == f"--long shows every measure, and {30 - len(shown)} more points"
    whole = hopattn(*few, "noise=0.01:0.3:30", "--long")[1].splitlines()
    places = [line.split()[:2] for line in whole if line.startswith(("nearest", "linear"))]
    assert len({*map(tuple, places)}) == 60 and "--long" not in " ".join(whole)


def test_the_keywords_have_the_defaults_that_their_descriptions_name():
    stated = {"dim": 64, "load": 0.1, "noise": 0.1, "hidden": 0, "correlation": 0, "patterns": "spins", "trials": 20}
    stated |= {"max_steps": 100, "n_patterns": None, "beta": None}
    for few in ({"memories": ["nearest"], "rng": 0}, {"memories": ["linear"], "dim": 16, "rng": 0}):
        one, same = ha.experiments.compare_random(**few), ha.experiments.compare_random(**{**stated, **few})
        assert one.to_json() == same.to_json()
    own = {"noise": 0.1, "hidden": 0.0, "trials": 20, "max_steps": 100, "beta": None}
    one, same = (ha.experiments.compare_patterns(np.eye(6), memories="modern", rng=0, **more) for more in ({}, own))
    assert one.to_json() == same.to_json()
    default = {"values": None, "targets": None, "mask": None, "max_steps": 100, "beta": None}
    one, same = (
        ha.compare(np.eye(6), np.eye(6), memories=["linear", "modern"], rng=0, **more) for more in ({}, default)
    )
    assert one.to_json() == same.to_json() and "100" in str(ha.compare.__doc__)
