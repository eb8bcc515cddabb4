"""One error for each fault: the errors of the schema without those that only follow from another one.

A heading that is missing leaves its keys in the table above, where they are unknown or of the wrong type, and its own
table is missing. A mistyped key is unknown, and the right one is missing.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_origin

from pydantic import BaseModel

from hopattn.foundation.errors import nearest, shortened, unknown
from hopattn.scenario.language.lines import Path, dotted
from hopattn.scenario.language.paths import annotations_at, known_keys, options, value_at

Error = tuple[Any, Path]
"""An error of the schema, and its path in the document."""
SPACES, NEEDED = "spaces", "word"
"""A table of the author's own names that may be left out, and the name that has to be in it."""


def causes(errors: Sequence[Error], model: type[BaseModel], document: Mapping[str, Any]) -> Iterator[tuple[Error, str]]:
    """The errors that are faults of their own, each with a message if it stands for several of them, else empty."""
    lacking = {path: detail for detail, path in errors if _is_lacking(detail, model)}
    strangers = defaultdict[Path, dict[str, Error]](dict)
    """By the table that they stand in: the first error of each key that does not belong there."""
    names = {path[-1] for path in lacking}
    for detail, path in errors:
        strange = detail["type"] == "extra_forbidden" or path[-1] in names
        home = path[:-1] if strange else _table_of_names(path, model, document)
        if home is not None and path not in lacking:
            strangers[home].setdefault(str(path[len(home)]), (detail, path))
    said, followed = dict[Path, str](), list[Path]()
    """The messages of errors by their paths, and the paths below which all others only follow."""
    for home, own in strangers.items():
        first = next(iter(own.values()))
        known = known_keys(model, first[0]["loc"][: len(first[0]["loc"]) - len(first[1]) + len(home)])
        near = {(*home, guess) for key in own if key not in known and (guess := nearest(key, known))}
        heading, missing = _heading({*own}, home, lacking, model, document, like_known=len(near) == len(own))
        lost = [path for path in lacking if path[:-1] == home]
        if heading:
            others = f" and {len(own) - 1} more below" if len(own) > 1 else ""
            said[first[1]] = f"belongs to {heading}{others}; write {heading} on the line above"
            followed += [*missing, *((*home, key) for key in own)]
        elif first[0]["type"] == "extra_forbidden":
            followed += near
            if not near and len(own) == len(lost) == 1:
                clause = f"did you mean '{lost[0][-1]}', which is missing?"
                said[first[1]] = unknown(next(iter(own)), known, clause=clause)
                followed += lost
    for detail, path in errors:
        unfinished = path[:1] == ("expect",) and path not in lacking and any(one[:2] == path[:2] for one in lacking)
        if path in said:
            yield (detail, path), said.pop(path)
        elif not any(path[: len(one)] == one for one in followed) and (
            detail["type"] == "extra_forbidden" or not unfinished
        ):
            yield (detail, path), ""


def _is_lacking(detail: Any, model: type[BaseModel]) -> bool:
    """Whether a key is missing, or the heading of a list of tables, of which only a part is there."""
    is_part = detail["type"] == "list_type" and isinstance(detail["input"], dict)
    return detail["type"] == "missing" or (is_part and bool(known_keys(model, (*detail["loc"], 0))))


def _table_of_names(path: Path, model: type[BaseModel], document: Mapping[str, Any]) -> Path | None:
    """The table around a value whose keys are the author's own names, such as [vocabulary.words]; None outside one."""
    tables = (path[:end] for end in range(1, len(path)) if isinstance(value_at(document, path[:end]), dict))
    return next((table for table in tables if _has_names(model, table)), None)


def _has_names(model: type[BaseModel], table: Path) -> bool:
    return any(get_origin(one) is dict for annotation in annotations_at(model, table) for one, _ in options(annotation))


def _heading(
    keys: set[str],
    home: Path,
    lacking: Mapping[Path, Any],
    model: type[BaseModel],
    document: Mapping[str, Any],
    like_known: bool,
) -> tuple[str, list[Path]]:
    """The heading that is missing above keys, as the file would have it, and the paths that are missing for want of it.

    Empty where the keys belong to no table, or where a single key may just stand in the wrong one.
    like_known: whether each key is like one of the table that it stands in.
    """
    standing = {*keys, *value_at(document, home)}
    for path in lacking:
        if keys <= {*_keys_below(model, path)}:
            return _written(model, path), [path]
        table, key = path[:-1], path[-1]
        if key in standing and keys <= {*known_keys(model, table)} and table != home:
            return _written(model, table), [one for one in lacking if one[:-1] == table and one[-1] in standing]
    mistyped = any(path[:-1] == home and nearest(NEEDED, [str(path[-1])]) for path in lacking)
    if NEEDED in keys and not mistyped and SPACES in known_keys(model, ()) and SPACES not in home:
        return _written(model, (SPACES,)), []
    named = [one for path in lacking for one in (path, *((*path, name) for name in known_keys(model, path)))]
    if not like_known and (names := next((one for one in named if _has_names(model, one)), None)):
        return _written(model, names), [path for path in lacking if path == names[: len(path)]]
    inside = [(*home[:end], name) for end in range(len(home), -1, -1) for name in known_keys(model, home[:end])]
    for within in inside if len(keys) > 1 else ():
        own = value_at(document, within)
        headless = own is None or (isinstance(own, dict) and all(isinstance(one, dict | list) for one in own.values()))
        if keys <= {*_keys_below(model, within)} and (headless or known_keys(model, (*within, 0))):
            return _written(model, within), []
    return "", []


def _keys_below(model: type[BaseModel], table: Path) -> list[str]:
    """The keys of a table, of each of a list of tables, or of each of those with names of the author's own."""
    return known_keys(model, table) or known_keys(model, (*table, 0)) or known_keys(model, (*table, "one"))


def _written(model: type[BaseModel], table: Path) -> str:
    """A heading: [memory], [[layer.head]], [cue.one]."""
    name = dotted(shortened(key) for key in table if isinstance(key, str))
    if any(get_origin(one) is list for annotation in annotations_at(model, table) for one, _ in options(annotation)):
        return f"[[{name}]]"
    return f"[{name}.one]" if _has_names(model, table) and known_keys(model, (*table, "one")) else f"[{name}]"
