"""The table of the known families of models: their names of arrays and fields, and how they differ from one another.

A family is one row. The names of arrays and fields are those of the models' own files on the Hugging Face Hub; `{}` in
a name is the number of a layer, from 0.

| role of a map | | role of a norm | |
|---|---|---|---|
| query, key, value | W_Q, W_K and W_V of all heads | attention | before the attention, or after its residual |
| joint | the three in one array | attention_after | of the output of the attention, before it is added |
| out | W_O | feed_forward, feed_forward_after | the same of the feed-forward layer |
| inner, gate, outer | W₁, W_g and W₂ | query, key | of each query and key of a head |
| transform | of the last states, before the logits | embedding, final, transform | of the words at each place |
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hopattn.transformer.normalisation import LayerNorm, Normalisation, RMSNorm

UNREAD = frozenset(
    [
        "_name_or_path",
        "_num_labels",
        "architectures",
        "attention_dropout",
        "bos_token_id",
        "cache_implementation",
        "chunk_size_feed_forward",
        "classifier_dropout",
        "dtype",
        "eos_token_id",
        "finetuning_task",
        "gradient_checkpointing",
        "id2label",
        "initializer_range",
        "label2id",
        "model_type",
        "output_attentions",
        "output_hidden_states",
        "pad_token_id",
        "pretraining_tp",
        "problem_type",
        "return_dict",
        "sep_token_id",
        "task_specific_params",
        "tokenizer_class",
        "torch_dtype",
        "torchscript",
        "transformers_version",
        "unk_token_id",
        "use_bfloat16",
        "use_cache",
    ]
)
"""The fields that change no number of a model that reads a text, of every family."""


@dataclass(frozen=True)
class Family:
    """A family of models: how its files name what all of them have, and which parts it has.

    prefix: before the names of all arrays but those of a head, in a file that has a head. maps, norms, arrays: the name
    of an array by its role; those of maps and norms without the ending `.weight` or `.bias`. fields: the name of a
    field by its meaning. biased: the maps with a bias. biased_if: those with one where a field says so.
    untied_bias: the array of the bias of logits, where they are not products with the embedding. older: fields
    that files written before them lack, with the value of those files. unread, unread_arrays: those that change no
    number. renamed: endings of names of arrays in older files.

    joint: the order of the rows of the joint map, (role, head) or (head, role). transposed: whether maps are stored as
    (in, out). gain: a number added to the gain of each norm. rotary: the share of the dims that is rotated, all or a
    field's; None without. windows: the layers with a window, all of them, those from a field's number on, or every
    second one. norm_first, causal: as in `Block` and `Head`. feeds: whether the feed-forward layers are read; a text is
    not computed without.
    """

    maps: Mapping[str, str]
    norms: Mapping[str, str]
    arrays: Mapping[str, str]
    fields: Mapping[str, str]
    prefix: str = "model."
    biased: frozenset[str] = frozenset()
    biased_if: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    untied_bias: str | None = None
    older: Mapping[str, Any] = field(default_factory=dict)
    unread: frozenset[str] = frozenset()
    unread_arrays: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    joint: Literal["role, head", "head, role"] | None = None
    transposed: bool = False
    norm: type[Normalisation] = RMSNorm
    gain: float = 0.0
    rotary: Literal["all", "share"] | None = "all"
    windows: Literal["all", "from", "second"] | None = None
    norm_first: bool = True
    causal: bool = True
    scaled_embedding: bool = False
    feeds: bool = True


EVERY_MAP = frozenset({"query", "key", "value", "joint", "out", "inner", "gate", "outer", "transform"})
_OF_ATTENTION = ("query", "key", "value", "joint", "out")
_OF_FEEDING = ("inner", "gate", "outer")
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
_LLAMA_ARRAYS = {"embedding": "embed_tokens.weight", "unembedding": "lm_head.weight"}
_LLAMA_FIELDS = {
    "dim": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_key_heads": "num_key_value_heads",
    "dim_hidden": "intermediate_size",
    "n_tokens": "vocab_size",
    "epsilon": "rms_norm_eps",
    "activation": "hidden_act",
    "base": "rope_theta",
}
_OWN_HEADS = {"dim_head": "head_dim"}
_ANY_LENGTH = frozenset({"max_position_embeddings"})
"""Rotary positions have no last one."""
_FREQUENCIES = ("layers.{}.self_attn.rotary_emb.inv_freq",)
"""Computed from the configuration."""

_OF_EXPERTS = ("", "_bias", "_blocks", "_scales")

FAMILIES: dict[str, Family] = {
    "gpt2": Family(
        prefix="transformer.",
        maps={
            "joint": "h.{}.attn.c_attn",
            "out": "h.{}.attn.c_proj",
            "inner": "h.{}.mlp.c_fc",
            "outer": "h.{}.mlp.c_proj",
        },
        norms={"attention": "h.{}.ln_1", "feed_forward": "h.{}.ln_2", "final": "ln_f"},
        arrays={"embedding": "wte.weight", "places": "wpe.weight", "unembedding": "lm_head.weight"},
        fields={
            "dim": "n_embd",
            "n_layers": "n_layer",
            "n_heads": "n_head",
            "dim_hidden": "n_inner",
            "n_tokens": "vocab_size",
            "n_places": "n_positions",
            "epsilon": "layer_norm_epsilon",
            "activation": "activation_function",
            "scaled": "scale_attn_weights",
            "scaled_by_layer": "scale_attn_by_inverse_layer_idx",
        },
        biased=EVERY_MAP,
        older={
            "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False,
            "tie_word_embeddings": True,
            "n_inner": None,
        },
        unread=frozenset(
            [
                "attn_pdrop",
                "embd_pdrop",
                "n_ctx",
                "reorder_and_upcast_attn",
                "resid_pdrop",
                "summary_activation",
                "summary_first_dropout",
                "summary_proj_to_labels",
                "summary_type",
                "summary_use_proj",
            ]
        ),
        unread_arrays=("h.{}.attn.bias", "h.{}.attn.masked_bias"),
        joint="role, head",
        transposed=True,
        norm=LayerNorm,
        rotary=None,
    ),
    "gpt_neox": Family(
        prefix="gpt_neox.",
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
            "base": "rotary_emb_base",
            "share": "rotary_pct",
        },
        biased=frozenset(_OF_FEEDING),
        biased_if={"attention_bias": _OF_ATTENTION},
        older={"attention_bias": True},
        unread=_ANY_LENGTH | {"attention_probs_dropout_prob", "hidden_dropout", "hidden_dropout_prob"},
        unread_arrays=(
            "layers.{}.attention.bias",
            "layers.{}.attention.masked_bias",
            "layers.{}.attention.rotary_emb.inv_freq",
        ),
        joint="head, role",
        norm=LayerNorm,
        rotary="share",
    ),
    "llama": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _OWN_HEADS,
        biased_if={"attention_bias": _OF_ATTENTION, "mlp_bias": _OF_FEEDING},
        older={"attention_bias": False, "mlp_bias": False},
        unread=_ANY_LENGTH,
        unread_arrays=_FREQUENCIES,
    ),
    "mistral": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _OWN_HEADS,
        unread=_ANY_LENGTH,
        unread_arrays=_FREQUENCIES,
        windows="all",
    ),
    "qwen2": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS,
        biased=frozenset({"query", "key", "value"}),
        unread=_ANY_LENGTH,
        unread_arrays=_FREQUENCIES,
        windows="from",
    ),
    "qwen3": Family(
        maps=_LLAMA_MAPS,
        norms=_LLAMA_NORMS | {"query": "layers.{}.self_attn.q_norm", "key": "layers.{}.self_attn.k_norm"},
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS | _OWN_HEADS,
        biased_if={"attention_bias": _OF_ATTENTION},
        unread=_ANY_LENGTH,
        windows="from",
    ),
    "gemma2": Family(
        maps=_LLAMA_MAPS,
        norms={
            "attention": "layers.{}.input_layernorm",
            "attention_after": "layers.{}.post_attention_layernorm",
            "feed_forward": "layers.{}.pre_feedforward_layernorm",
            "feed_forward_after": "layers.{}.post_feedforward_layernorm",
            "final": "norm",
        },
        arrays=_LLAMA_ARRAYS,
        fields=_LLAMA_FIELDS
        | _OWN_HEADS
        | {
            "activation": "hidden_activation",
            "query_scale": "query_pre_attn_scalar",
            "score_cap": "attn_logit_softcapping",
            "logit_cap": "final_logit_softcapping",
        },
        biased_if={"attention_bias": _OF_ATTENTION},
        older={"tie_word_embeddings": True},
        unread=_ANY_LENGTH | {"hidden_act"},
        gain=1.0,
        windows="second",
        scaled_embedding=True,
    ),
    "bert": Family(
        prefix="bert.",
        maps={
            "query": "encoder.layer.{}.attention.self.query",
            "key": "encoder.layer.{}.attention.self.key",
            "value": "encoder.layer.{}.attention.self.value",
            "out": "encoder.layer.{}.attention.output.dense",
            "inner": "encoder.layer.{}.intermediate.dense",
            "outer": "encoder.layer.{}.output.dense",
            "transform": "cls.predictions.transform.dense",
        },
        norms={
            "embedding": "embeddings.LayerNorm",
            "attention": "encoder.layer.{}.attention.output.LayerNorm",
            "feed_forward": "encoder.layer.{}.output.LayerNorm",
            "transform": "cls.predictions.transform.LayerNorm",
        },
        arrays={
            "embedding": "embeddings.word_embeddings.weight",
            "places": "embeddings.position_embeddings.weight",
            "kinds": "embeddings.token_type_embeddings.weight",
            "unembedding": "cls.predictions.decoder.weight",
            "logit_bias": "cls.predictions.bias",
        },
        fields={
            "dim": "hidden_size",
            "n_layers": "num_hidden_layers",
            "n_heads": "num_attention_heads",
            "dim_hidden": "intermediate_size",
            "n_tokens": "vocab_size",
            "n_places": "max_position_embeddings",
            "n_kinds": "type_vocab_size",
            "epsilon": "layer_norm_eps",
            "activation": "hidden_act",
        },
        biased=EVERY_MAP,
        untied_bias="cls.predictions.decoder.bias",
        older={"tie_word_embeddings": True},
        unread=frozenset(
            [
                "attention_probs_dropout_prob",
                "directionality",
                "hidden_dropout_prob",
                "pooler_fc_size",
                "pooler_num_attention_heads",
                "pooler_num_fc_layers",
                "pooler_size_per_head",
                "pooler_type",
            ]
        ),
        unread_arrays=(
            "embeddings.position_ids",
            "pooler.dense.weight",
            "pooler.dense.bias",
            "cls.seq_relationship.weight",
            "cls.seq_relationship.bias",
            "cls.predictions.decoder.bias",
        ),
        renamed={".gamma": ".weight", ".beta": ".bias"},
        norm=LayerNorm,
        rotary=None,
        norm_first=False,
        causal=False,
    ),
    "gpt_oss": Family(
        maps=_LLAMA_ATTENTION,
        norms=_LLAMA_NORMS,
        arrays=_LLAMA_ARRAYS | {"sinks": "layers.{}.self_attn.sinks"},
        fields={name: one for name, one in _LLAMA_FIELDS.items() if name not in ("dim_hidden", "activation")}
        | _OWN_HEADS,
        biased_if={"attention_bias": _OF_ATTENTION},
        unread=_ANY_LENGTH
        | {
            "experts_per_token",
            "hidden_act",
            "initial_context_length",
            "intermediate_size",
            "num_experts_per_tok",
            "num_local_experts",
            "output_router_logits",
            "quantization_config",
            "router_aux_loss_coef",
            "swiglu_alpha",
            "swiglu_limit",
        },
        unread_arrays=(
            *(f"layers.{{}}.mlp.router.{name}" for name in ("weight", "bias")),
            *(f"layers.{{}}.mlp.experts.{way}_proj{of}" for way in ("gate_up", "down") for of in _OF_EXPERTS),
        ),
        windows="second",
        feeds=False,
    ),
}
"""Each family by the `model_type` of its configuration."""
