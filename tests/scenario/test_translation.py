"""Kinds that write: a translation is an `EncoderDecoder`, a recurrent network loops over plain Python numbers."""

import re
from math import exp, tanh

import numpy as np
import pytest

import hopattn as ha
from tests.runs import result_of
from tests.texts import parsed


def as_written(name):
    """The text of a shipped scenario without its variants and expectations."""
    return re.sub(r"figure\.names = .*\n", "", ha.load(name).text.partition("[[variant]]")[0])


MODEL = as_written("translation")


def written(overrides):
    return " ".join(ha.run(parsed(MODEL), overrides=overrides).arrays["written"].values)


def test_every_sentence_of_the_words_is_translated():
    """Subject, verb, object become subject, object in its case, verb; a mouse may chase a mouse."""
    subjects, objects = {"cats": "kediler", "mice": "fareler"}, {"cats": "kedileri", "mice": "fareleri"}
    for subject, nominative in subjects.items():
        for object_, accusative in objects.items():
            found = written({"input.tokens": [subject, "chase", object_]})
            assert found == f"{nominative} {accusative} kovalar ."


def test_each_part_is_needed():
    assert written({"decoder.head.value.scale": 0, "writing.limit": 5}) == "kediler fareleri kovalar kediler fareleri"
    assert written({"encoder.head.value.scale": 0}) == "kediler fareler kovalar ."
    assert written({"decoder.cross.head.query.scale": 0, "writing.limit": 2}) == "kedileri kedileri"


def test_it_is_the_encoder_decoder_of_the_same_matrices():
    """The parts are laid out by hand: position 2, word 5, next 5."""
    part = {"position": slice(0, 2), "word": slice(2, 7), "next": slice(7, 12)}
    eye = np.eye(12)

    def written_to(target, matrix):
        return eye[:, part[target]] @ np.array(matrix) @ eye[part["word"]]

    turn = np.deg2rad(120)
    on = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    entry = np.zeros((5, 5))
    entry[3, 2] = 1
    points = eye[part["position"]]
    marks = ha.Head(points, on @ points, written_to("word", entry), separation="argmax", mask="causal")
    counts = ha.Head(0 * eye, eye, written_to("next", 8 * np.roll(entry, 1, axis=0)), mask="causal")
    crossing = ha.Head(np.diag([1, -1]) @ points, points, written_to("next", np.eye(5)), beta=2.0, mask="none")
    heads = [ha.MultiHead([head], eye) for head in (marks, counts, crossing)]
    nothing, plain = ha.transformer.FeedForward(np.zeros((1, 12)), np.zeros((12, 1))), [lambda x: x] * 3
    spec = ha.load("translation").spec
    words = np.array([spec.vocabulary.words[word] for word in spec.writing.words])
    model = ha.transformer.EncoderDecoder(
        [ha.Block(heads[0], nothing, norms=plain[:2])],
        [ha.Block(heads[1], nothing, norms=plain, cross=heads[2])],
        read_out=ha.transformer.Affine(words @ eye[part["next"]]),
    )
    arrays = result_of("translation").arrays
    assert result_of("translation").runs[0].shown == ("written", "layer 1 head 1 weights", "probabilities")
    source, text = arrays["source"].values, arrays["text"].values
    np.testing.assert_allclose(arrays["memory"].values, model.memory(source), atol=1e-14)
    scores = model(source, text)
    np.testing.assert_allclose(arrays["logits"].values, scores, atol=1e-14)
    assert [spec.writing.words[i] for i in scores.argmax(axis=1)] == list(arrays["written"].values)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(arrays["probabilities"].values, shares, rtol=1e-12)
    one_word = model(source, text[:1])  # what was written first does not depend on what came later
    np.testing.assert_allclose(arrays["logits"].values[:1], one_word, atol=1e-14)


def test_two_layers_of_a_decoder_follow_each_other():
    """The first layer reads the source into `sense`; the second moves it on to `next`."""
    layer = '[[decoder]]\n[[decoder.head]]\nvalue = { from = "sense", to = "next" }\nquery = { scale = 0 }\n'
    layer += 'mask = { name = "window", width = 1 }\n[[decoder.cross.head]]\nvalue = { scale = 0 }\n'
    longer = (
        as_written("encoder-decoder").replace('value = { from = "sense", to = "next" }', 'value = { from = "sense" }')
        + layer
    )
    result = ha.run(parsed(longer), explain=True)
    assert list(result.arrays["written"].values) == ["aepeul", "pon", "."]
    assert {"text layer 2 head 1 weights", "layer 2 head 1 weights"} <= set(result.arrays)
    assert "the decoder, layer 2, over the words written so far:" in result.runs[0].working
    assert any(line.startswith("layer 2, head 1:") for line in result.runs[0].working)


def test_the_layers_may_be_whole():
    """A feed-forward layer that adds nothing leaves all scores as they are; a norm changes them."""
    zeros = f"feed_forward = {{ inner = {[[0] * 12]}, outer = {[[0]] * 12} }}"
    before = ha.run(parsed(MODEL)).arrays["logits"].values
    for layer in ("[[encoder]]\n", "[decoder.cross]\n"):
        text = MODEL.replace("[[decoder.cross.head]]", "[decoder.cross]\n[[decoder.cross.head]]")
        assert layer in text
        same = ha.run(parsed(text.replace(layer, f"{layer}{zeros}\n", 1)), explain=True)
        np.testing.assert_allclose(same.arrays["logits"].values, before, atol=1e-14)
        normed = ha.run(parsed(text.replace(layer, f'{layer}norm = "rms"\n', 1)), explain=True)
        assert not np.allclose(normed.arrays["logits"].values[0], before[0])


def plain(number):
    return f"{number:.4f}".strip("0").rstrip(".")


def test_it_explains_the_encoder_the_decoder_and_each_word():
    (run,) = ha.run(parsed(MODEL), explain=True).runs
    lines = [line.strip() for line in run.working]
    decoder, read = (
        lines.index(f"the decoder, layer 1, over the words {what}:") for what in ("written so far", "read")
    )
    assert "weights (argmax): cats 0, chase 1, mice 0" in lines[:decoder]
    assert any(line.startswith("e^0 + e^0 + e^0 + e^0 = 1 + 1 + 1 + 1 = 4") for line in lines[decoder:read])
    last = max(i for i, line in enumerate(run.working) if line == "layer 1, the word with the output added:")
    names = [line.strip().partition(":")[0] for line in run.working[last + 1 :] if line.startswith("  ")]
    words, logits = run.arrays["written"].values.tolist(), run.arrays["logits"]
    assert names == words
    for i, (word, scores) in enumerate(zip(words, logits.values, strict=True)):
        shares = run.arrays["probabilities"].values[i]
        best = [
            f"{logits.labels[1][j]} {plain(scores[j])} (probability {plain(shares[j])})"
            for j in np.argsort(-scores, kind="stable")[:3]
        ]
        assert lines[i - len(words)] == f"word {i + 1} is {word}; the largest scores: {', '.join(best)}"


def test_a_text_that_misses_is_shown_beside_the_expected_one():
    result = ha.run(parsed(f'{MODEL}\n[[expect]]\nwrites = ["kediler", "."]\n'))
    assert not result.ok
    assert result.table()[0]["expected"] == "kediler ."
    assert result.table()[0]["computed"] == "kediler fareleri kovalar ."


NETWORK = """schema = 1
title = "a translation"
source = "ours"
kind = "recurrent"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
words = { go = [1, 0], home = [0.5, 1], vai = [0, 2], casa = [-1, 1] }
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
    found = ha.run(parsed(NETWORK)).arrays
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
