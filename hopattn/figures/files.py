"""From sheets to files: figures in a style, and their frames as moving pictures, the same bytes each time."""

import io
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from hopattn.figures.figure import Figure, LeftOut
from hopattn.figures.fit import Fitted, films, fitted_sheet
from hopattn.figures.sheet import Sheet
from hopattn.figures.source_date import require_date
from hopattn.figures.style import STYLES, Style, styled
from hopattn.foundation.errors import CannotDo, InvalidInput, shortened, unknown
from hopattn.results.files import write_over
from hopattn.scenario.result import Result

MOVING = ("gif", "mp4")
"""The formats that hold all frames."""
FRAME_MS, LAST_FRAME_MS = 500, 2000
"""How long a frame is shown, and how long the last one is, in milliseconds."""
COLOURS = 128
"""The number of colours of a GIF."""
_QUIET = ("-y", "-loglevel", "error", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1")
_H264 = ("-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-threads", "1")


def require_encoder(format: str) -> None:
    """Raise `CannotDo` if a format needs a program that is not there."""
    if format == "mp4" and shutil.which("ffmpeg") is None:
        raise CannotDo("format: mp4 needs the program ffmpeg, which is not on the path; install it, or choose gif")


def as_gif(pictures: Sequence[np.ndarray], comment: str) -> bytes:
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


def as_mp4(pictures: Sequence[np.ndarray], comment: str) -> bytes:
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


FORMATS = ("svg", "pdf", "png", *MOVING)
Files = Mapping[str, tuple[bytes, tuple[str, ...]]]
"""The bytes of files, each with notes for the author, by their formats or names."""
CHOICES = ("run", "layer", "head", "query", "axes")
"""The keys of `[figure]` that choose a part of a result."""
_NO_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""The metadata of each format that a file leaves out, because dates and versions would change its bytes."""
_DESCRIBED = {
    "svg": ("Title", "Description", "Source"),
    "pdf": ("Title", "Subject", "Keywords"),
    "png": ("Title", "Description", "Source"),
}
"""The keys of title, description and origin in each format."""
_HASHED_ID = re.compile(rb'id="([a-z]+[0-9a-f]{10})"')
_ID_OR_REFERENCE = re.compile(rb'(id="|#)([a-z]+[0-9a-f]{10})\b')
_FONTS = b"'DejaVu Sans', Verdana, sans-serif"
"""The fonts of an SVG. A browser without the first takes the second, whose letters are nearly as wide."""
_ORIGIN = re.compile(rb"hopattn scenario ([\w.~%-]+)")


def rendered(sheet: Sheet, style: Style = STYLES["slide"], scenario: str = "") -> bytes:
    """A sheet as the bytes of an SVG. scenario: its name, which the file keeps."""
    return rendered_in_formats(sheet, ["svg"], style, scenario)["svg"][0]


def rendered_in_formats(
    sheet: Sheet, formats: Sequence[str], style: Style, scenario: str = "", title: str = "", resizable: bool = True
) -> Files:
    """A sheet as the bytes of files, by format, with notes for the author: what is left out, and what has no room.

    formats: svg, pdf and png. title: the one that the file keeps, where the figure shows none. resizable: whether the
    author has an option --size. Raises `InvalidInput` for an environment that matplotlib cannot read.
    """
    with warnings.catch_warnings(record=True) as glyphs:
        warnings.simplefilter("always")
        fitted = fitted_sheet(sheet, style)
        files = {format: _file(fitted, sheet, format, scenario, title) for format in formats}
    notes = (*advice(sheet), *filter(None, [fitted.remark(resizable)]), *_missing(glyphs))
    return {format: (data, notes) for format, data in files.items()}


def write_picture(sheet: Sheet, file: Path, scenario: str = "") -> tuple[str, ...]:
    """Write a sheet into a file, in the format that its ending names; gives notes for the author.

    An older file is replaced completely, or stays as it was. Raises `CannotDo` if it cannot be written.
    """
    format = file.suffix.lower()[1:]
    data, notes = rendered_in_formats(sheet, [format], STYLES["slide"], scenario, resizable=False)[format]
    write_over(file, data)
    return notes


def _file(fitted: Fitted, sheet: Sheet, format: str, scenario: str, title: str) -> bytes:
    if format != "png":
        require_date()
    texts = (sheet.title or title).replace("\n", " "), "; ".join((sheet.description, *advice(sheet))), origin(scenario)
    about = {key: text for key, text in zip(_DESCRIBED[format], texts, strict=True) if text}
    buffer = io.BytesIO()
    dpi: Any = fitted.style.png if format == "png" else "figure"
    with styled(fitted.style):
        look: Any = {"dpi": dpi, "transparent": fitted.style.transparent}
        fitted.figure.savefig(buffer, format=format, metadata=_NO_METADATA[format] | about, **look)
    return _finished_svg(buffer.getvalue()) if format == "svg" else buffer.getvalue()


def _missing(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Notes on the letters that the font lacks; any other warning is given again."""
    messages = [str(warning.message) for warning in caught]
    for warning, message in zip(caught, messages, strict=True):
        if "missing from font" not in message:
            warnings.warn_explicit(message, warning.category, warning.filename, warning.lineno)
    letters = {message.partition(" missing")[0] for message in messages if "missing from font" in message}
    return [f"{letter} is not in the font, and shows as a box" for letter in sorted(letters)]


def advice(sheet: Sheet) -> list[str]:
    """The parts that a sheet leaves out, and the options that choose them, as a note for its author."""
    parts = [note for note in sheet.notes if isinstance(note, LeftOut) and note and note.option]
    names = [name for part in parts for name in part.option.split(" or ")]
    options = dict.fromkeys(f"figure.{name}" if name in CHOICES else name for name in names)
    return [f"{', '.join(parts)}; choose with {', '.join(options)}"] if parts else []


def _finished_svg(svg: bytes) -> bytes:
    """An SVG that screen readers take for one picture, whose parts have numbers, in their order, as ids.

    matplotlib's ids are hashes of coordinates, and the layout may change the last digits of a coordinate.
    """
    names = dict.fromkeys(match[1] for match in _HASHED_ID.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    numbered = _ID_OR_REFERENCE.sub(lambda match: match[1] + numbers.get(match[2], match[2]), svg)
    with_fonts = numbered.replace(b"'DejaVu Sans'", _FONTS)
    return with_fonts.replace(b"<svg ", b'<svg role="img" ', 1)


def film(figure: Figure, result: Result, format: str = "gif", style: Style = STYLES["slide"]) -> bytes:
    """The frames of a figure as the bytes of a GIF that repeats without end, or of an MP4.

    Raises `InvalidInput` as `Figure.frames` does, and `CannotDo` if ffmpeg, which makes an MP4, is missing or fails.
    """
    require_encoder(format)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font draws a box for a glyph that it lacks
        pictures = []
        for frame in films(figure.frames(result), style):
            with styled(frame.style):
                frame.figure.canvas.draw()
            pictures.append(np.asarray(frame.figure.canvas.buffer_rgba())[..., :3].copy())
    return (as_mp4 if format == "mp4" else as_gif)(pictures, origin(result.name))


def save(
    figure: Figure,
    result: Result,
    folder: Path,
    formats: Sequence[str],
    style: Style = STYLES["slide"],
    own: bool = False,
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, one file for each format; gives the path of each file and the notes on it.

    A file of the same name is replaced completely, or stays as it was. own: the figure of another scenario stays too,
    and this one gets the name of its scenario before its own. Raises `InvalidInput` as `Figure.sheet` does and for an
    unknown format, before anything is written, and `CannotDo` if the folder or the file cannot be written.
    """
    require_formats(",".join(formats))
    files: dict[str, tuple[bytes, tuple[str, ...]]] = {}
    if still := [format for format in formats if format not in MOVING]:
        files |= rendered_in_formats(figure.sheet(result), still, style, result.name, result.title)
    files |= {format: (film(figure, result, format, style), ()) for format in formats if format in MOVING}
    yield from _written({f"{figure.name}.{format}": files[format] for format in formats}, folder, result.name * own)


def save_frames(
    figure: Figure,
    result: Result,
    folder: Path,
    formats: Sequence[str],
    style: Style = STYLES["slide"],
    own: bool = False,
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write each frame of a figure into a folder, as NAME-01.png and so on, for slides that build up.

    formats: some of svg, pdf and png. All frames have the same size and font. The rest is as in `save`; raises
    `InvalidInput` also for a figure that does not move, and for a format that holds all frames.
    """
    require_formats(",".join(formats))
    for format in formats:
        if format in MOVING:
            raise InvalidInput(f"format: {format} holds all frames; a single frame is svg, pdf or png")
    sheets = figure.frames(result)
    frames, digits = films(sheets, style), max(2, len(str(len(sheets))))
    files = {
        f"{figure.name}-{i:0{digits}}.{format}": (_file(frame, sheet, format, result.name, result.title), ())
        for i, (frame, sheet) in enumerate(zip(frames, sheets, strict=True), start=1)
        for format in formats
    }
    yield from _written(files, folder, result.name * own)


def _written(files: Files, folder: Path, scenario: str) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write the files of a figure, each with notes on it. scenario: the only one whose files it replaces; else any."""
    owners = (scenario_of(folder / name) for name in files) if scenario else ()
    other = next((owner for owner in owners if owner not in ("", scenario)), "")
    for name, (data, notes) in files.items():
        path = folder / (f"{scenario}-{name}" if other else name)
        write_over(path, data)
        yield path, (*notes, f"'{name}' shows the scenario '{other}', and stays") if other else notes


def origin(scenario: str) -> str:
    """The text that a file keeps of its scenario, or that it is a figure of hopattn's."""
    return f"hopattn scenario {quote(scenario, safe='')}" if scenario else "hopattn figure"


def scenario_of(file: Path) -> str:
    """The scenario of a figure that was drawn into a file; empty for any other file, and for one that is not there."""
    try:
        found = _ORIGIN.search(file.read_bytes()) if file.is_file() else None
    except OSError:  # to write it will fail too, and will say why
        return ""
    return unquote(found[1].decode()) if found else ""


def require_formats(formats: str) -> None:
    """Raise `InvalidInput` for an unknown format, and `CannotDo` for one that needs a program that is not there.

    formats: names with commas between them.
    """
    for name in map(str.strip, formats.split(",")):
        if name not in FORMATS:
            raise InvalidInput(f"format: {unknown(name, FORMATS)}")
        require_encoder(name)


def formats_of(figure: Figure, formats: str, by_name: bool) -> list[str]:
    """The formats in which to write a figure.

    formats: names with commas between them. by_name: whether the user named this figure. A figure that does not move
    and was not named leaves gif and mp4 out.
    """
    names = [name.strip() for name in formats.split(",")]
    return [name for name in names if figure.moves or by_name or name not in MOVING]
