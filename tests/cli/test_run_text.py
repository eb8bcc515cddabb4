"""The text of `hopattn run`: nothing twice, nothing of 0 alone, and what one may do next."""

import copy
import io
import re
from contextlib import redirect_stdout
from itertools import takewhile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.text import Text

from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.result import Run
from hopattn.views.consoles import console
from hopattn.views.run_text import RunTexts
from hopattn.views.terminal import show
from tests.draws import count
from tests.texts import GOOD

WORDS = ("a", "b", "c", "d")
FEATURES = (*(f"word: {i}" for i in range(6)), "next: x", "next: y")


@pytest.fixture
def text_of(capsys, monkeypatch):
    """The text of runs of arrays by name; the first is as written."""

    def text(*runs):
        monkeypatch.setenv("COLUMNS", "80")
        out = console()
        texts = RunTexts(out)
        for i, arrays in enumerate(runs):
            show(out, *texts.parts(Run("other" if i else "", Arrays.of(arrays.items()), tuple(arrays))))
        return capsys.readouterr().out

    return text


def state(values):
    return Labelled(np.array(values, dtype=float), ("token", "axis"), (WORDS, FEATURES))


def weights(values, hidden=None):
    labels = WORDS[: len(values)]
    return Labelled(np.array(values, dtype=float), ("query", "key"), (labels, labels), hidden=hidden)


def test_what_the_mask_hides_is_a_dot_which_is_explained_once(text_of):
    one = weights([[0, 0], [0.5, 0]], np.array([[True, True], [False, True]]))
    printed = text_of({"layer 1 head 1 weights": one, "layer 2 head 1 weights": weights(2 * one.values, one.hidden)})
    assert printed.count("is hidden by the mask") == 1
    assert [line.split() for line in printed.splitlines() if line.startswith(("a ", "b "))][:2] == [
        ["a", "·", "·"],
        ["b", ".5", "·"],
    ]


def test_rows_columns_and_tables_of_nothing_but_0_are_left_out_with_a_line_that_says_so(text_of):
    values = np.zeros((4, 8))
    values[:2, [0, 1, 2, 6]] = 0.25
    printed = text_of({"state": state(values), "none": state(np.zeros((4, 8)))})
    assert "(left out, all 0: the rows c, d; the columns 3, 4, 5 of word and y of next)" in " ".join(printed.split())
    assert printed.splitlines()[-2:] == ["", "none: all 0"], "a line is not taken for one of the table above it"
    values[3, 3] = 1e-5
    assert re.search(r"\(~0 is less than \.005, not 0; left out, all 0: the row c; ", text_of({"state": state(values)}))


def test_a_few_numbers_beside_0_are_a_sentence(text_of):
    values = np.zeros((4, 4))
    values[3, 1] = 1
    hidden = np.triu(np.ones((4, 4), dtype=bool))
    assert text_of({"w": weights(values)}) == "w: d to b 1; all else 0\n"
    assert text_of({"w": weights(values, hidden)}) == "w: d to b 1; all else 0 or hidden\n"


def read_table(lines):
    """The numbers of a table by row and column; its first line are headings, and it ends with an empty line."""
    columns = lines[0].split()
    rows = [line.split() for line in takewhile(bool, lines[1:])]
    return {row[0]: dict(zip(columns, map(int, row[1:]), strict=True)) for row in rows}


def read_back(text):
    """The arrays of each run, as (run, name): {row: {column: number}}, from the text of runs called a, b, ….

    An array that is as one before is read there, so that the text must say in which run that is.
    """
    found, run, lines = {}, "", text.splitlines()
    for i, line in enumerate(lines):
        if head := re.fullmatch(r"run (\w)", line):
            run = head[1]
        elif same := re.fullmatch(r"(\w+): as (?:in (\w)|(\w+))(?:, but (.*))?", line):
            name, other, place, changes = same.groups()
            array = copy.deepcopy(found[(other, name) if other else (run, place)])
            for row, numbers in re.findall(r"for (\w+) ((?:\w+ \d+(?:, )?)+?)(?=$|, for )", changes or ""):
                array[row] |= {column: int(number) for column, number in re.findall(r"(\w+) (\d+)", numbers)}
            found[run, name] = array
        elif table := re.fullmatch(r"(\w+)(?: \(the other columns as in (\w+)\))?", line):
            shown = read_table(lines[i + 1 :])
            whole = found[run, table[2]] if table[2] else {row: {} for row in shown}
            found[run, table[1]] = {row: whole[row] | numbers for row, numbers in shown.items()}
    return found


@st.composite
def runs_of_arrays(draw):
    """Runs of arrays of 4 × 8 numbers, each fresh, or with some numbers or columns of one before in any run changed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    runs, before = {}, []
    for run in "abc"[: draw(st.integers(1, 3))]:
        runs[run] = {}
        for name in ("one", "two", "three")[: draw(st.integers(1, 3))]:
            values = rng.integers(1, 100, (4, 8)).astype(float)
            if before and draw(st.integers(0, 4)):
                fresh, values = values, before[draw(st.integers(0, len(before) - 1))].copy()
                changed = draw(st.sampled_from([0, 1, 3, 4, 5, 8]))
                if draw(st.booleans()):
                    values[:, :changed] = fresh[:, :changed]
                else:
                    values.flat[:changed] = fresh.flat[:changed]
            before.append(values)
            runs[run][name] = values
    return runs


@settings(max_examples=count(400, 60))
@given(runs_of_arrays())
def test_every_number_of_every_run_can_be_read_though_no_array_is_printed_twice(runs):
    columns = tuple(f"c{i}" for i in range(8))
    with redirect_stdout(io.StringIO()) as printed:
        out = console()
        texts = RunTexts(out)
        for run, arrays in runs.items():
            labelled = {name: Labelled(values, ("token", "axis"), (WORDS, columns)) for name, values in arrays.items()}
            show(out, Text(f"run {run}"), *texts.parts(Run(run, Arrays.of(labelled.items()), tuple(arrays))), Text(""))
    found = read_back(printed.getvalue())
    assert {key: np.array([[*row.values()] for row in rows.values()]).shape for key, rows in found.items()} == {
        (run, name): (4, 8) for run, arrays in runs.items() for name in arrays
    }
    for (run, name), rows in found.items():
        assert [[rows[row][column] for column in columns] for row in WORDS] == runs[run][name].tolist(), (
            printed.getvalue()
        )
    arrays = [(run, name, values) for run, arrays in runs.items() for name, values in arrays.items()]
    again = [
        any(np.array_equal(values, other) and (run == r or name == n) for r, n, other in arrays[:i])
        for i, (run, name, values) in enumerate(arrays)
    ]
    assert len(re.findall(r"^\w+: as [\w ]+$", printed.getvalue(), re.MULTILINE)) == sum(again)


def test_numbers_and_lists_are_lines_without_an_empty_head(text_of):
    numbers = {name: Labelled(np.array(value)) for name, value in (("overlap", 0.9804), ("wrong", 0.00979))}
    words = {
        "status": Labelled(np.array(["converged", "cycle"]), ("cue",), (WORDS[:2],)),
        "steps": Labelled(np.array([3, 3]), ("cue",), (WORDS[:2],)),
    }
    assert text_of(words | numbers).splitlines() == [
        "status: a converged, b cycle",
        "steps: 3 for all 2",
        "overlap .9804 · wrong .0098",
    ]
    written = Labelled(np.array(["he", "runs", "."]), ("step",), (("1", "2", "3"),))
    assert text_of({"written": written}) == "written: he runs .\n"
    long = Labelled(np.linspace(0, 1, 30), ("place",), (tuple(f"a long name {i}" for i in range(30)),))
    lines = text_of({"long": long}).splitlines()
    assert lines[0] == "long" and lines[1].startswith("a long name 0") and len(lines) == 31


def test_the_induction_head_fits_on_two_screens(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = hopattn("run", "induction")
    assert out.count("\n") <= 52 and max(map(len, out.splitlines())) <= 80
    assert "layer 2 state: as layer 1 state, but for their#2 expected: dog 1\n" in out


@pytest.mark.parametrize(
    ("command", "ways"),
    [
        ("bank", "see it: --out bank.svg · why: --explain · play: hopattn explore bank"),
        ("bank --explain", "see it: --out bank.svg · play: hopattn explore bank"),
        ("bank --seed 1", "see it: --out bank.svg · why: --explain"),
        ("capacity", "see it: hopattn sweep capacity --out capacity.svg · why: --explain"),
        ("adding-network", "why: --explain"),
    ],
)
def test_the_last_line_says_what_one_may_do_next_where_that_is_true(hopattn, command, ways):
    assert hopattn("run", *command.split())[1].splitlines()[-1].partition("met · ")[2] == ways


def test_a_file_of_ones_own_is_explored_by_its_path(hopattn, tmp_path):
    (tmp_path / "my own.toml").write_text(GOOD)
    assert hopattn("run", "my own.toml")[1].endswith("play: hopattn explore 'my own.toml'\n")


def test_axes_that_are_scales_are_named_and_a_long_one_goes_down(text_of):
    loads, damages = ("0.02", "0.14"), tuple(f"{i / 20:g}" for i in range(20))
    radii = Labelled(np.array([0.46, 0.24]), ("load",), (loads,))
    few = Labelled(np.array([[1.0, 0.5]] * 2), ("load", "damage"), (loads, damages[:2]))
    many = Labelled(np.ones((2, 20)), ("points", "damage"), (("all", "stable"), damages))
    printed = text_of({"radii": radii, "few": few, "many": many}).splitlines()
    assert {"radii, by load: 0.02: .46, 0.14: .24", "few, by load and damage", "many, by damage"} <= {*printed}
    assert len(printed) == 1 + 1 + 4 + 1 + 22, "a row for each damage"


def test_names_of_several_words_are_parted_from_words_and_equal_neighbours_are_joined(text_of):
    cues = Labelled(np.array(["low", "none"]), ("cue",), (("low and pale", "far"),))
    assert text_of({"recalls": cues}) == "recalls: low and pale: low, far: none\n"
    names = ("stripes", "halves", *(f"other#{i}" for i in range(30)))
    energy = Labelled(np.array([-170.0] * 2 + [0.0] * 30), ("minimum",), (names,))
    assert text_of({"energy": energy}) == "energy: stripes, halves: −170; other#0 … other#29 (30): 0\n"


def test_a_reversed_pattern_is_named_where_nothing_stored_is_recalled(hopattn, tmp_path):
    text = '[memory]\nmodel = "hopfield"\npatterns = [[1, 1, 1], [1, -1, -1]]\n[cue.a]\nstate = [-1, -1, -1]\n'
    (tmp_path / "mine.toml").write_text(f'schema = 1\ntitle = "t"\nkind = "memory"\n{text}')
    for explained in ((), ("--explain",)):
        assert "nothing (1 reversed)" in hopattn("run", "mine.toml", *explained)[1]
