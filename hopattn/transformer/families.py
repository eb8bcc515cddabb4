"""The table of the known families of models: their names of arrays and fields, and how they differ from one another.

A family is one row. The names of arrays and fields are those of the models' own files on the Hugging Face Hub; `{}` in
a name is the number of a layer, from 0. The defaults of fields are those of the family's configuration in
`transformers`, which every file is loaded with.

| role of a map | | role of a norm | |
|---|---|---|---|
| query, key, value | W_Q, W_K and W_V of all heads | attention | before the attention, or after its residual |
| joint | the three in one array | attention_after | of the output of the attention, before it is added |
| out | W_O | feed_forward, feed_forward_after | the same of the feed-forward layer |
| inner, gate, outer | W₁, W_g and W₂ | query, key | of each query and key of a head |
| gated | W_g and W₁ in one array | embedding, final, transform | of the words at each place |
| transform | of the last states, before the logits | | |
| enter, leave | from narrow vectors of tokens to words, and back | | |
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hopattn.transformer.normalisation import LayerNorm, Normalisation, RMSNorm

ACTIVATIONS = {
    **{"gelu": "gelu", "gelu_python": "gelu", "silu": "silu", "swish": "silu", "relu": "relu", "tanh": "tanh"},
    **dict.fromkeys(("gelu_new", "gelu_pytorch_tanh", "gelu_fast"), "gelu_tanh"),
}
"""Our name of the function of the hidden neurons, by that of a configuration."""


@dataclass(frozen=True)
class Family:
    """A family of models: how its files name what all of them have, and which parts it has.

    prefixes: before the names of all arrays but those of a head, in a file that has a head. maps, norms, arrays: the
    name of an array by its role; those of maps and norms without the ending `.weight` or `.bias`. fields: the names of
    a field by its meaning, with spaces between. constants: the values of meanings that no field of the family has.
    defaults: the values of fields that a file may lack. computed: fields that the family's class reads, of which only
    these values are computed; the first is named in messages. inert: a pattern of fields that change no number of what
    is read, beside those of every family. biased: the maps with a bias. biased_if: those with one where a field says
    so. untied_bias: the array that takes the place of the bias of logits, in a file that has it. unread_arrays:
    those that change no number; `*` is any text. renamed: endings of names of arrays in older files.

    joint: the order of the rows of the joint map, (role, head) or (head, role). transposed: whether maps are stored as
    (in, out). gain: a number added to the gain of each norm. rotary: the share of the dims that is rotated, all or a
    field's; None without. scalings: the rules of rotary frequencies. windows: the layers with a window: all of them,
    those from a field's number on, every second one, all but the last of each period, or as patterns say. first_place:
    the row of the first learned position; with a field of the padding, it is the row behind that. causal: as in
    `Head`. feeds: whether the feed-forward layers are read; a text is not computed without.
    """

    maps: Mapping[str, str]
    norms: Mapping[str, str]
    arrays: Mapping[str, str]
    fields: Mapping[str, str]
    defaults: Mapping[str, Any]
    prefixes: tuple[str, ...] = ("model.", "transformer.")
    constants: Mapping[str, Any] = field(default_factory=dict)
    computed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    inert: str = ""
    activations: Mapping[str, str] = field(default_factory=lambda: ACTIVATIONS)
    biased: frozenset[str] = frozenset()
    biased_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    untied_bias: str | None = None
    unread_arrays: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    joint: Literal["role, head", "head, role"] | None = None
    transposed: bool = False
    norm: type[Normalisation] = RMSNorm
    gain: float = 0.0
    rotary: Literal["all", "share"] | None = "all"
    scalings: tuple[str, ...] = ("default", "linear", "llama3", "yarn")
    windows: Literal["all", "from", "second", "period", "patterns"] | None = None
    first_place: int = 0
    causal: bool = True
    scaled_embedding: bool = False
    feeds: bool = True


EVERY_MAP = frozenset({"query", "key", "value", "joint", "out", "inner", "gate", "outer", "transform"})
_OF_ATTENTION = ("query", "key", "value", "joint", "out")
_OF_FEEDING = ("inner", "gate", "outer")
TASK_ARRAYS = (
    *("classifier.*", "pre_classifier.*", "qa_outputs.*", "score.*", "pooler.*", "multiple_choice_head.*", "v_head.*"),
)
"""The arrays of heads for tasks, of every family: none of them is read."""
EVERY_COMPUTED: Mapping[str, tuple[Any, ...]] = {
    "is_encoder_decoder": (False,),
    "add_cross_attention": (False,),
    "cross_attention_hidden_size": (None,),
    "pruned_heads": ({}, None),
    "per_layer_config": (None, {}),
    "quantization_config": (None,),
}
"""The fields that every class reads, of which only these values are computed."""
WHY = {
    "quantization_config": "the arrays are quantised, which is not read; take the model before it was quantised",
    "is_causal": "every word sees all others",
    "use_bidirectional_attention": "every word sees all others",
    "is_decoder": "words do not see those behind them",
    "add_cross_attention": "the model reads the states of another one",
    "position_embedding_type": "positions are not learned vectors",
}
"""What a model with another value of a field is."""

_LLAMA_ATTENTION = {
    "query": "layers.{}.self_attn.q_proj",
    "key": "layers.{}.self_attn.k_proj",
    "value": "layers.{}.self_attn.v_proj",
    "out": "layers.{}.self_attn.o_proj",
}
_LLAMA_MAPS = _LLAMA_ATTENTION | {
    "inner": "layers.{}.mlp.up_proj",
    "gate": "layers.{}.mlp.gate_proj",
    "outer": "layers.{}.mlp.down_proj",
}
_LLAMA_NORMS = {
    "attention": "layers.{}.input_layernorm",
    "feed_forward": "layers.{}.post_attention_layernorm",
    "final": "norm",
}
_OF_QUERIES_AND_KEYS = {"query": "layers.{}.self_attn.q_norm", "key": "layers.{}.self_attn.k_norm"}
_GEMMA_NORMS = {
    "attention": "layers.{}.input_layernorm",
    "attention_after": "layers.{}.post_attention_layernorm",
    "feed_forward": "layers.{}.pre_feedforward_layernorm",
    "feed_forward_after": "layers.{}.post_feedforward_layernorm",
    "final": "norm",
}
_LLAMA_ARRAYS = {"embedding": "embed_tokens.weight", "unembedding": "lm_head.weight"}
_ATTENTION_FIELDS = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_key_heads": "num_key_value_heads",
    "n_tokens": "vocab_size",
    "epsilon": "rms_norm_eps",
    "base": "rope_theta",
    "longest": "max_position_embeddings",
    "dim_head": "head_dim",
}
_LLAMA_FIELDS = _ATTENTION_FIELDS | {"dim_hidden": "intermediate_size", "activation": "hidden_act"}
_LLAMA_DEFAULTS = {
    "max_position_embeddings": None,
    "num_key_value_heads": None,
    "head_dim": None,
    "rms_norm_eps": 1e-6,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "attention_bias": False,
    "mlp_bias": False,
}
_QWEN_WINDOWS = {
    "width": "sliding_window",
    "windowed": "use_sliding_window",
    "first_window": "max_window_layers",
    "types": "layer_types",
}
_QWEN_DEFAULTS = {
    "num_key_value_heads": None,
    "use_sliding_window": False,
    "sliding_window": 4096,
    "max_window_layers": 28,
    "layer_types": None,
}
_CAUSAL = {"is_causal": (True, None)}
_ONE_WAY = _CAUSAL | {"use_bidirectional_attention": (False, None)}
_FREQUENCIES = ("layers.{}.self_attn.rotary_emb.inv_freq",)
"""Computed from the configuration."""
_GEMMA_DEFAULTS = _LLAMA_DEFAULTS | {
    "head_dim": 256,
    "hidden_act": "gelu_pytorch_tanh",
    "hidden_activation": "gelu_pytorch_tanh",
    "tie_word_embeddings": True,
}
_GEMMA_SCORES = {
    "activation": "hidden_activation",
    "query_scale": "query_pre_attn_scalar",
    "logit_cap": "final_logit_softcapping",
    "width": "sliding_window",
    "types": "layer_types",
}
_GEMMA_WIDTHS = {"query_pre_attn_scalar": 256, "sliding_window": 4096, "layer_types": None}
_BERT_FIELDS = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "dim_hidden": "intermediate_size",
    "n_tokens": "vocab_size",
    "n_places": "max_position_embeddings",
    "n_kinds": "type_vocab_size",
    "epsilon": "layer_norm_eps",
    "activation": "hidden_act",
}
_BERT_DEFAULTS = {
    "layer_norm_eps": 1e-12,
    "hidden_act": "gelu",
    "tie_word_embeddings": True,
}
_BERT_COMPUTED = {"is_decoder": (False,), "position_embedding_type": ("absolute", None)}
_BERT_MAPS = {
    "query": "encoder.layer.{}.attention.self.query",
    "key": "encoder.layer.{}.attention.self.key",
    "value": "encoder.layer.{}.attention.self.value",
    "out": "encoder.layer.{}.attention.output.dense",
    "inner": "encoder.layer.{}.intermediate.dense",
    "outer": "encoder.layer.{}.output.dense",
}
_BERT_NORMS = {
    "embedding": "embeddings.LayerNorm",
    "attention": "encoder.layer.{}.attention.output.LayerNorm",
    "feed_forward": "encoder.layer.{}.output.LayerNorm",
}
_BERT_ARRAYS = {
    "embedding": "embeddings.word_embeddings.weight",
    "places": "embeddings.position_embeddings.weight",
    "kinds": "embeddings.token_type_embeddings.weight",
}
_OLDER_NORMS = {".gamma": ".weight", ".beta": ".bias"}
_ROBERTA = Family(
    prefixes=("roberta.",),
    maps=_BERT_MAPS | {"transform": "lm_head.dense"},
    norms=_BERT_NORMS | {"transform": "lm_head.layer_norm"},
    arrays=_BERT_ARRAYS | {"unembedding": "lm_head.decoder.weight", "logit_bias": "lm_head.bias"},
    fields=_BERT_FIELDS | {"padding": "pad_token_id"},
    constants={"norm_first": False, "transform_activation": "gelu"},
    defaults=_BERT_DEFAULTS | {"pad_token_id": 1},
    computed=_BERT_COMPUTED,
    inert="embedding_size",
    biased=EVERY_MAP,
    untied_bias="lm_head.decoder.bias",
    unread_arrays=("embeddings.position_ids",),
    renamed=_OLDER_NORMS,
    norm=LayerNorm,
    rotary=None,
    causal=False,
)
_EXPERTS = r"hidden_act|.*intermediate_size|.*expert.*|router_.*|mlp_only_layers|norm_topk_prob|decoder_sparse_step"
_GPT2_ARRAYS = {"embedding": "wte.weight", "places": "wpe.weight", "unembedding": "lm_head.weight"}
_GPT2_NORMS = {"attention": "h.{}.ln_1", "feed_forward": "h.{}.ln_2", "final": "ln_f"}

FAMILIES: dict[str, Family] = {
    "gpt2": Family(
        prefixes=("transformer.",),
        maps={
            "joint": "h.{}.attn.c_attn",
            "out": "h.{}.attn.c_proj",
            "inner": "h.{}.mlp.c_fc",
            "outer": "h.{}.mlp.c_proj",
        },
        norms=_GPT2_NORMS,
        arrays=_GPT2_ARRAYS,
        fields={
            "dim": "n_embd hidden_size",
            "n_layers": "n_layer num_hidden_layers",
            "n_heads": "n_head num_attention_heads",
            "dim_hidden": "n_inner",
            "n_tokens": "vocab_size",
            "n_places": "n_positions max_position_embeddings",
            "epsilon": "layer_norm_epsilon",
            "activation": "activation_function",
            "scaled": "scale_attn_weights",
            "scaled_by_layer": "scale_attn_by_inverse_layer_idx",
        },
        defaults={
            "n_inner": None,
            "layer_norm_epsilon": 1e-5,
            "activation_function": "gelu_new",
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "tie_word_embeddings": True,
        },
        computed=_CAUSAL,
        inert=r"n_ctx|reorder_and_upcast_attn|summary_.*",
        biased=EVERY_MAP,
        unread_arrays=("h.{}.attn.bias", "h.{}.attn.masked_bias"),
        joint="role, head",
        transposed=True,
        norm=LayerNorm,
        rotary=None,
    ),
    "gpt_neo": Family(
        prefixes=("transformer.",),
        maps={
            "query": "h.{}.attn.attention.q_proj",
            "key": "h.{}.attn.attention.k_proj",
            "value": "h.{}.attn.attention.v_proj",
            "out": "h.{}.attn.attention.out_proj",
            "inner": "h.{}.mlp.c_fc",
            "outer": "h.{}.mlp.c_proj",
        },
        norms=_GPT2_NORMS,
        arrays=_GPT2_ARRAYS,
        fields={
            "dim": "hidden_size",
            "n_layers": "num_layers num_hidden_layers",
            "n_heads": "num_heads num_attention_heads",
            "dim_hidden": "intermediate_size",
            "n_tokens": "vocab_size",
            "n_places": "max_position_embeddings",
            "epsilon": "layer_norm_epsilon",
            "activation": "activation_function",
            "width": "window_size",
            "patterns": "attention_types",
            "types": "attention_layers",
        },
        constants={"scaled": False},
        defaults={
            "intermediate_size": None,
            "layer_norm_epsilon": 1e-5,
            "activation_function": "gelu_new",
            "window_size": 256,
            "attention_types": [[["global", "local"], 12]],
            "attention_layers": None,
            "tie_word_embeddings": True,
        },
        computed=_CAUSAL,
        inert=r"summary_.*",
        biased=frozenset({"out", "inner", "outer"}),
        unread_arrays=("h.{}.attn.attention.bias", "h.{}.attn.attention.masked_bias"),
        norm=LayerNorm,
        rotary=None,
        windows="patterns",
    ),
    "gpt_neox": Family(
        prefixes=("gpt_neox.",),
        maps={
            "joint": "layers.{}.attention.query_key_value",
            "out": "layers.{}.attention.dense",
            "inner": "layers.{}.mlp.dense_h_to_4h",
            "outer": "layers.{}.mlp.dense_4h_to_h",
        },
        norms={
            "attention": "layers.{}.input_layernorm",
            "feed_forward": "layers.{}.post_attention_layernorm",
            "final": "final_layer_norm",
        },
        arrays={"embedding": "embed_in.weight", "unembedding": "embed_out.weight"},
        fields={
            "dim": "hidden_size",
            "n_layers": "num_hidden_layers",
            "n_heads": "num_attention_heads",
            "dim_hidden": "intermediate_size",
            "n_tokens": "vocab_size",
            "epsilon": "layer_norm_eps",
            "activation": "hidden_act",
            "parallel": "use_parallel_residual",
            "base": "rotary_emb_base rope_theta",
            "share": "rotary_pct partial_rotary_factor",
            "longest": "max_position_embeddings",
        },
        defaults={
            "layer_norm_eps": 1e-5,
            "hidden_act": "gelu",
            "use_parallel_residual": True,
            "rotary_emb_base": 10000.0,
            "rotary_pct": 0.25,
            "max_position_embeddings": None,
            "attention_bias": True,
            "tie_word_embeddings": False,
        },
        computed=_CAUSAL | {"head_dim": (None,)},
        biased=frozenset(_OF_FEEDING),
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=(
            "layers.{}.attention.bias",
            "layers.{}.attention.masked_bias",
            "layers.{}.attention.rotary_emb.inv_freq",
        ),
        joint="head, role",
        norm=LayerNorm,
        rotary="share",
    ),
    "opt": Family(
        prefixes=("model.decoder.", "decoder."),
        maps={
            "query": "layers.{}.self_attn.q_proj",
            "key": "layers.{}.self_attn.k_proj",
            "value": "layers.{}.self_attn.v_proj",
            "out": "layers.{}.self_attn.out_proj",
            "inner": "layers.{}.fc1",
            "outer": "layers.{}.fc2",
            "enter": "project_in",
            "leave": "project_out",
        },
        norms={
            "attention": "layers.{}.self_attn_layer_norm",
            "feed_forward": "layers.{}.final_layer_norm",
            "final": "final_layer_norm",
        },
        arrays=_LLAMA_ARRAYS | {"places": "embed_positions.weight"},
        fields={
            "dim": "hidden_size",
            "dim_word": "word_embed_proj_dim",
            "n_layers": "num_hidden_layers",
            "n_heads": "num_attention_heads",
            "dim_hidden": "ffn_dim",
            "n_tokens": "vocab_size",
            "n_places": "max_position_embeddings",
            "activation": "activation_function",
            "norm_first": "do_layer_norm_before",
            "no_final_norm": "_remove_final_layer_norm",
            "affine": "layer_norm_elementwise_affine",
        },
        constants={"epsilon": 1e-5},
        defaults={
            "word_embed_proj_dim": None,
            "activation_function": "relu",
            "do_layer_norm_before": True,
            "_remove_final_layer_norm": False,
            "enable_bias": True,
            "layer_norm_elementwise_affine": True,
            "tie_word_embeddings": True,
        },
        computed=_CAUSAL,
        biased_if={"enable_bias": (*_OF_ATTENTION, *_OF_FEEDING)},
        norm=LayerNorm,
        rotary=None,
        first_place=2,
    ),
    "llama": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS,
        defaults=_LLAMA_DEFAULTS,
        computed=_CAUSAL,
        biased_if={"attention_bias": _OF_ATTENTION, "mlp_bias": _OF_FEEDING},
        unread_arrays=_FREQUENCIES,
    ),
    "mistral": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | {"width": "sliding_window"},
        defaults=_LLAMA_DEFAULTS | {"num_key_value_heads": 8, "sliding_window": 4096},
        computed=_CAUSAL,
        unread_arrays=_FREQUENCIES,
        windows="all",
    ),
    "mixtral": Family(
        maps=_LLAMA_ATTENTION,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_ATTENTION_FIELDS | {"width": "sliding_window"},
        defaults=_LLAMA_DEFAULTS
        | {"num_key_value_heads": 8, "rms_norm_eps": 1e-5, "rope_theta": 1e6, "sliding_window": None},
        computed=_CAUSAL,
        inert=_EXPERTS,
        unread_arrays=(*_FREQUENCIES, "layers.{}.block_sparse_moe.*", "layers.{}.mlp.*"),
        windows="all",
        feeds=False,
    ),
    "phi3": Family(
        maps={
            "joint": "layers.{}.self_attn.qkv_proj",
            "out": "layers.{}.self_attn.o_proj",
            "gated": "layers.{}.mlp.gate_up_proj",
            "outer": "layers.{}.mlp.down_proj",
        },
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | {"share": "partial_rotary_factor", "width": "sliding_window"},
        defaults=_LLAMA_DEFAULTS | {"rms_norm_eps": 1e-5, "partial_rotary_factor": 1.0, "sliding_window": None},
        computed=_CAUSAL,
        inert="original_max_position_embeddings",
        unread_arrays=_FREQUENCIES,
        joint="role, head",
        rotary="share",
        scalings=("default",),
        windows="all",
    ),
    "qwen2": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _QWEN_WINDOWS,
        defaults=_LLAMA_DEFAULTS | _QWEN_DEFAULTS,
        computed=_CAUSAL | {"use_mrope": (False, None)},
        biased=frozenset({"query", "key", "value"}),
        unread_arrays=_FREQUENCIES,
        windows="from",
    ),
    "qwen3": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS | _OF_QUERIES_AND_KEYS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _QWEN_WINDOWS,
        defaults=_LLAMA_DEFAULTS | _QWEN_DEFAULTS | {"head_dim": 128},
        computed=_CAUSAL,
        biased_if={"attention_bias": _OF_ATTENTION},
        windows="from",
    ),
    "qwen3_moe": Family(
        maps=_LLAMA_ATTENTION,
        norms=_LLAMA_NORMS | _OF_QUERIES_AND_KEYS,
        arrays=_LLAMA_ARRAYS,
        fields=_ATTENTION_FIELDS | {"width": "sliding_window", "windowed": "use_sliding_window"},
        defaults=_LLAMA_DEFAULTS | _QWEN_DEFAULTS | {"num_key_value_heads": 4},
        computed=_CAUSAL,
        inert=_EXPERTS,
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=("layers.{}.mlp.*",),
        windows="all",
        feeds=False,
    ),
    "gemma": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS,
        defaults=_GEMMA_DEFAULTS,
        computed=_ONE_WAY | {"hidden_activation": ("gelu_pytorch_tanh", None)},
        activations=ACTIVATIONS | {"gelu": "gelu_tanh"},  # older files say so, and mean the one by a tanh
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=_FREQUENCIES,
        gain=1.0,
        scaled_embedding=True,
    ),
    "gemma2": Family(
        maps=_LLAMA_MAPS,
        norms=_GEMMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _GEMMA_SCORES | {"score_cap": "attn_logit_softcapping"},
        defaults=_GEMMA_DEFAULTS | {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, **_GEMMA_WIDTHS},
        computed=_ONE_WAY,
        inert="hidden_act",
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=_FREQUENCIES,
        gain=1.0,
        windows="second",
        scaled_embedding=True,
    ),
    "gemma3_text": Family(
        maps=_LLAMA_MAPS,
        norms=_GEMMA_NORMS | _OF_QUERIES_AND_KEYS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS
        | _GEMMA_SCORES
        | {"period": "sliding_window_pattern", "window_base": "rope_local_base_freq"},
        defaults=_GEMMA_DEFAULTS
        | {"final_logit_softcapping": None, **_GEMMA_WIDTHS}
        | {"rope_theta": 1e6, "rope_local_base_freq": 1e4, "sliding_window_pattern": 6},
        computed=_ONE_WAY | {"attn_logit_softcapping": (None,)},
        inert="hidden_act|_sliding_window_pattern",
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=_FREQUENCIES,
        gain=1.0,
        windows="period",
        scaled_embedding=True,
    ),
    "bert": Family(
        prefixes=("bert.",),
        maps=_BERT_MAPS | {"transform": "cls.predictions.transform.dense"},
        norms=_BERT_NORMS | {"transform": "cls.predictions.transform.LayerNorm"},
        arrays=_BERT_ARRAYS | {"unembedding": "cls.predictions.decoder.weight", "logit_bias": "cls.predictions.bias"},
        fields=_BERT_FIELDS,
        constants={"norm_first": False},
        defaults=_BERT_DEFAULTS,
        computed=_BERT_COMPUTED,
        inert=r"directionality|pooler_.*|embedding_size",
        biased=EVERY_MAP,
        untied_bias="cls.predictions.decoder.bias",
        unread_arrays=(
            "embeddings.position_ids",
            "cls.seq_relationship.weight",
            "cls.seq_relationship.bias",
        ),
        renamed=_OLDER_NORMS,
        norm=LayerNorm,
        rotary=None,
        causal=False,
    ),
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "distilbert": Family(
        prefixes=("distilbert.",),
        maps={
            "query": "transformer.layer.{}.attention.q_lin",
            "key": "transformer.layer.{}.attention.k_lin",
            "value": "transformer.layer.{}.attention.v_lin",
            "out": "transformer.layer.{}.attention.out_lin",
            "inner": "transformer.layer.{}.ffn.lin1",
            "outer": "transformer.layer.{}.ffn.lin2",
            "transform": "vocab_transform",
        },
        norms={
            "embedding": "embeddings.LayerNorm",
            "attention": "transformer.layer.{}.sa_layer_norm",
            "feed_forward": "transformer.layer.{}.output_layer_norm",
            "transform": "vocab_layer_norm",
        },
        arrays={
            "embedding": "embeddings.word_embeddings.weight",
            "places": "embeddings.position_embeddings.weight",
            "unembedding": "vocab_projector.weight",
            "logit_bias": "vocab_projector.bias",
        },
        fields={
            "dim": "dim hidden_size",
            "n_layers": "n_layers num_hidden_layers",
            "n_heads": "n_heads num_attention_heads",
            "dim_hidden": "hidden_dim",
            "n_tokens": "vocab_size",
            "n_places": "max_position_embeddings",
            "activation": "activation",
        },
        constants={"norm_first": False, "epsilon": 1e-12},
        defaults={"activation": "gelu", "tie_word_embeddings": True},
        inert="sinusoidal_pos_embds|tie_weights_",
        biased=EVERY_MAP,
        unread_arrays=("embeddings.position_ids",),
        norm=LayerNorm,
        rotary=None,
        causal=False,
    ),
    "gpt_oss": Family(
        maps=_LLAMA_ATTENTION,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS | {"sinks": "layers.{}.self_attn.sinks"},
        fields=_ATTENTION_FIELDS | {"width": "sliding_window", "types": "layer_types"},
        defaults=_LLAMA_DEFAULTS
        | {"num_key_value_heads": 8, "head_dim": 64, "rms_norm_eps": 1e-5, "sliding_window": 128}
        | {"rope_theta": 150000.0, "attention_bias": True, "layer_types": None},
        computed=_CAUSAL,
        inert=f"{_EXPERTS}|swiglu_.*|initial_context_length|quantization_config",
        biased_if={"attention_bias": _OF_ATTENTION},
        unread_arrays=("layers.{}.mlp.*",),
        windows="second",
        feeds=False,
    ),
}
"""Each family by the `model_type` of its configuration."""
