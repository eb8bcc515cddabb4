"""The numbers of a table are those of its JSON, each in the row and the column that say so."""

import json
import re

import numpy as np
import pytest

from hopattn.scenario.files import shipped

FEW = ("compare", "--trials", "2", "--set", "dim=16")


def number(text):
    """The number that a cell shows, and half of its last place."""
    digits = text.replace("−", "-").replace(",", "")
    mantissa, _, exponent = digits.partition("e")
    return float(digits), 0.5001 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def shows(text, value):
    """Whether a cell shows a value, up to its last place; a dash shows None."""
    if text == "–" or value is None:
        return text == "–" and value is None
    shown, half = number(text)
    return abs(shown - value) <= half + 1e-12


@pytest.fixture
def table_of(hopattn, monkeypatch):
    """The headings of a command's table, and its cells in each line below them; columns are parted by two spaces."""
    monkeypatch.setenv("COLUMNS", "400")

    def table(first, *words):
        _, out, _ = hopattn(*words)
        lines = re.sub(r"([█·]{10}) +(\d+ %)", r"\1 \2", out).splitlines()
        start = next(i for i, line in enumerate(lines) if line.split()[:1] == [first])
        stop = next((i for i, line in enumerate(lines) if i > start and not line), len(lines))
        cells = [re.split(r"\s{2,}", line.strip()) for line in lines[start:stop]]
        return cells[0], [one for one in cells[1:] if len(one) == len(cells[0])]

    return table


@pytest.mark.parametrize("grid", [(), ("--over", "load=0.1:0.5:3", "--models", "linear,modern")])
def test_a_comparison_shows_each_share_cosine_and_step_at_its_memory_and_point(hopattn, table_of, grid):
    rows = json.loads(hopattn(*FEW, *grid, "--json")[1])["rows"]
    headings, cells = table_of("memory", *FEW, *grid)
    assert [row["memory"] for row in rows] == [one[0] for one in cells]
    keys = {"load": "load", "one step": "recalled_first", "fixed point": "recalled", "steps": "steps"}
    keys |= {"at rest": "at_rest", "cosine": "cosine", "patterns": "n_keys"}
    for row, line in zip(rows, cells, strict=True):
        for heading, text in zip(headings[1:], line[1:], strict=True):
            if heading in ("one step", "fixed point"):
                bar, share, _ = text.split()
                value = row[keys[heading]]
                assert bar == "█" * round(10 * value) + "·" * (10 - round(10 * value))
                assert shows(share, 100 * value)
            else:
                assert shows(text, row[keys[heading]]), (heading, text, row)


def test_a_long_comparison_shows_the_first_measure_in_which_memories_differ(hopattn, table_of):
    words = (*FEW, "--over", "load=0.1:0.6:12", "--models", "linear,modern")
    found = json.loads(hopattn(*words, "--json")[1])["rows"]
    headings, cells = table_of("load", *words)
    assert headings == ["load", "patterns", "linear", "modern"] and 5 < len(cells) <= 12
    for line in cells:
        for memory, text in zip(headings[2:], line[2:], strict=True):
            at = [row for row in found if row["memory"] == memory and shows(line[0], row["load"])]
            assert any(shows(text, row["recalled"]) for row in at)


def test_all_of_a_comparison_of_a_scenario_names_the_nearest_word_of_each_cue(hopattn, table_of):
    rows = json.loads(hopattn("compare", "bank", "--models", "modern,linear", "--json")[1])["rows"]
    headings, cells = table_of("memory", "compare", "bank", "--models", "modern,linear", "--long")
    assert headings[:3] == ["memory", "of", "beta"]
    assert [one[:2] for one in cells] == [[row["memory"], row["where"]] for row in rows]
    assert all(shows(line[2], row["beta"]) for line, row in zip(cells, rows, strict=True))


def test_a_sweep_shows_the_means_and_intervals_of_its_csv(hopattn, table_of, tmp_path):
    words = ("sweep", "phases", "--set", "ensemble.neurons=20", "--set", "ensemble.max_steps=2", "--trials", "3")
    words += ("--workers", "1", "--over", "load=0.1,0.2", "--over", "temperature=0.1:0.9:3")
    headings, cells = table_of("load", *words, "--out", "table.csv")
    table = np.genfromtxt(tmp_path / "table.csv", delimiter=",", names=True)
    assert headings == ["load", "temperature", "patterns", "neurons", "overlap"] and len(cells) == len(table) == 6
    for line, row in zip(cells, table, strict=True):
        mean, *ends = line[4].replace("[", "").replace(",", "").rstrip("]").split()
        assert all(shows(text, row[name]) for text, name in zip(line[:4], headings, strict=False))
        assert shows(mean, row["overlap"])
        known = [row[f"overlap{end}"] for end in ("_low", "_high") if not np.isnan(row[f"overlap{end}"])]
        assert [*map(float, ends)] == pytest.approx(known, rel=0.006)


def test_the_heads_of_a_model_are_listed_with_all_their_numbers_and_the_strongest_named_first(hopattn, table_of):
    found = json.loads(hopattn("heads", "two-layers", "--json")[1])
    headings, cells = table_of("head", "heads", "two-layers", "--long")
    assert len(cells) == len(found["rows"]) == 8 and len(headings) == len(found["measures"]) + 2
    for line, row in zip(cells, found["rows"], strict=True):
        assert line[0] == f"{row['layer']}.{row['head']}" and line[-1] == row["operating_class"]
        for text, name in zip(line[1:-1], found["measures"], strict=True):
            assert shows(text, row[name]), (name, text)
    out = hopattn("heads", "two-layers")[1]
    for name in ("previous_token", "prefix_matching", "copying", "attention_sink"):
        line = next(line for line in out.splitlines() if line.startswith(name.replace("_", " ")))
        named = re.findall(r"(\d)\.(\d) (-?\d*\.\d+)", line)
        ranked = sorted(found["rows"], key=lambda row: -row[name])
        assert [float(value) for *_, value in named] == pytest.approx(
            [row[name] for row in ranked[: len(named)]], abs=0.005
        )
        values = {(row["layer"], row["head"]): row[name] for row in found["rows"]}
        assert named and all(abs(values[int(a), int(b)] - float(value)) <= 0.00501 for a, b, value in named)
    ranges = next(line.split()[-3:] for line in out.splitlines() if line.startswith("S in nats"))
    entropies = np.array([row["entropy"] for row in found["rows"]])
    assert all(map(shows, ranges, (entropies.min(), np.median(entropies), entropies.max())))


@pytest.mark.parametrize("n", [6, 50])
def test_the_margins_of_patterns_are_in_the_rows_of_their_numbers(hopattn, table_of, tmp_path, n):
    patterns = np.random.default_rng(1).normal(size=(n, 8))
    np.save(tmp_path / "a.npy", patterns / np.linalg.norm(patterns, axis=1, keepdims=True))
    (found,) = json.loads(hopattn("separation", "a.npy", "--json")[1])["heads"]
    headings, cells = table_of("pattern", "separation", "a.npy")
    names = {"Δ": "delta", "rival": "rival", "distance": "distance", "reach": "reach", "β sparse": "beta_sparse"}
    names |= {"β softmax": "beta_softmax", "radius sparse": "radius_sparse", "radius softmax": "radius_softmax"}
    order = np.arange(n) if n <= 40 else np.argsort(found["delta"], kind="stable")[:40]  # else the least separated ones
    assert [int(one[0]) for one in cells] == (order + 1).tolist()
    for heading, name in names.items():
        if heading in headings and name in found:
            column = [one[headings.index(heading)] for one in cells]
            down = name in ("reach", "radius_sparse", "radius_softmax")  # what is less is sure
            for text, value in zip(column, np.array(found[name], dtype=float)[order], strict=True):
                shown, half = number(text)
                assert (0 <= value - shown <= 2 * half) if down else abs(value - shown) <= 1.01 * half, (heading, text)


@pytest.mark.parametrize("name", [*shipped()][::12])
def test_the_verdicts_of_a_run_are_in_their_order_with_the_names_of_their_runs(hopattn, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "900")
    outcomes = json.loads(hopattn("run", name, "--json")[1])["expectations"]
    code, out, _ = hopattn("run", name)
    lines = [line for line in out.splitlines() if re.match(r"(met|MISSED|–) {2,}", line)]
    assert len(lines) == len(outcomes) and code == 0
    for line, outcome in zip(lines, outcomes, strict=True):
        verdict, sentence, *rest = re.split(r"\s{2,}", line)
        assert verdict == {True: "met", False: "MISSED", None: "–"}[outcome["met"]]
        where = f"{outcome['run']}: " if outcome["run"] else ""
        assert sentence == re.sub(r"\s{2,}", " ", f"{where}{outcome['expectation']}")
        assert rest and rest[-1] in (outcome["computed"], "the same")
    assert (
        f"{sum(o['met'] is True for o in outcomes)} of {sum(o['met'] is not None for o in outcomes)} expectations"
        in out
    )
