"""The Energy Transformer: a block whose tokens descend one energy, of attention to each other and of stored vectors.

E(g) = Σ_A Φ*(g_A) − β⁻¹ Σ_heads Σ_C log Σ_{B≠C} exp(β K_B·Q_C) − Σ_A Ψ(M g_A)          K = W_K g,  Q = W_Q g

The tokens g are layer-normalised. Source: Hoover et al. (2023), NeurIPS, arXiv:2302.07253.
"""

from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from inspect import signature
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.record import Recall
from hopattn.dynamics.updates.base import Descent, Update
from hopattn.dynamics.updates.layer_by_layer import Layers
from hopattn.foundation.arrays import Array, as_array, in_numbers_of, namespace, on_host
from hopattn.foundation.boundary import Count, Declared, Flag, Of, Positive, not_minus_infinity, public
from hopattn.foundation.checks import instance, positive, require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.networks.layers import Layer
from hopattn.networks.network import Network
from hopattn.networks.synapses import Attention, Stored, with_potential
from hopattn.retrieval.activation import LayerNorm
from hopattn.retrieval.separation import separation_of
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.separation.elementwise import RectifiedPower
from hopattn.retrieval.separation.softmax import Softmax

Tokens = Annotated[Any, Of("… n_tokens dim")]
ITSELF = "a token that attends to itself has a score that is quadratic in it, so that its energy may not be concave"
CONCAVE = "concave-convex procedure, token by token: the energy is concave in each token alone, but for its own term"


def _separation(choice: Any, what: str) -> Separation:
    return with_potential(separation_of(choice))


@dataclass(frozen=True, eq=False)
class EnergyTransformer(Declared):
    """An Energy Transformer block: heads whose tokens attend to each other, and stored vectors, in one energy.

    Parameters
    ----------
    w_query, w_key : W_Q and W_K, `(n_heads, dim_head, dim)`.
    memories : M, `(n_memories, dim)`.
    beta : β of the attention, by default 1/√dim_head.
    separation : Ψ of the memories, a name or an object; by default Σ ½[s]₊², the paper's.
    norm : the layer normalisation ∇Φ of a token, with its γ and ε.
    attends_itself : whether a token attends to itself too.

    Raises
    ------
    InvalidInput : for matrices that do not fit each other.

    Notes
    -----
    Tokens are `(…, n_tokens, dim)`, normalised by `norm`; `recall` normalises them itself. While the other tokens are
    fixed, each log Σ exp is a log Σ exp of affine functions of the token g_A, hence convex. With a convex Ψ the energy
    without Φ* is then concave, and g_A⁺ = ∇Φ(h_A), where h_A = −∂E/∂g_A without Φ*, never raises E. There is no step
    size. With attends_itself, K_A·Q_A is quadratic in g_A; E then falls surely where no W_KᵀW_Q + W_QᵀW_K has a
    negative eigenvalue.
    Source: Hoover et al. (2023), NeurIPS, arXiv:2302.07253 (their x is our field, their ξ our M, their −G our −Ψ; they
    leave Φ* out of the energy, and take steps of a size; their shift δ is 0 here). The step: Yuille & Rangarajan
    (2003), Neural Computation 15, 915.

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> w_query, w_key, memories, x = (np.random.default_rng(i).normal(size=s) for i, s in enumerate(
    ...     [(2, 3, 6), (2, 3, 6), (4, 6), (5, 6)]))
    >>> block = ha.networks.EnergyTransformer(w_query, w_key, memories)
    >>> recall = block.recall(x)
    >>> str(recall.status), bool(np.all(np.diff(recall.energies, axis=0) <= 1e-9))
    ('converged', True)
    """

    w_query: Annotated[Array, Of("n_heads dim_head dim", finite=True)]
    w_key: Annotated[Array, Of("n_heads dim_head dim", finite=True)]
    memories: Annotated[Array, Of("n_memories dim", finite=True)]
    _: KW_ONLY
    beta: Annotated[Any, positive] = None
    separation: Annotated[Any, _separation] = field(default_factory=lambda: RectifiedPower(n=2))
    norm: LayerNorm = field(default_factory=LayerNorm)
    attends_itself: Flag = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta is None:
            object.__setattr__(self, "beta", float(self.w_query.shape[1]) ** -0.5)

    def __repr__(self) -> str:
        heads = "{} heads of dim {}".format(*self.w_query.shape)
        return f"EnergyTransformer(dim {self.dim}, {heads}, {self.memories.shape[0]} memories, {self.separation!r})"

    @classmethod
    @public
    def of_pictures(
        cls,
        pictures: Annotated[Array, Of("n_pictures n_pixels", finite=True)],
        patches: "Patches",
        *,
        beta: float = 0.5,
        sharpness: float = 4.0,
    ) -> Self:
        """The block that completes pictures `(n_pictures, n_pixels)` of ±1 from their patches, without training.

        One head: W_Q = W_K holds an orthonormal basis of the sums of the tokens of each picture, so that tokens of one
        picture agree. The memories are all tokens of all pictures, with a softmax.

        Parameters
        ----------
        beta, sharpness : β of both.
        """
        tokens = LayerNorm()(instance(patches, Patches, "patches").tokens(on_host(pictures).astype(float)))
        basis = np.linalg.svd(tokens.sum(axis=-2), full_matrices=False)[2][None]
        rows = tokens.reshape(-1, tokens.shape[-1])
        return cls(basis, basis, rows / rows.shape[1] ** 0.5, beta=beta, separation=Softmax(beta=sharpness))

    @property
    def dim(self) -> int:
        """The dim of a token."""
        return int(self.w_query.shape[-1])

    @property
    def attention(self) -> Softmax:
        """The separation of the attention."""
        return Softmax(beta=self.beta)

    @cached_property
    def concave(self) -> bool:
        """Whether the energy of the heads and memories is concave in each token, whatever the others are."""
        if not self.separation.convex:
            return False
        products = on_host(self.w_key).mT @ on_host(self.w_query)
        lowest = np.linalg.eigvalsh(products + products.mT)[:, 0]
        size = np.abs(products).sum(axis=(-1, -2))
        return not self.attends_itself or bool(np.all(lowest >= -self.dim * np.finfo(products.dtype).eps * size))

    @public(may_be=not_minus_infinity)
    def energies(self, tokens: Tokens) -> dict[str, Array]:
        """The three parts of the energy, `(…,)` each: "tokens", that of Φ*, "attention" and "memories"."""
        memory, states = self._of(tokens)
        return memory.energies(states)

    @public(may_be=not_minus_infinity)
    def energy(self, tokens: Tokens) -> Array:
        """E(g), `(…,)`."""
        memory, states = self._of(tokens)
        return memory.energy(states)

    @public
    def field(self, tokens: Tokens) -> Array:
        """h = −∂E/∂g without the part of Φ*, `(…, n_tokens, dim)`."""
        memory, states = self._of(tokens)
        return self._apart(memory.field(states))

    @public
    def step(self, tokens: Tokens, clamped: Array = None) -> Array:
        """One sweep: each token in turn becomes ∇Φ(h_A), with the new values of those before it.

        Parameters
        ----------
        clamped : booleans (n_tokens,)
            True for a token that stays as it is.
        """
        memory, states = self._of(tokens, clamped)
        return self._apart(memory.step_of_layers(states))

    def memory(self, n_tokens: int, patterns: Array = None, clamped: Array = None) -> "TokenMemory":
        """The block as a `Network` of one layer of tokens, with flat states `(n, n_tokens · dim)`; see `recall`."""
        n = whole(n_tokens, "n_tokens")
        require_room(n * n, f"the scores of {n:,} tokens")
        memory = self._bare.get(n)
        if patterns is not None:
            fit = self._fit({"dim"})
            fit.sizes["n_tokens"] = n, ""
            rows = fit(patterns, "patterns", Of("n_patterns n_tokens dim"))
            memory = TokenMemory(self, n, namespace(rows).reshape(self.norm(rows), (-1, n * self.dim)))
        elif memory is None:
            memory = TokenMemory(self, n)
            self._bare.clear()  # so that one mask of n² tokens is held
            self._bare[n] = memory
        return memory if clamped is None else memory.clamped(np.repeat(_flags(clamped, n), self.dim))

    @public
    def recall(self, tokens: Tokens, *, patterns: Array = None, clamped: Array = None, **options: Any) -> Recall:
        """Sweep over the tokens until nothing changes: the record of `Memory.recall`, whose states are tokens.

        Parameters
        ----------
        tokens : (n_cues, n_tokens, dim) or (n_tokens, dim)
            which are normalised first. The record's state has the shape of these, and its trajectory `(T+1, n_cues,
            n_tokens, dim)` or `(T+1, n_tokens, dim)`.
        patterns : (n_patterns, n_tokens, dim)
            with which recalled states are compared.
        clamped : booleans (n_tokens,)
            True for a token that stays.
        options
            those of `hopattn.Memory.recall`, such as max_steps; update="sync" takes all tokens at once, which may raise
            the energy.
        """
        reject_unknown("recall", options, [*signature(AssociativeMemory.recall).parameters][2:], "option")
        memory, states = self._of(tokens, clamped, patterns)
        if states.ndim > 2:
            shape = tuple(self._apart(states).shape)
            raise InvalidInput(f"tokens: got shape {shape}; expected (n_cues, n_tokens, dim) or (n_tokens, dim)")
        record = memory.recall(memory.activation(states), **options)
        trajectory = None if record.trajectory is None else self._apart(record.trajectory)
        return replace(record, state=self._apart(record.state), trajectory=trajectory)

    @cached_property
    def _bare(self) -> dict[int, "TokenMemory"]:
        """The last network without patterns, by its number of tokens."""
        return {}

    def _of(self, tokens: Array, clamped: Any = None, patterns: Any = None) -> tuple["TokenMemory", Array]:
        """The block as a memory of these tokens, and the tokens as its states `(…, n_tokens · dim)`."""
        n, dim = tokens.shape[-2:]
        states = namespace(tokens).reshape(tokens, (*tokens.shape[:-2], n * dim))
        return self.memory(int(n), patterns, clamped), states

    def _apart(self, states: Array) -> Array:
        """The tokens `(…, n_tokens, dim)` of flat states."""
        return namespace(states).reshape(states, (*states.shape[:-1], -1, self.dim))


@dataclass(frozen=True, eq=False, init=False)
class TokenMemory(Network):
    """A block as a network of one layer of tokens; `EnergyTransformer.memory` makes it. States are flat."""

    block: EnergyTransformer

    def __init__(self, block: EnergyTransformer, n_tokens: int, patterns: Array = None) -> None:
        mask = None if block.attends_itself else ~np.eye(n_tokens, dtype=bool)
        attention = Attention(block.w_query, block.w_key, beta=block.beta, mask=mask)
        memories = Stored(block.memories, block.separation)
        on_tokens = [attention.on("tokens", "tokens", name="attention"), memories.on("tokens", name="memories")]
        super().__init__([Layer("tokens", (n_tokens, block.dim), block.norm)], on_tokens, patterns=patterns)
        object.__setattr__(self, "block", block)

    def __repr__(self) -> str:
        n, dim = self.layers[0].shape
        return f"TokenMemory({self.block!r}, {n - self.held.sum() // dim} of {n} tokens free)"

    @property
    def default_update(self) -> Update:
        """One token after the other."""
        return TokenByToken()

    def _why_not(self, capability: str) -> str:
        if capability == "convexity":
            return "the potential of all tokens together is not convex"
        if capability != "convexity of a layer":
            return super()._why_not(capability)
        separation = self.block.separation
        reason = ITSELF if separation.convex else f"the potential of {quoted(separation)} is not convex"
        return "" if self.block.concave else reason

    @cached_property
    def _turns(self) -> list[tuple[str, np.ndarray | None]]:
        """The tokens that are not clamped, one after another."""
        n = self.layers[0].shape[0]
        free = ~self.held.reshape(n, -1).any(axis=1)
        return [("tokens", token) for token in np.eye(n, dtype=bool)[free, :, None]]


@dataclass(frozen=True)
class TokenByToken(Layers):
    """One token after the other, each with the new values of those before it; a step is one sweep over all."""

    source: ClassVar[str] = "Yuille & Rangarajan 2003; Hoover et al. 2023"
    way: ClassVar[str] = "one token after the other"

    def guarantee(self, memory: AssociativeMemory) -> Descent:
        claim = super().guarantee(memory)
        return Descent(True, CONCAVE) if claim else claim

    def obstacle(self, memory: AssociativeMemory) -> str:
        return "" if isinstance(memory, TokenMemory) else "only the memory of an Energy Transformer has tokens"


@dataclass(frozen=True)
class Patches(Declared):
    """Pictures as tokens, one for each patch of equal size, and back.

    Parameters
    ----------
    n_pixels : of a picture.
    n_tokens : the number of patches, which divides n_pixels; a patch is a run of pixels, such as a row.
    place
        the entry that marks the place of a token, 2 by default. A token has the pixels of its patch at their places in
        the picture, the mark of its own place, and zeros elsewhere.

    Notes
    -----
    A second half repeats all entries with the other sign: so the mean of a token is 0, and all tokens of ±1 have one
    length. Pixels of 0 are hidden.

    Examples
    --------
    >>> import hopattn as ha
    >>> patches = ha.networks.Patches(4, 2)
    >>> patches.tokens([1, -1, 1, 1])[0].tolist()
    [1.0, -1.0, 0.0, 0.0, 2.0, 0.0, -1.0, 1.0, 0.0, 0.0, -2.0, 0.0]
    >>> patches.pictures(patches.tokens([1, -1, 0, 0])).tolist()
    [1.0, -1.0, 0.0, 0.0]
    """

    n_pixels: Count
    n_tokens: Count
    _: KW_ONLY
    place: Positive = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_pixels % self.n_tokens:
            raise InvalidInput(f"n_tokens: got {self.n_tokens}; expected a number that divides {self.n_pixels} pixels")

    @property
    def own(self) -> np.ndarray:
        """1 for the pixels of each token's patch, else 0, `(n_tokens, n_pixels)`."""
        return np.repeat(np.eye(self.n_tokens), self.n_pixels // self.n_tokens, axis=1)

    @property
    def dim(self) -> int:
        """The dim of a token, 2 (n_pixels + n_tokens)."""
        return 2 * (self.n_pixels + self.n_tokens)

    @public
    def tokens(self, pictures: Annotated[Array, Of("… n_pixels")]) -> Array:
        """The tokens of pictures `(…, n_pixels)`: `(…, n_tokens, dim)`."""
        xp, patches = namespace(pictures), pictures[..., None, :] * in_numbers_of(pictures, self.own)
        marks = in_numbers_of(pictures, self.place * np.eye(self.n_tokens))
        halves = xp.concat([patches, xp.broadcast_to(marks, (*patches.shape[:-1], self.n_tokens))], axis=-1)
        return xp.concat([halves, 0 - halves], axis=-1)

    @public
    def pictures(self, tokens: Tokens) -> Array:
        """The pictures `(…, n_pixels)` of tokens, each of which gives its own patch; a sign is black or white."""
        return namespace(tokens).sum(tokens[..., : self.n_pixels] * in_numbers_of(tokens, self.own), axis=-2)


def _flags(clamped: Any, n: int) -> np.ndarray:
    """The tokens that are clamped, `(n,)`, as booleans."""
    flags = np.zeros(n, dtype=bool) if clamped is None else np.asarray(on_host(as_array(clamped, "clamped")))
    if flags.shape != (n,) or flags.dtype != bool:
        got = f"{flags.dtype} of shape {flags.shape}"
        raise InvalidInput(f"clamped: got {got}; expected {n} booleans, one for each token")
    if flags.all():
        raise InvalidInput("clamped: every token is clamped; expected one at least that is free")
    return flags
