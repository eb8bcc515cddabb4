"""Checkpoints that a test writes itself: GPT-2 by its formulas, dtypes and shards, and every bad folder refused."""

import json
import re
import tracemalloc

import numpy as np
import pytest

import hopattn as ha
from hopattn.checkpoints.families import FAMILIES
from hopattn.checkpoints.fields import Fields
from hopattn.checkpoints.plan import Plan
from hopattn.foundation.errors import InvalidInput
from tests.array_bytes import entry, safetensors
from tests.checkpoints.written import GPT2, LLAMA, arrays_file, state_of, write, write_shards
from tests.each import each

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
    with pytest.raises(InvalidInput, match="holds no arrays for them"):
        checkpoint.logits(np.zeros((1, 8)))


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
    assert found[0].position.scaling == ha.positions.WavelengthScaling(4.0, 1.0, 4.0, 16)


def refused(folder, **options):
    with pytest.raises(InvalidInput) as error:
        ha.Checkpoint(folder, **options).run(IDS)
    return str(error.value)


@each(
    ("changes", "message"),
    [
        (
            {"model_type": "gpt3"},
            r"config\.json: model_type: 'gpt3' is unknown; did you mean 'gpt2'\? \(choices: bert,",
        ),
        ({"rope_theta": None}, "config.json: rope_theta: expected a positive finite number, not None"),
        ({"rms_norm_eps": ...}, "config.json: 'rms_norm_eps' is missing; no value stands for a missing field"),
        ({"rope_theta": ...}, "config.json: 'rope_theta' is missing"),
        ({"hidden_act": "mish"}, "config.json: hidden_act: 'mish' is unknown"),
        ({"num_heads": 4}, "config.json: the field 'num_heads' is not known"),
        ({"rms_norm_epsilon": 1e-5}, r"'rms_norm_epsilon' is not known; did you mean 'rms_norm_eps'\?"),
        ({"num_attention_heads": 3}, "3 heads cannot share 2 heads of keys evenly"),
        ({"hidden_size": 9, "num_key_value_heads": 4}, "dim 9 does not divide into 4 heads"),
        ({"attention_bias": True}, r"arrays: missing: layers\.0\.self_attn\.q_proj\.bias, "),
        ({"num_hidden_layers": 3}, r"arrays: missing: layers\.2\."),
        ({"num_hidden_layers": 1}, r"layers\.1\.\S+' is not known; did you mean 'layers\.0"),
        ({"intermediate_size": 6}, r"got shape \(5, 8\); the configuration says \(6, 8\)"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "rope_scaling: rope_type: 'dynamic' is unknown"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling: 'factor' is missing"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0, "mscale": 1}}, "rope_scaling: the field 'mscale' is not"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers: expected a whole number from 1 to 10000"),
        ({"is_decoder": True}, "is_decoder: got True; expected False"),
        ({"quantization_config": {}}, "the field 'quantization_config' is not known"),
    ],
)
def test_a_configuration_that_is_not_understood_is_refused(changes, message, tmp_path):
    config = {name: value for name, value in {**LLAMA, **changes}.items() if value is not ...}
    assert re.search(message, refused(write(tmp_path, config, state_of(LLAMA))))


def test_a_field_that_the_file_lacks_is_given_by_the_caller(tmp_path):
    config = {name: value for name, value in LLAMA.items() if name != "rope_theta"}
    folder = write(tmp_path, config, state_of(LLAMA))
    assert ha.Checkpoint(folder, missing={"rope_theta": 100.0}).plan.position.base == 100
    assert "config.json has the field 'hidden_act'; leave it out" in refused(folder, missing={"hidden_act": "relu"})


@each("config", [GPT2, LLAMA])
def test_each_array_that_is_missing_and_each_that_is_not_known_is_refused(config, tmp_path):
    state = state_of(config)
    for name in state:
        if name != "lm_head.weight":
            others = {other: array for other, array in state.items() if other != name}
            assert f"arrays: missing: {name}" in refused(write(tmp_path, config, others))
    assert "'extra.weight' is not known" in refused(write(tmp_path, config, state | {"extra.weight": np.ones(2)}))
    wrong = next(iter(state))
    nan = {**state, wrong: np.full_like(state[wrong], np.nan)}
    assert f"{wrong}: row 0 holds a NaN or an infinity" in refused(write(tmp_path, config, nan))
    assert "expected floating-point numbers" in refused(_with_whole_numbers(tmp_path, config, state))


def _with_whole_numbers(path, config, state):
    write(path, config, state)
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes().replace(b'"F64"', b'"I64"', 1))
    return path


def test_a_folder_whose_files_are_damaged_is_refused(tmp_path):
    assert "there is no folder" in refused(tmp_path / "missing")
    assert "there is no file 'config.json'" in refused(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "gpt2", "model_type": "bert"}')
    assert "'config.json': 'model_type' is given twice" in refused(tmp_path)
    (tmp_path / "config.json").write_text("[1]")
    assert "'config.json': got [1]; expected a table" in refused(tmp_path)
    (tmp_path / "config.json").write_text("{")
    assert "'config.json' is not a file in JSON" in refused(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps(GPT2))
    assert "there is no file 'model.safetensors'" in refused(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    assert "holds pytorch_model.bin; pickles may run programs and are never loaded" in refused(tmp_path)
    good = arrays_file(state_of(GPT2))
    (tmp_path / "model.safetensors").write_bytes(good[:-8])
    assert "truncated" in refused(tmp_path)
    overlapping = {"wte.weight": entry((2, 3), 0, 48), "wpe.weight": entry((2, 3), 40, 88)}
    (tmp_path / "model.safetensors").write_bytes(safetensors(overlapping, bytes(88)))
    assert "its numbers begin at byte 40; expected byte 48" in refused(tmp_path)


def test_an_index_that_does_not_say_what_the_files_hold_is_refused(tmp_path):
    index = write_shards(tmp_path, GPT2, state_of(GPT2)) / "model.safetensors.index.json"
    good = json.loads(index.read_text())["weight_map"]
    name = next(iter(good))
    for places, message in (
        ({**good, "extra": "part-0.safetensors"}, "says that 'part-0.safetensors' holds extra, which it does not"),
        ({key: file for key, file in good.items() if key != name}, f"holds {name}, which the index does not name"),
        ({**good, "extra": "part-2.safetensors"}, "there is no file 'part-2.safetensors'"),
        ({**good, name: "../part-0.safetensors"}, "expected a name without a folder"),
        ([], "expected 'weight_map', the name of a file for each array"),
    ):
        index.write_text(json.dumps({"weight_map": places}))
        assert message in refused(tmp_path)


@each(
    ("ids", "message"),
    [
        ([3, 11], "ids: entry 1 is 11; expected 0 to 10"),
        ([-1], "ids: entry 0 is -1; expected 0 to 10"),
        ([0.5], r"ids: got float64 of shape \(1,\); expected whole numbers \(n,\)"),
        ([[1, 2]], r"ids: got int64 of shape \(1, 2\)"),
        ([1] * 7, "ids: got 7 tokens; the model has learned 6 positions"),
    ],
)
def test_ids_that_are_no_tokens_and_texts_beyond_the_positions_are_refused(ids, message, tmp_path):
    checkpoint = ha.Checkpoint(write(tmp_path, GPT2, state_of(GPT2)))
    for call in (checkpoint.run, checkpoint.layers):
        with pytest.raises(InvalidInput, match=message):
            call(ids)
    with pytest.raises(InvalidInput, match="kinds: gpt2 has no kinds of tokens"):
        checkpoint.run([1], kinds=[0])
    with pytest.raises(InvalidInput, match="layer: expected a whole number from 0 to 1"):
        checkpoint.multi_head(2)


def test_every_name_of_the_table_is_a_role_or_a_meaning_that_the_reader_uses():
    """A typing error in a row would be an array or a field that nobody reads."""
    from hopattn.checkpoints.parts import AXES

    for family in FAMILIES.values():
        assert set(family.maps) | set(family.arrays) <= set(AXES)
        assert set(family.older) <= {*family.fields.values(), *family.biased_if, "tie_word_embeddings"}
        assert not family.unread & set(family.fields.values())


def test_older_files_of_gpt_neox_name_their_rotary_fields_twice():
    """As transformers 4 wrote them, and the file of GPT-NeoX-20B with its two shares of dropout."""
    older = {
        **{"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8},
        **{"vocab_size": 9, "layer_norm_eps": 1e-5, "hidden_act": "gelu_fast", "use_parallel_residual": True},
        **{"attention_probs_dropout_prob": 0, "hidden_dropout_prob": 0, "tie_word_embeddings": False},
        **{"rotary_emb_base": 50.0, "rotary_pct": 0.25},
    }
    both = older | {"rope_theta": 50.0, "partial_rotary_factor": 0.25}
    family = FAMILIES["gpt_neox"]
    plans = [Plan.of(Fields(table, "config.json", family.older), family) for table in (older, both)]
    assert plans[0] == plans[1] and plans[0].position.base == 50 and plans[0].activation == "gelu_tanh"
    for other in ({"rope_theta": 60.0}, {"partial_rotary_factor": 0.5}):
        with pytest.raises(InvalidInput, match=next(iter(other))):
            Plan.of(Fields(both | other, "config.json", family.older), family)
