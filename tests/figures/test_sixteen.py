"""The figure of the 16 sequences says for each model which answers are right, and leaves out no run in silence."""

from itertools import product

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import hopattn as ha
from hopattn.figures.gallery.sixteen import Sixteen
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import styled
from hopattn.foundation.errors import InvalidInput
from tests.runs import drawing_of, result_of

COLUMNS = list(product("AB", repeat=4))


def cells(ax):
    """The text and the colour of each cell, row by row from above."""
    texts = {tuple(text.get_position()): text.get_text() for text in ax.texts}
    found = {}
    for patch in ax.patches:
        if isinstance(patch, Rectangle):
            x, y = patch.get_x() + 0.46, patch.get_y() + 0.45
            text = next(text for at, text in texts.items() if np.allclose(at, (x, y)))
            found.setdefault(round(y, 2), []).append((text, to_hex(patch.get_facecolor())))
    return [found[y] for y in sorted(found)]


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_each_model_is_right_on_the_sequences_that_a_count_by_hand_finds():
    """Any B: then B, else A. Counted pairs see only the last word, after which B is always likelier."""
    (ax,) = drawing_of("sixteen", "all-a-any-b").figure.axes
    *words, answers, attention, averaging, pairs = cells(ax)
    assert ["".join(text for text, _ in column) for column in zip(*words, strict=True)] == list(map("".join, COLUMNS))
    right = ["B" if "B" in column else "A" for column in COLUMNS]
    assert [text for text, _ in answers] == right
    assert [text for text, _ in attention] == [text for text, _ in averaging] == right
    assert {colour for _, colour in (*attention, *averaging)} == {LIGHT.dim}
    assert pairs[0] == ("B ✗", LIGHT.minus) and {colour for _, colour in pairs[1:]} == {LIGHT.dim}
    scores = [text.get_text() for text in ax.texts if " of " in text.get_text()]
    assert scores == ["16 of 16", "16 of 16", "15 of 16"]
    assert names(ax) == ["sequence", "right answer: B\nif any B, else A", "attention", "averaging", "counted pairs"]


def test_the_title_says_who_is_right_and_the_foot_gives_the_scores_of_the_runs_that_are_not_drawn():
    figure = drawing_of("sixteen", "all-a-any-b").figure
    assert figure.get_suptitle() == "attention and averaging get all 16 right; counted pairs: 15, always B"
    note = figure.get_supxlabel().replace("\n", " ")
    rest = "attention, ten words 1,024 of 1,024; averaging, ten words 1,014 of 1,024"
    assert note == f"framed: a wrong answer not drawn: {rest}"


def test_runs_with_other_sequences_have_a_panel_of_their_own():
    first, second = drawing_of("sixteen", "hot-dog").figure.axes
    assert names(first)[2:] == ["attention", "pairs", "triples"] and len(names(second)) == 5
    assert [text for text, _ in cells(second)[-1]] == ["barks ✗", "barks", "barks"]
    for ax, runs in ((first, result_of("hot-dog").runs[:3]), (second, result_of("hot-dog").runs[3:])):
        for row, run in zip(cells(ax)[-3:], runs, strict=True):
            wrong = [colour == LIGHT.minus for _, colour in row]
            assert wrong == (run.arrays["given"].values != run.arrays["answer"].values).tolist()


def test_one_set_of_sequences_goes_into_axes_of_your_own_and_several_do_not():
    with styled():
        ax = Figure().subplots()
        assert ha.plot(result_of("all-a-any-b"), "sixteen", ax=ax) is ax
        assert len(cells(ax)) == 8
        with pytest.raises(InvalidInput, match="choose one with run"):
            ha.plot(result_of("hot-dog"), "sixteen", ax=Figure().subplots())


def test_long_sequences_and_other_results_have_a_reason():
    assert Sixteen().lacks(result_of("induction-angles")) == "its sequences are more than 16, or longer than 8 words"
    assert Sixteen().lacks(result_of("bank")) == "it has no task"
