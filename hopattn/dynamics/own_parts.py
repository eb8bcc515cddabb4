"""Parts of the user's own: classes that can be used wherever a name of ours can.

A class is given by itself (`ha.register`), or by a path "mymodule:LogCosh" in a call or a command. Files are data: no
path in a file is followed.
"""

import os
import pickle
import sys
from collections.abc import Mapping
from typing import Any, TypeVar

from hopattn.dynamics.updates import updates
from hopattn.foundation.boundary import public
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.registry import Registry, is_path
from hopattn.retrieval.activation import activations
from hopattn.retrieval.separation import separations
from hopattn.retrieval.similarity import similarities

Part = TypeVar("Part", bound=type[Any])
REGISTRIES: tuple[Registry[Any], ...] = (similarities, separations, activations, updates)


@public
def register(part: Part) -> Part:
    """Add a class of your own to the registry of its kind, so that you can use its name like ours.

    Parameters
    ----------
    part
        a frozen dataclass that derives from `ha.Similarity`, `ha.Separation`, `ha.Activation` or `ha.Update`. Its name
        is its class attribute `name`, or its class name in snake case.

    Returns
    -------
    the class, so that it may be written as a decorator.

    Raises
    ------
    InvalidInput : for anything else, for a class that lacks a method, and for a name that another class has.

    Notes
    -----
    A class that is defined again, as in a notebook, replaces the earlier one.
    """
    for registry in REGISTRIES:
        if isinstance(part, type) and issubclass(part, registry.base):
            registry.register(part)
            return part
    *most, last = (registry.base.__name__ for registry in REGISTRIES)
    kinds = f"{', '.join(most)} or {last}"
    raise InvalidInput(f"register: expected a class that derives from {kinds}, not {quoted(part)}")


def packed() -> bytes:
    """All classes of the user's own, for processes that do not have them yet; empty where there are none.

    A class of a script or a notebook is packed as a whole, any other one by the name of its module.
    """
    parts = [part for registry in REGISTRIES for part in registry.own.values()]
    if not parts:
        return b""
    from joblib import wrap_non_picklable_objects

    classes = pickle.dumps(wrap_non_picklable_objects(parts, keep_wrapper=False))
    return pickle.dumps((list(map(os.path.abspath, sys.path)), classes))


def register_packed(parts: bytes) -> None:
    """Add the classes that another process had; a module is looked for where that process would find it too."""
    if parts:
        places, classes = pickle.loads(parts)
        sys.path.extend(place for place in places if place not in sys.path)
        for part in pickle.loads(classes):
            register(part)


def with_names(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes of a scenario, in which the name of a registered class stands for each path "module:Class".

    changes: values by the path of a key, as for `--set`. Only keys that are called as a kind of part are looked at.
    """
    return {key: _named(key, value) for key, value in changes.items()}


def _named(key: str, value: Any) -> Any:
    last = key.strip().removesuffix(".name").rpartition(".")[2]
    registry = next((registry for registry in REGISTRIES if registry.what == last), None)
    if registry is None:
        return value
    if isinstance(value, Mapping) and "name" in value:
        return {**value, "name": _named(key, value["name"])}
    return registry.register(registry.find(value)) if is_path(value) else value
