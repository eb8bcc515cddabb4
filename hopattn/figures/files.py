"""From sheets to files: figures in a style, and their frames as moving pictures, the same bytes each time."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from hopattn.figures.figure import Figure
from hopattn.figures.fit import Fitted, films
from hopattn.figures.sheet import LeftOut, Sheet
from hopattn.figures.style import STYLES, Style, styled
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.result import Result
from hopattn.scenario.sweep_and_figure import FigureTable

FRAME_MS, LAST_FRAME_MS = 500, 2000
"""How long a frame is shown, and how long the last one is, in milliseconds."""
Noted = tuple[bytes, tuple[str, ...]]
"""The bytes of a file, with notes for its author: what is left out, and what has no room."""
Page = tuple[Fitted, Sheet, "Picture"]
"""A picture of a file: as it is drawn, its sheet, and what it is."""
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


@dataclass(frozen=True)
class Picture:
    """What a file shows. sheet: draws it. film: draws its frames; None for a picture that does not move.

    name: of the figure. scenario: the one that the file names as its origin. title: what the file keeps where the
    picture shows none.
    """

    name: str
    sheet: Callable[[], Sheet]
    film: Callable[[], Sequence[Sheet]] | None = None
    scenario: str = ""
    title: str = ""

    @classmethod
    def of(cls, figure: Figure, result: Result) -> "Picture":
        """A figure of the gallery, drawn from a result."""
        film = (lambda: figure.frames(result)) if figure.film else None
        return cls(figure.name, lambda: figure.sheet(result), film, result.name, result.title)

    def frames(self) -> Sequence[Sheet]:
        """The frames; raises `InvalidInput` for a picture that does not move."""
        if self.film is None:
            raise InvalidInput(f"figure '{self.name}' does not move; draw it as svg, pdf or png")
        return self.film()

    @cached_property
    def moves(self) -> bool:
        """Whether the picture has frames: a figure may move in one result and not in another."""
        try:
            return bool(self.frames())
        except InvalidInput:
            return False


def as_svg(sheet: Sheet, style: Style = STYLES["slide"], scenario: str = "") -> Noted:
    """A sheet as an SVG, with its notes. scenario: the one that the file names as its origin."""
    return rendered([Picture("", lambda: sheet, None, scenario)], "svg", style)[0]


def rendered(
    pictures: Sequence[Picture], format: str, style: Style = STYLES["slide"], frames: bool = False
) -> list[Noted]:
    """The files of pictures in a format, with notes: a PDF of them all, else one for each, or for each frame.

    frames: whether each frame of a picture that moves is one of its own. Raises `InvalidInput` for a GIF of a picture
    that does not move, and for what cannot be drawn.
    """
    if format == "gif":
        return [_film(picture, style) for picture in pictures]
    with _missing_letters() as letters:
        pages = [
            page
            for picture in pictures
            for page in _pages(picture, picture.frames() if frames and picture.moves else [picture.sheet()], style)
        ]
        files = [_pdf(pages)] if format == "pdf" else [_file(page, format) for page in pages]
    notes = [tuple(filter(None, [advice(sheet), fitted.remark()])) for fitted, sheet, _ in pages]
    if format == "pdf":
        names = [f"{picture.scenario}, {picture.name}: " if len(pictures) > 1 else "" for *_, picture in pages]
        of_pages = [f"{name}{note}" for name, page in zip(names, notes, strict=True) for note in page]
        return [(files[0], tuple(dict.fromkeys([*of_pages, *letters])))]
    return [(data, (*note, *letters)) for data, note in zip(files, notes, strict=True)]


def _pages(picture: Picture, sheets: Sequence[Sheet], style: Style) -> list[Page]:
    """Sheets of a picture as pages in one font."""
    return [(fitted, sheet, picture) for fitted, sheet in zip(films(sheets, style), sheets, strict=True)]


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


def _about(pages: Sequence[Page], format: str) -> dict[str, str | None]:
    """What a file says of itself: titles, descriptions and the scenario that its pages have."""
    keys, without = _METADATA[format]
    titles = [(sheet.title or picture.title).replace("\n", " ") for _, sheet, picture in pages]
    scenarios = {picture.scenario for _, _, picture in pages}
    texts = (
        "; ".join(dict.fromkeys(filter(None, titles))),
        "\n".join(sheet.description for _, sheet, _ in pages),
        origin(scenarios.pop() if len(scenarios) == 1 else ""),
    )
    return dict.fromkeys(without) | {key: text for key, text in zip(keys, texts, strict=True) if text}


def _file(page: Page, format: str) -> bytes:
    """A page as an SVG or a PNG."""
    style, buffer = page[0].style, io.BytesIO()
    look: Any = {"dpi": style.png if format == "png" else "figure", "transparent": style.transparent}
    with styled(style):
        page[0].figure.savefig(buffer, format=format, metadata=_about([page], format), **look)
    return _numbered(buffer.getvalue()) if format == "svg" else buffer.getvalue()


def _pdf(pages: Sequence[Page]) -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages

    buffer = io.BytesIO()
    with styled(pages[0][0].style), PdfPages(buffer, metadata=_about(pages, "pdf")) as file:
        for fitted, _, _ in pages:
            with styled(fitted.style):
                file.savefig(fitted.figure, transparent=fitted.style.transparent)
    return buffer.getvalue()


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


def _film(picture: Picture, style: Style) -> Noted:
    """The frames of a picture as a GIF that repeats without end; raises `InvalidInput` if it does not move."""
    from PIL import Image

    opaque = replace(style, png=style.dpi, transparent=False)
    picture.frames()
    files = rendered([picture], "png", opaque, frames=True)
    first, *rest = (Image.open(io.BytesIO(data)).convert("RGB") for data, _ in files)
    times = [FRAME_MS] * len(rest) + [LAST_FRAME_MS]
    look: Any = {"save_all": True, "append_images": rest, "duration": times, "loop": 0, "optimize": True}
    buffer = io.BytesIO()
    first.save(buffer, "GIF", comment=origin(picture.scenario).encode(), **look)
    return buffer.getvalue(), files[-1][1]


def origin(scenario: str) -> str:
    """The text that a file keeps of its scenario, or that it is a figure of hopattn's."""
    return f"hopattn scenario {quote(scenario, safe='')}" if scenario else "hopattn figure"
