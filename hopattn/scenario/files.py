"""Finding and reading scenario files: the user's own, and those that come with hopattn."""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hopattn.foundation.endings import foreign, is_of_numbers
from hopattn.foundation.errors import InvalidInput, nearest, quoted, shortened
from hopattn.foundation.used_files import note_used
from hopattn.results.files import require_regular

MAX_BYTES = 2**20
"""The largest size of a scenario file; a larger file is not a scenario."""
MOST_TITLES = 10
"""The most titles that may hold a word by which a scenario is looked for."""
GROUPS = {
    "ling3804": "LING3804: similarity, attention, induction",
    "cs371n": "CS371N: attention and its baselines",
    "kim": "KIM: similarity tables, spaces, caches",
    "at6": "AT6: alignment, masks, layers, positions",
    "note": "NOTE: sets, spins, graphs, maps",
    "sheets": "Exercise sheets, most of public courses",
    "memories": "Memories of the literature",
    "landscapes": "Landscapes of memories",
    "networks": "Networks of layers",
    "optimisation": "Optimisation by a network",
    "papers": "Published numbers",
    "positions": "Positions",
    "circuits": "Circuits",
    "rasp": "Programs in heads (RASP)",
}
"""The folders of the scenarios that come with hopattn, in the order of lists, with their headings."""


def shipped_folder() -> Path:
    """The folder of the scenarios that come with hopattn: inside the package in a wheel, beside it in a clone."""
    package = Path(__file__).resolve().parent.parent
    in_wheel = package / "scenarios"
    return in_wheel if in_wheel.is_dir() else package.parent / "scenarios"


def shipped() -> dict[str, Path]:
    """The files of the scenarios that come with hopattn, by name, in the order of their folders."""
    return {path.stem: path for path in sorted(shipped_folder().glob("*/*.toml"))}


def by_group() -> dict[str, dict[str, Path]]:
    """The files of the scenarios that come with hopattn, by name, in each group in the order of lists."""
    files = shipped().items()
    return {group: {name: path for name, path in files if path.parent.name == group} for group in GROUPS}


def in_group(name: str) -> list[str]:
    """The names of the shipped scenarios of a group; the name itself where it is that of a scenario, or no group."""
    is_group = name in GROUPS and name not in shipped() and not Path(name).is_file()
    return [*by_group()[name]] if is_group else [name]


def is_shipped(where: str) -> bool:
    """Whether the file at this path comes with hopattn."""
    return Path(where).resolve().is_relative_to(shipped_folder())


def resolve(path: Any) -> Path:
    """The file of a scenario, given by its path or by the name of a shipped scenario.

    A file in the current folder comes before a shipped scenario of the same name. Raises `InvalidInput` for something
    that is neither a path nor a name.
    """
    try:
        given = os.fsdecode(path)
    except TypeError:
        raise InvalidInput(f"expected the path of a scenario file or a scenario's name, not {quoted(path)}") from None
    own = shipped()
    if given in own and not Path(given).is_file():
        return own[given]
    if "\0" in given or not given:
        raise InvalidInput(f"{quoted(given)} is not a path")
    if not os.path.lexists(given) and Path(given).name == given and not given.endswith(".toml"):
        if given in GROUPS:
            raise InvalidInput(f"'{given}' is a group of scenarios; `hopattn list {given}` shows them")
        message = f"there is no scenario or file '{shortened(given)}'{_did_you_mean(given)}"
        raise InvalidInput(f"{message} (`hopattn list` shows the scenarios)")
    return Path(given)


def beside(file: Path, name: str) -> str:
    """The path of a file of this name in the folder of another file; the name itself where there is none."""
    path = str(file.parent / name)
    return path if os.path.isfile(path) else name  # noqa: PTH113 (without an error for a name that is too long)


def own_files(folder: Path) -> dict[str, Path]:
    """The scenario files in a folder, by their names without the ending; none of a folder that cannot be read."""
    try:
        return {path.stem: path for path in sorted(folder.glob("*.toml"))}
    except OSError:
        return {}


def _did_you_mean(given: str) -> str:
    """The question whether a file of the same folder or a shipped scenario was meant, empty if none is near.

    given: a name or a path. A file comes before a scenario of the same name.
    """
    path = Path(given)
    name = path.name.removesuffix(".toml")
    own = shipped() if path.name == given else {}
    in_place = [one for one in own if not given.endswith(".toml") or one[0] == name[0]]
    choices = {one: one for one in in_place} | {stem: str(file) for stem, file in own_files(path.parent).items()}
    guess = name if name in choices else _of_title(name, in_place) or nearest(name, choices)
    return f"; did you mean '{shortened(choices[guess])}'?" if guess else ""


def _of_title(name: str, names: Iterable[str]) -> str | None:
    """The scenario whose title holds all words of a name, such as "their-dog": of several, that of the shortest name.

    None if there is none, or if there are so many that the words say nothing.
    """
    words, files, holding = {*re.findall(r"\w{3,}", name.lower())}, shipped(), []
    for one in names if words else ():
        title = " ".join(re.findall(r"(?m)^title *=(.*)", files[one].read_text(encoding="utf-8")))
        if words <= {*re.findall(r"\w+", title.lower())}:
            holding.append(one)
    return min(holding, key=len) if 0 < len(holding) <= MOST_TITLES else None


def read_text(file: Path, what: str = "scenario") -> str:
    """The text of a scenario file, or of another file of text, which is called `what` in messages.

    Raises `InvalidInput` for a file that is missing, a folder, unreadable, too large or not UTF-8.
    """
    if cure := foreign(file):
        raise InvalidInput(f"{file}: {cure}")
    if what == "scenario" and is_of_numbers(file):
        wanted = "`hopattn separation`, `compare` and `explore` read it, and [pictures] and [ensemble] of a scenario"
        raise InvalidInput(f"{file}: ends as a file of numbers, and is no scenario; {wanted}")
    try:
        if file.is_dir():
            raise InvalidInput(f"{file}: is a folder; expected a {what} file")
        require_regular(file)
        note_used(file)
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        near = _did_you_mean(str(file)) if what == "scenario" else ""
        raise InvalidInput(f"{file}: there is no such file{near}") from None
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from None
    return decode(data, str(file), what)


def decode(data: bytes, where: str, what: str = "scenario") -> str:
    """The text of a scenario from its bytes; where: the name of the file in messages; what: what it is called there.

    A byte order mark is left out, and Windows line ends become plain ones. Raises `InvalidInput` for a text that is too
    large or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise InvalidInput(f"{where}: is larger than {MAX_BYTES // 2**20} MiB; a {what} is a page of text")
    return utf8(data, where)


def utf8(data: bytes, where: str) -> str:
    """The text of these bytes, as `decode` gives it, of any size."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"is not UTF-8 text (byte {data[error.start]:#04x})"
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            line, found = 1, "is UTF-16 text"
        raise InvalidInput(f"{where}:{line}: {found}; save the file as UTF-8 in your editor") from None
