"""Positions and biases in scenario files: what each key computes, and its arithmetic."""

import numpy as np
import pytest

import hopattn as ha
from tests.texts import parsed

WORDS = (
    'schema = 1\ntitle = "a title"\nsource = "ours"\nkind = "attention"\n[vocabulary]\n'
    'axes = ["1", "2", "3", "4"]\nmagnitude = "free"\nwords = { a = [1, 2, 0, 1], b = [0, 1, 3, 1] }\n[input]\n'
    'tokens = ["a", "b", "a"]\n'
)
LAYER = "[[layer]]\n[[layer.head]]\n"
PARTS = '[spaces]\nposition = ["1", "2", "3", "4"]\nword = "vocabulary"\n'
A, B = np.array([1, 2, 0, 1]), np.array([0, 1, 3, 1])
TEXT = np.stack([A, B, A])


def arrays(text):
    return {name: array.values for name, array in ha.run(parsed(text)).runs[0].arrays.items()}


def head(*lines):
    return arrays(WORDS + LAYER + "\n".join(lines))


@pytest.mark.parametrize(
    ("line", "options"),
    [("true", {}), ("{ base = 9 }", {"base": 9.0}), ('{ layout = "half" }', {"layout": "half"}), ("false", None)],
)
def test_rope_turns_queries_and_keys(line, options):
    found = head(f"rope = {line}", 'mask = "none"')
    turned = TEXT if options is None else ha.rope(TEXT, [0, 1, 2], **options)
    np.testing.assert_allclose(found["layer 1 head 1 queries"], turned, rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 keys"], turned, rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 scores"], turned @ turned.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found["layer 1 head 1 values"], TEXT)
    assert "layer 1 head 1 bias" not in found


@pytest.mark.parametrize(
    ("line", "bias"),
    [
        ('bias = "alibi"', ha.positions.alibi(1, 3)[0]),
        ('bias = { name = "alibi" }', ha.positions.alibi(1, 3)[0]),
        ('bias = { name = "alibi", slope = 0.5 }', [[0, -0.5, -1], [-0.5, 0, -0.5], [-1, -0.5, 0]]),
        ("bias = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]", [[1, 2, 3], [4, 5, 6], [7, 8, 9]]),
    ],
)
def test_a_bias_is_added_to_beta_times_the_scores(line, bias):
    found = head(line, "beta = 0.5", 'separation = "identity"', 'mask = "none"')
    np.testing.assert_array_equal(found["layer 1 head 1 bias"], bias)
    np.testing.assert_allclose(found["layer 1 head 1 weights"], 0.5 * TEXT @ TEXT.T + bias, rtol=1e-13)
    table = "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]"
    given = head(f"scores = {table}", line, 'separation = "identity"', 'mask = "none"')
    np.testing.assert_array_equal(given["layer 1 head 1 weights"], np.arange(1, 10).reshape(3, 3) + bias)


def test_heads_side_by_side_have_the_slopes_of_the_paper():
    found = arrays(WORDS + "[[layer]]\n" + '[[layer.head]]\nbias = "alibi"\n' * 4)
    for i, slope in enumerate([1 / 4, 1 / 16, 1 / 64, 1 / 256], start=1):
        assert found[f"layer 1 head {i} bias"][2, 0] == -2 * slope


def test_between_two_texts_each_counts_from_zero():
    text = WORDS.replace("[input]", '[input]\nqueries = ["b", "a"]')
    found = arrays(f"{text}{LAYER}rope = true\nbias = [[0, 1, 2], [3, 4, 5]]")
    np.testing.assert_allclose(found["layer 1 head 1 queries"], ha.rope([B, A], [0, 1]), rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 keys"], ha.rope(TEXT, [0, 1, 2]), rtol=1e-13)


TABLE = "[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]]"
PLACES = [
    ("sinusoidal = true", ha.sinusoidal(3, 4)),
    ("sinusoidal = { base = 50 }", ha.sinusoidal(3, 4, base=50.0)),
    ("sinusoidal = true\nstart = 7", ha.sinusoidal(10, 4)[7:]),
    (f"table = {TABLE}", np.diag([1, 2, 3, 0])[:3]),
    (f"table = {TABLE.replace('[[1', '[[9, 9, 9, 9], [1')}\nstart = 1", np.diag([1, 2, 3, 0])[:3]),
    ("turn = 90\nsinusoidal = false", np.array([[1, 0, 1, 0], [0, 1, 0, 1], [-1, 0, -1, 0]])),
]


@pytest.mark.parametrize(("lines", "places"), PLACES)
def test_positions_are_added_and_multiplied(lines, places):
    for how, expected in (("add", TEXT + places), ("multiply", TEXT * places)):
        found = arrays(f'{WORDS}[positions]\n{lines}\nhow = "{how}"\n{LAYER}')
        np.testing.assert_allclose(found["input"], expected, atol=1e-12)


@pytest.mark.parametrize(("lines", "places"), PLACES[:-1])
def test_positions_have_a_part_of_their_own(lines, places):
    found = arrays(f"{WORDS}{PARTS}[positions]\n{lines}\n{LAYER}")
    np.testing.assert_allclose(found["input"], np.concatenate((places, TEXT), axis=1), atol=1e-12)


@pytest.mark.parametrize("steps", [1, -1, 0.5, 3])
def test_sinusoidal_positions_are_moved_by_one_matrix(steps):
    lines = f'query = {{ from = "position" }}\nkey = {{ from = "position", rotate = {steps} }}'
    found = arrays(f"{WORDS}{PARTS}[positions]\nsinusoidal = {{ base = 50 }}\n{LAYER}{lines}")
    angles = (np.arange(3)[:, None] + steps) * [1, 50**-0.5]
    expected = np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(3, 4)
    np.testing.assert_allclose(found["layer 1 head 1 keys"], expected, atol=1e-12)


def test_a_padded_batch_reads_the_same_positions():
    batch = WORDS.replace("3, 1] }", "3, 1], pad = [0, 0, 0, 0] }")
    batch = batch.replace("[input]", '[input]\nbatch = [["b"]]\npadding = "pad"')
    for lines in ("rope = true", 'bias = "alibi"'):
        alone, together = arrays(WORDS + LAYER + lines), arrays(batch + LAYER + lines)
        np.testing.assert_allclose(together["layer 1 state"], alone["layer 1 state"], rtol=1e-12)


TURNED = 'turn = 90\n[spaces]\nposition = ["cos", "sin"]\nword = "vocabulary"'
APART = "sinusoidal = true\n" + PARTS
BACK = 'query = { from = "position", rotate = -1 }\nkey = { from = "position" }'


@pytest.mark.parametrize(
    ("positions", "lines", "said"),
    [
        ("", "rope = { base = 100 }", "numbers 1 and 2 by p, numbers 3 and 4 by .1p radians"),
        ("", 'rope = { layout = "half" }', "numbers 1 and 3 by p, numbers 2 and 4 by .01p radians"),
        ("", "rope = true", "a#2, p = 2: (1, 2, 0, 1) becomes (−2.2347, .077, −.02, .9998)"),
        ("", 'bias = { name = "alibi", slope = 0.5 }', "with the bias 3 + (−.5) = 2.5"),
        ("", 'bias = { name = "alibi", slope = 0.5 }\nbeta = 2', "β s + bias = 2×3 + (−.5) = 5.5"),
        ("", 'bias = { name = "alibi", slope = 0.5 }\nbase = 2', "with the bias 3 + (−.5) / .6931 ≈ 2.2787"),
        ('sinusoidal = true\nhow = "add"', "", "added to the word: (sin p, cos p, sin .01p, cos .01p) in radians"),
        ('turn = 90\nhow = "multiply"', "", "multiplies the word: (cos p·90°, sin p·90°)"),
        ('turn = 90\nhow = "multiply"', "", "b: (0, 1, 3, 1) × (0, 1, 0, 1) = (0, 1, 0, 1)"),
        (f'table = {TABLE}\nhow = "add"', "", "row p of the table, counted from 0"),
        (f'table = {TABLE}\nhow = "add"', "", "b: (0, 1, 3, 1) + (0, 2, 0, 0) = (0, 3, 3, 1)"),
        ('turn = 90\nhow = "add"\nstart = 5', "", "the first word has p = 5"),
        (APART, BACK, "position p has a part of its own: (sin p, cos p, sin .01p, cos .01p) in radians"),
        (TURNED, BACK, "moved by −1: cos −90° = 0, sin −90° = −1; the rows of the matrix are (0, 1) and (−1, 0)"),
        (APART, BACK, "the query is the position moved by −1: the rows of the matrix are (.5403, −.8415, 0, 0)"),
    ],
)
def test_the_arithmetic_says_what_is_done(positions, lines, said):
    places = f"[positions]\n{positions}\n" if positions else ""
    assert said in "\n".join(ha.run(parsed(WORDS + places + LAYER + lines), explain=True).runs[0].working)
