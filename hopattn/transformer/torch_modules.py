"""Modules of PyTorch: what they have beside their arrays, and what keeps them from being layers of ours."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from hopattn.foundation.errors import InvalidInput, quoted

DEFAULTS = {"norm_first": False, "activation": "relu", "epsilon": 1e-5}
"""PyTorch's own defaults of what a state does not keep."""
PARTS = (
    *("MultiheadAttention", "Linear", "LayerNorm", "Dropout", "ModuleList", "ReLU", "GELU", "Tanh"),
    *("Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer"),
)
"""The classes of `torch.nn` that a module may be made of."""


def with_options(given: Any, classes: Iterable[str], **options: Any) -> tuple[Any, dict[str, Any]]:
    """The state of a module and its options; or a state as it is, and the options given with it or PyTorch's defaults.

    classes: the names in `torch.nn` of what the module may be. options: those of the caller, None where not given.
    Raises `InvalidInput` for an option that is missing or that the module has itself, and for a module of another class
    or with a part that a layer of ours cannot have.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(given, torch.nn.Module):
        if options["n_heads"] is None:
            raise InvalidInput("n_heads: a state does not keep it; give it, or give the module in place of its state")
        return given, {name: DEFAULTS.get(name) if value is None else value for name, value in options.items()}
    if type(given) not in [getattr(torch.nn, name) for name in classes]:
        expected = " or ".join(f"torch.nn.{name}" for name in classes)
        of_layers = isinstance(given, (torch.nn.TransformerEncoder, torch.nn.TransformerDecoder))
        each = "; take each of its layers: [hopattn.Block.from_torch(layer) for layer in module.layers]"
        found = type(given).__name__ + each * of_layers
        raise InvalidInput(f"module: expected a {expected}, not {found}")
    for name, value in options.items():
        if value is not None:
            raise InvalidInput(f"{name}: the module has its own; leave it out")
    return given.state_dict(), {name: found for name, found in _options(torch, given).items() if name in options}


def _options(torch: Any, module: Any) -> dict[str, Any]:
    """The options that all layers of a module share; raises `InvalidInput` for what a layer of ours cannot have."""
    found: dict[str, set[Any]] = {"n_heads": set(), "norm_first": set(), "activation": set(), "epsilon": set()}
    known = [getattr(torch.nn, name) for name in PARTS]
    known.append(torch.nn.modules.linear.NonDynamicallyQuantizableLinear)
    for name, part in module.named_modules():
        where = f"module.{name}" if name else "module"
        if type(part) not in known:
            raise InvalidInput(f"{where}: is a {type(part).__name__}, which a layer of hopattn cannot be")
        if isinstance(part, torch.nn.MultiheadAttention):
            if reason := _why_no_heads(part):
                raise InvalidInput(f"{where}: {reason}")
            found["n_heads"].add(part.num_heads)
        if isinstance(part, torch.nn.LayerNorm):
            found["epsilon"].add(part.eps)
        if hasattr(part, "norm_first"):
            found["norm_first"].add(part.norm_first)
            found["activation"].add(_activation(torch, part.activation, where))
    for option, values in found.items():
        if len(values) > 1:
            told = ", ".join(sorted(map(str, values)))
            raise InvalidInput(f"module: expected one {option} for all layers, not {told}")
    return {option: next(iter(values), None) for option, values in found.items()}


def _why_no_heads(attention: Any) -> str:
    """The reason why a `torch.nn.MultiheadAttention` cannot be heads of ours, or ""."""
    if attention.add_zero_attn:
        return "add_zero_attn = True adds a key and a value of zeros, which no text has"
    if attention.bias_k is not None:
        return "add_bias_kv = True adds a key and a value to each text, which a head cannot have"
    if not attention.batch_first:
        return "batch_first = False takes texts (n, batch, dim); here they are (batch, n, dim): set batch_first = True"
    return ""


def _activation(torch: Any, given: Any, where: str) -> str:
    """The name of an activation of PyTorch; raises `InvalidInput` for one that a feed-forward layer does not have."""
    functional = torch.nn.functional
    names: Mapping[Any, str] = {
        **{functional.relu: "relu", torch.relu: "relu", torch.nn.ReLU: "relu", functional.gelu: "gelu"},
        **{torch.tanh: "tanh", functional.tanh: "tanh", torch.nn.Tanh: "tanh"},
    }
    if type(given) is torch.nn.GELU and given.approximate == "none":
        return "gelu"
    name = names.get(type(given) if isinstance(given, torch.nn.Module) else given)
    if name is None:
        expected = "relu, tanh or gelu without approximation"
        raise InvalidInput(f"{where}.activation: expected {expected}, not {quoted(given)}")
    return name
