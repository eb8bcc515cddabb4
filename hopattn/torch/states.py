"""The states of other layers: those of hopfield-layers, and of `torch.nn.MultiheadAttention`.

| ours | hopfield-layers | MultiheadAttention |
|---|---|---|
| `query`, `key`, `value` | `association_core.in_proj_weight`, or `q_proj_weight` …; `in_proj_bias` | without prefix |
| `out` | `association_core.out_proj` | `out_proj` |
| `norms.query`, `norms.key`, `norms.value` | `norm_state_pattern`, `norm_stored_pattern`, `norm_pattern_projection` | |
| `norms.head` | `association_core.p_norm_weight`, `association_core.p_norm_bias` | |
"""

from collections.abc import Mapping
from typing import Any

import torch

from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.from_torch import require_names, with_prefix

ROLES = ("query", "key", "value")
NORMS = {"query": "norm_state_pattern", "key": "norm_stored_pattern", "value": "norm_pattern_projection"}
PARTS = ("weight", "bias")
KINDS = ("hopfield-layers", "torch")
CORE = "association_core."


def plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """A state of either kind under the names of `MultiheadAttention`, and norms under those of hopfield-layers."""
    state = with_prefix(state, "hopfield") or dict(state)
    if any(name in state for name in (f"{CORE}bias_k", f"{CORE}bias_v", "bias_k", "bias_v")):
        raise InvalidInput("state: bias_k and bias_v add a key and a value to each text, which no layer here has")
    return {name.removeprefix(CORE): torch.as_tensor(array) for name, array in state.items()}


def read(state: Mapping[str, Any], n_heads: int, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a layer and its state, from a state of either kind.

    options: those of the caller. Where one matrix holds all maps, `maps` says which of query, key and value have one,
    by default all.
    """
    arrays, maps = plain(state), options.get("maps")
    alone, together = {role: f"{role[0]}_proj_weight" for role in ROLES}, "in_proj_weight" in arrays
    roles = [role for role in ROLES if (maps is None or role in maps if together else alone[role] in arrays)]
    norms = {role: f"{name}." for role, name in NORMS.items()} | {"head": "p_norm_"}
    optional = [f"{name}{part}" for name in norms.values() for part in PARTS]
    needed = ["in_proj_weight"] if together else [alone[role] for role in roles]
    require_names(arrays, needed, [*optional, "in_proj_bias", *(f"out_proj.{part}" for part in PARTS)])
    blocks = arrays["in_proj_weight"].chunk(len(roles)) if together else [arrays[name] for name in needed]
    weights = dict(zip(roles, blocks, strict=True))
    own = {f"{role}.weight": weight for role, weight in weights.items()}
    if roles and "in_proj_bias" in arrays:
        lengths = [len(weight) for weight in weights.values()]
        biases = arrays["in_proj_bias"][: sum(lengths)].split(lengths)
        own |= {f"{role}.bias": bias for role, bias in zip(roles, biases, strict=True)}
    for before, after in {"out_proj.": "out.", **{name: f"norms.{role}." for role, name in norms.items()}}.items():
        own |= {f"{after}{part}": arrays[f"{before}{part}"] for part in PARTS if f"{before}{part}" in arrays}
    for role, weight in weights.items():
        if len(weight) % n_heads:
            raise InvalidInput(f"n_heads: {n_heads} heads do not divide the {len(weight)} rows of the {role}'s map")
    heads = {role: len(weight) // n_heads for role, weight in weights.items()}
    widths = {role: own[name].shape[-1] for role in ROLES for name in _of_input(role) if name in own}
    dim_head = heads.get("query", heads.get("key"))
    if (dim := widths.get("query", dim_head)) is None:
        raise InvalidInput("state: missing: in_proj_weight, or q_proj_weight, which says the dim of the query")
    options = {"dim": dim, "dim_keys": widths.get("key"), "dim_values": widths.get("value")}
    options |= {"dim_head": dim_head, "dim_read": heads.get("value")}
    options |= {"dim_out": len(own["out.weight"]) if "out.weight" in own else None}
    options |= {"bias": any(name.endswith("proj_bias") or name == "out_proj.bias" for name in arrays)}
    options |= {"maps": (*roles, *(["out"] if "out.weight" in own else []))}
    if options["bias"]:  # of input_bias=False, hopfield-layers has that of the output alone
        own = {
            f"{name}.bias": own[f"{name}.weight"].new_zeros(len(own[f"{name}.weight"])) for name in options["maps"]
        } | own
    options |= {"norms": tuple(role for role in norms if f"norms.{role}.weight" in own)}
    return {name: value for name, value in options.items() if value is not None}, own


def _of_input(role: str) -> tuple[str, str]:
    """The names of the arrays whose last axis is the dim of an input."""
    return f"norms.{role}.weight", f"{role}.weight"


def written(own: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The state of a kind, from that of a layer which the kind can hold."""
    weights = {role: own[f"{role}.weight"] for role in ROLES if f"{role}.weight" in own}
    if len({tuple(weight.shape) for weight in weights.values()}) == 1:
        state = {"in_proj_weight": torch.cat([*weights.values()])}
    else:
        state = {f"{role[0]}_proj_weight": weight for role, weight in weights.items()}
    if biases := [own[f"{role}.bias"] for role in ROLES if f"{role}.bias" in own]:
        unused = [] if "value" in weights else [torch.zeros_like(biases[0])]  # hopfield-layers has it all the same
        state["in_proj_bias"] = torch.cat([*biases, *unused])
    state |= {f"out_proj.{part}": own[f"out.{part}"] for part in PARTS if f"out.{part}" in own}
    if kind == "torch":
        return state
    names = {f"{role}.": f"{name}." for role, name in NORMS.items()} | {"head.": f"{CORE}p_norm_"}
    state = {f"{CORE}{name}": array for name, array in state.items()}
    for before, after in names.items():
        state |= {f"{after}{part}": own[name] for part in PARTS if (name := f"norms.{before}{part}") in own}
    return state
