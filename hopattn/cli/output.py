"""What commands write: one option, `--out PATH`, whose ending names the form.

`WRITTEN` is the table of what each command writes. Options, help, messages and the page of the documentation are made
from it.
"""

import functools
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from hopattn.cli.code_pages import portable, portable_json
from hopattn.cli.options import option
from hopattn.foundation.errors import CannotDo, InvalidInput, quoted, reject_unknown, unknown

if TYPE_CHECKING:
    from hopattn.figures.files import Noted, Picture
    from hopattn.figures.sheet import Sheet
    from hopattn.figures.style import Style
    from hopattn.results.dataset import Dataset

FOLDER = "FOLDER/"
ONE, PICTURES, TABLES = ("svg", "png", "gif"), ("svg", "png", "gif", "pdf"), ("csv", "json", "npz")
"""The forms of one picture, of pictures, and of numbers."""
BYTES = ("npz", "zip", "png", "gif", "pdf")
"""The forms that are no texts, and so are not printed."""
ALL = "all"
"""The name that stands for all figures that fit a result."""
FIGURES = Path("figures")
"""The folder of figures for which no place is named."""
PIXELS = 8192
"""The most pixels along a side of a PNG."""
_PICTURE, _TABLE = {"svg png pdf": "the picture"}, {"csv json npz": "the table"}
_ALL = "table and picture in all forms of --as, csv, json and npz, and provenance.json"
WRITTEN: Mapping[str, Mapping[str, str]] = {
    "run": {
        "svg png": "the picture that shows the scenario best, or that of --figure",
        "gif": "the same, or the first one that moves",
        "pdf": "a page for each picture of each scenario",
        "csv npz": "the arrays of the terminal, of all variants, or those of --array",
        "json": "all that --json prints, or the arrays of --array",
        "md html tex": "the arithmetic of --explain, to hand out",
        FOLDER: "arrays.npz, result.json, expectations.csv, provenance.json; with --figure, SCENARIO-FIGURE.svg alone",
    },
    "figures": {
        "svg png": "the figure",
        "gif": "the same, moving",
        "pdf": "a page for each figure",
        FOLDER: "a file for each figure",
    },
    "sweep": {**_PICTURE, "csv json": "the means with their intervals", "npz": "every trial", FOLDER: _ALL},
    "compare": {**_PICTURE, **_TABLE, FOLDER: _ALL},
    "heads": {**_PICTURE, **_TABLE, FOLDER: f"{_ALL}; of a file of `hopattn train` also the model as a checkpoint"},
    "separation": _TABLE,
    "bags": _TABLE,
    "train": {FOLDER: "each training as MODEL.npz, to resume from"},
    "papers": {"svg png pdf": "the picture of the scenario that shows a number", **_TABLE},
    "practice": {
        "md html tex": "the sheet, for print",
        "ipynb": "a notebook that checks the answers",
        "xml": "an upload for Moodle",
        "zip": "an upload for Canvas and others (QTI 1.2, needs text2qti)",
        "json": "the sheet as data",
    },
    "explore": {"html": "the page"},
}
"""For each command, what it writes for each ending."""


def endings(command: str, file: bool = False) -> list[str]:
    """The endings that a command writes. file: without `FOLDER`."""
    return [one for group in WRITTEN[command] for one in group.split() if not (file and one == FOLDER)]


def dotted(group: str) -> str:
    """Endings with their dots, as in ".svg, .png"."""
    return ", ".join(one if one == FOLDER else f".{one}" for one in group.split())


class Out(NamedTuple):
    """A path to write. form: its ending, or `FOLDER`. printed: whether it is standard output, such as `-.csv`."""

    path: Path
    form: str
    printed: bool = False

    @classmethod
    def of(cls, path: Path, command: str) -> "Out":
        """The form of a path; raises `InvalidInput` for an ending that the command does not write, and for a device."""
        from hopattn.results.files import require_regular, require_replaceable

        form, where, forms = path.suffix[1:].lower(), f"--out {quoted(str(path))}", endings(command, file=True)
        if path.is_dir() or (not form and not path.exists()):
            if FOLDER not in WRITTEN[command]:
                raise InvalidInput(f"{where}: has no ending; expected {dotted(' '.join(forms))}")
            _require_access(path)
            return cls(path, FOLDER)
        if printed := path.parent == Path() and path.stem == "-":
            if form in {*BYTES} & {*forms}:
                raise InvalidInput(f"{where}: {form} is not a text and cannot be printed; give the name of a file")
        else:
            require_regular(path)
        if form not in forms:
            kept = "is there already, and is left as it is; " if path.exists() else ""
            wrong = f"ending {unknown(form, forms)}" if forms else f"is no folder; expected a {FOLDER}"
            raise InvalidInput(f"{where}: {kept}{wrong}")
        if not printed:
            require_replaceable(path)
            _require_access(path)
        return cls(path, form, printed)


def _require_access(path: Path) -> None:
    """Raise `CannotDo` where the system does not let files into the folder of a path."""
    folder = next(one for one in [*([path] if path.is_dir() else ()), *path.absolute().parents] if one.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise CannotDo(f"--out {quoted(str(path))}: nothing can be written into {quoted(str(folder))}")


@dataclass(frozen=True)
class Thing:
    """What a command has to write.

    name: of its files in a folder. written: the text or the bytes of a form that is not drawn. save: writes a folder
    of more than pictures, with the pictures in it.
    """

    name: str
    written: Callable[[str], str | bytes] = str
    pictures: "Sequence[Picture]" = ()
    save: Callable[[Path, Mapping[str, bytes]], None] | None = None

    def data(self, form: str) -> bytes:
        """The bytes of a form that is not drawn; a text ends with a line feed."""
        data = self.written(form)
        return data if isinstance(data, bytes) else (data if data.endswith("\n") else f"{data}\n").encode()


@dataclass(frozen=True)
class Outputs:
    """The paths that a command writes, checked before its work, and how pictures are drawn.

    named: the figures that are asked for; a folder then holds pictures alone, and each may replace an older one.
    formats: of the pictures in a folder. title, lang: of all pictures, None for their own. frames: each frame as a
    file, or as a page of a PDF. as_json: whether JSON is printed. line: of the command.
    """

    command: str
    outs: tuple[Out, ...] = ()
    named: tuple[str, ...] = ()
    style: "Style | None" = None
    formats: tuple[str, ...] = ("svg",)
    title: str | None = None
    lang: str | None = None
    frames: bool = False
    as_json: bool = False
    line: str = ""

    @property
    def forms(self) -> set[str]:
        return {out.form for out in self.outs}

    @property
    def printed(self) -> bool:
        """Whether one of them is standard output, where nothing else is printed then."""
        return any(out.printed for out in self.outs)

    def or_else(self, path: Path) -> "Outputs":
        """The same outputs; if there are none, this path."""
        return self if self.outs else replace(self, outs=(Out.of(path, self.command),))

    def is_drawn(self, *forms: str) -> bool:
        """Whether pictures are written, or those of these forms."""
        in_folder = self.formats if self.command != "run" or self.named else ()
        written = [form for out in self.outs for form in (in_folder if out.form == FOLDER else (out.form,))]
        return any(form in (forms or PICTURES) for form in written) and "svg" in endings(self.command)

    def require_drawn(self, option: str, value: object) -> None:
        """Raise `InvalidInput` for the value of an option of pictures where none is written."""
        if value not in (None, False) and not self.is_drawn():
            raise InvalidInput(f"{option}: is for pictures; write one, as in --out {self.command}.svg")

    def require_room(self, things: int, pictures: int) -> None:
        """Raise `InvalidInput` where a file that holds one picture, or numbers of one thing, would need several."""
        for out in self.outs:
            count, what = (pictures, "picture") if out.form in ONE else (things, self.command)
            if out.form not in (FOLDER, "pdf") and count > 1:
                deck = "a .pdf, which has a page for each, or " * (out.form in ONE)
                message = f"holds one {what}, not {count}; write {deck}a {FOLDER}"
                raise InvalidInput(f"--out {quoted(str(out.path))}: {message}")

    def finish(
        self,
        name: str,
        numbers: "Dataset",
        show: Callable[[], None],
        measure: str | None = None,
        further: Callable[[], Mapping[str, bytes]] = dict,
    ) -> None:
        """Print numbers as JSON, or show them, and write what --out names.

        name: of the files in a folder. measure: the only one of the picture. further: more files of a folder.
        """
        pictures = []
        if self.is_drawn():
            from hopattn.figures.files import Picture
            from hopattn.figures.plotting import sheet_of

            wishes = {} if measure is None else {"measure": measure}
            pictures = [Picture(name, lambda: sheet_of(numbers, None, wishes))]

        def save(folder: Path, drawn: Mapping[str, bytes]) -> None:
            from hopattn.results.dataset import VERSIONS
            from hopattn.results.files import json_text, write_folder

            about = {"versions": {**VERSIONS, "python": platform.python_version()}, "machine": platform.machine()}
            provenance = f"{json_text(about | {'command': self.line})}\n".encode()
            tables = {f"{name}.{form}": thing.data(form) for form in TABLES}
            write_folder(folder, {**drawn, **further(), **tables, "provenance.json": provenance})

        thing = Thing(name, lambda form: getattr(numbers, f"to_{form}")(), pictures, save)
        self.write(thing, show=show)

    def write(self, *things: Thing, show: Callable[[], None] | None = None) -> None:
        """Write everything; the paths of the files and the notes on them go to standard error.

        show: prints the result, once all is drawn, unless JSON or another text is printed.
        """
        from hopattn.results.files import require_replaceable, write_over

        made = [(out, [*self._files(out, things)]) for out in self.outs]  # all before the first file
        for path, (data, _) in (file for out, files in made if not out.printed for file in files):
            require_replaceable(path, data)
        if self.as_json:
            click.echo(portable_json(things[0].data("json").decode().removesuffix("\n")))
        elif show is not None and not self.printed:
            show()
        for out, files in made:
            if out.form == FOLDER and not self.named:
                drawn = {path.name: data for path, (data, _) in files}
                for thing in things:
                    if thing.save is not None:
                        thing.save(out.path / thing.name if len(things) > 1 else out.path, drawn)
                click.echo(str(out.path), err=True)
            for path, (data, notes) in files:
                if out.printed:
                    click.echo(portable(data.decode()), nl=False)
                elif out.form != FOLDER or self.named:
                    write_over(path, data)
                    click.echo(str(path), err=True)
                for note in notes:
                    click.echo(f"{path}: {note}", err=True)

    def _files(self, out: Out, things: Sequence[Thing]) -> "Iterator[tuple[Path, Noted]]":
        """The files of an output with their bytes and notes; of a folder of numbers, the pictures alone."""
        if out.form == FOLDER:
            for thing in things:
                for picture in thing.pictures if self.named or self.command != "run" else ():
                    stem = picture.name if self.command == "figures" else f"{thing.name}-{picture.name}"
                    stem = stem if self.named else thing.name
                    for form in self.formats:
                        if form != "gif" or ALL not in self.named or picture.moves:
                            yield from self._drawn([picture], form, out.path / f"{stem}.{form}")
        elif out.form in PICTURES:
            yield from self._drawn([one for thing in things for one in thing.pictures], out.form, out.path)
        else:
            yield out.path, (things[0].data(out.form), ())

    def _drawn(self, pictures: "Sequence[Picture]", form: str, path: Path) -> "Iterator[tuple[Path, Noted]]":
        """The files of pictures in a form: one, or one for each frame."""
        from hopattn.figures.files import rendered

        if not pictures or self.style is None:
            return
        moves = self.frames and any(one.moves for one in pictures)
        if self.frames and not (moves or ALL in self.named):
            pictures[0].frames()  # which says that it does not move
        files = rendered([self._wished(one) for one in pictures], form, self.style, self.frames)
        for i, file in enumerate(files, start=1):
            yield path.with_stem(f"{path.stem}-{i:02}") if moves and form != "pdf" else path, file

    def _wished(self, picture: "Picture") -> "Picture":
        """A picture with the title and the language that are asked for."""

        def wished(sheet: "Sheet") -> "Sheet":
            title = sheet.title if self.title is None else self.title
            return replace(sheet, title=title, lang=self.lang or sheet.lang)

        film = picture.film
        frames = None if film is None else lambda: [wished(sheet) for sheet in film()]
        return replace(picture, sheet=lambda: wished(picture.sheet()), film=frames)


def writes(command: str, default: Sequence[Path] = ()) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of a command: gives it the options of what it writes, and their values as `outputs`, checked.

    default: the paths without --out.
    """
    forms = ". ".join(f"{dotted(group)}: {what}" for group, what in WRITTEN[command].items())
    options = [option("--out", f". {forms}.", default=[*default])]
    draws, moves, several = (one in endings(command) for one in ("svg", "gif", FOLDER))
    if command == "run":
        options += [option("--figure", " of the gallery; `all` for all that fit. It may be given again.")]
    if draws:
        options += [option(f"--{name}") for name in ("size", "style", "title", "no-title", "dpi")]
        options += [option("--transparent"), *[option("--frames")] * moves, *[option("--as")] * several]

    if draws or "html" in endings(command):
        options += [option("--lang")]

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        names: list[str] = []

        @functools.wraps(function)
        def checked(**values: Any) -> Any:
            asked = {name: values.pop(name) for name in names}
            return function(outputs=_outputs(command, values.pop("as_json", False), **asked), **values)

        for one in reversed(options):
            checked = one(checked)
        names.extend(param.name for param in checked.__click_params__)  # type: ignore[attr-defined]
        return checked

    return decorated


def _outputs(
    command: str, as_json: bool, out: Sequence[Path], figure: Sequence[str] = (), lang: str | None = None, **wishes: Any
) -> Outputs:
    """The outputs of a command, from the values of its options; figures without another place go into `FIGURES`.

    Raises `InvalidInput` for a path that cannot be written, and for an option of pictures where none is written.
    """
    outs = tuple(Out.of(path, command) for path in out)
    for i, one in enumerate(outs):
        if any(one.path.absolute().resolve() == other.path.absolute().resolve() for other in outs[:i]):
            raise InvalidInput(f"--out {quoted(str(one.path))}: is given twice; give two names")
        if one.printed and (as_json or any(other.printed for other in outs[:i])):
            raise InvalidInput(f"--out {quoted(str(one.path))}: something else is printed already; name a file")
    context = click.get_current_context(silent=True)
    named = tuple(dict.fromkeys(name.strip() for value in figure for name in value.split(",")))
    named = (ALL,) if command == "figures" else named
    line = str(context.obj) if context is not None else ""
    result = Outputs(command, outs, named, lang=lang, as_json=as_json, line=line)
    if named and not result.is_drawn():
        result = replace(result, outs=(*outs, Out(FIGURES, FOLDER)))
    for one in result.outs:
        is_new = result.named or command == "train" or not one.path.is_dir() or not any(one.path.iterdir())
        if one.form == FOLDER and not is_new:
            raise InvalidInput(f"{one.path}: is there already, and is left as it is; give the name of a new folder")
    for name, value in {**wishes, "lang": None if "html" in endings(command) else lang}.items():
        result.require_drawn(f"--{name.rstrip('_').replace('_', '-')}", value)
    if lang is not None:
        from hopattn.foundation.sentences import LANGUAGES

        reject_unknown("--lang", [lang], ("en", *LANGUAGES), "language")
    return _drawn_as(result, **wishes) if result.is_drawn() else result


def _drawn_as(
    outputs: Outputs,
    *,
    size: str | None,
    style: str | None,
    title: str | None,
    no_title: bool,
    dpi: int | None,
    transparent: bool,
    frames: bool = False,
    as_: str | None = None,
) -> Outputs:
    """Outputs with the options of drawing; raises `InvalidInput` for an invalid value."""
    from hopattn.figures.style import STYLES, sides

    formats = tuple(name.strip() for name in (as_ or "svg").split(","))
    forms = [one for one in PICTURES if one in endings(outputs.command)]
    reject_unknown("--as", formats, forms, "form")
    if as_ and FOLDER not in {out.form for out in outputs.outs}:
        raise InvalidInput(f"--as: is for a {FOLDER}; the ending of a file names its form")
    outputs = replace(outputs, formats=formats, frames=frames)
    look = STYLES[(style or "slide").strip()]
    look = look if size is None else look.with_size(*sides(size, look.size[0], "--size"))
    if dpi is not None:
        if not outputs.is_drawn("png"):
            raise InvalidInput("--dpi: only a PNG has pixels; write a .png too")
        look = replace(look, png=dpi)
    if (side := max(look.size) * look.png) > PIXELS and outputs.is_drawn("png"):
        raise InvalidInput(f"a PNG has at most {PIXELS:,} pixels along a side, not {side:,.0f}; lower --dpi or --size")
    if frames and outputs.is_drawn("gif"):
        raise InvalidInput("--frames: a GIF holds all frames; a single frame is svg, png or pdf")
    if no_title and title is not None:
        raise InvalidInput("--no-title: leaves the title out; leave --title out too")
    look = replace(look, transparent=True) if transparent else look
    return replace(outputs, style=look, title="" if no_title else title)
