"""Tiny checkpoints that a test writes itself, with NumPy alone."""

import atexit
import json
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import numpy as np

from hopattn.checkpoints.fields import Fields
from hopattn.checkpoints.parts import shapes_of
from hopattn.checkpoints.plan import Plan
from hopattn.transformer.families import FAMILIES
from tests.array_bytes import safetensors

GPT2 = {
    "model_type": "gpt2",
    "n_embd": 8,
    "n_layer": 2,
    "n_head": 2,
    "n_positions": 6,
    "vocab_size": 11,
    "layer_norm_epsilon": 1e-5,
    "activation_function": "gelu_new",
}
LLAMA = {
    "model_type": "llama",
    "hidden_size": 8,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 5,
    "vocab_size": 11,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "rope_theta": 100.0,
    "tie_word_embeddings": False,
}
TYPES = {np.dtype(np.float64): "F64", np.dtype(np.float32): "F32", np.dtype(np.float16): "F16"}


def lasting_folder():
    """A folder that lasts as long as this process."""
    path = mkdtemp()
    atexit.register(rmtree, path, ignore_errors=True)
    return Path(path)


def state_of(config, seed=1):
    """Random arrays of every name that a configuration asks for, without the prefix of its family."""
    family = FAMILIES[config["model_type"]]
    shapes, of_logits = shapes_of(family, Plan.of(Fields(config, "config.json", family.defaults), family))
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=shape) for name, shape in (shapes | of_logits).items()}


def arrays_file(state, brain=()):
    """The bytes of a `.safetensors` file with these arrays; brain: the names of those that are stored as BF16."""
    header, data = {}, b""
    for name, array in state.items():
        halves = (array.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) if name in brain else array
        kind = "BF16" if name in brain else TYPES[array.dtype]
        start, data = len(data), data + halves.tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [start, len(data)]}
    return safetensors(header, data)


def write(path, config, state, brain=()):
    (path / "config.json").write_text(json.dumps(config))
    (path / "model.safetensors").write_bytes(arrays_file(state, brain))
    return path


def write_shards(path, config, state):
    """Two files, of which every second array is in the first."""
    (path / "config.json").write_text(json.dumps(config))
    names, places = list(state), {}
    for i in range(2):
        part = {name: state[name] for name in names[i::2]}
        (path / f"part-{i}.safetensors").write_bytes(arrays_file(part))
        places |= dict.fromkeys(part, f"part-{i}.safetensors")
    (path / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": places}))
    return path
