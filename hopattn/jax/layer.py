"""A Hopfield layer for JAX: heads with projections, a pytree whose leaves are what is learned.

    q = W_Q x      K = W_K y      V = W_V z      ξ ← Kᵀ ∇Ψ(β K ξ) from ξ = q      output = W_O Vᵀ ∇Ψ(β K ξ)

With one step it is attention: ξ is the query. With k steps, k − 1 of them move the query among the keys. Without a
number, it moves until it rests. Each head does so for itself.
"""

from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any, Self

import jax
import jax.numpy as jnp

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, Mask, shaped
from hopattn.foundation.boundary import Count, Declared, Flag, Of, public
from hopattn.foundation.checks import positive, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.vectors import linear
from hopattn.jax.fixed_point import Recalled, Steps, Tolerance, has_symmetric_slope, recalled
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.masks import MaskRule, as_bias, as_mask, joint, placed, require_on_scores, terms_of
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.step import Step

Query = Annotated[Array, Of("… n dim")]
Keys = Annotated[Array, Of("… m dim_keys")]
Values = Annotated[Array, Of("… m dim_values")]
Dim = Annotated[int | None, lambda value, what: None if value is None else whole(value, what)]


def _key(value: Any, what: str) -> Any:
    if not isinstance(value, jax.Array):
        raise InvalidInput(f"{what}: expected a key of JAX such as jax.random.key(0), not {quoted(value)}")
    return value


@dataclass(frozen=True, kw_only=True)
class LayerOptions(Declared):
    """The options of a layer that are not learned; `Hopfield.init` says what they are."""

    separation: str | Separation = "softmax"
    activation: str | Activation = "identity"
    beta: Annotated[float | None, lambda value, what: None if value is None else positive(value, what)] = None
    steps: Steps = 1
    tol: Tolerance = None
    max_steps: Count = 200


@jax.tree_util.register_dataclass
@dataclass(frozen=True, eq=False)
class Hopfield(PublicObject):
    """Heads that recall: each query is completed by the keys of its text, and reads the values.

    `Hopfield.init` makes one. It is a pytree: `jax.grad`, `jax.jit`, `jax.vmap` and optimisers take it as it is.

    Parameters
    ----------
    params
        the leaves, arrays by name. The maps "w_query", "w_key" and "w_value", `(n_heads, dim_head, dim_in)`, and
        "w_output", `(dim, n_heads · dim_head)`; their biases "b_query" and so on. "log_beta", log β, `(n_heads,)`,
        where β is learned; "alpha" and "sink", `(n_heads,)`, where the separation has an array of them.
    options : what is not learned.

    Notes
    -----
    Texts are `(…, n, dim)`, batch first. Source: Ramsauer et al. (2021), ICLR (their R is our query text, Y the key
    text, ξ the state).

    Examples
    --------
    >>> layer = Hopfield.init(jax.random.key(0), 4, 2, steps=3)
    >>> layer(jnp.ones((5, 4))).shape
    (5, 4)
    """

    params: dict[str, Any]
    options: LayerOptions = field(metadata={"static": True})

    @classmethod
    @public(parts=LayerOptions)
    def init(
        cls,
        key: Annotated[Any, _key],
        dim: Count,
        n_heads: Count = 1,
        *,
        dim_keys: Dim = None,
        dim_values: Dim = None,
        dim_head: Dim = None,
        learn_beta: Flag = False,
        biases: Flag = True,
        **options: Any,
    ) -> Self:
        """A layer whose maps are drawn from N(0, 1/dim_in), with biases of 0.

        Parameters
        ----------
        key : the key of the draws, as of `jax.random.key`.
        dim : the dim of the queries' text, and of the output.
        n_heads : the number of heads.
        dim_keys, dim_values : the dims of the texts of keys and values, by default `dim` and `dim_keys`.
        dim_head : the dim of the queries, keys and values of a head, by default dim / n_heads.
        learn_beta : whether each head learns its β, by its logarithm.
        biases : whether the maps add a bias.
        separation
            a name or an object. Its arrays `(n_heads,)`, `alpha` and `sink`, become leaves: keep an α from 1 to
            4 after each update, by `jnp.clip`.
        activation : that of each step; a name or an object.
        beta : β, the first one where it is learned; 1/√dim_head by default. An object for `separation` has its own.
        steps, tol, max_steps : as of `hopattn.jax.recall`; 1 step by default, which is attention.

        Raises
        ------
        InvalidInput : for dims and options that do not fit.
        """
        choice = LayerOptions(**options)
        if dim_head is None and dim % n_heads:
            raise InvalidInput(f"n_heads: {n_heads} heads do not divide the dim {dim}; give dim_head")
        dim_head = dim_head or dim // n_heads
        named, params = not isinstance(choice.separation, Separation), dict[str, Any]()
        separation, defaults = separation_of(choice.separation, 1.0 if named else choice.beta), {}
        for declared in fields(separation):
            value = getattr(separation, declared.name)
            if getattr(value, "ndim", 0):
                shaped(value, declared.name, "n_heads", n_heads=(n_heads, "the layer"))
                params[declared.name], defaults[declared.name] = jnp.asarray(value), 2.0
        beta = choice.beta or (dim_head**-0.5 if named else 1.0)
        choice = replace(choice, separation=replace(separation, **defaults), beta=beta)
        step = Step("dot", choice.separation, choice.activation)
        has_symmetric_slope(step)  # refuses what jumps
        sizes = {"query": dim, "key": dim_keys or dim, "value": dim_values or dim_keys or dim}
        shapes: dict[str, tuple[int, ...]] = {role: (n_heads, dim_head, size) for role, size in sizes.items()}
        shapes["output"] = dim, n_heads * dim_head
        for part, (role, shape) in zip(jax.random.split(key, 4), shapes.items(), strict=True):
            params[f"w_{role}"] = shape[-1] ** -0.5 * jax.random.normal(part, shape)
            if biases:
                params[f"b_{role}"] = jnp.zeros(shape[:-1])
        if learn_beta:
            params["log_beta"] = jnp.log(jnp.full(n_heads, beta))
        return cls(params, choice)

    @public
    def __call__(
        self, query: Query, keys: Keys = None, values: Values = None, *, mask: Mask = None, bias: Array = None
    ) -> Any:
        """The output, `(…, n, dim)`, for a text of queries `(…, n, dim)`.

        Parameters
        ----------
        keys : `(…, m, dim_keys)`, by default the queries.
        values : `(…, m, dim_values)`, by default the keys.
        mask
            booleans that broadcast to `(…, n, m)`, True = may attend, or a rule: "causal", `hopattn.padding(lengths)`.
        bias : numbers added to the scores, which broadcast to `(…, n_heads, n, m)`; −inf masks an entry.

        Raises
        ------
        InvalidInput : for texts, a mask and a bias that do not fit.
        """
        keys = query if keys is None else keys
        step, beta, cues, stored, total = self._associated(query, keys, mask, bias)
        read = self._of_heads("value", keys if values is None else values, "values")
        state = self._recalled(step, beta, cues, stored, total).state if self.options.steps != 1 else cues
        heads = step._answer(beta * state, stored, read, total).state
        joined = jnp.swapaxes(heads, -3, -2).reshape(*heads.shape[:-3], heads.shape[-2], -1)
        output = linear(joined, self.params["w_output"])
        return output + self.params["b_output"] if "b_output" in self.params else output

    @public
    def recall(self, query: Query, keys: Keys = None, *, mask: Mask = None, bias: Array = None) -> Recalled:
        """ξ of the last step, `(…, n_heads, n, dim_head)`, and the record of each; the arguments are those of a call.

        Raises `InvalidInput` for a layer of one step, whose ξ is the query.
        """
        if self.options.steps == 1:
            raise InvalidInput("recall: a layer of one step moves no query; make it with more steps, or steps=None")
        return self._recalled(*self._associated(query, query if keys is None else keys, mask, bias))

    def _recalled(self, step: Step, beta: Any, cues: Any, keys: Any, total: Any) -> Recalled:
        """The cues after all steps but the last."""
        choice = self.options
        steps = None if choice.steps is None else choice.steps - 1

        def image(x: Any) -> Any:
            return step._answer(beta * x, keys, keys, total).state

        return recalled(image, cues, steps, choice.tol, choice.max_steps, has_symmetric_slope(step))

    def _associated(self, query: Any, keys: Any, mask: Any, bias: Any) -> tuple[Step, Any, Any, Any, Any]:
        """The step, the factor of the cues, cues and keys of all heads, and the mask and bias as one."""
        params, choice = self.params, self.options
        cues, stored = self._of_heads("query", query, "query"), self._of_heads("key", keys, "keys")
        leading = jnp.broadcast_shapes(cues.shape[:-3], stored.shape[:-3])
        pairs = (*leading, cues.shape[-2], stored.shape[-2])
        parts = []
        for part in terms_of(placed(as_mask(mask), pairs, stored)):
            if not isinstance(part, MaskRule):
                require_on_scores(part, pairs, "mask")
                part = part if part.ndim < 3 else part[..., None, :, :]
            parts.append(part)
        total = joint(*parts, bias=None if bias is None else as_bias(bias, stored, "keys"))
        numbers = {name: params[name][:, None] for name in ("alpha", "sink") if name in params}
        step = Step("dot", replace(choice.separation, **numbers), choice.activation)  # type: ignore[type-var]
        beta = jnp.exp(params["log_beta"])[:, None, None] if "log_beta" in params else choice.beta
        return step, beta, cues, stored, total

    def _of_heads(self, role: str, text: Any, name: str) -> Any:
        """A text as the heads have it, `(…, n_heads, n, dim_head)`."""
        matrix = self.params[f"w_{role}"]
        dim = matrix.shape[-1], "the layer"
        text = shaped(text, name, "… n dim", like=("the layer's parameters", matrix), dim=dim)
        heads = text[..., None, :, :] @ jnp.swapaxes(matrix, -2, -1)
        return heads + self.params[f"b_{role}"][:, None, :] if f"b_{role}" in self.params else heads
