"""What the benchmarks make of times: ratios, exponents, verdicts, and the page that they are written into."""

import itertools
import math

import pytest

from benchmarks import measuring
from benchmarks.measuring import Measured, Options, Row, Skip, Target, Wrong, interleaved, measured_row, ratio, slope
from benchmarks.results import has_marks, write_page
from tests.each import each


def raising(error):
    raise error


def test_a_ratio_is_the_median_of_the_rounds():
    found = ratio({"a": [1.0, 4.0, 9.0, 16.0, 25.0], "b": [1.0, 2.0, 3.0, 4.0, 5.0]}, "a", "b")
    assert (found.value, found.low, found.high) == (3, 2, 4)
    assert ratio({"a": [1.0, 1.0, 1.0], "b": [2.0, 2.0, 2.0]}, "a", "b", parts=10).value == 5


def test_a_slope_is_the_exponent():
    found = slope([1, 2, 4, 8], [3 * n**1.5 for n in (1, 2, 4, 8)], "")
    assert found.value == pytest.approx(1.5)
    assert found.low == pytest.approx(1.5)
    disturbed = slope([1, 2, 4, 8], [1.0, 2.5, 3.5, 8.5], "")
    assert disturbed.low < disturbed.value < disturbed.high


def test_the_standard_error_is_that_of_scipy():
    from scipy import stats  # half a second, which collection need not pay

    sizes, values = [1, 2, 4, 8], [1.0, 2.5, 3.5, 8.5]
    line = stats.linregress([math.log(n) for n in sizes], [math.log(n) for n in values])
    found = slope(sizes, values, "")
    assert found.value == pytest.approx(line.slope)
    assert found.high - found.value == pytest.approx(line.stderr)


@each(("sign", "met"), [(">", False), ("≥", True), ("≤", True), ("<", False)])
def test_a_target_is_met_on_its_side(sign, met):
    row = measured_row("work", Target(sign, 2), lambda: Measured(2, 2, 2))
    assert row.verdict == ("met" if met else "short")
    assert row.target == f"{sign} 2"


@each(
    ("error", "verdict"),
    [(Skip("no"), "skipped"), (Wrong("no"), "wrong"), (MemoryError(), "short"), (OSError("no"), "broken")],
)
def test_what_cannot_be_measured_says_why(error, verdict):
    row = measured_row("work", Target("≥", 1), lambda: raising(error))
    assert row.verdict == verdict and row.measured is None and row.note


def test_a_row_survives_its_line():
    for row in (Row("a | b", "≥ 1", "met", Measured(1.5, 1, 2, "×")), Row("a", "", "skipped", note="why")):
        assert Row.from_json(row.to_json()) == row


def test_works_take_turns(monkeypatch):
    monkeypatch.setattr(measuring, "PAUSE", 0)
    calls = []
    times = interleaved({name: lambda name=name: calls.append(name) for name in "ab"}, Options(quick=True))
    rounds = itertools.islice(itertools.cycle(["aabb", "bbaa"]), measuring.MOST_ROUNDS)  # once for nothing, once timed
    assert "".join(calls) == "ab" + "".join(rounds)
    assert [len(each) for each in times.values()] == [measuring.MOST_ROUNDS] * 2


def test_the_page_keeps_what_was_written_by_hand(tmp_path):
    page = tmp_path / "RESULTS.md"
    write_page(page, ["a machine"], {"Group": [Row("first | work", "≥ 1", "met", Measured(1.5, 1.25, 2, "1 s"))]})
    page.write_text(page.read_text(encoding="utf-8") + "Memory traffic.\n", encoding="utf-8")
    write_page(page, [r"another \1"], {"Group": [Row("second", "", "skipped", note="why")]})
    text = page.read_text(encoding="utf-8")
    assert "Memory traffic." in text and "| second |  |  |  | skipped | why |" in text and r"* another \1" in text
    assert "first" not in text and "a machine" not in text


def test_a_page_without_marks_has_no_place(tmp_path):
    page = tmp_path / "RESULTS.md"
    assert has_marks(page)
    page.write_text("nothing", encoding="utf-8")
    assert not has_marks(page)
