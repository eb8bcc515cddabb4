"""The paths of values in a scenario, such as layer.head.mask, their short forms, and changes of what is there.

`--set`, the `set` of a variant and the axes of a sweep read a path by the same rule: either it begins at the top of the
file, or it is the end of one path alone, as `mask` is of layer.head.mask. The annotations of the schema say which keys
may be at a path.
"""

import copy
import re
import tomllib
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Annotated, Any, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel, Tag

from hopattn.foundation.errors import InvalidInput, quoted, shortened, unknown
from hopattn.scenario.language.lines import Path, dotted
from hopattn.scenario.language.syntax_faults import syntax_fault
from hopattn.scenario.language.table import EntryIn

_ABOUT_RUNS = frozenset({"variant", "expect", "sweep", "figure", "practice"})
"""The tables of a file that say nothing about one run; a short path never leads into them."""
NAMED = "model"
"""The key whose text is the name of a table: a change of model.rule makes { name = …, rule = … } of it."""
ALL_DEFAULTS = "figure"
"""The table whose keys may all be left out: a change of one of them needs no table in the file."""
_POINT = re.compile(r"(?<![\w.])([+-]?)\.(?=\d)")
_WORDS = re.compile(r"[^\W\d][\w-]*(,[^\W\d][\w-]*)*|[^\W\d][\w.]*:[^\W\d]\w*")
"""Words that need no quotes, which a shell might take away: `in` is a text, `in,muddy` a list of two, and
`mymodule:LogCosh` a class of the user's own."""
_IN_A_SHELL = re.compile(r"[\"'$`!]")
"""Characters that mean something between double quotes in a shell, or would end a text in single ones."""

IsUserKey = Callable[[tuple[str, ...]], bool]
"""Whether the last key of a path is a name that the author of the file chose, such as a word or a cue."""


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
        parts = [part.strip() for part in text.split(".")]
        cure = "write keys with dots between them, as in layer.head.mask"
        if all(parts) and not re.search(r"""["'=\n]""", text):
            cure = f"a name with a space or a special letter needs quotes: {shortened(dotted(parts))}"
        raise InvalidInput(f"'{shortened(text)}' is not a path; {cure}") from None
    keys: list[str] = []
    while isinstance(node, dict):
        if len(node) != 1:
            raise InvalidInput(f"'{shortened(text)}' is more than one path")
        keys += node
        (node,) = node.values()
    return tuple(keys)


def whole_path(text: str, document: Mapping[str, Any], user_key: IsUserKey) -> tuple[str, ...]:
    """The keys of a path from the top of the document.

    text: a path, or the end of a path if only one place of the document has it. document: a file with all its defaults.
    user_key: which keys the author of the file chose; they are suggested only where no key of the format is near.
    Raises `InvalidInput` for an end that the document does not have, or has several times.

    >>> whole_path("mask", {"layer": [{"head": [{"mask": "none"}]}]}, lambda path: False)
    ('layer', 'head', 'mask')
    """
    if path := place_of(text, document):
        return path
    keys = parse_path(text)
    known = [*((key,) for key in document), *([] if len(keys) > 1 else _of_one_run(document))]
    raise InvalidInput(f"{shortened(text)}: {unknown(dotted(keys[:1]), *names_of(known, user_key))}")


def place_of(text: str, document: Mapping[str, Any]) -> tuple[str, ...]:
    """The whole path that a path can mean: itself, or the one path that ends with it; no keys if there is none.

    A number among the keys that is not a key of the document counts the entries of a list. Raises `InvalidInput` if
    there are several.
    """
    keys = parse_path(text)
    if keys[0] in document:
        return keys
    known = _of_one_run(document)
    for end in (keys, without_numbers(keys)):
        places = [(*path[: -len(end)], *keys) for path in known if end and path[-len(end) :] == end]
        if len(places) > 1:
            choices = " or ".join(shortened(dotted(place)) for place in places[:5])
            raise InvalidInput(f"{shortened(text)}: occurs several times; write {choices}")
        if places:
            return places[0]
    return ()


def names_of(paths: Iterable[tuple[str, ...]], user_key: IsUserKey, whole: bool = False) -> tuple[set[str], set[str]]:
    """The last keys of paths: those of the format, and those that the author of the file chose.

    whole: the whole paths instead of their last keys.
    """
    own, chosen = set[str](), set[str]()
    for path in paths:
        (chosen if user_key(path) else own).add(dotted(path if whole else path[-1:]))
    return own, chosen - own


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
    labels = {}
    for path in paths:
        keys: tuple[str, ...] = (path,)
        with suppress(InvalidInput):
            keys = parse_path(path)
        start = max((i for i, key in enumerate(keys) if not key.isdigit()), default=0)
        labels[path] = ".".join(keys[start:])
    alike = list(labels.values())
    return {path: label if alike.count(label) == 1 else path for path, label in labels.items()}


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
    tables = [table for annotation in annotations_at(model, location) for table in _tables(annotation)]
    return sorted({field.alias or name for table in tables for name, field in table.model_fields.items()})


def annotations_at(model: type[BaseModel], location: Sequence[str | int]) -> list[Any]:
    """The annotations of what may be at a location.

    location: the keys of fields, the indices or keys of entries, the tags of choices. A path of keys will do, too.
    """
    candidates: list[Any] = [model]
    for key in location:
        candidates = [inner for candidate in candidates for inner in _inside(candidate, key)]
    return candidates


def _tables(annotation: Any) -> Iterator[type[BaseModel]]:
    """The tables with fixed keys among the choices of an annotation, also those in its lists."""
    for option, tag in options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            yield option
        elif get_origin(option) is list or tag is not None:
            yield from _tables(get_args(option)[0] if get_origin(option) is list else option)


def _inside(annotation: Any, key: str | int) -> Iterator[Any]:
    """The annotations one step further in a location; a key leads through a list and a choice without a step."""
    for option, tag in options(annotation):
        if tag is not None and tag == key:
            yield option
        elif isinstance(option, type) and issubclass(option, BaseModel):
            yield from (field.annotation for name, field in option.model_fields.items() if (field.alias or name) == key)
        elif get_origin(option) is dict or (get_origin(option) is list and isinstance(key, int)):
            yield get_args(option)[-1]
        elif get_origin(option) is list or tag is not None:
            yield from _inside(get_args(option)[0] if get_origin(option) is list else option, key)


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


def parse_assignment(text: str) -> tuple[str, Any]:
    """The path and the value of `path=value`; the value is TOML, a number such as .5, or words without quotes.

    Raises `InvalidInput` for a text without `=`, and for a value that is not TOML.

    >>> parse_assignment("layer.head.separation=softmax")
    ('layer.head.separation', 'softmax')
    >>> parse_assignment("input.tokens=in,banks") == parse_assignment("input.tokens=['in', 'banks']")
    True
    >>> parse_assignment("load=.1")
    ('load', 0.1)
    """
    path, equals, value = (part.strip() for part in text.partition("="))
    if not equals:
        raise InvalidInput(f"--set '{shortened(text)}': expected KEY=VALUE, as in mask=causal")
    value = value if "'" in value or '"' in value else _POINT.sub(r"\g<1>0.", value)
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError) as error:
        if _WORDS.fullmatch(value):
            return path, value.split(",") if "," in value else value
        cause = "texts need quotes, lists need brackets"
        if isinstance(error, tomllib.TOMLDecodeError):
            _, cause, _ = syntax_fault(f"value = {value}", error)
        if cause.startswith("a text needs quotes") and not _IN_A_SHELL.search(text):
            argument = shortened(f"{path}='{value}'")
            cause = f'a text needs quotes: --set "{argument}"'
        if _WORDS.fullmatch(several := ",".join(value.split())):
            cause += f"; for a list of words write {shortened(several)}"
        raise InvalidInput(f"{shortened(path)}: {quoted(value)} is not a TOML value; {cause}") from None
    if set(parsed) != {"value"}:
        raise InvalidInput(f"{shortened(path)}: {quoted(value)} is more than one value")
    return path, parsed["value"]


def require_changes(overrides: Any) -> dict[str, Any]:
    """Overrides with arrays of NumPy as lists; raises `InvalidInput` for what is not a mapping from paths to values."""
    if not isinstance(overrides, Mapping) or not all(isinstance(path, str) for path in overrides):
        raise InvalidInput(f"overrides: expected a value for each path, not {quoted(overrides)}")
    return {path: _as_lists(value) for path, value in overrides.items()}


def _as_lists(value: Any) -> Any:
    """A value in which each array of NumPy, also in a list or a table, is a list of numbers or texts of Python."""
    if isinstance(value, list):
        return [_as_lists(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _as_lists(one) for key, one in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def settings(changes: Mapping[str, Any]) -> str:
    """Changes as a text for readers, by the last keys of their paths.

    >>> settings({"layer.head.separation": "softmax", "ensemble.model": {"name": "dense", "n": 4}})
    'separation = softmax, model = dense (n = 4)'
    """
    labels = last_keys(changes)
    return ", ".join(f"{labels[path]} = {_as_text(value)}" for path, value in changes.items())


def _as_text(value: Any) -> str:
    """A value as a text for readers: a text without quotes, a table by its name with the rest in brackets."""
    if isinstance(value, Mapping):
        rest = settings({key: inner for key, inner in value.items() if key != "name"})
        return " ".join(filter(None, (str(value.get("name", "")), rest and f"({rest})")))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_text, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value).replace("-", "−")


def value_at(document: Mapping[str, Any], path: Path) -> Any:
    """The value at a path of a document; None where there is none."""
    node: Any = document
    with suppress(KeyError, IndexError, TypeError):
        for key in path:
            node = node[key]
        return node
    return None


def changed(
    document: Mapping[str, Any], changes: Mapping[str, Any], written: Mapping[str, Any], user_key: IsUserKey
) -> tuple[dict[str, Any], dict[Path, str]]:
    """A changed copy of the document, and the origin of each change: path in the document → key of `changes`.

    changes: a value for each dotted path. A number in a path is the place of an entry in a list, counted from 1;
    without a number, every entry is changed. written: the document with all its defaults, in which the end of a path is
    looked for. user_key: which keys the author of the file chose. Raises `InvalidInput` for a path that the document
    does not have.
    """
    result = copy.deepcopy(dict(document))
    origins: dict[Path, str] = {}
    for text, value in changes.items():
        keys = whole_path(text, written, user_key)
        if keys[0] == ALL_DEFAULTS and len(keys) > 1:
            result.setdefault(ALL_DEFAULTS, {})
        origins |= dict.fromkeys(_set(result, keys, value, (), text, user_key), text)
    return result, origins


def _set(node: Any, keys: tuple[str, ...], value: Any, place: Path, text: str, user_key: IsUserKey) -> Iterator[Path]:
    """Set a value in place and yield the path of each changed entry.

    keys: the rest of the path, below `node`. place: the path of `node`. text: the whole path, for messages. user_key:
    as for `changed`.
    """
    key, below, named = keys[0], keys[1:], shortened(text)
    chosen: Iterable[str | int] = [key]
    if isinstance(node, list) and not key.isdigit():
        chosen, below = range(len(node)), keys
    elif isinstance(node, list):
        if len(key) > 9 or not 1 <= int(key) <= len(node):
            entries = f"the entries are numbered from 1 to {len(node)}"
            raise InvalidInput(f"{named}: there is no number {shortened(key)}; {entries}")
        chosen = [int(key) - 1]
    elif not isinstance(node, dict):
        holds = f"'{shortened(place[-1])}' holds {shortened(node)}"
        raise InvalidInput(f"{named}: {holds}, which has no '{shortened(key)}'")
    elif below and key not in node:
        names = [one for one in place if isinstance(one, str)]
        if user_key((*names, key)):
            raise InvalidInput(f"{named}: {unknown(dotted([key]), (dotted([name]) for name in node))}")
        inner, upper = shortened(dotted([*names, key])), shortened(dotted([*names, *below]))
        cure = (
            f"set {inner} to a table with '{shortened(below[0])}'" if user_key((*names, below[0])) else f"write {upper}"
        )
        raise InvalidInput(f"{named}: the file has no {inner}; {cure}")
    for one in chosen:
        if not below:
            node[one] = copy.deepcopy(value)
            yield (*place, one)
            continue
        if one == NAMED and isinstance(node[one], str):
            node[one] = {"name": node[one]}
        yield from _set(node[one], below, value, (*place, one), text, user_key)
