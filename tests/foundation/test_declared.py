"""Declared checks: an annotation is the check of a parameter or a field."""

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.checks import real
from hopattn.foundation.declared import Count, Declared, Flag, Positive, Shape, checked, shaped
from tests.each import each


@checked
def fitted(
    keys: Annotated[Any, Shape("n dim")],
    values: Annotated[Any, Shape("n out")] = None,
    *,
    beta: Positive = 1.0,
    steps: Count = 2,
    both: Flag = False,
) -> tuple[Any, ...]:
    return keys, values, beta, steps, both


@dataclass(frozen=True)
class Entropy(Declared):
    alpha: Annotated[float, partial(real, above=1)] = 1.5
    keys: Annotated[Any, Shape("n dim")] = None


def test_what_the_checks_return_is_what_the_function_gets():
    keys, values, beta, steps, both = fitted([[1, 2]], beta=np.float32(2), steps=np.int64(3))
    assert keys.dtype == float
    assert values is None
    assert type(beta) is float
    assert type(steps) is int
    assert both is False


def test_a_field_is_checked_and_replaced():
    entropy = Entropy(np.int64(3), [[1, 2]])
    assert type(entropy.alpha) is float
    assert entropy.keys.shape == (1, 2)


@each(
    ("call", "message"),
    [
        (lambda: fitted([1, 2]), r"keys: got shape \(2,\); expected \(n, dim\)"),
        (lambda: fitted(np.zeros((0, 2))), r"keys: got shape \(0, 2\)"),
        (lambda: fitted([[1]], beta=-1), "beta: expected a positive finite number, not -1"),
        (lambda: fitted([[1]], steps=1.5), "steps: expected a whole number"),
        (lambda: fitted([[1]], both="no"), "both: expected True or False"),
        (lambda: Entropy(alpha=1), "alpha: expected a finite number above 1"),
        (lambda: Entropy(keys=[1]), r"keys: got shape \(1,\); expected \(n, dim\)"),
        (
            lambda: shaped(np.ones((2, 3)), "q", "… dim", dim=4),
            r"q: got shape \(2, 3\); expected \(…, dim\) with dim = 4",
        ),
    ],
)
def test_a_wrong_value_is_reported_with_its_name_and_what_was_expected(call, message):
    with pytest.raises(ha.InvalidInput, match=message):
        call()


def test_leading_axes_may_be_any():
    assert shaped(np.ones((5, 2, 3)), "q", "… n dim", dim=3).shape == (5, 2, 3)


def test_a_call_that_python_refuses_is_refused_as_ever():
    for call in (
        lambda: fitted(),
        lambda: fitted([[1]], keys=[[1]]),
        lambda: fitted([[1]], bta=2),
        lambda: fitted([[1]], [[1]], 3),
    ):
        with pytest.raises(TypeError):
            call()


def test_other_arguments_are_passed_on_as_they_are():
    @checked
    def gathered(first: Count, *others: int, **more: int) -> tuple[Any, ...]:
        return first, others, more

    assert gathered(np.int64(1), 2, 3, four=4) == (1, (2, 3), {"four": 4})
    assert gathered(first=1) == (1, (), {})
