"""Scenarios of recurrent networks: their numbers against loops over plain Python numbers; errors are reported."""

from math import exp, tanh

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import problems

TEXT = """schema = 1
title = "a translation"
source = "ours"
kind = "recurrent"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
go   = [1, 0]
home = [0.5, 1]
vai  = [0, 2]
casa = [-1, 1]
[input]
tokens = ["go", "home", "go"]
[cell]
w_input = [[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]]
w_hidden = 0.5
bias = [0.1, 0, -0.1]
start = [0.2, 0.1, 0]
[decoder]
writes = ["vai", "casa", "vai"]
first = "home"
start = [0.5, -1]
w_input = [[0.2, 0.1], [-0.3, 0.4]]
w_context = [[1, 0, 0.5], [0, -1, 0.2]]
w_hidden = 0.25
bias = [0, 0.3]
similarity = { name = "additive", w_cue = [[1, 2], [0.5, 0]], w_key = [[0, 1, 1], [2, 0, -1]], v = [1.5, -2] }
beta = 2
read_out = 1
"""
WORDS = {"go": [1, 0], "home": [0.5, 1], "vai": [0, 2], "casa": [-1, 1]}


def times(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def after(terms):
    return [tanh(sum(parts)) for parts in zip(*terms, strict=True)]


def attended(scores, keys):
    total = sum(map(exp, scores))
    weights = [exp(score) / total for score in scores]
    return weights, [sum(p * key[i] for p, key in zip(weights, keys, strict=True)) for i in range(len(keys[0]))]


def test_a_network_and_its_decoder_are_those_of_the_formulas():
    state, states = [0.2, 0.1, 0], []
    for word in ("go", "home", "go"):
        heard = times([[0.3, -0.2], [0.5, 0.1], [-0.4, 0.7]], WORDS[word])
        state = after([heard, [0.5 * h for h in state], [0.1, 0, -0.1]])
        states.append(state)
    own, table, contexts, written = [0.5, -1], [], [], []
    for word in ("home", "vai", "casa"):
        cue = times([[1, 2], [0.5, 0]], own)
        compared = [times([[0, 1, 1], [2, 0, -1]], key) for key in states]
        scores = [2 * (1.5 * tanh(cue[0] + key[0]) - 2 * tanh(cue[1] + key[1])) for key in compared]
        weights, context = attended(scores, states)
        heard = times([[0.2, 0.1], [-0.3, 0.4]], WORDS[word])
        own = after([heard, times([[1, 0, 0.5], [0, -1, 0.2]], context), [0.25 * s for s in own], [0, 0.3]])
        for rows, row in ((table, weights), (contexts, context), (written, own)):
            rows.append(row)
    found = ha.run(parse(TEXT, "r.toml", "r")).arrays
    expected = {"states": states, "weights": table, "context": contexts, "state": written, "output": written}
    for name, values in expected.items():
        np.testing.assert_allclose(found[name].values, values, rtol=1e-12, err_msg=name)
    assert found["weights"].labels == (("vai#1", "casa", "vai#2"), ("go#1", "home", "go#2"))
    unit = {word: np.array(vector) / np.hypot(*vector) for word, vector in WORDS.items()}
    assert list(found["reads"].values) == [max(unit, key=lambda word: unit[word] @ row) for row in written]


READ = [[1, 0, 0], [0.5, 1, 0], [0.25, 0.5, 1]]


@pytest.mark.parametrize("name", ["", "dot", "additive"])
def test_the_alignment_of_the_lectures_sentence(name, results):
    """The Turkish order: the subject, the object, the verb; the next part is looked for after each."""
    state, rows = [1, 0, 0], []
    for _ in range(3):
        if name == "additive":
            scores = [10 * sum(tanh(h) - tanh(s + h) for s, h in zip(state, key, strict=True)) for key in READ]
        else:
            scores = [5 * sum(s * h for s, h in zip(state, key, strict=True)) for key in READ]
        weights, (subject, verb, object_) = attended(scores, READ)
        state = [verb, object_, subject]  # after the verb a subject, after the object the verb, after the subject
        rows.append(weights)
    run = next(run for run in results["alignment"].runs if run.name == name)
    np.testing.assert_allclose(run.arrays["weights"].values, rows, rtol=1e-12)
    assert np.argmax(rows, axis=1).tolist() == [0, 2, 1]
    assert list(run.arrays["reads"].values) == ["kediler", "fareleri", "kovalar"]


@each(
    ("change", "message"),
    [
        (("w_hidden = 0.5\n", ""), "cell.w_hidden: is missing"),
        (("w_hidden = 0.5", "w_hidden = [[1, 0]]"), "cell.w_hidden: expected a matrix of 3 rows, one for each neuron"),
        (("w_hidden = 0.5", 'w_hidden = "half"'), "cell.w_hidden"),
        (("[[0.3, -0.2], [0.5, 0.1]", "[[0.3, -0.2], [0.5]"), "cell.w_input: expected a matrix of 3 rows"),
        (
            ("bias = [0.1, 0, -0.1]", "bias = [0.1]"),
            "cell.bias: expected 3 numbers, one for each neuron (w_input has 3 rows), not 1",
        ),
        (
            ("start = [0.5, -1]", "start = [0.5, -1, 0]"),
            "decoder.start: expected 2 numbers, one for each neuron (w_input has 2 rows), not 3",
        ),
        (
            ("[[1, 0, 0.5], [0, -1, 0.2]]", "1"),
            "w_context: 1 stands for 1 times the identity, which is square; expected",
        ),
        (('"vai", "casa", "vai"]', '"vai", "cassa"]'), "writes.2: 'cassa' is unknown; did you mean 'casa'"),
        (('first = "home"', 'first = "hom"'), "decoder.first: 'hom' is unknown; did you mean 'home'"),
        (
            ("read_out = 1", "read_out = [[1, 0]]"),
            "read_out: expected a matrix of 2 rows, one for each element of a word",
        ),
        (
            ("v = [1.5, -2]", "v = [1.5]"),
            "decoder.similarity: v: got shape (1,); expected (dim_hidden,) with dim_hidden = 2",
        ),
        (
            ("w_cue = [[1, 2], [0.5, 0]]", "w_cue = [[1], [0.5]]"),
            "decoder.similarity: cues: got shape (1, 2); expected (…, dim) with dim = 1",
        ),
        (('{ name = "additive"', '{ name = "aditive"'), "did you mean 'additive'"),
        (("beta = 2", "beta = 0"), "decoder.beta: got 0; expected more than 0"),
        (('["go", "home", "go"]\n', '["go", "home", "go"]\nqueries = ["go"]\n'), "only kind 'attention' has queries"),
    ],
)
def test_values_that_do_not_fit_are_reported(change, message):
    assert TEXT.count(change[0]) == 1
    found = problems(TEXT.replace(*change))
    assert any(message in line for line in found), found


def test_a_similarity_by_name_compares_states_of_one_size_and_one_with_matrices_needs_them():
    line = next(line for line in TEXT.split("\n") if line.startswith("similarity"))
    (found,) = problems(TEXT.replace(line, 'similarity = "cosine"'))
    assert (
        "the decoder's states have 2 numbers (the rows of w_input), and those of the network 3; use bilinear" in found
    )
    found = problems(TEXT.replace(line, 'similarity = "bilinear"'))
    assert any("'bilinear' needs more: write { name = \"bilinear\", matrix = … }" in line for line in found)


def test_the_matrix_whose_rows_give_the_number_of_neurons_is_named():
    text = kinds["recurrent"].template().replace("w_context = [[0, 1], [1, 0]]", "w_context = [[0, 1], [1, 0], [1, 1]]")
    found = problems(text)
    assert len(found) == 2
    assert all("w_context" in line for line in found)


def test_words_are_the_only_part_of_a_recurrent_scenario():
    start, end = TEXT.index("[vocabulary]"), TEXT.index("[input]")
    text = TEXT[:start] + '[spaces]\nword = ["go", "home", "vai", "casa"]\nextra = ["a"]\n' + TEXT[end:]
    assert any(
        "spaces.extra: is not read: a recurrent network has the part 'word' alone" in line for line in problems(text)
    )
