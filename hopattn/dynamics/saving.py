"""The file of a memory: one `.npz` archive with its arrays, and a header in JSON with everything else.

A memory is saved as the arguments that construct it: each parameter of its class whose value is an attribute of the
same name. The archive has an array under the name of its parameter, or, if it is the array of an earlier one, the
header has that name. A similarity, separation, activation or map to features is its name and parameters; a number is
itself. A memory within a memory has a header of its own, and its arrays have its name before theirs:
`forward/couplings`. So have the layers and synapses of a network, in a list: `synapses/0/synapse/weights`. A class
whose constructor cannot take all that it holds has a function `_of_file`, whose parameters are saved instead.

Nothing in a file is executed: the names of kinds and parts are looked up, and the arrays are read without pickle.
"""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from inspect import signature
from typing import Any

import numpy as np

from hopattn.foundation.array_files import MEMORY, arrays_of, named
from hopattn.foundation.arrays import namespace
from hopattn.foundation.checks import path_of
from hopattn.foundation.errors import InvalidInput, in_file, quoted, reject_unknown, unknown
from hopattn.foundation.registry import Registry
from hopattn.results.files import json_text, npz, write_over
from hopattn.retrieval.activation import Activation, activations
from hopattn.retrieval.features import Features, feature_maps
from hopattn.retrieval.masks import MaskRule, mask_rules
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.retrieval.similarity import Similarity, similarities

VERSION = 1
"""The version of the format; a file of another one is refused."""
PARTS: dict[type[Any], Registry[Any]] = {Similarity: similarities, Separation: separations, Activation: activations}
"""The registry of each kind of part of a memory."""
_PARTS: dict[type[Any], Registry[Any]] = {**PARTS, Features: feature_maps, MaskRule: mask_rules}
"""These, and the registry of each kind of part that is a parameter of another part, or of a synapse."""


def write(memory: Any, path: str | os.PathLike[str]) -> None:
    """Write a memory to a file; `AssociativeMemory.save` describes it."""
    file = path_of(path, "save")
    if file.suffix.lower() != ".npz":
        raise InvalidInput(f"save: {named(file)}: expected a name that ends in .npz")
    arrays: dict[str, np.ndarray] = {}
    header = {"hopattn memory": VERSION, **_packed(memory, "", arrays)}
    write_over(file, npz({MEMORY: np.array(json_text(header)), **arrays}))


def read(path: str | os.PathLike[str], kinds: Mapping[str, type[Any]], inside: Mapping[str, type[Any]]) -> Any:
    """The memory in a file.

    kinds: the classes by their `_file_kind`. inside: those of which a memory may have objects. Raises `InvalidInput`
    for any other file.
    """
    file = path_of(path, "path")
    arrays = arrays_of(file)
    try:
        with in_file(named(file)):
            header = json.loads(str(arrays.pop(MEMORY)[()]))
            if (version := header["hopattn memory"]) != VERSION:
                raise InvalidInput(f"is of version {quoted(version)} of the format; expected version {VERSION}")
            reject_unknown("kind", [header["kind"]], kinds)
            return _unpacked(header, arrays, {**kinds, **inside})
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InvalidInput(f"{named(file)} is not a memory that `save` wrote, or is truncated") from None


def _packed(memory: Any, place: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """The header of a memory; its arrays are added to `arrays`. place: the name before those of its own arrays."""
    kind = vars(type(memory)).get("_file_kind")
    if kind is None:
        raise InvalidInput(f"save: a {type(memory).__name__} has no file; save the memory that it is made from")
    arguments = {name: value for name in _arguments(type(memory)) if (value := vars(memory).get(name)) is not None}
    return {"kind": kind, **{name: _value(value, place + name, arrays) for name, value in arguments.items()}}


def _value(value: Any, name: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """An argument as the header has it: a part, a number, a memory, or the name of an array."""
    if (kind := getattr(value, "saved_as", None)) is not None:
        return {**_part(getattr(value, kind)), "of": kind}
    if isinstance(value, tuple(_PARTS)):
        return dict(_part(value))
    if isinstance(value, float):
        return {"number": value}
    if isinstance(value, (str, int)):
        return {"as it is": value}
    if isinstance(value, tuple):
        return {"list": [_value(item, f"{name}/{i}", arrays) for i, item in enumerate(value)]}
    if hasattr(value, "_file_kind"):
        return {"memory": _packed(value, f"{name}/", arrays)}
    if namespace(value) is not np:
        raise InvalidInput(f"save: {name}: a file holds NumPy arrays; convert it with numpy.asarray")
    if value.strides == (0,):  # one number for all neurons, which the constructor spreads again
        value = np.array(value[0])
    same = next((earlier for earlier, array in arrays.items() if array is value), None)
    if same is None:
        arrays[name] = value
    return {"array": name if same is None else same}


def _part(value: Any) -> Any:
    """A part as its name and parameters, of which some may be parts; any other parameter as it is."""
    for base, registry in _PARTS.items():
        if isinstance(value, base):
            word = next((word for word, entry in registry.items() if entry is type(value)), None)
            if word is None:
                cure = f"call ha.register({type(value).__name__}) first"
                raise InvalidInput(f"save: {quoted(value)} is not in a registry, so a file cannot name it; {cure}")
            parameters = {field.name: getattr(value, field.name) for field in fields(value)}
            names = {
                field.name for field in fields(value) if parameters[field.name] is not None or field.default is not None
            }
            return {"part": word, **{name: _part(parameter) for name, parameter in parameters.items() if name in names}}
    return value


def _made(name: str, value: Mapping[str, Any]) -> Any:
    """The part that `_part` wrote as the parameter `name`."""
    registries = {registry.what: registry for registry in _PARTS.values()}
    parameters = {key: _made(key, item) if isinstance(item, Mapping) else item for key, item in value.items()}
    word, registry = parameters.pop("part"), registries[parameters.pop("of", name)]
    if word not in registry:
        raise InvalidInput(f"{name}: {unknown(word, registry)}; a class of your own needs ha.register first")
    return registry.make(word, **parameters)


def _unpacked(header: dict[str, Any], arrays: Mapping[str, np.ndarray], kinds: Mapping[str, Any]) -> Any:
    """The memory of a header; raises `InvalidInput` for names that are unknown, `KeyError` for what is missing."""
    arguments = {name: value for name, value in header.items() if name not in ("hopattn memory", "kind")}
    kind = header["kind"]
    reject_unknown("kind", [kind], kinds)
    reject_unknown(kind, arguments, _arguments(kinds[kind]))
    make = getattr(kinds[kind], "_of_file", kinds[kind])
    return make(**{name: _read(name, value, arrays, kinds) for name, value in arguments.items()})


def _read(name: str, value: Any, arrays: Mapping[str, np.ndarray], kinds: Mapping[str, Any]) -> Any:
    """The argument that `_value` wrote."""
    if "array" in value:
        return arrays[value["array"]]
    if "number" in value:
        return float(value["number"])
    if "as it is" in value:
        return value["as it is"]
    if "list" in value:
        return tuple(_read(name, item, arrays, kinds) for item in value["list"])
    return _unpacked(value["memory"], arrays, kinds) if "memory" in value else _made(name, value)


def made_again(value: Any, change: Callable[[np.ndarray], np.ndarray], known: dict[int, Any] | None = None) -> Any:
    """A memory that is constructed again with other arrays, as if it were saved and read; an array twice stays one.

    change: gives the other array. known: the changed arrays by the `id` of the array.
    """
    known = {} if known is None else known
    if isinstance(value, np.ndarray):
        return known.setdefault(id(value), change(value))
    if isinstance(value, tuple):
        return tuple(made_again(item, change, known) for item in value)
    if not hasattr(value, "_file_kind"):
        return value
    arguments = {name: one for name in _arguments(type(value)) if (one := vars(value).get(name)) is not None}
    make = getattr(type(value), "_of_file", type(value))
    return make(**{name: made_again(one, change, known) for name, one in arguments.items()})


def _arguments(kind: type[Any]) -> Mapping[str, Any]:
    """The parameters of what makes an object of a class again."""
    return signature(getattr(kind, "_of_file", kind)).parameters
