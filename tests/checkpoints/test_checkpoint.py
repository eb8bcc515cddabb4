"""Checkpoints that a test writes itself: GPT-2 by its formulas, dtypes and shards, and every bad folder refused."""

import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.circuits import head_census
from hopattn.circuits.emergence.record import Recipe, Training
from hopattn.positions import WavelengthScaling
from tests.checkpoints.written import GPT2, LLAMA, state_of, write, write_shards
from tests.refusal import refused

IDS = [3, 1, 4, 1, 5]


def gpt2_by_hand(state, ids, heads=2):
    """The logits of GPT-2 from its formulas, without a part of this project (Radford et al. 2019)."""

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        unit = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        return unit * state[f"{name}.weight"] + state[f"{name}.bias"]

    def conv(x, name):
        return x @ state[f"{name}.weight"] + state[f"{name}.bias"]

    x = state["wte.weight"][ids] + state["wpe.weight"][: len(ids)]
    for i in range(2):
        q, k, v = np.split(conv(norm(x, f"h.{i}.ln_1"), f"h.{i}.attn.c_attn"), 3, axis=-1)
        outputs = []
        for own_q, own_k, own_v in zip(*(np.split(one, heads, axis=-1) for one in (q, k, v)), strict=True):
            scores = own_q @ own_k.T / np.sqrt(own_q.shape[-1]) + np.triu(np.full((len(ids),) * 2, -np.inf), 1)
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            outputs.append(weights / weights.sum(-1, keepdims=True) @ own_v)
        x = x + conv(np.concatenate(outputs, axis=-1), f"h.{i}.attn.c_proj")
        y = conv(norm(x, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc")
        y = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
        x = x + conv(y, f"h.{i}.mlp.c_proj")
    return norm(x, "ln_f") @ state["wte.weight"].T


def test_gpt2_is_computed_as_its_formulas_say(tmp_path):
    state = state_of(GPT2)
    checkpoint = ha.Checkpoint(write(tmp_path, GPT2, state))
    expected = gpt2_by_hand(state, IDS)
    found = checkpoint.run(IDS)
    np.testing.assert_allclose(found.logits, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(checkpoint.logits(found.states[-1]), expected, rtol=1e-12, atol=1e-12)
    assert [state.shape for state in found.states] == [(5, 8)] * 3
    assert repr(checkpoint) == "Checkpoint(gpt2: 2 layers of 2 heads, dim 8)"


def test_layers_heads_and_blocks_are_one_another(tmp_path):
    checkpoint = ha.Checkpoint(write(tmp_path, LLAMA, state_of(LLAMA)))
    run = checkpoint.run(IDS)
    for layer in checkpoint.layers(IDS):
        block = checkpoint.block(layer.number)
        np.testing.assert_array_equal(layer.residual, run.states[layer.number])
        np.testing.assert_array_equal(layer.states, block.norms[0](layer.residual))
        np.testing.assert_array_equal(block(layer.residual), run.states[layer.number + 1])
        outputs = [checkpoint.head(layer.number, i)(layer.states) for i in range(4)]
        heads = checkpoint.multi_head(layer.number)
        np.testing.assert_allclose(heads.joined(outputs), layer.heads(layer.states), rtol=1e-12)
        assert [group.shape for group in heads.groups] == [(2, 2)]  # two heads of keys, each for two of queries
    assert len({run, layer, checkpoint.run(IDS), *checkpoint.layers(IDS)}) == 5  # an object of arrays is itself alone
    _, cache = ha.KeyValueCache([checkpoint.block(i) for i in range(2)]).append(run.states[0][:3])
    last, _ = cache.append(run.states[0][3:])
    np.testing.assert_allclose(last, run.states[-1][3:], rtol=1e-10)


def test_prefixes_older_names_and_shards_make_no_difference(tmp_path):
    state = state_of(LLAMA)
    folders = [tmp_path / str(i) for i in range(3)]
    for folder in folders:
        folder.mkdir()
    prefixed = {name if name == "lm_head.weight" else f"model.{name}": array for name, array in state.items()}
    checkpoints = [
        ha.Checkpoint(write(folders[0], LLAMA, state)),
        ha.Checkpoint(write(folders[1], LLAMA, prefixed)),
        ha.Checkpoint(write_shards(folders[2], LLAMA, prefixed)),
    ]
    one, *others = (checkpoint.run(IDS).logits for checkpoint in checkpoints)
    for other in others:
        np.testing.assert_array_equal(one, other)


def test_half_precision_is_widened_as_it_is_read(tmp_path):
    exact = {name: (array * 64).round() / 64 for name, array in state_of(GPT2).items()}  # few digits: no rounding
    halves = {name: array.astype(np.float16) for name, array in exact.items()}
    brain = [name for i, name in enumerate(exact) if i % 3]
    few = {name: array.astype(np.float32).view(np.uint32) for name, array in exact.items()}
    kept = {name: (bits & 0xFFFF0000).view(np.float32) for name, bits in few.items()}
    logits = {}
    for kind, state, brains in (("F16", halves, ()), ("BF16", kept, brain), ("F32", kept, ()), ("F64", exact, ())):
        (folder := tmp_path / kind).mkdir()
        logits[kind] = ha.Checkpoint(write(folder, GPT2, state, brains)).run(IDS).logits
    assert [array.dtype for array in logits.values()] == [np.float32] * 3 + [np.float64]
    np.testing.assert_array_equal(logits["BF16"], logits["F32"])
    np.testing.assert_allclose(logits["F16"], logits["F64"], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_the_precision_of_all_arrays_can_be_chosen(kind, tmp_path):
    state = {name: array.astype(kind) for name, array in state_of(LLAMA).items()}
    checkpoint = ha.Checkpoint(write(tmp_path, LLAMA, state), dtype="float64")
    (tmp_path / "exact").mkdir()
    exact = {name: array.astype(np.float64) for name, array in state.items()}
    expected = ha.Checkpoint(write(tmp_path / "exact", LLAMA, exact)).run(IDS)
    np.testing.assert_array_equal(checkpoint.run(IDS).logits, expected.logits)
    assert checkpoint.run(IDS).logits.dtype == checkpoint.head(0, 0).w_query.dtype == np.float64
    assert ha.Checkpoint(tmp_path, dtype=np.float32).run(IDS).logits.dtype == np.float32


def test_one_layer_is_in_memory_at_a_time(tmp_path):
    config = {**LLAMA, "hidden_size": 64, "num_hidden_layers": 12, "intermediate_size": 512}
    state = {name: array.astype(np.float32) for name, array in state_of(config).items()}
    brain = list(state)
    path = write(tmp_path, config, state, brain)
    layer = sum(array.nbytes for name, array in state.items() if name.startswith("layers.0."))
    checkpoint = ha.Checkpoint(path)
    checkpoint.run(IDS)
    tracemalloc.start()
    try:
        for _ in checkpoint.layers(IDS):
            pass
        assert tracemalloc.get_traced_memory()[1] < 3.5 * layer  # of twelve, with what widens one array
    finally:
        tracemalloc.stop()


def test_a_model_without_arrays_for_its_logits_says_so(tmp_path):
    state = state_of(LLAMA)
    del state["lm_head.weight"]
    checkpoint = ha.Checkpoint(write(tmp_path, LLAMA, state))
    assert checkpoint.run(IDS).logits is None and checkpoint.unembedding is None
    refused(partial(checkpoint.logits, np.zeros((1, 8))), "", "holds no arrays for them")


def test_the_vectors_of_tokens_are_those_that_write_and_read_them(tmp_path):
    """Copying by words is Σλ/Σ|λ| of U O V Eᵀ, with E and U of the file; a tied model has E = U."""
    for config, read in ((GPT2, "wte.weight"), (LLAMA, "lm_head.weight")):
        (folder := tmp_path / config["model_type"]).mkdir()
        state, written = state_of(config), "wte.weight" if config is GPT2 else "embed_tokens.weight"
        checkpoint = ha.Checkpoint(write(folder, config, state))
        np.testing.assert_array_equal(checkpoint.embedding, state[written])
        np.testing.assert_array_equal(checkpoint.unembedding, state[read])
        found = checkpoint.census(IDS)
        heads = checkpoint.multi_head(1)
        head, own = heads.heads[0], heads.w_out[:, : heads.heads[0].value.dims[0]]
        values = np.linalg.eigvals(state[read] @ own @ head.w_value @ state[written].T)
        assert found.copied == "words"
        assert found.matrix("copying")[1, 0] == pytest.approx((values.sum() / np.abs(values).sum()).real, abs=1e-6)


def test_the_fields_of_older_and_newer_files_say_the_same(tmp_path):
    """Newer files have `rope_parameters`, older ones `rope_theta` and `rope_scaling`."""
    rules = {"factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
    newer = {name: value for name, value in LLAMA.items() if name != "rope_theta"}
    newer["rope_parameters"] = {"rope_type": "llama3", "rope_theta": 100.0, **rules}
    older = {**LLAMA, "rope_scaling": {"type": "llama3", "rope_type": "llama3", **rules}}
    found = []
    for i, config in enumerate((newer, older)):
        (folder := tmp_path / str(i)).mkdir()
        found.append(ha.Checkpoint(write(folder, config, state_of(config))).plan)
    assert found[0] == found[1]
    assert found[0].positions[0].scaling == WavelengthScaling(4.0, low=1.0, high=4.0, original=16)


def test_a_field_that_the_file_lacks_is_given_by_the_caller(tmp_path):
    config = {name: value for name, value in LLAMA.items() if name != "rope_theta"}
    folder = write(tmp_path, config, state_of(LLAMA))
    assert ha.Checkpoint(folder, missing={"rope_theta": 100.0}).plan.positions[0].base == 100


def test_older_files_of_gpt_neox_name_their_rotary_fields_twice(tmp_path):
    """As transformers 4 wrote them, and the file of GPT-NeoX-20B with its two shares of dropout."""
    older = {
        **{"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8},
        **{"vocab_size": 9, "layer_norm_eps": 1e-5, "hidden_act": "gelu_fast", "use_parallel_residual": True},
        **{"attention_probs_dropout_prob": 0, "hidden_dropout_prob": 0, "tie_word_embeddings": False},
        **{"rotary_emb_base": 50.0, "rotary_pct": 0.25},
    }
    both = older | {"rope_theta": 50.0, "partial_rotary_factor": 0.25}
    arrays = state_of({"model_type": "gpt_neox", **older})
    plans = []
    for i, config in enumerate((older, both)):
        (folder := tmp_path / str(i)).mkdir()
        plans.append(ha.Checkpoint(write(folder, {"model_type": "gpt_neox", **config}, arrays)).plan)
    assert plans[0] == plans[1] and plans[0].positions[0].base == 50 and plans[0].activation == "gelu_tanh"
    for other in ({"rope_theta": 60.0}, {"partial_rotary_factor": 0.5}):
        write(tmp_path, {"model_type": "gpt_neox", **both, **other}, arrays)
        refused(partial(ha.Checkpoint, tmp_path), "", "config.json", next(iter(other)))


TRAINED = Path(__file__).parents[2] / "scenarios/circuits/two-layers.npz"
COMPOSITIONS = ("query_composition", "key_composition", "value_composition")
RESCALED = {"energy": 2**0.5, "free_energy": 2**0.5, **dict.fromkeys(COMPOSITIONS, 2**-0.5)}
"""The measures in other units: U and F, as 1/β, and compositions, as their value by chance."""


def in_double(training):
    """The model of a training, computed in double precision."""
    weights = {name: array.astype(np.float64) for name, array in training.state.weights.items()}
    return replace(training, state=replace(training.state, weights=weights)).model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "model"
    Training.load(TRAINED).save_checkpoint(folder)
    return folder


@settings(max_examples=10)
@given(st.integers(1, 3), st.sampled_from([(4, 1), (6, 2), (6, 3)]), st.booleans(), st.integers(0, 2**31))
def test_any_model_has_the_same_weights_and_logits_as_a_checkpoint(layers, size, positions, seed):
    dim, heads = size
    sizes = {"words": 7, "length": 9, "shortest": 2, "longest": 3}
    training = Training.begun(Recipe(layers=layers, dim=dim, heads=heads, positions=positions, seed=seed, **sizes))
    model, text = in_double(training), np.random.default_rng(seed).integers(7, size=9)
    with TemporaryDirectory() as place:
        training.save_checkpoint(Path(place, "model"))
        length = int.from_bytes(Path(place, "model", "model.safetensors").read_bytes()[:8], "little")
        assert length % 8 == 0, "the numbers begin at a multiple of their size"
        checkpoint = ha.Checkpoint(Path(place, "model"))
        np.testing.assert_allclose(checkpoint.run(text).logits, model(text), rtol=1e-12, atol=1e-12)
        for layer, trace in zip(checkpoint.layers(text), model.trace(text), strict=True):
            for own, other in zip(layer.heads.trace(layer.states).heads, trace.heads, strict=True):
                np.testing.assert_allclose(own.weights, other.weights, rtol=1e-12, atol=1e-12)


def test_the_trained_model_shows_its_induction_heads_first_and_the_same_census(folder):
    training = Training.load(TRAINED)
    model, text, checkpoint = in_double(training), training.recipe.held_out(1).tokens[0], ha.Checkpoint(folder)
    np.testing.assert_allclose(checkpoint.run(text).logits, model(text), rtol=1e-12, atol=1e-12)
    found = checkpoint.census(text)
    expected = head_census(model, text, embed=model.embed, unembed=model.unembed)
    assert {one.head for one in found.strongest("prefix_matching", 4)} == {"2.1", "2.2", "2.3", "2.4"}
    assert found.classes() == expected.classes() and found.measures == expected.measures
    for name in found.measures:
        factor, close = RESCALED.get(name, 1.0), 1e-4 if name.startswith("fixed_point") else 1e-9
        np.testing.assert_allclose(found.matrix(name), factor * expected.matrix(name), rtol=close, err_msg=name)
        if name in COMPOSITIONS:
            np.testing.assert_allclose(found.chance(name), factor * expected.chance(name), rtol=1e-12)


def test_transformers_reads_the_same_model(folder, monkeypatch):
    """Tools on top of it then see the same heads. It takes some seconds to import, here or in `test_families.py`."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (the extra `torch`)")
    transformers = pytest.importorskip("transformers", reason="not installed (the extra `models`)")
    training = Training.load(TRAINED)
    model, text = in_double(training), training.recipe.held_out(1).tokens[0]
    options = {"dtype": torch.float64, "attn_implementation": "eager", "local_files_only": True}
    other = transformers.GPT2LMHeadModel.from_pretrained(folder, **options)
    with torch.no_grad():
        answer = other(torch.tensor(text[None]), output_attentions=True)
    np.testing.assert_allclose(answer.logits[0], model(text), rtol=1e-12, atol=1e-12)
    for found, trace in zip(answer.attentions, model.trace(text), strict=True):
        weights = np.stack([head.weights for head in trace.heads])
        np.testing.assert_allclose(found[0], weights, rtol=1e-12, atol=1e-12)


def test_the_library_of_the_format_reads_the_arrays(folder):
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed (the extra `test`)")
    arrays = numpy.load_file(folder / "model.safetensors")
    embed = Training.load(TRAINED).state.weights["embed.weight"]
    np.testing.assert_array_equal(arrays["transformer.wte.weight"], np.hstack([embed, -embed]))
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float64)}


def test_a_folder_that_is_not_empty_stays_as_it_is(folder):
    refused(partial(Training.load(TRAINED).save_checkpoint, folder), "", "is there already")
    assert ha.Checkpoint(folder).plan.n_layers == 2
