"""Hopfield layers: attention of any number of steps as modules of PyTorch.

    q = W_Q x      K = W_K y      V = W_V z      ξ ← Kᵀ ∇Ψ(β K ξ) from ξ = q      output = W_O Vᵀ ∇Ψ(β K ξ)

With one step it is attention: ξ is the query. With k steps, k − 1 of them move the query among the keys. Without a
number, it moves until it rests. Each head does so for itself.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import torch
from torch import nn

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import as_float, require_fitting, shaped
from hopattn.foundation.boundary import Count, Declared, Flag, public
from hopattn.foundation.checks import each, positive, real, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.traces import requires_grad
from hopattn.retrieval.activation import Activation, Identity
from hopattn.retrieval.masks import MaskRule, as_bias, as_mask, joint, placed, require_on_scores, seen_keys, terms_of
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation, with_sink
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.step import Step
from hopattn.torch.association import Association
from hopattn.torch.rest import Rest, at_rest
from hopattn.torch.states import KINDS, ROLES, read, written
from hopattn.transformer.from_torch import require_state
from hopattn.transformer.scaled_dot_product import Texts, texts_without_padding

LEARNED = ("beta", "sink")


def _names_of(*choices: str) -> Any:
    """The check of an option that takes some of these names."""

    def names(value: Any, what: str) -> tuple[str, ...]:
        chosen = each((value,) if isinstance(value, str) else value, str, what, "a name")
        reject_unknown(what, chosen, choices)
        return chosen

    return names


def _one_of(*choices: str) -> Any:
    def name(value: Any, what: str) -> str:
        return str(_names_of(*choices)((value,), what)[0])

    return name


def _numbers(value: Any, what: str, check: Any) -> Any:
    """A number, or one for each head as a tensor, each of them checked."""
    if getattr(value, "ndim", 0) or isinstance(value, Sequence):
        numbers = [check(number, f"{what}: entry {i}") for i, number in enumerate(as_float(value, what).tolist())]
        return torch.tensor(numbers, dtype=torch.get_default_dtype())
    return check(value.item() if isinstance(value, torch.Tensor) else value, what)


@dataclass(frozen=True, eq=False, kw_only=True)
class LayerOptions(Declared):
    """The options of a layer; `Hopfield` says what they are."""

    separation: Any = "softmax"
    beta: Annotated[Any, lambda value, what: _numbers(value, what, positive)] = None
    sink: Annotated[Any, lambda value, what: _numbers(value, what, real)] = None
    learned: Annotated[Collection[str], _names_of(*LEARNED)] = ()
    activation: str | Activation = "identity"
    steps: Annotated[int | None, lambda value, what: None if value is None else whole(value, what)] = 1
    stop: Annotated[Literal["cue", "head"], _one_of("cue", "head")] = "cue"
    tol: Annotated[float | None, lambda value, what: real(value, what, least=0.0)] = None
    max_steps: Count = 200
    dropout: Annotated[float, lambda value, what: real(value, what, least=0.0, below=1.0)] = 0.0
    maps: Annotated[Collection[str], _names_of(*ROLES, "out")] = (*ROLES, "out")
    norms: Annotated[Collection[str], _names_of(*ROLES, "head")] = ()
    bias: Flag = True
    dim_keys: Annotated[int | None, whole] = None
    dim_values: Annotated[int | None, whole] = None
    dim_head: Annotated[int | None, whole] = None
    dim_read: Annotated[int | None, whole] = None
    dim_out: Annotated[int | None, whole] = None
    block: Annotated[int | None, whole] = None


class Hopfield(nn.Module, PublicObject):  # type: ignore[misc]
    """Heads that recall: each query is completed by the keys of its text, and reads the values.

    Parameters
    ----------
    dim : the dim of the queries' text.
    n_heads : the number of heads.
    separation
        a name or an object. Tensors in an object that are parameters of PyTorch become parameters of the layer.
    beta
        β, a number or one for each head, 1/√dim_head by default; an object has its own, and then it is None.
    sink : the logit of a null pattern, a number or one for each head; None for none.
    learned : "beta" (by its logarithm, so that it stays positive), "sink", or both.
    activation : that of each step; a name or an object.
    steps : from 1, which is attention; None for recall to the fixed point.
    stop
        without steps, "cue": each cue at its own rest, |x⁺ − x| ≤ tol · max(|x⁺|, |cue|); "head": a head, when the
        weights change by at most tol (1e-4) in each text of the batch, the rule of hopfield-layers.
    tol : ε^¾ by default for "cue".
    max_steps : the most steps of a recall to the fixed point.
    dropout : the share of the weights that are set to 0 in the last step of a training.
    maps : which of "query", "key", "value" and "out" have a matrix; without it, all heads have the text as it is.
    norms
        which of "query", "key", "value" are layer-normalised before their map; "head": queries and keys after it.
    bias : whether the maps add a bias.
    dim_keys, dim_values : the dims of the texts of keys and values, by default `dim` and `dim_keys`.
    dim_head, dim_read : the dims of a head's keys and values, by default dim / n_heads and `dim_head`.
    dim_out : that of the output, by default `dim`.
    block
        the number of keys whose scores are held at once, for a softmax whose scores do not fit; None for PyTorch's
        own choice.

    Raises
    ------
    InvalidInput : for dims that do not fit, and for options that do not go together.

    Notes
    -----
    Texts are `(batch, n, dim)` or `(n, dim)`, batch first. In the module `rest` is the record of the last recall to the
    fixed point. Source: Ramsauer et al. (2021), ICLR, equation 3 for a step and 10 for the layer (their R is our query
    text, Y the key text, ξ the state).

    Examples
    --------
    >>> layer = Hopfield(4, 2, steps=3)
    >>> layer(torch.ones(5, 4)).shape
    torch.Size([5, 4])
    """

    rest: Rest | None = None
    _own_arrays: ClassVar[dict[str, str]] = {}
    """The parameters beside the maps, with their names in hopfield-layers."""

    @public(parts=LayerOptions)
    def __init__(self, dim: Count, n_heads: Count = 1, **options: Any) -> None:
        super().__init__()
        choice = LayerOptions(**options)
        self.options, self.dim, self.n_heads = choice, dim, n_heads
        self.dim_keys = choice.dim_keys or dim
        self.dim_values = choice.dim_values or self.dim_keys
        self.dim_head = self._dim_of_head(choice)
        self.dim_read = choice.dim_read or (self.dim_head if "value" in choice.maps else self.dim_values)
        self._require_read(choice)
        shapes = {"query": (dim, self.dim_head), "key": (self.dim_keys, self.dim_head)}
        for role, (dim_in, dim_each) in {**shapes, "value": (self.dim_values, self.dim_read)}.items():
            mapped = role in choice.maps
            setattr(self, role, nn.Linear(dim_in, n_heads * dim_each, choice.bias) if mapped else None)
        dim_joined, self.dim_out = n_heads * self.dim_read, choice.dim_out or dim
        self.out = nn.Linear(dim_joined, self.dim_out, choice.bias) if "out" in choice.maps else None
        dims = {"query": dim, "key": self.dim_keys, "value": self.dim_values, "head": self.dim_head}
        self.norms = nn.ModuleDict({name: nn.LayerNorm(dims[name]) for name in choice.norms})
        self._add_numbers(choice)

    def _dim_of_head(self, choice: LayerOptions) -> int:
        """The dim of the queries and keys of a head; raises `InvalidInput` where a text without a map does not fit."""
        dims = {"query": self.dim, "key": self.dim_keys}
        texts = {role: dim for role, dim in dims.items() if role not in choice.maps}
        if choice.dim_head is None and not texts and self.dim % self.n_heads:
            cure = "give dim_head"
            raise InvalidInput(f"n_heads: {self.n_heads} heads do not divide the dim {self.dim}; {cure}")
        dim_head = choice.dim_head or next(iter(texts.values()), self.dim // self.n_heads)
        for role, dim in texts.items():
            if dim != dim_head:
                what = f"maps: without '{role}' the heads have its text of dim {dim}"
                raise InvalidInput(f"{what}, which does not fit their dim_head {dim_head}")
        return dim_head

    def _require_read(self, choice: LayerOptions) -> None:
        """Raise `InvalidInput` for values without a map, and blocks, that do not fit."""
        if "value" not in choice.maps and self.dim_read != self.dim_values:
            what = f"maps: without 'value' the heads read its text of dim {self.dim_values}"
            raise InvalidInput(f"{what}, not of dim_read {self.dim_read}")
        if choice.dim_out is not None and "out" not in choice.maps:
            raise InvalidInput("dim_out: is the dim of the map 'out', which maps leave out")
        if choice.block is not None and (choice.dropout or choice.stop == "head"):
            raise InvalidInput("block: dropout and stop='head' need all weights at once; leave it out")

    def _add_numbers(self, choice: LayerOptions) -> None:
        """The step, β and the sinks; what is learned, or one for each head, becomes a parameter or a buffer."""
        chosen, sink, beta = choice.separation, choice.sink, choice.beta
        named, several = not isinstance(chosen, Separation), isinstance(sink, torch.Tensor)
        separation = separation_of(chosen, 1.0 if named else beta, sink=0.0 if several else sink)
        if requires_grad(separation.beta):
            raise InvalidInput("separation: a β of its own is not learned; give the name, and learned='beta'")
        if choice.block is not None and type(separation) is not Softmax:
            raise InvalidInput(f"block: only a softmax is summed over blocks of keys, not {quoted(separation)}")
        self.step = Step("dot", separation, choice.activation)
        if self.step.activation.discrete:
            raise InvalidInput(f"activation: a layer needs a derivative, and {quoted(self.step.activation)} jumps")
        for name, value in vars(separation).items():
            if isinstance(value, nn.Parameter):
                self.register_parameter(name, value)
        if "sink" in choice.learned and sink is None:
            raise InvalidInput("learned: a sink is learned from a first number; give sink=0.0 too")
        factor = beta if beta is not None else self.dim_head**-0.5 if named else 1.0
        self._keep("log_beta", torch.as_tensor(factor).log() if "beta" in choice.learned else None, True)
        self._keep("fixed_beta", factor if self.log_beta is None else None)
        self._keep("sink", sink, "sink" in choice.learned)

    def _keep(self, name: str, value: Any, learned: bool = False) -> None:
        """Keep a number: one that is learned as a parameter, one for each head as a buffer."""
        if isinstance(value, torch.Tensor) and value.ndim and len(value) != self.n_heads:
            what = name.removeprefix("log_").removeprefix("fixed_")
            expected = f"expected one, or one for each of {self.n_heads} heads"
            raise InvalidInput(f"{what}: got {len(value)} numbers; {expected}")
        if learned and value is not None:
            setattr(self, name, nn.Parameter(torch.as_tensor(value, dtype=torch.get_default_dtype())))
        elif isinstance(value, torch.Tensor):
            self.register_buffer(name, value)
        else:
            setattr(self, name, value)

    @property
    def beta(self) -> Any:
        """β: a number, or a tensor `()` or `(heads,)`; 1 for a separation that has its own."""
        return self.fixed_beta if self.log_beta is None else self.log_beta.exp()

    def forward(self, query: Any, keys: Any = None, values: Any = None, *, mask: Any = None, bias: Any = None) -> Any:
        """The output, `(batch, n, dim_out)`, for a text of queries `(batch, n, dim)`.

        Parameters
        ----------
        keys : `(batch, m, dim_keys)`, or `(m, dim_keys)` for all texts of the batch; by default the queries.
        values : `(batch, m, dim_values)`, by default the keys.
        mask
            booleans that broadcast to `(batch, n, m)`, True = may attend, or a rule: "causal",
            `hopattn.padding(lengths)`. A query that sees nothing reads 0.
        bias : numbers added to the scores, which broadcast to `(batch, heads, n, m)`; −inf masks an entry.

        Raises
        ------
        InvalidInput : for texts, a mask and a bias that do not fit; for the gradient at a fixed point that has none.
        """
        cues, read, association, alone = self._associated(query, keys, values, mask, bias)
        cues = self._recalled(cues, association)
        output = association(cues, read, self.options.dropout if self.training else 0.0)
        joined = output.movedim(-3, -2).flatten(-2)
        joined = joined if self.out is None else self.out(joined)
        return joined[0] if alone else joined

    def weights(self, query: Any, keys: Any = None, *, mask: Any = None, bias: Any = None) -> Any:
        """p of the last step, `(batch, heads, n, m)`; the arguments are those of a call."""
        cues, _, association, alone = self._associated(query, keys, None, mask, bias, read=False)
        weights = association.weights(self._recalled(cues, association))
        return weights[0] if alone else weights

    def energy(self, query: Any, keys: Any = None, *, mask: Any = None, bias: Any = None) -> Any:
        """E of the queries before the first step, `(batch, heads, n)`; the arguments are those of a call.

        No step raises it where the separation is convex.
        """
        cues, _, association, alone = self._associated(query, keys, None, mask, bias, read=False)
        energy = association.energy(cues)
        return energy[0] if alone else energy

    def _recalled(self, cues: Any, association: Association) -> Any:
        """ξ: the cues after all steps but the last."""
        choice = self.options
        if choice.steps is None:
            cues, self.rest = at_rest(association, cues, choice.stop, choice.tol, choice.max_steps)
            return cues
        for _ in range(choice.steps - 1):
            cues = association(cues)
        return cues

    def _associated(
        self, query: Any, keys: Any, values: Any, mask: Any, bias: Any, read: bool = True
    ) -> tuple[Any, Any, Association, bool]:
        """The cues and the values of all heads, what the cues are compared with, and whether no text has a batch."""
        keys = query if keys is None else keys
        texts = Texts(query, keys, keys if values is None else values)
        dims = {"query": self.dim, "keys": self.dim_keys, **({"values": self.dim_values} if read else {})}
        for text, (name, dim) in zip(texts, dims.items(), strict=False):
            self._require_text(text, name, dim)
            require_fitting(text, query, name, "query")
        if texts.values.shape[-2] != keys.shape[-2]:
            raise InvalidInput(f"values: {texts.values.shape[-2]} rows, but {keys.shape[-2]} keys")
        pairs = texts.pairs
        rule = placed(as_mask(mask), pairs, keys)
        parts = [part if isinstance(part, MaskRule) else _with_heads(part, pairs) for part in terms_of(rule)]
        numbers = None if bias is None else as_bias(bias, keys, "keys")
        if numbers is not None:
            require_on_scores(numbers, (*pairs[:-2], self.n_heads, *pairs[-2:]), "bias", "scores (batch, heads, n, m)")
        texts = texts_without_padding(texts, seen_keys(rule, pairs, keys))
        roles = zip(ROLES if read else ROLES[:2], texts, strict=False)
        cues, stored, *values = (self._of_heads(role, text) for role, text in roles)
        beta, step = self.beta, self.step
        if isinstance(self.sink, torch.Tensor):
            sinks = self.sink[:, None] if self.sink.ndim else self.sink
            step = replace(step, separation=with_sink(step.separation, sinks))
        beta = beta[:, None, None] if isinstance(beta, torch.Tensor) and beta.ndim else beta
        association = Association(step, beta, stored, joint(*parts, bias=numbers), self.options.block or 0)
        return cues, values[0] if read else None, association, all(text.ndim == 2 for text in texts)

    def _require_text(self, text: Any, name: str, dim: int) -> None:
        """Raise `InvalidInput` for a text that is no tensor, or whose dim, device or dtype is not the layer's."""
        if not isinstance(text, torch.Tensor) or text.ndim not in (2, 3):
            got = tuple(text.shape) if isinstance(text, torch.Tensor) else quoted(text)
            raise InvalidInput(f"{name}: expected a tensor (batch, n, {dim}) or (n, {dim}), not {got}")
        shaped(text, name, "… n dim", dim=(dim, "the layer"))
        for parameter in self.parameters():
            require_fitting(text, parameter, name, "the layer's parameters")
            break

    def _of_heads(self, role: str, text: Any) -> Any:
        """A text as the heads have it, `(batch, heads, n, dim)`; of one head for all where it has no map."""
        text = self.norms[role](text) if role in self.norms else text
        text = text if text.ndim == 3 else text[None]
        matrix = getattr(self, role)
        heads = text[..., None, :] if matrix is None else matrix(text).reshape(*text.shape[:-1], self.n_heads, -1)
        heads = heads.movedim(-2, -3)
        heads = self.norms["head"](heads) if "head" in self.norms and role != "value" else heads
        return heads.expand(-1, self.n_heads, -1, -1)

    @classmethod
    @public(parts=LayerOptions)
    def from_state(cls, state: Mapping[str, Any], n_heads: Count = 1, **options: Any) -> Self:
        """The layer of a state: of hopfield-layers' class of this name, or of a `torch.nn.MultiheadAttention`.

        Parameters
        ----------
        state : names and tensors, as `state_dict()` gives them.
        n_heads
            is in no state, and neither are the options `beta` (theirs: scaling), `steps` (update_steps_max + 1, or None
            with stop="head"), `sink` (0 for add_zero_association and add_zero_attn) and `dropout`; `maps` where one
            matrix holds fewer than three; `norms` for norms without weights.

        Raises
        ------
        InvalidInput : for missing and further names, all at once, and for options that do not fit the state.
        """
        require_state(state)
        own = {name: state[word].flatten(0, -2) for name, word in cls._own_arrays.items() if word in state}
        if cls._own_arrays and not own:
            missing = next(iter(cls._own_arrays.values()))
            raise InvalidInput(f"state: missing: {missing}, which a state of {cls.__name__} has")
        core = {name: array for name, array in state.items() if name not in cls._own_arrays.values()}
        known, arrays = read(core, n_heads, options)
        arrays = {name: torch.as_tensor(array) for name, array in (arrays | own).items()}
        layer = cls(n_heads=n_heads, **(known | cls._counts(own) | options))
        for array in [*arrays.values()][:1]:
            layer.to(array.device, array.dtype)
        try:
            layer.load_state_dict(layer.state_dict() | arrays)
        except RuntimeError as error:
            raise InvalidInput(f"state: does not fit the options: {error}") from None
        return layer

    def to_state(self, kind: str = "hopfield-layers") -> dict[str, Any]:
        """The state that hopfield-layers ("hopfield-layers") or `torch.nn.MultiheadAttention` ("torch") has.

        Raises `InvalidInput` for what the kind cannot hold, all at once.
        """
        reject_unknown("kind", [kind], KINDS)
        choice, separation, activation = self.options, self.step.separation, self.step.activation
        one_beta = self.log_beta is None and isinstance(self.fixed_beta, float)
        reasons = [
            (f"the separation {quoted(separation)}", type(separation) is not Softmax),
            (f"the activation {quoted(activation)}", activation != Identity()),
            (
                "a sink that is learned, or not 0",
                isinstance(self.sink, torch.Tensor) or separation.sink not in (None, 0.0),
            ),
            ("a β that is learned, or one for each head", not one_beta),
            ("stop='cue'", choice.steps is None and choice.stop == "cue"),
        ]
        if kind == "torch":
            alike = self.n_heads * self.dim_head == self.n_heads * self.dim_read == self.dim == self.dim_out
            reasons = [
                *reasons[:4],
                ("more than one step", choice.steps != 1),
                ("queries or keys of its own", bool(self._own_arrays)),
                ("norms", bool(choice.norms)),
                ("maps that are left out", {*choice.maps} != {*ROLES, "out"}),
                ("heads whose dims do not add up to the dim of the query and of the output", not alike),
                (f"a β of {self.beta}, but 1/√dim_head", one_beta and self.beta != self.dim_head**-0.5),
            ]
        if lacking := [reason for reason, holds in reasons if holds]:
            raise InvalidInput(f"to_state: a state of {kind} cannot hold {'; '.join(lacking)}")
        own = {word: array for name, word in self._own_arrays.items() if (array := getattr(self, name)) is not None}
        core = written(self.state_dict(), kind)
        if not own:
            return core
        of_class = {word: array.detach()[None] for word, array in own.items()}
        return of_class | {f"hopfield.{name}": array for name, array in core.items()}

    @classmethod
    def _counts(cls, own: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the class that its own arrays in a state tell."""
        return {}

    def extra_repr(self) -> str:
        choice = self.options
        parts = [f"n_heads={self.n_heads}, steps={choice.steps}, {quoted(self.step.separation)}"]
        return ", ".join(parts + [f"learned={choice.learned}"] * bool(choice.learned))


class HopfieldPooling(Hopfield):
    """Queries that are learned, and read a text of any length: a bag, a sequence, a set.

    Parameters
    ----------
    dim : the dim of the queries, and by default of the text.
    n_queries : the number of queries; the options are those of `Hopfield`.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR, section 3 (pooling).

    Examples
    --------
    >>> HopfieldPooling(4, n_queries=2)(torch.ones(3, 7, 4)).shape
    torch.Size([3, 2, 4])
    """

    _own_arrays: ClassVar[dict[str, str]] = {"queries": "pooling_weights"}

    @public(parts=LayerOptions)
    def __init__(self, dim: Count, n_heads: Count = 1, *, n_queries: Count = 1, **options: Any) -> None:
        super().__init__(dim, n_heads, **options)
        self.queries = _first_numbers(n_queries, dim)

    def forward(self, keys: Any, values: Any = None, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """What the queries read of texts `(batch, m, dim_keys)`, `(batch, n_queries, dim_out)`; see `Hopfield`."""
        return super().forward(self.queries, keys, values, mask=mask, bias=bias)

    def weights(self, keys: Any, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """p of the last step, `(batch, heads, n_queries, m)`; the arguments are those of a call."""
        return super().weights(self.queries, keys, mask=mask, bias=bias)

    def energy(self, keys: Any, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """E of the queries before the first step, `(batch, heads, n_queries)`; the arguments are those of a call."""
        return super().energy(self.queries, keys, mask=mask, bias=bias)

    @classmethod
    def _counts(cls, own: Mapping[str, Any]) -> dict[str, Any]:
        return {"n_queries": len(own["queries"])}


class HopfieldLayer(Hopfield):
    """Keys that are learned, and complete the queries: a memory in a network.

    Parameters
    ----------
    dim : the dim of the queries.
    n_patterns : the number of keys.
    values : whether the values are learned too; by default they are the keys. The options are those of `Hopfield`.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR, section 3 (lookup).

    Examples
    --------
    >>> HopfieldLayer(4, n_patterns=9)(torch.ones(3, 7, 4)).shape
    torch.Size([3, 7, 4])
    """

    _own_arrays: ClassVar[dict[str, str]] = {"keys": "lookup_weights", "values": "target_weights"}

    @public(parts=LayerOptions)
    def __init__(
        self, dim: Count, n_heads: Count = 1, *, n_patterns: Count = 1, values: Flag = False, **options: Any
    ) -> None:
        super().__init__(dim, n_heads, **options)
        self.keys = _first_numbers(n_patterns, self.dim_keys)
        self.values = _first_numbers(n_patterns, self.dim_values) if values else None

    def forward(self, query: Any, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """What queries `(batch, n, dim)` read, `(batch, n, dim_out)`; see `Hopfield`."""
        return super().forward(query, self.keys, self.values, mask=mask, bias=bias)

    def weights(self, query: Any, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """p of the last step, `(batch, heads, n, n_patterns)`; the arguments are those of a call."""
        return super().weights(query, self.keys, mask=mask, bias=bias)

    def energy(self, query: Any, *, mask: Any = None, bias: Any = None) -> Any:  # type: ignore[override]
        """E of the queries before the first step, `(batch, heads, n)`; the arguments are those of a call."""
        return super().energy(query, self.keys, mask=mask, bias=bias)

    @classmethod
    def _counts(cls, own: Mapping[str, Any]) -> dict[str, Any]:
        return {"n_patterns": len(own["keys"]), "values": "values" in own}


def _with_heads(mask: Any, pairs: tuple[int, ...]) -> Any:
    """A mask of scores `(batch, n, m)` as one of all heads; raises `InvalidInput` where it does not fit."""
    require_on_scores(mask, pairs, "mask")
    return mask if mask.ndim < 3 else mask[:, None]


def _first_numbers(n: int, dim: int) -> nn.Parameter:
    """Rows that are learned, `(n, dim)`, of length 1 or so."""
    return nn.Parameter(torch.randn(n, dim) * dim**-0.5)
