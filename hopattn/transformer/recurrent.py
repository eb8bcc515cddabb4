"""Recurrent networks: a text is read word by word into one state; a decoder with attention looks back at all states.

    h_t = ∇Φ(W x_t + U h_{t−1} + b)          c_i = Σ_j p_ij h_j,   p_i = ∇Ψ(sim(h, s_{i−1}))

The decoder's context c_i is one step of associative recall: its state is the cue, the states of the network that read
the text are keys and values.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Annotated, Any

from hopattn.foundation.arrays import Array, Mask, namespace, shaped
from hopattn.foundation.boundary import Declared, Fit, Of, Owner, Text, finite, public
from hopattn.foundation.checks import instance
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.shapes import require_broadcast
from hopattn.foundation.vectors import linear
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import MaskRule, PositionRule, as_mask
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities
from hopattn.retrieval.step import Step

Word = Annotated[Any, Of("… dim")]
State = Annotated[Any, Of("… dim_hidden")]
Words = Annotated[Any, Of("… n_out dim_out")]
Memory = Annotated[Any, Of("… n_in dim_memory")]


@dataclass(frozen=True, eq=False)
class Recurrent(Declared):
    """A recurrent network: h_t = f(W x_t + U h_{t−1} + b), the same matrices at every word.

    Parameters
    ----------
    w_input : W, `(dim_hidden, dim)`.
    w_hidden : U, `(dim_hidden, dim_hidden)`.
    bias : b, `(dim_hidden,)`; 0 by default.
    activation : f, a name or an object.

    Raises
    ------
    InvalidInput : for matrices that do not fit each other.

    Notes
    -----
    Source: Elman (1990), Cognitive Science 14, 179 (the context units are our h_{t−1}).

    Examples
    --------
    >>> import numpy as np
    >>> adding = Recurrent(np.eye(2), 0.5 * np.eye(2), activation="identity")
    >>> adding([[1, 0], [0, 1], [0, 1]])
    array([[1.  , 0.  ],
           [0.5 , 1.  ],
           [0.25, 1.5 ]])
    """

    w_input: Annotated[Array, Of("dim_hidden dim")]
    w_hidden: Annotated[Array, Of("dim_hidden dim_hidden")]
    bias: Annotated[Array, Of("dim_hidden")] = None
    activation: Any = field(default="tanh", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "activation", activations.make(self.activation))
        if self.bias is None:
            object.__setattr__(self, "bias", namespace(self.w_hidden).zeros_like(self.w_hidden[0, :]))

    @public
    def __call__(self, x: Text, start: State = None) -> Array:
        """The state after each word, `(…, n, dim_hidden)`, for a text x `(…, n, dim)`; start: see `start`."""
        wx = linear(x, self.w_input)  # of all words in one product
        states = [self.start(x[..., 0, :], start)]
        for i in range(x.shape[-2]):
            states.append(self._next(wx[..., i, :], states[-1]))
        return namespace(x).stack(states[1:], axis=-2)

    @public
    def step(self, word: Word, state: State) -> Array:
        """h_t, `(…, dim_hidden)`, from a word x_t `(…, dim)` and the state h_{t−1} `(…, dim_hidden)`.

        Raises `InvalidInput` for another dim, and for leading axes of which none fits the other.
        """
        return self._next(linear(word, self.w_input), state)

    def _next(self, wx: Array, state: Array) -> Array:
        """f(W x_t + U h_{t−1} + b), where `wx` is W x_t."""
        return self.activation(wx + linear(state, self.w_hidden) + self.bias, state)

    @public
    def start(self, word: Word, given: State = None) -> Array:
        """The state before the first word, `(…, dim_hidden)`, in the shape and the library of the words `(…, dim)`.

        Parameters
        ----------
        given : (…, dim_hidden)
            0 by default.
        """
        zero = namespace(word).zeros_like(linear(word, self.w_input))
        if given is None:
            return zero
        require_broadcast(given, tuple(zero.shape), "start", "states")
        return zero + given


@dataclass(frozen=True, eq=False)
class DecoderTrace:
    """The arrays that a decoder computes while it writes n_out words about a text of n_in words.

    states: s_1 to s_n_out, `(…, n_out, dim_hidden)`. contexts: c_i, `(…, n_out, dim_memory)`. scores:
    `(…, n_out, n_in)`. weights: the alignment table, `(…, n_out, n_in)`: row i says where the decoder looked before
    word i. Scores and weights of half precision are in single precision.
    """

    states: Array
    contexts: Array
    scores: Array
    weights: Array


@dataclass(frozen=True, eq=False, init=False)
class RecurrentDecoder(Owner):
    """A recurrent decoder with attention: s_i = f(W [y_{i−1}; c_i] + U s_{i−1} + b), where c_i is recalled by s_{i−1}.

    Parameters
    ----------
    cell : the recurrent network; its input is the previous word, joined with the context.
    similarity
        "dot", `Bilinear(matrix)`, `Additive(w_cue, w_key, v)`, or any other, between states of the decoder and of the
        text.
    separation : a name or an object.
    beta : for a separation given by name, 1 by default; an object has its own.

    Raises
    ------
    InvalidInput : for a cell that is not a Recurrent, for unknown names, and for an object together with a beta.

    Notes
    -----
    Source: Bahdanau, Cho & Bengio (2015), ICLR, section 3.1 (their α_ij is our p_ij, their a the similarity, e_ij its
    score). Their f is a gated unit; ours is Elman's.
    """

    cell: Recurrent
    retrieval: Step

    def __init__(
        self,
        cell: Recurrent,
        *,
        similarity: str | Similarity = "dot",
        separation: str | Separation = "softmax",
        beta: float | None = None,
    ) -> None:
        step = Step(similarity, separation, beta=beta)
        object.__setattr__(self, "cell", instance(cell, Recurrent, "cell"))
        object.__setattr__(self, "retrieval", step)

    def _fit(self, axes: Collection[str]) -> Fit:
        return self.cell._fit(axes)

    @public
    def __call__(self, previous: Words, memory: Memory, mask: Mask = None, *, start: State = None) -> Array:
        """The decoder's states, `(…, n_out, dim_hidden)`; see `trace` for the arguments."""
        return self.trace(previous, memory, mask, start=start).states

    @public(may_be=finite)
    def trace(self, previous: Words, memory: Memory, mask: Mask = None, *, start: State = None) -> DecoderTrace:
        """All arrays that the decoder computes.

        Parameters
        ----------
        previous : the word before each output, y_0 to y_{n_out−1}, `(…, n_out, dim_out)`.
        memory : the states of the text, `(…, n_in, dim_memory)`; the leading axes are those of `previous`.
        mask : boolean, True = may attend, broadcast to `(…, n_out, n_in)`, such as `hopattn.padding(lengths)`.
        start : s_0, `(…, dim_hidden)`; 0 by default.
        """
        self._require_fit_of(previous, memory)
        words, keys, xp, cell, step = previous, memory, namespace(previous), self.cell, self.retrieval
        state = cell.start(xp.concat([words[..., 0, :], keys[..., 0, :]], axis=-1), start)
        rows: list[tuple[Array, ...]] = []
        for i, mask_of_row in enumerate(_masks(mask, words.shape[-2])):
            cue = state[..., None, :]
            recall = step._answer(cue, keys, keys, mask_of_row, trace=True)
            context = recall.state  # c_i
            x = xp.concat([words[..., i, :], context[..., 0, :]], axis=-1)
            state = cell._next(linear(x, cell.w_input), state)
            rows.append((state[..., None, :], context, recall.scores, recall.weights))
        return DecoderTrace(*(xp.concat(part, axis=-2) for part in zip(*rows, strict=True)))

    def _require_fit_of(self, words: Array, keys: Array) -> None:
        """Raise `InvalidInput` unless both texts fit each other and the cell."""
        matrix = self.cell.w_input
        if words.shape[:-2] != keys.shape[:-2]:
            axes = [tuple(text.shape[:-2]) for text in (keys, words)]
            raise InvalidInput(f"memory: the leading axes {axes[0]} are not those of previous, {axes[1]}")
        if type(self.retrieval.similarity) in similarities.values():  # all others say themselves which dims they take
            shaped(keys, "memory", "… dim", dim=(matrix.shape[0], "the decoder's states, with which it is compared"))
        dim_out, dim_memory = words.shape[-1], keys.shape[-1]
        if dim_out + dim_memory != matrix.shape[1]:
            wide = f"the {matrix.shape[1]} columns of the cell's w_input"
            raise InvalidInput(f"previous, memory: dims {dim_out} + {dim_memory} do not fit {wide}")


def _masks(mask: Any, n_out: int) -> list[Any]:
    """The mask of each output, a rule or an array; raises `InvalidInput` for a rule that holds within one text only."""
    rule = as_mask(mask)
    if isinstance(rule, PositionRule):
        raise InvalidInput(
            f"mask: {quoted(rule)} goes by position, which two texts do not share; expected a boolean array"
        )
    if isinstance(rule, MaskRule) or rule.ndim < 2 or rule.shape[-2] == 1:
        return [rule] * n_out
    if rule.shape[-2] != n_out:
        raise InvalidInput(f"mask: {rule.shape[-2]} rows do not fit {n_out} outputs")
    return [rule[..., i : i + 1, :] for i in range(n_out)]
