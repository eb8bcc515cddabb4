"""Layers of a transformer in a file: output matrix, norms, feed-forward layer, weights of PyTorch."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.files import shipped
from tests.refusal import refused
from tests.runs import result_of
from tests.texts import parsed

FILE = shipped()["pytorch-layer"].parent / "torch-encoder-layer.npz"
START = (
    'schema = 1\ntitle = "a layer"\nsource = "ours"\nkind = "attention"\n[vocabulary]\naxes = ["x", "y"]\n'
    'magnitude = "free"\nwords = { a = [1, 3], b = [2, 0] }\n[input]\ntokens = ["a", "b"]\n[[layer]]\n'
)
HEAD = "[[layer.head]]\nweights = [[1, 0], [1, 0]]\n"
FED = "feed_forward = { inner = [[1, 0], [0, 1], [1, 1]], outer = [[1, 0, 0], [0, 1, 1]] }\n"


def values(text):
    return {name: array.values for name, array in ha.run(parsed(text)).arrays.items()}


def test_an_output_matrix_maps_heads_of_any_width():
    text = START + "output = [[1, 0, 2], [0, 1, 0]]\n" + HEAD + HEAD + "value = [[1, 1]]\n"
    computed = values(text)
    assert computed["layer 1 head 2 output"].tolist() == [[4], [4]]
    assert computed["layer 1 output"].tolist() == [[9, 3], [9, 3]]  # (1, 3) and 1 + 3: 1 + 2 × 4, 3
    assert computed["layer 1 state"].tolist() == [[10, 6], [11, 3]]
    assert not {"layer 1 attended", "layer 1 fed", "layer 1 normed"} & set(computed)


def test_a_feed_forward_layer_has_its_arrays():
    computed = values(START + FED + HEAD)
    assert computed["layer 1 attended"].tolist() == [[2, 6], [3, 3]]
    assert computed["layer 1 hidden"].tolist() == [[2, 6, 8], [3, 3, 6]]
    assert computed["layer 1 fed"].tolist() == [[2, 14], [3, 9]]
    assert computed["layer 1 state"].tolist() == [[4, 20], [6, 12]]
    alone = values(START + "residual = false\n" + FED + HEAD)
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
    computed = values(START + keys + "\n" + HEAD)
    np.testing.assert_allclose(computed["layer 1 state"], state, rtol=0, atol=1e-10)
    assert ("layer 1 normed" in computed) == ("norm_first" in keys)
    if "layer 1 summed" in computed:
        assert computed["layer 1 summed"].tolist() == [[2, 6], [3, 3]]
    assert ("layer 1 summed" in computed) == ("norm_first" not in keys and "none" not in keys)


def working(text):
    return "\n".join(ha.run(parsed(text), explain=True).runs[0].working) + "\n"


MANY = f"feed_forward = {{ inner = [{', '.join(['[1, 0]'] * 20)}], outer = [{[1] * 20}, {[0] * 20}] }}\n"
BIASED = FED.replace(" }", ", inner_bias = [0, 0, -1], outer_bias = [0, 1] }")
NORMED = 'norm = { name = "layer", epsilon = 1e-12, gain = [1, 2], shift = [0, 1] }\nnorm_first = true\n'
THIRD = (
    START.replace("a = [1, 3]", "a = [0.3333333333333333, 0]")
    + "feed_forward = { inner = [[1, 0]], outer = [[3], [0]] }\n"
)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{START}output = [[1, 0], [0, 1]]\n{NORMED}{BIASED}{HEAD}",
         ["  a: (1, 3): mean 2, variance 1; (x − 2)/√(1 + 1e−12), times (1, 2), plus (0, 1) = (−1, 3)\n",
          "  a: (−1, 3), mapped: (−1, 3)\n", "  a: (1, 3) + (−1, 3) = (0, 6)\n", "    hidden neuron 3: ", "relu: ",
          "    output: 3×(0, 1) + 1×(0, 1) + (0, 1)"]),
        # a sum of rounded numbers is no equation: 1/3 is written .3333, and 3 × .3333 is not 1
        (THIRD + HEAD.replace("1, 0", "0, 0"),
         ["    output: .3333×(3, 0) ≈ (1, 0)\n", "    output: 2×(3, 0) = (6, 0)\n"]),
        (START + MANY + HEAD, ["    20 hidden neurons (relu): (2, 2, 2, … 20 elements)\n",
                               "    output: sum over 20 hidden neurons = (40, 0)\n"]),
        # with the digits that one reckons with: the line agrees with a pocket calculator to four digits
        (START.replace("[1, 3]", "[1.9167, 2.0833]") + 'norm = "layer"\nnorm_first = true\n' + HEAD,
         ["variance .006939; (x − 2)/√(.006939 + 1e−05) ≈ (−.9993, .9993)"]),
    ],
)  # fmt: skip
def test_the_arithmetic_is_written_out(text, lines):
    assert [line for line in lines if line not in working(text)] == []


TORCH = ha.load("pytorch-layer").text.partition("[[expect]]")[0]


@pytest.mark.parametrize("run", [0, 1, 2], ids=["as written", "causal", "norm first, gelu"])
def test_the_weights_of_a_file_are_those_of_pytorchs_layer(torch, run):
    options = {"norm_first": run == 2, "activation": "gelu" if run == 2 else "relu"}
    state = {name: torch.asarray(array) for name, array in np.load(FILE).items()}
    layer = torch.nn.TransformerEncoderLayer(4, 2, 6, 0.0, batch_first=True, dtype=torch.float64, **options).eval()
    layer.load_state_dict(state)
    found = ha.run("pytorch-layer", explain=True).runs[run]
    assert "layer 1, queries, keys and values contain the biases of the file too" in found.working
    arrays = {
        name: torch.asarray(array.values.copy()) for name, array in found.arrays.items() if array.values.dtype == float
    }
    mask = torch.nn.Transformer.generate_square_subsequent_mask(3, dtype=torch.float64) if run == 1 else None
    theirs = layer(arrays["input"][None], mask)[0].detach()
    np.testing.assert_allclose(arrays["layer 1 state"], theirs, rtol=0, atol=1e-12)
    before = layer.norm2(arrays["layer 1 attended"]) if run == 2 else arrays["layer 1 attended"]
    hidden = layer.activation(layer.linear1(before)).detach()
    np.testing.assert_allclose(arrays["layer 1 hidden"], hidden, rtol=0, atol=1e-12)
    assert found.arrays["layer 1 head 1 queries"].labels[1] == ("1", "2")


def test_names_with_a_prefix_and_safetensors_are_read(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    state, file = dict(np.load(FILE)), tmp_path / "file.toml"
    plain = result_of("pytorch-layer").arrays["layer 1 state"].values
    np.savez(tmp_path / "layer.npz", **{f"layers.1.{name}": array for name, array in state.items()})
    safetensors.save_file(state, tmp_path / "layer.safetensors")
    for name in ('layer.npz"\nprefix = "layers.1', "layer.safetensors"):
        file.write_text(TORCH.replace('file = "torch-encoder-layer.npz"', f'file = "{name}"'), encoding="utf-8")
        assert np.array_equal(ha.run(file).arrays["layer 1 state"].values, plain)
    safetensors.save_file(state | {"norm1.bias": np.full(4, np.inf)}, tmp_path / "layer.safetensors")
    refused(lambda: ha.load(file), str(file), "'norm1.bias'", "inf is at 1")
