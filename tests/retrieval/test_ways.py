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
from hopattn.retrieval.step import Retrieval

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
        step = Retrieval(Dot(), Softmax(beta=0.7, sink=sink), Identity())
        mask_of_call = torch.asarray(mask) if isinstance(mask, np.ndarray) else mask
        answers = {}
        for way, least in (("fused", 0), ("whole", 10**9)):
            monkeypatch.setattr(ways, "FUSED", least)
            total = joint(mask_of_call, bias=bias)
            assert ways.way_of(Dot(), step.separation, cues, keys, values, total) == way
            answers[way] = step(cues, keys, values, total, energy=True)
        for name in ("state", "energy"):
            own, other = (getattr(answers[way], name).numpy() for way in ("fused", "whole"))
            np.testing.assert_allclose(own, other, rtol=near, atol=near * 10)


@pytest.mark.parametrize("change", ["gradient", "half", "dims", "rule", "similarity"])
def test_what_the_kernel_cannot_do_is_computed_in_one_piece(torch, monkeypatch, change):
    monkeypatch.setattr(ways, "FUSED", 0)
    cues, keys = torch.ones(5, 4), torch.ones(6, 4)
    values, mask, similarity = keys, None, Dot()
    assert ways.way_of(similarity, Softmax(), cues, keys, values, joint(mask)) == "fused"
    if change == "gradient":
        keys = values = keys.clone().requires_grad_()
    elif change == "half":
        cues, keys, values = cues.half(), keys.half(), values.half()
    elif change == "dims":
        values = torch.ones(6, 3)
    elif change == "rule":
        mask = "nonzero"
    else:
        similarity = ha.similarities["cosine"]()
    assert ways.way_of(similarity, Softmax(), cues, keys, values, joint(mask)) == "whole"
