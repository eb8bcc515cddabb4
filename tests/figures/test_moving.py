"""Moving pictures: frames in every style, GIF and MP4, and one file for each frame."""

import io
import os
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from matplotlib.lines import Line2D
from PIL import Image

from hopattn.figures.base import Plot
from hopattn.figures.fitting import fitted
from hopattn.figures.gallery import plots
from hopattn.figures.gif import animated, fitted_frames
from hopattn.figures.rendering import formats_of, rendered_figure, require_formats, save_frames
from hopattn.figures.style import STYLES, theme
from hopattn.foundation.errors import CannotDo
from tests.draws import count
from tests.figures.reading import cells, curves, drawn_with, titles
from tests.runs import result_of

SMALL = STYLES["paper"]
COUNT = 12


class Ball(Plot):
    """A ball that goes from side to side, with a text in its last frame that is too long for a small figure."""

    name = "ball"
    shows = "a ball"
    moves = True

    def lacks(self, result):
        return "" if result.name == "graded" else "it has no ball"

    def draw(self, figure, result):
        self.frames(result)[-1](figure)

    def frames(self, result):
        def draw(figure, i):
            figure.text(0.05, 0.9, "left")
            figure.text(0.4, 0.9, "a wide text that runs into the others" if i == COUNT - 1 else "")
            figure.add_artist(Line2D([i / COUNT], [0.5], marker="o", color=theme().series[0]))

        return [partial(draw, i=i) for i in range(COUNT)]


def test_a_frame_holds_the_state_and_its_words_and_the_energy_up_to_it():
    run, frames = result_of("graded").runs[0], plots["animation"]().frames(result_of("graded"))
    figures = {time: fitted(frames[i], STYLES["slide"])[0] for time, i in ((0, 0), (1, 1), (114, -1))}
    for time, frame in figures.items():
        picture, energy, overlap = frame.axes
        assert np.array_equal(np.ravel(cells(picture)[0]), run.arrays["trajectory"].values[0][time])
        assert picture.get_xlabel() == ("recalls R" if time == 114 else "nearest: R")
        assert any(np.allclose(curve[-1], (time, run.arrays["energy"].values[0][time])) for curve in curves(energy))
        assert energy.get_xlim() == overlap.get_xlim() == (0, 114)
    assert titles(figures[0])[0] == "the cue: half of R" and titles(figures[1])[0] == "half of R: step 1 of 114"


@pytest.mark.parametrize("plot", count([Ball, *(plot for plot in plots.values() if plot.moves)], [Ball]))
def test_a_gif_is_the_same_bytes_each_time_and_has_the_size_of_its_style(plot):
    result = result_of(getattr(plot, "scenario", "graded"))
    data = animated(plot(), result, "gif", SMALL)
    assert data == animated(plot(), result, "gif", SMALL)
    with Image.open(io.BytesIO(data)) as gif:
        assert gif.size == (1020, 720)
        assert gif.n_frames >= 12
        assert gif.info["duration"] == 500


def test_a_gif_of_a_slide_has_its_shape_and_a_dark_one_its_background(results):
    with Image.open(io.BytesIO(animated(Ball(), results["graded"]))) as gif:
        assert gif.size == (1280, 720)
        assert gif.convert("RGB").getpixel((0, 0)) == (255, 255, 255)
    with Image.open(io.BytesIO(animated(Ball(), results["graded"], style=STYLES["dark"]))) as gif:
        assert max(gif.convert("RGB").getpixel((0, 0))) < 60


def test_all_frames_have_the_font_of_the_frame_that_needs_the_smallest(results):
    figures, style = fitted_frames(Ball().frames(results["graded"]), replace(SMALL, font=16))
    assert style.font < 16
    sizes = [{size for _, _, size, _ in drawn_with(figure, style).lines} for figure in figures]
    assert all(len(size) == 1 and min(size) == pytest.approx(style.font) for size in sizes)


def test_each_frame_is_a_file_of_its_own(results, tmp_path):
    files = list(save_frames(Ball(), results["graded"], tmp_path / "new", ["png", "svg"], SMALL))
    names = [f"ball-{i:02}.{format}" for i in range(1, COUNT + 1) for format in ("png", "svg")]
    assert [path.name for path, _ in files] == names
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(names)
    again = list(save_frames(Ball(), results["graded"], tmp_path / "again", ["png"], SMALL))
    assert all(path.read_bytes() == (tmp_path / "new" / path.name).read_bytes() for path, _ in again)
    with Image.open(tmp_path / "new" / "ball-01.png") as picture:
        assert picture.size == (1020, 720)
    assert "(1 of 12)" in (tmp_path / "new" / "ball-01.svg").read_text(encoding="utf-8")


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
    data, notes = rendered_figure(Ball(), result_of("graded"), "mp4", SMALL)
    assert (data, notes) == (b"film", ())
    *arguments, size = log.read_text().splitlines()
    assert arguments[arguments.index("-s") + 1] == "1020x720"
    assert arguments[arguments.index("-framerate") + 1] == "1000/500"
    assert Path(arguments[-1]).suffix == ".mp4"
    frames = COUNT + 3  # the last one is shown for two seconds, the others for half of one
    assert int(size) == frames * 1020 * 720 * 3


def test_a_failure_of_ffmpeg_is_reported_with_its_words(ffmpeg):
    ffmpeg("echo 'Unknown encoder libx264' >&2; exit 1")
    with pytest.raises(CannotDo, match="mp4: ffmpeg failed: Unknown encoder libx264"):
        animated(Ball(), result_of("graded"), "mp4", SMALL)


def test_an_mp4_without_ffmpeg_is_refused_before_anything_is_drawn(monkeypatch, tmp_path, hopattn):
    monkeypatch.setenv("PATH", str(tmp_path))
    message = "mp4 needs the program ffmpeg, which is not on the path; install it, or choose gif"
    with pytest.raises(CannotDo, match=message):
        require_formats("svg, mp4")
    code, _, errors = hopattn("figures", "animation", "--format", "mp4", "--out", "drawn")
    assert (code, message in errors) == (3, True)
    assert not (tmp_path / "drawn").exists()


def test_a_figure_that_does_not_move_leaves_moving_formats_out_unless_it_was_named():
    assert formats_of(plots["attention"](), "png,gif,mp4", by_name=False) == ["png"]
    assert formats_of(plots["animation"](), "png,gif,mp4", by_name=False) == ["png", "gif", "mp4"]
    assert formats_of(plots["attention"](), "png,gif", by_name=True) == ["png", "gif"]
