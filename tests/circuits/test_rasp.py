"""Programs in heads: each selection, aggregation and width equals a plain loop, and is one attention head."""

import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.circuits import select
from hopattn.circuits.rasp import comparisons, looked_up, mapped, sequence_maps
from hopattn.transformer.heads import Head

COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "true": lambda key, query: True,
}
small = st.integers(-3, 3)
letters = st.sampled_from("abc")


def pairs(element):
    return st.integers(1, 7).flatmap(lambda n: st.tuples(*[st.lists(element, min_size=n, max_size=n)] * 3))


def loop(keys, queries, where):
    return [[COMPARE[where](key, query) for key in keys] for query in queries]


def test_the_comparisons_are_those_of_the_tests():
    assert set(comparisons) == set(COMPARE)


@pytest.mark.parametrize("where", COMPARE)
@given(data=st.data())
def test_a_selection_and_its_width_equal_a_loop(where, data):
    keys, queries, _ = data.draw(st.one_of(pairs(small), pairs(letters)))
    selection, chosen = select(keys, queries, where), loop(keys, queries, where)
    assert selection.scores.tolist() == chosen
    assert selection.width().tolist() == [sum(row) for row in chosen]
    expected = np.array(chosen, float) / np.maximum(np.sum(chosen, axis=1, keepdims=True), 1)
    np.testing.assert_allclose(selection.weights, expected, rtol=1e-12)


@given(given=pairs(small), default=small)
@pytest.mark.parametrize("where", COMPARE)
def test_an_aggregation_of_numbers_equals_a_loop(where, given, default):
    keys, queries, values = given
    expected = []
    for row in loop(keys, queries, where):
        picked = [value for value, taken in zip(values, row, strict=True) if taken]
        expected.append(sum(picked) / len(picked) if picked else default)
    found = select(keys, queries, where).aggregate(values, default)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@given(given=pairs(letters), order=st.randoms(use_true_random=False))
def test_an_aggregation_of_words_gives_the_one_selected_word(given, order):
    words = given[0]
    places = list(range(len(words)))
    order.shuffle(places)
    assert select(range(len(words)), places).aggregate(words).tolist() == [words[place] for place in places]


@given(given=pairs(small), where=st.sampled_from(list(COMPARE)))
def test_a_selection_with_its_aggregation_is_one_head(given, where):
    """The scores are dot products of projected words, and PyTorch's attention over the selected words is the same."""
    torch = pytest.importorskip("torch")
    keys, queries, values = given
    selection = select(keys, queries, where)
    column = np.array(values, dtype=float)[:, None]
    head, text = selection.head(1), selection.text(column)
    assert isinstance(head, Head)
    scores = (text @ head.w_query.T) @ (text @ head.w_key.T).T
    assert scores.tolist() == loop(keys, queries, where)
    np.testing.assert_allclose(head(text)[:, 0], selection.aggregate(values), rtol=1e-12, atol=1e-12)
    mask = np.array(loop(keys, queries, where))
    zeros = torch.zeros(len(keys), 1, dtype=torch.float64)
    other = torch.nn.functional.scaled_dot_product_attention(
        zeros, zeros, torch.from_numpy(column), attn_mask=torch.from_numpy(mask)
    )
    reached = mask.any(axis=1)
    np.testing.assert_allclose(head(text)[reached], other.numpy()[reached], rtol=1e-12, atol=1e-12)
    assert not head(text)[~reached].any()
    np.testing.assert_allclose(ha.attention(zeros.numpy(), zeros.numpy(), column, mask=mask), head(text), atol=1e-12)


def test_numbers_that_differ_by_rounding_are_equal():
    assert 0.1 + 0.2 != 0.3
    assert select([0.1 + 0.2], [0.3], "==").width() == 1
    assert select([0.1 + 0.2], [0.3], ">").width() == 0
    assert select([0.1 + 0.2], [0.3], "<=").width() == 1
    assert select([3.0], [3.0000001], "==").width() == 0


MAPS = {
    "add": lambda *x: sum(x),
    "subtract": lambda *x: x[0] - sum(x[1:]),
    "multiply": lambda *x: float(np.prod(x)),
    "minimum": min,
    "maximum": max,
    "divide": operator.truediv,
    "negate": operator.neg,
    "round": round,
    **{name: compare for name, compare in COMPARE.items() if name != "true"},
}


@given(given=pairs(st.integers(1, 4)))
@pytest.mark.parametrize("how", sequence_maps)
def test_a_map_equals_a_loop(how, given):
    operands = given[: sequence_maps[how].of or 3]
    expected = [MAPS[how](*column) for column in zip(*operands, strict=True)]
    np.testing.assert_allclose(mapped(how, operands), expected, rtol=1e-12)


def test_round_takes_a_half_to_the_even_number_and_words_can_be_compared():
    assert mapped("round", [[0.5, 1.5, -0.4]]).tolist() == [0, 2, 0]
    assert mapped("==", [["a", "b"], ["b"]]).tolist() == [0, 1]
    assert mapped("<", [["a", "b"], ["b"]]).tolist() == [1, 0]
    assert looked_up([2, 0.5], {"2": "two", "0.5": "half"}).tolist() == ["two", "half"]
    assert looked_up(["a"], {"b": 1}, 0).tolist() == [0]
