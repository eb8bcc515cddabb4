"""Weights in PyTorch's terms: the names and arrays of a `state_dict`, read and written.

A `torch.nn.MultiheadAttention` keeps W_Q, W_K and W_V in one matrix, the heads one below the other. PyTorch itself is
not needed: the arrays may be of any library.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hopattn.foundation.arrays import Array, as_float, namespace
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.scalars import whole
from hopattn.transformer.affine import Affine

ROLES = ("q", "k", "v")


@dataclass(frozen=True, eq=False)
class TorchHeads:
    """The maps of all heads together. maps: W_Q, W_K, W_V, each `(dim, dim of its text)`. n_heads: their number."""

    maps: tuple[Affine, ...]
    out: Affine
    n_heads: int

    @property
    def dim_key(self) -> int:
        """The dim of the queries of one head."""
        return self.maps[0].dims[0] // self.n_heads

    def of_each_head(self) -> Iterator[list[Affine]]:
        """The maps of each head: W_Q, W_K, W_V."""
        for i in range(self.n_heads):
            yield [_rows(one, i, self.n_heads) for one in self.maps]

    def state(self) -> dict[str, Array]:
        """The names and arrays of a `torch.nn.MultiheadAttention`."""
        maps = self.maps
        state: dict[str, Array] = {}
        if len({one.dims[1] for one in maps}) == 1:
            together = Affine.stacked(list(maps))
            state["in_proj_weight"] = together.weight
        else:
            together = Affine.stacked([Affine(one.weight[:, :1], one.bias) for one in maps])
            state |= {f"{role}_proj_weight": one.weight for role, one in zip(ROLES, maps, strict=True)}
        if together.bias is not None:
            state["in_proj_bias"] = together.bias
        return with_all_biases(state | affine_state("out_proj", self.out))


def torch_heads(state: Mapping[str, Any], n_heads: int) -> TorchHeads:
    """The maps of a `torch.nn.MultiheadAttention` from its `state_dict`.

    Raises `InvalidInput` for missing and further names, all at once, for arrays that do not fit, and for a dim that
    n_heads does not divide.
    """
    require_state(state)
    apart = [f"{role}_proj_weight" for role in ROLES]
    weights = apart if any(name in state for name in apart) else ["in_proj_weight"]
    require_names(state, [*weights, "out_proj.weight"], ["in_proj_bias", "out_proj.bias"])
    out = affine_from(state, "out_proj")
    dim, parts = out.dims[0], whole(n_heads, "n_heads", least=1)
    if dim % parts:
        raise InvalidInput(f"n_heads: {n_heads} heads do not divide the dim {dim}")
    matrices = [as_float(state[name], name) for name in weights]
    if len(matrices) == 1:
        _require_shape(matrices[0], (3 * dim, matrices[0].shape[-1]), weights[0])
        matrices = [matrices[0][i * dim : (i + 1) * dim, :] for i in range(3)]
    for name, matrix in zip(apart, matrices, strict=True):
        _require_shape(matrix, (dim, matrix.shape[-1]), name)
    biases: list[Any] = [None] * 3
    if state.get("in_proj_bias") is not None:
        bias = as_float(state["in_proj_bias"], "in_proj_bias")
        _require_shape(bias, (3 * dim,), "in_proj_bias")
        biases = [bias[i * dim : (i + 1) * dim] for i in range(3)]
    maps = tuple(Affine(matrix, bias) for matrix, bias in zip(matrices, biases, strict=True))
    return TorchHeads(maps, out, parts)


def require_state(state: Any) -> None:
    """Raise `InvalidInput` unless a state is a mapping from names, which are texts."""
    if not isinstance(state, Mapping) and callable(getattr(state, "state_dict", None)):
        raise InvalidInput("state: expected names and arrays, not a module; give module.state_dict()")
    if not isinstance(state, Mapping) or not all(isinstance(name, str) for name in state):
        raise InvalidInput(f"state: expected names and arrays of a state_dict, not {quoted(state)}")


def require_names(state: Mapping[str, Any], needed: Iterable[str], optional: Iterable[str] = ()) -> None:
    """Raise `InvalidInput` unless a state has the needed names, and no others than these and the optional ones."""
    require_state(state)
    wanted = list(needed)
    known = [*wanted, *optional]
    missing = [name for name in wanted if name not in state]
    further = [str(name) for name in state if name not in known]
    if not missing and not further:
        return
    parts = [f"missing: {', '.join(missing)}"] if missing else []
    for name in further:
        close = get_close_matches(name, known, 1)
        parts.append(f"unexpected: {name}" + (f" (did you mean {close[0]}?)" if close else ""))
    raise InvalidInput(f"state: {'; '.join(parts)}")


def with_prefix(state: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The part of a state below a prefix, named without it; raises `InvalidInput` for no mapping."""
    require_state(state)
    return {name.removeprefix(f"{prefix}."): array for name, array in state.items() if name.startswith(f"{prefix}.")}


def affine_from(state: Mapping[str, Any], name: str) -> Affine:
    """The map of a `torch.nn.Linear` of this name in a state."""
    return Affine(state[f"{name}.weight"], state.get(f"{name}.bias"), what=f"{name}.weight")


def affine_state(name: str, own: Affine) -> dict[str, Array]:
    """The names and arrays of a `torch.nn.Linear`."""
    return {f"{name}.weight": own.weight} | ({} if own.bias is None else {f"{name}.bias": own.bias})


def with_all_biases(state: Mapping[str, Array]) -> dict[str, Array]:
    """A state with zeros for each bias that it lacks, if it has any: PyTorch's classes have all of them or none."""
    if not any(name.endswith("bias") for name in state):
        return dict(state)
    full = dict(state)
    for name, weight in state.items():
        apart = name.endswith("q_proj_weight")  # W_Q, W_K and W_V have one bias together
        if apart or not name.endswith(("k_proj_weight", "v_proj_weight", "bias")):
            bias = (
                f"{name.removesuffix('q_proj_weight')}in_proj_bias" if apart else f"{name.removesuffix('weight')}bias"
            )
            zeros = namespace(weight).zeros_like(weight[:, 0] if weight.ndim > 1 else weight)
            full.setdefault(bias, namespace(weight).concat([zeros] * 3) if apart else zeros)
    return full


def _rows(own: Affine, i: int, n_heads: int) -> Affine:
    """The part of a map for one of the heads."""
    height = own.dims[0] // n_heads
    rows = slice(i * height, (i + 1) * height)
    return Affine(own.weight[rows, :], None if own.bias is None else own.bias[rows])


def _require_shape(array: Array, shape: tuple[int, ...], name: str) -> None:
    if tuple(array.shape) != shape:
        raise InvalidInput(f"{name}: expected shape {shape}, not {tuple(array.shape)}")
