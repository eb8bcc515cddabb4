"""What a quick run takes of the cases of a test."""

from types import SimpleNamespace

import pytest

from tests.conftest import SKIPPED, left_to_ci, pytest_terminal_summary, shown_before
from tests.counts import but, evenly


def test_some_are_evenly_spaced_from_the_first_to_the_last():
    assert [evenly([*range(10)], n) for n in (0, 1, 2, 4, 10, 11)] == [
        *([], [0], [0, 9], [0, 3, 6, 9]),
        *([*range(10)], [*range(10)]),
    ]


def item(test, case, mark=None):
    """A case of a test as pytest holds it. mark: the n of `quick(n)`."""
    found = mark if mark is None else SimpleNamespace(args=(mark,))
    call = SimpleNamespace(indices={"case": case})
    return SimpleNamespace(path="file", originalname=test, callspec=call, get_closest_marker=lambda _: found)


def test_all_but_n_cases_of_a_marked_test_are_left_to_ci_in_any_order():
    cases = [item("marked", i, 2) for i in (3, 0, 2, 1)]
    others = [item("free", i) for i in range(3)]
    alone = item("never", 0, 0)
    left = [one.callspec.indices["case"] for one in left_to_ci([*cases, *others])]
    assert sorted(left) == [1, 2]
    assert [*left_to_ci([alone, *others])] == [alone]


def test_cases_are_left_out_by_their_names_which_must_be_there():
    assert [case if isinstance(case, str) else case.values for case in but("abc", "b")] == ["a", ("b",), "c"]
    assert but([("a", 1), ("b", 2)], ("b", 2))[1].values == ("b", 2)
    with pytest.raises(AssertionError, match="has another name now"):
        but("abc", "d")


def test_a_second_run_takes_the_tests_that_the_first_skipped():
    cache, items = {}, [SimpleNamespace(nodeid=name) for name in "abc"]
    keeping = SimpleNamespace(cache=SimpleNamespace(set=cache.__setitem__))
    with pytest.raises(pytest.UsageError, match="no tests have run before"):
        shown_before(items, cache)
    pytest_terminal_summary(SimpleNamespace(stats={}), keeping)
    assert cache == {SKIPPED: []} and shown_before(items, cache) == items
    pytest_terminal_summary(SimpleNamespace(stats={"skipped": [items[1]]}), keeping)
    assert shown_before(items, cache) == [items[0], items[2]]
    with pytest.raises(pytest.UsageError, match="no test here: b"):
        shown_before(items[2:], cache)
