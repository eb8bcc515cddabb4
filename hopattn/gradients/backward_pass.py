"""Backward passes in NumPy: the derivatives of the pieces of a layer, of a block, and of a stack of blocks.

    affine           y = W x + b                 dx = Wᵀ dy                 dW = Σ dy xᵀ        db = Σ dy
    nonlinearity     y = f(x)                    dx = f′(x) dy
    normalisation    y = gain · n + shift        dx = (u − mean u − n · mean(u n)) / σ,   u = gain · dy
                     n = (x − mean x) / σ        d gain = Σ dy n            d shift = Σ dy      σ = √(var x + ε)
    without mean     n = x / σ                   dx = (u − n · mean(u n)) / σ                   σ = √(mean x² + ε)
    softmax          p = softmax(β s)            ds = β p (dp − Σ p dp)     ∂p/∂s = β (diag p − p pᵀ)
    attention        o = p V,  s = q Kᵀ          dV = pᵀ do     dp = do Vᵀ      dq = ds K       dK = dsᵀ q
    norm first       y = x + f(norm(x))          dx = dy + norm′(f′(dy))
    norm last        y = norm(x + f(x))          dz = norm′(dy),  dx = dz + f′(dz)

dy is the upstream gradient; f′ and norm′ of a sub-layer stand for their own backward passes. Means are over a row, sums
over all rows of a batch, all in float64. A masked entry has ds = 0. Without residuals the terms dy and dz are missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from hopattn.foundation.arrays import Array, as_array, as_float, namespace
from hopattn.foundation.boundary import Of, finite, public
from hopattn.foundation.checks import each
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.shapes import require_broadcast
from hopattn.foundation.vectors import row_length
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.transformer.blocks import ATTENTION, CROSS, Block
from hopattn.transformer.feed_forward import Affine, FeedForward
from hopattn.transformer.from_torch import affine_state, heads_state
from hopattn.transformer.heads import HeadTrace, by_head, side_by_side
from hopattn.transformer.multi_head import MultiHead, group_traces
from hopattn.transformer.nonlinearities import NONLINEARITIES
from hopattn.transformer.normalisation import Normalisation

Numbers = NDArray[np.float64]
Named = dict[str, Numbers]  # gradients of weights by their names in PyTorch's `state_dict`
NORMS = ("spectral", "frobenius", "largest")


def in_float64(values: Any, what: str) -> Numbers:
    """The values as a NumPy array in float64; raises `InvalidInput` for arrays of another library."""
    array = as_float(values, what)
    if not isinstance(array, np.ndarray):
        library = namespace(array).__name__.rpartition(".")[2]
        raise InvalidInput(f"{what}: expected a NumPy array, not one of {library}, which differentiates by itself")
    return array.astype(np.float64, copy=False)


@public
def softmax_jacobian(
    scores: Annotated[Any, in_float64, Of("… n")], *, beta: float = 1.0, where: Any = None
) -> np.ndarray:
    """∂p/∂s = β (diag p − p pᵀ) of the softmax p of each row of scores, `(…, n)` to `(…, n, n)`, in float64.

        entry i, j:  −β p_i p_j  for i ≠ j,     β p_i Σ_{j≠i} p_j  for i = j

    Each matrix is symmetric and positive semi-definite, and its rows sum to 0. Its largest singular value is from 2β
    p₁p₂ to 2β (1 − p₁), for the largest weight p₁ and the second p₂. A weight of 1 − 1e-30 gives entries of 1e-30:
    nothing is lost to rounding.

    Parameters
    ----------
    beta : positive.
    where : boolean, True = may attend; it broadcasts to the scores, and rows and columns of masked entries are 0.

    Raises
    ------
    InvalidInput : for arrays of another library, a mask that is not boolean or does not fit, and another β.

    Notes
    -----
    Source: Ramsauer et al. (2021), ICLR, J = β (diag p − p pᵀ) (their p is our p).

    Examples
    --------
    >>> softmax_jacobian([0.0, 0.0])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    separation, mask = Softmax(beta=beta), None if where is None else as_array(where, "where")
    if mask is not None:
        if mask.dtype != bool:
            raise InvalidInput(f"where: expected booleans, True = may attend, not {mask.dtype}")
        require_broadcast(mask, scores.shape, "where", "scores")
    p, diagonal = separation.weights(scores, mask), np.eye(scores.shape[-1], dtype=bool)
    edges = np.where(diagonal, 0.0, separation.beta * (p[..., :, None] * p[..., None, :]))
    # The sum of the other entries instead of p − p², which loses every digit where the softmax saturates.
    return np.asarray(np.where(diagonal, edges.sum(axis=-1, keepdims=True), -edges))


def size(matrices: np.ndarray, kind: str = "spectral") -> np.ndarray:
    """The size of symmetric matrices `(…, n, n)`, one of `NORMS`, also where the squares of their entries underflow.

    "spectral": the largest singular value. "frobenius": the root of the sum of squares. "largest": max |entry|.
    """
    reject_unknown("kind", [kind], NORMS)
    largest = np.abs(matrices).max(axis=(-2, -1))
    units = matrices / np.where(largest == 0, 1.0, largest)[..., None, None]
    if kind == "spectral":
        units = np.where(np.isfinite(largest)[..., None, None], units, 0.0)  # LAPACK fails for NaN; the size is NaN
        return np.asarray(largest * np.abs(np.linalg.eigvalsh(units)).max(axis=-1))
    return np.asarray(largest if kind == "largest" else largest * np.sqrt(np.sum(units * units, axis=(-2, -1))))


def softmax_backward(
    weights: np.ndarray, upstream: np.ndarray, beta: float, rest: np.ndarray | None = None
) -> np.ndarray:
    """ds_i = β p_i (u_i − Σ_j p_j u_j) for each row, `(…, n)`, of the weights p and their upstream gradient u.

    A number added to u changes nothing. So u is taken relative to its entry at the largest weight, where the mean
    Σ_j p_j u_j is as small as the other weights and keeps its digits. rest: the weight that a sink takes, `(…,)`, whose
    u is 0.
    """
    if rest is not None:
        shares = np.concatenate([weights, rest[..., None]], axis=-1)
        gradients = np.concatenate([upstream, np.zeros_like(upstream[..., :1])], axis=-1)
        return softmax_backward(shares, gradients, beta)[..., :-1]
    largest = np.argmax(weights, axis=-1, keepdims=True)
    relative = upstream - np.take_along_axis(upstream, largest, axis=-1)
    return np.asarray(beta * weights * (relative - np.sum(weights * relative, axis=-1, keepdims=True)))


def affine_backward(
    affine: Affine, x: Numbers, upstream: Numbers, biased: bool | None = None
) -> tuple[Numbers, Affine]:
    """dx = Wᵀ dy, and dW, db as a map. biased: whether db is given, by default only for a map that has a bias."""
    rows, changes = x.reshape(-1, x.shape[-1]), upstream.reshape(-1, upstream.shape[-1])
    has_bias = affine.bias is not None if biased is None else biased
    return upstream @ affine.weight, Affine(changes.T @ rows, changes.sum(axis=0) if has_bias else None)


def normalisation_backward(norm: Any, x: Numbers, upstream: Numbers, name: str = "norm") -> tuple[Numbers, Named]:
    """dx, and by their names d gain and d shift where there are such.

    norm: a `LayerNorm`, an `RMSNorm`, or `Identity()` for no norm; raises `InvalidInput` for another function.
    """
    if isinstance(norm, Identity):
        return upstream, {}
    if not isinstance(norm, Normalisation):
        raise InvalidInput(f"{name}: expected a LayerNorm, an RMSNorm or Identity(), not {quoted(norm)}")
    unit_size = np.asarray(norm.unit(x))  # n
    centred = x - x.mean(axis=-1, keepdims=True) if norm.centred else x
    sigma = np.hypot(row_length(centred) / x.shape[-1] ** 0.5, norm.epsilon**0.5)[..., None]
    u = upstream if norm.gain is None else norm.gain * upstream
    across = u - u.mean(axis=-1, keepdims=True) if norm.centred else u
    dx = (across - unit_size * np.mean(u * unit_size, axis=-1, keepdims=True)) / sigma
    changes = {"weight": (norm.gain, upstream * unit_size), "bias": (norm.shift, upstream)}
    rows = tuple(range(upstream.ndim - 1))
    return dx, {f"{name}.{key}": of.sum(axis=rows) for key, (has, of) in changes.items() if has is not None}


def feed_forward_backward(layer: Any, x: Numbers, fields: Numbers, upstream: Numbers) -> tuple[Numbers, Named]:
    """dx, and the gradients of both maps by their names; fields: W₁ x + b₁."""
    f = NONLINEARITIES[layer.activation]
    hidden, outer = affine_backward(layer.outer, f(fields), upstream)
    dx, inner = affine_backward(layer.inner, x, f.slope(fields) * hidden)
    return dx, affine_state("linear1", inner) | affine_state("linear2", outer)


def attention_backward(trace: HeadTrace, beta: float, upstream: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """dq, dK and dV of heads for do."""
    of_scores = softmax_backward(trace.weights, upstream @ trace.values.mT, beta, trace.rest)
    dq, dk, dv = of_scores @ trace.keys, of_scores.mT @ trace.queries, trace.weights.mT @ upstream
    return summed_to(dq, trace.queries), summed_to(dk, trace.keys), summed_to(dv, trace.values)


def heads_backward(
    heads: MultiHead, traces: Sequence[HeadTrace], text: Numbers, source: Array, upstream: Numbers
) -> tuple[Numbers, Numbers, Named]:
    """The gradients of the text of the queries, of the text of keys and values, and of the weights of a `MultiHead`.

    traces: of each group of heads. The weights are named as in PyTorch's `MultiheadAttention`: those of all heads are
    rows of one matrix. Heads of queries add their gradients of a head of keys that they share. Raises `InvalidInput`
    for other steps than softmax(β q Kᵀ) V.
    """
    outputs = np.concatenate([side_by_side(trace.output) for trace in traces], axis=-1)
    of_outputs, out = affine_backward(heads.out, outputs, upstream)
    changes, start = list[list[Numbers]](), 0  # of all queries, keys and values of each group
    for group, trace in zip(heads.groups, traces, strict=True):
        head, step, end = group.heads[0], group.heads[0].retrieval, start + len(group.heads) * trace.output.shape[-1]
        if not (isinstance(step.separation, Softmax) and step.similarity == Dot() and step.activation == Identity()):
            raise InvalidInput(f"heads: only softmax attention with dot products has gradients, not {quoted(step)}")
        if not head.query_norm == head.key_norm == Identity():
            raise InvalidInput("heads: norms of queries and keys have no gradient here")
        of_group, start = by_head(np, of_outputs[..., start:end], *group.shape), end
        dq, dk, dv = attention_backward(trace, step.separation.beta, of_group)
        if head.position is not None:  # the transpose of a rotation is the rotation back
            dq, dk = head.position.undone(dq), head.position.undone(dk)
        changes.append([side_by_side(change) for change in (dq, dk, dv)])
    has_bias = any(affine.bias is not None for group in heads.groups for affine in group.maps)
    texts, maps = list[Numbers](), list[Affine]()
    for i, read in enumerate((text, source, source)):
        joint = Affine.stacked([group.maps[i] for group in heads.groups])
        of_text, of_map = affine_backward(joint, read, np.concatenate([of[i] for of in changes], axis=-1), has_bias)
        texts.append(of_text)
        maps.append(of_map)
    return texts[0], texts[1] + texts[2], heads_state(maps, out)


def summed_to(gradient: Numbers, like: Numbers) -> Numbers:
    """The gradient of the array `like`, which was broadcast: the sum over its copies, in the shape of `like`."""
    whole = gradient.sum(axis=tuple(range(gradient.ndim - like.ndim)))
    axes = tuple(i for i, n in enumerate(like.shape) if n == 1 and whole.shape[i] != 1)
    return np.asarray(whole.sum(axis=axes, keepdims=True))


@dataclass(frozen=True, eq=False)
class Gradients:
    """The gradients of a layer, in float64.

    input: of its input, `(…, n, dim)`. weights: of its weights, named as in PyTorch's `state_dict`. source: of the text
    of the cross-attention, `(…, m, dim)`, or None without one. output: the upstream gradient, that of its output.
    """

    input: Numbers
    weights: Mapping[str, Numbers] = field(repr=False)
    source: Numbers | None
    output: Numbers


@public(may_be=finite)
def backward(
    block: Block,
    x: Any,
    upstream: Any,
    *,
    mask: Any = None,
    source: Any = None,
    source_mask: Any = None,
    bias: Any = None,
) -> Gradients:
    """The gradients of a block for an upstream gradient of its output, by reverse-mode differentiation in NumPy.

    Parameters
    ----------
    x : (…, n, dim)
    upstream : the gradient of the output of `block(x, …)`, in its shape.
    mask, source, source_mask, bias : as in `Block.trace`; the bias counts as a constant.

    Raises
    ------
    InvalidInput : for other parts, for arrays that are not NumPy's, and for shapes that do not fit.

    Notes
    -----
    Heads have softmax attention with dot products; a norm is a `LayerNorm`, an `RMSNorm` or the activation
    `Identity()`. Source: Rumelhart, Hinton & Williams (1986), Nature 323, 533; the layer is that of Vaswani et al.
    (2017).
    """
    in_float64(block.attention.w_out, "block")
    if block.special:
        raise InvalidInput(f"block: its option {block.special} has no gradient here")
    words, source_words = in_float64(x, "x"), None if source is None else in_float64(source, "source")
    attends, fields = list[tuple[str, MultiHead, list[HeadTrace]]](), list[Numbers]()

    def attend(heads: MultiHead, words: Numbers, mask: Any, **options: Any) -> Numbers:
        traces = group_traces(heads, words, mask, **options)
        attends.append(((ATTENTION, CROSS)[len(attends)], heads, traces))
        return np.asarray(heads.joined([side_by_side(trace.output) for trace in traces]))

    def feed(layer: FeedForward, words: Numbers) -> Numbers:
        fields.append(layer.inner(words))
        return np.asarray(layer.outer(NONLINEARITIES[layer.activation](fields[-1])))

    options: dict[str, Any] = {"source": source_words, "source_mask": source_mask, "bias": bias}
    trace = block.computed_with(attend, words, mask, **options, feed=feed)
    change = output = in_float64(upstream, "upstream")
    if output.shape != trace.state.shape:
        raise InvalidInput(f"upstream: shape {output.shape} does not fit the output of shape {trace.state.shape}")
    weights, of_source = Named(), None
    for i in reversed(range(len(trace.states))):
        before, read, norm = trace.states[i - 1] if i else words, trace.read[i], (block.norms[i], f"norm{i + 1}")
        if not block.norm_first:
            change, gradients = normalisation_backward(norm[0], trace.summed[i], change, norm[1])
            weights |= gradients
        if i < len(attends):
            of, heads, traces = attends[i]
            is_self = source_words is None or i < len(attends) - 1  # the last attention reads the source
            inner, of_keys, gradients = heads_backward(heads, traces, read, read if is_self else source_words, change)
            inner, of_source = (inner + of_keys, of_source) if is_self else (inner, of_keys)
            gradients = {f"{of}.{name}": gradient for name, gradient in gradients.items()}
        else:
            inner, gradients = feed_forward_backward(block.feed_forward, read, fields[0], change)
        weights |= gradients
        if block.norm_first:
            inner, gradients = normalisation_backward(norm[0], before, inner, norm[1])
            weights |= gradients
        around = summed_to(change, before) if block.residual else 0.0
        change = summed_to(inner, before) + around
    return Gradients(change, weights, of_source, output)


@dataclass(frozen=True, eq=False)
class GradientFlow:
    """The gradients of a stack of n blocks. layers: those of each of the blocks, the first one first."""

    blocks: tuple[Block, ...] = field(repr=False)
    layers: tuple[Gradients, ...]

    @property
    def norms(self) -> Numbers:
        """The root of the sum of squares of the gradient at the input of each layer and at the output, `(n + 1,)`."""
        gradients = [*(layer.input for layer in self.layers), self.layers[-1].output]
        return np.array([row_length(gradient.ravel()) for gradient in gradients])

    @property
    def score_norms(self) -> Numbers:
        """The same of W_Q and W_K of the attention of each layer, `(n,)`: all that passes through its scores."""
        lengths = []
        for block, layer in zip(self.blocks, self.layers, strict=True):
            of_values = sum(
                group.maps[2].dims[0] for group in block.attention.groups
            )  # the last rows of the joint matrix
            lengths.append(row_length(layer.weights[f"{ATTENTION}.in_proj_weight"][:-of_values].ravel()))
        return np.array(lengths)

    @property
    def weights(self) -> dict[str, Numbers]:
        """The gradient of every weight, named as in the `state_dict` of PyTorch's `TransformerEncoder`."""
        return {
            f"layers.{i}.{name}": array for i, layer in enumerate(self.layers) for name, array in layer.weights.items()
        }

    @property
    def source(self) -> Numbers | None:
        """The gradient of the text of the cross-attentions, summed over the layers; None without one."""
        parts = [layer.source for layer in self.layers if layer.source is not None]
        return np.sum(parts, axis=0) if parts else None


@public(may_be=finite)
def gradient_flow(
    blocks: Sequence[Block],
    x: Any,
    upstream: Any = None,
    *,
    mask: Any = None,
    source: Any = None,
    source_mask: Any = None,
    bias: Any = None,
) -> GradientFlow:
    """The gradient that arrives at each layer of a stack, and those of all weights, for a gradient of the output.

    Parameters
    ----------
    blocks : at least one; the output of each is the input of the next.
    upstream : by default 1 for each entry, the gradient of the sum.

    Raises
    ------
    InvalidInput : as that does, and for no blocks.

    Notes
    -----
    The other arguments are those of `hopattn.gradients.backward`, for all blocks; beside blocks with cross-attention,
    those without do not read the source.
    """
    layers = each(blocks, Block, "blocks")
    if not layers:
        raise InvalidInput("blocks: expected at least one Block, in a list")
    text, has_cross = {"source": source, "source_mask": source_mask}, any(block.cross is not None for block in layers)
    texts = [{} if has_cross and block.cross is None else text for block in layers]
    states = [in_float64(x, "x")]
    for block, text in zip(layers, texts, strict=True):
        in_float64(block.attention.w_out, "blocks")
        states.append(block(states[-1], mask, bias=bias, **text))
    change = np.ones_like(states[-1]) if upstream is None else upstream
    gradients = list[Gradients]()
    for block, text, state in reversed(list(zip(layers, texts, states, strict=False))):
        gradients.append(backward(block, state, change, mask=mask, bias=bias, **text))
        change = gradients[-1].input
    return GradientFlow(layers, tuple(reversed(gradients)))
