"""The files of figures: what only their author reads, titles and origins, and how long texts are cut."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from hopattn.figures.figure import gallery
from hopattn.figures.files import as_svg
from hopattn.figures.fit import fit
from hopattn.figures.sheet import Nodes, Panel, Sheet
from hopattn.figures.style import DPI, SIZE, STYLES, styled
from hopattn.figures.text import label, subscripted, width
from tests.figures.reading import drawing, says
from tests.runs import result_of


def svg_of(sheet, scenario=""):
    """A sheet as the bytes of an SVG."""
    return as_svg(sheet, scenario=scenario)[0]


def of_texts(*texts):
    """A sheet with texts at places from 0 to 1."""
    return Sheet(
        [
            Panel(
                [Nodes([(0, 0), (1, 1)], ["", ""]), *(Nodes([at], [text], "plain") for at, text in texts)],
                layout="free",
            )
        ]
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([((0.5 + i / 100, 0.5), "a name of some length") for i in range(9)], "9 texts overlap at 12.8x7.2; show less"),
        ([((0.5, 0.5), "a name")], ""),
        ([((0.5, 0.5), "x" * 300)], "1 text is cut at 12.8x7.2; show less"),
    ],
)
def test_texts_without_room_are_counted_with_the_size_that_helps(texts, message):
    remark = fit(of_texts(*texts), STYLES["slide"]).remark()
    assert remark.startswith(message) and bool(remark) == bool(message)


def test_what_is_left_out_is_said_to_the_author_and_in_the_description_and_of_axes_on_the_figure(hopattn):
    code, _, errors = hopattn("run", "bank", "--figure", "words", "--out", "slides/", "--json")
    assert code == 0 and "2 of 4 axes; choose with figure.axes\n" in errors
    sheet = gallery()["words"].sheet(result_of("bank"))
    assert svg_of(sheet).decode().count("2 of 4 axes. cosines in all 4 dimensions</dc:description>") == 1
    assert not says(drawing(result_of("bank"), "words"), "2 of 4 axes; cosines in all 4 dimensions")
    assert "1 of 2 runs" in gallery()["flow"].sheet(result_of("two-heads")).notes
    assert says(drawing(result_of("two-heads"), "flow"), "1 of 2 runs"), "a choice of the author's"


def test_a_file_has_the_title_of_its_sheet_and_its_words_for_those_who_cannot_see_it():
    sheet = Sheet([Panel([Nodes([(0, 0)], ["a word"])], layout="free")], "one\ntwo")
    data = svg_of(sheet, "mine")
    assert b"<dc:title>one two</dc:title>" in data and b"<dc:description>one two. a word" in data
    assert b"hopattn scenario mine" in data and b'role="img"' in data


def test_a_folder_holds_the_figures_of_several_scenarios_and_a_pdf_has_a_page_for_each(hopattn, tmp_path):
    for name in ("practice-7-2", "hot-dog"):
        assert hopattn("run", name, "--figure", "attention", "--out", "slides/", "--as", "svg,png")[0] == 0
    names = [f"{name}-attention.{form}" for name in ("hot-dog", "practice-7-2") for form in ("png", "svg")]
    assert sorted(path.name for path in (tmp_path / "slides").iterdir()) == names
    assert hopattn("run", "bank", "practice-7-2", "--out", "talk.pdf")[0] == 0
    assert (tmp_path / "talk.pdf").read_bytes().count(b"/Type /Page ") == 2


@given(st.text(min_size=1, max_size=80), st.integers(2, 30))
def test_a_short_text_fits_and_is_the_beginning_of_the_whole(token, room):
    text, whole = label(token, room), "".join(c if c.isprintable() else "□" for c in token)
    assert width(text) <= room
    assert text == whole if width(whole) <= room else text[-1] == "…" and whole.startswith(text[:-1])


def test_wide_letters_are_as_wide_as_they_are_drawn_and_words_that_come_again_are_counted():
    figure = Figure(figsize=SIZE, dpi=DPI)
    with styled():
        lengths = {c: figure.text(0, 0, c * 10).get_window_extent().width for c in "namWMw@%"}
    drawn = np.array([*lengths.values()]) / lengths["n"]
    assert [width(letter) for letter in lengths] == pytest.approx(drawn, abs=0.35)
    assert subscripted(["their#1", "dog", "their#12"]) == ("their₁", "dog", "their₁₂")
    assert subscripted(["1", "a#1", "#", "b#x"]) == ("1", "a#1", "#", "b#x")
    assert subscripted(["chrysanthemum#1", "chrysanthemum#2"], 8) == ("chrysa…₁", "chrysa…₂")
