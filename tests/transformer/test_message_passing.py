"""Messages along the edges of a graph are attention in matrix form, with every mask, and only the edges count."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.retrieval.activation import activations
from hopattn.retrieval.masks import mask_rules
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import similarities
from hopattn.transformer import AttentionLayer, layer_by_messages, pass_messages, token_graph
from tests.draws import arrays, masks_for, sizes

TOL = {"rtol": 1e-12, "atol": 1e-12}


def received(graph, retrieval=None):
    """All messages as rows, in the order of the nodes."""
    return np.stack(list(pass_messages(graph, retrieval).values()))


@st.composite
def heads(draw, mask="none", **parts):
    """A head and a text that fits it."""
    n, dim, dim_key, dim_out = (draw(sizes) for _ in range(4))
    matrices = (draw(arrays((rows, dim))) for rows in (dim_key, dim_key, dim_out))
    return ha.Head(*matrices, mask=mask, **parts), draw(arrays((n, dim)))


def test_every_mask_rule_is_drawn():
    assert {type(rule) for rule in masks_for(2, 2)} == set(mask_rules.values())


@pytest.mark.parametrize("rule", masks_for(4, 4))
@given(data=st.data())
def test_messages_are_the_head_in_matrix_form_with_every_mask_rule(rule, data):
    head, x = data.draw(heads(rule))
    trace = head.trace(x)
    graph = token_graph(trace)
    np.testing.assert_allclose(received(graph, head.retrieval), trace.output, **TOL)
    allowed = np.ones(trace.scores.shape, bool) if trace.mask is None else trace.mask
    assert np.array_equal(nx.to_numpy_array(graph, weight=None).T.astype(bool), allowed)
    np.testing.assert_allclose(nx.to_numpy_array(graph).T, trace.weights, **TOL)
    np.testing.assert_allclose(nx.to_numpy_array(graph, weight="score").T, np.where(allowed, trace.scores, 0), **TOL)


@given(data=st.data(), n=sizes, m=sizes, dim=sizes, out=sizes)
def test_messages_between_two_texts_are_attention(data, n, m, dim, out):
    q, k, w = (data.draw(arrays(shape)) for shape in ((n, dim), (m, dim), (out, dim)))
    for rule in masks_for(n, m):
        head = ha.Head(np.eye(dim), np.eye(dim), w, beta=dim**-0.5, mask=rule)
        graph = token_graph(head.trace(q, source=k), source=[f"word {j}" for j in range(m)])
        expected = ha.attention(q, k, k @ w.T, mask=rule)
        np.testing.assert_allclose(received(graph, head.retrieval), expected, rtol=1e-11, atol=1e-10)
        assert all(i < n <= j for j, i in graph.edges)


@pytest.mark.parametrize("name", separations)
@given(data=st.data())
def test_a_masked_key_is_a_missing_edge_for_every_separation(name, data):
    head, x = data.draw(heads("causal", separation=name, beta=0.3))
    expected = head(x)
    largest = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(
        received(token_graph(head.trace(x)), head.retrieval), expected, rtol=1e-11, atol=1e-12 * largest
    )


@pytest.mark.parametrize("kind", ["similarity", "activation"])
@given(data=st.data())
def test_every_similarity_and_activation_passes_messages(kind, data):
    for name in {"similarity": similarities, "activation": activations}[kind]:
        head, x = data.draw(heads("strict", beta=0.1, **{kind: name}))
        x = x + 0.1
        np.testing.assert_allclose(received(token_graph(head.trace(x)), head.retrieval), head(x), rtol=1e-9, atol=1e-9)


@given(data=st.data())
def test_only_edges_count_and_not_the_order_of_the_nodes(data):
    head, x = data.draw(heads("causal"))
    graph = token_graph(head.trace(x))
    turned = nx.DiGraph()
    turned.add_nodes_from(reversed(list(graph.nodes(data=True))))
    turned.add_edges_from(reversed(list(graph.edges)))
    for node, message in pass_messages(turned).items():
        np.testing.assert_allclose(message, pass_messages(graph)[node], **TOL)


@given(data=st.data())
def test_the_weights_of_the_edges_into_a_node_sum_to_1(data):
    head, x = data.draw(heads("strict"))
    graph = token_graph(head.trace(x))
    for node in graph:
        assert graph.in_degree(node, weight="weight") == pytest.approx(1.0 if graph.in_degree(node) else 0.0)


def test_a_message_is_its_sum_written_out():
    graph = nx.gn_graph(5, seed=1)  # a tree, whose shape no mask of a text has
    rng = np.random.default_rng(1)
    for node in graph:
        graph.add_node(node, query=rng.normal(size=3), key=rng.normal(size=3), value=rng.normal(size=2))
    for node, message in pass_messages(graph).items():
        neighbours = [graph.nodes[j] for j in graph.predecessors(node)]
        powers = [np.exp(graph.nodes[node]["query"] @ one["key"]) for one in neighbours]
        expected = sum((p * one["value"] for p, one in zip(powers, neighbours, strict=True)), np.zeros(2))
        np.testing.assert_allclose(message, expected / (sum(powers) or 1), **TOL)


def test_words_stand_at_the_nodes():
    eye = np.eye(3)
    head = ha.Head(eye, eye, eye, mask="none")
    graph = token_graph(head.trace(eye), ["the", "big", "big"])
    assert nx.get_node_attributes(graph, "token") == {0: "the", 1: "big", 2: "big"}
    graph = token_graph(head.trace(eye[:1], source=eye), source=["cats", "chase", "mice"])
    assert nx.get_node_attributes(graph, "token") == {0: "0", 1: "cats", 2: "chase", 3: "mice"}
    assert sorted(graph.edges) == [(1, 0), (2, 0), (3, 0)]


def test_on_every_library(library):
    rng = np.random.default_rng(2)
    x, weights = rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3))
    own = ha.Head(*weights, mask="causal")
    other = ha.Head(*(library.array(w) for w in weights), mask="causal")
    graph = token_graph(other.trace(library.array(x)))
    messages = pass_messages(graph, other.retrieval)
    assert all(type(message) is type(library.array(x)) for message in messages.values())
    np.testing.assert_allclose([library.numpy(message) for message in messages.values()], own(x), rtol=1e-12)


@given(data=st.data(), crossed=st.booleans(), residual=st.booleans())
def test_a_layer_by_messages_is_the_layer_in_matrix_form(data, crossed, residual):
    n, m, dim = (data.draw(sizes) for _ in range(3))
    x, other = data.draw(arrays((n, dim))), data.draw(arrays((m, dim)))
    parts = [[data.draw(arrays((dim, dim))) for _ in range(3)] for _ in range(2)]
    mask = data.draw(st.sampled_from(["none"] if crossed else ["none", "causal", "strict"]))
    layer = AttentionLayer(
        ha.MultiHead([ha.Head(*maps, mask=mask) for maps in parts], data.draw(arrays((dim, 2 * dim)))),
        residual=residual,
    )
    source = other if crossed else None
    passed = layer_by_messages(layer, x, source=source)
    np.testing.assert_allclose(passed.state, layer(x, source=source), **TOL)
    expected = {"none": n * (m if crossed else n), "causal": n * (n + 1) // 2, "strict": n * (n - 1) // 2}[mask]
    assert [graph.number_of_edges() for graph in passed.graphs] == [expected, expected]
