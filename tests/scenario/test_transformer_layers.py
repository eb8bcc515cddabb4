"""Layers of a transformer in a file: output matrix, norms, feed-forward layer, weights of PyTorch; and their errors."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.checking import InvalidScenario
from hopattn.scenario.explain.transformer_layer import _normalised
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import parse
from hopattn.transformer.normalisation import LayerNorm
from tests.each import each
from tests.refusal import assert_refused, problems

FILE = shipped()["pytorch-layer"].parent / "torch-encoder-layer.npz"
START = """schema = 1
title = "a layer"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1, 3]
b = [2, 0]
[input]
tokens = ["a", "b"]
[[layer]]
"""
HEAD = "[[layer.head]]\nweights = [[1, 0], [1, 0]]\n"
FED = "feed_forward = { inner = [[1, 0], [0, 1], [1, 1]], outer = [[1, 0, 0], [0, 1, 1]] }\n"
TORCH = """schema = 1
title = "weights from a file"
source = "ours"
kind = "attention"
[spaces]
word = ["a", "b", "c", "d"]
[input]
tokens = ["a", "b", "c"]
[[layer]]
[layer.from_torch]
file = "layer.npz"
heads = 2
"""


def arrays(text):
    return {name: array.values for name, array in ha.run(parse(text, "file.toml", "file")).arrays.items()}


def test_an_output_matrix_maps_heads_of_any_width():
    text = START + "output = [[1, 0, 2], [0, 1, 0]]\n" + HEAD + HEAD + "value = [[1, 1]]\n"
    computed = arrays(text)
    assert computed["layer 1 head 2 output"].tolist() == [[4], [4]]
    assert computed["layer 1 output"].tolist() == [[9, 3], [9, 3]]  # (1, 3) and 1 + 3: 1 + 2 × 4, 3
    assert computed["layer 1 state"].tolist() == [[10, 6], [11, 3]]
    assert not {"layer 1 attended", "layer 1 fed", "layer 1 normed"} & set(computed)


def test_a_feed_forward_layer_has_its_arrays():
    computed = arrays(START + FED + HEAD)
    assert computed["layer 1 attended"].tolist() == [[2, 6], [3, 3]]
    assert computed["layer 1 hidden"].tolist() == [[2, 6, 8], [3, 3, 6]]
    assert computed["layer 1 fed"].tolist() == [[2, 14], [3, 9]]
    assert computed["layer 1 state"].tolist() == [[4, 20], [6, 12]]
    alone = arrays(START + "residual = false\n" + FED + HEAD)
    assert alone["layer 1 attended"].tolist() == [[1, 3], [1, 3]]
    assert alone["layer 1 state"].tolist() == alone["layer 1 fed"].tolist() == [[1, 7], [1, 7]]


@pytest.mark.parametrize(
    ("keys", "state"),
    [
        ('norm = "none"', [[2, 6], [3, 3]]),
        ('norm = { name = "layer", epsilon = 1e-12 }', [[-1, 1], [0, 0]]),
        ('norm = { name = "layer", epsilon = 1e-12, gain = [3, 1], shift = [0, 1] }', [[-3, 2], [0, 1]]),
        ('norm = { name = "rms", epsilon = 1e-12 }', [[2 / 20**0.5, 6 / 20**0.5], [1, 1]]),
        ('norm = { name = "layer", epsilon = 1e-12 }\nnorm_first = true', [[0, 4], [1, 1]]),
        ('norm = "layer"', [[-2 / 4.00001**0.5, 2 / 4.00001**0.5], [0, 0]]),
    ],
)
def test_norms_by_hand(keys, state):
    computed = arrays(START + keys + "\n" + HEAD)
    np.testing.assert_allclose(computed["layer 1 state"], state, rtol=0, atol=1e-10)
    assert ("layer 1 normed" in computed) == ("norm_first" in keys)
    if "layer 1 summed" in computed:
        assert computed["layer 1 summed"].tolist() == [[2, 6], [3, 3]]
    assert ("layer 1 summed" in computed) == ("norm_first" not in keys and "none" not in keys)


@each(
    ("keys", "message"),
    [
        ("output = [[1, 0, 0], [0, 1, 0]]", "14: layer.1.output: every row needs 2 numbers, one for each element of"),
        ("output = [[1, 0]]", "14: layer.1.output: needs 2 rows, one for each element of a vector, not 1"),
        (FED.replace("[0, 1], ", "[0], "), "14: layer.1.feed_forward.inner: every row needs 2 numbers, one for each"),
        (FED.replace("[0, 1, 1]", "[0, 1]"), "14: layer.1.feed_forward.outer: every row needs 3 numbers"),
        (FED.replace(", [0, 1, 1]", ""), "14: layer.1.feed_forward.outer: needs 2 rows, one for each element of a"),
        (FED.replace(" }", ", inner_bias = [1] }"), "14: layer.1.feed_forward.inner_bias: needs 3 numbers, one for"),
        (FED.replace(" }", ", outer_bias = [1] }"), "14: layer.1.feed_forward.outer_bias: needs 2 numbers, one for"),
        (FED.replace(" }", ', activation = "rely" }'), "'rely' is unknown; did you mean 'relu'"),
        ('norm = { name = "layer", gain = [1] }', "14: layer.1.norm.gain: needs 2 numbers, one for each element of a"),
        ('norm = { name = "rms", shift = [1] }', "14: layer.1.norm.shift: needs 2 numbers"),
        ('norm = { name = "rms", epsilon = 0 }', "14: layer.1.norm.epsilon: "),
        ('norm = "batch"', "14: layer.1.norm: "),
        ("norm_first = true", "14: layer.1.norm_first: says where the norm is, but there is none"),
    ],
)
def test_parts_that_do_not_fit_are_reported(keys, message):
    found = problems(START + keys + "\n" + HEAD)
    assert any(message in line for line in found), found


def test_a_layer_without_a_head_is_reported():
    assert_refused(START + "residual = true\n", "13: layer.1: has no head; begin one with [[layer.head]]")


def test_a_value_under_an_output_matrix_has_no_place_of_its_own():
    text = START.replace("[input]", '[spaces]\nword = "vocabulary"\nother = "like word"\n[input]')
    layer = 'output = [[1, 0], [0, 1], [0, 0], [0, 0]]\n[[layer.head]]\nvalue = { from = "word", to = "other" }\n'
    assert_refused(text + layer, "19: layer.1.head.1.value.to: the layer's `output` says where values are written")


def test_two_heads_that_do_not_fit_the_output_are_reported_with_their_widths():
    text = START + "output = [[1], [1]]\n" + HEAD + HEAD + "value = [[1, 1]]\n"
    assert_refused(
        text, "14: layer.1.output: every row needs 3 numbers, one for each element of the heads' outputs (2 + 1)"
    )


def test_the_arithmetic_is_written_out():
    text = START + 'norm = { name = "layer", epsilon = 1e-12, gain = [1, 2], shift = [0, 1] }\nnorm_first = true\n'
    text += FED.replace(" }", ", inner_bias = [0, 0, -1], outer_bias = [0, 1] }") + HEAD
    text = text.replace("norm_first", "output = [[1, 0], [0, 1]]\nnorm_first")
    working = ha.run(parse(text, "file.toml", "file"), explain=True).runs[0].working
    assert "  a: (1, 3): mean 2, variance 1; (x − 2)/√(1 + 1e−12), times (1, 2), plus (0, 1) = (−1, 3)" in working
    assert "  a: (−1, 3), mapped: (−1, 3)" in working
    assert "  a: (1, 3) + (−1, 3) = (0, 6)" in working
    assert any(line.startswith("    hidden neuron 3: ") and "relu: " in line for line in working)
    assert any(line.startswith("    output: 3×(0, 1) + 1×(0, 1) + (0, 1)") for line in working)


def test_a_sum_of_rounded_numbers_is_not_an_equation():
    """1/3 is written .3333, and 3 × .3333 is not 1."""
    text = START.replace("a = [1, 3]", "a = [0.3333333333333333, 0]") + HEAD.replace("1, 0", "0, 0")
    text = text.replace("[[layer.head]]", "feed_forward = { inner = [[1, 0]], outer = [[3], [0]] }\n[[layer.head]]")
    working = ha.run(parse(text, "file.toml", "file"), explain=True).runs[0].working
    assert "    output: .3333×(3, 0) ≈ (1, 0)" in working and "    output: 2×(3, 0) = (6, 0)" in working


def test_a_hidden_layer_of_many_neurons_is_summed_up():
    rows = ", ".join(["[1, 0]"] * 20)
    text = START + f"feed_forward = {{ inner = [{rows}], outer = [{[1] * 20}, {[0] * 20}] }}\n" + HEAD
    working = ha.run(parse(text, "file.toml", "file"), explain=True).runs[0].working
    assert "    20 hidden neurons (relu): (2, 2, 2, … 20 elements)" in working
    assert "    output: sum over 20 hidden neurons = (40, 0)" in working


def written(folder, text=TORCH, **changes):
    """A scenario beside a file with the shipped weights, changed: a name with None is left out."""
    state = {name: array for name, array in {**np.load(FILE), **changes}.items() if array is not None}
    np.savez(folder / "layer.npz", **state)
    (folder / "file.toml").write_text(text, encoding="utf-8")
    return folder / "file.toml"


def test_the_weights_of_a_file_are_those_of_pytorchs_layer(tmp_path, torch):
    state = {name: torch.asarray(array) for name, array in np.load(FILE).items()}
    layer = torch.nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, batch_first=True, dtype=torch.float64).eval()
    layer.load_state_dict(state)
    result = ha.run(ha.load(written(tmp_path)), explain=True)
    assert "layer 1, queries, keys and values contain the biases of the file too" in result.runs[0].working
    trace = result.arrays
    words = torch.asarray(np.eye(4)[:3])
    theirs = layer(words[None])[0].detach().numpy()
    np.testing.assert_allclose(trace["layer 1 state"].values, theirs, rtol=0, atol=1e-12)
    own = torch.relu(layer.linear1(torch.asarray(trace["layer 1 attended"].values))).detach()
    np.testing.assert_allclose(trace["layer 1 hidden"].values, own, rtol=0, atol=1e-12)
    assert trace["layer 1 head 1 queries"].labels[1] == ("1", "2")


def test_names_with_a_prefix_and_safetensors_are_read(tmp_path):
    plain = ha.run(ha.load(written(tmp_path))).arrays["layer 1 state"].values
    state = dict(np.load(FILE))
    np.savez(tmp_path / "layer.npz", **{f"layers.1.{name}": array for name, array in state.items()})
    (tmp_path / "file.toml").write_text(TORCH + 'prefix = "layers.1"\n')
    assert np.array_equal(ha.run(ha.load(tmp_path / "file.toml")).arrays["layer 1 state"].values, plain)
    (tmp_path / "file.toml").write_text(TORCH + 'prefix = "layers.2"\n')
    with pytest.raises(InvalidScenario, match=r"'layer\.npz' holds no name that begins with 'layers\.2\.'"):
        ha.load(tmp_path / "file.toml")
    safetensors = pytest.importorskip("safetensors.numpy")
    safetensors.save_file(state, tmp_path / "layer.safetensors")
    (tmp_path / "file.toml").write_text(TORCH.replace(".npz", ".safetensors"))
    assert np.array_equal(ha.run(ha.load(tmp_path / "file.toml")).arrays["layer 1 state"].values, plain)
    safetensors.save_file(state | {"norm1.bias": np.full(4, np.inf)}, tmp_path / "layer.safetensors")
    with pytest.raises(InvalidScenario, match=r"'norm1\.bias': inf is at 1; expected finite numbers"):
        ha.load(tmp_path / "file.toml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm1.weight": None}, "10: layer.1.from_torch: state: missing: norm1.weight"),
        ({"linear1.bias": np.ones(3)}, "10: layer.1.from_torch: linear1.bias: got shape (3,)"),
        ({"multihead_attn.in_proj_weight": np.eye(12, 4)}, "10: layer.1.from_torch: state: missing: multihead_attn"),
    ],
)
def test_a_file_that_does_not_fit_is_reported(change, message, tmp_path):
    with pytest.raises(InvalidScenario) as caught:
        ha.load(written(tmp_path, **change))
    assert f"file.toml:{message}" in str(caught.value)


@each(
    ("old", "new", "message"),
    [
        ("layer.npz", "layr.npz", "there is no file 'layr.npz' in"),
        ("layer.npz", "layer.pt", "'layer.pt' does not end in .npz or .safetensors"),
        ("heads = 2", "heads = 3", "n_heads: 3 heads do not divide the dim 4"),
        (', "d"]', "]", "11: layer.1.from_torch.file: is for vectors of 4 elements; those of this scenario have 3"),
        (
            "[[layer]]\n",
            '[[layer]]\nnorm = "rms"\n',
            "10: layer.1.norm: comes from the file of `from_torch`; leave one",
        ),
        ("heads = 2", "heads = 2\nmask = [[true]]", "layer.1.from_torch.mask: does not fit 3 queries and 3 keys"),
        ("tokens =", 'queries = ["a"]\ntokens =', "layer.1.from_torch: an encoder's layer reads one text"),
    ],
)
def test_a_key_that_does_not_fit_the_file_is_reported(old, new, message, tmp_path):
    (tmp_path / "layer.pt").write_bytes(b"")
    with pytest.raises(InvalidScenario) as caught:
        ha.load(written(tmp_path, TORCH.replace(old, new)))
    assert message in str(caught.value)


def test_a_layer_that_takes_too_much_memory_is_refused():
    big = f"feed_forward = {{ inner = [{', '.join(['[1, 0]'] * 100)}], outer = [{[1] * 100}, {[0] * 100}] }}\n"
    spec = parse(START + big + HEAD, "file.toml", "file").spec
    bare = parse(START + HEAD, "file.toml", "file").spec
    assert spec.size() >= bare.size() + 100 * (2 + 2 + 2)


def test_a_small_variance_is_written_with_the_digits_that_one_reckons_with():
    """(x − 2)/√(x's variance): the lines must agree with a pocket calculator to four digits."""
    norm = LayerNorm(epsilon=1e-5)
    (line,) = _normalised(norm, np.array([[1.9167, 2.0833]]), ["a"], {"": slice(None)})
    assert "variance .006939; (x − 2)/√(.006939 + 1e−05) ≈ (−.9993, .9993)" in line
