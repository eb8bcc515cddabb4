"""The arrays of a model by their roles, and what is made of them: embedded words, heads, layers, logits.

Half precision is widened to single precision as it is read; other arrays stay in the file, which is mapped into memory.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopattn.checkpoints.plan import Plan
from hopattn.foundation.array_headers import StoredArray
from hopattn.foundation.arrays import Array, require_finite
from hopattn.foundation.errors import InvalidInput, listed, nearest
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import linear
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.similarity import Capped, Dot
from hopattn.transformer.blocks import Block
from hopattn.transformer.families import TASK_ARRAYS, Family
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.multi_head import MultiHead, of_maps
from hopattn.transformer.nonlinearities import NONLINEARITIES
from hopattn.transformer.normalisation import LayerNorm, Normalisation

AXES = {
    **{"query": "queries dim", "key": "keys dim", "value": "keys dim", "joint": "joint dim", "out": "dim queries"},
    **{"inner": "hidden dim", "gate": "hidden dim", "gated": "gated dim", "outer": "dim hidden"},
    **{"transform": "dim dim", "enter": "dim word", "leave": "word dim"},
    **{"embedding": "tokens word", "unembedding": "tokens word", "places": "places dim", "kinds": "kinds dim"},
    **{"sinks": "heads", "logit_bias": "tokens"},
}
"""The axes of a map or an array of each role; those of a map as (out, in)."""
AXES_OF_NORMS = {"query": "head", "key": "head"}
"""The axis of a norm, which is `dim` for all others."""
AT_ONCE = 2**14
"""The tokens of the vocabulary whose logits are computed at once."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A model whose arrays are in files.

    stored: the arrays by the names of the family, without its prefix. has_logits: whether it has those of its logits.
    dtype: the precision to which they are converted as they are read; None: that of the file, and single for half.
    """

    family: Family
    plan: Plan
    stored: Mapping[str, StoredArray]
    has_logits: bool
    dtype: np.dtype | None = None

    @classmethod
    def of(
        cls, family: Family, plan: Plan, arrays: Mapping[str, StoredArray], dtype: np.dtype | None = None
    ) -> "Parts":
        """The parts of these arrays.

        Raises `InvalidInput` for arrays that are missing, for those that the family does not know, and for another
        shape than the configuration says; nothing but the headers is read.
        """
        short = _names(arrays, family)
        table = {short[name]: array for name, array in arrays.items()}
        if len(table) < len(arrays):
            raise InvalidInput(f"arrays: the prefix '{family.prefixes[0]}' or an older ending gives a name twice")
        if family.untied_bias in table:
            table[family.arrays["logit_bias"]] = table.pop(family.untied_bias)
        if plan.tied and family.arrays["unembedding"] in table:  # arrays that differ are not tied, whatever is said
            plan = replace(plan, tied=False)
        shapes, of_logits = shapes_of(family, plan)
        has_logits = not of_logits or any(name in table for name in of_logits)
        shapes = shapes | of_logits if has_logits else shapes
        if missing := [name for name in shapes if name not in table]:
            extras = [array.name for name, array in table.items() if name not in shapes]
            hint = f"; the file has {listed(extras[:3])}" if extras else ""
            raise InvalidInput(f"arrays: missing: {listed(missing)}; the fields of config.json ask for them{hint}")
        unread_pattern = _pattern([*family.unread_arrays, *TASK_ARRAYS])
        layer_pattern = _pattern(name for name in (*names_of(family), *family.unread_arrays) if "{}" in name)
        for name, array in table.items():
            number = next(filter(None, match.groups()), "") if (match := layer_pattern.match(name)) else ""
            if number and int(number) >= plan.n_layers:
                why = f"is of layer {number}, and the configuration says n_layers = {plan.n_layers}"
                raise InvalidInput(f"{array.where} {why}")
            if name in shapes and array.shape != shapes[name]:
                raise InvalidInput(f"{array.where}: got shape {array.shape}; the configuration says {shapes[name]}")
            if name in shapes:
                array.require("f", "floating-point numbers")
            elif not unread_pattern.fullmatch(name):
                guess = nearest(name, shapes)
                raise InvalidInput(f"{array.where} is not known" + (f"; did you mean '{guess}'?" if guess else ""))
        return cls(family, plan, table, has_logits, dtype)

    def embedded(self, ids: np.ndarray, kinds: np.ndarray | None) -> np.ndarray:
        """The words before the first layer, `(n, dim)`."""
        words = self.embedding(ids) * self.plan.embedding_scale
        if "places" in self.family.arrays:
            words = words + self._rows("places", self._places(ids))
        if "kinds" in self.family.arrays:
            words = words + self._rows("kinds", np.zeros_like(ids) if kinds is None else kinds)
        return np.asarray(self._norm("embedding")(words))

    def multi_head(self, layer: int) -> MultiHead:
        """The heads of a layer, with its mask, positions, norms, sinks and cap."""
        plan, beta = self.plan, self.plan.betas[layer]
        return of_maps(
            self._joint(layer) if self.family.joint else [self._map(role, layer) for role in ROLES],
            self._map("out", layer),
            (plan.n_heads, plan.n_key_heads),
            sink=self._read(self.family.arrays["sinks"].format(layer)) if "sinks" in self.family.arrays else None,
            mask=plan.masks[layer],
            position=plan.positions[layer],
            query_norm=self._norm("query", layer),
            key_norm=self._norm("key", layer),
            beta=beta,
            similarity=Dot() if plan.score_cap is None else Capped(plan.score_cap / beta),
        )

    def block(self, layer: int) -> Block:
        """A layer: its heads and its feed-forward layer, with their norms."""
        norms, maps, plan = self.family.norms, self.family.maps, self.plan
        gate: Affine | None
        if "gated" in maps:
            gated = self._map("gated", layer)
            gate, inner = gated.split([gated.dims[0] // 2] * 2)
        else:
            gate, inner = self._map("gate", layer) if "gate" in maps else None, self._map("inner", layer)
        return Block(
            self.multi_head(layer),
            FeedForward(inner, self._map("outer", layer), plan.activation, gate=gate),
            norms=[self._norm(role, layer) for role in SUBLAYERS],
            norm_first=plan.norm_first,
            norms_after=[self._norm(f"{role}_after", layer) for role in SUBLAYERS if f"{role}_after" in norms],
            parallel=plan.parallel,
        )

    def logits(self, words: np.ndarray) -> np.ndarray:
        """The logits `(n, n_tokens)` of words after the last layer."""
        words = self.final_norm(words)
        if "transform" in self.family.maps:
            words = self._norm("transform")(
                NONLINEARITIES[self.plan.transform_activation](self._map("transform")(words))
            )
        if self._has_map("leave"):
            words = self._map("leave")(words)
        chunks = blocks(self.plan.n_tokens, AT_ONCE)
        logits = np.concatenate([linear(words, self._rows(self._reading, chunk)) for chunk in chunks], axis=-1)
        if "logit_bias" in self.family.arrays:
            logits = logits + self._read(self.family.arrays["logit_bias"])
        cap = self.plan.logit_cap
        return logits if cap is None else cap * np.tanh(logits / cap)

    @property
    def final_norm(self) -> Any:
        """The norm of the words after the last layer."""
        return self._norm("final")

    def embedding(self, tokens: Array) -> np.ndarray:
        """The words of some tokens, without a scale or a position."""
        vectors = self._rows("embedding", tokens)
        return np.asarray(self._map("enter")(vectors)) if self._has_map("enter") else vectors

    def unembedding(self, tokens: Array) -> np.ndarray:
        """The rows of the matrix to the logits, for some tokens."""
        vectors = self._rows(self._reading, tokens)
        return vectors @ self._map("leave").weight if self._has_map("leave") else vectors

    @property
    def _reading(self) -> str:
        """The role of the array whose rows read the logits."""
        return "embedding" if self.plan.tied else "unembedding"

    def _places(self, ids: np.ndarray) -> np.ndarray:
        """The row of the position of each token; tokens of padding share one row, and are not counted."""
        if self.plan.padding is None:
            return np.arange(len(ids)) + self.plan.first_place
        in_text = ids != self.plan.padding
        return np.where(in_text, in_text.cumsum() - 1 + self.plan.first_place, self.plan.padding)

    def _has_map(self, role: str) -> bool:
        return role in self.family.maps and role not in self.plan.absent

    def _map(self, role: str, layer: int = 0) -> Affine:
        name = self.family.maps[role].format(layer)
        weight = self._read(f"{name}.weight")
        bias = self._read(f"{name}.bias") if role in self.plan.biased else None
        return Affine(weight.T if self.family.transposed else weight, bias)

    def _joint(self, layer: int) -> list[Affine]:
        """The maps to queries, keys and values, whose rows are in one array, in the order that the family says."""
        joint, plan = self._map("joint", layer), self.plan
        if self.family.joint == "head, role":

            def by_role(rows: np.ndarray) -> np.ndarray:
                return rows.reshape(plan.n_heads, 3, -1, *rows.shape[1:]).swapaxes(0, 1).reshape(rows.shape)

            joint = Affine(by_role(joint.weight), None if joint.bias is None else by_role(joint.bias))
        return joint.split([n * plan.dim_head for n in (plan.n_heads, plan.n_key_heads, plan.n_key_heads)])

    def _norm(self, role: str, layer: int = 0) -> Normalisation | Identity:
        if role not in self.family.norms or role in self.plan.absent:
            return Identity()
        if not self.plan.affine:
            return self.family.norm(epsilon=self.plan.epsilon)
        name = self.family.norms[role].format(layer)
        shift = self._read(f"{name}.bias") if self.family.norm is LayerNorm else None
        return self.family.norm(self._read(f"{name}.weight") + self.family.gain, shift, epsilon=self.plan.epsilon)

    def _rows(self, role: str, rows: Any) -> np.ndarray:
        array = self.stored[self.family.arrays[role]]
        return self._wide(array.picked(rows), array.where)

    def _read(self, name: str) -> np.ndarray:
        return self._wide(self.stored[name].mapped(), self.stored[name].where)

    def _wide(self, array: np.ndarray, what: str) -> np.ndarray:
        """The array in the precision of the parts; raises `InvalidInput` for one that is not finite."""
        require_finite(array, what)
        half = np.float32 if array.dtype == np.float16 else array.dtype
        return array.astype(self.dtype or half, copy=False)


ROLES = ("query", "key", "value")
SUBLAYERS = ("attention", "feed_forward")


def _names(arrays: Iterable[str], family: Family) -> dict[str, str]:
    """The names of arrays in the table of their family: without its prefix, and with the newer endings."""
    every = list(arrays)
    prefix = next((prefix for prefix in family.prefixes if any(name.startswith(prefix) for name in every)), "")
    names = {name: name.removeprefix(prefix) for name in every}
    for name, short in names.items():
        for old, new in family.renamed.items():
            if short.endswith(old):
                names[name] = short.removesuffix(old) + new
    return names


def _pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names, in which `{}` is a number and `*` any text."""
    return re.compile("|".join(re.escape(name).replace(r"\*", ".*").replace(r"\{\}", r"(\d+)") for name in names))


def names_of(family: Family) -> list[str]:
    """The names of the arrays of a family, those of maps and norms without their endings."""
    return [*family.maps.values(), *family.norms.values(), *family.arrays.values()]


def shapes_of(family: Family, plan: Plan) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """The shape of each array of a model by name; and of those that only its logits need."""
    sizes, shapes, of_logits = plan.sizes, dict[str, Any](), dict[str, Any]()

    def state(name: str, role: str, axes: str) -> None:
        table = of_logits if role in ("transform", "logit_bias", "unembedding") else shapes
        for i in range(plan.n_layers if "{}" in name else 1):
            table[name.format(i)] = tuple(sizes[axis] for axis in axes.split())

    for role, name in family.maps.items():
        if role in plan.absent:
            continue
        out, inner = AXES[role].split()
        state(f"{name}.weight", role, f"{inner} {out}" if family.transposed else f"{out} {inner}")
        if role in plan.biased:
            state(f"{name}.bias", role, out)
    for role, name in family.norms.items():
        if role in plan.absent or not plan.affine:
            continue
        for ending in ("weight", "bias") if family.norm is LayerNorm else ("weight",):
            state(f"{name}.{ending}", role, AXES_OF_NORMS.get(role, "dim"))
    for role, name in family.arrays.items():
        if role != "unembedding" or not plan.tied:
            state(name, role, AXES[role])
    return shapes, of_logits
