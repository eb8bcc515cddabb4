"""Cases that are looked at in turn: every one is, and each that fails is named."""

import inspect

import pytest

from tests.in_turn import in_turn


def test_each_case_that_fails_is_named():
    seen = []

    @in_turn("number, word", [(1, "a"), (2, "b"), (3, "c")])
    def law(tmp_path, number, word):
        seen.append(word)
        if number == 2:
            with pytest.raises(ValueError):
                int("2")
        assert number != 3

    assert [*inspect.signature(law).parameters] == ["tmp_path"]
    with pytest.raises(pytest.fail.Exception) as failed:
        law(tmp_path=None)
    first, second, third, *_ = str(failed.value).splitlines()
    assert seen == ["a", "b", "c"] and first == "2 of 3 cases fail"
    assert second.startswith("(2, 'b'): Failed: DID NOT RAISE")
    assert third.startswith("(3, 'c'): AssertionError: assert 3 != 3")


def test_cases_may_have_names():
    def law(number):
        assert number > 1

    for ids in (["one", "two"], {1: "one", 2: "two"}.get):
        with pytest.raises(pytest.fail.Exception, match="1 of 2 cases fail\none: AssertionError"):
            in_turn("number", [1, 2], ids=ids)(law)()
