"""From sheets to files: figures in a style, and their frames as moving pictures, the same bytes each time."""

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from hopattn.figures.figure import Figure
from hopattn.figures.fit import Fitted, films
from hopattn.figures.sheet import LeftOut, Sheet
from hopattn.figures.style import STYLES, Style, styled
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.results.files import write_over
from hopattn.scenario.result import Result
from hopattn.scenario.sweep_and_figure import FigureTable

FORMATS = ("svg", "pdf", "png", "gif")
"""The formats of files. A GIF holds all frames of a figure."""
FRAME_MS, LAST_FRAME_MS = 500, 2000
"""How long a frame is shown, and how long the last one is, in milliseconds."""
Noted = tuple[bytes, tuple[str, ...]]
"""The bytes of a file, with notes for its author: what is left out, and what has no room."""
_METADATA = {
    "svg": (("Title", "Description", "Source"), ("Date", "Creator")),
    "pdf": (("Title", "Subject", "Keywords"), ("CreationDate", "Producer", "Creator")),
    "png": (("Title", "Description", "Source"), ("Software",)),
}
"""Of each format the keys of title, description and origin; and those left out, whose dates and versions change."""
_HASHED_ID = re.compile(rb'id="([a-z]+[0-9a-f]{10})"')
_ID_OR_REFERENCE = re.compile(rb'(id="|#)([a-z]+[0-9a-f]{10})\b')
_FONTS = b"'DejaVu Sans', Verdana, sans-serif"
"""The fonts of an SVG. A browser without the first takes the second, whose letters are nearly as wide."""
_ORIGIN = re.compile(rb"hopattn scenario ([\w.~%-]+)")


def rendered_in_formats(
    sheet: Sheet, formats: Sequence[str], style: Style, scenario: str = "", title: str = "", resizable: bool = True
) -> dict[str, Noted]:
    """A sheet as the bytes of files, by format: svg, pdf and png.

    title: the one that the file keeps, where the figure shows none. resizable: whether the author has an option --size.
    """
    return _rendered([sheet], formats, style, scenario, title, resizable)[0]


def _rendered(
    sheets: Sequence[Sheet], formats: Sequence[str], style: Style, scenario: str, title: str, resizable: bool = True
) -> list[dict[str, Noted]]:
    """The frames of a figure, or its only sheet, as `rendered_in_formats` gives each; all have one font."""
    with _missing_letters() as letters:
        pairs = [*zip(films(sheets, style), sheets, strict=True)]
        files = [{format: _file(*pair, format, scenario, title) for format in formats} for pair in pairs]
    notes = [tuple(filter(None, [advice(sheet), fitted.remark(resizable), *letters])) for fitted, sheet in pairs]
    return [{format: (data, note) for format, data in one.items()} for one, note in zip(files, notes, strict=True)]


@contextmanager
def _missing_letters() -> Iterator[list[str]]:
    """Collects notes on the letters that the font lacks; any other warning is given again."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield notes
    for warning in caught:
        letter, lacks, _ = str(warning.message).partition(" missing from font")
        if not lacks:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        elif (note := f"{letter} is not in the font, and shows as a box") not in notes:
            notes.append(note)


def write_picture(sheet: Sheet, file: Path, scenario: str = "") -> tuple[str, ...]:
    """Write a sheet into a file, in the format that its ending names; gives notes for the author.

    An older file is replaced completely, or stays as it was. Raises `CannotDo` if it cannot be written.
    """
    format = file.suffix.lower()[1:]
    data, notes = rendered_in_formats(sheet, [format], STYLES["slide"], scenario, resizable=False)[format]
    write_over(file, data)
    return notes


def _file(fitted: Fitted, sheet: Sheet, format: str, scenario: str, title: str) -> bytes:
    keys, without = _METADATA[format]
    texts = (sheet.title or title).replace("\n", " "), sheet.description, origin(scenario)
    about = dict.fromkeys(without) | {key: text for key, text in zip(keys, texts, strict=True) if text}
    look: Any = {"dpi": fitted.style.png if format == "png" else "figure", "transparent": fitted.style.transparent}
    buffer = io.BytesIO()
    with styled(fitted.style):
        fitted.figure.savefig(buffer, format=format, metadata=about, **look)
    return _numbered(buffer.getvalue()) if format == "svg" else buffer.getvalue()


def advice(sheet: Sheet) -> str:
    """The parts that a sheet leaves out, and the options that choose them, as a note for its author; else empty."""
    parts = [note for note in sheet.notes if isinstance(note, LeftOut) and note]
    names = [name for part in parts for name in part.option.split(" or ") if name]
    options = dict.fromkeys(f"figure.{name}" if name in FigureTable.model_fields else name for name in names)
    return ", ".join(parts) + (f"; choose with {', '.join(options)}" if options else "")


def _numbered(svg: bytes) -> bytes:
    """An SVG that screen readers take for one picture, whose parts have numbers, in their order, as ids.

    matplotlib's ids are hashes of coordinates, and the layout may change the last digits of a coordinate.
    """
    names = dict.fromkeys(match[1] for match in _HASHED_ID.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    numbered = _ID_OR_REFERENCE.sub(lambda match: match[1] + numbers.get(match[2], match[2]), svg)
    return numbered.replace(b"'DejaVu Sans'", _FONTS).replace(b"<svg ", b'<svg role="img" ', 1)


def film(figure: Figure, result: Result, style: Style = STYLES["slide"]) -> Noted:
    """The frames of a figure as a GIF that repeats without end; raises `InvalidInput` as `Figure.frames` does."""
    from PIL import Image

    opaque = replace(style, png=style.dpi, transparent=False)
    files = [one["png"] for one in _rendered(figure.frames(result), ["png"], opaque, "", "")]
    first, *rest = (Image.open(io.BytesIO(data)).convert("RGB") for data, _ in files)
    times = [FRAME_MS] * len(rest) + [LAST_FRAME_MS]
    look: Any = {"save_all": True, "append_images": rest, "duration": times, "loop": 0, "optimize": True}
    buffer = io.BytesIO()
    first.save(buffer, "GIF", comment=origin(result.name).encode(), **look)
    return buffer.getvalue(), files[-1][1]


def save(
    figure: Figure,
    result: Result,
    folder: Path,
    formats: Sequence[str],
    style: Style = STYLES["slide"],
    own: bool = False,
    frames: bool = False,
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, one file for each format; gives the path of each file and the notes on it.

    A file of the same name is replaced completely, or stays as it was. own: the figure of another scenario stays too,
    and this one gets the name of its scenario before its own. frames: each frame as a file, NAME-01.png and so on, for
    slides that build up. Raises `InvalidInput` as `Figure.sheet` and `Figure.frames` do and for an unknown format,
    before anything is written, and `CannotDo` if the folder or the file cannot be written.
    """
    reject_unknown("format", formats, FORMATS)
    if frames and "gif" in formats:
        raise InvalidInput("format: gif holds all frames; a single frame is svg, pdf or png")
    still, about = [format for format in formats if format != "gif"], (style, result.name, result.title)
    sheets = figure.frames(result) if frames else [figure.sheet(result)] if still else []
    files = {
        f"{figure.name}{f'-{i:02}' * frames}.{format}": file
        for i, one in enumerate(_rendered(sheets, still, *about) if sheets else (), start=1)
        for format, file in one.items()
    }
    if "gif" in formats:
        files[f"{figure.name}.gif"] = film(figure, result, style)
    owners = (scenario_of(folder / name) for name in files) if own else ()
    other = next((owner for owner in owners if owner not in ("", result.name)), "")
    for name, (data, notes) in files.items():
        path = folder / (f"{result.name}-{name}" if other else name)
        write_over(path, data)
        yield path, (*notes, f"'{name}' shows the scenario '{other}', and stays") if other else notes


def origin(scenario: str) -> str:
    """The text that a file keeps of its scenario, or that it is a figure of hopattn's."""
    return f"hopattn scenario {quote(scenario, safe='')}" if scenario else "hopattn figure"


def scenario_of(file: Path) -> str:
    """The scenario of a figure that was drawn into a file; empty for any other file, and for one that is not there."""
    try:
        match = _ORIGIN.search(file.read_bytes())
    except OSError:  # where it is there, to write it will fail too, and will say why
        return ""
    return unquote(match[1].decode()) if match else ""


def formats_in(text: str) -> list[str]:
    """The formats that a text names, with commas between them; raises `InvalidInput` for an unknown one."""
    names = [name.strip() for name in text.split(",")]
    reject_unknown("format", names, FORMATS)
    return names
