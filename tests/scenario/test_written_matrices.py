"""Matrices as a file writes them: the W of x·W, narrow heads, and queries, keys and values without words."""

import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds.layers import MATRICES, TABLES
from hopattn.scenario.mistakes import mistakes
from tests.refusal import assert_refused, assert_says, problems
from tests.runs import scenario_of
from tests.scenario.scenarios_of_kinds import scenario
from tests.texts import parsed

ABOUT = 'schema = 1\ntitle = "a title"\nsource = "ours"\nkind = "attention"\n'
WORDS = (
    '[vocabulary]\naxes = ["x", "y", "z"]\nmagnitude = "free"\n'
    'words = { a = [1, 0, 2], b = [0, 3, 0], c = [1, 1, 1] }\n[input]\ntokens = ["a", "b", "c"]\n'
)
X = np.array([[1.0, 0, 2], [0, 3, 0], [1, 1, 1]])
numbers = st.integers(-4, 4).map(lambda n: n / 2)


def matrices(rows, columns):
    return st.lists(st.lists(numbers, min_size=columns, max_size=columns), min_size=rows, max_size=rows).map(np.array)


def values(text):
    return {name: array.values for name, array in ha.run(parsed(text)).arrays.items()}


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@st.composite
def layers(draw):
    """The matrices of a layer of two heads as the W of x·W: of each head, the output, and the feed-forward layer."""
    size, width, hidden = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    heads = [draw(st.tuples(matrices(3, size), matrices(3, size), matrices(3, width))) for _ in range(2)]
    return heads, draw(matrices(2 * width, 3)), draw(st.tuples(matrices(3, hidden), matrices(hidden, 3)))


def layer(heads, output, fed, turned):
    """The tables of a layer; turned: whether each matrix is written with its columns as rows."""

    def written(matrix):
        return (matrix.T if turned else matrix).tolist()

    inner, outer = map(written, fed)
    text = f"[[layer]]\noutput = {written(output)}\nfeed_forward = {{ inner = {inner}, outer = {outer} }}\n"
    for head in heads:
        query, key, value = map(written, head)
        text += f'[[layer.head]]\nquery = {query}\nkey = {{ matrix = {key} }}\nvalue = {value}\nmask = "none"\n'
    return text


@given(layers())
def test_a_file_of_x_w_is_the_transposed_file(drawn):
    right, left = (
        values(ABOUT + word + WORDS + layer(*drawn, turned))
        for word, turned in (('matrices = "right"\n', False), ("", True))
    )
    assert [*right] == [*left]
    assert all(right[name].tobytes() == left[name].tobytes() for name in right)
    (heads, output, (inner, outer)), joined = drawn, []
    for query, key, value in heads:
        joined.append(softmax(X @ query @ (X @ key).T) @ X @ value)
    attended = X + np.hstack(joined) @ output
    np.testing.assert_allclose(right["layer 1 state"], attended + np.maximum(attended @ inner, 0) @ outer, atol=1e-9)


def transposed(node, key=""):
    """The tables of a file with the columns of every matrix as its rows."""
    if key in MATRICES and isinstance(node, list) and isinstance(node[0], list):
        return [list(column) for column in zip(*node, strict=True)]
    if isinstance(node, dict):
        return {key: transposed(one, key) for key, one in node.items()}
    return [transposed(one) for one in node] if isinstance(node, list) else node


def of_right(path):
    """The document of a shipped file as its author would write it with x·W; None for one without matrices."""
    document = tomllib.loads(path.read_text("utf-8"))
    if document["kind"] not in ("attention", "messages", "cache", "task", "translation", "fast_weights", "cue"):
        return None
    turned = {key: transposed(document[key]) for key in TABLES & document.keys()}
    return document | turned | {"matrices": "right"} if turned != {key: document[key] for key in turned} else None


WITH_MATRICES = {
    name: document
    for name, path in shipped().items()
    if "right" not in path.read_text("utf-8") and (document := of_right(path))
}


@pytest.mark.parametrize("name", WITH_MATRICES)
def test_a_shipped_file_of_the_transposed_matrices_has_the_same_arrays(name):
    spec = scenario_of(name).spec
    model, context = type(spec), {"folder": shipped()[name].parent}
    right = model.model_validate(WITH_MATRICES[name] | {"variant": [], "expect": []}, context=context)
    arrays = right.run(np.random.default_rng(spec.seed))
    expected = spec.run(np.random.default_rng(spec.seed))
    assert [*arrays] == [*expected] and len(WITH_MATRICES) > 12
    for one, array in expected.items():
        assert arrays[one].labels == array.labels and np.array_equal(arrays[one].values, array.values), one


@given(layers())
def test_a_layer_may_differ_from_its_file(drawn):
    text = ABOUT + 'matrices = "right"\n' + WORDS + layer(*drawn, turned=True)
    own = values(text.replace("[[layer]]\n", '[[layer]]\nmatrices = "left"\n'))
    same = values(ABOUT + WORDS + layer(*drawn, turned=True))
    assert all(own[name].tobytes() == same[name].tobytes() for name in same)


CUE = (
    'schema = 1\ntitle = "a title"\nsource = "ours"\nkind = "cue"\n[vocabulary]\naxes = ["x", "y"]\n'
    'magnitude = "free"\nwords = { a = [1, 10] }\n[input]\ntokens = ["a"]\n[network]\n'
)


def test_a_network_of_x_w_has_a_column_for_each_neuron():
    text = CUE.replace("[vocabulary]", 'matrices = "right"\n[vocabulary]') + "matrix = [[1, 2, 3], [4, 5, 6]]\n"
    run = ha.run(parsed(text + '[[expect]]\nmatrix = "network"\nis = [[1, 2, 3], [4, 5, 6]]\n'))
    assert run.ok
    assert run.arrays["state"].values.tolist() == [[41, 52, 63]]
    assert run.arrays["network"].values.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert run.runs[0].table("network").labels == (("x", "y"), ("neuron 1", "neuron 2", "neuron 3"))
    assert_refused(CUE + "matrix = [[1, 2, 3], [4, 5, 6]]\n", "12: network.matrix", "2 numbers", 'matrices = "right"')


HEAD = "[[layer]]\nresidual = false\n[[layer.head]]\n"


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (HEAD + "query = [[1, 2], [3, 4], [5, 6]]\nkey = [[1, 0, 0], [0, 1, 0]]\n", "14: layer.1.head.1.query",
         ["3 numbers", 'transpose it, or write matrices = "right"']),
        (HEAD + "query = [[1, 2], [3, 4]]\nkey = [[1, 0, 0], [0, 1, 0]]\n", "14: layer.1.head.1.query", ["3 numbers"]),
        ('[[layer]]\nmatrices = "right"\n[[layer.head]]\nvalue = [[1, 0, 0], [0, 1, 0]]\n', "14: layer.1.head.1.value",
         ["3 rows", "not 2", 'leave matrices = "right" out']),
        ("[[layer]]\noutput = [[1, 0, 0], [0, 1, 0]]\n[[layer.head]]\nvalue = [[1, 0, 0], [0, 1, 0]]\n",
         "12: layer.1.output", ["2 numbers", "transpose it"]),
        ("[[layer]]\nfeed_forward = { inner = [[1, 0], [0, 1], [0, 0]], outer = [[1], [1], [1]] }\n[[layer.head]]\n",
         "12: layer.1.feed_forward.inner", ["3 numbers", "transpose it"]),
        ("[[layer]]\n[[layer.head]]\nvalue = [[1, 0, 0]]\n[[layer.head]]\n", "13: layer.1.head.1.value",
         ["side by side", "4 numbers (1 + 3)", "a word has 3", "`output`, a matrix (3, 4)", "residual = false"]),
    ],
)  # fmt: skip
def test_a_matrix_of_another_shape_has_a_cure(text, place, words):
    (message,) = problems(ABOUT + WORDS + text)
    assert_says(message, f"file.toml:{place}", *words)
    assert ("transpose" in message) == any("transpose" in word or "leave" in word for word in words)


def test_the_word_is_checked_once():
    (message,) = problems(ABOUT + 'matrices = "rigth"\n' + WORDS + HEAD)
    assert_says(message, "file.toml:5: matrices", "'rigth'", "'right'")


def test_narrow_heads_are_side_by_side_on_numbered_axes():
    text = ABOUT + WORDS + HEAD + "value = [[1, 0, 0], [0, 1, 0]]\n[[layer.head]]\nvalue = [[0, 0, 1]]\n"
    text += "[[layer]]\n[[layer.head]]\nvalue = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]\n"
    arrays = ha.run(parsed(text)).arrays
    weights = softmax(np.where(np.tri(3), X @ X.T, -np.inf))
    assert arrays["layer 1 head 1 values"].labels[1] == ("1", "2")
    assert arrays["layer 1 state"].labels == (("a", "b", "c"), ("1", "2", "3"))
    first = weights @ X
    np.testing.assert_allclose(arrays["layer 1 state"].values, first)
    again = first + softmax(np.where(np.tri(3), first @ first.T, -np.inf)) @ first[:, [2, 0, 1]]
    np.testing.assert_allclose(arrays["layer 2 state"].values, again)


def test_a_state_of_another_width_is_no_word():
    text = ABOUT + WORDS + HEAD + "value = [[1, 0, 0]]\n"
    assert ha.run(parsed(text + '[[expect]]\nat = "a"\nis = [1]\n')).ok
    assert_refused(text + '[[expect]]\nat = "a"\nnearest = "b"\n', "17: expect.1.nearest", "3 elements", "vector has 1")
    assert_refused(text + "[readout]\n", "15: readout", "another number of elements")


QKV = "queries = [[1, 2], [3, 1]]\nkeys = [[2, 1], [1, 1], [0, 1]]\nvalues = [[1, 2, -2], [1, 1, 2], [0, 1, -1]]\n"


@pytest.mark.parametrize("mask", ["", "mask = [[true, false, true], [true, true, true]]\n"])
def test_printed_queries_keys_and_values_are_pytorchs_attention(mask):
    torch = pytest.importorskip("torch")
    text = ABOUT + f'[[layer]]\n[[layer.head]]\nbeta = "1/sqrt(dim)"\n{mask}{QKV}'
    arrays = ha.run(parsed(text)).arrays
    q, k, v = (arrays[f"layer 1 head 1 {name}"].values for name in ("queries", "keys", "values"))
    assert (q.shape, k.shape, v.shape) == ((2, 2), (3, 2), (3, 3))
    allowed = torch.tensor([[True, False, True], [True] * 3]) if mask else None
    attention = torch.nn.functional.scaled_dot_product_attention
    expected = attention(*map(torch.tensor, (q, k, v)), attn_mask=allowed)
    np.testing.assert_allclose(arrays["layer 1 state"].values, expected.numpy(), rtol=1e-12)
    assert arrays["layer 1 head 1 weights"].labels == (("1", "2"), ("1", "2", "3"))
    assert "input" not in arrays
    same = values(text.replace("[true, false, true], [true, true, true]", "[0, -inf, 0], [0, 0, 0.0]"))
    assert all(same[name].tobytes() == array.values.tobytes() for name, array in arrays.items())


def test_printed_weights_need_values_alone_and_rows_have_names():
    head = "weights = [[0.5, 0.5]]\nvalues = [[1, 2, 3], [3, 4, 5]]\n"
    arrays = ha.run(parsed(ABOUT + "[[layer]]\n[[layer.head]]\n" + head)).arrays
    assert arrays["layer 1 state"].values.tolist() == [[2, 3, 4]]
    assert not {"layer 1 head 1 queries", "layer 1 head 1 keys"} & {*arrays}
    named = ABOUT + '[input]\ntokens = ["dog", "cat"]\nqueries = ["it"]\n[[layer]]\n[[layer.head]]\n' + head
    arrays = ha.run(parsed(named)).arrays
    assert arrays["layer 1 head 1 weights"].labels == (("it",), ("dog", "cat"))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[[layer]]\n[[layer.head]]\nvalues = [[1]]\n", "6: layer.1.head.1.queries", ["is missing"]),
        ("[[layer]]\n[[layer.head]]\n" + QKV.replace("[0, 1]", "[0, 1, 1]"), "8: layer.1.head.1.keys", ["2 numbers"]),
        ("[[layer]]\n[[layer.head]]\n" + QKV.replace(", [0, 1, -1]", ""), "9: layer.1.head.1.values", ["3 rows"]),
        ("[[layer]]\n[[layer.head]]\nquery = [[1]]\n" + QKV, "8: layer.1.head.1.queries", ["`query`"]),
        ("[[layer]]\nresidual = true\n[[layer.head]]\n" + QKV, "6: layer.1.residual", ["words", "leave it out"]),
        ("[[layer]]\n[[layer.head]]\n" + QKV + "[[layer.head]]\n", "10: layer.1.head.2.queries", ["is missing"]),
        ("[[layer]]\n[[layer.head]]\n" + QKV + "[[layer]]\n[[layer.head]]\n", "10: layer.2", ["leave it out"]),
        (WORDS + "[[layer]]\n[[layer.head]]\n" + QKV, "5: vocabulary", ["is not used"]),
        ('[input]\ntokens = ["a"]\n[[layer]]\n[[layer.head]]\n' + QKV, "6: input.tokens", ["1 name", "3 keys"]),
        ("[[layer]]\n[[layer.head]]\n", "1", ["input", "is missing"]),
        ("[[layer]]\n[[layer.head]]\nmask = [[0, 1, 0]]\n" + QKV, "7: layer.1.head.1.mask", ["got 1", "-inf"]),
    ],
)  # fmt: skip
def test_what_a_sheet_without_words_lacks(text, place, words):
    message, *_ = problems(ABOUT + text)
    assert_says(message, f"file.toml:{place}", *words)


def test_the_errors_of_a_student_exchange_what_a_sheet_prints():
    document = parsed(ABOUT + "[[layer]]\n[[layer.head]]\n" + QKV).spec.written_out
    head = document["layer"][0]["head"][0]
    exchanged = {"layer.head.queries": head["keys"], "layer.head.keys": head["queries"]}
    assert mistakes["queries-for-keys"](document) == exchanged
    assert mistakes["keys-for-values"](document) == {"layer.head.values": head["keys"]}
    assert mistakes["mask-added"](document) == {"layer.head.mask": "causal"}
    assert not mistakes["mask-forgotten"](document) and not mistakes["transposed-matrix"](document)


def test_a_square_matrix_that_says_nothing_is_named_in_files_of_your_own(tmp_path):
    text = ABOUT + WORDS + "[[layer]]\n[[layer.head]]\nquery = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]\n"
    assert ha.run(parsed(text)).reading.startswith("layer.1.head.1.query is square")
    two = ha.run(parsed(text + "key = [[0, 1, 0], [0, 0, 1], [1, 0, 0]]\nvalue = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"))
    assert two.reading.startswith("layer.1.head.1.query and 1 more are square")
    for word in ("left", "right"):
        assert ha.run(parsed(text.replace("[vocabulary]", f'matrices = "{word}"\n[vocabulary]'))).reading == ""
    assert ha.run("practice-7-3").reading == "" != ha.load("practice-7-3").spec.reading()


def lines(text):
    return [line.strip() for line in ha.run(parsed(text), explain=True).runs[0].working]


def test_the_arithmetic_of_x_w_has_the_shapes_of_the_file():
    text = ABOUT + 'matrices = "right"\n' + WORDS + "[[layer]]\noutput = [[1, 0, 2], [0, 1, 0]]\n"
    text += "feed_forward = { inner = [[1], [2], [3]], outer = [[4, 5, 6]] }\n"
    text += "[[layer.head]]\nquery = [[1], [2], [3]]\nkey = [[1], [0], [0]]\nvalue = [[1, 2], [3, 4], [5, 6]]\n"
    said = lines(text)
    assert "the query of each word, x·W with W (3, 1) = (1), (2), (3):" in said
    assert "the value of each word, x·W with W (3, 2) = (1, 2), (3, 4), (5, 6):" in said
    sums = said[said.index("the value of each word, x·W with W (3, 2) = (1, 2), (3, 4), (5, 6):") + 1 :][:9]
    by_hand = [["11", "14"], ["9", "12"], ["9", "12"]]  # X times this W
    assert [[line.rpartition(" ")[2] for line in sums[i + 1 : i + 3]] for i in (0, 3, 6)] == by_hand
    assert sums[:2] == ["a: (11, 14)", "1×1 + 0×3 + 2×5 = 1 + 0 + 10 = 11"]
    assert "layer 1, the outputs of the heads side by side, x·W by the output matrix W (2, 3):" in said
    assert {"row 1 of it: (1, 0, 2)", "row 2 of it: (0, 1, 0)"} < {*said}
    assert "layer 1, the feed-forward layer, for each word by itself, f(x·W₁ + b₁)·W₂ + b₂:" in said
    state = values(text)["layer 1 attended"][0]  # x before W₁
    first = f"hidden neuron 1: {state[0]:g}×1 + {state[1]:g}×2 + {state[2]:g}×3"
    assert any(line.startswith(first) for line in said)


def test_the_arithmetic_of_a_sheet_without_words_names_queries_keys_and_values():
    said = lines(ABOUT + "[[layer]]\n[[layer.head]]\n" + QKV)
    assert said[:4] == ["layer 1, head 1:", "the queries (given):", "1: (1, 2)", "2: (3, 1)"]
    assert {"query 1:", "similarity to key 2: 1×1 + 2×1 = 1 + 2 = 3", "layer 1, the output is the state:"} < {*said}
    assert any(line.startswith("output: ") and "×value(2) + " in line for line in said)
    turned = lines(ABOUT + "[[layer]]\n[[layer.head]]\nrope = true\n" + QKV)
    assert turned[2:4] == ["1: (1, 2)", "2: (3, 1)"] and "2, p = 1: (3, 1) becomes (.7794, 3.0647)" in turned


def test_scaled_scores_are_those_of_which_the_softmax_makes_weights():
    text = ABOUT + WORDS + '[[layer]]\n[[layer.head]]\nbeta = "1/sqrt(dim)"\nmask = "none"\n[[layer.head]]\n'
    arrays = ha.run(parsed(text)).arrays
    scaled = arrays[arrays.name("scaled scores", ())]
    np.testing.assert_allclose(scaled.values, X @ X.T / np.sqrt(3), rtol=1e-12)
    np.testing.assert_allclose(softmax(scaled.values), arrays["layer 1 head 1 weights"].values, rtol=1e-12)
    assert arrays.find("scores") == ["layer 1 head 1 scores", "layer 1 head 2 scores"]
    assert scaled.labels == arrays["layer 1 head 1 scores"].labels and "layer 1 head 1 scaled scores" not in [*arrays]
    expected = text + '[[expect]]\nmatrix = "scaled scores"\nis = [[5, 0, 3], [0, 9, 3], [3, 3, 3]]\n'
    assert [one.met for one in ha.run(parsed(expected)).expectations] == [False]


def test_the_arithmetic_of_narrow_heads_writes_no_zeros():
    said = lines(ABOUT + WORDS + HEAD + "value = [[0, 0, 1]]\n[[layer.head]]\nvalue = [[1, 1, 1]]\n")
    side = said.index("layer 1, the outputs of the heads side by side:")
    assert said[side + 1] == "a: (2, 3)" and said[-3] == "a: (2, 3)"


def test_queries_and_keys_without_values_are_told_what_is_missing():
    text = "[[layer]]\nresidual = false\n[[layer.head]]\nqueries = [[1, 0]]\nkeys = [[1, 0], [0, 1]]\n"
    assert_refused(scenario("attention", text), "7: layer.1.head.1.values: ", "without words, a head needs queries")
