"""Moving pictures: frames in every style, GIF and MP4, and one file for each frame."""

import io
import os
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

import hopattn as ha
from hopattn.figures.figure import Figure, gallery
from hopattn.figures.files import film, formats_of, require_formats, save_frames
from hopattn.figures.fit import films
from hopattn.figures.sheet import Nodes, Panel, Points, Sheet
from hopattn.figures.style import STYLES
from hopattn.foundation.errors import CannotDo
from tests.draws import count
from tests.figures.reading import drawn_with
from tests.runs import result_of

SMALL = STYLES["paper"]
COUNT = 12
MOVING = [figure for figure in gallery().values() if figure.moves]


def ball(result):
    """A ball that goes from side to side, with a text in its last frame that is too long for a small figure."""
    words = [""] * (COUNT - 1) + ["a wide text that runs into the others"]
    return [
        Sheet([Panel([Nodes([(0, 1), (0.8, 1)], ["left", word], "plain"), Points([(i, 0)])], layout="free")])
        for i, word in enumerate(words)
    ]


BALL = Figure("ball", "a ball", "graded", lambda result: ball(result)[-1], ball)


@pytest.mark.parametrize("figure", count([BALL, *MOVING], [BALL]), ids=lambda figure: figure.name)
def test_a_gif_is_the_same_bytes_each_time_and_has_the_size_of_its_style(figure):
    result = result_of(figure.scenario)
    data = film(figure, result, "gif", SMALL)
    assert data == film(figure, result, "gif", SMALL)
    with Image.open(io.BytesIO(data)) as gif:
        assert gif.size == (1020, 720)
        assert gif.n_frames >= 4
        assert gif.info["duration"] == 500


def test_a_gif_of_a_slide_has_its_shape_and_a_dark_one_its_background(results):
    with Image.open(io.BytesIO(film(BALL, results["graded"]))) as gif:
        assert gif.size == (1280, 720)
        assert gif.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    with Image.open(io.BytesIO(film(BALL, results["graded"], style=STYLES["dark"]))) as gif:
        assert max(gif.convert("RGB").getpixel((0, 0))) < 60


def test_all_frames_have_the_font_of_the_frame_that_needs_the_smallest(results):
    frames = films(ball(None), replace(SMALL, font=30))
    assert len({frame.style.font for frame in frames}) == 1 and frames[0].style.font < 30
    sizes = [{size for _, _, size, _ in drawn_with(frame.figure, frame.style).lines} for frame in frames]
    assert all(len(size) == 1 for size in sizes)


def test_each_frame_is_a_file_of_its_own(results, tmp_path):
    files = list(save_frames(BALL, results["graded"], tmp_path / "new", ["png", "svg"], SMALL))
    names = [f"ball-{i:02}.{format}" for i in range(1, COUNT + 1) for format in ("png", "svg")]
    assert [path.name for path, _ in files] == names
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(names)
    again = list(save_frames(BALL, results["graded"], tmp_path / "again", ["png"], SMALL))
    assert all(path.read_bytes() == (tmp_path / "new" / path.name).read_bytes() for path, _ in again)
    with Image.open(tmp_path / "new" / "ball-01.png") as picture:
        assert picture.size == (1020, 720)


def test_a_figure_that_does_not_move_has_no_frames():
    with pytest.raises(ha.InvalidInput, match="figure 'attention' does not move; draw it as svg, pdf or png"):
        gallery()["attention"].frames(result_of("bank"))


FAKE = """#!/bin/sh
printf '%s\\n' "$@" > "{log}"
wc -c >> "{log}"
for last; do :; done
{end}
"""


@pytest.fixture
def ffmpeg(tmp_path, monkeypatch):
    """Put a program of the name ffmpeg on the path that keeps its arguments, the size of its input, and then `end`s."""

    def place(end='printf film > "$last"'):
        program = tmp_path / "ffmpeg"
        program.write_text(FAKE.format(log=tmp_path / "log", end=end))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
        return tmp_path / "log"

    return place


def test_an_mp4_is_what_ffmpeg_makes_of_all_pixels(ffmpeg):
    log = ffmpeg()
    assert film(BALL, result_of("graded"), "mp4", SMALL) == b"film"
    *arguments, size = log.read_text().splitlines()
    assert arguments[arguments.index("-s") + 1] == "1020x720"
    assert arguments[arguments.index("-framerate") + 1] == "1000/500"
    assert Path(arguments[-1]).suffix == ".mp4"
    frames = COUNT + 3  # the last one is shown for two seconds, the others for half of one
    assert int(size) == frames * 1020 * 720 * 3


def test_a_failure_of_ffmpeg_is_reported_with_its_words(ffmpeg):
    ffmpeg("echo 'Unknown encoder libx264' >&2; exit 1")
    with pytest.raises(CannotDo, match="mp4: ffmpeg failed: Unknown encoder libx264"):
        film(BALL, result_of("graded"), "mp4", SMALL)


def test_an_mp4_without_ffmpeg_is_refused_before_anything_is_drawn(monkeypatch, tmp_path, hopattn):
    monkeypatch.setenv("PATH", str(tmp_path))
    message = "mp4 needs the program ffmpeg, which is not on the path; install it, or choose gif"
    with pytest.raises(CannotDo, match=message):
        require_formats("svg, mp4")
    code, _, errors = hopattn("figures", "recall", "--format", "mp4", "--out", "drawn")
    assert (code, message in errors) == (3, True)
    assert not (tmp_path / "drawn").exists()


def test_a_figure_that_does_not_move_leaves_moving_formats_out_unless_it_was_named():
    assert formats_of(gallery()["attention"], "png,gif,mp4", by_name=False) == ["png"]
    assert formats_of(gallery()["recall"], "png,gif,mp4", by_name=False) == ["png", "gif", "mp4"]
    assert formats_of(gallery()["attention"], "png,gif", by_name=True) == ["png", "gif"]
