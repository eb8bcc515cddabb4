"""Files that are written whole or not at all: under a temporary name first, then renamed."""

import csv
import io
import json
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.errors import CannotDo, InvalidInput, shortened
from hopattn.foundation.tables import NUMBER
from hopattn.foundation.used_files import is_used, note_used

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time stamp of files in archives: a fixed one, so that equal arrays give equal bytes."""
PATH = 1000
"""The most characters of a path in a message, which ends with the name."""
SIGN = re.compile(rb"hopattn (figure|scenario|page|practice)\b")
"""What figures, pages and sheets of practice hold somewhere."""
_KINDS = (
    (stat.S_ISDIR, "folder"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISSOCK, "socket"),
)


def require_regular(file: Path) -> None:
    """Raise `InvalidInput` for a path that is there and is not a plain file: a folder, a device, a pipe or a socket.

    A pipe without a writer would be read for ever, and so would some devices; a device would be replaced by a file. A
    link whose target is not there is refused too: to write would make a file of a name that nobody gave.
    """
    try:
        mode = file.stat().st_mode
    except (OSError, ValueError):
        if os.path.islink(file):  # noqa: PTH114 (without an error for a name that is too long)
            raise InvalidInput(
                f"{shortened(file, PATH)}: is a link to a file that is not there; give its name"
            ) from None
        return  # nothing is there yet, or the next access says why it cannot be used
    for is_kind, name in _KINDS:
        if is_kind(mode):
            raise InvalidInput(f"{shortened(file, PATH)}: is a {name}; expected a plain file")


def require_output(file: Path | None, option: str, *endings: str) -> None:
    """Raise `InvalidInput` for a file of another ending, or one that is there and no plain file that hopattn wrote."""
    if file is None:
        return
    if file.suffix.lower() not in endings:
        *others, last = endings
        expected = f"{', '.join(others)} or {last}" if others else last
        raise InvalidInput(f"{option}: {shortened(file.name)}: expected a file that ends in {expected}")
    require_regular(file)
    require_replaceable(file)


def write_new(file: Path, data: bytes) -> None:
    """Write a new file; raises `InvalidInput` if it exists already, and `CannotDo` if it cannot be written."""
    with _beside(file) as written:
        written.write_bytes(data)
        try:
            os.link(written, file)  # unlike a rename, a link fails if the file exists by now
        except FileExistsError:
            raise InvalidInput(f"{file}: is there already, and is left as it is") from None


def write_over(file: Path, data: bytes, continues: bool = False) -> None:
    """Write a file, whole or not at all, and replace an older one of its kind; of a symbolic link, the target.

    continues: whether the data continue what the command read from the file, or wrote into it. Raises `InvalidInput`
    for a path that is not a plain file, to which this process prints, that the command has used, or that holds
    something else than hopattn writes there; `CannotDo` if the file cannot be written.
    """
    require_regular(file)
    _require_unprinted(file)
    if is_used(file) and not continues:
        raise InvalidInput(f"{shortened(file, PATH)}: is read or written by this command already; give another name")
    require_replaceable(file, data)
    file = file.resolve() if file.is_symlink() else file
    with _beside(file, with_folders=True) as written:
        written.write_bytes(data)
        written.replace(file)
    note_used(file)


def write_after(file: Path, text: str) -> None:
    """Write a text at the end of a file, with the line ends of the file, which keeps all that it holds.

    Raises `CannotDo` if the text cannot be written; the file is then as it was.
    """
    try:
        before = file.read_bytes()
        try:
            with file.open("ab") as stream:
                stream.write((text.replace("\n", "\r\n") if b"\r\n" in before else text).encode())
        except OSError:
            os.truncate(file, len(before))
            raise
    except OSError as error:
        raise CannotDo(f"{file}: cannot be written: {error.strerror or error}") from None
    note_used(file)


def require_replaceable(file: Path, data: bytes | None = None) -> None:
    """Raise `InvalidInput` for a file that is there, unless it is empty or hopattn wrote one of this kind.

    data: what is to be written; without it, before the work, any kind will do.
    """
    try:
        older = kind_of(file, content) if file.is_file() and (content := file.read_bytes()) else None
    except OSError as error:
        raise CannotDo(f"{file}: cannot be written: {error.strerror or error}") from None
    if older is not None and (not older or (data is not None and older != kind_of(file, data))):
        there = "is there already, and holds something else than hopattn writes here"
        raise InvalidInput(f"{shortened(file, PATH)}: {there}; give another name, or move the file away")


def kind_of(file: Path, data: bytes) -> bytes:
    """What only files of one kind have in common: empty for bytes that hopattn did not write.

    It is the first member of an archive, the headings of a table, the first key of JSON, and otherwise `SIGN`.
    """
    if data.startswith(b"PK\x03\x04"):
        return data[30 : 30 + int.from_bytes(data[26:28], "little")]
    if (lines := {".csv": 1, ".json": 2}.get(file.suffix.lower())) is not None:
        return b"\n".join(data.split(b"\n", lines)[:lines])
    sign = SIGN.search(data)
    return b"figure" if sign and sign[1] in (b"figure", b"scenario") else sign[1] if sign else b""


@contextmanager
def _beside(path: Path, with_folders: bool = False) -> Iterator[Path]:
    """A free path on the disk of `path`, removed at the end; raises `CannotDo` for an error of the system.

    with_folders: whether the folders of `path` are made.
    """
    try:
        if with_folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.", ignore_cleanup_errors=True) as place:
            yield Path(place, "new")
    except OSError as error:
        blocked = with_folders and isinstance(error, FileExistsError | NotADirectoryError)
        why = "a file is where a folder is needed" if blocked else error.strerror or error
        raise CannotDo(f"{path}: cannot be written: {why}") from None


def _require_unprinted(file: Path) -> None:
    """Raise `InvalidInput` for this process's own standard output or error, such as `/dev/stdout`."""
    for stream, name in ((1, "standard output"), (2, "standard error")):
        try:
            is_printed = os.path.samestat(file.stat(), os.fstat(stream))
        except (OSError, ValueError):  # no file is there yet, or no stream
            continue
        if is_printed:
            raise InvalidInput(f"{shortened(file, PATH)}: {name} goes there; give the name of another file")


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write a new folder of files, whole or not at all; files: their bytes by their paths in the folder.

    Raises `InvalidInput` if the path exists already and is not an empty folder, and `CannotDo` if the folder cannot be
    written.
    """
    with _beside(folder, with_folders=True) as written:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise InvalidInput(f"{folder}: is there already, and is left as it is; give the name of a new folder")
        written.mkdir()
        for name, data in files.items():
            (written / name).parent.mkdir(parents=True, exist_ok=True)
            (written / name).write_bytes(data)
        written.replace(folder)


def npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of an `.npz` archive of named arrays, for `numpy.load`; equal arrays give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False)
    return buffer.getvalue()


def safetensors(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The bytes of a `.safetensors` file of named arrays of floating-point numbers, for `ha.Checkpoint` and others.

    `transformers` asks for the entry of metadata.
    """
    from safetensors.numpy import save

    rows = {name: np.array(array, order="C") for name, array in arrays.items()}  # the library writes memory as it lies
    return bytes(save(rows, {"format": "pt"}))


def csv_text(headings: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """A table as CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it.

    Such a text begins with =, +, -, @, a tab or a line break, and is not a number.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([_harmless(cell) for cell in row] for row in (headings, *rows))
    return buffer.getvalue()


def _harmless(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay as they are, lines end with a line feed."""
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r\n", "\n").replace("\r", "\n")  # a carriage return would end the row
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\n")) and not NUMBER.fullmatch(text) else text


def json_text(value: Any) -> str:
    """A value as JSON; letters of every script stay readable, characters that can control a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    return re.sub(
        r"[^\x20-\x7e\n]", lambda match: match[0] if match[0].isprintable() else f"\\u{ord(match[0]):04x}", text
    )
