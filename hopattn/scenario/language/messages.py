"""From what the schema finds wrong to messages a person can act on: where, what stands there, what was expected."""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError

from hopattn.foundation.errors import nearest, shortened, unknown
from hopattn.scenario.language.fields import EntryIn, Problem, toml_sort
from hopattn.scenario.language.lines import Path

_EXPECTED = {
    "string_type": "a text",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "finite_number": "a finite number",
    "int_parsing_size": "a smaller whole number",
}
_LIMITS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than_equal": ("le", "at most"),
}


def complaints(error: ValidationError, model: type[BaseModel], document: Mapping[str, Any]) -> Iterator[Problem]:
    """One problem for each error of the schema, with the path that the document has for it."""
    found = [(detail, _document_path(detail, document)) for detail in error.errors(include_url=False)]
    mistyped = {
        (path[:-1], nearest(path[-1], _known_keys(model, detail["loc"][:-1])))
        for detail, path in found
        if detail["type"] == "extra_forbidden"
    }
    for detail, path in found:
        if detail["type"] == "missing" and (path[:-1], path[-1]) in mistyped:
            continue  # it is there, with a slip in its name
        yield Problem(path, _message(detail, path, model))


def _document_path(detail: Any, document: Any) -> Path:
    """The schema's location without the names of the choices that it passed, which the document does not have."""
    location = detail["loc"]
    path: list[str | int] = []
    node: Any = document
    for i, key in enumerate(location):
        if _has(node, key):
            path.append(key)
            node = node[key]
        elif i == len(location) - 1 and detail["type"] == "missing":
            path.append(key)
    return tuple(path)


def _has(node: Any, key: str | int) -> bool:
    return key in node if isinstance(node, dict) else isinstance(node, list) and key in range(len(node))


def _message(detail: Any, path: Path, model: type[BaseModel]) -> str:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        return unknown(path[-1], _known_keys(model, detail["loc"][:-1]))
    if kind == "missing":
        return "is missing"
    if kind == "literal_error" or (kind == "union_tag_invalid" and "'name'" in str(context.get("discriminator"))):
        choices = re.findall(r"'((?:[^'\\]|\\.)*)'", str(context.get("expected", context.get("expected_tags"))))
        wrong = context.get("tag", value)
        if kind == "union_tag_invalid" and isinstance(value, dict) and not isinstance(value.get("name"), str):
            return f"{_quoted(value.get('name'))} stands there; expected a name, a text"
        expected = str(context.get("expected", "")).replace("True", "true")
        return unknown(wrong, choices) if choices else f"{_quoted(wrong)} stands there; expected {expected}"
    if kind == "union_tag_invalid":
        sorts = re.findall(r"'([^']*)'", str(context["expected_tags"]))
        return f"{_quoted(value)} stands there; expected {' or '.join(_article(sort) for sort in sorts)}"
    if kind == "union_tag_not_found":
        return "is missing its name"
    if kind in ("too_short", "string_too_short"):
        return "is empty" if toml_sort(value) in ("array", "text", "table") and not value else "is too short"
    if kind in _LIMITS:
        limit, words = _LIMITS[kind]
        return f"{_quoted(value)} stands there; expected {words} {context[limit]:g}"
    wanted = _EXPECTED.get(kind)
    if kind == "float_type" and isinstance(value, int) and not isinstance(value, bool):
        wanted = "a smaller number"
    return f"{_quoted(value)} stands there; expected {wanted}" if wanted else str(detail["msg"])


def _quoted(value: Any) -> str:
    """A value as it would stand in the file, or the sort that it is where it is long."""
    sort = toml_sort(value)
    if sort in ("table", "array"):
        return _article(sort)
    if sort == "truth value":
        return str(value).lower()
    return f"'{shortened(value)}'" if sort == "text" else _huge(value) or shortened(value)


def _huge(value: Any) -> str:
    """A whole number that has too many digits to be shown (or, for Python, to be written at all)."""
    return "a number of very many digits" if isinstance(value, int) and abs(value) >= 10**40 else ""


def _article(sort: str) -> str:
    return f"an {sort}" if sort == "array" else f"a {sort}"


def _known_keys(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """The keys that the table at a location may have."""
    candidates: list[Any] = [model]
    for key in location:
        candidates = [inner for candidate in candidates for inner in _inside(candidate, key)]
    models = [found for candidate in candidates for found in _models(candidate)]
    return sorted({field.alias or name for found in models for name, field in found.model_fields.items()})


def _inside(annotation: Any, key: str | int) -> Iterator[Any]:
    """The annotations that one step of a location leads to: into a field, an entry, or one choice of a union."""
    for option, tag in _options(annotation):
        if tag is not None and tag == key:
            yield option
        elif isinstance(option, type) and issubclass(option, BaseModel):
            yield from (field.annotation for name, field in option.model_fields.items() if (field.alias or name) == key)
        elif get_origin(option) in (list, dict):
            yield get_args(option)[-1]


def _options(annotation: Any) -> Iterator[tuple[Any, str | None]]:
    """The choices that an annotation leaves, each with the tag that a location has for it."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        inner = next((extra.annotation for extra in extras if isinstance(extra, EntryIn)), inner)
        tag = next((extra.tag for extra in extras if isinstance(extra, Tag)), None)
        yield from _options(inner) if tag is None else [(inner, tag)]
    elif get_origin(annotation) in (Union, types.UnionType):
        for option in get_args(annotation):
            yield from _options(option)
    else:
        fields = getattr(annotation, "model_fields", {})
        yield annotation, next(iter(get_args(fields["name"].annotation)), None) if "name" in fields else None


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    for option, tag in _options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            yield option
        elif tag is not None:
            yield from _models(option)
