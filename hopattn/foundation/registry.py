"""Registries: the named choices of one kind, found in the modules that define them.

An entry is a concrete class in one of these modules that derives from the kind's base class. Its name is its class
attribute `name`, or else its class name in snake case. To write the class is all that a new separation takes.
"""

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Generic, NoReturn, TypeVar

from hopattn.foundation.argument_names import public_class
from hopattn.foundation.errors import InvalidInput, a_class, quoted, reject_unknown, shortened, unknown
from hopattn.foundation.other_words import VALUES, plain

Entry = TypeVar("Entry")
Choice = TypeVar("Choice")


class Choices(Mapping[str, Choice], Generic[Choice]):
    """Named choices of one kind: `choices["name"]` and `choices.name` are the same; a mistyped name gives the nearest.

    what: the name of the kind in messages. An unknown key raises `InvalidInput`, an unknown attribute `AttributeError`.
    """

    def __init__(self, what: str, entries: Mapping[str, Choice]) -> None:
        self.what = what
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Choice:
        try:
            return self._entries[name]
        except (KeyError, TypeError):
            raise InvalidInput(f"{self.what}: {unknown_in(self, name)}") from None

    def __getattr__(self, name: str) -> Any:  # Any, because the entries take different parameters
        if name.startswith("_"):  # asked by Python and notebooks, also before there are entries
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if name not in self._entries:
            raise AttributeError(f"{self.what}: {unknown_in(self, name)}")
        return self._entries[name]

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *self._entries]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.what}: {', '.join(self)})"

    def get(self, name: object, default: Any = None) -> Any:
        """The entry of this name, or `default`, as for every mapping."""
        return self._entries.get(name, default) if isinstance(name, str) else default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


def unknown_in(choices: Mapping[str, Any], name: object) -> str:
    """The message for a name that is no choice: our word for it, or the nearest one."""
    words = VALUES.get(getattr(choices, "what", ""), {})
    return unknown(name, choices, clause=words.get(plain(name), "") if isinstance(name, str) else "")


PLACES = {
    "similarity": "similarities.",
    "separation": "separations.",
    "activation": "activations.",
    "update": "updates.",
}
"""Where the classes of a registry are public."""


class Registry(Choices[type[Entry]], Generic[Entry]):
    """The concrete subclasses of `base` in `modules`, by name; a mistyped name raises `InvalidInput`.

    what: the name of the kind in messages. modules: full names of modules that are already imported.

    >>> from hopattn.retrieval.separation import separations
    >>> separations["softmax"](beta=2.0), separations.entmax(alpha=2.0)
    (Softmax(beta=2.0), Entmax(beta=1.0, alpha=2.0))
    """

    def __init__(self, what: str, base: type[Entry], modules: Iterable[str], imports: bool = False) -> None:
        entries = {name: public_class(entry) for module in modules for name, entry in entries_of(module, base)}
        super().__init__(what, entries)
        self.base = base
        self.imports = imports  # whether the path "module:Class" of a user's own class stands for it
        self.own: dict[str, type[Entry]] = {}

    def __call__(self, *names: object, **_: object) -> NoReturn:
        """Raise `InvalidInput`: what is called is an entry."""
        name = quoted(names[0] if names else "name")
        raise InvalidInput(f"{self.what}: write [{name}] in place of ({name}); a registry is a mapping")

    def register(self, entry: type[Entry]) -> str:
        """Add a class of the user's own, and return its name; a class that is there already stays.

        Raises `InvalidInput` for a class that is abstract or not a frozen dataclass, and for the name of another class.
        """
        name, what = registered_name(entry), f"register: {shortened(entry.__name__)}"
        if self.get(name) is entry:
            return name
        if lacking := sorted(getattr(entry, "__abstractmethods__", ())):
            raise InvalidInput(f"{what} lacks {', '.join(lacking)}, which a {self.what} has")
        if not getattr(vars(entry).get("__dataclass_params__"), "frozen", False):
            raise InvalidInput(f"{what} is not a frozen dataclass; write @dataclass(frozen=True) above it")
        namesake = self.get(name, entry)  # of the same place where a notebook or a worker defines the class again
        if (namesake.__module__, namesake.__qualname__) != (entry.__module__, entry.__qualname__):
            raise InvalidInput(f"{what}: a {self.what} '{shortened(name)}' exists already; give the class another name")
        self._entries[name] = self.own[name] = entry
        return name

    def find(self, name: str) -> type[Entry]:
        """The entry of a name, or the class of a path "module:Class", which is imported where the registry `imports`.

        Raises `InvalidInput` for an unknown name, and for a path that leads to no class of this kind.
        """
        if not (self.imports and isinstance(name, str) and ":" in name):
            return self[name]
        entry = imported(name, self.what)
        if not (isinstance(entry, type) and issubclass(entry, self.base)) or inspect.isabstract(entry):
            raise InvalidInput(f"{self.what}: '{shortened(name)}' is not a subclass of {self.base.__name__}")
        return entry

    def make(self, choice: Any, **parameters: Any) -> Entry:
        """An entry from its name and parameters; a `choice` that is an entry already is returned as it is.

        Raises `InvalidInput` for an unknown name or parameter, for a missing parameter, for parameters together with
        an entry, and for an object of another kind.
        """
        if isinstance(choice, self.base):
            if parameters:
                names = ", ".join(parameters)
                raise InvalidInput(f"{self.what}: {quoted(choice)} carries its own {names}; give it in one place")
            return choice
        if not isinstance(choice, str):
            kind = f"the class {shortened(choice.__name__)}" if isinstance(choice, type) else a_class(type(choice))
            raise InvalidInput(f"{self.what}: expected a name or {a_class(self.base)}, got {kind}")
        return self.made(self._entries.get(choice) or self.find(choice), **parameters)

    def made(self, entry: type[Entry], **parameters: Any) -> Entry:
        """An object of a class of this kind; raises `InvalidInput` for an unknown or a missing parameter."""
        try:
            return entry(**parameters)
        except (TypeError, InvalidInput):
            what = f"{self.what} '{registered_name(entry)}'"
            declared = fields(entry) if is_dataclass(entry) else ()
            reject_unknown(what, parameters, [field.name for field in declared])
            needed = [field.name for field in declared if field.default is field.default_factory is MISSING]
            if missing := [name for name in needed if name not in parameters]:
                place = f"{PLACES.get(self.what, '')}{registered_name(entry)}"
                form = f"ha.{place}({', '.join(f'{name}=…' for name in missing)})"
                raise InvalidInput(f"{what}: needs {' and '.join(missing)}; in Python, give {form}") from None
            raise


def entries_of(module: str, base: type[Entry]) -> Iterator[tuple[str, type[Entry]]]:
    """The concrete subclasses of `base` that an imported module defines, with their names."""
    for member in vars(sys.modules[module]).values():
        local = inspect.isclass(member) and member.__module__ == module
        if local and issubclass(member, base) and not inspect.isabstract(member):
            yield registered_name(member), member


def registered_name(entry: type[Any]) -> str:
    """The name of a class in a registry: its attribute `name`, or its class name in snake case."""
    return str(vars(entry).get("name", snake_case(entry.__name__)))


def is_path(text: object) -> bool:
    """Whether a text has the form "module:name"."""
    return isinstance(text, str) and re.fullmatch(r"[^\W\d][\w.]*:[^\W\d]\w*", text) is not None


def imported(path: str, what: str) -> Any:
    """The object of a path "module:name". A module in the current folder is found too, as `python -m` finds it.

    Raises `InvalidInput` for another form, a module that cannot be imported, and a name that it does not have.
    """
    if not is_path(path):
        raise InvalidInput(f"{what}: {quoted(path)} is neither a name nor a path such as 'mymodule:LogCosh'")
    module, _, name = path.partition(":")
    top, here = module.partition(".")[0], str(Path.cwd())
    if here not in sys.path and (Path(here, f"{top}.py").is_file() or Path(here, top).is_dir()):
        sys.path.append(here)  # it stays there, so that workers find the module again
    try:
        namespace = import_module(module)
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {shortened(error, 120)}"
        raise InvalidInput(f"{what}: '{shortened(module)}' cannot be imported: {reason}") from error
    if not hasattr(namespace, name):
        names = [word for word in vars(namespace) if not word.startswith("_")]
        raise InvalidInput(f"{what}: in {shortened(module)}, {unknown(name, names)}")
    return getattr(namespace, name)


def modules_in(package: str) -> list[str]:
    """Import every module in the folder of a package; returns their full names."""
    names = [f"{package}.{module.name}" for module in iter_modules(sys.modules[package].__path__)]
    for name in names:
        import_module(name)
    return names


def snake_case(name: str) -> str:
    """A class name in snake case, as a registry writes it: RectifiedPower as rectified_power, KSubsets as k_subsets."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def name_of(entry: object) -> str:
    """The name of an entry, as its registry writes it; its `own_name`, if it has one."""
    return getattr(entry, "own_name", "") or registered_name(type(entry))
