"""A figure as data: JSON, sentences in two languages, descriptions, and what every figure of the gallery refuses."""

import json
import re
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.figures.figure import gallery, left_out
from hopattn.figures.sheet import (
    Cells,
    Curve,
    Panel,
    Points,
    Sentence,
    Sheet,
    in_comma,
    in_words,
    say,
    texts_of,
)
from hopattn.foundation.sentences import number, sentences
from tests.runs import sheet_of

FIGURES = gallery()
DRAWN = [name for name, figure in FIGURES.items() if figure.source is None]


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_data_that_json_holds_with_every_text_and_every_finite_number(name):
    sheet = sheet_of(name, FIGURES[name].scenario)
    again = json.loads(json.dumps(sheet.to_dict(), allow_nan=False))
    assert again["title"] == sheet.title and len(again["panels"]) == len(sheet.panels)
    for panel, kept in zip(sheet.panels, again["panels"], strict=True):
        assert [mark["mark"] for mark in kept["marks"]] == [type(mark).__name__.lower() for mark in panel.marks]
    assert sheet.title and sheet.description.startswith(sheet.title.replace("\n", " "))


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_refuses_results_that_lack_what_it_shows_with_one_reason(name):
    empty = ha.run(ha.load("sequence-errors"))
    reason = FIGURES[name].lacks(empty)
    assert reason and "\n" not in reason and len(reason) < 200
    with pytest.raises(ha.InvalidInput, match=re.escape(f"figure '{name}' cannot be drawn from 'sequence-errors': ")):
        FIGURES[name].sheet(empty)


def slots(template):
    return [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]


@pytest.mark.parametrize("lang", ["de"])
def test_a_translation_keeps_every_slot(lang):
    for template, translated in sentences(lang).items():
        assert sorted(slots(template)) == sorted(slots(translated)), template


@pytest.mark.parametrize("name", DRAWN)
def test_every_sentence_of_a_figure_has_a_german_form_or_is_the_same_in_german(name):
    templates = {
        text.template for text in texts_of(sheet_of(name, FIGURES[name].scenario)) if isinstance(text, Sentence)
    }
    words = {template for template in templates if re.search("[a-z]{3}", re.sub(r"{.*?}", "", template))}
    assert words - {*sentences("de")} == set()


@given(st.floats(-1e6, 1e6), st.text("abc {}", max_size=8))
def test_a_sentence_is_its_template_with_its_parts_in_either_language(value, word):
    sentence = say("{}: {} of {}", word, value, 3)
    assert sentence == f"{word}: {number(value)} of 3"
    assert in_words(sentence, "en") == sentence
    assert in_words(word, "de") == word, "a name of the user's stays as it is"
    assert in_words(sentence, "de").startswith(f"{word}: ") and "." not in in_words(say("{}", value % 1), "de")


def test_numbers_have_a_comma_and_sentences_nest():
    assert in_comma("1,000 and 0.5 and .25 and v1.2", "de") == "1.000 and 0,5 and 0,25 and v1.2"
    assert in_words(say("{}; {}", left_out(2, 4, "heads"), "mine .5"), "de") == "2 von 4 Köpfen; mine .5"


def test_a_description_says_what_each_panel_shows():
    curve = Curve([0, 1], [0.25, 1.0], "a cue")
    words = Panel([Points(np.eye(2), ["in", "bank"])], x="money", y="river")
    cells = Panel([Cells(np.array([[0.5, np.nan]]), ["q"], ["k", "l"])], "head 1")
    sheet = Sheet([Panel([curve], "left", "step", "energy"), words, cells], "title", [left_out(1, 3, "runs")])
    assert sheet.description == (
        "title. left. energy against step. a cue: .25 to 1. river against money. in, bank. head 1. q, k, l: .5 to .5. "
        "1 of 3 runs"
    )
