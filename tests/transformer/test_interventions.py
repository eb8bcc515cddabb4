"""A head without a token: the key is masked, and the formula of the output agrees with it."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.transformer.plain_attention import referees
from tests.each import each

RNG = np.random.default_rng(0)
MATRICES = [RNG.normal(size=(4, 4)) for _ in range(3)]
TEXT = RNG.normal(size=(2, 5, 4))
KINDS = {
    "causal": {},
    "sink": {"mask": "none", "sink": 0.5, "beta": 0.5},
    "bias": {"bias": ha.positions.Alibi(0.5), "beta": 0.3},
    "turned": {"position": "rope", "mask": "strict"},
    "identity": {"separation": "identity", "activation": "unit"},
    "in proportion": {"separation": "proportional", "mask": ha.window(3)},
    "exponential": {"separation": "exponential", "activation": "unit"},
}


@each("kind", KINDS)
def test_the_formula_of_a_head_agrees_with_the_head_without_the_token(kind):
    head = ha.Head(*MATRICES, **KINDS[kind])
    padding = ha.padding([5, 4], 5)
    for token in (1, [0, -1]):
        found, left = ha.transformer.worth(head, TEXT, token, padding), head.without(token)
        trace, bare = (one.trace(TEXT, padding) for one in (head, left))
        assert np.all(bare.weights[..., token] == 0)
        np.testing.assert_allclose(found.before.answer, trace.output, atol=1e-13)
        np.testing.assert_array_equal(found.measured.answer, bare.output)
        np.testing.assert_allclose(found.closed.answer, found.measured.answer, atol=1e-12)
        if kind == "in proportion":
            assert found.closed.potential is None
        else:
            np.testing.assert_allclose(found.closed.potential, found.measured.potential, atol=1e-12)
        if kind != "exponential":  # whose direction is that of the softmax
            np.testing.assert_allclose(found.weight, trace.weights[..., np.atleast_1d(token)].sum(axis=-1), atol=1e-13)
        assert "energy" in found.lacks


def test_a_head_without_a_token_is_attention_with_a_mask():
    head = ha.Head(*MATRICES, mask="none", beta=0.5).without(-2)
    q, k, v = (TEXT[0] @ matrix.T for matrix in MATRICES)
    seen = np.ones((5, 5), dtype=bool)
    seen[:, 3] = False
    for referee in referees(q, k, v, 0.5, seen):
        np.testing.assert_allclose(head(TEXT)[0], referee.output, atol=1e-12)


def test_one_query_alone_may_not_see_a_token():
    head = ha.Head(*MATRICES)
    before, after = head.trace(TEXT).weights, head.without([0, 2], at=-1).trace(TEXT).weights
    np.testing.assert_array_equal(after[..., :-1, :], before[..., :-1, :])
    assert np.all(after[..., -1, [0, 2]] == 0)


def test_heads_in_parallel_lose_a_token_together_and_a_query_that_sees_nothing_gives_zero():
    heads = ha.MultiHead([ha.Head(*MATRICES), ha.Head(*MATRICES, mask="strict")], np.eye(4, 8))
    left = heads.without(0)
    np.testing.assert_allclose(left(TEXT), left.joined([head.without(0)(TEXT) for head in heads.heads]), atol=1e-13)
    assert np.all(left(TEXT)[:, 0] == 0)
    assert heads.heads[0].mask == ha.Head(*MATRICES).mask


@each(
    ("token", "message"),
    [
        (5, r"token: got \(5,\); expected whole numbers from 0 to 4"),
        ("dog", "token: got 'dog'; expected the number of a token"),
        (True, "token: got True"),
        ([1.5], "token: got 1.5"),
    ],
)
def test_a_wrong_token_is_refused(token, message):
    with pytest.raises(InvalidInput, match=message):
        ha.Head(*MATRICES).without(token)(TEXT)
    with pytest.raises(InvalidInput, match="at: got 9; expected whole numbers from 0 to 4"):
        ha.Head(*MATRICES).without(1, at=9)(TEXT)
