"""PyTorch's terms: the words of its functions, the names and arrays of a `state_dict`, and the options of its modules.

A `torch.nn.MultiheadAttention` keeps W_Q, W_K and W_V in one matrix, the heads one below the other. PyTorch itself is
not needed: the arrays may be of any library.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from hopattn.foundation.arrays import Array, namespace, shaped
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.transformer.feed_forward import Affine

Function = TypeVar("Function", bound=Callable[..., Any])

DEFAULTS = {"norm_first": False, "activation": "relu", "epsilon": 1e-5}
"""PyTorch's own defaults of what a state does not keep."""
PARTS = (
    *("MultiheadAttention", "Linear", "LayerNorm", "Dropout", "ModuleList", "ReLU", "GELU", "Tanh"),
    *("Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer"),
)
"""The classes of `torch.nn` that a module may be made of."""


def heads_state(maps: Sequence[Affine], out: Affine) -> dict[str, Array]:
    """The names and arrays of a `torch.nn.MultiheadAttention`. maps: W_Q, W_K and W_V of all heads together."""
    bias = Affine.stacked([Affine(affine.weight[:, :1], affine.bias) for affine in maps]).bias
    if len({affine.dims[1] for affine in maps}) == 1:
        state = {"in_proj_weight": Affine.stacked(maps).weight}
    else:
        state = {f"{role}_proj_weight": affine.weight for role, affine in zip("qkv", maps, strict=True)}
    state |= {} if bias is None else {"in_proj_bias": bias}
    return with_all_biases(state | affine_state("out_proj", out))


def heads_from(state: Mapping[str, Any]) -> tuple[list[Affine], Affine]:
    """W_Q, W_K and W_V of all heads of a `torch.nn.MultiheadAttention` together, and the map to the output.

    Raises `InvalidInput` for missing and further names, all at once, and for arrays that do not fit.
    """
    role_names = ["q_proj_weight", "k_proj_weight", "v_proj_weight"]
    names = role_names if any(name in state for name in role_names) else ["in_proj_weight"]
    require_names(state, [*names, "out_proj.weight"], ["in_proj_bias", "out_proj.bias"])
    out = affine_from(state, "out_proj")
    dim, bias = out.dims[0], state.get("in_proj_bias")
    bias = None if bias is None else shaped(bias, "in_proj_bias", "rows", rows=3 * dim)
    arrays = [shaped(state[name], name, "rows columns", rows=3 * dim // len(names)) for name in names]
    if len(arrays) == 1:
        return Affine(arrays[0], bias).split([dim] * 3), out
    return [
        Affine(array, None if bias is None else bias[i * dim : (i + 1) * dim]) for i, array in enumerate(arrays)
    ], out


def require_state(state: Array) -> None:
    """Raise `InvalidInput` unless a state is a mapping from names, which are texts."""
    if not isinstance(state, Mapping) and callable(getattr(state, "state_dict", None)):
        raise InvalidInput("state: expected names and arrays, not a module; give module.state_dict()")
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise InvalidInput(f"state: expected names and arrays of a state_dict, not {quoted(state)}")


def require_names(state: Mapping[str, Any], needed: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Raise `InvalidInput` unless a state has the needed names, and no others than these and the optional ones."""
    require_state(state)
    names = list(needed)
    choices = [*names, *optional]
    missing = [name for name in names if name not in state]
    parts = [f"missing: {', '.join(missing)}"] if missing else []
    for name in state:
        if name not in choices:
            close = get_close_matches(name, choices, 1)
            parts.append(f"unexpected: {name}" + (f" (did you mean {close[0]}?)" if close else ""))
    if parts:
        raise InvalidInput(f"state: {'; '.join(parts)}")


def with_prefix(state: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The part of a state below a prefix, named without it."""
    return {name.removeprefix(f"{prefix}."): array for name, array in state.items() if name.startswith(f"{prefix}.")}


def affine_from(state: Mapping[str, Any], name: str) -> Affine:
    """The map of a `torch.nn.Linear` of this name in a state."""
    weight, bias = shaped(state[f"{name}.weight"], f"{name}.weight", "out in"), state.get(f"{name}.bias")
    return Affine(weight, None if bias is None else shaped(bias, f"{name}.bias", "out", out=weight.shape[0]))


def affine_state(name: str, affine: Affine) -> dict[str, Array]:
    """The names and arrays of a `torch.nn.Linear`."""
    return {f"{name}.weight": affine.weight} | ({} if affine.bias is None else {f"{name}.bias": affine.bias})


def with_all_biases(state: Mapping[str, Array]) -> dict[str, Array]:
    """A state with zeros for each bias that it lacks, if it has any: PyTorch's classes have all of them or none."""
    full = dict(state)
    if not any(name.endswith("bias") for name in state):
        return full
    for name, weight in state.items():
        is_query = name.endswith("q_proj_weight")  # W_Q, W_K and W_V have one bias together
        if is_query or not name.endswith(("k_proj_weight", "v_proj_weight", "bias")):
            first, end = ("q_proj_weight", "in_proj_bias") if is_query else ("weight", "bias")
            zeros = namespace(weight).zeros_like(weight[:, 0] if weight.ndim > 1 else weight)
            full.setdefault(
                name.removesuffix(first) + end, namespace(weight).concat([zeros] * 3) if is_query else zeros
            )
    return full


def with_options(module: Any, classes: Iterable[str], **options: Any) -> tuple[Any, dict[str, Any]]:
    """The state of a module and its options; or a state as it is, with the options of the caller or PyTorch's defaults.

    module: the module, or a state. classes: the names in `torch.nn` of the classes that the module may have. options:
    those of the caller, None for one that the caller leaves out.
    Raises `InvalidInput` for what is not a state, for an option that is missing or that the module itself has, for a
    module of another class or with a part that a layer of ours cannot have.
    """
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(module, torch.nn.Module):
        require_state(module)
        if options["n_heads"] is None:
            raise InvalidInput("n_heads: a state does not keep it; give it, or give the module instead of its state")
        return module, {name: DEFAULTS.get(name) if value is None else value for name, value in options.items()}
    if type(module) not in [getattr(torch.nn, name) for name in classes]:
        expected = " or ".join(f"torch.nn.{name}" for name in classes)
        has_layers = isinstance(module, (torch.nn.TransformerEncoder, torch.nn.TransformerDecoder))
        cure = "; take each of its layers: [hopattn.Block.from_torch(layer) for layer in module.layers]"
        raise InvalidInput(f"module: expected a {expected}, not {type(module).__name__}{cure * has_layers}")
    for name, value in options.items():
        if value is not None:
            raise InvalidInput(f"{name}: the module has its own; leave it out")
    return module.state_dict(), {name: option for name, option in _options(torch, module).items() if name in options}


def _options(torch: Any, module: Any) -> dict[str, Any]:
    """The options that all layers of a module share; raises `InvalidInput` for what a layer of ours cannot have."""
    options: dict[str, set[Any]] = {name: set() for name in ("n_heads", "norm_first", "activation", "epsilon", "sink")}
    classes = [*(getattr(torch.nn, name) for name in PARTS), torch.nn.modules.linear.NonDynamicallyQuantizableLinear]
    for name, part in module.named_modules():
        where = f"module.{name}" if name else "module"
        if type(part) not in classes:
            raise InvalidInput(f"{where}: is a {type(part).__name__}, which a layer of hopattn cannot be")
        if isinstance(part, torch.nn.MultiheadAttention):
            for reason, holds in (
                ("add_zero_attn = True, a sink of 0, which no layer of PyTorch has", name and part.add_zero_attn),
                ("add_bias_kv = True adds a key and a value to each text", part.bias_k is not None),
                ("batch_first = False takes texts (n, batch, dim): set batch_first = True", not part.batch_first),
            ):
                if holds:
                    raise InvalidInput(f"{where}: {reason}")
            options["n_heads"].add(part.num_heads)
            options["sink"].add(0.0 if part.add_zero_attn else None)
        if isinstance(part, torch.nn.LayerNorm):
            options["epsilon"].add(part.eps)
        if hasattr(part, "norm_first"):
            options["norm_first"].add(part.norm_first)
            options["activation"].add(_activation(torch, part.activation, where))
    for option, values in options.items():
        if len(values) > 1:
            listing = ", ".join(sorted(map(str, values)))
            raise InvalidInput(f"module: expected one {option} for all layers, not {listing}")
    return {option: next(iter(values), None) for option, values in options.items()}


def _activation(torch: Any, activation: Any, where: str) -> str:
    """The name of an activation of PyTorch; raises `InvalidInput` for one that a feed-forward layer does not have."""
    functional, nn = torch.nn.functional, torch.nn
    names = dict.fromkeys((functional.relu, torch.relu, nn.ReLU), "relu") | {functional.gelu: "gelu"}
    names |= dict.fromkeys((torch.tanh, functional.tanh, nn.Tanh), "tanh")
    if type(activation) is nn.GELU and activation.approximate == "none":
        return "gelu"
    if (name := names.get(type(activation) if isinstance(activation, nn.Module) else activation)) is None:
        expected = "relu, tanh or gelu without approximation"
        raise InvalidInput(f"{where}.activation: expected {expected}, not {quoted(activation)}")
    return name
