"""Figures in the language of their readers: words by a table, decimal commas, and nothing cut."""

import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted, outside
from hopattn.figures.gallery import plots
from hopattn.figures.language import LANGUAGES, in_language, translated
from hopattn.figures.style import STYLES
from hopattn.foundation.errors import InvalidInput
from tests.counts import some, spread
from tests.each import each
from tests.figures.finished import drawn
from tests.runs import result_of

POINT = re.compile(r"(?<![\w.,])\d*\.\d")
ENGLISH = re.compile(
    r"\b(the|of|to|and|with|without|from|each|is|by|at|for|that|or|no|which|what|steps?|layers?|heads?|weights?|cues?"
    r"|patterns?|scores?|keys?|quer(y|ies)|words?|values?|runs?|memory|mean|rests?|recalls?|reversed|share|slope|after|before|towards|not|lines)\b"
)


def in_german(name, scenario):
    result = chosen(result_of(scenario))
    result = replace(result, figure=result.figure.model_copy(update={"lang": "de"}))
    figure, _ = fitted(in_language(lambda at: plots[name]().draw(at, result), "de"), STYLES["slide"])
    figure.draw_without_rendering()
    return figure


def left_english(figure, own):
    """The texts of a figure in which English words stay. own: the texts of the user."""
    names = "|".join(map(re.escape, sorted({*own} - {""}, key=len, reverse=True)))
    users = re.compile(rf"(?<!\w)(?:{names})(?!\w)")
    return [text for text in texts(figure) if ENGLISH.search(users.sub("", text.replace("\n", " ")))]


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_visible() and text.get_text()]


@each(
    ("name", "scenario", "words"),
    some(
        [
            ("moved", "bank", ["Aufmerksamkeit dreht „banks“ zu „financial“ oder „muddy“", "davor", "money", "muddy"]),
            ("attention", "bank", ["Anfrage", "Schlüssel", "0,8", "markets", "banks, next to 'financial'"]),
            ("steps", "bank", ["Summe", "1,2", "1  Werte: banks"]),
            ("overlaps", "letters", ["Muster", "Schritt", "Reiz: half of R", "Reiz", "0,14"]),
            ("energies", "letters", ["Energie", "konvergiert anderswohin", "ten letters\n1 von 3 abgerufen"]),
            ("crosstalk", "crosstalk", ["Dichte", "1,0", "Last 0,105", "mehr als das Signal"]),
            ("similarity", "similarity", ["Lot von a auf w", "Gewichte w"]),
            ("neuron", "similarity", ["0,8 × 0,8 + 0,6 × 0,6 = 1", "orthogonal"]),
        ],
        4,
    ),
)
def test_a_german_figure_has_german_words_and_commas_and_the_words_of_its_scenario(name, scenario, words):
    figure = in_german(name, scenario)
    own = texts(figure)
    assert [word for word in words if word not in own] == []
    assert [text for text in own if POINT.search(text)] == [] and outside(figure) == []


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", spread(plots, 15))
def test_no_english_stays_in_a_german_figure(name):
    result = chosen(result_of(plots[name].scenario))
    figure = drawn(in_language(lambda at: plots[name]().draw(at, result), "de"))
    labels = [label for run in result.runs for array in run.arrays.values() for label in sum(array.labels, ())]
    words = [
        str(word)
        for run in result.runs
        for array in run.arrays.values()
        if array.values.dtype.kind in "OU"
        for word in array.values.ravel()
    ]
    own = [result.title, *result.figure.names, *(run.name for run in result.runs), *labels, *words]
    own += [translated(one, "de") for one in own]
    if result.kind == "program":
        own += [name.rpartition(" ")[0] for run in result.runs for name in run.arrays]
    known = {own for own, its in LANGUAGES["de"].items() if own != its}
    assert left_english(figure, [one for one in {*own} if one not in known]) == []


def test_sweeps_comparisons_and_recalls_are_german_too():
    patterns = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]
    memory = ha.memories.hopfield(patterns)
    recall = memory.recall([[1, 1, 1, -1], [-1, -1, -1, -1]], keep=["overlaps"])
    overrides = {"neurons": 20, "figure.title": ""}
    sweep = ha.experiments.sweep_scenario(ha.load("capacity"), overrides=overrides, trials=2, workers=1)
    things = (
        recall,
        sweep,
        ha.compare(patterns, patterns),
        ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories=["hopfield"]),
    )
    figures = [np.ravel(ha.plot(thing, lang="de"))[0].figure for thing in things[:-1]]
    names = [name for row in things[2].rows for name in (row.memory, row.memory.replace("_", " "))]
    assert [left_english(figure, names) for figure in figures] == [[]] * len(figures)


@each("lang", LANGUAGES)
def test_a_table_keeps_every_name_and_number(lang):
    holes = {own: len(re.findall(r"\{n?\}", own)) for own in LANGUAGES[lang]}
    assert [own for own, its in LANGUAGES[lang].items() if holes[own] != its.count("{}")] == []
    assert [own for own in LANGUAGES[lang] if " · " in own or "\n" in own] == []


def test_numbers_of_axes_that_share_a_scale_are_translated_once():
    figure = drawn(in_language(lambda at: plots["growth"]().draw(at, chosen(result_of("key-value-cache"))), "de"))
    for ax in figure.axes:
        assert "10.000" in [*ax.yaxis.get_major_formatter().format_ticks(ax.get_yticks())]


def test_what_is_not_a_word_of_a_figure_stays():
    same = ("my own title", "v1.2.3", "GPT-x", "", "keys", "the step of my dance")
    assert [translated(text, "de") for text in same] == [*same]
    assert translated("−.5 and 2.25", "de") == "−0,5 and 2,25"
    assert translated("averaging 1,014 of 1,024", "de") == "averaging 1.014 von 1.024"
    assert translated("no edge at all", "de") == "no edge at all", "a phrase is translated whole or not at all"
    assert translated("points: measured; line: theory, N → ∞", "de") == "Punkte: gemessen; Linie: Theorie, N → ∞"
    assert translated("energy / 10¹⁴", "de") == "Energie / 10¹⁴"
    assert translated("energy / 10⁻³", "de") == "Energie / 10⁻³"
    assert translated("the energy of each cue until it\nconverges: to its pattern, or elsewhere", "de").startswith(
        "die Energie"
    )


def test_the_language_is_chosen_in_the_file_by_an_option_and_in_python():
    sweep = ha.experiments.sweep_scenario(
        ha.load("capacity"), overrides={"neurons": 20, "figure.lang": "de"}, trials=1, workers=1
    )
    assert ha.plot(sweep, "curve", measure="overlap").get_xlabel() == "Last α = P/N"
    result = ha.run("bank", overrides={"figure.lang": "de"})
    assert ha.plot(result, "attention", run="river").get_xlabel() == "Schlüssel"
    assert ha.plot(result, "attention", run="river", lang="en").get_xlabel() == "key"
    assert ha.plot([[1, 0], [0.4, 0.6]], lang="de").get_xlabel() == "Schlüssel"
    with pytest.raises(InvalidInput, match=r"lang 'dee' is unknown; did you mean 'de'"):
        ha.plot(result, "attention", lang="dee")
