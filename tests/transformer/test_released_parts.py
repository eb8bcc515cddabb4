"""The parts of released models: gates, parallel sub-layers, norms after them, norms of queries, scaled positions, caps.

`tests/checkpoints/test_families.py` compares them with whole models of `transformers`. Here they are held against their
formulas, and against the parts that they are made of.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.positions import LinearScaling, Rotary, WavelengthScaling, YarnScaling
from hopattn.positions.planes import frequencies
from hopattn.transformer import Affine, FeedForward, RMSNorm
from hopattn.transformer.nonlinearities import NONLINEARITIES

DIM, HIDDEN, WORDS = 6, 5, 4
RMS = RMSNorm(epsilon=1e-6)


def drawn(seed):
    rng = np.random.default_rng(seed)
    return lambda *shape: rng.normal(size=shape)


def heads(draw, **options):
    """Two heads of keys, each for two of queries."""
    keys = [(Affine(draw(4, DIM)), Affine(draw(4, DIM))) for _ in range(2)]
    own = [ha.Head(draw(4, DIM), *keys[i // 2], beta=0.5, **options) for i in range(4)]
    return ha.MultiHead(own, draw(DIM, 16))


def block(draw, gated=True, **options):
    gate = draw(HIDDEN, DIM) if gated else None
    fed = FeedForward(draw(HIDDEN, DIM), draw(DIM, HIDDEN), "silu", gate=gate)
    return ha.Block(heads(draw), fed, norms=[RMS, RMS], **options)


def test_a_gate_multiplies_the_hidden_layer():
    draw = drawn(0)
    inner, gate, outer, x = draw(HIDDEN, DIM), draw(HIDDEN, DIM), draw(DIM, HIDDEN), draw(WORDS, DIM)
    layer = FeedForward(inner, outer, "tanh", gate=gate)
    np.testing.assert_allclose(layer.hidden(x), np.tanh(x @ gate.T) * (x @ inner.T), rtol=1e-12)
    np.testing.assert_allclose(layer(x), (np.tanh(x @ gate.T) * (x @ inner.T)) @ outer.T, rtol=1e-12)


@pytest.mark.parametrize("name", ["gelu_tanh", "silu"])
def test_nonlinearities_neither_overflow_nor_lose_their_limits(name):
    x = np.array([-1e300, -800.0, 0.0, 800.0, 1e300])
    np.testing.assert_array_equal(NONLINEARITIES[name](x), [0, 0, 0, 800, 1e300])


def test_norms_of_queries_and_keys_are_of_each_head_and_come_before_the_position():
    draw = drawn(5)
    norms = RMSNorm(draw(4)), RMSNorm(draw(4))
    own = heads(draw, query_norm=norms[0], key_norm=norms[1], position="rope")
    x = draw(WORDS, DIM)
    assert len(own.groups) == 1
    for head, trace in zip(own.heads, own.trace(x).heads, strict=True):
        queries, keys = (
            ha.rope(norm(part(x)), np.arange(WORDS)) for norm, part in zip(norms, (head.query, head.key), strict=True)
        )
        np.testing.assert_allclose(trace.queries, queries, rtol=1e-12)
        np.testing.assert_allclose(trace.scores, queries @ keys.T, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(head(x), trace.output, rtol=1e-12)


SCALINGS = [
    None,
    LinearScaling(4.0),
    WavelengthScaling(8.0, low=1.0, high=4.0, original=64),
    YarnScaling(8.0, original=64, fast=4.0, slow=1.0, whole=True, length=1.3),
    YarnScaling(8.0, original=64, fast=4.0, slow=1.0, whole=False, length=1.0),
]


@pytest.mark.parametrize("scaling", SCALINGS)
@given(seed=st.integers(0, 1000), dim=st.sampled_from([None, 2, 4]), first=st.integers(0, 50))
def test_scores_of_scaled_and_partial_positions_depend_on_the_offset_alone(scaling, seed, dim, first):
    """And `undone` is the transpose, through which a derivative goes back."""
    draw, own = drawn(seed), Rotary(100.0, layout="half", dim=dim, scaling=scaling)
    q, k = draw(3, 6), draw(3, 6)
    np.testing.assert_allclose(own(q) @ own(k).T, own(q, first) @ own(k, first).T, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.sum(own(q) * k), np.sum(q * own.undone(k)), rtol=1e-9, atol=1e-9)
    if dim is not None:
        np.testing.assert_array_equal(own(q)[:, dim:], q[:, dim:])
        np.testing.assert_allclose(own(q)[:, :dim], Rotary(100.0, layout="half", dim=None, scaling=scaling)(q[:, :dim]))


@given(base=st.sampled_from([100.0, 1e4, 5e5]))
def test_scaled_frequencies_lie_between_the_plain_ones_and_those_slowed_by_the_factor(base):
    plain = frequencies(16, base)
    for scaling in SCALINGS[1:]:
        scaled = scaling(plain, base)
        assert np.all(scaled <= plain * (1 + 1e-15)) and np.all(scaled >= plain / scaling.factor * (1 - 1e-15))
    linear, by_wave, *_ = SCALINGS[1:]
    np.testing.assert_allclose(linear(plain, base), plain / 4)
    waves = 2 * np.pi / plain
    scaled = by_wave(plain, base)
    np.testing.assert_allclose(scaled[waves < 64 / 4], plain[waves < 64 / 4])
    np.testing.assert_allclose(scaled[waves > 64], plain[waves > 64] / 8)


@given(seed=st.integers(0, 1000), cap=st.sampled_from([0.5, 2.0, 1e9]), beta=st.sampled_from([0.5, 4.0]))
def test_a_cap_bends_scores_between_its_bounds(seed, cap, beta):
    draw = drawn(seed)
    maps, x = [draw(4, DIM) for _ in range(3)], draw(WORDS, DIM)
    head = ha.Head(*maps, similarity=ha.retrieval.Capped(cap), beta=beta, mask="causal")
    scores, plain = head.trace(x).scores, ha.Head(*maps, beta=beta, mask="causal").trace(x).scores
    np.testing.assert_allclose(scores, cap * np.tanh(plain / cap), rtol=1e-9)
    assert np.all(np.abs(scores) <= cap)


def test_capped_scores_have_no_energy_and_stream_like_the_plain_form():
    draw = drawn(6)
    keys = draw(600, 4)
    memory = ha.Memory(keys, similarity=ha.retrieval.Capped(2.0), beta=3.0)
    assert "the similarity 'capped' is not the dot product" in memory.why_not("energy")
    with pytest.raises(InvalidInput, match="capped"):
        memory.energy(keys[:1])
    text = draw(300, 4)  # as many pairs as are worth streaming
    head = ha.Head(*[np.eye(4)] * 3, similarity=ha.retrieval.Capped(2.0), beta=3.0, mask="causal")
    np.testing.assert_allclose(head(text)[-5:], head.trace(text).output[-5:], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("library", ["torch", pytest.param("jax", marks=pytest.mark.slow)])
def test_values_and_derivatives_on_other_libraries_are_those_of_numpy(library, request):
    """Of a gated layer with parallel sub-layers, norms of queries, scaled positions and capped scores."""
    module = pytest.importorskip(library, reason=f"{library} is not installed (the extra `{library}`)")
    draw = drawn(7)
    maps = [draw(4, DIM) for _ in range(3)]
    options = {
        "beta": 0.5,
        "position": Rotary(100.0, layout="half", dim=2, scaling=SCALINGS[3]),
        "similarity": ha.retrieval.Capped(2.0),
        "query_norm": RMS,
        "key_norm": RMS,
    }
    w_out, inner, gate, outer, x = (
        draw(DIM, 4),
        draw(HIDDEN, DIM),
        draw(HIDDEN, DIM),
        draw(DIM, HIDDEN),
        draw(WORDS, DIM),
    )

    def built(array):
        attention = ha.MultiHead([ha.Head(*map(array, maps), **options)], array(w_out))
        fed = FeedForward(array(inner), array(outer), "gelu_tanh", gate=array(gate))
        return ha.Block(attention, fed, norms=[RMS, RMS], norm_first=True, parallel=True)

    own = built(np.asarray)
    slope = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[place] = 1e-6
        slope[place] = np.sum(own(x + step) - own(x - step)) / 2e-6
    if library == "torch":
        words = module.tensor(x, requires_grad=True)
        found = built(module.tensor)(words)
        found.sum().backward()
        values, derivative = found.detach().numpy(), words.grad.numpy()
    else:
        module.config.update("jax_enable_x64", True)
        array = module.numpy.asarray
        values = np.asarray(built(array)(array(x)))
        derivative = np.asarray(module.grad(lambda words: built(array)(words).sum())(array(x)))
    np.testing.assert_allclose(values, own(x), rtol=1e-12)
    np.testing.assert_allclose(derivative, slope, rtol=1e-6, atol=1e-7)
