"""From results to files: figures in a style, the same bytes each time."""

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hopattn.figures.base import Figure, Plot, require_drawable
from hopattn.figures.choice import chosen
from hopattn.figures.fitting import fitted
from hopattn.figures.gallery import plots
from hopattn.figures.gif import MOVING, animated, fitted_frames, require_encoder, require_frames
from hopattn.figures.kept_sweeps import every_figure
from hopattn.figures.language import in_language
from hopattn.figures.measuring import unmoved
from hopattn.figures.origin import origin, scenario_of
from hopattn.figures.remarks import collected, remark
from hopattn.figures.source_date import require_date
from hopattn.figures.style import STYLES, Style, styled
from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.results.files import write_over
from hopattn.scenario.result import Result

FORMATS = ("svg", "pdf", "png", *MOVING)
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


class Described(NamedTuple):
    """The words that the file of a figure keeps: a title, unless the figure has a headline, what it shows, and the
    scenario. part: which frame it is."""

    title: str = ""
    shows: str = ""
    scenario: str = ""
    part: str = ""


def rendered_figure(
    plot: Plot, result: Result, format: str = "svg", style: Style = STYLES["slide"]
) -> tuple[bytes, tuple[str, ...]]:
    """A figure of a result as the bytes of a file, and notes on glyphs that the font lacks and shows as boxes.

    format: svg, pdf or png; also gif or mp4 for a figure that moves. Raises `InvalidInput` for another format, and for
    a result from which this figure cannot be drawn, and `CannotDo` for mp4 without ffmpeg.
    """
    return rendered_in_formats(plot, result, [format], style)[format]


def rendered_in_formats(
    plot: Plot, result: Result, formats: Sequence[str], style: Style
) -> dict[str, tuple[bytes, tuple[str, ...]]]:
    """The same in several formats, by format. The figure is drawn and fitted once for svg, pdf and png."""
    require_formats(",".join(formats))
    shown = chosen(result)
    files: dict[str, tuple[bytes, tuple[str, ...]]] = {}
    for format in filter(MOVING.__contains__, formats):
        files[format] = animated(plot, shown, format, style), ()
    if still := [format for format in formats if format not in MOVING]:
        require_drawable(plot, shown)
        draw = in_language(lambda figure: plot.draw(figure, shown), shown.figure.lang)
        about = Described(shown.title or result.title, plot.shows, result.name)
        data, notes = rendered_as(still, draw, style, about)
        files |= {format: (one, notes) for format, one in zip(still, data, strict=True)}
    return {format: files[format] for format in formats}


def rendered(
    draw: Callable[[Figure], None],
    format: str = "svg",
    style: Style = STYLES["slide"],
    described: Sequence[str] = (),
) -> tuple[bytes, tuple[str, ...]]:
    """The figure that `draw` draws, as the bytes of a file, and notes on glyphs that the font lacks.

    draw: draws into the empty figure that it gets. format: svg, pdf or png. described: the fields of `Described`.
    Raises `InvalidInput` for an environment that matplotlib cannot read.
    """
    (data,), notes = rendered_as([format], draw, style, described)
    return data, notes


def rendered_as(
    formats: Sequence[str], draw: Callable[[Figure], None], style: Style, described: Sequence[str]
) -> tuple[list[bytes], tuple[str, ...]]:
    """The same as the bytes of a file of each format; the figure is drawn and fitted once."""
    if {*formats} != {"png"}:
        require_date()
    files = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with collected() as remarks:
            figure, fitting = fitted(draw, style)
        remark(remarks)
        with styled(fitting):
            for format in formats:
                buffer = io.BytesIO()
                metadata = _NO_METADATA[format] | _about(figure, Described(*described), remarks.advice(), format)
                dpi: Any = style.png if format == "png" else "figure"
                with unmoved(figure.axes):
                    figure.savefig(buffer, format=format, dpi=dpi, metadata=metadata, transparent=style.transparent)
                files.append(_finished_svg(buffer.getvalue()) if format == "svg" else buffer.getvalue())
    messages = [str(warning.message) for warning in caught]
    glyphs = {message.partition(" missing")[0] for message in messages if "missing from font" in message}
    return files, tuple(f"{glyph} is not in the font, and shows as a box" for glyph in sorted(glyphs))


def _about(figure: Figure, described: Described, advice: str, format: str) -> dict[str, str]:
    """The metadata of a file of a figure. advice: how to choose what the figure leaves out."""
    title = " ".join([*(figure.get_suptitle() or described.title).split("\n"), described.part]).strip()
    texts = title, "; ".join(filter(None, (described.shows, advice))), origin(described.scenario)
    return {key: text for key, text in zip(_DESCRIBED[format], texts, strict=True) if text}


def _finished_svg(svg: bytes) -> bytes:
    """An SVG that screen readers take for one picture, whose parts have numbers, in their order, as ids.

    matplotlib's ids are hashes of coordinates, and the layout may change the last digits of a coordinate.
    """
    names = dict.fromkeys(match[1] for match in _HASHED_ID.finditer(svg))
    numbers = {name: b"part%d" % i for i, name in enumerate(names, start=1)}
    numbered = _ID_OR_REFERENCE.sub(lambda match: match[1] + numbers.get(match[2], match[2]), svg)
    with_fonts = numbered.replace(b"'DejaVu Sans'", _FONTS)
    return with_fonts.replace(b"<svg ", b'<svg role="img" ', 1)


def save(
    plot: Plot, result: Result, folder: Path, formats: Sequence[str], style: Style = STYLES["slide"], own: bool = False
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write a figure into a folder, one file for each format; gives the path of each file and the notes on it.

    A file of the same name is replaced completely, or stays as it was. own: the figure of another scenario stays too,
    and this one gets the name of its scenario before its own. Raises `InvalidInput` as `rendered_figure` does,
    before anything is written, and `CannotDo` if the folder or the file cannot be written.
    """
    files = {f"{plot.name}.{name}": file for name, file in rendered_in_formats(plot, result, formats, style).items()}
    yield from _written(files, folder, result.name if own else "")


def save_frames(
    plot: Plot, result: Result, folder: Path, formats: Sequence[str], style: Style = STYLES["slide"], own: bool = False
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write each frame of a figure into a folder, as NAME-01.png and so on, for slides that build up.

    formats: some of svg, pdf and png. All frames have the same size and font. The rest is as in `save`; raises
    `InvalidInput` also for a figure that does not move, and for a format that holds all frames.
    """
    for format in formats:
        require_formats(format)
        if format in MOVING:
            raise InvalidInput(f"format: {format} holds all frames; a single frame is svg, pdf or png")
    shown = chosen(result)
    require_frames(plot, shown)
    draws = [in_language(draw, shown.figure.lang) for draw in plot.frames(shown)]
    fitting = fitted_frames(draws, style)[1]
    digits = max(2, len(str(len(draws))))
    files = {}
    for i, draw in enumerate(draws, start=1):
        about = Described(shown.title, plot.shows, result.name, f"({i} of {len(draws)})")
        for format in formats:
            files[f"{plot.name}-{i:0{digits}}.{format}"] = rendered(draw, format, fitting, about)
    yield from _written(files, folder, result.name if own else "")


def _written(
    files: Mapping[str, tuple[bytes, tuple[str, ...]]], folder: Path, scenario: str
) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Write the files of a figure, each with notes on it. scenario: the only one whose files it replaces; else any."""
    owners = (scenario_of(folder / name) for name in files) if scenario else ()
    other = next((owner for owner in owners if owner not in ("", scenario)), "")
    for name, (data, notes) in files.items():
        path = folder / (f"{scenario}-{name}" if other else name)
        write_over(path, data)
        yield path, (*notes, f"'{name}' shows the scenario '{other}', and stays") if other else notes


def figures_named(names: Sequence[str]) -> list[Plot]:
    """The figures with these names, or every figure if there are no names; raises `InvalidInput` for an unknown one."""
    return [every_figure[name]() for name in names or every_figure]


def require_formats(formats: str) -> None:
    """Raise `InvalidInput` for an unknown format, and `CannotDo` for one that needs a program that is not there.

    formats: names with commas between them.
    """
    for name in formats.split(","):
        if name.strip() not in FORMATS:
            raise InvalidInput(f"format: {unknown(name.strip(), FORMATS)}")
        require_encoder(name.strip())


def formats_of(plot: Plot, formats: str, by_name: bool) -> list[str]:
    """The formats in which to write a figure.

    formats: names with commas between them. by_name: whether the user named this figure. A figure that does not move
    and was not named leaves gif and mp4 out.
    """
    names = [name.strip() for name in formats.split(",")]
    return [name for name in names if plot.moves or by_name or name not in MOVING]


def drawable(result: Result) -> Iterator[Plot]:
    """The figures that can be drawn from a result."""
    shown = chosen(result)
    for kind in plots.values():
        if not (plot := kind()).lacks(shown):
            yield plot


def why_no_figures(result: Result) -> str:
    """A sentence where no figure can be drawn from a result, and the command that draws it if there is one."""
    if any(drawable(result)):
        return ""
    sweep = f"; `hopattn sweep {result.name} --out {result.name}.svg` draws it over its grid"
    return f"no figure can be drawn from one run of '{result.name}'" + sweep * (result.kind == "ensemble")


def favourite(result: Result) -> Plot | None:
    """The figure that shows a result best; None if there is none.

    It is the one of the scenario's `[figure] gallery`, else the one that shows its arrays best, else the first that can
    be drawn. Raises `InvalidInput` for a `gallery` that the result does not have.
    """
    if (named := result.figure.gallery) is not None:
        require_drawable(plots[named](), chosen(result))
        return plots[named]()
    known = {plot.name: plot for plot in drawable(result)}
    return known.get(result.runs[0].best_figure, next(iter(known.values()), None))
