"""Moving pictures: frames in every style, GIF, and one file for each frame."""

import io
from dataclasses import replace

import pytest
from PIL import Image

import hopattn as ha
from hopattn.figures.figure import Figure, gallery, left_out
from hopattn.figures.files import Picture, rendered
from hopattn.figures.fit import films
from hopattn.figures.sheet import Nodes, Panel, Points, Sheet
from hopattn.figures.style import STYLES
from tests.draws import count
from tests.figures.reading import drawn_with
from tests.runs import result_of

SMALL = STYLES["paper"]
COUNT = 12
MOVING = [figure for figure in gallery().values() if figure.film]


def ball(result):
    """A ball that goes from side to side, with a text in its last frame that is too long for a small figure."""
    words = [""] * (COUNT - 1) + ["a wide text that runs into the others"]
    return [
        Sheet([Panel([Nodes([(0, 1), (0.8, 1)], ["left", word], "plain"), Points([(i, 0)])], layout="free")])
        for i, word in enumerate(words)
    ]


BALL = Figure("ball", "a ball", "graded", lambda result: ball(result)[-1], ball)


def film(figure, result, style=STYLES["slide"]):
    """A figure as a GIF, with its notes."""
    return rendered([Picture.of(figure, result)], "gif", style)[0]


@pytest.mark.parametrize("figure", count([BALL, *MOVING], [BALL]), ids=lambda figure: figure.name)
def test_a_gif_is_the_same_bytes_each_time_and_has_the_size_of_its_style(figure):
    result = result_of(figure.scenario)
    data, notes = film(figure, result, SMALL)
    assert (data, notes) == film(figure, result, SMALL)
    with Image.open(io.BytesIO(data)) as gif:
        assert gif.size == (1020, 720)
        assert gif.n_frames >= 4
        assert gif.info["duration"] == 500


def test_a_gif_of_a_slide_has_its_shape_and_a_dark_one_its_background(results):
    with Image.open(io.BytesIO(film(BALL, results["graded"])[0])) as gif:
        assert gif.size == (1280, 720)
        assert gif.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    with Image.open(io.BytesIO(film(BALL, results["graded"], style=STYLES["dark"])[0])) as gif:
        assert max(gif.convert("RGB").getpixel((0, 0))) < 60


def test_all_frames_have_the_font_of_the_frame_that_needs_the_smallest(results):
    frames = films(ball(None), replace(SMALL, font=30))
    assert len({frame.style.font for frame in frames}) == 1 and frames[0].style.font < 30
    sizes = [{size for _, _, size, _ in drawn_with(frame.figure, frame.style).lines} for frame in frames]
    assert all(len(size) == 1 for size in sizes)


def test_each_frame_is_a_file_of_its_own(results):
    ball = [Picture.of(BALL, results["graded"])]
    pngs = rendered(ball, "png", SMALL, frames=True)
    assert len(pngs) == len(rendered(ball, "svg", SMALL, frames=True)) == COUNT
    assert pngs == rendered(ball, "png", SMALL, frames=True)
    with Image.open(io.BytesIO(pngs[0][0])) as picture:
        assert picture.size == (1020, 720)


def test_a_film_has_the_notes_of_its_last_frame(results):
    sheet = Sheet([Panel([Nodes([(0, 0)], ["漢"])], layout="free")], notes=[left_out(1, 3, "runs", "run")])
    letter = Figure("letter", "a letter", "graded", lambda result: sheet, lambda result: [sheet] * 2)
    first, second = film(letter, results["graded"], SMALL)[1]
    assert first == "1 of 3 runs; choose with figure.run" and "is not in the font" in second


def test_a_figure_may_move_in_one_result_and_not_in_another():
    valley, still = gallery()["valley"], result_of("barrier")
    assert not valley.lacks(still)
    with pytest.raises(ha.InvalidInput, match="nothing moves"):
        valley.frames(still)
    assert not Picture.of(valley, still).moves
    assert Picture.of(valley, result_of("valley")).moves


def test_a_figure_that_does_not_move_has_no_frames():
    with pytest.raises(ha.InvalidInput, match="figure 'attention' does not move; draw it as svg, pdf or png"):
        gallery()["attention"].frames(result_of("bank"))


def test_a_figure_that_does_not_move_leaves_gif_out_unless_it_was_named(hopattn, tmp_path):
    assert hopattn("run", "similarity", "--figure", "all", "--as", "gif", "--out", "slides/")[0] == 0
    assert not (tmp_path / "slides").exists()
    assert hopattn("run", "similarity", "--figure", "projection", "--as", "gif")[0] == 2
