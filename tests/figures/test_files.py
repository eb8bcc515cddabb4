"""The files of figures: what only their author reads, titles and origins, and how long texts are cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from hopattn.figures.fitting import fitted
from hopattn.figures.gallery import plots
from hopattn.figures.headings import CUT, HEADLINE, balanced, foot, left_out, note_of
from hopattn.figures.origin import scenario_of
from hopattn.figures.remarks import collected
from hopattn.figures.rendering import rendered, rendered_figure
from hopattn.figures.style import DPI, SIZE, STYLES, styled
from hopattn.figures.text import cut, cut_words, ems, short, subscripted, width
from tests.runs import result_of


def remark(draw):
    """The remark on texts that have no room in a figure, as its author reads it; empty where all have."""
    with collected() as remarks:
        fitted(draw, STYLES["slide"])
    return str(remarks.fault.line(True)) if remarks.fault else ""


def crowd(count):
    """Names that lie over each other in any font, of parts of which all are shown."""

    def draw(figure):
        left_out(3, 3, "runs", "run")
        for i in range(count):
            figure.text(0.5 + i / 100, 0.5, "a name of some length")

    return draw


def crossing(figure):
    figure.text(0.1, 0.5, "x" * 70)
    figure.text(0.66, 0.5, "y")


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (crowd(9), "9 texts overlap at 12.8x7.2; try figure.run"),
        (crowd(1), ""),
        (lambda figure: figure.text(0.9, 0.5, "x" * 14), "1 text is cut at 12.8x7.2; try --size 16x9"),
        (lambda figure: figure.text(0.9, 0.5, "x" * 17), "1 text is cut at 12.8x7.2; try --size 19.2x10.8"),
        (lambda figure: figure.text(0.9, 0.5, "x" * 30), "1 text is cut at 12.8x7.2"),
        (crossing, "2 texts overlap at 12.8x7.2; try --size 16x9"),
    ],
)
def test_texts_without_room_are_counted_with_the_options_that_help(draw, message):
    assert remark(draw) == message


def test_only_the_author_reads_how_to_choose_what_is_left_out(hopattn):
    code, _, errors = hopattn("run", "similarity", "--figures", "similarity,projection", "--into", "slides", "--json")
    advice = "1 of 4 cues; choose with figure.query"
    assert code == 0 and [line for line in errors.splitlines() if "choose" in line] == [f"projection: {advice}"]
    data, _ = rendered_figure(plots["projection"](), result_of("similarity"))
    assert data.decode().count("choose with") == 1 and f"{advice}</dc:description>" in data.decode()


def test_the_title_of_a_file_is_the_headline_of_the_figure_or_else_that_of_the_scenario():
    for draw, title in (
        (lambda figure: figure.suptitle("one\ntwo"), b"one two"),
        (lambda figure: figure.text(0.5, 0.5, "one"), b"of the scenario"),
    ):
        data, _ = rendered(draw, described=("of the scenario", "shows"))
        assert b"<dc:title>" + title + b"</dc:title>" in data


def test_a_figure_of_another_scenario_stays_and_the_new_one_has_its_scenario_before_its_name(hopattn, tmp_path):
    drawn = ("--figures", "attention", "--into", "slides", "--format", "svg,png,pdf", "--json")
    assert hopattn("run", "practice-7-2", *drawn)[0] == 0
    first = {path.name: path.read_bytes() for path in (tmp_path / "slides").iterdir()}
    assert {scenario_of(tmp_path / "slides" / name) for name in first} == {"practice-7-2"}
    _, _, errors = hopattn("run", "hot-dog", *drawn)
    assert "hot-dog-attention.svg: 'attention.svg' shows the scenario 'practice-7-2', and stays" in errors
    assert {name: (tmp_path / "slides" / name).read_bytes() for name in first} == first
    assert {path.name for path in (tmp_path / "slides").iterdir()} == {*first, *(f"hot-dog-{name}" for name in first)}
    _, _, again = hopattn("run", "practice-7-2", *drawn)
    assert "stays" not in again and len([*(tmp_path / "slides").iterdir()]) == 6


@given(st.integers(1, 30))
def test_a_headline_has_two_lines_of_similar_width_at_most(words):
    lines = balanced("ordinary " * words).split("\n")
    assert len(lines) <= 2 and max(map(len, lines)) <= HEADLINE
    assert max(map(len, lines)) - min(map(len, lines)) <= len("ordinary ") or lines[-1].endswith(CUT)
    assert lines[-1].endswith(CUT) == (len("ordinary ") * words > 2 * HEADLINE) or words in (17, 18)


def test_a_note_that_is_written_again_keeps_its_room_and_a_long_part_has_a_line_of_its_own():
    figure = Figure(layout="constrained")
    figure.subplots()
    for note in ("first", "second"):
        foot(figure, note)
    (note,) = figure.texts
    assert (note.get_text(), note.get_in_layout()) == ("second", True)
    long = "a part of many words that is longer than a line of a note may be, " * 2
    assert note_of(["", long, "short", "shorter"]) == f"{long}\nshort · shorter" and note_of([]) == ""


@given(st.text(min_size=1, max_size=80), st.integers(2, 30))
def test_a_short_text_fits_and_is_the_beginning_of_the_whole(token, room):
    text, whole = short(token, room), "".join(c if c.isprintable() else "□" for c in token)
    assert width(text) <= room
    assert text == whole if width(whole) <= room else text[-1] == "…" and whole.startswith(text[:-1])


def test_wide_letters_are_as_wide_as_they_are_drawn_and_names_are_cut_to_their_room_apart():
    figure = Figure(figsize=SIZE, dpi=DPI)
    with styled():
        lengths = {c: figure.text(0, 0, c * 10).get_window_extent().width for c in "namWMw@%"}
    drawn = np.array([*lengths.values()]) / lengths["n"]
    assert [width(letter) for letter in lengths] == pytest.approx(drawn, abs=0.35)
    for room in (4.0, 9.0):
        assert ems(cut("Donaudampfschifffahrt", room)) <= room < ems("Donaudampfschifffahrt")
    words = ["counter-revolution", "counter-revolt", "in#1", "in#2"]
    assert cut_words(words, 5) == ("coun…ion", "coun…olt", "in₁", "in₂") and cut("short", 30) == "short"
    assert subscripted(["their#1", "dog", "their#12"]) == ("their₁", "dog", "their₁₂")
    assert subscripted(["1", "a#1", "#", "b#x"]) == ("1", "a#1", "#", "b#x")
    assert subscripted(["chrysanthemum#1", "chrysanthemum#2"], 8) == ("chrysa…₁", "chrysa…₂")
