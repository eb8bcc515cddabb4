"""Changes of single values in a scenario: a variant's `set`, and `--set` on the command line."""

import copy
import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from hopattn.foundation.errors import InvalidInput, quoted, shortened, unknown
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import IsUserKey, dotted, last_keys, no_user_keys, parse_path, whole_path
from hopattn.scenario.language.syntax_faults import syntax_fault

NAMED = "model"
"""The key whose text is the name of a table: a change of model.rule makes { name = …, rule = … } of it."""
ALL_DEFAULTS = "figure"
"""The table whose keys may all be left out: a change of one of them needs no table in the file."""
_WORDS = re.compile(r"[^\W\d][\w-]*(,[^\W\d][\w-]*)*|[^\W\d][\w.]*:[^\W\d]\w*")
"""Words that need no quotes, which a shell might take away: `in` is a text, `in,muddy` a list of two, and
`mymodule:LogCosh` a class of the user's own."""
_IN_A_SHELL = re.compile(r"[\"'$`!]")
"""Characters that mean something between double quotes in a shell, or would end a text in single ones."""


def parse_assignment(text: str) -> tuple[str, Any]:
    """The path and the value of `path=value`; the value is TOML, or words without quotes.

    Raises `InvalidInput` for a text without `=`, and for a value that is not TOML.

    >>> parse_assignment("layer.head.separation=softmax")
    ('layer.head.separation', 'softmax')
    >>> parse_assignment("input.tokens=in,banks") == parse_assignment("input.tokens=['in', 'banks']")
    True
    """
    path, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(f"--set '{shortened(text)}': expected KEY=VALUE, as in mask=causal")
    value = value.strip()
    try:
        parsed = tomllib.loads(f"value = {value}")
    except (ValueError, RecursionError) as error:
        if _WORDS.fullmatch(value):
            return path.strip(), value.split(",") if "," in value else value
        cause = "texts need quotes, lists need brackets"
        if isinstance(error, tomllib.TOMLDecodeError):
            cause = syntax_fault(f"value = {value}", error).message
        if cause.startswith("a text needs quotes") and not _IN_A_SHELL.search(text):
            argument = shortened(f"{path.strip()}='{value}'")
            cause = f'a text needs quotes: --set "{argument}"'
        if _WORDS.fullmatch(several := ",".join(value.split())):
            cause += f"; for a list of words write {shortened(several)}"
        raise InvalidInput(f"{shortened(path.strip())}: {quoted(value)} is not a TOML value; {cause}") from None
    if set(parsed) != {"value"}:
        raise InvalidInput(f"{shortened(path.strip())}: {quoted(value)} is more than one value")
    return path.strip(), parsed["value"]


def require_changes(overrides: Any) -> None:
    """Raise `InvalidInput` for overrides that are not a mapping from paths to values."""
    if not isinstance(overrides, Mapping) or not all(isinstance(path, str) for path in overrides):
        raise InvalidInput(f"overrides: expected a value for each path, not {quoted(overrides)}")


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


def at(document: Mapping[str, Any], path: Path) -> Any:
    """The value at a path of a document; None where there is none."""
    node: Any = document
    with suppress(KeyError, IndexError, TypeError):
        for key in path:
            node = node[key]
        return node
    return None


def changed(
    document: Mapping[str, Any],
    changes: Mapping[str, Any],
    written: Mapping[str, Any] | None = None,
    user_key: IsUserKey = no_user_keys,
) -> tuple[dict[str, Any], dict[Path, str]]:
    """A changed copy of the document, and the origin of each change: path in the document → key of `changes`.

    changes: a value for each dotted path. A number in a path is the place of an entry in a list, counted from 1;
    without a number, every entry is changed. written: the document with all its defaults, in which the end of a path is
    looked for (None: every path is whole). user_key: which keys the author of the file chose. Raises `InvalidInput` for
    a path that the document does not have.
    """
    result = copy.deepcopy(dict(document))
    origins: dict[Path, str] = {}
    for text, value in changes.items():
        keys = parse_path(text) if written is None else whole_path(text, written, user_key)
        if keys[0] == ALL_DEFAULTS and len(keys) > 1:
            result.setdefault(ALL_DEFAULTS, {})
        for place in list(_set(result, keys, value, (), text)):
            origins[place] = text
    return result, origins


def _set(node: Any, keys: tuple[str, ...], value: Any, place: Path, text: str) -> Iterator[Path]:
    """Set a value in place and yield the path of each changed entry.

    keys: the rest of the path, below `node`. place: the path of `node`. text: the whole path, for messages.
    """
    key, rest = keys[0], keys[1:]
    if isinstance(node, list):
        indices, inner_keys = (_index(node, key, text), rest) if key.isdigit() else (range(len(node)), keys)
        for i in indices:
            if inner_keys:
                yield from _set(node[i], inner_keys, value, (*place, i), text)
            else:
                node[i] = copy.deepcopy(value)
                yield (*place, i)
    elif not isinstance(node, dict):
        raise InvalidInput(
            f"{shortened(text)}: '{shortened(place[-1])}' holds {shortened(node)}, which has no '{shortened(key)}'"
        )
    elif rest:
        if key not in node:
            raise InvalidInput(f"{shortened(text)}: {unknown(dotted([key]), (dotted([name]) for name in node))}")
        if key == NAMED and isinstance(node[key], str):
            node[key] = {"name": node[key]}
        yield from _set(node[key], rest, value, (*place, key), text)
    else:
        node[key] = copy.deepcopy(value)
        yield (*place, key)


def _index(node: list[Any], key: str, text: str) -> list[int]:
    if len(key) > 9 or not 1 <= int(key) <= len(node):
        raise InvalidInput(
            f"{shortened(text)}: there is no number {shortened(key)}; the entries are numbered from 1 to {len(node)}"
        )
    return [int(key) - 1]
