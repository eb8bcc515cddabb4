"""Progress on standard error where there is no terminal: a line at most every ten seconds."""

import pytest

from hopattn.views import tables


@pytest.fixture
def clock(monkeypatch):
    """A clock whose seconds the test sets."""
    times = [0.0]
    monkeypatch.setattr(tables, "monotonic", lambda: times[0])

    def at(seconds):
        times[0] = seconds

    return at


def test_long_work_says_how_much_is_done_and_what_is_left(clock, capsys):
    with tables.progress("scenarios", quick=True) as report:
        for done, seconds in ((0, 0), (1, 4), (2, 11), (3, 15), (4, 23)):
            clock(seconds)
            report(done, 4)
    assert capsys.readouterr() == ("", "2 of 4 scenarios, about 11 seconds left\n4 of 4 scenarios\n")


@pytest.mark.parametrize(("quick", "written"), [(True, ""), (False, "2 of 2 points\n")])
def test_quick_work_may_be_silent(clock, capsys, quick, written):
    with tables.progress(quick=quick) as report:
        report(0, 2)
        clock(3)
        report(2, 2)
    assert capsys.readouterr() == ("", written)
