"""A page for each name at the top of the package and one for each room, from signatures and docstrings."""

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import hopattn
from docs.builder.markdown import first_paragraph, from_docstring, plain, table
from hopattn.foundation import lazy
from hopattn.foundation.registry import Choices
from tools.signatures import is_result

ROOMS = lazy.rooms(str(hopattn.__file__))
"""The rooms whose names are found by the name of the room, such as `ha.memories.modern`."""
NAMES = sorted(set(dir(hopattn)) - set(ROOMS))
"""The names at the top."""


def pages() -> dict[str, str]:
    """The pages by their places: one for each name at the top, and one for each room."""
    names = {stem(name): _page(name, getattr(hopattn, name)) for name in NAMES}
    rooms = {room: _room_page(room, getattr(hopattn, room)) for room in ROOMS}
    return {f"reference/api/{stem}.md": text for stem, text in {**names, **rooms}.items()}


def stem(name: str) -> str:
    """The file of a name. A class and a function may differ in their capitals alone, which some file systems ignore."""
    return f"class-{name}" if inspect.isclass(getattr(hopattn, name)) else name


def names_in(room: str) -> list[tuple[str, Any]]:
    """The public names of a room, with what they are; the rooms inside it have pages of their own."""
    module = getattr(hopattn, room)
    entries = [(name, getattr(module, name)) for name in module.__all__]
    return [(name, one) for name, one in entries if not isinstance(one, ModuleType)]


def index() -> str:
    """All names with the first sentence of each: those at the top by their folders, then room by room."""
    homes = lazy.stated(str(hopattn.__file__))
    folders: dict[str, list[str]] = {}
    for name in NAMES:
        folders.setdefault(homes[name].split(".")[0], []).append(name)
    order = ["memories", *(folder for folder in sorted(folders) if folder != "memories")]
    top = [_list_of(_heading(import_module(f"hopattn.{folder}")), "ha", _entries(folders[folder])) for folder in order]
    rooms = [_list_of(f"`ha.{room}`: {_about(room)}", f"ha.{room}", names_in(room)) for room in ROOMS]
    return "\n\n".join([*top, *rooms])


def _entries(names: list[str]) -> list[tuple[str, Any]]:
    return [(name, getattr(hopattn, name)) for name in names]


def _heading(module: ModuleType) -> str:
    """The heading of a room: the first sentence of its docstring."""
    return plain(first_paragraph(inspect.getdoc(module) or module.__name__).rstrip("."))


def _about(room: str) -> str:
    """The heading of a room, after its name."""
    heading = _heading(getattr(hopattn, room))
    return heading.partition(": ")[2] if heading.lower().startswith(f"{room}: ") else heading[0].lower() + heading[1:]


def _list_of(heading: str, before: str, entries: list[tuple[str, Any]]) -> str:
    rows = [[f"`{before}.{name}`", plain(_summary(entry))] for name, entry in entries]
    return f"## {heading}\n\n{table(['name', 'what it is'], rows)}"


def _summary(entry: Any) -> str:
    if isinstance(entry, Choices):
        return f"The choices for `{entry.what}`, by name."
    return first_paragraph(inspect.getdoc(entry) or "")


def _page(name: str, entry: Any) -> str:
    return f"# `ha.{name}`\n\n{_described(f'hopattn.{name}', f'ha.{name}', entry)}\n"


def _room_page(room: str, module: ModuleType) -> str:
    """The page of a room: its own words, then each of its public names."""
    about = from_docstring(_without_files(inspect.getdoc(module) or ""))
    parts = [f"## `ha.{room}.{name}`\n\n{_described(name, f'ha.{room}.{name}', one)}" for name, one in names_in(room)]
    return "\n\n".join([f"# `ha.{room}`", f"`````{{py:module}} hopattn.{room}\n`````", about, *parts, ""])


def _without_files(doc: str) -> str:
    """The docstring of a room without the list of its files, and without the sentence that announces the list."""
    parts = doc.split("\n\n")
    kept = next((i for i, part in enumerate(parts) if part.startswith("- `")), len(parts))
    return "\n\n".join(part for i, part in enumerate(parts[:kept]) if i + 1 < kept or not part.endswith(":"))


def _described(name: str, called: str, entry: Any) -> str:
    """The entry as an object of Sphinx's Python domain. called: the name by which it is called."""
    if inspect.isclass(entry):
        members = "\n\n".join(_member(name, key, one) for key, one in _members(entry))
        signature, names = _signature(entry, first=False)
        return _object("class", f"{name}{signature}", f"{from_docstring(_own_doc(entry), names)}\n\n{members}", 5)
    if inspect.isfunction(entry):
        signature, names = _signature(entry, first=True)
        return _object("function", f"{name}{signature}", from_docstring(inspect.getdoc(entry) or "", names), 5)
    about = _choices(called, entry) if hasattr(entry, "items") else from_docstring(inspect.getdoc(entry) or "", ())
    return _object("data", name, about, 5)


def _choices(name: str, entry: Any) -> str:
    """The purpose of a registry, and its choices."""
    first = next(iter(entry))
    about = f'The choices for `{entry.what}`, by name: `{name}["{first}"]` is `{name}.{first}`.'
    refused = "A mistyped name raises `InvalidInput` with the nearest."
    entries = [[f"`{key}`", plain(_summary(getattr(one, "build", one)))] for key, one in entry.items()]
    return f"{about} {refused}\n\n{table(['name', 'what it is'], entries)}"


def _own_doc(entry: type) -> str:
    """The docstring of a class, without the signature that `dataclass` writes where there is none."""
    doc = inspect.getdoc(entry) or ""
    return "" if doc.startswith(f"{entry.__name__}(") else doc


def _object(kind: str, signature: str, text: str, fence: int) -> str:
    marks = "`" * fence
    return f"{marks}{{py:{kind}}} {signature}\n\n{text}\n{marks}"


def _members(entry: type) -> Iterator[tuple[str, Any]]:
    """The public methods, properties and class methods of a class, its own and those that it inherits in hopattn."""
    seen = set()
    for base in inspect.getmro(entry):
        if not base.__module__.startswith("hopattn."):
            continue
        for key, one in vars(base).items():
            if (key.startswith("_") and key != "__call__") or key in seen or not _is_member(one):
                continue
            seen.add(key)
            if inspect.getdoc(getattr(entry, key, one)) or inspect.getdoc(one):
                yield key, one


def _is_member(one: Any) -> bool:
    return inspect.isfunction(one) or isinstance(one, property | classmethod | staticmethod) or hasattr(one, "attrname")


def _member(name: str, key: str, one: Any) -> str:
    doc = inspect.getdoc(one) or ""
    if inspect.isfunction(one) or isinstance(one, classmethod | staticmethod):
        function = one if inspect.isfunction(one) else one.__func__
        signature, names = _signature(function, first=isinstance(one, staticmethod))
        kind = (
            "method" if inspect.isfunction(one) else "classmethod" if isinstance(one, classmethod) else "staticmethod"
        )
        return _object(kind, f"{key}{signature}", from_docstring(doc, names), 4)
    return _object("property", key, from_docstring(doc), 4)


def _signature(function: Any, first: bool) -> tuple[str, list[str]]:
    """The signature with defaults and types, and the parameters' names; the docstring says the axes of arrays.

    first: whether the first parameter is shown; that of a method is not.
    """
    if inspect.isclass(function) and issubclass(function, Exception | Enum):
        return "", []
    signature = inspect.signature(function)
    shown = list(signature.parameters.values())
    if inspect.isclass(function) and is_result(function):
        return "", [one.name for one in shown]
    if not first and not inspect.isclass(function):
        shown = shown[1:]
    text = str(signature.replace(parameters=[one.replace(default=_shown(one)) for one in shown]))
    return re.sub(r"Array\[[^]]*\]", "Array", text), [one.name for one in shown]


class _LeftOut:
    """A default that is not a text: a function, or what a dataclass makes anew."""

    def __repr__(self) -> str:
        return "..."


def _shown(parameter: inspect.Parameter) -> Any:
    """The default of a parameter, as its signature shows it."""
    made = repr(parameter.default).startswith("<") and parameter.default is not inspect.Parameter.empty
    return _LeftOut() if made else parameter.default
