"""What the parts of transformers refuse: the place that the message names, and the words without which it helps little.

One row for each check of the package. PyTorch's words, and modules of PyTorch, have tables of their own.
"""

from dataclasses import replace
from functools import partial

import networkx as nx
import numpy as np
import pytest

import hopattn as ha
from hopattn.positions import Alibi, Rotary
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.similarity import FixedScores
from hopattn.retrieval.step import Step
from hopattn.transformer import (
    Affine,
    AttentionLayer,
    DeltaState,
    EncoderDecoder,
    FeedForward,
    FirstWord,
    LayerNorm,
    LinearState,
    NGram,
    Recurrent,
    RecurrentDecoder,
    RMSNorm,
    delta_attention,
    layer_by_messages,
    linear_attention,
    pass_messages,
    stack,
    token_graph,
)  # fmt: skip
from hopattn.transformer.cache import multiplications
from hopattn.transformer.encoder_decoder import greedy
from tests.refusal import refused

EYE, TWO, ODD, ONES = np.eye(4), np.eye(2), np.eye(3), np.ones((3, 2))
LONG, WORDS = np.ones((3, 4)), np.ones((2, 4))
HEAD = ha.Head(EYE, EYE, EYE, beta=0.5, mask="none")
HEADS, NORM, FED = ha.MultiHead([HEAD], EYE), LayerNorm(np.ones(4)), FeedForward(EYE, EYE)
BLOCK, CROSSED = ha.Block(HEADS, FED, norms=[NORM] * 2), ha.Block(HEADS, FED, norms=[NORM] * 3, cross=HEADS)
BOTH = EncoderDecoder([BLOCK], [CROSSED], norms=(NORM, NORM))
CAUSAL, THREE = ha.Head(EYE, EYE, EYE, mask="causal"), ha.MultiHead([HEAD] * 3, np.ones((4, 12)))
MIXED = ha.MultiHead([HEAD, HEAD, CAUSAL], np.ones((4, 12)))
STATE, WHOLE = HEADS.to_torch(), BOTH.to_torch()
FIXED = FixedScores(np.eye(2))
NETWORK, DECODER = Recurrent(TWO, TWO), RecurrentDecoder(Recurrent(np.ones((2, 4)), TWO))
YARN = ha.positions.YarnScaling(8.0, original=64, fast=4.0, slow=1.0, whole=True, length=1.3)


def biased(bias, heads=1):
    return ha.MultiHead([ha.Head(EYE, EYE, EYE, bias=bias, mask="causal")] * heads, np.ones((4, 4 * heads)))


def alone(**options):
    """A layer of one head with such options."""
    return AttentionLayer(ha.MultiHead([ha.Head(EYE, EYE, EYE, **{"mask": "causal"} | options)], EYE))


def cache(x=None, **options):
    """A cache of one layer, with these words in it."""
    empty = ha.KeyValueCache([alone(**options)])
    return empty if x is None else empty.append(x)[1]


def asking(**vectors):
    """A graph of two nodes: b asks a, which has these vectors."""
    graph = nx.DiGraph([("a", "b")])
    graph.add_node("b", query=np.ones(2))
    graph.add_node("a", **vectors)
    return graph


def special(**options):
    """A block with an option that PyTorch's layer lacks."""
    return ha.Block(HEADS, FED, norms=[NORM] * 2, norm_first=True, **options)


SPECIAL = {
    "parallel": special(parallel=True), "norms_after": special(norms_after=[NORM] * 2),
    "gate": ha.Block(HEADS, FeedForward(EYE, EYE, gate=EYE), norms=[NORM] * 2),
}  # fmt: skip


def other_encoder(*blocks, norms=BOTH.norms):
    return EncoderDecoder(blocks, BOTH.decoder, norms=norms).to_torch()


ROWS = [
    # attention
    (lambda: ha.attention(EYE, EYE, np.ones((2, 3))), "v:", "got shape (2, 3)", "m = 4 of k"),
    (lambda: ha.attention(EYE, ODD, ODD), "k:", "got shape (3, 3)", "dim = 4 of q"),
    (lambda: ha.attention([1, 2], EYE, EYE), "q:", "(2,)", "(…, n, dim)"),
    (lambda: ha.attention(EYE, EYE, np.ones((4, 0))), "v:", "got shape (4, 0)", "no axis of length 0"),
    (lambda: ha.attention(EYE, EYE, EYE, beta=-1), "beta:", "positive"),
    (lambda: ha.attention(np.ones((2, 3, 3)), np.ones((4, 3, 3)), ODD), "q, k:", "(2,), (4,)", "broadcast"),
    (lambda: ha.attention(EYE, EYE, EYE, colour=1), "attention: option 'colour'", "choices: beta, bias, k,"),
    (lambda: ha.attention(EYE, EYE, EYE, sinks=0), "attention: option 'sinks'", "'sink'"),
    (lambda: ha.attention(EYE, EYE, EYE, bias=np.full((4, 4), np.inf)), "bias:", "+inf"),
    (lambda: ha.transformer.free_energy(EYE, ODD), "k:", "got shape (3, 3)", "dim = 4 of q"),
    # sinks
    (lambda: ha.attention(*[np.zeros((3, 2, 4))] * 3, sink=[0, 1]), "sink:", "(2,)", "(3,), one for each head"),
    (lambda: ha.attention(EYE, EYE, EYE, sink=[0, 1]), "sink:", "(2,)", "an axis of heads"),
    (lambda: ha.attention(*[np.zeros((3, 2, 4))] * 3, sink=np.zeros((3, 1))), "sink:", "(3, 1)"),
    (lambda: ha.attention(*[np.zeros((3, 2, 4))] * 3, sink=[0, 1, np.inf]), "sink:", "holds inf", "finite numbers"),
    (lambda: ha.attention(EYE, EYE, EYE, sink="0"), "sink:", "finite number", "'0'"),
    (lambda: ha.attention(EYE, EYE, EYE, sink=0, separation="identity"), "sink:", "'identity'"),
    (lambda: ha.MultiHead([HEAD] * 2, np.zeros((4, 8)), sink=[0, 1, 2]), "sink:", "(3,)", "(2,), one"),
    (lambda: ha.MultiHead([HEAD.with_sink(1)], EYE, sink=0), "sink:", "Softmax", "carries its own"),
    (lambda: ha.Head(EYE, EYE, EYE, sink=[0, 1], mask="causal"), "sink:", "single number", "(2,)"),
    (lambda: ha.Head(EYE, EYE, EYE, sink=np.zeros(2), mask="causal"), "sink:", "ha.attention and ha.MultiHead"),
    # heads
    (lambda: ha.Head(EYE, np.ones((2, 4)), EYE, mask="causal"), "w_key:", "(2, 4)", "dim_key = 4 of w_query"),
    (lambda: ha.Head(EYE, EYE, np.ones((3, 2)), mask="causal")(EYE), "x:", "dim_of_values = 2 of w_value"),
    (lambda: ha.Head([1, 2], EYE, EYE, mask="causal"), "w_query:", "(2,)", "(out, in)"),
    (lambda: ha.Head(EYE, EYE, EYE, mask="casual"), "mask:", "'casual'", "'causal'"),
    (lambda: ha.Head(EYE, EYE, EYE, mask=[[1, 0]]), "mask:", "booleans"),
    (lambda: ha.Head(EYE, EYE, EYE, separation=ha.separations.softmax(beta=3), beta=1.0), "separation:", "own beta"),
    (lambda: ha.Head(EYE, EYE, EYE, positon="rope", mask="causal"), "Head: option 'positon'", "'position'"),
    (lambda: ha.Head(EYE, EYE, EYE, key_norm="rms", mask="causal"), "key_norm:", "function"),
    (lambda: HEAD(np.ones((2, 3, 4)), source=np.ones((5, 3, 4))), "x, source: the leading", "(2,), (5,)", "broadcast"),
    (lambda: HEAD(ODD), "x:", "got shape (3, 3)", "dim = 4 of w_query"),
    (lambda: HEAD(EYE, source=ODD), "source:", "got shape (3, 3)", "dim_of_keys = 4 of w_key"),
    (lambda: HEAD([1.0, 0, 0, 0]), "x:", "(4,)", "(…, n, dim)"),
    (lambda: CAUSAL(EYE, source=EYE[:2]), "", "4 queries", "2 keys"),
    (lambda: HEAD(EYE, source=ha.causal.array(4)), "source:", "not booleans", "mask="),
    (lambda: HEADS(EYE, key=ha.causal.array(4)), "key:", "not booleans", "mask="),
    (lambda: HEADS(EYE, value=ha.causal.array(4)), "value:", "not booleans", "mask="),
    (lambda: HEADS(EYE, EYE), "mask:", "booleans", "float64", "source="),
    (lambda: HEAD.without(4)(EYE), "token:", "(4,)", "0 to 3"),
    (lambda: HEAD.without("dog")(EYE), "token:", "'dog'", "the number of a token"),
    (lambda: HEAD.without(True)(EYE), "token:", "True"),
    (lambda: HEAD.without([1.5])(EYE), "token:", "1.5"),
    (lambda: HEAD.without(1, at=9)(EYE), "at:", "9", "0 to 3"),
    (lambda: ha.transformer.worth(HEADS, EYE, 0), "head:", "Head", "MultiHead"),
    # heads in parallel
    (lambda: ha.MultiHead([], EYE), "heads:", "at least one Head"),
    (lambda: ha.MultiHead(HEAD, EYE), "heads:", "a list", "Head"),
    (lambda: ha.MultiHead([HEAD], TWO), "w_out:", "got shape (2, 2)", "dim = 4 of the heads' concatenated outputs"),
    (lambda: ha.MultiHead([ha.Head(*[ODD] * 3), ha.Head(*[TWO] * 3)], np.eye(5)), "heads: entry 1: w_query", "dim = 3"),
    (lambda: AttentionLayer(ha.MultiHead([HEAD], np.ones((2, 4)))), "attention:", "dim 2", "dim 4"),
    (lambda: AttentionLayer(HEAD), "attention:", "MultiHead", "Head"),
    (lambda: THREE(EYE, bias=np.zeros((2, 4, 4))), "bias:", "(2, 4, 4)", "(…, heads, n, m) of shape (3, 4, 4)"),
    (lambda: MIXED.trace(EYE, bias=np.zeros((5, 4, 4))), "bias:", "(5, 4, 4)", "(3, 4, 4)"),
    (lambda: THREE(EYE[None], bias=np.zeros((2, 1, 4))), "bias:", "(2, 1, 4)", "(1, 3, 4, 4)"),
    (lambda: THREE(EYE, bias=np.zeros((3, 3))), "bias:", "(3, 3)"),
    (lambda: HEADS(EYE, bias=[["a"]]), "bias:", "real numbers"),
    (lambda: HEADS(EYE, bias=np.full((4, 4), np.nan)), "bias:", "NaN"),
    (lambda: THREE(EYE, mask=np.ones((3, 3), bool)), "mask:", "(3, 3)"),
    (lambda: THREE(EYE, mask=np.ones((2, 4, 4), bool)), "mask:", "(2, 4, 4)", "(4, 4)"),
    (lambda: THREE(EYE[None], mask=np.ones((2, 1, 4, 4), bool)), "mask:", "(2, 1, 4, 4)"),
    (lambda: THREE(EYE[None], mask=np.ones((1, 1, 1, 4), bool)), "mask:", "reshape it to (1, 1, 4)"),
    (lambda: HEADS(EYE, value=EYE[:3]), "value:", "(3, 4)", "m = 4 of x"),
    (lambda: HEADS(EYE, key=EYE, source=EYE), "source:", "a key is given too"),
    (lambda: Affine(TWO, [1.0]), "bias:", "(1,)", "out = 2"),
    (lambda: Affine(TWO)(ODD), "x:", "got shape (3, 3)", "dim = 2 of weight"),
    # positions and biases of heads
    (lambda: ha.Head(EYE, EYE, EYE, position="rop", mask="causal"), "position:", "'rop'", "'rope'"),
    (lambda: ha.Head(EYE, EYE, EYE, position=3, mask="causal"), "position:", "'3'", "Rotary or None"),
    (lambda: ha.Head(ODD, ODD, ODD, position="rope", mask="causal"), "position: the rows of w_query:", "2 or 4", "3"),
    (lambda: ha.Head(EYE, EYE, EYE, position=Rotary(dim=6), mask="causal"), "position: the rows of w_query:", "4", "6"),
    (lambda: ha.Head(EYE, EYE, EYE, bias="alibi", mask="causal"), "bias:", "Alibi", "not a text"),
    (lambda: ha.Head(EYE, EYE, EYE, bias=[1.0], mask="causal"), "bias:", "(1,)", "(n, m)"),
    (lambda: ha.Head(EYE, EYE, EYE, bias=[[np.nan]], mask="causal"), "bias:", "NaN"),
    (lambda: ha.Head(EYE, EYE, EYE, bias=np.ones((2, 2)), mask="causal")(EYE), "bias of the head:", "(2, 2)"),
    (lambda: ha.Head(EYE, EYE, EYE, bias=Alibi(1), mask="causal")(EYE, bias=np.ones((2, 2))), "bias:", "(2, 2)"),
    (lambda: biased(Alibi(1))(EYE, bias=np.ones((2, 4, 4))), "bias:", "(2, 4, 4)", "(1, 4, 4)"),
    (lambda: Rotary(base=0), "base:", "positive", "0"),
    (lambda: Rotary(layout="halves"), "layout:", "'halves'", "'half'"),
    (lambda: Rotary(dim=3), "dim:", "even"),
    (lambda: Rotary(scaling="yarn"), "scaling:", "Scaling"),
    (lambda: Rotary(dim=8)(WORDS), "dim of x:", "4", "8"),
    (lambda: Rotary(1.0, scaling=YARN)(WORDS), "base:", "1"),
    (lambda: ha.positions.WavelengthScaling(2.0, low=4.0, high=1.0, original=8), "high:", "1", "above low, 4"),
    (lambda: ha.positions.WavelengthScaling(2.0, low=4.0, high=4.0, original=8), "high:", "4", "above low, 4"),
    (lambda: Alibi(0), "slope:", "positive", "0"),
    (lambda: ha.positions.alibi(0, 3), "n_heads:", "at least 1", "0"),
    (lambda: ha.positions.alibi(8, 0), "n:", "at least 1", "0"),
    (lambda: ha.positions.alibi(8, 3, 2), "alibi:", "3 queries", "2 keys"),
    (lambda: ha.positions.alibi(8, 3, 3.0), "m:", "whole"),
    (lambda: ha.positions.alibi(8, 10**7), "alibi:", "8 heads of 10,000,000 queries and 10,000,000 keys"),
    (lambda: ha.positions.alibi_slopes(10**12), "alibi:", "1,000,000,000,000 heads"),
    (lambda: ha.rope(1.0, 0), "x:", "()", "(…, dim)"),
    (lambda: ha.rope([1.0, 2, 3], 0), "dim of x:", "even", "2 or 4", "3"),
    (lambda: ha.rope(TWO, [0, 1, 2]), "positions:", "(3,)", "(2,)"),
    (lambda: ha.rope([1.0, 2], [0]), "positions:", "(1,)"),
    (lambda: ha.rope(TWO, [0, np.nan]), "positions:", "NaN"),
    (lambda: ha.rope(TWO, [True, False]), "positions:", "real numbers", "bool"),
    (lambda: ha.rope(TWO, 0, base=-1.0), "base:", "positive", "-1"),
    (lambda: ha.rope(TWO, 0, base=1e-301), "base:", "1e-300"),
    (lambda: ha.rope(TWO, 0, layout="halves"), "layout:", "'halves'", "'half'"),
    (lambda: ha.rotation(1.0, 3), "dim:", "even"),
    (lambda: ha.rotation(1.0, 0), "dim:", "at least 2"),
    (lambda: ha.rotation(np.nan), "angle:", "NaN"),
    (lambda: ha.rotation([1.0, 2.0], 2), "angle:", "(2,)", "1 planes"),
    (lambda: ha.sinusoidal(0, 4), "n:", "at least 1", "0"),
    (lambda: ha.sinusoidal(3, 10**9), "dim:", "4,194,304", "1,000,000,000"),
    (lambda: ha.sinusoidal(3, 5), "dim:", "4 or 6", "5"),
    (lambda: ha.sinusoidal(3, 4, base=-2), "base:", "positive", "-2"),
    (lambda: ha.sinusoidal(10**9, 10**6), "sinusoidal:", "1,000,000,000 positions of dim 1,000,000"),
    (lambda: ha.positions.sinusoidal_shift(np.inf, 4), "k:", "finite", "inf"),
    (lambda: ha.positions.with_positions(EYE, EYE, "ad"), "how:", "'add'"),
    (lambda: ha.positions.with_positions([1.0, 2.0], TWO), "words:", "(2,)", "(…, n, dim)"),
    (lambda: ha.positions.with_positions(TWO, [1.0, 2.0]), "positions:", "(2,)", "(…, n, k)"),
    (lambda: ha.positions.with_positions(WORDS, ONES), "rows of positions:", "(3,)"),
    (lambda: ha.positions.with_positions(WORDS, np.ones((2, 3)), "multiply"), "positions:", "dim 3", "a divisor of 4"),
    # feed-forward layers and norms
    (lambda: FeedForward(TWO, ODD), "w_out:", "got shape (3, 3)", "dim = 2 of the rows of w_in"),
    (lambda: FeedForward(TWO, TWO, "rellu"), "activation:", "'rellu'", "'relu'"),
    (lambda: FeedForward(EYE, EYE, gate=LONG), "gate:", "(3, 4)", "(4, 4)"),
    (lambda: LayerNorm(TWO), "gain:", "(2, 2)", "(dim,)"),
    (lambda: LayerNorm([1.0], [1.0, 2.0]), "shift:", "(2,)", "dim = 1"),
    (lambda: LayerNorm(epsilon=0), "epsilon:", "positive"),
    (lambda: RMSNorm(shift=[1.0, 2.0])(ODD), "x:", "(3, 3)", "dim = 2"),
    # blocks
    (lambda: ha.Block(HEADS, FED, norms=[NORM]), "norms:", "expected 2", "not 1"),
    (lambda: ha.Block(HEADS, norms=[NORM] * 2), "norms:", "expected 1", "not 2"),
    (lambda: ha.Block(HEADS, FED, norms=3), "norms:", "3"),
    (lambda: ha.Block(HEADS, FED, norm_first="yes"), "norm_first:", "'yes'"),
    (lambda: ha.Block(HEADS, FED, residual=2), "residual:", "2"),
    (lambda: ha.Block(HEADS, FED, parallel=2), "parallel:", "2"),
    (lambda: ha.Block(BLOCK, FED), "attention:", "MultiHead", "Block"),
    (lambda: ha.Block(HEADS, 3), "feed_forward:", "FeedForward", "3"),
    (lambda: ha.Block(HEADS, cross=BLOCK), "cross:", "MultiHead", "Block"),
    (lambda: ha.Block(HEADS, FeedForward(ODD, np.ones((4, 3)))), "feed_forward:", "reads", "dim 3", "dim 4"),
    (lambda: ha.Block(HEADS, FeedForward(EYE, LONG)), "feed_forward:", "gives", "dim 3", "dim 4"),
    (lambda: special(norms_after=[NORM]), "norms_after:", "expected 2", "not 1"),
    (lambda: ha.Block(HEADS, FED, parallel=True), "parallel:", "norm_first = True and residual = True"),
    (lambda: special(parallel=True, residual=False), "parallel:", "norm_first = True and residual = True"),
    (lambda: ha.Block(HEADS, FED, norms_after=[NORM] * 2), "norms_after:", "norm_first = True and residual = True"),
    (lambda: BLOCK(EYE, source_mask="none"), "source_mask:", "lacks a cross-attention"),
    (lambda: CROSSED(EYE), "source:", "is missing", "cross-attention"),
    (lambda: BLOCK(np.eye(5)), "x:", "got shape (5, 5)", "dim = 4 of w_query"),
    (lambda: stack([HEADS], EYE), "layers:", "Block", "MultiHead"),
    *((block.to_torch, f"to_torch: {name}:", "PyTorch's layer") for name, block in SPECIAL.items()),
    (replace(BLOCK, residual=False).to_torch, "to_torch: residual is False"),
    (ha.Block(HEADS, norms=[NORM]).to_torch, "to_torch: feed_forward is None"),
    (replace(BLOCK, norms=[LayerNorm()] * 2).to_torch, "to_torch: norm 1:", "LayerNorm with a gain"),
    (replace(BLOCK, norms=[NORM, RMSNorm(np.ones(4))]).to_torch, "to_torch: norm 2:", "RMSNorm"),
    # heads and layers to and from PyTorch's names
    (MIXED.to_torch, "to_torch:", "not alike"),
    (biased(Alibi(1)).to_torch, "to_torch:", "no bias of a head"),
    (ha.MultiHead([ha.Head(EYE, EYE, EYE, position="rope")], EYE).to_torch, "to_torch:", "no rotary position"),
    (ha.MultiHead([ha.Head(EYE, EYE, EYE, key_norm=NORM, mask="causal")], EYE).to_torch, "to_torch:", "no norms"),
    (ha.MultiHead([HEAD], EYE, sink=1.0).to_torch, "to_torch:", "no sink but 0"),
    (ha.MultiHead([HEAD] * 2, np.ones((4, 8)), sink=[0.0, 1.0]).to_torch, "to_torch:", "no sink but 0"),
    (ha.MultiHead([ha.Head(EYE, EYE, EYE, mask="causal")], EYE).to_torch, "to_torch:", "a softmax with beta"),
    (THREE.to_torch, "to_torch:", "do not add up"),
    (lambda: ha.MultiHead.from_torch({"in_proj_weigth": EYE}, 1), "state:", "missing: in_proj_weight, out_proj.weight",
     "unexpected: in_proj_weigth (did you mean in_proj_weight?)"),
    (lambda: ha.MultiHead.from_torch(STATE | {"bias_k": 1}, 1), "state:", "unexpected: bias_k"),
    (lambda: ha.MultiHead.from_torch(STATE, 5), "n_heads:", "5 heads", "the dim 4"),
    (lambda: ha.MultiHead.from_torch(STATE, 0), "n_heads:", "at least 1"),
    (lambda: ha.MultiHead.from_torch(STATE), "n_heads:", "a state does not keep it"),
    (lambda: ha.MultiHead.from_torch([1], 3), "state:", "state_dict"),
    (lambda: ha.MultiHead.from_torch(STATE | {"in_proj_bias": np.zeros(5)}, 1), "in_proj_bias:", "rows = 12"),
    (lambda: ha.MultiHead.from_torch(STATE | {"in_proj_weight": EYE}, 1), "in_proj_weight:", "(4, 4)"),
    (lambda: ha.Block.from_torch({"linear1.weight": TWO, "norm.bias": 1}, n_heads=2), "state:",
     "missing: self_attn.in_proj_weight,", "norm2.weight; unexpected: norm.bias"),
    (lambda: ha.Block.from_torch(7, n_heads=2), "state:", "state_dict", "7"),
    (lambda: ha.Block.from_torch(BLOCK.to_torch(), n_heads=1, activation="rellu"), "activation:", "'rellu'", "'relu'"),
    # encoder and decoder
    (lambda: EncoderDecoder.from_torch(WHOLE | {"red_out.weight": 1}, n_heads=1), "state:",
     "unexpected: red_out.weight"),
    (lambda: EncoderDecoder.from_torch({k.replace("r.layers.0", "r.layers.1"): a for k, a in WHOLE.items()}, n_heads=1),
     "state:", "encoder.layers.0", "not 1"),
    (lambda: EncoderDecoder.from_torch({}, n_heads=1), "state:", "encoder.layers.0", "not none"),
    (lambda: EncoderDecoder.from_torch(3, n_heads=1), "state:", "state_dict", "3"),
    (lambda: EncoderDecoder([BLOCK], [BLOCK]), "decoder:", "block 1 has no cross-attention"),
    (lambda: EncoderDecoder([BLOCK, CROSSED], [CROSSED]), "encoder:", "block 2 has a cross-attention"),
    (lambda: EncoderDecoder([], [CROSSED]), "encoder:", "at least one Block"),
    (lambda: other_encoder(BLOCK, norms=(LayerNorm(), None)), "to_torch: norm of the encoder:", "with a gain"),
    (lambda: other_encoder(replace(BLOCK, residual=False)), "to_torch: encoder: block 1: residual is False"),
    (lambda: other_encoder(BLOCK, replace(BLOCK, norms=[LayerNorm()] * 2)), "to_torch: encoder: block 2: norm 1:"),
    (lambda: other_encoder(replace(BLOCK, norm_first=True)), "to_torch:", "n_heads = 1, norm_first = False, "
     "activation = 'relu'; n_heads = 1, norm_first = True, activation = 'relu'"),
    (lambda: other_encoder(ha.Block(THREE, FED, norms=[NORM] * 2)), "to_torch:", "n_heads = 1,", "; n_heads = 3,"),
    (replace(BOTH, read_out=Affine(EYE)).to_torch, "to_torch:", "no read-out"),
    *((partial(greedy, lambda _, s=s: s, 2), "next_scores:", "(n_words,) finite scores")
      for s in ([np.nan, 1.0], [[1.0]], [], 3.0, [np.inf])),
    (lambda: greedy(lambda _: [1.0], 0), "limit:", "at least 1", "0"),
    # the cache
    (lambda: ha.KeyValueCache([]), "layers:", "at least one Block"),
    (lambda: ha.KeyValueCache(3), "layers:", "a list", "3"),
    (lambda: ha.KeyValueCache([HEAD]), "layers: layer 1:", "AttentionLayer(ha.MultiHead([head], w_out))", "Head"),
    (lambda: ha.KeyValueCache([HEADS]), "layers: layer 1:", "AttentionLayer(heads)", "MultiHead"),
    (lambda: ha.KeyValueCache([AttentionLayer(ha.MultiHead([CAUSAL], EYE)), 7]), "layers: layer 2:", "Block", "int"),
    (lambda: ha.KeyValueCache([CROSSED]), "layers: layer 1:", "cross-attention"),
    (lambda: cache(mask="none"), "layers: layer 1:", "'causal', 'strict' or a window", "'none'"),
    (lambda: cache(mask="nonzero"), "layers: layer 1:", "not 'nonzero'"),
    (lambda: cache(mask=ha.causal.array(4)), "layers: layer 1:", "not an array"),
    (lambda: cache(similarity=FIXED), "layers: layer 1:", "'fixed_scores'"),
    (lambda: cache(bias=EYE), "layers: layer 1:", "a bias that is an array", "Alibi"),
    (lambda: cache(x=WORDS).append(np.ones(4)), "x:", "(4,)", "(…, n, dim)"),
    (lambda: cache().append(ODD), "x:", "got shape (3, 3)", "dim = 4 of w_query"),
    (lambda: cache(x=np.ones((2, 3, 4))).append(np.ones((3, 1, 4))), "x:", "(3,) texts", "(2,)"),
    (lambda: multiplications(HEADS, 0), "n:", "at least 1"),
    # linear attention and the delta rule
    (lambda: linear_attention(ONES, ONES, ONES, features="elo"), "phi:", "'elo'", "'elu'"),
    (lambda: linear_attention(ONES, ONES, ONES, features="identity"), "normalise:", "'identity'", "negative"),
    (lambda: linear_attention(ONES, ONES, ONES, normalise=2), "normalise:", "2"),
    (lambda: linear_attention(ONES, ONES, ONES, mask=ha.window(2)), "mask:", "'none', 'causal' or 'strict'"),
    (lambda: linear_attention(ONES, ONES[:2], ONES[:2], mask="causal"), "mask:", "3 queries", "2 keys"),
    (lambda: linear_attention(ONES, ONES, ONES[:2]), "v:", "got shape (2, 2)", "m = 3 of k"),
    (lambda: linear_attention(ONES, ONES, ONES, mask="causal", chunk=0), "chunk:", "at least 1"),
    (lambda: LinearState().read(ONES), "state:", "no keys yet"),
    (lambda: LinearState().matrix, "state:", "no keys yet"),
    (lambda: LinearState().attended(ONES[:2], ONES, ONES), "k:", "got shape (3, 2)", "n = 2 of q"),
    (lambda: LinearState().attended(ONES, ONES, ONES, strict=2), "strict:", "2"),
    (lambda: LinearState().extended(ONES, ONES).extended(ONES, LONG), "v:", "(3, 4)", "dim_out = 2 of the state"),
    (lambda: LinearState().extended(ONES, ONES).extended(LONG, ONES), "k:", "got shape (3, 4)", "dim = 2 of the state"),
    (lambda: LinearState().extended(ONES, ONES).read(LONG), "q:", "got shape (3, 4)", "dim = 2 of the state"),
    *((partial(delta_attention, ONES, ONES, ONES, rate=rate), "rate:", "below 2", f"not {rate:g}")
      for rate in (2, np.float32(5), np.int64(5))),
    *((partial(delta_attention, ONES, ONES, ONES, rate=rate), "rate:", "positive finite")
      for rate in (0, "x", np.array(-1.0), None)),
    (lambda: delta_attention(ONES, ONES, ONES, rate=[1.0, 1.0]), "rate:", "(2,)", "the keys"),
    (lambda: DeltaState("elo"), "phi:", "'elo'", "'elu'"),
    # recurrent networks and their decoders
    (lambda: Recurrent([1, 2], TWO), "w_input:", "(2,)", "(dim_hidden, dim)"),
    (lambda: Recurrent(TWO, ODD), "w_hidden:", "(3, 3)", "dim_hidden = 2"),
    (lambda: Recurrent(TWO, np.ones((2, 3))), "w_hidden:", "(2, 3)", "dim_hidden = 2"),
    (lambda: Recurrent(TWO, TWO, [1.0]), "bias:", "(1,)", "dim_hidden = 2"),
    (lambda: Recurrent(TWO, TWO, activation="tahn"), "activation:", "'tahn'", "'tanh'"),
    (lambda: NETWORK([1.0, 2.0]), "x:", "(2,)", "(…, n, dim)"),
    (lambda: NETWORK(ODD), "x:", "dim = 2 of w_input"),
    (lambda: NETWORK.step(ODD, TWO), "word:", "(3, 3)", "dim = 2"),
    (lambda: NETWORK.step(TWO, ODD), "state:", "(3, 3)", "dim_hidden = 2"),
    (lambda: NETWORK.step(TWO, ONES), "word, state: the leading axes (2,), (3,)", "broadcast"),
    (lambda: NETWORK.start(ODD), "word:", "(3, 3)", "dim = 2"),
    (lambda: NETWORK(TWO, start=[1.0]), "start:", "(1,)", "dim_hidden = 2"),
    (lambda: NETWORK(TWO, start=TWO), "start:", "(2, 2)", "(2,)"),
    (lambda: RecurrentDecoder(TWO), "cell:", "Recurrent", "array"),
    (lambda: RecurrentDecoder(NETWORK, similarity="dto"), "similarity:", "'dto'", "'dot'"),
    (lambda: RecurrentDecoder(NETWORK, separation=ha.separations.softmax(beta=3.0), beta=1.0), "separation:", "own"),
    (lambda: DECODER([1.0, 2.0], TWO), "previous:", "(2,)", "(…, n_out, dim_out)"),
    (lambda: DECODER(TWO, [1.0, 2.0]), "memory:", "(2,)", "(…, n_in, dim_memory)"),
    (lambda: DECODER(TWO[None], TWO), "memory:", "()", "(1,)"),
    (lambda: DECODER(TWO, np.ones((2, 3))), "memory:", "got shape (2, 3)", "dim = 2 of the decoder's states"),
    (lambda: DECODER(np.ones((2, 3)), TWO), "previous, memory:", "3 + 2", "4 columns"),
    (lambda: DECODER(TWO, TWO, "causal"), "mask:", "ha.causal", "goes by position"),
    (lambda: DECODER(TWO, TWO, np.ones((3, 2), bool)), "mask:", "3 rows", "2 outputs"),
    (lambda: DECODER(TWO, TWO, np.ones((2, 3), bool)), "mask:", "(1, 3)"),
    (lambda: DECODER(TWO, TWO, TWO), "mask:", "booleans"),
    (lambda: RecurrentDecoder(NETWORK, similarity=FIXED)(TWO[:, :1], TWO[:, :1]), "scores:", "shape"),
    (lambda: FirstWord(carry=1.1), "carry:", "0 to 1", "1.1"),
    (lambda: FirstWord(carry=-1), "carry:", "from 0 to 1"),
    (lambda: FirstWord(beta=-1), "beta:", "at least 0"),
    (lambda: FirstWord(dim=0), "dim:", "at least 1"),
    (lambda: FirstWord().shares(-1, attention=True), "n:", "at least 0"),
    (lambda: FirstWord().shares(10**13, attention=True), "first_word:", "10,000,000,000,000 words"),
    (lambda: FirstWord().accuracy(1, 1, attention=True), "names:", "at least 2"),
    (lambda: FirstWord().read(np.ones((2, 64)), attention=True), "words:", "(2, 64)", "(n_texts, n+1, dim)"),
    (lambda: FirstWord().read(np.ones((2, 3, 4)), attention=True), "words:", "(2, 3, 4)", "dim = 64"),
    (lambda: FirstWord(4).measured(3, names=4, trials=5, rng="x"), "rng:", "a seed"),
    # n-grams
    (lambda: NGram.counted(["ab"], 0), "n:", "at least 1", "0"),
    (lambda: NGram.counted(["ab"], add=-1), "add:", "at least 0", "-1"),
    (lambda: NGram.counted(["ab"], 3).probability("a", "b"), "after:", "1 words", "n = 3", "2"),
    (lambda: NGram.counted(["ab"]).probability(3, "b"), "word:", "3"),
    (lambda: NGram.counted([["a", 3]]), "texts:", "3"),
    (lambda: HEAD(None), "x:", "expected numbers", "None"),
    (lambda: HEADS.trace(None), "x:", "expected numbers", "None"),
    # messages on graphs
    (lambda: token_graph(HEAD.trace(np.ones((2, 3, 4)))), "trace:", "one text", "(2, 3, 3)"),
    (lambda: token_graph(HEAD.trace(EYE[:1], source=EYE)), "trace:", "1 queries", "4 keys", "source"),
    (lambda: token_graph(HEAD.trace(EYE, bias=EYE)), "trace:", "bias"),
    (lambda: token_graph(HEAD), "trace:", "the trace of a head"),
    (lambda: token_graph(HEAD.trace(EYE), ["one"]), "tokens:", "1 words", "4 rows"),
    (lambda: token_graph(HEAD.trace(EYE), source=["one"]), "source:", "1 words", "4 rows"),
    (lambda: pass_messages(3), "graph:", "DiGraph", "3"),
    (lambda: pass_messages(asking(), HEAD), "retrieval:", "head.retrieval"),
    (lambda: pass_messages(asking()), "graph:", "'a' has no key"),
    (lambda: pass_messages(asking(key=np.ones(2))), "graph:", "'a' has no value"),
    (lambda: pass_messages(asking().reverse()), "graph:", "no node has a key and a value", "'b'"),
    (lambda: pass_messages(asking(), Step(FIXED, ha.separations.softmax(), Identity())), "similarity:", "place"),
    (lambda: layer_by_messages(HEADS, EYE), "layer:", "Block", "MultiHead"),
    # gradients
    (lambda: ha.gradients.backward(HEADS, LONG, LONG), "block:", "Block", "MultiHead"),
    (lambda: ha.gradients.backward(BLOCK, LONG, WORDS), "upstream:", "(2, 4)", "(3, 4)"),
    *((partial(ha.gradients.backward, block, LONG, LONG), "block:", name) for name, block in SPECIAL.items()),
    *((partial(ha.gradients.backward, alone(**{part: name}), LONG, LONG), "heads:", "only softmax attention")
      for part, name in (("separation", "sparsemax"), ("similarity", "cosine"), ("activation", "unit"))),
    (lambda: ha.gradients.backward(alone(query_norm=NORM), LONG, LONG), "heads:", "norms of queries and keys"),
    (lambda: ha.gradients.backward(replace(BLOCK, norms=[NORM, np.tanh]), LONG, LONG), "norm2:", "RMSNorm"),
    (lambda: ha.gradients.gradient_flow([], LONG), "blocks:", "at least one Block"),
    (lambda: ha.gradients.vanishing_gradients(2, dim=12), "dim:", "a multiple of 8", "12"),
    (lambda: ha.gradients.vanishing_gradients(2, of="word"), "of:", "'word'", "'words'"),
    (lambda: ha.gradients.vanishing_gradients(2, magnitude=0), "magnitude:", "positive"),
    (lambda: ha.gradients.softmax_jacobian(3.0), "scores:", "()", "(…, n)"),
    (lambda: ha.gradients.softmax_jacobian(np.ones((2, 0))), "scores:", "(2, 0)", "(…, n)"),
    (lambda: ha.gradients.softmax_jacobian([1.0], beta=0), "beta:", "positive"),
    (lambda: ha.gradients.softmax_jacobian([1.0, 2.0], where=[True] * 3), "where:", "(3,)"),
    (lambda: ha.gradients.softmax_jacobian([1.0, 2.0], where=[1, 0]), "where:", "booleans", "True = may"),
    (lambda: ha.gradients.softmax_saturation([1, -1]), "magnitudes:", "positive"),
    (lambda: ha.gradients.softmax_saturation([1, np.inf]), "magnitudes:", "positive"),
    (lambda: ha.gradients.softmax_saturation([]), "magnitudes:", "positive"),
    (lambda: ha.gradients.softmax_saturation(1.0), "magnitudes:", "positive"),
    (lambda: ha.gradients.saturation_of([1], [1]), "scores:", "at least two finite"),
    (lambda: ha.gradients.saturation_of([1, np.inf], [1]), "scores:", "at least two finite"),
    (lambda: ha.gradients.saturation_of(np.ones((1, 2, 2)), [1]), "scores:", "at least two finite"),
    (lambda: ha.gradients.softmax_saturation([1], n_scores=1), "n_scores:", "at least 2"),
    (lambda: ha.gradients.softmax_saturation([1], kind="spectrl"), "kind:", "'spectrl'", "'spectral'"),
    (lambda: ha.gradients.softmax_saturation([1], rng="x"), "rng:", "a seed", "'x'"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_what_does_not_fit_is_refused_with_its_place_and_the_cure(row):
    call, place, *words = row
    refused(call, place, *words)


OF_TORCH = [
    (partial(ha.attention, EYE, EYE, EYE), "attention", {
        "is_causal": ['write mask="causal"'], "attn_mask": ["write mask=, True = may attend", "bias="],
        "scale": ["PyTorch's word", "write beta="], "average_attn_weights": ["in the trace"], "dropout_p": ["leave it"],
        "enable_gqa": ["k.repeat_interleave(n, -3), and v alike"], "query": ["write q="], "value": ["write v="]}),
    (partial(ha.Head, EYE, EYE, EYE), "Head", {"is_causal": [""]}),
    (partial(HEAD, EYE), "Head", {"scale": ["it is beta= of hopattn.Head"]}),
    (partial(HEADS, EYE), "MultiHead", {
        "key_padding_mask": ["write mask=hopattn.padding"], "query": ["write x=, the first argument"],
        "average_attn_weights": ["in the trace"], "need_weights": ["in the trace"]}),
    (partial(AttentionLayer(HEADS), EYE), "AttentionLayer", {
        "src_mask": ["write mask=, True = may attend"], "src_key_padding_mask": ["write mask=hopattn.padding"],
        "tgt_key_padding_mask": ["write mask=hopattn.padding"], "memory": ["write source="],
        "memory_key_padding_mask": ["write source_mask=hopattn.padding"], "memory_mask": ["write source_mask="]}),
    (partial(BOTH, EYE, EYE), "EncoderDecoder", {
        "src_mask": ["write source_mask="], "tgt_mask": ["write target_mask="],
        "src_key_padding_mask": ["write source_mask=hopattn.padding"], "tgt": ["write target="],
        "tgt_key_padding_mask": ["write target_mask=hopattn.padding"], "src": ["write source="],
        "memory_key_padding_mask": ["write source_mask=hopattn.padding"]}),
]  # fmt: skip


@pytest.mark.parametrize(("call", "what", "cures"), OF_TORCH)
def test_pytorchs_words_are_answered_with_ours(call, what, cures):
    for word, cure in cures.items():
        refused(partial(call, **{word: EYE}), f"{what}: option '{word}'", *cure)


def test_too_many_arguments_by_position_are_answered_with_the_names_of_the_others():
    for call, what, *names in (
        (partial(ha.attention, EYE, EYE, EYE, EYE), "attention:", "only q, k, v", "beta=, mask="),
        (partial(HEADS, EYE, EYE, EYE), "MultiHead:", "got 3", "only x, mask;", "key=, value="),
    ):
        refused(call, what, *names)


def test_arrays_of_two_libraries_are_refused_with_the_cure(torch, jax):
    tensor, head = torch.eye(4), ha.Head(*[torch.eye(4)] * 3, mask="causal")
    for one, other, kinds in (
        (tensor, EYE, "numpy and torch; give torch.asarray"),
        (EYE, tensor, "numpy and torch; give torch.asarray"),
        (jax.numpy.eye(4), tensor, "jaxlib and torch"),
    ):
        for triple, names in (((one, other, other), ("q", "k")), ((one, one, other), ("q", "v"))):
            refused(partial(ha.attention, *triple), "", *names, " and ", "expected arrays of one library", kinds)
    for call in (head, ha.MultiHead([head], tensor), head.trace):
        refused(partial(call, EYE), "", "expected arrays of one library", "torch.asarray(x)")
    of_torch = ha.Head(*[torch.eye(4, dtype=torch.float64)] * 3, mask="causal")
    refused(lambda: ha.MultiHead([HEAD, of_torch], np.ones((4, 6))), "heads: entry 1:", "w_query", "one library")
    refused(partial(ha.rope, LONG, torch.arange(3)), "", "one library", "numpy and torch")
    layer = AttentionLayer(ha.MultiHead([head], tensor))
    refused(partial(ha.gradients.backward, layer, LONG, LONG), "block: expected a NumPy array", "torch")
    refused(partial(ha.gradients.gradient_flow, [layer], LONG), "blocks: expected a NumPy array", "torch")
    refused(partial(ha.gradients.softmax_jacobian, torch.zeros(3)), "scores: expected a NumPy array", "torch")


def test_a_module_of_pytorch_that_no_layer_can_be_is_refused(torch):
    heads, layer = partial(torch.nn.MultiheadAttention, 4, 2), partial(torch.nn.TransformerEncoderLayer, 4, 2, 6)
    mixed = torch.nn.Transformer(4, 2, 1, 1, 6, batch_first=True)
    mixed.decoder.layers[0].norm1.eps = 0.5
    with_zeros, with_rms = (layer(batch_first=True) for _ in range(2))
    with_zeros.self_attn.add_zero_attn, with_rms.norm1 = True, torch.nn.RMSNorm(4)
    sine, tanh = (layer(batch_first=True, activation=one) for one in (torch.sin, torch.nn.GELU("tanh")))
    for read, module, options, place, *words in (
        (ha.Block, with_zeros, {}, "module.self_attn:", "add_zero_attn = True, a sink of 0"),
        (ha.MultiHead, heads(batch_first=True), {"sink": 0.0}, "sink:", "leave it out"),
        (ha.MultiHead, heads(batch_first=True, add_bias_kv=True), {}, "module:", "add_bias_kv = True"),
        (ha.MultiHead, heads(), {}, "module:", "batch_first = False", "set batch_first = True"),
        (ha.Block, layer(), {}, "module.self_attn:", "batch_first = False"),
        (ha.Block, sine, {}, "module.activation:", "relu"),
        (ha.Block, tanh, {}, "module.activation:", "gelu without approximation"),
        (ha.Block, with_rms, {}, "module.norm1:", "RMSNorm"),
        (ha.Block, heads(), {}, "module:", "torch.nn.TransformerEncoderLayer", "MultiheadAttention"),
        (ha.Block, torch.nn.TransformerEncoder(layer(batch_first=True), 1), {}, "module:", "TransformerEncoder",
         "[hopattn.Block.from_torch(layer) for layer in module.layers]"),
        (ha.Block, layer(batch_first=True), {"norm_first": True}, "norm_first:", "leave it out"),
        (EncoderDecoder, mixed, {}, "module:", "one epsilon", "0.5, 1e-05"),
    ):  # fmt: skip
        refused(partial(read.from_torch, module, **options), place, *words)
