"""The public names of hopattn with the parameters and defaults of each, one on a line: `docs/reference/api.txt`.

`make docs` writes the file, and a test compares it: a parameter, a default or a method changes on purpose only.
Annotations are left out; they are the type checker's.
"""

import inspect
import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

import hopattn as ha


def parameters(called: Any) -> str:
    """Parameters with their defaults, without annotations: `(keys, values=None, *, beta=1.0)`."""
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):  # written in C
        return "(…)"
    plain = [one.replace(annotation=one.empty, default=_shown(one.default)) for one in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


class _Text:
    """A default as it is written; a function by its name, which has no address."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def _shown(default: Any) -> Any:
    named = callable(default) and hasattr(default, "__qualname__")
    return _Text(default.__qualname__) if named and default is not inspect.Parameter.empty else default


def of_name(name: str, value: Any) -> Iterator[str]:
    """The lines of a public name: a function, a class with its methods and attributes, a registry with its entries."""
    if inspect.isclass(value):
        yield (
            name if issubclass(value, Enum) else f"{name}{parameters(value)}"
        )  # Python's own signature of an Enum changes
        for part in sorted(part for part in dir(value) if not part.startswith("_")):
            member = inspect.getattr_static(value, part)
            called = getattr(value, part)
            if isinstance(member, (classmethod, staticmethod)) or inspect.isfunction(member):
                yield f"{name}.{part}{parameters(called)}"
            elif isinstance(called, bool | int | float | str):
                yield f"{name}.{part} = {called!r}"
            elif not callable(called) or isinstance(member, property):
                yield f"{name}.{part}"
    elif inspect.isroutine(value):
        yield f"{name}{parameters(value)}"
    elif hasattr(value, "items"):
        for entry, made in value.items():
            yield f"{name}[{entry!r}]{parameters(made) if callable(made) else ''}"
    else:
        yield name


def lines() -> Iterator[str]:
    """Every public name, those at the top first, then those of the rooms."""
    rooms = [name for name in sorted(ha.__all__) if inspect.ismodule(getattr(ha, name))]
    for place, room in [("ha", ha), *((f"ha.{name}", getattr(ha, name)) for name in rooms)]:
        for name in sorted(room.__all__):
            if not inspect.ismodule(value := getattr(room, name)):
                yield from of_name(f"{place}.{name}", value)


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in lines())
