"""The options of commands that draw figures: format, size, style, title, and which figures into which folder."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from hopattn.foundation.errors import InvalidInput, quoted, unknown

if TYPE_CHECKING:
    from hopattn.figures.figure import Figure
    from hopattn.figures.sheet import Sheet
    from hopattn.figures.style import Style
    from hopattn.scenario.result import Result

Command = TypeVar("Command", bound=Callable[..., Any])

PIXELS = 8192
"""The most pixels along a side of a PNG."""
_OPTIONS = (
    click.option("--format", "formats", metavar="svg,pdf,png,gif", help="One format or several; by default svg."),
    click.option(
        "--size", metavar="WxH|W:H", help="Width and height in inches, as in 3.4x2.4, or a ratio, as in 16:9."
    ),
    click.option(
        "--dpi", type=click.IntRange(20, 600), help="Pixels in an inch of a PNG; a slide has 150, in print 300."
    ),
    click.option("--style", metavar="slide|paper|dark", help="A slide (default), a column of a paper, a dark slide."),
    click.option("--lang", metavar="en|de", help="The language; by default that of [figure]."),
    click.option("--no-title", is_flag=True, help="Leave the title out."),
    click.option("--transparent", is_flag=True, help="Transparent background, in any style."),
    click.option("--frames", is_flag=True, help="Write each frame of a moving figure into a file of its own."),
)
"""The options of every command that draws figures."""


def with_drawing_options(command: Command) -> Command:
    """A decorator of a command: adds the options of drawing."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class Drawing:
    """The figures that a command draws.

    lang: the language of labels; empty for that of the scenario. titled: with the title. frames: each frame as a file
    of its own.
    """

    formats: Sequence[str]
    style: "Style"
    lang: str
    titled: bool
    frames: bool

    def require_drawable(self, figure: "Figure", result: "Result") -> None:
        """Raise `InvalidInput` for a named figure that a result cannot have, or that does not move where it should."""
        figure.frames(result) if self.frames or "gif" in self.formats else figure.sheet(result)

    def files(
        self, figure: "Figure", result: "Result", folder: Path, by_name: bool, own: bool = False
    ) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """Write a figure into a folder; gives the path of each file and the notes on it.

        by_name: whether the user named it; else a figure that does not move leaves frames and gif out. own: a file of
        another scenario stays, and this one gets the name of its scenario before its own.
        """
        from hopattn.figures.files import save

        wishes = ({} if self.titled else {"title": ""}) | ({"lang": self.lang} if self.lang else {})
        result = replace(result, figure=result.figure.model_copy(update=wishes))
        moves = by_name or ((self.frames or "gif" in self.formats) and not figure.lacks(result, moving=True))
        formats = [format for format in self.formats if moves or format != "gif"]
        yield from save(figure, result, folder, formats, self.style, own, self.frames and moves)


def draw_into(file: Path, sheet: "Sheet", scenario: str = "") -> None:
    """Write a figure into the file of an option --figure; the path and the notes on it go to standard error."""
    from hopattn.figures.files import write_picture

    notes = write_picture(sheet, file, scenario)
    for line in (str(file), *(f"{file}: {note}" for note in notes)):
        click.echo(line, err=True)


def drawing_asked(
    formats: str | None,
    size: str | None,
    dpi: int | None,
    style: str | None,
    lang: str | None,
    no_title: bool,
    transparent: bool,
    frames: bool,
) -> Drawing:
    """The drawing options as an object; raises `InvalidInput` for an invalid value."""
    from hopattn.figures.files import formats_in
    from hopattn.figures.style import STYLES, sides

    names = formats_in("svg" if formats is None else formats)
    named = STYLES[("slide" if style is None else style).strip()]
    sized = named if size is None else named.with_size(*sides(size, named.size[0], "--size"))
    if dpi is not None:
        if "png" not in names:
            raise InvalidInput("--dpi: only a PNG has pixels; write --format png too")
        sized = replace(sized, png=dpi)
    if (side := max(sized.size) * sized.png) > PIXELS and "png" in names:
        raise InvalidInput(f"a PNG has at most {PIXELS:,} pixels along a side, not {side:,.0f}; lower --dpi or --size")
    chosen = replace(sized, transparent=True) if transparent else sized
    return Drawing(names, chosen, language_asked(lang), not no_title, frames)


def language_asked(lang: str | None) -> str:
    """The language of the option --lang, empty for that of the scenario; raises `InvalidInput` for an unknown one."""
    from hopattn.foundation.sentences import LANGUAGES

    if lang is not None and lang not in (known := ("en", *LANGUAGES)):
        raise InvalidInput(f"--lang: {unknown(lang, known)}")
    return lang or ""


def names_and_folder(value: str, into: Path | None, name: str) -> tuple[list[str], Path]:
    """The names of the figures to draw (all that can be drawn, if there are none) and the folder to draw into.

    value: of --figures: names of figures with commas between them, or a folder. into: the folder of --into. name: of
    the scenario. Raises `InvalidInput` for a value that is neither names nor a folder.
    """
    own = into or Path(f"{name}-figures")
    if not value.strip():
        return [], own
    from hopattn.figures.figure import gallery

    parts = [part.strip() for part in value.split(",")]
    if all(part in gallery() for part in parts):
        return list(dict.fromkeys(parts)), own
    _require_folder(value, parts, gallery())
    if into is not None:
        raise InvalidInput(
            f"--figures {quoted(value)} is a folder, and so is --into {quoted(str(into))}: give one of them"
        )
    return [], Path(value)


def _require_folder(value: str, parts: Sequence[str], known: Any) -> None:
    """Raise `InvalidInput` for a value that is not a folder: the name of a file, or a mistyped name of a figure."""
    from difflib import get_close_matches  # imported here, so that the command line starts fast

    from hopattn.figures.files import FORMATS

    suffix = Path(value).suffix[1:].lower()
    if suffix in FORMATS:
        stem = Path(value).stem
        figure = stem if stem in known else "words"
        raise InvalidInput(
            f"--figures {quoted(value)} is the name of a file; a figure is written to FOLDER/{figure}.{suffix}: "
            f"write --figures {figure} --format {suffix} --into FOLDER"
        )
    wrong = next(part for part in parts if part not in known)
    mistyped = get_close_matches(wrong.lower(), known, n=1, cutoff=0.8)
    if len(parts) > 1 or (mistyped and not re.search(r"[/\\]", value) and not Path(value).is_dir()):
        folder = "" if len(parts) > 1 else f"; for a folder of this name write ./{value}"
        raise InvalidInput(f"--figures: figure {unknown(wrong, known)}{folder}")
