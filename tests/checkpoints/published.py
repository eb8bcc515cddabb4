"""Configurations as the authors of released models published them, and the same with tiny sizes.

Each is the table of the file `config.json` of a model on the Hugging Face Hub, without fields that every file has and
that change no number (architectures, the version of `transformers`, the names of labels).
"""

PUBLISHED = {
    "openai-community/gpt2-medium": {
        **{"model_type": "gpt2", "activation_function": "gelu_new", "attn_pdrop": 0.1, "bos_token_id": 50256},
        **{"embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05},
        **{"n_ctx": 1024, "n_embd": 1024, "n_head": 16, "n_layer": 24, "n_positions": 1024, "n_special": 0},
        **{"predict_special_tokens": True, "resid_pdrop": 0.1, "summary_activation": None, "vocab_size": 50257},
        **{"summary_first_dropout": 0.1, "summary_proj_to_labels": True, "summary_type": "cls_index"},
        **{"summary_use_proj": True, "task_specific_params": {"text-generation": {"do_sample": True}}},
    },
    "distilbert/distilgpt2": {
        **{"_num_labels": 1, "activation_function": "gelu_new", "attn_pdrop": 0.1, "bos_token_id": 50256},
        **{"embd_pdrop": 0.1, "eos_token_id": 50256, "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}},
        **{"initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024},
        **{"n_embd": 768, "n_head": 12, "n_layer": 6, "n_positions": 1024, "resid_pdrop": 0.1, "vocab_size": 50257},
    },
    "microsoft/DialoGPT-medium": {
        **{"activation_function": "gelu_new", "attn_pdrop": 0.1, "bos_token_id": 50256, "embd_pdrop": 0.1},
        **{"eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2"},
        **{"n_ctx": 1024, "n_embd": 1024, "n_head": 16, "n_layer": 24, "n_positions": 1024, "resid_pdrop": 0.1},
        **{"task_specific_params": {"conversational": {"max_length": 1000}}, "vocab_size": 50257},
    },
    "iglm": {
        **{"activation_function": "gelu_new", "attn_pdrop": 0.1, "bos_token_id": 2, "condition_on_chain": True},
        **{"embd_pdrop": 0.1, "eos_token_id": 3, "gradient_checkpointing": False, "initializer_range": 0.02},
        **{"layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 2048, "n_embd": 512, "n_head": 8},
        **{"n_inner": 512, "n_layer": 4, "n_positions": 2048, "resid_pdrop": 0.1, "scale_attn_weights": True},
        **{"use_cache": True, "vocab_size": 33},
    },
    "EleutherAI/gpt-neo-125m": {
        **{"activation_function": "gelu_new", "attention_dropout": 0, "attention_layers": ["global", "local"] * 6},
        **{"attention_types": [[["global", "local"], 6]], "bos_token_id": 50256, "embed_dropout": 0},
        **{"eos_token_id": 50256, "gradient_checkpointing": False, "hidden_size": 768, "initializer_range": 0.02},
        **{"intermediate_size": None, "layer_norm_epsilon": 1e-05, "max_position_embeddings": 2048},
        **{"model_type": "gpt_neo", "num_heads": 12, "num_layers": 12, "resid_dropout": 0, "use_cache": True},
        **{"summary_activation": None, "summary_first_dropout": 0.1, "vocab_size": 50257, "window_size": 256},
    },
    "EleutherAI/pythia-70m": {
        **{"bos_token_id": 0, "eos_token_id": 0, "hidden_act": "gelu", "hidden_size": 512, "initializer_range": 0.02},
        **{"intermediate_size": 2048, "layer_norm_eps": 1e-05, "max_position_embeddings": 2048},
        **{"model_type": "gpt_neox", "num_attention_heads": 8, "num_hidden_layers": 6, "rotary_emb_base": 10000},
        **{"rotary_pct": 0.25, "tie_word_embeddings": False, "use_cache": True, "use_parallel_residual": True},
        "vocab_size": 50304,
    },
    "facebook/opt-125m": {
        **{"activation_dropout": 0.0, "activation_function": "relu", "attention_dropout": 0.0, "bos_token_id": 2},
        **{"do_layer_norm_before": True, "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 3072, "hidden_size": 768},
        **{"init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 2048, "model_type": "opt"},
        **{"num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 1, "prefix": "</s>"},
        **{"use_cache": True, "vocab_size": 50272, "word_embed_proj_dim": 768},
    },
    "facebook/opt-350m": {
        **{"activation_dropout": 0.0, "activation_function": "relu", "attention_dropout": 0.0, "bos_token_id": 2},
        **{"do_layer_norm_before": False, "dropout": 0.1, "eos_token_id": 2, "ffn_dim": 4096, "hidden_size": 1024},
        **{"init_std": 0.02, "layerdrop": 0.0, "max_position_embeddings": 2048, "model_type": "opt"},
        **{"num_attention_heads": 16, "num_hidden_layers": 24, "pad_token_id": 1, "prefix": "</s>"},
        **{"use_cache": True, "vocab_size": 50272, "word_embed_proj_dim": 512},
    },
    "meta-llama/Llama-2-7b-hf": {
        **{"_name_or_path": "meta-llama/Llama-2-7b-hf", "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu"},
        **{"hidden_size": 4096, "initializer_range": 0.02, "intermediate_size": 11008, "model_type": "llama"},
        **{"max_position_embeddings": 4096, "num_attention_heads": 32, "num_hidden_layers": 32},
        **{"num_key_value_heads": 32, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": None},
        **{"tie_word_embeddings": False, "torch_dtype": "float16", "use_cache": True, "vocab_size": 32000},
    },
    "meta-llama/Llama-3.2-1B": {
        **{"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 128000, "eos_token_id": 128001},
        **{"head_dim": 64, "hidden_act": "silu", "hidden_size": 2048, "initializer_range": 0.02, "mlp_bias": False},
        **{"intermediate_size": 8192, "max_position_embeddings": 131072, "model_type": "llama", "pretraining_tp": 1},
        **{"num_attention_heads": 32, "num_hidden_layers": 16, "num_key_value_heads": 8, "rms_norm_eps": 1e-05},
        "rope_scaling": {
            **{"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0, "rope_type": "llama3"},
            "original_max_position_embeddings": 8192,
        },
        **{"rope_theta": 500000.0, "tie_word_embeddings": True, "use_cache": True, "vocab_size": 128256},
    },
    "HuggingFaceTB/SmolLM2-135M": {
        **{"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 0, "eos_token_id": 0},
        **{"hidden_act": "silu", "hidden_size": 576, "initializer_range": 0.041666666666666664, "model_type": "llama"},
        **{"intermediate_size": 1536, "is_llama_config": True, "max_position_embeddings": 8192},
        **{"num_attention_heads": 9, "num_hidden_layers": 30, "num_key_value_heads": 3, "pretraining_tp": 1},
        **{"rms_norm_eps": 1e-05, "rope_interleaved": False, "rope_scaling": None, "rope_theta": 100000},
        **{"tie_word_embeddings": True, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 49152},
    },
    "mistralai/Mistral-7B-v0.1": {
        **{"bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096, "model_type": "mistral"},
        **{"initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 32768},
        **{"num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "rms_norm_eps": 1e-05},
        **{"rope_theta": 10000.0, "sliding_window": 4096, "tie_word_embeddings": False, "vocab_size": 32000},
    },
    "mistralai/Mixtral-8x7B-v0.1": {
        **{"attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096},
        **{"initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 32768},
        **{"model_type": "mixtral", "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32},
        **{"num_key_value_heads": 8, "num_local_experts": 8, "output_router_logits": False, "rms_norm_eps": 1e-05},
        **{"rope_theta": 1000000.0, "router_aux_loss_coef": 0.02, "sliding_window": None, "use_cache": True},
        **{"tie_word_embeddings": False, "vocab_size": 32000},
    },
    "microsoft/Phi-3-mini-4k-instruct": {
        **{"_name_or_path": "Phi-3-mini-4k-instruct", "attention_bias": False, "attention_dropout": 0.0},
        "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config", "AutoModelForCausalLM": "modeling_phi3.Phi3"},
        **{"bos_token_id": 1, "embd_pdrop": 0.0, "eos_token_id": 32000, "hidden_act": "silu", "hidden_size": 3072},
        **{"initializer_range": 0.02, "intermediate_size": 8192, "max_position_embeddings": 4096},
        **{"model_type": "phi3", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32},
        **{"original_max_position_embeddings": 4096, "pad_token_id": 32000, "resid_pdrop": 0.0},
        **{"rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000.0, "sliding_window": 2047},
        **{"tie_word_embeddings": False, "torch_dtype": "bfloat16", "use_cache": True, "vocab_size": 32064},
    },
    "Qwen/Qwen2.5-0.5B": {
        **{"attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151643, "hidden_act": "silu"},
        **{"hidden_size": 896, "initializer_range": 0.02, "intermediate_size": 4864, "max_window_layers": 24},
        **{"max_position_embeddings": 32768, "model_type": "qwen2", "num_attention_heads": 14},
        **{"num_hidden_layers": 24, "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0},
        **{"sliding_window": 32768, "tie_word_embeddings": True, "use_cache": True, "use_mrope": False},
        **{"use_sliding_window": False, "vocab_size": 151936},
    },
    "Qwen/Qwen2.5-7B-Instruct for long texts": {
        **{"attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645, "hidden_act": "silu"},
        **{"hidden_size": 3584, "initializer_range": 0.02, "intermediate_size": 18944, "max_window_layers": 28},
        **{"max_position_embeddings": 32768, "model_type": "qwen2", "num_attention_heads": 28},
        **{"num_hidden_layers": 28, "num_key_value_heads": 4, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0},
        "rope_scaling": {"factor": 4.0, "original_max_position_embeddings": 32768, "type": "yarn"},
        **{"sliding_window": 131072, "tie_word_embeddings": False, "use_sliding_window": False, "vocab_size": 152064},
    },
    "Qwen/Qwen3-0.6B": {
        **{"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 151643, "eos_token_id": 151645},
        **{"head_dim": 128, "hidden_act": "silu", "hidden_size": 1024, "initializer_range": 0.02},
        **{"intermediate_size": 3072, "max_position_embeddings": 40960, "max_window_layers": 28},
        **{"model_type": "qwen3", "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8},
        **{"rms_norm_eps": 1e-06, "rope_scaling": None, "rope_theta": 1000000, "sliding_window": None},
        **{"tie_word_embeddings": True, "use_cache": True, "use_sliding_window": False, "vocab_size": 151936},
    },
    "Qwen/Qwen3-30B-A3B": {
        **{"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 151643, "decoder_sparse_step": 1},
        **{"eos_token_id": 151645, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048},
        **{"initializer_range": 0.02, "intermediate_size": 6144, "max_position_embeddings": 40960},
        **{"max_window_layers": 48, "mlp_only_layers": [], "model_type": "qwen3_moe", "moe_intermediate_size": 768},
        **{"norm_topk_prob": True, "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8},
        **{"num_hidden_layers": 48, "num_key_value_heads": 4, "output_router_logits": False, "rms_norm_eps": 1e-06},
        **{"rope_scaling": None, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.001, "sliding_window": None},
        **{"tie_word_embeddings": False, "use_cache": True, "use_sliding_window": False, "vocab_size": 151936},
    },
    "google/gemma-2b": {
        **{"attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 2, "eos_token_id": 1, "head_dim": 256},
        **{"hidden_act": "gelu", "hidden_size": 2048, "initializer_range": 0.02, "intermediate_size": 16384},
        **{"max_position_embeddings": 8192, "model_type": "gemma", "num_attention_heads": 8},
        **{"num_hidden_layers": 18, "num_key_value_heads": 1, "pad_token_id": 0, "rms_norm_eps": 1e-06},
        **{"rope_scaling": None, "rope_theta": 10000.0, "use_cache": True, "vocab_size": 256000},
    },
    "google/gemma-2-2b": {
        **{"attention_bias": False, "attention_dropout": 0.0, "attn_logit_softcapping": 50.0, "bos_token_id": 2},
        **{"cache_implementation": "hybrid", "eos_token_id": 1, "final_logit_softcapping": 30.0, "head_dim": 256},
        **{"hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 2304},
        **{"initializer_range": 0.02, "intermediate_size": 9216, "max_position_embeddings": 8192},
        **{"model_type": "gemma2", "num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4},
        **{"pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0},
        **{"sliding_window": 4096, "sliding_window_size": 4096, "use_cache": True, "vocab_size": 256000},
    },
    "google/gemma-3-1b-it": {
        **{"attention_bias": False, "attention_dropout": 0.0, "attn_logit_softcapping": None, "bos_token_id": 2},
        **{"cache_implementation": "hybrid", "eos_token_id": [1, 106], "final_logit_softcapping": None},
        **{"head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152},
        **{"initializer_range": 0.02, "intermediate_size": 6912, "max_position_embeddings": 32768},
        **{"model_type": "gemma3_text", "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1},
        **{"pad_token_id": 0, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000},
        **{"rope_scaling": None, "rope_theta": 1000000, "sliding_window": 512, "sliding_window_pattern": 6},
        **{"use_cache": True, "vocab_size": 262144},
    },
    "google/gemma-3-270m": {
        **{"_sliding_window_pattern": 6, "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 2},
        **{"attn_logit_softcapping": None, "eos_token_id": 1, "final_logit_softcapping": None, "head_dim": 256},
        **{"hidden_activation": "gelu_pytorch_tanh", "hidden_size": 640, "initializer_range": 0.02},
        "layer_types": [*["sliding_attention"] * 5, "full_attention"] * 3,
        **{"intermediate_size": 2048, "max_position_embeddings": 32768, "model_type": "gemma3_text"},
        **{"num_attention_heads": 4, "num_hidden_layers": 18, "num_key_value_heads": 1, "pad_token_id": 0},
        **{"query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000.0},
        **{"rope_scaling": None, "rope_theta": 1000000.0, "sliding_window": 512, "use_cache": True},
        **{"use_bidirectional_attention": False, "vocab_size": 262144},
    },
    "google-bert/bert-base-uncased": {
        **{"attention_probs_dropout_prob": 0.1, "gradient_checkpointing": False, "hidden_act": "gelu"},
        **{"hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072},
        **{"layer_norm_eps": 1e-12, "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12},
        **{"num_hidden_layers": 12, "pad_token_id": 0, "position_embedding_type": "absolute", "type_vocab_size": 2},
        **{"use_cache": True, "vocab_size": 30522},
    },
    "a BERT of the first days, trained for a task": {
        **{"attention_probs_dropout_prob": 0.1, "directionality": "bidi", "finetuning_task": "mrpc", "num_labels": 2},
        **{"hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 1024, "initializer_range": 0.02},
        **{"intermediate_size": 4096, "max_position_embeddings": 512, "model_type": "bert", "output_past": True},
        **{"num_attention_heads": 16, "num_hidden_layers": 24, "pooler_fc_size": 768, "pooler_num_fc_layers": 3},
        **{"pooler_num_attention_heads": 12, "pooler_size_per_head": 128, "pooler_type": "first_token_transform"},
        **{"pruned_heads": {}, "torchscript": False, "type_vocab_size": 2, "vocab_size": 28996},
    },
    "sentence-transformers/all-MiniLM-L6-v2": {
        **{"_name_or_path": "nreimers/MiniLM-L6-H384-uncased", "attention_probs_dropout_prob": 0.1},
        **{"gradient_checkpointing": False, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "hidden_size": 384},
        **{"initializer_range": 0.02, "intermediate_size": 1536, "layer_norm_eps": 1e-12, "model_type": "bert"},
        **{"max_position_embeddings": 512, "num_attention_heads": 12, "num_hidden_layers": 6, "pad_token_id": 0},
        **{"position_embedding_type": "absolute", "type_vocab_size": 2, "use_cache": True, "vocab_size": 30522},
    },
    "FacebookAI/roberta-base": {
        **{"attention_probs_dropout_prob": 0.1, "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "gelu"},
        **{"hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072},
        **{"layer_norm_eps": 1e-05, "max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1},
        **{"num_attention_heads": 12, "num_hidden_layers": 12, "type_vocab_size": 1, "vocab_size": 50265},
    },
    "FacebookAI/xlm-roberta-base": {
        **{"attention_probs_dropout_prob": 0.1, "bos_token_id": 0, "eos_token_id": 2, "hidden_act": "gelu"},
        **{"hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072},
        **{"layer_norm_eps": 1e-05, "max_position_embeddings": 514, "model_type": "xlm-roberta"},
        **{"num_attention_heads": 12, "num_hidden_layers": 12, "output_past": True, "pad_token_id": 1},
        **{"position_embedding_type": "absolute", "type_vocab_size": 1, "use_cache": True, "vocab_size": 250002},
    },
    "distilbert/distilbert-base-uncased-finetuned-sst-2-english": {
        **{"activation": "gelu", "attention_dropout": 0.1, "dim": 768, "dropout": 0.1, "finetuning_task": "sst-2"},
        **{"hidden_dim": 3072, "id2label": {"0": "NEGATIVE", "1": "POSITIVE"}, "initializer_range": 0.02},
        **{"label2id": {"NEGATIVE": 0, "POSITIVE": 1}, "max_position_embeddings": 512, "model_type": "distilbert"},
        **{"n_heads": 12, "n_layers": 6, "output_past": True, "pad_token_id": 0, "qa_dropout": 0.1},
        **{"seq_classif_dropout": 0.2, "sinusoidal_pos_embds": False, "tie_weights_": True, "vocab_size": 30522},
    },
    "openai/gpt-oss-20b": {
        **{"attention_bias": True, "attention_dropout": 0.0, "eos_token_id": 200002, "experts_per_token": 4},
        **{"head_dim": 64, "hidden_act": "silu", "hidden_size": 2880, "initial_context_length": 4096},
        **{"initializer_range": 0.02, "intermediate_size": 2880, "max_position_embeddings": 131072},
        "layer_types": ["sliding_attention", "full_attention"] * 12,
        **{"model_type": "gpt_oss", "num_attention_heads": 64, "num_experts_per_tok": 4, "num_hidden_layers": 24},
        **{"num_key_value_heads": 8, "num_local_experts": 32, "output_router_logits": False, "pad_token_id": 199999},
        "rope_scaling": {
            **{"beta_fast": 32.0, "beta_slow": 1.0, "factor": 32.0, "rope_type": "yarn", "truncate": False},
            "original_max_position_embeddings": 4096,
        },
        **{"rms_norm_eps": 1e-05, "rope_theta": 150000, "router_aux_loss_coef": 0.9, "sliding_window": 128},
        **{"swiglu_limit": 7.0, "tie_word_embeddings": False, "use_cache": True, "vocab_size": 201088},
    },
}
"""Configurations that are read, by the name of their model."""

QWEN = PUBLISHED["Qwen/Qwen2.5-0.5B"]
PUBLISHED["a Qwen 2 with windows"] = QWEN | {"use_sliding_window": True, "rope_theta": 100.0}
_LONG = {"long_factor": [2.0, 4.0], "short_factor": [1.0, 1.0]}
REFUSED = {
    "microsoft/Phi-3-mini-128k-instruct": (
        "microsoft/Phi-3-mini-4k-instruct",
        {"rope_scaling": {"type": "longrope"} | _LONG},
    ),
    "the same, of its first days": ("microsoft/Phi-3-mini-4k-instruct", {"rope_scaling": {"type": "su"} | _LONG}),
    "the same, with the name of another rule": (
        "microsoft/Phi-3-mini-4k-instruct",
        {"rope_scaling": {"type": "yarn", "factor": 4.0} | _LONG},
    ),
    "Alibaba-NLP/gte-Qwen2-1.5B-instruct": ("Qwen/Qwen2.5-0.5B", {"is_causal": False}),
    "google/embeddinggemma-300m": ("google/gemma-3-270m", {"use_bidirectional_attention": True}),
    "a Llama of fewer bits": ("meta-llama/Llama-3.2-1B", {"quantization_config": {"bits": 4, "quant_method": "gptq"}}),
    "an older Llama for long texts": (
        "meta-llama/Llama-2-7b-hf",
        {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
    ),
    "a BERT with relative positions": (
        "google-bert/bert-base-uncased",
        {"position_embedding_type": "relative_key_query"},
    ),
    "a BERT as a decoder": ("google-bert/bert-base-uncased", {"is_decoder": True}),
    "a GPT-2 that reads an encoder": ("openai-community/gpt2-medium", {"add_cross_attention": True}),
}
"""Configurations of other numbers than ours, as a model above and the field that says so; all are refused by it."""

SIZES = {
    **{"hidden_size": 32, "n_embd": 32, "dim": 32, "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2},
    **{"num_layers": 2, "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_heads": 4, "head_dim": 10},
    **{"intermediate_size": 20, "n_inner": 20, "ffn_dim": 20, "hidden_dim": 20, "vocab_size": 40},
    **{"max_position_embeddings": 64, "n_positions": 64, "n_ctx": 64, "original_max_position_embeddings": 16},
    **{"sliding_window": 7, "sliding_window_size": 7, "window_size": 7, "sliding_window_pattern": 2},
    **{"num_local_experts": 4, "num_experts": 4, "num_experts_per_tok": 2, "experts_per_token": 2},
    **{"moe_intermediate_size": 8, "pooler_fc_size": 32, "max_window_layers": 1},
}


def tiny(table):
    """A configuration with small sizes, and otherwise unchanged."""
    small = {name: SIZES.get(name, value) if value is not None else None for name, value in table.items()}
    small |= {
        name: value % 40 for name, value in table.items() if name.endswith("_token_id") and isinstance(value, int)
    }
    if "num_key_value_heads" in table:
        small["num_key_value_heads"] = 4 if table["num_key_value_heads"] == table["num_attention_heads"] else 2
    if "word_embed_proj_dim" in table:
        small["word_embed_proj_dim"] = 32 if table["word_embed_proj_dim"] == table["hidden_size"] else 10
    if "layer_types" in table:
        small["layer_types"] = ["sliding_attention", "full_attention"]
    if "attention_types" in table:
        small |= {"attention_types": [[["global", "local"], 1]], "attention_layers": ["global", "local"]}
    if table.get("rope_scaling"):
        small["rope_scaling"] = tiny(table["rope_scaling"])
    return small
