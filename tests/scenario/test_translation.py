"""The kind translation: what is written, the same model as an `EncoderDecoder`, and what is refused."""

import re

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from tests.each import each
from tests.runs import result_of

TEXT = shipped()["translation"].read_text(encoding="utf-8")
MODEL = re.sub(r"figure\.names = .*\n", "", TEXT.partition("[[variant]]")[0])


def written(overrides, text=MODEL):
    result = ha.run(parse(text, "t.toml", "t", overrides))
    return " ".join(result.arrays["written"].values)


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
    marks = ha.Head(points, on @ points, written_to("word", entry), separation="argmax")
    counts = ha.Head(0 * eye, eye, written_to("next", 8 * np.roll(entry, 1, axis=0)))
    crossing = ha.Head(np.diag([1, -1]) @ points, points, written_to("next", np.eye(5)), beta=2.0, mask="none")
    heads = [ha.MultiHead([head], eye) for head in (marks, counts, crossing)]
    nothing, plain = ha.transformer.FeedForward(np.zeros((1, 12)), np.zeros((12, 1))), [lambda x: x] * 3
    spec = ha.load("translation").spec
    words = np.array([spec.vocabulary.words[word] for word in spec.writing.words])
    model = ha.transformer.EncoderDecoder(
        [ha.Block(heads[0], nothing, plain[:2])],
        [ha.Block(heads[1], nothing, plain, cross=heads[2])],
        read_out=ha.transformer.Affine(words @ eye[part["next"]]),
    )
    arrays = result_of("translation").arrays
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
    text = shipped()["encoder-decoder"].read_text(encoding="utf-8").partition("[[variant]]")[0]
    text = re.sub(r"figure\.names = .*\n", "", text)
    layer = '[[decoder]]\n[[decoder.head]]\nvalue = { from = "sense", to = "next" }\nquery = { scale = 0 }\n'
    layer += 'mask = { name = "window", width = 1 }\n[[decoder.cross.head]]\nvalue = { scale = 0 }\n'
    longer = text.replace('value = { from = "sense", to = "next" }', 'value = { from = "sense" }') + layer
    result = ha.run(parse(longer, "t.toml", "t"), explain=True)
    assert list(result.arrays["written"].values) == ["aepeul", "pon", "."]
    assert {"text layer 2 head 1 weights", "layer 2 head 1 weights"} <= set(result.arrays)
    assert "the decoder, layer 2, over the words written so far:" in result.runs[0].working
    assert any(line.startswith("layer 2, head 1:") for line in result.runs[0].working)


def test_the_layers_may_be_whole():
    """A feed-forward layer that adds nothing leaves all scores as they are; a norm changes them."""
    zeros = f"feed_forward = {{ inner = {[[0] * 12]}, outer = {[[0]] * 12} }}"
    before = ha.run(parse(MODEL, "t.toml", "t")).arrays["logits"].values
    for layer in ("[[encoder]]\n", "[decoder.cross]\n"):
        text = MODEL.replace("[[decoder.cross.head]]", "[decoder.cross]\n[[decoder.cross.head]]")
        assert layer in text
        same = ha.run(parse(text.replace(layer, f"{layer}{zeros}\n", 1), "t.toml", "t"), explain=True)
        np.testing.assert_allclose(same.arrays["logits"].values, before, atol=1e-14)
        normed = ha.run(parse(text.replace(layer, f'{layer}norm = "rms"\n', 1), "t.toml", "t"), explain=True)
        assert not np.allclose(normed.arrays["logits"].values[0], before[0])


def test_the_sum_of_a_layer_of_the_decoder_names_the_words_that_are_written():
    (run,) = ha.run(parse(MODEL, "t.toml", "t"), explain=True).runs
    last = max(i for i, line in enumerate(run.working) if line == "layer 1, the word with the output added:")
    names = [line.strip().partition(":")[0] for line in run.working[last + 1 :] if line.startswith("  ")]
    assert names == run.arrays["written"].values.tolist()


def test_it_explains_the_encoder_the_decoder_and_each_word():
    lines = [line.strip() for line in ha.run(parse(MODEL, "t.toml", "t"), explain=True).runs[0].working]
    decoder = lines.index("the decoder, layer 1, over the words written so far:")
    assert "weights (argmax): cats 0, chase 1, mice 0" in lines[:decoder]
    read = lines.index("the decoder, layer 1, over the words read:")
    assert any(line.startswith("e^0 + e^0 + e^0 + e^0 = 1 + 1 + 1 + 1 = 4") for line in lines[decoder:read])
    assert lines[-4:] == [
        "word 1 is kediler; the largest scores: kediler .9094 (probability .2945), kedileri .5819 (probability .2123), "
        "fareleri .0634 (probability .1264)",
        "word 2 is fareleri; the largest scores: fareleri 1.2732 (probability .3168), fareler .9094 (probability "
        ".2202), kedileri .7547 (probability .1887)",
        "word 3 is kovalar; the largest scores: kovalar .9094 (probability .3222), kedileri .0634 (probability .1383), "
        "fareleri .0634 (probability .1383)",
        "word 4 is .; the largest scores: . 2 (probability .4986), kediler .9094 (probability .1675), kedileri .5819 "
        "(probability .1207)",
    ]


@each(
    ("old", "new", "message"),
    [
        (
            '"kediler", "fareler"',
            '"kedilr", "fareler"',
            "writing.words.1: 'kedilr' is unknown; did you mean 'kediler'?",
        ),
        ('"kediler", "fareler"', '"kediler", "kediler"', "writing.words: 'kediler' is given 2 times"),
        ('start = "."', 'start = ","', "writing.start: ',' is unknown"),
        ('end   = "."', 'end   = "cats"', "writing.end: 'cats' is unknown"),
        ('read  = "next"', 'read  = "nxt"', "writing.read: 'nxt' is unknown; did you mean 'next'?"),
        ('read  = "next"', 'read  = "position"', "the part 'position' has not as many elements as a word"),
        ('read  = "next"', 'read  = "next"\nlimit = 101', "writing.limit"),
        ('tokens = ["cats"', 'tokens = ["cat"', "input.tokens.1: 'cat' is unknown"),
        ('tokens = ["cats"', 'padding = "."\ntokens = ["cats"', "input.padding: only kind 'attention' has padding"),
        ("query = { scale = 0 }", "mask = [[true]]", "decoder.1.head.1.mask: has a fixed number of rows, but the text"),
        ("query = { scale = 0 }", "bias = [[1]]", "decoder.1.head.1.bias: has a fixed number of rows, but the text"),
        ("query = { scale = 0 }", 'mask = "none"', "decoder.1.head.1.mask: no word may see a later one, which is not"),
        ("query = { scale = 0 }", 'mask = { name = "nonzero" }', "expected 'causal', 'strict' or a window"),
        ("beta  = 2", "weights = [[1, 1, 1]]", "decoder.1.cross.head.1.weights: has a fixed number of rows"),
        ("beta  = 2", 'mask = "causal"', "decoder.1.cross.head.1.mask: 'causal' has no meaning between two texts"),
        ("query = { scale = 0 }", 'query = { from = "nxt" }', "decoder.1.head.1.query.from: 'nxt' is unknown"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(old, new, message):
    assert old in MODEL
    with pytest.raises(InvalidInput) as error:
        parse(MODEL.replace(old, new), "t.toml", "t")
    assert message in str(error.value)
    assert str(error.value).startswith("t.toml:")


@pytest.mark.parametrize(
    ("expect", "message"),
    [
        ('writes = ["kedilr"]', "expect.1.writes.1: 'kedilr' is unknown; did you mean 'kediler'?"),
        ('at = "mice"\nnearest = "cats"', "'mice' is a word, but does not occur in this text (kediler, fareleri"),
        ('matrix = "written"\nis = [[1]]', "has shape (1, 1); the matrix has shape (4,)"),
    ],
)
def test_an_expectation_that_does_not_fit_is_refused(expect, message):
    with pytest.raises(InvalidInput) as error:
        parse(f"{MODEL}\n[[expect]]\n{expect}\n", "t.toml", "t")
    assert message in str(error.value)


def test_nothing_is_written_by_other_kinds():
    text = shipped()["bank"].read_text(encoding="utf-8")
    with pytest.raises(InvalidInput, match="nothing is written here"):
        parse(f'{text}\n[[expect]]\nwrites = ["banks"]\n', "t.toml", "t")


def test_a_text_that_misses_is_shown_beside_the_expected_one():
    result = ha.run(parse(f'{MODEL}\n[[expect]]\nwrites = ["kediler", "."]\n', "t.toml", "t"))
    assert not result.ok
    assert result.table()[0]["expected"] == "kediler ."
    assert result.table()[0]["computed"] == "kediler fareleri kovalar ."


def test_numbers_that_overflow_are_an_error_with_a_place():
    changes = {
        "vocabulary.magnitude": "free",
        "vocabulary.words.kovalar": [0, 0, 1e300, 0, 0],
        "decoder.head.value.scale": 1e300,
    }
    with pytest.raises(InvalidInput, match=r"t.toml:\d+: .*finite scores"):
        ha.run(parse(MODEL, "t.toml", "t", changes))


def test_the_layer_of_an_encoder_in_a_file_is_not_a_decoders():
    file = '[[decoder]]\nfrom_torch = { file = "torch-encoder-layer.npz", heads = 2 }\n'
    with pytest.raises(InvalidInput, match=r"decoder\.1\.from_torch: holds an encoder's layer; write out the heads"):
        parse(MODEL.replace("[[decoder]]\n", file, 1), "t.toml", "t")
