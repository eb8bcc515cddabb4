"""Figures in the language of their readers: words by a table, decimal commas, and names as they are."""

import re

import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.language import LANGUAGES, translated
from tests.draws import count
from tests.figures.reading import drawing, panel, says, texts
from tests.runs import result_of

POINT = re.compile(r"(?<![\w.,])\d*\.\d")
ENGLISH = re.compile(
    r"\b(the|of|to|and|with|without|from|each|is|by|at|for|that|or|no|which|what|steps?|layers?|heads?|weights?|cues?"
    r"|patterns?|scores?|keys?|quer(y|ies)|words?|values?|runs?|memory|mean|rests?|recalls?|reversed|share|slope|after|before|towards|not|lines)\b"
)


def left_english(figure, names):
    """The texts of a figure in which English words stay. names: the texts of the user."""
    every = "|".join(map(re.escape, sorted({*names} - {""}, key=len, reverse=True)))
    users = re.compile(rf"(?<!\w)(?:{every})(?!\w)") if every else re.compile("(?!)")
    return [text for text in texts(figure) if ENGLISH.search(users.sub("", text))]


@pytest.mark.parametrize(
    ("name", "scenario", "words"),
    [
        ("moved", "bank", ["Aufmerksamkeit dreht „banks“ zu „financial“ oder „muddy“", "davor", "money", "muddy"]),
        ("attention", "bank", ["Anfrage", "Schlüssel", "0,8", "markets", "banks, next to 'financial'"]),
        ("steps", "bank", ["Summe", "1,2", "1 Werte: banks"]),
        ("overlaps", "letters", ["Muster", "Schritt", "Reiz: half of R", "Reiz", "0,14"]),
        ("energies", "letters", ["Energie", "konvergiert anderswohin", "ten letters 1 von 3 abgerufen"]),
        ("crosstalk", "crosstalk", ["Dichte", "Last 0,105", "mehr als das Signal"]),
        ("similarity", "similarity", ["Lot von a auf w", "Gewichte w"]),
        ("neuron", "similarity", ["0,8 × 0,8 + 0,6 × 0,6 = 1", "orthogonal"]),
    ],
)
def test_a_german_figure_has_german_words_and_commas_and_the_words_of_its_scenario(name, scenario, words):
    figure = drawing(scenario, name, lang="de")
    figure.draw_without_rendering()
    assert says(figure, *words) == [] and [text for text in texts(figure) if POINT.search(text)] == []


@pytest.mark.parametrize("name", count([*plots], [*plots][::2]))
def test_no_english_stays_in_a_german_figure(name):
    result = result_of(plots[name].scenario)
    arrays = [array for run in result.runs for array in run.arrays.values()]
    names = [result.title, result.figure.title or "", *result.figure.names, *(run.name for run in result.runs)]
    names += [label for array in arrays for label in sum(array.labels, ())]
    names += [str(word) for array in arrays if array.values.dtype.kind in "OU" for word in array.values.ravel()]
    names += [translated(one, "de") for one in names]
    if result.kind == "program":
        names += [name.rpartition(" ")[0] for run in result.runs for name in run.arrays]
    known = {english for english, german in LANGUAGES["de"].items() if english != german}
    assert left_english(drawing(result, name, lang="de"), {*names} - known) == []


PATTERNS = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]]


def test_sweeps_comparisons_and_recalls_are_german_too():
    recall = ha.memories.hopfield(PATTERNS).recall([[1, 1, 1, -1], [-1, -1, -1, -1]], keep=["overlaps"])
    overrides = {"neurons": 20, "figure.title": "", "figure.lang": "de"}
    sweep = ha.experiments.sweep_scenario(ha.load("capacity"), overrides=overrides, trials=2, workers=1)
    compared = ha.compare(PATTERNS, PATTERNS, rng=0)
    names = [name for row in compared.rows for name in (row.memory, row.memory.replace("_", " "))]
    for thing in (recall, sweep, compared):
        assert left_english(drawing(thing, lang="de"), names) == []
    assert panel(sweep, "curve", measure="overlap").get_xlabel() == "Last α = P/N", "as the file says"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_table_keeps_every_name_and_number(lang):
    holes = {english: len(re.findall(r"\{n?\}", english)) for english in LANGUAGES[lang]}
    assert [english for english, other in LANGUAGES[lang].items() if holes[english] != other.count("{}")] == []
    assert [english for english in LANGUAGES[lang] if " · " in english or "\n" in english] == []


def test_numbers_of_axes_that_share_a_scale_are_translated_once():
    for ax in drawing("key-value-cache", "growth", lang="de").axes:
        assert "10.000" in [*ax.yaxis.get_major_formatter().format_ticks(ax.get_yticks())]


@pytest.mark.parametrize(
    ("english", "german"),
    [
        *((text, text) for text in ("my own title", "v1.2.3", "GPT-x", "", "keys", "the step of my dance")),
        ("no edge at all", "no edge at all"),  # a phrase is translated whole or not at all
        ("−.5 and 2.25", "−0,5 and 2,25"),
        ("averaging 1,014 of 1,024", "averaging 1.014 von 1.024"),
        ("points: measured; line: theory, N → ∞", "Punkte: gemessen; Linie: Theorie, N → ∞"),
        ("2 of 4 axes · 1 of 3 runs", "2 von 4 Achsen · 1 von 3 Läufen"),
        ("energy / 10¹⁴", "Energie / 10¹⁴"),
        ("energy / 10⁻³", "Energie / 10⁻³"),
    ],
)
def test_what_is_not_a_word_of_a_figure_stays(english, german):
    assert translated(english, "de") == german


def test_the_language_is_chosen_in_the_file_by_an_option_and_in_python():
    result = ha.run("bank", overrides={"figure.lang": "de"})
    for options, label in (({}, "Schlüssel"), ({"lang": "en"}, "key"), ({"lang": "de"}, "Schlüssel")):
        assert panel(result, "attention", run="river", **options).get_xlabel() == label
    for lang, label in (("de", "Schlüssel"), (None, "key")):
        for target in (Figure(), Figure().subplots()):
            assert ha.plot([[1, 0], [0.4, 0.6]], ax=target, lang=lang).axes[0].get_xlabel() == label
