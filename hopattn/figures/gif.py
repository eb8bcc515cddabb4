"""Moving pictures: the frames of a figure in one style, as a GIF or an MP4, the same bytes each time."""

import io
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopattn.figures.base import Draw, Figure, Plot, require_drawable
from hopattn.figures.fitting import fitted
from hopattn.figures.language import in_language
from hopattn.figures.measuring import unmoved
from hopattn.figures.origin import origin
from hopattn.figures.style import STYLES, Style, styled
from hopattn.foundation.errors import CannotDo, InvalidInput, shortened
from hopattn.scenario.result import Result

MOVING = ("gif", "mp4")
"""The formats that hold all frames."""
FRAME_MS, LAST_FRAME_MS = 500, 2000
"""How long a frame is shown, and how long the last one is, in milliseconds."""
COLOURS = 128
"""The number of colours of a GIF."""
_QUIET = ("-y", "-loglevel", "error", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1")
_H264 = ("-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-threads", "1")


def require_frames(plot: Plot, result: Result) -> None:
    """Raise `InvalidInput` for a figure without frames, and for a result from which it cannot be drawn."""
    if not plot.moves:
        raise InvalidInput(f"figure '{plot.name}' does not move; draw it as svg, pdf or png")
    require_drawable(plot, result)


def require_encoder(format: str) -> None:
    """Raise `CannotDo` if a format needs a program that is not there."""
    if format == "mp4" and shutil.which("ffmpeg") is None:
        raise CannotDo("format: mp4 needs the program ffmpeg, which is not on the path; install it, or choose gif")


def fitted_frames(draws: Sequence[Draw], style: Style) -> tuple[list[Figure], Style]:
    """The frames as figures, and their style: all have the font of the frame that needs the smallest one.

    The parts of all frames have the places of those of the last one, in which everything is there.
    """
    last, fitting = fitted(draws[-1], style)
    figures = [last]
    for draw in reversed(draws[:-1]):
        figure, own = fitted(draw, fitting, last)
        if own.font < fitting.font:
            return fitted_frames(draws, own)
        figures.append(figure)
    return figures[::-1], fitting


def animated(plot: Plot, result: Result, format: str = "gif", style: Style = STYLES["slide"]) -> bytes:
    """The frames of a figure as the bytes of a GIF that repeats without end, or of an MP4.

    Raises `InvalidInput` as `require_frames` does, and `CannotDo` if ffmpeg, which makes an MP4, is missing or fails.
    """
    require_frames(plot, result)
    require_encoder(format)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font draws a box for a glyph that it lacks
        figures, fitting = fitted_frames([in_language(draw, result.figure.lang) for draw in plot.frames(result)], style)
        with styled(fitting):
            pictures = []
            for figure in figures:
                with unmoved(figure.axes):
                    figure.canvas.draw()
                pictures.append(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
    return _as_mp4(pictures, origin(result.name)) if format == "mp4" else _as_gif(pictures, origin(result.name))


def _as_gif(pictures: Sequence[np.ndarray], comment: str) -> bytes:
    """Pictures as a GIF. All have the same colours, so that it holds only what changes from one to the next."""
    from PIL import Image

    some = np.concatenate([pictures[i] for i in sorted({0, len(pictures) // 2, len(pictures) - 1})])
    colours = Image.fromarray(some).quantize(COLOURS, dither=Image.Dither.NONE)
    colours.putpalette(_with_exact(colours.getpalette(), pictures[0][0, 0]))
    frames = [Image.fromarray(one).quantize(palette=colours, dither=Image.Dither.NONE) for one in pictures]
    buffer = io.BytesIO()
    times = [FRAME_MS] * (len(frames) - 1) + [LAST_FRAME_MS]
    look = {"duration": times, "loop": 0, "optimize": False, "comment": comment.encode()}
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], **look)
    return buffer.getvalue()


def _with_exact(palette: list[int] | None, background: np.ndarray) -> list[int]:
    """A palette in which all colours that look like the background are the background colour, and not grey."""
    colours = np.reshape(palette or [0, 0, 0], (-1, 3))
    unlike = np.abs(colours - background.astype(int)).max(axis=1)
    colours[(unlike < 8) | (unlike == unlike.min())] = background
    return [int(part) for part in colours.ravel()]


def _as_mp4(pictures: Sequence[np.ndarray], comment: str) -> bytes:
    """Pictures as an MP4 of H.264, which ffmpeg makes."""
    height, width, _ = pictures[0].shape
    held = [*pictures, *[pictures[-1]] * (LAST_FRAME_MS // FRAME_MS - 1)]
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-framerate", f"1000/{FRAME_MS}")
    with tempfile.TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"  # an MP4 has its index at its start, so that a pipe cannot take it
        command = [
            "ffmpeg",
            *_QUIET[:3],
            *raw,
            "-i",
            "-",
            "-an",
            *_H264,
            *_QUIET[3:],
            "-metadata",
            f"comment={comment}",
        ]
        command += ["-movflags", "+faststart", str(film)]
        try:
            done = subprocess.run(command, input=b"".join(map(np.ndarray.tobytes, held)), capture_output=True)
            data = film.read_bytes() if done.returncode == 0 else b""
        except OSError as error:
            raise CannotDo(f"mp4: ffmpeg cannot be run: {error.strerror or error}") from None
    if not data:
        reason = shortened(done.stderr.decode(errors="replace").strip(), 200) or f"it ended with {done.returncode}"
        raise CannotDo(f"mp4: ffmpeg failed: {reason}")
    return data
