"""A test of many cases runs all of them and names each that fails."""

import os

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.each import Stride, each, many, named


def test_all_cases_run_and_each_that_fails_is_named():
    run = []

    @each("letter", "ab")
    @each(("number", "word"), [(1, "one"), (2, "two")])
    def test(letter, number, word):
        run.append((letter, number, word))
        assert word == "one"
        with pytest.raises(ValueError, match="never"):
            assert letter == "a"
            raise ValueError("never")

    with pytest.raises(ExceptionGroup, match="3 of 4 cases fail: a-2-two; b-1-one; b-2-two") as caught:
        test()
    assert run == [(letter, *rest) for letter in "ab" for rest in ((1, "one"), (2, "two"))]
    assert [type(error) for error in caught.value.exceptions] == [AssertionError] * 3


def test_a_check_for_an_error_that_does_not_come_is_a_failure():
    @each("error", [ValueError])
    def test(error):
        with pytest.raises(error):
            pass

    with pytest.raises(ExceptionGroup, match="1 of 1 cases fail: ValueError"):
        test()


def test_what_is_skipped_is_said_after_all_have_run():
    run = []

    @each("name", ["a", "b"])
    def test(name):
        run.append(name)
        if name == "a":
            pytest.skip("no a")

    with pytest.raises(pytest.skip.Exception, match="a: no a"):
        test()
    assert run == ["a", "b"]


def test_cases_share_the_examples_and_what_is_assumed_holds_for_one_case():
    seen = []

    @given(n=st.integers(0, 9))
    @each("least", [0, 5])
    def test(least, n):
        assume(n >= least)
        seen.append((least, n))

    test()
    drawn = {n for least, n in seen if least == 0}
    assert {n for least, n in seen if least == 5} == {n for n in drawn if n >= 5}


def test_each_case_has_a_folder_and_a_monkeypatch_of_its_own(tmp_path, monkeypatch):
    folders = []

    @each("name", ["a", "b"])
    def test(name, tmp_path, monkeypatch):
        assert "HOUSE" not in os.environ and not list(tmp_path.iterdir())
        monkeypatch.setenv("HOUSE", name)
        (tmp_path / name).touch()
        folders.append(tmp_path)

    test(tmp_path=tmp_path, monkeypatch=monkeypatch)
    assert len(set(folders)) == 2


def test_a_stride_leaves_cases_out_of_those_that_are_many(monkeypatch):
    run = []
    test = each("n", range(15))(lambda n: run.append(n))
    assert many(test) and not many(each("n", range(3))(lambda n: None))
    monkeypatch.setattr(Stride, "now", 7)
    test()
    assert run == [0, 7, 14]
    assert named((1.5, "a", int)) == "1.5-a-int"
