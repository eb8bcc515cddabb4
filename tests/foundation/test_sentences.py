"""Sentences: those in the code have a German form, and the language holds where it is set."""

import ast
import re
from pathlib import Path

import pytest

import hopattn
from hopattn.foundation.sentences import in_comma, language, say, sentences
from hopattn.foundation.writing import counted, in_sentence, listed, number

SAID = re.compile(r'\b(?:say|Sentence)\(\s*("(?:[^"\\]|\\.)*")')
"""A sentence whose template is written out."""


def test_every_sentence_that_is_written_out_in_the_code_has_a_german_form():
    texts = (file.read_text(encoding="utf-8") for file in Path(hopattn.__file__).parent.rglob("*.py"))
    written = {ast.literal_eval(template) for text in texts for template in SAID.findall(text)}
    words = {template for template in written if re.search("[a-z]{2}", re.sub(r"{.*?}", "", template))}
    assert len(words) > 300 and words - {*sentences("de")} == set()


def test_the_language_holds_inside_and_only_there():
    with language("de"):
        assert (number(0.25), number(-1.5), listed([".5", "1"])) == ("0,25", "−1,5", ".5; 1")
        assert (counted(2, "step"), in_sentence(["a", "b", "c"])) == ("2 Schritte", "a, b und c")
        with language("en"):
            assert say("{} of {} heads", 2, 4) == "2 of 4 heads"
        with pytest.raises(ZeroDivisionError), language("en"):
            raise ZeroDivisionError
        assert say("head {}", "x.5") == "Kopf x.5", "a name of the user's stays"
    assert (number(0.25), say("head {}", 1), in_comma("1.5")) == (".25", "head 1", "1.5")
