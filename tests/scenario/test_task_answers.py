"""Answers of a task that are axes, and answers read in the middle of a sequence."""

import itertools

import numpy as np

import hopattn as ha
from hopattn.scenario.expectations.vectors import largest_axes
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused
from tests.runs import result_of

TASK = """schema = 1
title = "a sort"
source = "ours"
kind = "task"
[spaces]
position = ["cos", "sin"]
word = ["a", "to", "run", "far"]
sort = ["noun", "verb"]
[positions]
turn = 20
[task]
read = "sort"
example = [
  { tokens = ["a", "run", "far"], at = "run", answer = "noun" },
  { tokens = ["to", "run", "to", "run"], at = "run#1", answer = "verb" },
  { tokens = ["far", "run"], answer = "noun" },
]
[[layer]]
[[layer.head]]
query = { from = "position" }
key = { from = "position", rotate = 1 }
value = { from = "word", to = "sort", matrix = [[1, 0, 0, 0], [0, 1, 0, 0]] }
separation = "argmax"
mask = "strict"
"""


def given(text):
    return ha.run(parse(text, "file.toml", "file")).arrays["given"].values.tolist()


def test_the_largest_axis_is_the_answer_and_a_zero_vector_has_none():
    assert largest_axes(np.array([0.0, 0.0]), ["noun", "verb"]) == []
    assert largest_axes(np.array([1.0, 1.0 + 1e-12]), ["noun", "verb"]) == ["noun", "verb"]
    assert largest_axes(np.array([-2.0, -1.0]), ["noun", "verb"]) == ["verb"]


def test_the_token_that_is_read_may_stand_anywhere():
    assert given(TASK) == ["noun", "verb", "nothing"]
    assert given(TASK.replace('at = "run#1"', 'at = "to#2"'))[1] == "nothing"
    assert given(TASK.replace('at = "run#1"', 'at = "run#2"'))[1] == "verb"
    assert given(TASK.replace(', at = "run", answer = "noun"', ', answer = "noun"'))[0] == "nothing"


def test_counted_pairs_end_with_the_token_that_is_read():
    text = TASK.replace('read = "sort"', 'read = "sort"\nmodel = "bigram"')
    assert given(text) == ["noun"] * 3  # after "run": noun, verb, noun
    assert given(text.replace('["far", "run"]', '["far", "to"]')) == ["noun and verb", "noun and verb", "run and noun"]


@each(
    ("old", "new", "message"),
    [
        (
            'at = "run", answer = "noun"',
            'at = "run", answer = "nuon"',
            "14: task.example.1.answer: 'nuon' is unknown; ",
        ),
        ('at = "run", answer = "noun"', 'at = "run", answer = "run"', "14: task.example.1.answer: 'run' is unknown"),
        ('at = "run#1"', 'at = "run"', "15: task.example.2.at: 'run' occurs 2 times; write run#1 or run#2"),
        ('at = "run#1"', 'at = "far"', "15: task.example.2.at: 'far' is a word, but does not occur in this text"),
        ('at = "run#1"', 'at = "fra"', "15: task.example.2.at: 'fra' is unknown"),
        ('read = "sort"', 'read = "sort"\nquery = "to"', "15: task.example.1.at: is not used where the query 'to'"),
        ('read = "sort"', 'read = "position"', "12: task.read: the part 'position' has not as many elements as a"),
    ],
)
def test_an_answer_or_a_place_that_is_none_is_reported(old, new, message):
    assert_refused(TASK.replace(old, new), message)


def test_random_words_have_no_axes_for_answers():
    text = TASK.replace('["a", "to", "run", "far"]', "{ random = 4 }")
    examples = text[text.index("example = [") : text.index("[[layer]]")]
    text = text.replace(examples, "induction = { count = 2, length = 3 }\n")
    assert_refused(text, "12: task.read: an answer of induction is a word, but 'sort' has axes of its own")


BEFORE_VERB = {"I", "she", "they", "we", "Ann", "Bob", "dogs", "girls", "dog", "girl", "to"}
PERSON = dict.fromkeys(("dogs", "girls", "dog", "girl"), 1)
PERSON |= dict.fromkeys(("I", "she", "they", "we", "Ann", "Bob"), 2)


def accuracies(name):
    return {run.name: float(run.arrays["accuracy"].values) for run in result_of(name).runs}


def test_the_two_jobs_by_rules_that_share_nothing_with_the_heads():
    """The word before decides the sort, the first person of the highest rank is the subject; so say plain rules."""
    sorts, subjects = (ha.load(f"two-heads-{job}").spec.task.example for job in ("sort", "subject"))
    assert [example.tokens for example in sorts] == [example.tokens for example in subjects] and len(sorts) == 12
    by_majority = 0
    for sort, subject in zip(sorts, subjects, strict=True):
        before = list(itertools.takewhile(lambda token, asked=sort.at: token != asked, sort.tokens))
        assert sort.answer == ("verb" if before[-1] in BEFORE_VERB else "noun")
        assert subject.answer == max(before, key=lambda word: PERSON.get(word, 0))
        verbs = sum(word in BEFORE_VERB for word in before)
        nouns = sum(word in {"a", "the", "my", "their", "small", "old", "long", "for"} for word in before)
        by_majority += verbs != nouns and sort.answer == ("verb" if verbs > nouns else "noun")
    assert accuracies("two-heads-sort")["any word before"] == by_majority / 12
    assert len({tuple(example.tokens) for example in sorts}) == 12


def test_the_models_that_lack_a_head_fail():
    assert accuracies("two-heads-sort")["no head for the word before"] == 0
    assert accuracies("two-heads-subject")["no head for the subject"] == 0
    assert (
        max(value for name, value in accuracies("two-heads-subject").items() if "any" in name or "most" in name) < 0.2
    )


def listed(count, length=3):
    """The scenario of the template with other sequences, its array names that are shown, and its working."""
    changes = {"task.every": {"words": ["A", "B"][:count], "length": length}}
    result = ha.run(parse(kinds["task"].template(), "t.toml", "t"), overrides=changes, explain=True)
    return result.runs[0]


def test_up_to_ten_sequences_are_listed_with_their_answers():
    run = listed(2)
    assert run.shown == ("sequences", "accuracy")
    table = run.arrays["sequences"].values
    assert table.shape == (8, 4)
    assert table[1].tolist() == ["A A B", "B", "B", "right"]
    assert sum("the answer is" in line and "→" in line for line in run.working) == 8
    assert not any("in all" in line for line in run.working)
    assert "the answer is read from the query 'find B':" in run.working


def test_of_more_sequences_the_first_ten_are_listed_and_a_long_one_is_cut():
    run = listed(2, length=4)
    assert run.shown[0] == "the first 10 of 16 sequences"
    assert "… 16 sequences in all" in run.working
    assert listed(1, length=13).arrays["sequences"].values[0, 0] == "A A A A … A A A A"


def test_the_token_that_is_read_is_named(results):
    rows = results["two-heads-sort"].runs[0].arrays["the first 10 of 12 sequences"].values
    assert rows[0].tolist() == ["I run a small business (read at run)", "verb", "verb", "right"]
