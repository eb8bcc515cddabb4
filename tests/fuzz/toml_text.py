"""A document as the text of a TOML file, as its author would write it: tables under headings, the rest on lines."""

import json
import math
import re
from datetime import date, datetime, time

BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(document):
    """The text of a document, a dictionary with tables, lists, texts, numbers and dates."""
    plain = {key: value for key, value in document.items() if not _is_table(value) and not _is_tables(value)}
    lines = _lines(plain)
    for key, value in document.items():
        if _is_table(value):
            lines += ["", f"[{_key(key)}]", *_lines(value)]
        elif _is_tables(value):
            lines += [line for table in value for line in ("", f"[[{_key(key)}]]", *_lines(table))]
    return "\n".join([*lines, ""])


def _lines(table):
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _is_table(value):
    return isinstance(value, dict)


def _is_tables(value):
    return isinstance(value, list) and bool(value) and all(map(_is_table, value))


def _key(key):
    return key if BARE.fullmatch(key) else _text(key)


def _text(text):
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value):
    match value:
        case bool():
            return str(value).lower()
        case str():
            return _text(value)
        case float() if math.isinf(value) or math.isnan(value):
            return str(value)
        case int() | float():
            return repr(value)
        case datetime() | date() | time():
            return value.isoformat()
        case dict():
            return "{ " + ", ".join(_lines(value)) + " }"
        case _:
            return "[" + ", ".join(map(_value, value)) + "]"
