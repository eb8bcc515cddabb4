"""The errors of the schema as messages for the user.

pydantic's errors become problems with the path in the file, the value found there, and what was expected.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from hopattn.foundation.errors import shortened, unknown
from hopattn.foundation.other_words import ARGUMENTS, by_word, clause_of
from hopattn.scenario.language.causes import causes
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import annotations_at, known_keys, options
from hopattn.scenario.language.syntax_faults import text_hint
from hopattn.scenario.language.table import Problem, toml_type

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
_WORDS = {word: {key: "" for key, clause in keys.items() if not clause} for word, keys in ARGUMENTS.items()} | by_word(
    {
        "W_Q w_query": {"query": ""},
        "W_K w_key": {"key": ""},
        "W_V w_value": {"value": ""},
        "Q": {"queries": ""},
        "K": {"keys": ""},
        "V targets pairs": {"values": ""},
        "stored memories stored_patterns": {"patterns": ""},
        "zero_diagonal diagonal": {"self_coupling": "leave it out: the diagonal is 0 without self_coupling = true"},
        "normalise normalize": {"rule": 'write rule = "hebb", which divides by N, or rule = "outer_products"'},
        "initial init initial_state x0": {"cue": "write [cue.start] with state = […]", "state": ""},
    }
)
"""Other words for a key, each with the keys that may take its place."""
_CHOICES = by_word({"async asynchronous": {"async": "", "sequence": ""}})
"""Other words for a choice, likewise."""
_FILE = re.compile(r"\.(npy|npz|safetensors|csv|tsv|txt|png)$")
"""The end of the name of a file of numbers."""
VERY_LARGE = 10**40
"""A whole number from which on a message writes no digits."""
_LIMITS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}


def schema_problems(
    error: ValidationError, model: type[BaseModel], document: Mapping[str, Any], most: int
) -> Iterator[Problem]:
    """One problem for each fault, with its path in the document; no more than the first `most`.

    error: from the validation of `document` by `model`. Errors that only follow from another one are left out.
    """
    first = error.errors(include_url=False)[:most]
    details = [(detail, _document_path(detail, document)) for detail in first]
    for (detail, path), message in causes(details, model, document):
        yield Problem(path, message or _message(detail, path, model))


def _document_path(detail: Any, document: Any) -> Path:
    """The path in the document of an error's location.

    pydantic's location also holds the tags of the unions on its way; the document has no such keys.
    """
    path, node = list[str | int](), document
    for key in detail["loc"]:
        if key in node if isinstance(node, dict) else isinstance(node, list) and key in range(len(node)):
            path.append(key)
            node = node[key]
    return (*path, detail["loc"][-1]) if detail["type"] == "missing" else tuple(path)


def _message(detail: Any, path: Path, model: type[BaseModel]) -> str:
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "extra_forbidden":
        keys = known_keys(model, detail["loc"][:-1])
        other = clause_of(_WORDS, str(path[-1]), keys.__contains__, "write {}")
        return unknown(path[-1], keys, clause=_level(path, detail["loc"], model) or other)
    if kind == "missing":
        cures: dict[Path, str] = {
            ("schema",): "schema = 1",
            ("expect", "at"): "a matrix as `matrix`, a number as `measure`",
        }
        return f"is missing; write {cure}" if (cure := cures.get(path[::2])) else "is missing"
    if kind in ("literal_error", "union_tag_invalid"):
        return _wrong_choice(value, context)
    if kind == "union_tag_not_found":
        return "is missing its name"
    if kind in ("too_short", "string_too_short", "too_long"):
        return _wrong_length(value, context)
    if limit := next(iter(_LIMITS.keys() & context.keys()), None):
        bound = context[limit]
        is_fraction = limit in ("le", "lt") and bound == 1 and isinstance(value, int | float) and value <= 100
        cure = f"; a fraction: write {value / 100:g} for {value:g} %" if is_fraction else ""
        large = abs(bound) >= 10**6 and bound == int(bound)
        return f"got {_quoted(value)}; expected {_LIMITS[limit]} {f'{int(bound):,}' if large else f'{bound:g}'}{cure}"
    if kind == "list_type" and isinstance(value, dict) and known_keys(model, (*detail["loc"], 0)):
        header = ".".join(str(key) for key in path if isinstance(key, str))
        return f"is one table; expected a list of tables, each of which begins with [[{header}]] instead of [{header}]"
    if kind not in _EXPECTED:
        return str(detail["msg"])
    too_large = kind == "float_type" and isinstance(value, int) and not isinstance(value, bool)
    expected = "a smaller number" if too_large else _EXPECTED[kind]
    return f"got {_quoted(value)}; expected {expected}{_hint(kind, value, detail['loc'], model)}"


def _level(path: Path, location: Sequence[str | int], model: type[BaseModel]) -> str:
    """Where an unknown key belongs, if the table around its own has it, or a table in this one; else empty."""
    *outer, key = path
    while outer and isinstance(outer[-1], int):
        outer.pop()
    if outer:
        start = len(location) - 2 - [*location[-2::-1]].index(outer[-1])
        around = next((f"`{name}`" for name in outer[-2::-1] if isinstance(name, str)), "the file itself")
        if key in known_keys(model, location[:start]):
            return f"it is a key of {around}, one level up"
    below = {
        name: [*known_keys(model, (*location[:-1], name)), *known_keys(model, (*location[:-1], name, 0))]
        for name in known_keys(model, location[:-1])
    }
    inner = [f"`{name}`" for name, keys in below.items() if key in keys]
    return f"it is a key of {' or '.join(inner)}, one level down" if inner else ""


def _wrong_length(value: Any, context: Mapping[str, Any]) -> str:
    """The message for a text, a table or an array that is too short or too long."""
    if not value:
        return "is empty"
    has = f"has {len(value)} {'entry' if len(value) == 1 else 'entries'}"
    least, most = context.get("min_length"), context.get("max_length")
    return f"{has}; expected {f'at least {least}' if most is None else f'at most {most}'}"


def _wrong_choice(value: Any, context: Mapping[str, Any]) -> str:
    """The message for a value, or the name or the type of a value, that is none of the choices."""
    expected = str(context.get("expected", context.get("expected_tags")))
    choices, discriminator = re.findall(r"'((?:[^'\\]|\\.)*)'", expected), str(context.get("discriminator"))
    if "discriminator" in context and "'name'" not in discriminator:
        hint = text_hint(value) if "number" in choices else ""
        return f"got {_quoted(value)}; expected {' or '.join(map(_article, choices))}{hint}"
    if "discriminator" in context and isinstance(value, dict) and not isinstance(value.get("name"), str):
        return f"got {_quoted(value.get('name'))}; expected a name, a text"
    wrong = context.get("tag", value)
    clause = clause_of(_CHOICES, str(wrong), choices.__contains__, "write '{}'")
    return (
        unknown(wrong, choices, clause=clause)
        if choices
        else f"got {_quoted(wrong)}; expected {expected.replace('True', 'true')}"
    )


def _hint(kind: str, value: Any, location: Sequence[str | int], model: type[BaseModel]) -> str:
    """The hint for a text instead of a number, of a list of numbers, or of a list of texts, for a number or a vector
    instead of a text, and for a table without its name; else empty.
    """
    if _EXPECTED[kind].endswith("a table") and location[-1] in known_keys(model, location):
        name = ".".join(map(str, location[:-1]))
        return f"; each table of {name} has a name: write [{name}.one] above `{location[-1]}`"
    if kind == "string_type" and toml_type(value) == "number" and abs(value) < VERY_LARGE:
        return f'; write "{value}"'
    if kind == "string_type" and toml_type(value) == "array" and location[0] == "input":
        cued = "cue" in known_keys(model, ())
        place = f"[cue.a]: state = {value}" if cued else f"[vocabulary.words]: a = {value}"
        return f'; write a name, such as "a", and give its numbers in {shortened(place)}'
    if kind in ("float_type", "int_type"):
        return text_hint(value, whole=kind == "int_type")
    entries = [inner for annotation in annotations_at(model, (*location, 0)) for inner, _ in options(annotation)]
    if kind == "list_type" and str in entries and isinstance(value, str) and not text_hint(value):
        if _FILE.search(value):
            pattern = f'files.a = "{shortened(value)}" in [pictures], and "a" here'
            return f'; for one pattern, write {pattern}; kind = "ensemble" reads many'
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
    if isinstance(value, int) and abs(value) >= VERY_LARGE:
        return "a number of very many digits"  # Python may refuse to write it out
    return f"'{shortened(value)}'" if name == "text" else shortened(value)


def _article(name: str) -> str:
    return f"an {name}" if name == "array" else f"a {name}"
