"""Names that are loaded when they are first used: those of the package, and those of its rooms.

A stub `__init__.pyi` states each name once, as an import from the file that defines it (SPEC 1). Type checkers read the
stub instead of the `__init__.py` beside it, and so see exactly these names.
"""

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any

from lazy_loader import attach_stub

from hopattn.foundation.argument_names import public_class
from hopattn.foundation.errors import CannotDo, nearest, unknown
from hopattn.foundation.other_words import NAMES, plain
from hopattn.foundation.shown_types import show_types

LIBRARIES = {"torch": "PyTorch", "jax": "JAX"}
"""The names of libraries that rooms need."""
Names = tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]


def attach(module: str, file: str, needs: str = "") -> Names:
    """`__getattr__`, `__dir__` and `__all__` of the package, or of a room, from the stub beside its file.

    needs: the library that all names need; where it is not installed, `__all__` is empty, and a name says so.
    """
    load, listed, names = attach_stub(module, file)
    refuse, absent = refusal(module), bool(needs) and find_spec(needs) is None

    def named(name: str) -> Any:
        if absent and name in names:
            raise CannotDo(f"{module}.{name} needs {LIBRARIES[needs]}: pip install {needs}")
        public = load(name) if name in names else refuse(name)
        if isinstance(public, FunctionType) and not hasattr(public, "__signature__"):
            show_types(public)
        return public_class(public) if isinstance(public, type) else public

    return named, listed, [] if absent else names


def refusal(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that has all its names already: it refuses any other, with our word for it.

    That is the clause of `other_words`, or else the nearest name.
    """

    def refuse(name: str) -> Any:
        if name.startswith("_"):  # asked by Python and notebooks
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        if clause := NAMES.get(plain(name)):
            raise AttributeError(f"{module}: '{name}' is unknown; {clause}", name=name, obj=None)
        names = sys.modules[module].__all__
        places = _places(module.partition(".")[0])
        word = name if name in places else nearest(name, [*names, *places])
        if word is None or word in names:
            raise AttributeError(f"{module}: {unknown(name, names)}")
        raise AttributeError(f"{module}: '{name}' is unknown; did you mean {' or '.join(places[word])}?")

    return refuse


@cache
def stated(file: str) -> dict[str, str]:
    """The names that the stub beside an `__init__.py` states, each with the module that it is imported from.

    The module is written as from the folder of the stub: `memories.memory`, or nothing for the folder itself.
    """
    from pathlib import Path  # imported here, so that `import hopattn` stays light

    text = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: module for module, name in re.findall(r"^from \.([\w.]*) import (\w+)", text, re.MULTILINE)}


def rooms(file: str) -> list[str]:
    """The names of a stub that are modules: rooms, whose own names are found by the name of the room."""
    from pathlib import Path

    folder = Path(file).parent
    places = {name: folder.joinpath(*module.split("."), name) for name, module in stated(file).items()}
    return [name for name, at in places.items() if at.with_suffix(".py").is_file() or (at / "__init__.py").is_file()]


def _places(package: str) -> dict[str, list[str]]:
    """Every public name, with its places: `modern` is `ha.memories.modern`, and `learning` the room `ha.learning`."""
    whole = sys.modules[package]
    places = {name: [f"ha.{name}"] for name in whole.__all__}
    for room in rooms(str(whole.__file__)):
        for name in getattr(whole, room).__all__:
            places.setdefault(name, []).append(f"ha.{room}.{name}")
    return places
