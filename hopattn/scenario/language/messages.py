"""The errors of the schema as messages for the user.

pydantic's errors become problems with the path in the file, the value found there, and what was expected.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from hopattn.foundation.errors import nearest, shortened, unknown
from hopattn.scenario.language.decimal_commas import text_hint
from hopattn.scenario.language.fields import Problem, toml_type
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import annotations_at, known_keys, options

_EXPECTED = {
    "string_type": "a text",
    "float_type": "a number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a name or a table",
    "finite_number": "a finite number",
    "int_parsing_size": "a smaller whole number",
}
_LIMITS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def schema_problems(
    error: ValidationError, model: type[BaseModel], document: Mapping[str, Any], most: int
) -> Iterator[Problem]:
    """One problem for each error of the schema, with its path in the document; no more than the first `most`.

    error: from the validation of `document` by `model`. A key that is missing because its name is mistyped is reported
    once, as an unknown key.
    """
    first = error.errors(include_url=False)[:most]
    details = [(detail, _document_path(detail, document)) for detail in first]
    mistyped = {
        (path[:-1], nearest(path[-1], known_keys(model, detail["loc"][:-1])))
        for detail, path in details
        if detail["type"] == "extra_forbidden"
    }
    for detail, path in details:
        if detail["type"] == "missing" and (path[:-1], path[-1]) in mistyped:
            continue  # the mistyped key is reported already
        yield Problem(path, _message(detail, path, model))


def is_consequence_of(problem: Problem, refused: Iterable[Path]) -> bool:
    """Whether a problem may exist only because the schema refused values, which are then taken for left out.

    It may if it lies in the table of a refused value, or names a refused key of the whole file. A vector of a word is
    replaced and not left out, so nothing follows from it. Without its model a memory is another one, so that what other
    tables need of it follows.
    """
    for path in refused:
        keys = [i for i, key in enumerate(path) if isinstance(key, str)]
        if not keys or path[:1] == ("expect",) or path[:2] == ("vocabulary", "words"):
            continue
        if path[keys[-1]] == "model" and problem.path[:1] in (("states",), ("returns",), ("fixed_points",)):
            return True
        table = path[: keys[-1]]
        named = re.search(rf"\b{re.escape(str(path[0]))}\b", problem.message) is not None
        if problem.path[: len(table)] == table if table else named or problem.path[:1] == path[:1]:
            return True
    return False


def _document_path(detail: Any, document: Any) -> Path:
    """The path in the document of an error's location.

    pydantic's location also holds the tags of the unions on its way; the document has no such keys.
    """
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
        return unknown(path[-1], known_keys(model, detail["loc"][:-1]))
    if kind == "missing":
        return "is missing; write schema = 1" if path == ("schema",) else "is missing"
    if kind == "literal_error" or (kind == "union_tag_invalid" and "'name'" in str(context.get("discriminator"))):
        choices = re.findall(r"'((?:[^'\\]|\\.)*)'", str(context.get("expected", context.get("expected_tags"))))
        wrong = context.get("tag", value)
        if kind == "union_tag_invalid" and isinstance(value, dict) and not isinstance(value.get("name"), str):
            return f"got {_quoted(value.get('name'))}; expected a name, a text"
        expected = str(context.get("expected", "")).replace("True", "true")
        return unknown(wrong, choices) if choices else f"got {_quoted(wrong)}; expected {expected}"
    if kind == "union_tag_invalid":
        types = re.findall(r"'([^']*)'", str(context["expected_tags"]))
        hint = text_hint(value) if "number" in types else ""
        return f"got {_quoted(value)}; expected {' or '.join(_article(name) for name in types)}{hint}"
    if kind == "union_tag_not_found":
        return "is missing its name"
    if kind in ("too_short", "string_too_short", "too_long"):
        return _wrong_length(value, context)
    if kind in _LIMITS:
        limit, words = _LIMITS[kind]
        is_fraction = limit in ("le", "lt") and context[limit] == 1 and isinstance(value, int | float)
        cure = f"; a fraction: write {value / 100:g} for {value:g} %" if is_fraction and value <= 100 else ""
        return f"got {_quoted(value)}; expected {words} {_limit(context[limit])}{cure}"
    if kind == "list_type" and isinstance(value, dict) and known_keys(model, (*detail["loc"], 0)):
        header = ".".join(str(key) for key in path if isinstance(key, str))
        return f"is one table; expected a list of tables, each of which begins with [[{header}]] instead of [{header}]"
    if kind not in _EXPECTED:
        return str(detail["msg"])
    too_large = kind == "float_type" and isinstance(value, int) and not isinstance(value, bool)
    expected = "a smaller number" if too_large else _EXPECTED[kind]
    return f"got {_quoted(value)}; expected {expected}{_hint(kind, value, detail['loc'], model)}"


def _wrong_length(value: Any, context: Mapping[str, Any]) -> str:
    """The message for a text, a table or an array that is too short or too long."""
    if not value:
        return "is empty"
    has = f"has {len(value)} {'entry' if len(value) == 1 else 'entries'}"
    least, most = context.get("min_length"), context.get("max_length")
    return f"{has}; expected {f'at least {least}' if most is None else f'at most {most}'}"


def _limit(limit: float) -> str:
    """A limit, a large whole number with commas between its thousands.

    >>> _limit(2**30), _limit(0.5), _limit(100)
    ('1,073,741,824', '0.5', '100')
    """
    return f"{int(limit):,}" if abs(limit) >= 10**6 and limit == int(limit) else f"{limit:g}"


def _hint(kind: str, value: Any, location: Sequence[str | int], model: type[BaseModel]) -> str:
    """The hint for a text instead of a number, of a list of numbers, or of a list of texts; else empty."""
    if kind in ("float_type", "int_type"):
        return text_hint(value, whole=kind == "int_type")
    entries = [inner for annotation in annotations_at(model, (*location, 0)) for inner, _ in options(annotation)]
    if kind == "list_type" and str in entries and isinstance(value, str) and not text_hint(value):
        words = value.split() or ["…"]
        return f"; write {shortened(json.dumps(words, ensure_ascii=False))}"
    return text_hint(value, "[{}]") if kind == "list_type" and float in entries else ""


def _quoted(value: Any) -> str:
    """A value as it would be in the file; of a table or an array only the type."""
    name = toml_type(value)
    if name in ("table", "array"):
        return _article(name)
    if name == "truth value":
        return str(value).lower()
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a number of very many digits"  # Python may refuse to write it out
    return f"'{shortened(value)}'" if name == "text" else shortened(value)


def _article(name: str) -> str:
    return f"an {name}" if name == "array" else f"a {name}"
