"""Tasks: answers that are axes or read in the middle of a sequence, lists of sequences; the read-out of a text."""

import itertools

import numpy as np
import pytest
from scipy.special import softmax

import hopattn as ha
from hopattn.scenario.kinds import kinds
from tests.runs import result_of
from tests.texts import GOOD, HUGE, parsed

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
    return ha.run(parsed(text)).arrays["given"].values.tolist()


def test_the_token_that_is_read_may_stand_anywhere():
    assert given(TASK) == ["noun", "verb", "nothing"]
    assert given(TASK.replace('at = "run#1"', 'at = "to#2"'))[1] == "nothing"
    assert given(TASK.replace('at = "run#1"', 'at = "run#2"'))[1] == "verb"
    assert given(TASK.replace(', at = "run", answer = "noun"', ', answer = "noun"'))[0] == "nothing"


def test_counted_pairs_end_with_the_token_that_is_read():
    text = TASK.replace('read = "sort"', 'read = "sort"\nmodel = "bigram"')
    assert given(text) == ["noun"] * 3  # after "run": noun, verb, noun
    assert given(text.replace('["far", "run"]', '["far", "to"]')) == ["noun and verb", "noun and verb", "run and noun"]


BEFORE_VERB = {"I", "she", "they", "we", "Ann", "Bob", "dogs", "girls", "dog", "girl", "to"}
PERSON = dict.fromkeys(("dogs", "girls", "dog", "girl"), 1)
PERSON |= dict.fromkeys(("I", "she", "they", "we", "Ann", "Bob"), 2)


@pytest.mark.parametrize(
    ("output", "answer"),
    [([0, 0], "nothing"), ([1, 1], "noun and verb"), ([1, 1 + 1e-12], "noun and verb"), ([-2, -1], "verb")],
)
def test_the_largest_axis_is_the_answer_and_a_zero_vector_has_none(output, answer):
    columns = [[number, 0, 0, 0] for number in output]
    assert given(TASK.replace("[[1, 0, 0, 0], [0, 1, 0, 0]]", str(columns)))[0] == answer


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
    subject = accuracies("two-heads-subject")
    assert accuracies("two-heads-sort")["no head for the word before"] == subject["no head for the subject"] == 0
    assert max(value for name, value in subject.items() if "any" in name or "most" in name) < 0.2


def listed(count, length=3):
    """The scenario of the template with other sequences."""
    changes = {"task.every": {"words": ["A", "B"][:count], "length": length}}
    return ha.run(parsed(kinds["task"].template()), overrides=changes, explain=True).runs[0]


def test_up_to_ten_sequences_are_listed_with_their_answers(results):
    run = listed(2)
    assert run.shown == ("sequences", "accuracy")
    expected = [
        [" ".join(text), *["B" if "B" in text else "A"] * 2, "right"] for text in itertools.product("AB", repeat=3)
    ]
    assert run.arrays["sequences"].values.tolist() == expected
    lines = [f"{text} → {given} (right; the answer is {answer})" for text, given, answer, _ in expected]
    assert [line for line in run.working if "the answer is " in line and "→" in line] == lines
    assert not any("in all" in line for line in run.working)
    assert "the answer is read from the query 'find B':" in run.working
    assert run.working[-1] == "accuracy: 8 right of 8 = 1"
    run = listed(2, length=4)
    assert run.shown[0] == "the first 10 of 16 sequences" and len(run.arrays[run.shown[0]].values) == 10
    assert "… 16 sequences in all" in run.working
    assert listed(1, length=12).arrays["sequences"].values[0, 0] == " ".join("A" * 12)
    assert listed(1, length=13).arrays["sequences"].values[0, 0] == "A A A A … A A A A"
    rows = results["two-heads-sort"].runs[0].arrays["the first 10 of 12 sequences"].values
    assert rows[0].tolist() == ["I run a small business (read at run)", "verb", "verb", "right"]


def examples(*texts, query=""):
    rows = ", ".join(f"{{ tokens = {[*text]}, answer = '{answer}' }}" for text, answer in texts)
    text = HUGE.replace("word = { random = 8 }", 'word = ["a", "b"]')
    return text.replace("induction = { count = 1, length = 3 }", f"{query}\nexample = [{rows}]")


def test_examples_are_answered_and_the_first_is_worked_out():
    text = examples(("ab", "b"), ("ba", "b")) + 'separation = "argmax"\n[[expect]]\nmeasure = "accuracy"\nis = 0.5\n'
    result = ha.run(parsed(text), explain=True)
    assert result.ok and result.arrays["given"].values.tolist() == ["b", "a"]
    assert result.runs[0].working[-1] == "accuracy: 1 right of 2 = 0.5"
    result = ha.run(parsed(examples(("ab", "a"), ("b", "b"), query='query = "a"')), explain=True)
    working = "\n".join(result.runs[0].working)
    assert "similarity to a: 1×1 + 0×0 = 1 + 0 = 1" in working
    assert "weights (softmax): a 2.7183/3.7183" in working and "a b → " in working


@pytest.mark.parametrize("seed", range(4))
def test_a_word_that_marks_the_start_never_comes_again(seed):
    text = HUGE.replace("length = 3", "length = 3, start = true") + 'separation = "argmax"\n'
    arrays = ha.run(parsed(text), seed).arrays
    tokens = str(arrays["tokens"].values[0]).split()
    assert tokens[:4] == ["<start>", "w1", "w2", "w3"] and tokens[4] in ("w1", "w2")
    assert arrays["answer"].values[0] == {"w1": "w2", "w2": "w3"}[tokens[4]]


def with_readout(keys=""):
    return GOOD.replace("[[layer]]", f"[readout]\n{keys}\n[[layer]]", 1)


@pytest.mark.parametrize(("keys", "beta"), [("", 1.0), ("beta = 2.5", 2.5), ("base = 3", np.log(3))])
def test_the_probabilities_are_a_softmax_of_dot_products(keys, beta):
    result = ha.run(parsed(with_readout(keys)))
    state = result.arrays["layer 1 state"].values
    logits = state @ np.array([[1, 0], [0.6, 0.8]]).T
    np.testing.assert_allclose(result.arrays["logits"].values, logits, rtol=0, atol=1e-12)
    probabilities = result.arrays["probabilities"]
    np.testing.assert_allclose(probabilities.values, softmax(beta * logits, axis=-1), rtol=0, atol=1e-12)
    assert probabilities.labels == (("a#1", "b", "a#2"), ("a", "b")) and "probabilities" in result.runs[0].shown


def test_the_queries_of_another_text_are_read_out():
    text = with_readout().replace('mask = "causal"\n', "").replace("tokens =", 'queries = ["b"]\ntokens =')
    assert ha.run(parsed(text)).arrays["logits"].values.shape == (1, 2)


def test_its_arithmetic_is_that_of_the_last_token():
    working = ha.run(parsed(with_readout("base = 2")), explain=True).runs[0].working
    start, beginnings = working.index("the read-out of a#2:") + 1, ("  a: ", "  b: ", "  2^", "  ")
    assert [line.startswith(first) for line, first in zip(working[start:], beginnings, strict=True)] == [True] * 4
