"""A model of attention alone in the form of GPT-2, exactly: the folder that readers of GPT-2 take.

GPT-2 has a LayerNorm before each part, and feed-forward layers; a model of attention alone has neither.

* **LayerNorm.** g (x − mean x) / √(var x + ε) is x for words of mean 0, ε = 2¹⁰⁰ and g = 2⁵⁰. Beside ε the variance is
  lost in rounding, and products with powers of two round nothing. A word x is written as (x, −x), whose mean is 0.
* **Feed-forward layers.** One hidden neuron whose weights are 0: gelu(0) = 0.
* **Heads.** They read the first half of a word, and write y as (y, −y). GPT-2 divides twice as many words' dims by the
  heads, so half of a head's dims are 0, and its β is 1/√(2d) instead of 1/√d: queries and keys are ⁴√2 times as long.

So weights, logits and fixed points are those of the model. Scores, and with them U and F, are √2 times as large, as 1/β
is. Compositions are 1/√2 times as large, and so is their value by chance.
Source: Radford et al. (2019) for GPT-2; names of fields and arrays are those by which a checkpoint is read.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopattn.transformer.families import FAMILIES

GPT2 = FAMILIES["gpt2"]
"""The names of fields and arrays, by which a checkpoint is read too."""
EPSILON, GAIN = 2.0**100, 2.0**50


def gpt2_config(dim: int, heads: int, layers: int, words: int, length: int) -> dict[str, Any]:
    """The configuration of a model of these sizes."""
    sizes = {"dim": 2 * dim, "n_heads": heads, "n_layers": layers, "dim_hidden": 1, "n_tokens": words}
    meanings = sizes | {"n_places": length, "epsilon": EPSILON, "activation": "gelu_new"}
    fields = {GPT2.fields[meaning].split()[0]: value for meaning, value in meanings.items()}
    unread = {"architectures": ["GPT2LMHeadModel"], "dtype": "float64", "bos_token_id": None, "eos_token_id": None}
    return {"model_type": "gpt2", **fields, "tie_word_embeddings": False, **unread}


def gpt2_arrays(
    embed: np.ndarray,
    positions: np.ndarray,
    layers: Sequence[tuple[np.ndarray, np.ndarray]],
    unembed: np.ndarray,
    heads: int,
) -> dict[str, np.ndarray]:
    """The arrays of a model in double precision, by GPT-2's names; maps are transposed, as in its files.

    embed, unembed: `(n_words, dim)`. positions: `(length, dim)`. layers: of each W_Q, W_K and W_V of all heads, one
    below the other, `(3 dim, dim)`, and W_O, `(dim, dim)`.
    """
    dim = embed.shape[1]
    wide, dim_head = 2 * dim, dim // heads
    names, maps, arrays = GPT2.arrays, GPT2.maps, dict[str, np.ndarray]()

    def state(name: str, weight: np.ndarray) -> None:
        arrays.update({f"{name}.weight": weight, f"{name}.bias": np.zeros(weight.shape[-1])})

    for i, (joint, out) in enumerate(layers):
        w_qkv = np.zeros((3, heads, 2 * dim_head, wide))
        w_qkv[:, :, :dim_head, :dim] = joint.reshape(3, heads, dim_head, dim)
        w_qkv[:2] *= 2**0.25
        w_out = np.zeros((heads, 2 * dim_head, wide))
        w_out[:, :dim_head] = _balanced(out.T).reshape(heads, dim_head, wide)
        weights = {"joint": w_qkv.reshape(3 * wide, wide).T, "out": w_out.reshape(wide, wide)}
        for role, weight in (weights | {"inner": np.zeros((wide, 1)), "outer": np.zeros((1, wide))}).items():
            state(maps[role].format(i), weight)
    for name in GPT2.norms.values():
        for i in range(len(layers) if "{}" in name else 1):
            state(name.format(i), np.full(wide, GAIN))
    arrays |= {names["embedding"]: _balanced(embed), names["places"]: _balanced(positions)}
    arrays = {f"{GPT2.prefixes[0]}{name}": array for name, array in arrays.items()}
    return arrays | {names["unembedding"]: np.pad(unembed.astype(np.float64), ((0, 0), (0, dim)))}


def _balanced(rows: np.ndarray) -> np.ndarray:
    """Each row x as (x, −x), in double precision."""
    return np.concatenate([rows, -rows], axis=1, dtype=np.float64)
