"""What a quick run takes of the cases of a test."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import SKIPPED, left_to_ci, pytest_terminal_summary, shown_before
from tests.counts import but, evenly
from tests.later import ALWAYS, ROOT, WORTH, kept, names, short, without_case


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


def test_the_tests_that_are_kept_reach_many_lines_for_little_time():
    """a reaches nothing alone; c is cheaper than b; d is cheap; f reaches one line in a second; g is always kept."""
    g = f"{ALWAYS[0]}[g]"
    seconds = {"a": 0.9, "b": 0.6, "c": 0.2, "d": 0.05, "e": 0.4, "f": 1.0, g: 1.0}
    lines = {"a": {1, 2, 3}, "b": {2, 3}, "c": {2, 3}, "d": {1}, "e": {3, 4, 6}, "f": {5}, g: {1}}
    assert kept(seconds, lines) == {"c", "d", "e", g}


@given(
    lines=st.dictionaries(st.sampled_from("abcdefgh"), st.sets(st.integers(0, 9)), min_size=1),
    dear=st.sets(st.sampled_from("abcdefgh")),
)
def test_few_lines_are_lost_and_no_dear_test_is_kept_that_reaches_none_alone(lines, dear):
    seconds = {name: 1.0 if name in dear else 0.01 for name in lines}
    found = kept(seconds, lines)
    reached = set().union(*(lines[name] for name in found))
    assert all(len(own - reached) < WORTH * seconds[name] for name, own in lines.items() if name not in found)
    for name in found & dear:
        assert lines[name] - set().union(*(lines[other] for other in found - {name}))


def test_a_test_of_which_all_cases_are_left_has_one_name():
    every = ["f::a[1]", "f::a[2]", "f::b[1]", "f::b[2]", "f::c", "f::d"]
    assert short(["f::a[2]", "f::a[1]", "f::b[2]", "f::c"], every) == ["f::a", "f::b[2]", "f::c"]


def test_every_test_that_is_left_to_ci_or_always_kept_is_there():
    *always, folder = ALWAYS
    for name in map(without_case, [*names(), *always]):
        path, _, test = name.partition("::")
        assert f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{name}: run `make later`"
    assert (ROOT / folder).is_dir()


def test_a_second_run_takes_the_tests_that_the_first_left_out(monkeypatch):
    cache, items = {}, [SimpleNamespace(nodeid=name) for name in ("a", "b", "c[1]")]
    keeping = SimpleNamespace(cache=SimpleNamespace(set=cache.__setitem__))
    with pytest.raises(pytest.UsageError, match="no tests have run before"):
        shown_before(items, cache)
    pytest_terminal_summary(SimpleNamespace(stats={}), keeping)
    assert cache == {SKIPPED: []} and shown_before(items, cache) == items
    pytest_terminal_summary(SimpleNamespace(stats={"skipped": [items[1]]}), keeping)
    assert shown_before(items, cache) == [items[0], items[2]]
    monkeypatch.setattr("tests.conftest.LATER", frozenset("c"))
    assert shown_before(items, cache) == items[:1]
    with pytest.raises(pytest.UsageError, match="no test here: b"):
        shown_before(items[2:], cache)
