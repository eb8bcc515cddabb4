"""The text of `hopattn run`: nothing twice, nothing of 0 alone, and what one may do next."""

import re

import numpy as np
import pytest

from hopattn.results.labelled import Labelled
from hopattn.scenario.result import Run
from hopattn.views.consoles import console
from hopattn.views.run_text import RunTexts
from hopattn.views.terminal import show
from tests.each import each
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
            show(out, *texts.parts(Run("other" if i else "", arrays, tuple(arrays))))
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


def test_an_array_is_not_printed_twice(text_of):
    full = np.arange(1.0, 33).reshape(4, 8)
    few, half = full.copy(), full.copy()
    few[2, 7] = 0.5
    half[:, 4:] *= 2
    first = {"layer 1 state": state(full), "layer 2 state": state(few), "layer 3 state": state(full)}
    lines = text_of(first, {"layer 1 state": state(full)}).splitlines()
    assert lines[-3:] == [
        "layer 2 state: as layer 1 state, but for c next: y .5",
        "layer 3 state: as layer 1 state",
        "layer 1 state: as in the run as written",
    ]
    printed = text_of({"layer 1 state": state(full), "layer 2 state": state(half)})
    assert "layer 2 state (the other columns as in layer 1 state)" in printed
    assert printed.splitlines()[-5].split() == ["4", "5", "x", "y"]


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


@each(
    ("command", "ways"),
    [
        ("bank", "see it: --figures moved · why: --explain · play: hopattn explore bank"),
        ("bank --explain", "see it: --figures moved · play: hopattn explore bank"),
        ("bank --seed 1", "see it: --figures moved · why: --explain"),
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
