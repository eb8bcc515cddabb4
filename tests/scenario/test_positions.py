"""Positions and biases in scenario files: what each key computes, the arithmetic, one message for each mistake."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused, problems

WORDS = """schema = 1
title = "a title"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["1", "2", "3", "4"]
magnitude = "free"
[vocabulary.words]
a = [1, 2, 0, 1]
b = [0, 1, 3, 1]
[input]
tokens = ["a", "b", "a"]
"""
LAYER = """[[layer]]
[[layer.head]]
"""
PARTS = """[spaces]
position = ["1", "2", "3", "4"]
word = "vocabulary"
"""
A, B = np.array([1, 2, 0, 1]), np.array([0, 1, 3, 1])
TEXT = np.stack([A, B, A])


def arrays(text):
    return {name: array.values for name, array in ha.run(parse(text, "file.toml", "file")).runs[0].arrays.items()}


def head(*lines):
    return arrays(WORDS + LAYER + "\n".join(lines))


@pytest.mark.parametrize(
    ("line", "rotary"),
    [
        ("rope = true", ha.positions.Rotary()),
        ("rope = { base = 9 }", ha.positions.Rotary(9.0)),
        ('rope = { layout = "half" }', ha.positions.Rotary(layout="half")),
    ],
)
def test_rope_turns_queries_and_keys(line, rotary):
    found = head(line, 'mask = "none"')
    turned = ha.rope(TEXT, [0, 1, 2], rotary.base, rotary.layout)
    np.testing.assert_allclose(found["layer 1 head 1 queries"], turned, rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 keys"], turned, rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 scores"], turned @ turned.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(found["layer 1 head 1 values"], TEXT)
    assert "layer 1 head 1 bias" not in found


def test_no_rope_is_no_rope():
    np.testing.assert_array_equal(head("rope = false")["layer 1 head 1 queries"], TEXT)


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


def test_a_bias_is_added_to_scores_that_are_given():
    table = "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]"
    found = head(f"scores = {table}", f"bias = {table}", 'separation = "identity"', 'mask = "none"')
    np.testing.assert_array_equal(found["layer 1 head 1 weights"], 2 * np.arange(1, 10).reshape(3, 3))


def test_heads_side_by_side_have_the_slopes_of_the_paper():
    text = WORDS + "[[layer]]\n" + '[[layer.head]]\nbias = "alibi"\n' * 4
    found = arrays(text)
    for i, slope in enumerate([1 / 4, 1 / 16, 1 / 64, 1 / 256], start=1):
        assert found[f"layer 1 head {i} bias"][2, 0] == -2 * slope


def test_between_two_texts_each_counts_from_zero():
    text = (
        WORDS.replace("[input]", '[input]\nqueries = ["b", "a"]') + LAYER + "rope = true\nbias = [[0, 1, 2], [3, 4, 5]]"
    )
    found = arrays(text)
    np.testing.assert_allclose(found["layer 1 head 1 queries"], ha.rope([B, A], [0, 1]), rtol=1e-13)
    np.testing.assert_allclose(found["layer 1 head 1 keys"], ha.rope(TEXT, [0, 1, 2]), rtol=1e-13)


TABLE = "[[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 3, 0]]"
PLACES = [
    ("sinusoidal = true", ha.sinusoidal(3, 4)),
    ("sinusoidal = { base = 50 }", ha.sinusoidal(3, 4, 50.0)),
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
    batch = WORDS.replace("[input]", 'pad = [0, 0, 0, 0]\n[input]\nbatch = [["b"]]\npadding = "pad"')
    for lines in ("rope = true", 'bias = "alibi"'):
        alone, together = arrays(WORDS + LAYER + lines), arrays(batch + LAYER + lines)
        np.testing.assert_allclose(together["layer 1 state"], alone["layer 1 state"], rtol=1e-12)


def working(text):
    return "\n".join(ha.run(parse(text, "file.toml", "file"), explain=True).runs[0].working)


@each(
    ("positions", "lines", "said"),
    [
        ("", "rope = { base = 100 }", "numbers 1 and 2 by p, numbers 3 and 4 by .1p radians"),
        ("", 'rope = { layout = "half" }', "numbers 1 and 3 by p, numbers 2 and 4 by .01p radians"),
        ("", "rope = true", "a#2, p = 2: (1, 2, 0, 1) becomes (−2.2347, .077, −.02, .9998)"),
        ("", 'bias = { name = "alibi", slope = 0.5 }', "with the bias 3 + (−.5) = 2.5"),
        ("", 'bias = { name = "alibi", slope = 0.5 }\nbeta = 2', "β s + bias = 2×3 + (−.5) = 5.5"),
        ('sinusoidal = true\nhow = "add"', "", "added to the word: (sin p, cos p, sin .01p, cos .01p) in radians"),
        ('turn = 90\nhow = "multiply"', "", "multiplies the word: (cos p·90°, sin p·90°)"),
        ('turn = 90\nhow = "multiply"', "", "b: (0, 1, 3, 1) × (0, 1, 0, 1) = (0, 1, 0, 1)"),
        (f'table = {TABLE}\nhow = "add"', "", "row p of the table, counted from 0"),
        (f'table = {TABLE}\nhow = "add"', "", "b: (0, 1, 3, 1) + (0, 2, 0, 0) = (0, 3, 3, 1)"),
        ('turn = 90\nhow = "add"\nstart = 5', "", "the first word has p = 5"),
    ],
)
def test_the_arithmetic_says_what_is_done(positions, lines, said):
    places = f"[positions]\n{positions}\n" if positions else ""
    assert said in working(WORDS + places + LAYER + lines)


def test_the_arithmetic_moves_sinusoidal_positions():
    lines = 'query = { from = "position", rotate = -1 }\nkey = { from = "position" }'
    text = working(f"{WORDS}{PARTS}[positions]\nsinusoidal = true\n{LAYER}{lines}")
    assert "the vector of position p has a part of its own: (sin p, cos p, sin .01p, cos .01p) in radians" in text
    assert "the query is the position moved by −1: the rows of the matrix are (.5403, −.8415, 0, 0)" in text


@each(
    ("lines", "message"),
    [
        ("rope = 1", "15: layer.1.head.1.rope: got 1; expected a truth value or a table"),
        ("rope = { bas = 3 }", "15: layer.1.head.1.rope.bas: 'bas' is unknown; did you mean 'base'?"),
        ("rope = { base = 0 }", "15: layer.1.head.1.rope.base: got 0; expected more than 0"),
        ("rope = { base = inf }", "15: layer.1.head.1.rope.base: got inf; expected a finite number"),
        ('rope = { layout = "halves" }', "15: layer.1.head.1.rope.layout: 'halves' is unknown; did you mean 'half'?"),
        ("rope = true\nweights = [[1]]", "15: layer.1.head.1.rope: is not used where scores or weights are given"),
        ("rope = true\nscores = [[1]]", "15: layer.1.head.1.rope: is not used where scores or weights are given"),
        (
            "rope = true\nquery = [[1, 0, 0, 0]]\nkey = [[1, 0, 0, 0]]",
            "15: layer.1.head.1.rope: turns pairs of numbers, but a query has 1",
        ),
        ('bias = "alibbi"', "15: layer.1.head.1.bias: 'alibbi' is unknown; did you mean 'alibi'?"),
        ('bias = { name = "rope" }', "15: layer.1.head.1.bias.name: 'rope' is unknown"),
        ('bias = { name = "alibi", slope = -1 }', "15: layer.1.head.1.bias.slope: got -1; expected more"),
        ("bias = [[1, 2]]", "15: layer.1.head.1.bias: does not fit 3 queries and 3 keys, one row a query"),
        ("bias = [[nan]]", "15: layer.1.head.1.bias.1.1: got nan; expected a finite number"),
        ('bias = "alibi"\nweights = [[1]]', "15: layer.1.head.1.bias: is not used where weights are given"),
    ],
)
def test_a_mistake_in_a_head_has_one_message(lines, message):
    assert_refused(WORDS + LAYER + lines, message)


def test_alibi_is_refused_between_two_texts():
    text = WORDS.replace("[input]", '[input]\nqueries = ["b"]') + LAYER + 'bias = "alibi"'
    assert problems(text) == [
        "file.toml:16: layer.1.head.1.bias: 'alibi' has no meaning between two texts; leave it out or give a matrix"
    ]


NEEDS = "needs one of turn = … degrees a step, sinusoidal = true, and table = [[…], …], a row a position"


@each(
    ("lines", "message"),
    [
        ('how = "add"', f"13: positions: {NEEDS}"),
        ('sinusoidal = false\nhow = "add"', f"13: positions: {NEEDS}"),
        ("turn = 90\nsinusoidal = true", "15: positions.sinusoidal: is given with turn; give one of them"),
        ("sinusoidal = true", "13: positions: needs [spaces] with position = a list of axes, and with a word part"),
        ("turn = 90", '13: positions: needs [spaces] with position = ["cos", "sin"], and with a word part'),
        (
            'sinusoidal = { base = -1 }\nhow = "add"',
            "14: positions.sinusoidal.base: got -1; expected more than 0",
        ),
        ('table = [[1, 0]]\nhow = "add"', "14: positions.table: every row needs 4 numbers, one for each element of a"),
        (
            f'table = {TABLE}\nhow = "add"\nstart = 1',
            "14: positions.table: has 3 rows, but the text has 3 words, the first at position 1; every position needs",
        ),
        ('table = [[1, 0, 0, 0]]\nhow = "add"', "14: positions.table: has 1 rows, but the text has 3 words; every"),
        (
            f'table = {TABLE}\nhow = "add"\nstart = -1',
            "16: positions.start: a table has no row for a position below 0",
        ),
    ],
)
def test_a_mistake_in_the_positions_has_one_message(lines, message):
    found = problems(f"{WORDS}[positions]\n{lines}\n{LAYER}")
    assert len(found) == 1 and found[0].startswith(f"file.toml:{message}"), found


@pytest.mark.parametrize(
    ("part", "lines", "message"),
    [
        ('["1", "2", "3"]', "sinusoidal = true", "spaces.position: needs an even number of axes, a sine and a cosine"),
        ('"like word"', "sinusoidal = true", "spaces.position: needs a list of axes, one for each element"),
        ('["1", "2", "3"]', "turn = 30", 'spaces.position: needs two axes, such as ["cos", "sin"]'),
        ('["1", "2"]', "table = [[1], [2], [3]]", "positions.table: every row needs 2 numbers, one for each axis"),
        ('["1"]', 'sinusoidal = true\nhow = "add"', "spaces.position: is not used where positions are joined by how"),
    ],
)
def test_a_part_that_does_not_fit_has_one_message(part, lines, message):
    found = problems(f'{WORDS}[spaces]\nposition = {part}\nword = "vocabulary"\n[positions]\n{lines}\n{LAYER}')
    assert len(found) == 1 and message in found[0], found


def test_a_learned_table_is_not_rotated():
    lines = 'query = { from = "position" }\nkey = { from = "position", rotate = 1 }'
    found = problems(f"{WORDS}{PARTS}[positions]\ntable = {TABLE}\n{LAYER}{lines}")
    assert found == [
        "file.toml:21: layer.1.head.1.key.rotate: no rotation moves the positions of a learned table; give a matrix"
    ]


def test_a_word_part_without_a_vocabulary_is_one_message():
    text = WORDS.replace('axes = ["1", "2", "3", "4"]\nmagnitude = "free"\n', "")
    text = text[: text.index("[vocabulary]")] + text[text.index("[input]") :]
    found = problems(f'{text}[spaces]\nword = "vocabulary"\n[positions]\nsinusoidal = true\nhow = "add"\n{LAYER}')
    assert len(found) == 1 and 'says "vocabulary", but there is no [vocabulary]' in found[0], found


def test_an_odd_word_has_no_pairs_for_sinusoids():
    text = WORDS.replace('"3", "4"', '"3"').replace("0, 1]", "0]").replace("3, 1]", "3]")
    found = problems(f'{text}[positions]\nsinusoidal = true\nhow = "add"\n{LAYER}')
    assert found == ['file.toml:15: positions.how: "add" lays points along pairs of axes, but their number is odd']


def test_a_task_reaches_no_further_than_its_table():
    text = WORDS.replace('kind = "attention"', 'kind = "task"').replace('[input]\ntokens = ["a", "b", "a"]\n', "")
    task = '[task]\nevery = { words = ["a", "b"], length = 4 }\nanswer = { any = "b", then = "b", otherwise = "a" }\n'
    found = problems(f'{text}{task}[positions]\ntable = {TABLE}\nhow = "add"\n{LAYER}')
    assert len(found) == 1 and "positions.table: has 3 rows, but the text has 4 words" in found[0], found
