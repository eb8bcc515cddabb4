"""Tiny models of `transformers` with moved parameters, in files and computed there in double precision."""

import json
import os
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from tests.checkpoints.published import PUBLISHED, tiny
from tests.checkpoints.written import lasting_folder

TOKENS, WORDS, WINDOW = 40, 24, 7
SIZES = {
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 20,
    "vocab_size": TOKENS,
    "max_position_embeddings": 64,
    "rms_norm_eps": 1e-2,
    "tie_word_embeddings": False,
}
"""Two heads of keys in groups of two; ε so large that another one shows."""
OWN = {"head_dim": 8}
"""Not 24 / 4."""


def rotary(kind="default", base=50000.0, **options):
    return {"rope_parameters": {"rope_type": kind, "rope_theta": base, **options}}


def both(**options):
    """The turns of layers with a window and of those without, which alone have the options."""
    of_window = {"rope_type": "default", "rope_theta": 100.0}
    full = {"rope_type": "default", "rope_theta": 50000.0, **options}
    return {"rope_parameters": {"sliding_attention": of_window, "full_attention": full}}


GPT2 = {"n_embd": 24, "n_layer": 2, "n_head": 4, "vocab_size": TOKENS, "n_positions": 30, "layer_norm_epsilon": 1e-2}
NEOX = {"num_key_value_heads", "rms_norm_eps"}
NEOX = {name: size for name, size in SIZES.items() if name not in NEOX} | {"layer_norm_eps": 1e-2}
BERT = NEOX | {"tie_word_embeddings": True, "max_position_embeddings": 30}
ROBERTA = BERT | {"type_vocab_size": 2, "pad_token_id": 1, "max_position_embeddings": 32}
DISTILBERT = {"dim": 24, "n_layers": 2, "n_heads": 4, "hidden_dim": 20, "vocab_size": TOKENS}
DISTILBERT |= {"max_position_embeddings": 30, "tie_word_embeddings": True}
NEO = {"hidden_size": 24, "num_layers": 2, "num_heads": 4, "intermediate_size": 20, "vocab_size": TOKENS}
NEO |= {"max_position_embeddings": 30, "window_size": WINDOW, "layer_norm_epsilon": 1e-2}
OPT = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 20, "vocab_size": TOKENS}
OPT |= {"max_position_embeddings": 30}
PHI3 = SIZES | {"hidden_size": 32, "sliding_window": WINDOW, "pad_token_id": 0} | rotary()
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
SLIDING = {"use_sliding_window": True, "sliding_window": WINDOW, "max_window_layers": 1}
GEMMA3 = SIZES | OWN | {"query_pre_attn_scalar": 3, "sliding_window": WINDOW, "tie_word_embeddings": True}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
YARN = {"factor": 8.0, "beta_fast": 4.0, "beta_slow": 1.0, "original_max_position_embeddings": 64}
MODELS = {
    "gpt2": ("GPT2", "LMHead", {**GPT2, "scale_attn_by_inverse_layer_idx": True}),
    "gpt2 of another width": ("GPT2", "LMHead", {**GPT2, "n_inner": 20, "scale_attn_weights": False}),
    "gpt_neox": ("GPTNeoX", "", NEOX | {"num_attention_heads": 3} | rotary(partial_rotary_factor=0.5)),
    "gpt_neox in series": (
        "GPTNeoX",
        "",
        NEOX | rotary(partial_rotary_factor=1.0) | {"use_parallel_residual": False, "attention_bias": False},
    ),
    "llama": ("Llama", "", SIZES | OWN | rotary()),
    "llama 3": ("Llama", "", SIZES | OWN | rotary("llama3", **LLAMA3) | {"attention_bias": True, "mlp_bias": True}),
    "llama, linear": ("Llama", "", SIZES | OWN | rotary("linear", factor=4.0) | {"tie_word_embeddings": True}),
    "mistral": ("Mistral", "", SIZES | OWN | rotary() | {"sliding_window": WINDOW}),
    "qwen2": ("Qwen2", "", SIZES | rotary() | SLIDING),
    "qwen2, yarn": ("Qwen2", "", SIZES | {"hidden_size": 32} | rotary("yarn", **YARN)),
    "qwen3": ("Qwen3", "", SIZES | OWN | rotary() | SLIDING | {"attention_bias": True}),
    "gemma2": (
        "Gemma2",
        "",
        SIZES
        | OWN
        | rotary()
        | {
            "sliding_window": WINDOW,
            "query_pre_attn_scalar": 3,
            "attn_logit_softcapping": 2.0,
            "final_logit_softcapping": 2.0,
            "tie_word_embeddings": True,
        },
    ),
    "gpt_neo": ("GPTNeo", "", NEO | {"attention_types": [[["global", "local"], 1]], "tie_word_embeddings": False}),
    "gpt_neo of another pattern": ("GPTNeo", "", NEO | {"attention_types": [[["local"], 1], [["global"], 1]]}),
    "opt": ("OPT", "", OPT),
    "opt with narrow words and the norm last": (
        "OPT",
        "",
        OPT | {"do_layer_norm_before": False, "word_embed_proj_dim": 10, "activation_function": "gelu"},
    ),
    "opt without biases": (
        "OPT",
        "",
        OPT
        | {
            "enable_bias": False,
            "layer_norm_elementwise_affine": False,
            "_remove_final_layer_norm": True,
            "tie_word_embeddings": False,
        },
    ),
    "gemma": ("Gemma", "", SIZES | OWN | rotary() | {"hidden_act": "gelu", "tie_word_embeddings": True}),
    "gemma3_text": ("Gemma3Text", "", GEMMA3 | {"num_hidden_layers": 2, "layer_types": None} | both()),
    "gemma3_text, scaled": (
        "Gemma3Text",
        "",
        GEMMA3
        | {"layer_types": ["full_attention", "sliding_attention"], "final_logit_softcapping": 2.0}
        | both(rope_type="linear", factor=4.0),
    ),
    "phi3": ("Phi3", "", PHI3),
    "phi3, a share": ("Phi3", "", PHI3 | rotary(partial_rotary_factor=0.5)),
    "mixtral": ("Mixtral", "", SIZES | OWN | rotary() | EXPERTS | {"sliding_window": WINDOW}),
    "qwen3_moe": ("Qwen3Moe", "", SIZES | OWN | rotary() | EXPERTS | SLIDING | {"moe_intermediate_size": 8}),
    "bert": ("Bert", "MaskedLM", BERT),
    "roberta": ("Roberta", "MaskedLM", ROBERTA),
    "roberta, untied": ("XLMRoberta", "MaskedLM", ROBERTA | {"tie_word_embeddings": False, "hidden_act": "relu"}),
    "distilbert": ("DistilBert", "MaskedLM", DISTILBERT),
    "distilbert, untied": ("DistilBert", "MaskedLM", DISTILBERT | {"tie_word_embeddings": False, "activation": "relu"}),
    "bert, untied": ("Bert", "MaskedLM", BERT | {"tie_word_embeddings": False}),
    "gpt_oss": (
        "GptOss",
        "",
        SIZES
        | OWN
        | rotary("yarn", base=20.0, truncate=False, **YARN)
        | {"sliding_window": WINDOW, "num_local_experts": 4, "num_experts_per_tok": 2},
    ),
}
"""Each model: the names of its classes, and its configuration."""
ROOMS = {"GPTNeoX": "gpt_neox", "GptOss": "gpt_oss", "GPTNeo": "gpt_neo", "Gemma3Text": "gemma3"}
ROOMS |= {"Qwen3Moe": "qwen3_moe", "XLMRoberta": "xlm_roberta"}
ROTARY = [name for name, (_, _, options) in MODELS.items() if "rope_parameters" in options]


@dataclass(frozen=True)
class Answer:
    """A model's arrays for a text: of each layer the words before it, those that its heads read, its attention."""

    states: tuple[np.ndarray, ...]
    read: tuple[np.ndarray, ...]
    weights: tuple[np.ndarray, ...]
    outputs: tuple[np.ndarray, ...]
    logits: np.ndarray


@dataclass(frozen=True)
class Made:
    """A model in a folder, a text, and its answer in double precision, and with what it narrows to single precision.

    model: that of `transformers`, in double precision.
    """

    model: Any
    path: Path
    ids: np.ndarray
    kinds: np.ndarray | None
    double: Answer
    mixed: Answer


@cache
def made(name):
    """A model with every parameter moved by 0.3 N(0, 1), and its answer to a text."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        os.environ["HF_HUB_OFFLINE"] = "1"
        import torch
        import transformers

        transformers.utils.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        path = lasting_folder()
        before = torch.get_default_dtype()
        stack.callback(torch.set_default_dtype, before)
        stack.enter_context(torch.random.fork_rng())
        torch.manual_seed(1)
        if name in PUBLISHED:
            (path / "config.json").write_text(table := json.dumps(tiny(PUBLISHED[name])))
            config = transformers.AutoConfig.from_pretrained(path, attn_implementation="eager")
            kinds_of = (
                transformers.AutoModelForMaskedLM if "bert" in config.model_type else transformers.AutoModelForCausalLM
            )
            model = kinds_of.from_config(config)
        else:
            kind, head, options = MODELS[name]
            room = import_module(f"transformers.models.{ROOMS.get(kind, kind.lower())}")
            config = getattr(room, f"{kind}Config")(**options, attn_implementation="eager")
            kind = kind.removesuffix("Text")
            model = getattr(
                room, f"{kind}{'For' * (head != 'LMHead')}{head or 'CausalLM'}{'Model' * (head == 'LMHead')}"
            )
            model = model(config)
        config._experts_implementation = "eager"
        model = model.eval().double()
        for parameter in model.parameters():
            parameter.data += 0.3 * torch.randn_like(parameter)
        model.save_pretrained(path)
        if name in PUBLISHED:
            (path / "config.json").write_text(table)
        rng = np.random.default_rng(2)
        ids = rng.integers(0, TOKENS, WORDS)
        if "roberta" in config.model_type:
            ids[[3, 9]] = config.pad_token_id  # it has no position of its own
        n_kinds = getattr(config, "type_vocab_size", None)
        kinds = None if n_kinds is None else rng.integers(0, n_kinds, WORDS)
        asked = {"input_ids": torch.tensor(ids)[None], "output_attentions": True, "output_hidden_states": True}
        if kinds is not None:
            asked["token_type_ids"] = torch.tensor(kinds)[None]
        stack.enter_context(torch.no_grad())
        mixed = _answer(model, asked)
        torch.set_default_dtype(torch.float64)
        with _in_double(torch):
            state = model.state_dict()
            exact = type(model)(config).eval()
            exact.load_state_dict(state)
            double = _answer(exact, asked)
    return Made(exact, path, ids, kinds, double, mixed)


def hooked(model, ids, hooks=(), **options):
    """The logits of a model for a text, in double precision. hooks: pairs of a module and a function of its input.

    A function gets the array `(n, width)` that the module reads, and gives the array that it reads instead.
    """
    import torch

    def around(change):
        def hook(module, args):
            return torch.as_tensor(change(args[0][0].numpy().copy()))[None], *args[1:]

        return hook

    with ExitStack() as stack:
        stack.callback(torch.set_default_dtype, torch.get_default_dtype())
        stack.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)
        for module, change in hooks:
            stack.callback(module.register_forward_pre_hook(around(change)).remove)
        stack.enter_context(torch.no_grad())
        torch.set_default_dtype(torch.float64)
        with _in_double(torch):
            return model(input_ids=torch.tensor(ids)[None], **options).logits[0].numpy()


ATTENTION = ("attn", "self_attn", "attention")
"""The names of the attention in a layer."""


def _answer(model, asked):
    read, outputs = [], []

    def note(module, args, kwargs, output):
        read.append(kwargs.get("hidden_states", args[0] if args else None)[0].numpy())
        outputs.append(output[0][0].numpy())

    for name, module in model.named_modules():
        if name.rpartition(".")[2] in ATTENTION and name.rpartition(".")[0][-1:].isdigit():
            module.register_forward_hook(note, with_kwargs=True)
    given = model(**asked)
    kept = (tuple(one[0].numpy() for one in own) for own in (given.hidden_states, given.attentions))
    states, weights = kept
    return Answer(states, tuple(read), weights, tuple(outputs), given.logits[0].numpy())


def _in_double(torch):
    """All that a model of `transformers` computes in single precision whatever its weights are, in double precision."""

    class InDouble(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            own = {torch.float32: torch.float64}
            args = [own.get(one, one) if isinstance(one, torch.dtype) else one for one in args]
            kwargs = {
                key: own.get(one, one) if isinstance(one, torch.dtype) else one for key, one in (kwargs or {}).items()
            }
            return (torch.Tensor.double if function is torch.Tensor.float else function)(*args, **kwargs)

    return InDouble()
