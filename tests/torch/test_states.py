"""Layers of a state give what hopfield-layers and PyTorch give, and the state comes back.

`reference.py` says how the outputs of hopfield-layers were made.
"""

import numpy as np
import pytest

import hopattn as ha
from tests.refusal import refused
from tests.torch.reference import FILE, RECALLS


@pytest.fixture
def reference(torch, device):
    with np.load(FILE) as arrays:
        return {name: torch.tensor(array) for name, array in arrays.items()}


def of(reference, place):
    return {name.removeprefix(f"{place}/"): array for name, array in reference.items() if name.startswith(f"{place}/")}


def close(output, expected, within=1e-6):
    return (output - expected).abs().max() <= within


@pytest.mark.parametrize("name", RECALLS)
def test_the_steps_of_hopfield_layers(torch, reference, name):
    """update_steps_max = k is k + 1 steps, and None is stop="head"; their scaling is our beta."""
    steps = {"steps": int(name) + 1} if name.isdigit() else {"steps": None, "stop": "head"}
    options = steps | {"beta": RECALLS[name].get("scaling")}
    layer = ha.torch.Hopfield.from_state(of(reference, "hopfield/state"), 2, **options)
    stored, state, values, padding = of(reference, "texts").values()
    with torch.no_grad():
        assert close(layer(state, stored, values), reference[f"{name}/output"])
        assert close(layer(state, stored, values, mask=~padding[:, None]), reference[f"{name}/masked"])
        assert close(layer.weights(state, stored), reference[f"{name}/weights"])
        assert close(layer(state), reference[f"{name}/alone"])


@pytest.mark.parametrize(
    ("place", "kind", "options"),
    [
        ("pooling", "HopfieldPooling", {}),
        ("layer", "HopfieldLayer", {"steps": 3, "sink": 0.0}),
        ("dims", "Hopfield", {"steps": 2}),
    ],
)
def test_the_other_layers_of_hopfield_layers(torch, reference, place, kind, options):
    texts = of(reference, "texts") | of(reference, place)
    layer = getattr(ha.torch, kind).from_state(of(reference, f"{place}/state"), 2, **options)
    inputs = {"pooling": ["stored"], "layer": ["state"], "dims": ["state", "stored", "values"]}[place]
    with torch.no_grad():
        output = layer(*(texts[name] for name in inputs))
    assert close(output.flatten(1), texts["output"].flatten(1))


def test_static_patterns_are_texts_without_maps(reference):
    layer = ha.torch.Hopfield(8, steps=4, beta=2.0, maps=())
    stored, state, values, _ = of(reference, "texts").values()
    assert close(layer(state, stored, values), reference["static/output"])


@pytest.mark.parametrize(
    ("place", "kind"),
    [("hopfield", "Hopfield"), ("pooling", "HopfieldPooling"), ("layer", "HopfieldLayer"), ("dims", "Hopfield")],
)
def test_a_state_comes_back(torch, reference, place, kind):
    state = of(reference, f"{place}/state")
    layer = getattr(ha.torch, kind).from_state(state, 2)
    back = layer.to_state()
    assert back.keys() == state.keys() and all(torch.equal(back[name], state[name]) for name in state)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 1
    again = getattr(ha.torch, kind).from_state(layer.to_state(), 2)
    assert all(torch.equal(again.state_dict()[name], one) for name, one in layer.state_dict().items())


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"kdim": 6, "vdim": 5}])
def test_one_step_is_attention(torch, options):
    """To 1e-10 in float64, with masks of both kinds."""
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, dtype=torch.float64, **options)
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    layer = ha.torch.Hopfield.from_state(theirs.state_dict(), 2)
    dims = 8, options.get("kdim", 8), options.get("vdim", 8)
    query, key, value = (torch.randn(3, n, dim, dtype=torch.float64) for n, dim in zip((4, 6, 6), dims, strict=True))
    hidden = torch.rand(4, 6) > 0.6
    hidden[:, 0] = False
    padding = torch.arange(6) >= torch.tensor([4, 6, 1])[:, None]
    expected, weights = theirs(query, key, value, average_attn_weights=False)
    assert close(layer(query, key, value), expected, 1e-10)
    assert close(layer.weights(query, key), weights, 1e-10)
    expected, _ = theirs(query, key, value, attn_mask=hidden, key_padding_mask=padding)
    assert close(layer(query, key, value, mask=~hidden & ~padding[:, None]), expected, 1e-10)
    numbers = torch.randn(4, 6, dtype=torch.float64)
    expected, _ = theirs(query, key, value, attn_mask=numbers)
    assert close(layer(query, key, value, bias=numbers), expected, 1e-10)
    back = layer.to_state("torch")
    assert back.keys() == theirs.state_dict().keys()
    theirs.load_state_dict(back)


def test_a_null_key_is_a_sink_of_zero(torch):
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(8, 2, batch_first=True, add_zero_attn=True, dtype=torch.float64)
    layer = ha.torch.Hopfield.from_state(theirs.state_dict(), 2, sink=0.0)
    x = torch.randn(3, 4, 8, dtype=torch.float64)
    assert close(layer(x), theirs(x, x, x)[0], 1e-10)


def test_a_map_without_a_bias_in_the_state_has_zeros(torch):
    state = torch.nn.MultiheadAttention(8, 2, batch_first=True).state_dict()
    whole = ha.torch.Hopfield.from_state(state | {"in_proj_bias": torch.zeros(24)}, 2)
    layer = ha.torch.Hopfield.from_state(
        {name: state[name].cpu().numpy() for name in state if name != "in_proj_bias"}, 2
    )
    x = torch.randn(3, 4, 8)
    assert torch.equal(layer(x), whole(x))


def test_states_that_no_layer_has_are_refused(torch):
    state = torch.nn.MultiheadAttention(8, 2).state_dict()
    read = ha.torch.Hopfield.from_state
    refused(lambda: read({**state, "out_proj.weigth": state["in_proj_bias"]}, 2), "state", "out_proj.weight")
    refused(lambda: read(torch.nn.MultiheadAttention(8, 2), 2), "state", "state_dict()")
    refused(lambda: read(state, 3), "n_heads", "3 heads")
    with_bias = torch.nn.MultiheadAttention(8, 2, add_bias_kv=True).state_dict()
    refused(lambda: read(with_bias, 2), "state", "bias_k")
    refused(lambda: read({}, 2), "state", "in_proj_weight")
    refused(lambda: read(state, 2, update_steps_max=1), "Hopfield.from_state", "update_steps_max")
    refused(lambda: ha.torch.HopfieldPooling.from_state(state, 2), "state", "pooling_weights")


def test_what_a_state_cannot_hold_is_refused_by_name():
    layer = ha.torch.Hopfield(8, 2, separation="sparsemax", steps=3, learned="beta", norms="query")
    refused(layer.to_state, "to_state", "Sparsemax", "learned")
    refused(lambda: layer.to_state("torch"), "to_state", "Sparsemax", "more than one step", "norms")
    refused(lambda: layer.to_state("jax"), "kind", "torch")
    refused(ha.torch.HopfieldLayer(8, n_patterns=3, learned="sink", sink=0.0).to_state, "to_state", "sink")
