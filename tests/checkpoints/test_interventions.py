"""Interventions in checkpoints: laws that need no other library, and the same with hooks in `transformers`.

Hooks replace what a module of PyTorch reads; every parameter is moved, so that no place is without an effect.
"""

from functools import partial
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest

import hopattn as ha
from hopattn.checkpoints import checkpoint
from hopattn.checkpoints.parts import Parts
from hopattn.transformer.normalisation import LayerNorm, RMSNorm
from tests.checkpoints.referee import hooked, made
from tests.checkpoints.written import GPT2, LLAMA, state_of, write
from tests.refusal import refused

IDS, OTHERS = [3, 1, 4, 1, 5], [2, 7, 1, 8, 2]
WHOLE = ("residual", "attention", "feed_forward")
"""The places that are no part of a layer's heads."""


@pytest.fixture(params=[GPT2, LLAMA], ids=["gpt2", "llama"])
def model(request, tmp_path):
    state = {name: 0.5 * array for name, array in state_of(request.param).items()}  # so that no key has all weight
    return ha.Checkpoint(write(tmp_path, request.param, state))


def every(model, **options):
    """A patch of every place but the words before a layer and the keys."""
    layers, heads = range(model.plan.n_layers), range(model.plan.n_heads)
    patches = [model.patch("head", i, j, **options) for i, j in product(layers, heads)]
    return patches + [model.patch("feed_forward", i, **options) for i in layers]


def test_a_run_with_its_own_values_is_the_same_to_the_last_digit(model):
    run = model.run(IDS)
    for place, i in product(WHOLE, range(2)):
        patches = [model.patch(place, i, value=run), model.patch(place, i, at=[0, -1], value=run)]
        np.testing.assert_array_equal(model.run(IDS, patches=patches).logits, run.logits)
    np.testing.assert_array_equal(model.run(IDS, patches=every(model, value=run)).logits, run.logits)
    np.testing.assert_array_equal(model.effects(IDS, lambda one: one.logits[-1, 0], value=run).values, 0)


def test_a_run_with_all_values_of_another_is_the_other(model):
    run, other = model.run(IDS), model.run(OTHERS)
    for i in range(3):
        patch = model.patch("residual", i, value=other)
        np.testing.assert_array_equal(model.run(IDS, patches=[patch]).logits, other.logits)
        by_position = [model.patch("residual", i, at=j, value=other) for j in range(5)]
        np.testing.assert_array_equal(model.run(IDS, patches=by_position).logits, other.logits)
        array = model.patch("residual", i, value=other.states[i])
        np.testing.assert_array_equal(model.run(IDS, patches=[array]).states[i:], other.states[i:])
    start = model.patch("residual", 0, value=other)
    np.testing.assert_array_equal(model.run(IDS, patches=[start, *every(model, value=other)]).logits, other.logits)
    back = [model.patch("residual", 1, value=other), model.patch("residual", 1, value=run)]
    np.testing.assert_array_equal(model.run(IDS, patches=back).logits, run.logits)  # the last one counts


def test_a_change_at_a_position_leaves_earlier_positions_as_they_are(model):
    run = model.run(IDS)
    for place in (*WHOLE, "head", "keys"):
        head = 1 if place == "head" else None
        found = model.run(IDS, patches=[model.patch(place, 0, head, at=2)])
        np.testing.assert_allclose(found.logits[:2], run.logits[:2], rtol=1e-12, atol=1e-12)
        assert (abs(found.logits[2:] - run.logits[2:]).max(axis=-1) > 1e-6).all()


def test_zeros_means_and_keys_left_out_are_as_the_heads_say(model):
    layer = next(model.layers(IDS))
    outputs = [head(layer.states) for head in layer.heads.heads]
    own = layer.heads.heads[1]
    worth = ha.transformer.worth(own, layer.states, 2)
    for options, expected in (
        ({}, np.zeros_like(outputs[1])),
        ({"value": "mean"}, np.broadcast_to(outputs[1].mean(axis=0), outputs[1].shape)),
        ({"at": 3, "value": 0.5}, np.where(np.arange(5)[:, None] == 3, 0.5, outputs[1])),
        ({"at": [-1, 0], "value": "mean"}, np.where([[1], [0], [0], [0], [1]], outputs[1].mean(axis=0), outputs[1])),
        ({"place": "keys", "at": 2}, worth.closed.answer),  # the closed form
    ):
        patch = model.patch(**{"place": "head", "layer": 0, "head": 1, **options})
        found = model.run(IDS, patches=[patch])
        words = model.run(
            IDS, patches=[model.patch("attention", 0, value=layer.heads.joined([outputs[0], expected, *outputs[2:]]))]
        )
        np.testing.assert_allclose(found.logits, words.logits, rtol=1e-10, atol=1e-12)
    of_all = model.run(IDS, patches=[model.patch("keys", 0, at=2)])
    of_each = model.run(IDS, patches=[model.patch("keys", 0, i, at=2) for i in range(model.plan.n_heads)])
    np.testing.assert_allclose(of_all.logits, of_each.logits, rtol=1e-12, atol=1e-12)
    after = model.layer(1, of_all.states[1])
    assert after.number == 1
    trace, other = (one.heads.heads[0].trace(one.states) for one in (after, [*model.layers(IDS)][1]))
    assert abs(trace.scores - other.scores).max() > 1e-6  # of a later layer


def require_effects_of_runs(model, ids, place, *, at=None, value=0.0, kinds=None):
    """Fail unless the table of effects is that of one run for each patch, in the same order."""
    weights = np.random.default_rng(5).normal(size=(model.plan.n_layers + 1, len(ids), model.plan.dim))

    def measure(run):
        assert run.states[0].shape == (len(ids), model.plan.dim) and run.logits.shape[0] == len(ids)
        return run.logits[-1, 4] - run.logits[0, 2] + (weights * run.states).sum()

    table, plain = model.effects(ids, measure, place, at=at, value=value, kinds=kinds), measure(model.run(ids, kinds))
    columns = range(model.plan.n_heads) if place == "head" else [int(label) - 1 for label in table.labels[1]]
    assert table.values.shape == (model.plan.n_layers, len(columns))
    assert table.dims == ("layer", "head" if place == "head" else "position")
    for i, j in np.ndindex(table.values.shape):
        of_cell = {"head": j, "at": at} if place == "head" else {"at": columns[j]}
        patch = model.patch(place, i, **of_cell, value=value)
        expected = measure(model.run(ids, kinds, patches=[patch])) - plain
        np.testing.assert_allclose(table.values[i, j], expected, rtol=1e-9, atol=1e-9 * abs(plain))
    return table


def widths(model):
    """The width of the array of each place that can be replaced."""
    return dict.fromkeys(WHOLE, model.plan.dim) | {"head": model.plan.dim_head}


VALUES = {
    "a number": lambda model, width: 0.5,
    "an array": lambda model, width: np.linspace(-1, 1, width),
    "the mean": lambda model, width: "mean",
    "a run": lambda model, width: model.run(OTHERS),
}


@pytest.mark.parametrize("held", [None, 1], ids=["together", "one at a time"])
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_the_table_of_effects_is_that_of_its_runs(model, value, held, monkeypatch):
    if held is not None:
        monkeypatch.setattr(checkpoint, "NUMBERS_OF_TEXTS", held)
        monkeypatch.setattr(checkpoint, "NUMBERS_OF_PART", held)
    for place, width in widths(model).items():
        for at in (None, [1, 3]):
            table = require_effects_of_runs(model, IDS, place, at=at, value=value(model, width))
            assert np.abs(table.values).max() > 1e-3
    require_effects_of_runs(model, IDS, "keys", at=[0, 3])
    last = model.effects(IDS, lambda run: run.logits[0, 0], "residual", value=model.run(OTHERS)).values
    np.testing.assert_allclose(last[:, 1:], 0, atol=1e-12)  # later words


def test_a_patch_of_effects_that_puts_in_what_is_there_changes_nothing_at_all(model):
    for place, one in product((*WHOLE, "head"), (model.run(IDS), model.run([*IDS[:-1], 7]))):
        table = model.effects(IDS, lambda run: run.logits[-1, 0], place, at=[0, 1, 2], value=one)
        np.testing.assert_array_equal(table.values, 0)


def test_effects_read_a_layer_once_for_all_patches_of_a_layer(model, monkeypatch):
    read, block = [], Parts.block
    monkeypatch.setattr(Parts, "block", lambda parts, layer: read.append(layer) or block(parts, layer))
    for place in (*WHOLE, "head", "keys"):
        read.clear()
        model.effects(IDS, lambda run: run.logits[-1, 0], place)
        assert read == [0, 1, 0, 1, 1]  # of the plain run, and of the patches of each layer


def test_what_is_not_said_is_every_head_every_position_the_last_word_and_zeros(model):
    def measure(run):
        return run.logits[-1, 4]

    table, said = model.effects(IDS, measure), model.effects(IDS, measure, "head", at=range(5), value=0.0)
    np.testing.assert_array_equal(table.values, said.values)
    assert np.abs(table.values).min() > 1e-6 and table.labels == said.labels
    runs = [model.run(IDS, patches=[model.patch("head", 1, 1, **options)]) for options in ({}, {"at": range(5)})]
    np.testing.assert_array_equal(runs[0].logits, runs[1].logits)
    np.testing.assert_array_equal(model.attribution(IDS, 4).values, model.attribution(IDS, 4, at=4).values)
    assert repr(runs[0]) == "Run(5 tokens, 2 layers)"


def test_the_parts_of_a_logit_add_up_to_it(model):
    logits = model.run(IDS).logits
    one, two, both = (model.attribution(IDS, token, at=3) for token in (4, 2, (4, 2)))
    np.testing.assert_allclose([one.values.sum(), two.values.sum()], logits[3, [4, 2]], rtol=1e-12)
    np.testing.assert_allclose(both.values, one.values - two.values, rtol=1e-9, atol=1e-12)
    assert one.labels[0][:2] == ("words", "1.1")
    assert one.labels[0][-2:] == ("2.feed_forward", "shift")


@pytest.mark.parametrize("kind", [LayerNorm, RMSNorm])
def test_a_norm_whose_scale_is_held_is_linear(kind):
    rng = np.random.default_rng(0)
    norm = kind(rng.normal(size=6), rng.normal(size=6), epsilon=0.1)
    parts = rng.normal(size=(3, 6))
    found = norm.held(parts, parts.sum(axis=0))
    np.testing.assert_allclose(found.sum(axis=0) + norm.shift, norm(parts.sum(axis=0)), rtol=1e-12)
    np.testing.assert_allclose(norm.held(2 * parts, parts.sum(axis=0)), 2 * found, rtol=1e-12)


@pytest.fixture(scope="module")
def transformers():
    """Skip where the referee is not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed (the extras `torch` and `models`)")


def modules(name, model):
    """The modules of each layer that read an array: the layer the words, its maps W_O and W₂ heads and neurons."""
    if name == "gpt2":
        return [{"residual": one, "head": one.attn.c_proj} for one in model.transformer.h], model.transformer.ln_f
    return [{"residual": one, "head": one.self_attn.o_proj} for one in model.model.layers], model.model.norm


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_patched_runs_are_those_of_hooks_in_transformers(name, transformers):
    """Making a model takes some seconds, once for all tests of this folder."""
    one = made(name)
    model, ids = ha.Checkpoint(one.path), one.ids
    others, kept = np.roll(ids, 1), {}
    layers, _ = modules(name, one.model)
    places = [(place, i, layers[i][place]) for place in ("residual", "head") for i in range(2)]

    def keep(place, i):
        return lambda array: kept.setdefault((place, i), array)

    np.testing.assert_allclose(
        hooked(one.model, others, [(module, keep(place, i)) for place, i, module in places]),
        model.run(others).logits,
        rtol=1e-10,
        atol=1e-10,
    )
    other, width = model.run(others), model.plan.dim_head
    for (place, i, module), (rows, replacement) in product(places, (([5], "run"), (range(24), "mean"))):
        columns = slice(2 * width, 3 * width) if place == "head" else slice(None)

        def change(array, place=place, i=i, rows=rows, columns=columns, replacement=replacement):
            mean = array.mean(axis=0)
            for row in rows:
                array[row, columns] = (kept[place, i][row] if replacement == "run" else mean)[columns]
            return array

        value = other if replacement == "run" else replacement
        patch = model.patch(place, i, 2 if place == "head" else None, at=rows, value=value)
        found = model.run(ids, patches=[patch]).logits
        np.testing.assert_allclose(found, hooked(one.model, ids, [(module, change)]), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "name", ["gpt2", "gpt_neox", "gpt_neox in series", "llama", "mistral", "qwen2", "qwen3", "gemma2", "bert"]
)
def test_effects_are_those_of_runs_in_every_form_of_layer(name, transformers):
    one = made(name)
    model = ha.Checkpoint(one.path)
    other = model.run(np.roll(one.ids, 1), one.kinds)
    for place in (*WHOLE, "head", "keys"):
        options = {"at": [2, 9]} if place == "keys" else {"at": [2, 9], "value": other}
        require_effects_of_runs(model, one.ids, place, kinds=one.kinds, **options)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_a_token_left_out_of_all_layers_is_one_that_the_mask_of_transformers_hides(name, transformers):
    import torch

    one = made(name)
    model, mask = ha.Checkpoint(one.path), torch.ones(1, len(one.ids))
    mask[0, 5] = 0
    found = model.run(one.ids, patches=[model.patch("keys", i, at=5) for i in range(2)]).logits
    np.testing.assert_allclose(found, hooked(one.model, one.ids, attention_mask=mask), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_direct_parts_of_a_logit_are_those_of_the_weights_of_transformers(name, transformers):
    """Each head's output as `transformers` computes it, through its W_O, its final norm with its scale, and W_U."""
    one, kept = made(name), {}
    layers, last = modules(name, one.model)
    hooks = [(layer["head"], lambda array, i=i: kept.setdefault(i, array)) for i, layer in enumerate(layers)]
    hooked(one.model, one.ids, [*hooks, (last, lambda array: kept.setdefault("last", array))])
    model, token = ha.Checkpoint(one.path), 7
    parts = model.attribution(one.ids, token)
    unembedding = one.model.lm_head.weight.detach().numpy()[token]
    gain, final, width = last.weight.detach().numpy(), kept["last"][-1], model.plan.dim_head
    scale = np.sqrt((final.var() if name == "gpt2" else (final**2).mean()) + 1e-2)
    for i, j in product(range(2), range(4)):
        weight = layers[i]["head"].weight.detach().numpy()
        rows = weight if name == "gpt2" else weight.T
        part = slice(j * width, (j + 1) * width)
        written = kept[i][-1, part] @ rows[part]
        centred = written - written.mean() if name == "gpt2" else written
        found = parts.values[parts.labels[0].index(f"{i + 1}.{j + 1}")]
        np.testing.assert_allclose(found, gain * centred / scale @ unembedding, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["gpt_neox", "gpt_neox in series", "qwen3", "gemma2"])
def test_the_parts_add_up_to_the_logit_of_every_form_of_layer(name, transformers):
    one = made(name)
    model = ha.Checkpoint(one.path)
    found, expected = model.attribution(one.ids, 7).values.sum(), one.double.logits[-1, 7]
    if name == "gemma2":  # its cap is 2
        found = 2 * np.tanh(found / 2)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_model_whose_norms_come_last_has_no_parts_of_a_logit(transformers):
    one = made("bert")
    refused(partial(ha.Checkpoint(one.path).attribution, one.ids, 7), "attribution:", "bert")
