"""Attention as message passing on a graph of tokens.

    h_i = ∇Φ(Σ_j p_ij v_j),   p_i = ∇Ψ(sim(k_j, q_i) over the edges j → i)

Nodes are tokens; an edge j → i says that token i may attend to token j, so a mask is the edges that are missing.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.foundation.arrays import Array, Mask, namespace
from hopattn.foundation.boundary import finite, public
from hopattn.foundation.checks import each, instance
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import detached
from hopattn.retrieval.step import Step
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import HeadTrace
from hopattn.transformer.multi_head import MultiHead


@public
def token_graph(trace: HeadTrace, tokens: Iterable[str] = (), source: Iterable[str] | None = None) -> Any:
    """The graph of what a head computed for one text: a `networkx.DiGraph`.

    Parameters
    ----------
    trace : of a text without leading axes.
    tokens : a word for each query, or nothing.
    source
        a word for each key where the keys come from another text (cross-attention); None where they are the same
        tokens.

    Raises
    ------
    InvalidInput : for a trace of several texts or of a head with a bias, and for words that do not fit it.

    Notes
    -----
    Node i is token i; the tokens of another text are nodes after those of the first. A node has its `token`, and of
    `query`, `key` and `value` those that it gives. An edge j → i has the `score` and the `weight` of token j for token
    i. Source: Gilmer et al. (2017), ICML (their message M(h_i, h_j) is our p_ij v_j, their update our ∇Φ); NOTE,
    Self-attention ("Attention acts over a set of vectors in a graph").

    Examples
    --------
    >>> import numpy as np, hopattn as ha
    >>> graph = token_graph(ha.Head(np.eye(2), np.eye(2), np.eye(2), mask="causal").trace(np.eye(2)), ["their", "dog"])
    >>> [(j, i, round(edge["weight"], 2)) for j, i, edge in graph.edges(data=True)]
    [(0, 0, 1.0), (0, 1, 0.27), (1, 1, 0.73)]
    """
    import networkx as nx  # imported here, so that importing hopattn stays instant

    scores = trace.scores
    if scores.ndim != 2:
        raise InvalidInput(f"trace: expected one text, with scores (n, m), not shape {tuple(scores.shape)}")
    n, m = scores.shape
    if trace.bias is not None:
        raise InvalidInput("trace: its head has a bias, which goes by places; a graph of tokens has none")
    if source is None and n != m:
        raise InvalidInput(f"trace: {n} queries and {m} keys are of two texts; give the words of the keys as source")
    shift = 0 if source is None else n
    graph = nx.DiGraph()
    for i, token in enumerate(_words(tokens, n, "tokens")):
        graph.add_node(i, token=token, query=trace.queries[i, :])
    for j, token in enumerate(_words(() if source is None else source, m, "source")):
        attributes = {"token": token} if shift else {}
        graph.add_node(j + shift, key=trace.keys[j, :], value=trace.values[j, :], **attributes)
    s, p = (np.asarray(detached(array)).tolist() for array in (scores, trace.weights))
    mask = None if trace.mask is None else np.broadcast_to(np.asarray(trace.mask), (n, m))
    pairs = np.ndindex(n, m) if mask is None else np.argwhere(mask).tolist()
    graph.add_edges_from((j + shift, i, {"score": s[i][j], "weight": p[i][j]}) for i, j in pairs)
    return graph


@public(may_be=finite)
def pass_messages(graph: Any, retrieval: Step | None = None) -> dict[Any, Array]:
    """The message that each node with a `query` receives along its incoming edges, `(dim_out,)`, by node.

    Parameters
    ----------
    graph
        a `networkx.DiGraph`, such as that of `token_graph`. A node that asks has a `query` `(dim_key,)`, a node with an
        outgoing edge a `key` `(dim_key,)` and a `value` `(dim_out,)`. The edges alone count, not their scores and
        weights: these are computed from the vectors. A node without incoming edges receives 0.
    retrieval : the step of recall, such as `head.retrieval`; by default the dot product and softmax with β = 1.

    Raises
    ------
    InvalidInput
        for a node without the vectors that it needs, and for a similarity that does not compare single pairs.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> graph = nx.DiGraph([("dog", "their")])
    >>> graph.add_node("their", query=np.ones(2))
    >>> graph.add_node("dog", key=np.ones(2), value=np.array([3.0, 4.0]))
    >>> pass_messages(graph)
    {'their': array([3., 4.])}
    """
    step = Step() if retrieval is None else retrieval
    instance(step, Step, "retrieval", "a step of recall, such as head.retrieval")
    if not hasattr(graph, "nodes") or not hasattr(graph, "predecessors"):
        raise InvalidInput(f"graph: expected a networkx.DiGraph, such as that of token_graph, not {quoted(graph)}")
    if not step.similarity.by_pairs:
        raise InvalidInput(f"similarity: {quoted(step.similarity)} goes by the place in a text, and a graph has none")
    senders = [node for node, has in graph.nodes(data=True) if "key" in has and "value" in has]
    return {node: _received(graph, node, senders[:1], step) for node, has in graph.nodes(data=True) if "query" in has}


@dataclass(frozen=True, eq=False)
class MessageTrace:
    """A layer computed by messages.

    graphs: the graph of each head, see `token_graph`; those of a cross-attention are last. messages: what the tokens
    receive from each head, `(n, dim_out)` each. state: the output of the layer, `(n, dim)`.
    """

    graphs: tuple[Any, ...]
    messages: tuple[Array, ...]
    state: Array


@public(may_be=finite)
def layer_by_messages(
    layer: Block, x: Array, mask: Mask = None, *, source: Array = None, source_mask: Mask = None
) -> MessageTrace:
    """A layer for one text, whose heads pass messages on graphs instead of multiplying matrices.

    The other arguments are those of `Block.trace`, without leading axes. Raises `InvalidInput` as that, `token_graph`
    and `pass_messages` do.
    """
    graphs, messages = list[Any](), list[Array]()

    def attend(heads: MultiHead, words: Array, mask: Any, *, source: Any, bias: Any) -> Array:
        first = len(messages)
        for head, trace in zip(heads.heads, heads.trace(words, mask, source=source, bias=bias).heads, strict=True):
            graphs.append(token_graph(trace, source=None if source is None else ()))
            by_node = pass_messages(graphs[-1], head.retrieval)
            messages.append(namespace(trace.output).stack([by_node[i] for i in range(trace.output.shape[0])]))
        return heads.out(namespace(messages[0]).concat(messages[first:], axis=-1))

    through = layer.computed_with(attend, x, mask, source=source, source_mask=source_mask)
    return MessageTrace(tuple(graphs), tuple(messages), through.state)


def _received(graph: Any, node: Any, any_sender: list[Any], step: Step) -> Array:
    """The vector that one node recalls from its neighbours, `(dim_out,)`.

    A node without neighbours asks `any_sender`, which it may not attend to, as in a row of a mask with nothing in it.
    """
    neighbours = list(graph.predecessors(node)) or any_sender
    if not neighbours:
        raise InvalidInput(f"graph: no node has a key and a value, so that node {quoted(node)} can receive nothing")
    for sender in neighbours:
        for name in ("key", "value"):
            if name not in graph.nodes[sender]:
                raise InvalidInput(f"graph: node {quoted(sender)} has no {name}, which its edges need")
    query, xp = graph.nodes[node]["query"], namespace(graph.nodes[node]["query"])
    keys, values = (xp.stack([graph.nodes[j][name] for j in neighbours]) for name in ("key", "value"))
    mask = None if graph.in_degree(node) else np.zeros((1, 1), dtype=bool)
    return step._answer(query[None, :], keys, values, mask).state[0, :]


def _words(words: Iterable[str], n: int, what: str) -> list[str]:
    """The words of n tokens, or without words their numbers. Raises `InvalidInput` for another number of words."""
    labels = each(words, str, what, "a word")
    if labels and len(labels) != n:
        raise InvalidInput(f"{what}: {len(labels)} words do not fit {n} rows of the trace")
    return [*labels] or [str(i) for i in range(n)]
