"""Figures in the language of their readers: words by a table, decimal commas, and nothing cut."""

import re

import pytest
from matplotlib.text import Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted, outside
from hopattn.figures.gallery import plots
from hopattn.figures.language import LANGUAGES, in_language, translated
from hopattn.figures.style import STYLES
from hopattn.foundation.errors import InvalidInput
from tests.each import each
from tests.results import result_of

POINT = re.compile(r"(?<![\w.,])\d*\.\d")


def in_german(name, scenario):
    result = chosen(result_of(scenario))
    figure, _ = fitted(in_language(lambda at: plots[name]().draw(at, result), "de"), STYLES["slide"])
    figure.draw_without_rendering()
    return figure


def texts(figure):
    return [text.get_text() for text in figure.findobj(Text) if text.get_visible() and text.get_text()]


@each(
    ("name", "scenario", "words"),
    [
        ("moved", "bank", ["Aufmerksamkeit dreht ‘banks’ zu ‘financial’ oder ‘muddy’", "davor", "money", "muddy"]),
        ("attention", "bank", ["Anfrage", "Schlüssel", "0,8", "markets", "banks, next to 'financial'"]),
        ("steps", "bank", ["Summe", "1,24", "die Anfrage: banks"]),
        ("overlaps", "letters", ["Muster", "Schritt", "Reiz: half of R", "Reiz", "0,14"]),
        ("energies", "letters", ["Energie", "ruht anderswo", "ten letters\n1 von 3 abgerufen"]),
        ("crosstalk", "crosstalk", ["Dichte", "1,0", "load 0,105", "mehr als das Signal"]),
        ("neuron", "similarity", ["0,8 × 0,8 + 0,6 × 0,6 = 1", "orthogonal"]),
    ],
)
def test_a_german_figure_has_german_words_and_commas_and_the_words_of_its_scenario(name, scenario, words):
    figure = in_german(name, scenario)
    own = texts(figure)
    assert [word for word in words if word not in own] == []
    assert [text for text in own if POINT.search(text)] == [] and outside(figure) == []


@each("lang", LANGUAGES)
def test_a_table_keeps_every_name_and_number(lang):
    assert [own for own, its in LANGUAGES[lang].items() if own.count("{}") != its.count("{}")] == []
    assert [own for own in LANGUAGES[lang] if "; " in own or " · " in own or "\n" in own] == []


def test_what_is_no_word_of_a_figure_stays():
    same = ("my own title", "v1.2.3", "GPT-x", "", "keys", "the step of my dance")
    assert [translated(text, "de") for text in same] == [*same]
    assert translated("−.5 and 2.25", "de") == "−0,5 and 2,25"
    assert translated("the energy of each cue until it\nrests: at its pattern, or elsewhere", "de").startswith(
        "die Energie"
    )


def test_the_language_is_chosen_in_the_file_by_an_option_and_in_python():
    sweep = ha.sweep_scenario(ha.load("capacity"), overrides={"neurons": 20, "figure.lang": "de"}, trials=1, workers=1)
    assert ha.plot(sweep, "curve", measure="overlap").get_xlabel() == "Last α = P/N"
    result = ha.run("bank", overrides={"figure.lang": "de"})
    assert ha.plot(result, "attention", run="river").get_xlabel() == "Schlüssel"
    assert ha.plot(result, "attention", run="river", lang="en").get_xlabel() == "key"
    assert ha.plot([[1, 0], [0.4, 0.6]], lang="de").get_xlabel() == "Schlüssel"
    with pytest.raises(InvalidInput, match=r"lang 'dee' is unknown; did you mean 'de'"):
        ha.plot(result, "attention", lang="dee")
