"""The paths of values in a scenario: keys with dots between them, such as layer.head.mask, and their short forms.

`--set`, the `set` of a variant and the axes of a sweep read a path by the same rule: either it begins at the top of the
file, or it is the end of one path alone, as `mask` is of layer.head.mask. The annotations of the schema say which keys
may be at a path.
"""

import json
import re
import tomllib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.scenario.language.fields import EntryIn

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""A key that needs no quotes."""

_ABOUT_RUNS = frozenset({"variant", "expect", "sweep", "figure", "practice"})
"""The tables of a file that say nothing about one run; a short path never leads into them."""

IsUserKey = Callable[[tuple[str, ...]], bool]
"""Whether the last key of a path is a name that the author of the file chose, such as a word or a cue."""


def no_user_keys(path: tuple[str, ...]) -> bool:
    """False: every key of the file is one of its format."""
    return False


@lru_cache(1024)
def parse_path(text: str) -> tuple[str, ...]:
    """The keys of a dotted path, by TOML's rules for dotted keys.

    Raises `InvalidInput` for a text that is not a path, or several.

    >>> parse_path("layer.2.head.mask")
    ('layer', '2', 'head', 'mask')
    """
    try:
        node: Any = tomllib.loads(f"{text} = 0")
    except (ValueError, RecursionError):
        raise InvalidInput(f"'{shortened(text)}' is not a path; {_how_to_write(text)}") from None
    keys: list[str] = []
    while isinstance(node, dict):
        if len(node) != 1:
            raise InvalidInput(f"'{shortened(text)}' is more than one path")
        key, node = next(iter(node.items()))
        keys.append(key)
    return tuple(keys)


def _how_to_write(text: str) -> str:
    """The advice for a text that is not a path: the quotes that it lacks, if it lacks nothing else."""
    parts = [part.strip() for part in text.split(".")]
    if all(parts) and not re.search(r"""["'=\n]""", text):
        return f"a name with a space or a special letter needs quotes: {shortened(dotted(parts))}"
    return "write keys with dots between them, as in layer.head.mask"


def dotted(keys: Iterable[str]) -> str:
    """A path as a text that `parse_path` reads.

    >>> print(dotted(["cue", "half of R", "flip"]))
    cue."half of R".flip
    """
    return ".".join(key if BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in keys)


def whole_path(text: str, document: Mapping[str, Any], user_key: IsUserKey = no_user_keys) -> tuple[str, ...]:
    """The keys of a path from the top of the document.

    text: a path, or the end of a path if only one place of the document has it. document: a file with all its defaults.
    user_key: which keys the author of the file chose; they are suggested only where no key of the format is near.
    Raises `InvalidInput` for an end that the document does not have, or has several times.

    >>> whole_path("mask", {"layer": [{"head": [{"mask": "none"}]}]})
    ('layer', 'head', 'mask')
    """
    keys = parse_path(text)
    places = places_of(keys, document)
    if len(places) == 1:
        return places[0]
    if places:
        choices = " or ".join(shortened(dotted(place)) for place in places[:5])
        raise InvalidInput(f"{shortened(text)}: occurs several times; write {choices}")
    known = [*((key,) for key in document), *([] if len(keys) > 1 else _of_one_run(document))]
    raise InvalidInput(f"{shortened(text)}: {unknown(dotted(keys[:1]), *names_of(known, user_key))}")


def names_of(paths: Iterable[tuple[str, ...]], user_key: IsUserKey, whole: bool = False) -> tuple[set[str], set[str]]:
    """The last keys of paths: those of the format, and those that the author of the file chose.

    whole: the whole paths instead of their last keys.
    """
    own, chosen = set[str](), set[str]()
    for path in paths:
        (chosen if user_key(path) else own).add(dotted(path if whole else path[-1:]))
    return own, chosen - own


def places_of(keys: tuple[str, ...], document: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The whole paths that some keys can mean: the keys themselves, or all paths that end with them.

    A number among the keys that is not a key of the document counts the entries of a list.
    """
    if keys[0] in document:
        return [keys]
    known = _of_one_run(document)
    for end in (keys, without_numbers(keys)):
        places = [(*path[: -len(end)], *keys) for path in known if end and path[-len(end) :] == end]
        if places:
            return places
    return []


def _of_one_run(document: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The path of each value and each table that a short path can lead to."""
    about_one = {key: node for key, node in document.items() if key not in _ABOUT_RUNS}
    return [path for path in dict.fromkeys(paths_in(about_one)) if path]


def without_numbers(keys: Iterable[str]) -> tuple[str, ...]:
    """The keys of a path without those that count the entries of a list."""
    return tuple(key for key in keys if not key.isdigit())


def last_keys(paths: Iterable[str]) -> dict[str, str]:
    """The label of each path: its last key, with the numbers behind it; the whole path where two would be the same.

    A text that is not a path is its own label.

    >>> last_keys(["layer.head.beta", "network.neuron.1"])
    {'layer.head.beta': 'beta', 'network.neuron.1': 'neuron.1'}
    """
    labels = {path: _last_key(path) for path in paths}
    alike = list(labels.values())
    return {path: label if alike.count(label) == 1 else path for path, label in labels.items()}


def _last_key(path: str) -> str:
    try:
        keys = parse_path(path)
    except InvalidInput:
        return path
    start = max((i for i, key in enumerate(keys) if not key.isdigit()), default=0)
    return ".".join(keys[start:])


def paths_in(
    node: Any, fits: Callable[[Any], bool] = lambda _: True, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """The path of each value and each table that fits, below the path of `node`; the entries of a list share one."""
    if fits(node):
        yield path
    if isinstance(node, Mapping):
        for key, inner in node.items():
            yield from paths_in(inner, fits, (*path, str(key)))
    elif isinstance(node, list):
        for inner in node:
            yield from paths_in(inner, fits, path)


def known_keys(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """The keys that the schema allows in the table at a location."""
    return sorted(_keys(table for annotation in annotations_at(model, location) for table in _tables(annotation)))


def annotations_at(model: type[BaseModel], location: Sequence[str | int]) -> list[Any]:
    """The annotations of what may be at a location."""
    candidates: list[Any] = [model]
    for key in location:
        candidates = [inner for candidate in candidates for inner in _inside(candidate, key)]
    return candidates


def is_user_key(model: type[BaseModel], path: Sequence[str]) -> bool:
    """Whether the last key of a path is a name that the author of the file chose, such as a word or a cue.

    path: keys only; the numbers of the entries of lists are left out.
    """
    tables: list[Any] = [model]
    for key in path[:-1]:
        tables = [inner for table in tables for annotation in _inside(table, key) for inner in _tables(annotation)]
    return path[-1] not in _keys(tables)


def _keys(tables: Iterable[Any]) -> set[str]:
    """The keys of the models among some tables."""
    models = [table for table in tables if isinstance(table, type) and issubclass(table, BaseModel)]
    return {field.alias or name for table in models for name, field in table.model_fields.items()}


def _tables(annotation: Any) -> Iterator[Any]:
    """The tables among the choices of an annotation, also those in its lists: models, and tables with free keys."""
    for option, tag in options(annotation):
        if get_origin(option) is list:
            yield from _tables(get_args(option)[0])
        elif get_origin(option) is dict or (isinstance(option, type) and issubclass(option, BaseModel)):
            yield option
        elif tag is not None:
            yield from _tables(option)


def _inside(annotation: Any, key: str | int) -> Iterator[Any]:
    """The annotations one step further in a location.

    key: the key of a field, the index or key of an entry, or the tag of a choice of a union.
    """
    for option, tag in options(annotation):
        if tag is not None and tag == key:
            yield option
        elif isinstance(option, type) and issubclass(option, BaseModel):
            yield from (field.annotation for name, field in option.model_fields.items() if (field.alias or name) == key)
        elif get_origin(option) in (list, dict):
            yield get_args(option)[-1]


def options(annotation: Any) -> Iterator[tuple[Any, str | None]]:
    """The choices of an annotation, each with the tag by which a location names it; None if it has no tag."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        inner = next((extra.annotation for extra in extras if isinstance(extra, EntryIn)), inner)
        tag = next((extra.tag for extra in extras if isinstance(extra, Tag)), None)
        yield from options(inner) if tag is None else [(inner, tag)]
    elif get_origin(annotation) in (Union, types.UnionType):
        for option in get_args(annotation):
            yield from options(option)
    else:
        fields = getattr(annotation, "model_fields", {})
        yield annotation, next(iter(get_args(fields["name"].annotation)), None) if "name" in fields else None
