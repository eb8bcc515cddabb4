"""Figures of texts and weights hold long texts and long words, on a slide and in a column of a paper."""

import string
import warnings
from functools import cache

import numpy as np
import pytest
from matplotlib.text import Annotation

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted, outside, overlapping, visible_texts
from hopattn.figures.gallery import plots
from hopattn.figures.style import STYLES
from hopattn.figures.text import cut, cut_words, ems, two_lines
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of

LONG = [
    *("the", "Donaudampfschifffahrtskapitänsmütz", "wrote", "her", "counter-revolutionary", "reports", "about"),
    *("schools", "functional", "under", "maritime", "marketplaces"),
]
AXES = ["functional words", "persons", "maritime nature", "schools"]
ATTENTION = """schema = 1
title = "words of every length"
source = "ours"
kind = "attention"
[vocabulary]
magnitude = "free"
axes = {axes}
[vocabulary.words]
{vectors}
[input]
tokens = {tokens}
[[layer]]
[[layer.head]]
query = [[1, 0.5, 0, 0], [0, 1, 0.5, 0], [0, 0, 1, 0.3], [0.2, 0, 0, 1]]
[[layer.head]]
beta = 0.2
[[variant]]
name = "without a mask"
set = {{ "layer.head.mask" = "none" }}
[[variant]]
name = "sharp"
set = {{ "layer.head.beta" = 3 }}
"""
MEMORY = f"""schema = 1
title = "letters"
source = "ours"
kind = "memory"
[pictures]
letters = "{string.ascii_uppercase}"
[memory]
patterns = {[*string.ascii_uppercase]}
separation = "softmax"
beta = 0.3
activation = "identity"
[cue."the left half of R, the right half hidden"]
of = "R"
hide = "left"
[cue."torn X"]
of = "X"
flip = 0.15
[cue."white on black"]
of = "S"
reverse = true
"""


@cache
def result_from(words):
    """The result of a text of long words, of letters, or of a memory of letters."""
    if words == "memory":
        return chosen(ha.run(parse(MEMORY, "memory.toml", "memory")))
    tokens = LONG if words == "long" else [*string.ascii_uppercase]
    vectors = np.random.default_rng(5).normal(size=(len(tokens), 4)).round(2).tolist()
    lines = "\n".join(f'"{word}" = {vector}' for word, vector in zip(tokens, vectors, strict=True))
    return chosen(ha.run(parse(ATTENTION.format(axes=AXES, vectors=lines, tokens=tokens), "long.toml", "long")))


@cache
def figure_of(name, words, size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        draw = plots[name]().draw
        figure, _ = fitted(lambda at: draw(at, result_from(words)), STYLES["slide"].with_size(*size))
    figure.draw_without_rendering()
    return figure


def texts(figure):
    return [text for text, _ in visible_texts(figure)]


@pytest.mark.parametrize("size", [(12.8, 7.2), (3.4, 2.4)])
@pytest.mark.parametrize("words", ["long", "letters"])
@pytest.mark.parametrize("name", count(["flow", "steps", "attention", "masks", "temperature"], ["flow", "steps"]))
def test_no_text_is_cut_or_covered(name, words, size):
    figure = figure_of(name, words, size)
    assert overlapping(figure) == [] and outside(figure) == []


def test_a_long_text_shows_one_query_and_its_five_strongest_keys():
    """The word that changes most, as nothing is highlighted; each head has its own strongest keys."""
    run = result_from("long").runs[0]
    changes = np.linalg.norm(run.arrays["layer 1 state"].values - run.arrays["input"].values, axis=1)
    weights = run.arrays["layer 1 head 1 weights"].values
    query = int(np.argmax(np.where(np.count_nonzero(weights, axis=1) >= 5, changes, 0)))
    flow = figure_of("flow", "long", (12.8, 7.2))
    assert any(text.startswith(f"the query: {LONG[query]} · ") for text in texts(flow))
    for ax, head in zip(flow.axes, (1, 2), strict=True):
        arcs = [line for line in ax.lines if len(line.get_xdata()) > 2]
        row = run.arrays[f"layer 1 head {head} weights"].values[query]
        strong = [i for i in np.argsort(-row)[:5] if row[i] > 0.02 * row.max()]
        assert len(arcs) == len(strong)
        assert {round(line.get_ydata()[-1]) for line in arcs} == {query}, "an arc ends at the query"
        assert [label.get_text() for label in ax.get_yticklabels() if label.get_weight() == "bold"] == [LONG[query]]
    steps = figure_of("steps", "long", (12.8, 7.2))
    assert "5 of 12 keys" in steps.get_supxlabel() and "2 of 4 axes" in steps.get_supxlabel()
    assert [len(ax.patches) for ax in steps.axes[:2]] == [5, 6], "a bar for the weight of all other words"
    asked = chosen(result_from("long"), {"query": "schools"})
    assert "the query: schools" in drawn(lambda at: plots["flow"]().draw(at, asked)).legends[0].get_title().get_text()


def test_words_that_have_no_row_of_their_own_are_counted():
    labels = [label.get_text() for label in figure_of("flow", "letters", (12.8, 7.2)).axes[0].get_yticklabels()]
    gaps = [int(label.split()[1]) for label in labels if label.startswith("…")]
    assert gaps and sum(gaps) + len(labels) - len(gaps) == 26


def test_an_arrowhead_covers_no_other_one():
    """On their₂ end an arc of 1 and one of −1."""
    first, _ = drawing_of("flow", "induction").figure.axes
    ends = [first.transData.transform(line.get_xydata()[0]) for line in first.lines if line.get_marker() == (3, 0, 180)]
    gaps = [abs(one[0] - other[0]) for i, one in enumerate(ends) for other in ends[:i]]
    assert len(ends) == 4 and min(gaps) > 20


def test_the_names_of_cues_are_whole_where_there_is_room():
    figure = figure_of("attention", "memory", (12.8, 7.2))
    (ax,) = figure.axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["the left half of R,\nthe right half hidden", "torn X", "white on black"]
    assert ax.get_window_extent().height > 300, "a matrix of few rows is not a strip"


def test_weights_of_any_size_stay_within_the_figure():
    figure = drawing_of("attention", "exponential").figure
    figure.draw_without_rendering()
    assert outside(figure) == []


@pytest.mark.parametrize(("name", "scenario"), [("attention", "practice-7-2"), ("masks", "causal-mask")])
def test_words_that_fit_below_their_cells_are_flat(name, scenario):
    for ax in drawing_of(name, scenario).figure.axes:
        assert [label.get_rotation() for label in ax.get_xticklabels()] == [0.0] * len(ax.get_xticklabels())


def test_words_are_bold_only_where_they_are_highlighted_and_the_note_says_so():
    def bold(figure):
        return [label.get_text() for label in figure.axes[0].get_yticklabels() if label.get_weight() == "bold"]

    assert bold(drawing_of("attention", "bank").figure) == []
    asked = chosen(result_of("bank"), {"highlight": ["financial"]})
    figure = drawn(lambda at: plots["attention"]().draw(at, asked))
    assert bold(figure) == ["financial"] and "bold: financial" in figure.get_supxlabel()


def test_the_arrow_of_the_queries_ends_at_the_matrix():
    (ax,) = drawing_of("qkv", "one-head").figure.axes
    caption = next(text for text in ax.texts if text.get_text().startswith("Q Kᵀ")).get_window_extent()
    ends = [text.xy for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
    assert not any(caption.contains(*ax.transData.transform(end)) for end in ends)


def test_a_label_has_the_width_of_its_room():
    for room in (4.0, 9.0):
        assert ems(cut("Donaudampfschifffahrt", room)) <= room < ems("Donaudampfschifffahrt")
    assert cut("W" * 5000, 3).endswith("…") and cut("short", 30) == "short"
    assert cut_words(["counter-revolution", "counter-revolt", "in#1", "in#2"], 5) == (
        "coun…ion",
        "coun…olt",
        "in₁",
        "in₂",
    )
    assert two_lines("the left half of R", 6) == "the left\nhalf of R"
