"""The ways of a step give the same: in one piece, over blocks, and by PyTorch's kernel."""

from itertools import product

import numpy as np
import pytest

import hopattn as ha
from hopattn.retrieval import ways
from hopattn.retrieval.activation import Identity
from hopattn.retrieval.masks import joint
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.retrieval.similarity import Dot
from hopattn.retrieval.step import Step

N, M, DIM = 9, 12, 4


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 1, 3)])
@pytest.mark.parametrize(("dtype", "near"), [("float64", 1e-13), ("float32", 2e-6)])
def test_the_kernel_of_pytorch_gives_what_the_step_in_one_piece_does(torch, monkeypatch, leading, dtype, near):
    rng = np.random.default_rng(1)

    def drawn(*shape):
        return torch.asarray(rng.normal(size=shape).astype(dtype))

    few = rng.random((*leading, N, M)) < 0.4
    few[..., 3, :] = False
    masks = [None, "causal", ha.window(3), few[(0,) * len(leading)], few, few[..., :1, :], joint("causal", few)]
    cues, keys, values = (
        drawn(*leading, N, DIM),
        drawn(*leading[:-1], *(1 for _ in leading[-1:]), M, DIM),
        drawn(M, DIM),
    )
    for mask, bias, sink in product(masks, [None, drawn(N, M), drawn(*leading, N, M)], [None, 0.4, drawn(*leading, 1)]):
        step = Step(Dot(), Softmax(beta=0.7, sink=sink), Identity())
        mask_of_call = torch.asarray(mask) if isinstance(mask, np.ndarray) else mask
        answers = {}
        for way, least in (("fused", 0), ("whole", 10**9)):
            monkeypatch.setattr(ways, "FUSED", least)
            total = joint(mask_of_call, bias=bias)
            assert ways.way_of(Dot(), step.separation, cues, keys, values, total) == way
            answers[way] = step._answer(cues, keys, values, total, energy=True)
        for name in ("state", "energy"):
            own, other = (getattr(answers[way], name).numpy() for way in ("fused", "whole"))
            np.testing.assert_allclose(own, other, rtol=near, atol=near * 10)


@pytest.mark.parametrize("energy", [False, True])
@pytest.mark.parametrize("masked", ["none", "causal", "window", "array"])
@pytest.mark.parametrize("learned", [False, True])
def test_derivatives_of_the_kernel_are_those_of_the_step_in_one_piece(torch, monkeypatch, energy, masked, learned):
    rng = np.random.default_rng(3)
    few = torch.asarray(rng.random((2, N, M)) < 0.4)
    few[..., 3, :] = False
    mask = {"none": None, "causal": "causal", "window": ha.window(3), "array": few}[masked]
    shapes = [(2, N, DIM), (1, M, DIM), (M, DIM), (N, M), (2, N)]
    texts = [torch.asarray(rng.normal(size=shape)).requires_grad_() for shape in shapes]
    directions = [torch.asarray(rng.normal(size=shape)) for shape in ((2, N, DIM), (2, N), *shapes)]

    def derivatives(least, order):
        monkeypatch.setattr(ways, "FUSED", least)
        cues, keys, values, bias, sink = texts
        step = Step(Dot(), Softmax(beta=0.7, sink=sink if learned else 0.4), Identity())
        total = joint(mask, bias=bias if learned else bias.detach())
        assert ways.way_of(Dot(), step.separation, cues, keys, values, total) == ("whole" if least else "fused")
        answer = step._answer(cues, keys, values, total, energy=energy)
        loss = (answer.state * directions[0]).sum()
        if energy:
            seen = few.any(-1) if masked == "array" else torch.ones(2, N, dtype=torch.bool)
            loss = loss + (torch.where(seen, answer.energy, 0.0) * directions[1]).sum()
        parts = texts if learned else texts[:3]
        first = torch.autograd.grad(loss, parts, create_graph=order > 1)
        if order == 1:
            return first
        curve = sum((part * direction).sum() for part, direction in zip(first, directions[2:], strict=False))
        return torch.autograd.grad(curve, parts)

    for order in (1, 2):
        for ours, theirs in zip(derivatives(0, order), derivatives(10**9, order), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-11, atol=1e-12)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyTorch's own forward derivatives
@pytest.mark.parametrize("change", ["forward", "half", "dims", "rule", "similarity"])
def test_what_the_kernel_cannot_do_is_computed_in_one_piece(torch, monkeypatch, change):
    monkeypatch.setattr(ways, "FUSED", 0)
    cues, keys = torch.ones(5, 4), torch.ones(6, 4)
    values, mask, similarity = keys, None, Dot()
    assert ways.way_of(similarity, Softmax(), cues, keys, values, joint(mask)) == "fused"
    if change == "forward":
        with torch.autograd.forward_ad.dual_level():
            dual = torch.autograd.forward_ad.make_dual(keys, keys)
            assert ways.way_of(similarity, Softmax(), cues, dual, dual, joint(mask)) == "whole"
        return
    if change == "half":
        cues, keys, values = cues.half(), keys.half(), values.half()
    elif change == "dims":
        values = torch.ones(6, 3)
    elif change == "rule":
        mask = "nonzero"
    else:
        similarity = ha.similarities["cosine"]()
    assert ways.way_of(similarity, Softmax(), cues, keys, values, joint(mask)) == "whole"
