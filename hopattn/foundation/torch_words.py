"""PyTorch's words for what our functions take, with what to write instead."""

CAUSAL = '"causal"; the queries are the last words among the keys, not the first'
PADDING = "hopattn.padding(lengths), in which True = may attend"
BOOLEANS, FIRST = ", True = may attend", ", the first argument"
TORCH_WORDS: dict[str, dict[str, str]] = {
    "is_causal": {"mask": CAUSAL},
    "tgt_is_causal": {"mask": CAUSAL},
    "attn_mask": {"mask": BOOLEANS},
    "key_padding_mask": {"mask": PADDING},
    "src_key_padding_mask": {"mask": PADDING, "source_mask": PADDING},
    "tgt_key_padding_mask": {"mask": PADDING, "target_mask": PADDING},
    "memory_key_padding_mask": {"source_mask": PADDING},
    "src_mask": {"mask": BOOLEANS, "source_mask": BOOLEANS},
    "tgt_mask": {"mask": BOOLEANS, "target_mask": BOOLEANS},
    "memory_mask": {"source_mask": BOOLEANS},
    "memory": {"source": ""},
    "scale": {"beta": ""},
    "query": {"q": "", "x": FIRST},
    "key": {"k": "", "source": ""},
    "value": {"v": "", "source": ""},
    "src": {"x": FIRST, "source": ""},
    "tgt": {"x": FIRST, "target": ""},
}
"""The words of `scaled_dot_product_attention`, `MultiheadAttention`, `Transformer` and its layers.

Each has our names that may take its place, with what follows the `=`. A message gives the first that the function has.
"""
WITHOUT = {
    **dict.fromkeys(
        ("need_weights", "average_attn_weights"), "all weights are in the trace of a hopattn.Head or hopattn.MultiHead"
    ),
    "scale": "it is beta= of hopattn.Head",
    "dropout_p": "there is no dropout; leave it out",
    "enable_gqa": "repeat the heads: k.repeat_interleave(n, -3), and v alike; hopattn.MultiHead shares keys and values",
}
"""The words in whose place nothing is written, each with the reason."""
