"""The tokens of a text with their labels: a word, and which of its occurrences."""

from hypothesis import given
from hypothesis import strategies as st

from hopattn.scenario.language.occurrence import Occurrence, labels, occurrences
from tests.refusal import assert_refused

WORDS = st.sampled_from(["a", "b", "C#", "#", "x#y", "#1", "word two"])


@given(st.lists(WORDS))
def test_the_labels_of_a_text_are_all_different_and_give_the_words_back(words):
    assert len({*labels(words)}) == len(words)
    assert [token.word for token in occurrences(labels(words), words)] == words


@given(WORDS, st.integers(0, 999))
def test_a_label_gives_its_word_and_its_number_back(word, number):
    token = Occurrence(word, number)
    assert Occurrence.parse(str(token)) == token


def test_a_word_that_ends_in_a_sign_for_a_number_is_no_occurrence_of_another_word():
    text = """
schema = 1
title = "sharp"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
[vocabulary.words]
"C#" = [1, 0]
D = [0, 1]
[input]
tokens = ["C#", "D"]
[[layer]]
[[layer.head]]
[[expect]]
at = "C"
nearest = "D"
"""
    assert_refused(text.lstrip(), "15: expect.1.at: 'C' is unknown; did you mean 'C#'")
