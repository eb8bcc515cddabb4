"""What a layer gives: the steps of the core, in half precision, compiled, masked, by blocks; and what it refuses."""

import copy
import subprocess
import sys

import numpy as np
import pytest

import hopattn as ha
from tests.refusal import refused


def drawn(torch, *shapes, dtype=None):
    return [torch.randn(*shape, dtype=dtype or torch.float64) for shape in shapes]


def of_numpy(tensor):
    return tensor.detach().cpu().numpy()


def plain(torch, **options):
    """A layer of one head without maps, in float64: its texts are what the core calls cues and keys."""
    return ha.torch.Hopfield(4, maps=(), **options).to(torch.float64)


@pytest.mark.parametrize("activation", ["identity", "unit", "tanh", "layer_norm"])
@pytest.mark.parametrize("separation", sorted({*ha.separations} - {"identity", "power", "exponential"}))
def test_a_layer_of_steps_is_the_memory(torch, separation, activation):
    cues, keys, values = drawn(torch, (3, 4), (6, 4), (6, 4))
    layer = plain(torch, separation=separation, activation=activation, beta=2.0, steps=3)
    step = ha.Step("dot", separation, activation, beta=2.0)
    states, stored, read = map(of_numpy, (cues, keys, values))
    for _ in range(2):
        states = step(states, stored)
    np.testing.assert_allclose(of_numpy(layer(cues, keys, values)), step(states, stored, read), atol=1e-10)
    np.testing.assert_allclose(of_numpy(layer.weights(cues, keys)[0]), step.weights(states, stored), atol=1e-10)


@pytest.mark.parametrize(
    "options", [{}, {"sink": 0.3}, {"block": 2}, {"sink": 0.3, "block": 4}, {"separation": "entmax"}]
)
def test_the_energy_is_that_of_the_core_and_no_step_raises_it(torch, options):
    cues, keys = drawn(torch, (3, 4), (7, 4))
    core = {name: option for name, option in options.items() if name != "block"}
    energies = []
    for _ in range(4):
        energies.append(plain(torch, beta=2.0, **options).energy(cues, keys)[0])
        expected = ha.Memory(of_numpy(keys), beta=2.0, **core).energy(of_numpy(cues))
        np.testing.assert_allclose(of_numpy(energies[-1]), expected, atol=1e-10)
        cues = plain(torch, beta=2.0, **options)(cues, keys)
    assert (torch.stack(energies).diff(dim=0) <= 1e-12).all()


@pytest.mark.parametrize("sink", [None, 0.5, [0.5, -1.0]])
@pytest.mark.parametrize("block", [1, 3, 100])
def test_blocks_of_keys_give_what_all_keys_give(torch, block, sink):
    query, keys = drawn(torch, (2, 3, 8), (2, 7, 8))
    layer = ha.torch.Hopfield(8, 2, steps=3, sink=sink).to(torch.float64)
    blocks = ha.torch.Hopfield(8, 2, steps=3, sink=sink, block=block).to(torch.float64)
    blocks.load_state_dict(layer.state_dict())
    mask = torch.rand(2, 3, 7) > 0.4
    mask[0, 0] = False
    for seen in (None, mask):
        assert torch.allclose(blocks(query, keys, mask=seen), layer(query, keys, mask=seen), rtol=0, atol=1e-12)
        assert torch.allclose(blocks.energy(query, keys, mask=seen), layer.energy(query, keys, mask=seen), atol=1e-12)


@pytest.mark.parametrize("stop", ["cue", "head"])
def test_a_recall_to_the_fixed_point_is_that_of_many_steps(torch, stop):
    query, keys = drawn(torch, (2, 3, 8), (2, 7, 8))
    layer = ha.torch.Hopfield(8, 2, steps=None, stop=stop, tol=1e-12, max_steps=999).to(torch.float64)
    many = ha.torch.Hopfield(8, 2, steps=500).to(torch.float64)
    many.load_state_dict(layer.state_dict())
    assert torch.allclose(layer(query, keys), many(query, keys), atol=1e-8)
    assert layer.rest.reached.all() and layer.rest.steps.shape == (2, 2, 3)
    assert "12 at rest" in repr(layer.rest)


def test_each_cue_stops_at_its_own_rest_and_a_head_at_that_of_its_slowest_text(torch):
    query, keys = drawn(torch, (2, 3, 8), (2, 7, 8))
    layer = ha.torch.Hopfield(8, 2, steps=None, beta=2.0).to(torch.float64)
    together = layer(query, keys)
    steps = layer.rest.steps
    assert len(steps.unique()) > 1
    for text in range(2):
        for cue in range(3):
            alone = layer(query[text : text + 1, cue : cue + 1], keys[text : text + 1])
            assert torch.allclose(alone, together[text : text + 1, cue : cue + 1], rtol=0, atol=1e-12)
            assert (layer.rest.steps[0, :, 0] == steps[text, :, cue]).all()
    head = ha.torch.Hopfield(8, 2, steps=None, beta=2.0, stop="head").to(torch.float64)
    head.load_state_dict(layer.state_dict())
    head(query, keys)
    assert (head.rest.steps == head.rest.steps[:1, :, :1]).all()


def test_a_query_that_sees_nothing_reads_nothing(torch):
    query, keys = drawn(torch, (2, 3, 8), (2, 7, 8))
    mask = torch.ones(2, 3, 7, dtype=torch.bool)
    mask[0, 1] = False
    for options in ({}, {"steps": 3}, {"steps": None}, {"sink": 0.0}, {"separation": "entmax"}, {"block": 3}):
        layer = ha.torch.Hopfield(8, 2, bias=False, **options).to(torch.float64)
        keys.requires_grad_()
        output = layer(query, keys, mask=mask)
        output.sum().backward()
        assert (output[0, 1] == 0).all() and output.isfinite().all()
        assert all(tensor.grad is None or tensor.grad.isfinite().all() for tensor in (keys, *layer.parameters()))
        assert (layer.weights(query, keys, mask=mask)[0, :, 1] == 0).all()
        hidden = torch.zeros(2, 1, 7, dtype=torch.bool)
        assert (layer(query, keys, mask=hidden) == 0).all()


def test_rules_and_padding_are_masks(torch):
    x, lengths = torch.randn(2, 5, 8), [3, 5]
    layer = ha.torch.Hopfield(8, 2, steps=2)
    ones = torch.ones(5, 5, dtype=torch.bool)
    assert torch.allclose(layer(x, mask="causal"), layer(x, mask=ones.tril()), atol=1e-6)
    bare = layer(x[:1, :3])
    x[0, 3:] = torch.nan
    assert torch.allclose(layer(x, mask=ha.padding(lengths))[0, :3], bare[0], atol=1e-6)
    assert torch.equal(layer(x[1]), layer(x[1:])[0])


def test_learned_queries_and_keys(torch):
    pooling, memory = (
        ha.torch.HopfieldPooling(8, 2, n_queries=3),
        ha.torch.HopfieldLayer(8, 2, n_patterns=5, values=True),
    )
    bag = torch.randn(4, 6, 8)
    assert pooling(bag).shape == (4, 3, 8) and pooling.weights(bag).shape == (4, 2, 3, 6)
    assert pooling.energy(bag).shape == (4, 2, 3)
    assert memory(bag).shape == (4, 6, 8) and memory.weights(bag).shape == (4, 2, 6, 5)
    assert memory.energy(bag).shape == (4, 2, 6)
    (pooling(bag).sum() + memory(bag).sum()).backward()
    assert all(one.grad is not None for layer in (pooling, memory) for one in layer.parameters())
    order = torch.randperm(6)
    assert torch.allclose(pooling(bag), pooling(bag[:, order]), atol=1e-6)


def test_what_is_learned_moves_and_beta_stays_positive(torch):
    layer = ha.torch.Hopfield(8, 2, beta=[0.1, 2.0], sink=0.0, learned=("beta", "sink"), steps=2)
    trained = torch.optim.SGD(layer.parameters(), lr=50.0)
    before = layer.beta.detach()
    assert torch.allclose(before, torch.tensor([0.1, 2.0]))
    for _ in range(3):
        trained.zero_grad()
        layer(torch.randn(2, 5, 8)).square().sum().backward()
        assert layer.log_beta.grad.abs().min() > 0 and layer.sink.grad != 0
        trained.param_groups[0]["lr"] = 1e-3
        trained.step()
    assert (layer.beta > 0).all() and not torch.equal(layer.beta, before)
    assert {"log_beta", "sink"} <= {name for name, _ in layer.named_parameters()}


def test_dropout_is_that_of_the_last_step_of_a_training(torch):
    x = torch.randn(2, 5, 8)
    for options in ({}, {"separation": "entmax"}, {"sink": 0.0}):
        layer = ha.torch.Hopfield(8, 2, steps=2, dropout=0.5, **options)
        assert not torch.equal(layer(x), layer(x))
        layer.eval()
        assert torch.equal(layer(x), layer(x))
        layer.train()
        outputs = layer(x[:1].expand(2000, -1, -1))
        error = outputs.std(0) / 2000**0.5
        layer.eval()
        assert ((outputs.mean(0) - layer(x[0])).abs() < 5 * error).all()


@pytest.mark.parametrize("options", [{}, {"steps": 5}, {"steps": None}, {"sink": 0.0}, {"separation": "entmax"}])
def test_half_precision_is_near_single(torch, device, options):
    """bfloat16 within 2e-2 of float32, outputs of size 1 and their gradients; also by `autocast`."""
    layer = ha.torch.Hopfield(16, 2, norms=("query", "key"), learned="beta", **options)
    half = copy.deepcopy(layer).to(torch.bfloat16)
    half.load_state_dict(layer.state_dict())
    layer.load_state_dict(half.state_dict())  # the same rounded parameters
    x = torch.randn(2, 6, 16).bfloat16()
    assert half(x).dtype == torch.bfloat16
    assert (half(x).float() - layer(x.float())).abs().max() <= 2e-2
    for one, text in ((layer, x.float()), (half, x)):
        one(text).square().mean().backward()
    for single, narrow in zip(layer.parameters(), half.parameters(), strict=True):
        if single.grad is not None:
            assert (single.grad - narrow.grad.float()).abs().max() <= 2e-2
    with torch.autocast(device, torch.bfloat16):
        assert (layer(x).float() - layer(x.float()).float()).abs().max() <= 2e-2
        layer(x).float().sum().backward()


COMPILED = [
    {},
    {"steps": 3},
    {"steps": 3, "sink": [0.0, 1.0], "beta": [1.0, 2.0], "learned": ("beta", "sink")},
    {"steps": 2, "separation": "entmax"},
    {"steps": 2, "norms": ("query", "key", "value", "head"), "block": 4},
    {"steps": 2, "activation": "unit"},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", COMPILED)
@pytest.mark.parametrize("mask", [None, "causal", "array"])
def test_a_layer_is_compiled_as_one_graph(torch, traced, options, mask):
    x = torch.randn(2, 5, 8)
    layer = ha.torch.Hopfield(8, 2, **options)
    mask = torch.rand(2, 5, 5) > 0.3 if mask == "array" else mask
    torch.set_default_device(None)  # PyTorch 2.13 cannot trace all functions of arrays of NumPy under another
    compiled = traced(layer)
    assert torch.allclose(compiled(x, mask=mask), layer(x, mask=mask), atol=1e-6)
    compiled(x, mask=mask).sum().backward()
    assert all(parameter.grad is not None for parameter in layer.parameters())


def test_learned_queries_and_keys_are_compiled_as_one_graph(torch, traced):
    x = torch.randn(2, 5, 8)
    for layer in (ha.torch.HopfieldPooling(8, 2, steps=2), ha.torch.HopfieldLayer(8, 2, n_patterns=3)):
        assert torch.allclose(traced(layer)(x), layer(x), atol=1e-6)


def test_a_layer_is_copied_and_saved(torch, tmp_path):
    layer = ha.torch.HopfieldPooling(8, 2, n_queries=3, sink=[0.0, 1.0], learned="beta", steps=2)
    torch.save(layer.state_dict(), tmp_path / "layer.pt")
    again = ha.torch.HopfieldPooling(8, 2, n_queries=3, sink=[0.0, 5.0], learned="beta", steps=2)
    again.load_state_dict(torch.load(tmp_path / "layer.pt"))
    x = torch.randn(2, 5, 8)
    assert torch.equal(again(x), layer(x)) and torch.equal(copy.deepcopy(layer)(x), layer(x))
    assert "n_heads=2" in repr(layer) and "Softmax" in repr(layer)


REFUSED = [
    ({"dim": 0}, "dim", "0"),
    ({"dim": 8, "n_heads": 3}, "n_heads", "3 heads", "dim_head"),
    ({"dim": 8, "steps": 0}, "steps", "0"),
    ({"dim": 8, "steps": 1.5}, "steps", "1.5"),
    ({"dim": 8, "beta": 0.0}, "beta", "0"),
    ({"dim": 8, "beta": -1.0, "learned": "beta"}, "beta", "-1"),
    ({"dim": 8, "n_heads": 2, "beta": [1.0, 0.0], "learned": "beta"}, "beta: entry 1", "0"),
    ({"dim": 8, "n_heads": 2, "beta": [1.0, 1.0, 1.0]}, "beta", "3 numbers", "2 heads"),
    ({"dim": 8, "n_heads": 2, "sink": [1.0, float("nan")]}, "sink: entry 1", "nan"),
    ({"dim": 8, "learned": "sink"}, "learned", "sink=0.0"),
    ({"dim": 8, "learned": "betta"}, "learned", "'beta'"),
    ({"dim": 8, "stop": "heads"}, "stop", "'head'"),
    ({"dim": 8, "separation": "softmx"}, "", "'softmax'"),
    ({"dim": 8, "separation": "threshold", "sink": 0.0}, "sink", "threshold"),
    ({"dim": 8, "separation": ha.separations.make("softmax", beta=2.0), "beta": 1.0}, "", "beta"),
    ({"dim": 8, "activation": "sign"}, "activation", "Sign", "derivative"),
    ({"dim": 8, "maps": ("query", "keys")}, "maps", "'key'"),
    ({"dim": 8, "n_heads": 2, "maps": (), "dim_head": 4}, "maps", "8", "4"),
    ({"dim": 8, "dropout": 1.0}, "dropout", "1"),
    ({"dim": 8, "tol": -1.0}, "tol", "-1"),
    ({"dim": 8, "block": 4, "separation": "entmax"}, "block", "softmax"),
    ({"dim": 8, "block": 4, "dropout": 0.1}, "block", "dropout"),
    ({"embed_dim": 8}, "Hopfield", "'embed_dim'", "write dim="),
    ({"dim": 8, "update_steps_max": 3}, "Hopfield", "update_steps_max + 1"),
    ({"dim": 8, "stored_pattern_size": 3}, "Hopfield", "write dim_keys="),
    ({"dim": 8, "batch_first": True}, "Hopfield", "leave it out"),
]


@pytest.mark.parametrize(("options", "place", "words"), [(one[0], one[1], one[2:]) for one in REFUSED])
def test_options_that_do_not_fit_are_refused(torch, options, place, words):
    refused(lambda: ha.torch.Hopfield(**options), place, *words)


def test_texts_that_do_not_fit_are_refused(torch, device):
    layer, x = ha.torch.Hopfield(8, 2), torch.randn(2, 5, 8)
    refused(lambda: layer(x[..., :7]), "query", "7", "8")
    refused(lambda: layer([[1.0] * 8]), "query", "tensor")
    refused(lambda: layer(x[0, 0]), "query", "(8,)")
    refused(lambda: layer(x.double()), "query", "float64", "float32")
    refused(lambda: layer(x.long()), "query", "int64")
    refused(lambda: layer(x.to("meta")), "query", "meta", device)
    refused(lambda: layer(x, x.to("meta")), "keys", "meta")
    refused(lambda: layer(x, x.half()), "keys", "float16")
    refused(lambda: layer(x, x[:1].expand(3, -1, -1)), "", "2", "3")
    refused(lambda: layer(x, x, x[:, :4]), "values", "4", "5")
    refused(lambda: layer(x, x[:, :0]), "keys", "0")
    refused(lambda: layer(x, mask=torch.ones(5, 4, dtype=torch.bool)), "mask", "(5, 4)")
    refused(lambda: layer(x, mask=torch.ones(5, 5)), "mask", "bool")
    refused(lambda: layer(x, bias=torch.ones(5, 4)), "bias", "(5, 4)")
    refused(lambda: layer.forward(x, attn_mask=torch.ones(5, 5)), "Hopfield.forward", "mask=")


def test_the_package_needs_no_torch_and_the_layers_say_what_to_install():
    code = "import sys; import hopattn, hopattn.torch; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    code = """
import sys, importlib.util as util
found = util.find_spec
util.find_spec = lambda name, *rest: None if name == "torch" else found(name, *rest)
import hopattn
try:
    hopattn.torch.Hopfield
except hopattn.HopattnError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "hopattn.torch.Hopfield needs PyTorch: pip install torch" in said
