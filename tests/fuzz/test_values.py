"""Hostile values are drawn anew for each case."""

from hypothesis import given, settings

from tests.fuzz.values import LISTS, values


@settings(max_examples=200)
@given(values())
def test_a_list_that_a_case_alters_is_not_that_of_the_next_case(value):
    assert all(value is not kept for kept in LISTS)
