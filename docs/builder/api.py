"""A page for each public name, from its signature and its docstring."""

import inspect
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any

import hopattn
from docs.builder.markdown import first_paragraph, from_docstring, plain, table


def pages() -> dict[str, str]:
    """The pages by their places: one for each public name, and one for each public module."""
    names = {stem(name): _page(f"hopattn.{name}", getattr(hopattn, name)) for name in hopattn.__all__}
    modules = {name: _module_page(name) for name in hopattn._MODULES}
    return {f"reference/api/{stem}.md": text for stem, text in {**names, **modules}.items()}


def stem(name: str) -> str:
    """The file of a name. A class and a function may differ in their capitals alone, which some file systems ignore."""
    return f"class-{name}" if inspect.isclass(getattr(hopattn, name)) else name


def index() -> str:
    """All names with the first sentence of each, room by room."""
    rooms: dict[str, list[str]] = {}
    for name in hopattn.__all__:
        rooms.setdefault(hopattn._HOMES[name].split(".")[1], []).append(name)
    order = ["memories", *(room for room in rooms if room != "memories")]
    parts = [_list_of(_room(room), [(name, getattr(hopattn, name)) for name in rooms[room]]) for room in order]
    modules = [(name, import_module(module)) for name, module in hopattn._MODULES.items()]
    return "\n\n".join([*parts, _list_of("Modules: their functions are called by the name of the module", modules)])


def _room(room: str) -> str:
    """The heading of a room: the first sentence of its docstring."""
    doc = first_paragraph(inspect.getdoc(import_module(f"hopattn.{room}")) or room)
    return plain(doc.rstrip("."))


def _list_of(heading: str, entries: list[tuple[str, Any]]) -> str:
    rows = [[f"`ha.{name}`", plain(_summary(entry))] for name, entry in entries]
    return f"## {heading}\n\n{table(['name', 'what it is'], rows)}"


def _summary(entry: Any) -> str:
    return first_paragraph(inspect.getdoc(entry) or "")


def _page(name: str, entry: Any) -> str:
    return f"# `ha.{name.removeprefix('hopattn.')}`\n\n{_described(name, entry)}\n"


def _module_page(name: str) -> str:
    """The page of a module: its own words, then each of its public functions."""
    module = import_module(hopattn._MODULES[name])
    functions = [(key, one) for key, one in vars(module).items() if _is_public(key, one, module.__name__)]
    about = from_docstring(inspect.getdoc(module) or "")
    return "\n\n".join(
        [f"# `ha.{name}`", f"`````{{py:module}} hopattn.{name}\n`````", about]
        + [f"## `ha.{name}.{key}`\n\n{_described(key, one)}" for key, one in functions]
        + [""]
    )


def _is_public(name: str, entry: Any, module: str) -> bool:
    own = str(getattr(entry, "__module__", "")).startswith(module)
    return inspect.isfunction(entry) and own and not name.startswith("_") and name != "learning_rule"


def _described(name: str, entry: Any) -> str:
    """The entry as an object of Sphinx's Python domain."""
    if inspect.isclass(entry):
        members = "\n\n".join(_member(name, key, one) for key, one in _members(entry))
        signature, names = _signature(entry, first=False)
        return _object("class", f"{name}{signature}", f"{from_docstring(_own_doc(entry), names)}\n\n{members}", 5)
    if inspect.isfunction(entry):
        signature, names = _signature(entry, first=True)
        return _object("function", f"{name}{signature}", from_docstring(inspect.getdoc(entry) or "", names), 5)
    return _object("data", name, _choices(name.replace("hopattn.", "ha."), entry), 5)


def _choices(name: str, entry: Any) -> str:
    """What a registry is for, and its choices."""
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
            if key.startswith("_") or key in seen or not _is_member(one):
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
    """The signature with defaults but without types, which the docstring says better, and the parameters' names.

    first: whether the first parameter is shown; that of a method is not.
    """
    if inspect.isclass(function) and issubclass(function, Exception | Enum):
        return "", []
    given = list(inspect.signature(function).parameters.values())
    if not first and not inspect.isclass(function):
        given = given[1:]
    shown = inspect.Signature([one.replace(annotation=inspect.Parameter.empty, default=_shown(one)) for one in given])
    return str(shown), [one.name for one in given]


class _LeftOut:
    """A default that is no text: a function, or what a dataclass makes anew."""

    def __repr__(self) -> str:
        return "..."


def _shown(parameter: inspect.Parameter) -> Any:
    """The default of a parameter, as its signature shows it."""
    made = repr(parameter.default).startswith("<") and parameter.default is not inspect.Parameter.empty
    return _LeftOut() if made else parameter.default
