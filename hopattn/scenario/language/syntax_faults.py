"""The likely cause of a text that is not TOML, for the user: `tomllib` says only where it could not go on.

Each rule looks at the place where reading stopped and knows one cause. The first rule that fits gives the message.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable

from hopattn.foundation.errors import shortened
from hopattn.scenario.language.paths import BARE, dotted
from hopattn.scenario.language.stopped import Fault, Stop, stop_of

CURLY = "“”„‟‘’‚‛«»"
"""Quotes that word processors write; TOML knows only the straight ones."""
_STATEMENT = re.compile(r"\s*(\[{1,2}\s*[A-Za-z_\"'][^\[\]=]*\]{1,2}\s*(#.*)?$|[\w.\"'-]+\s*=)")
"""A line that begins a table or gives a key its value."""
_WORD = re.compile(r"[^\W\d][\w-]*")
_WHOLE_BEFORE = re.compile(r"(?<![\w.])[+-]?\d[\d_]*$")
"""A whole number right before the place."""
_LONG = 1000
"""A longer word is not a name or a number. The bound keeps the search short, whose time grows with the square of it."""


def syntax_fault(text: str, error: tomllib.TOMLDecodeError) -> Fault:
    """The fault of a text that `tomllib` refused with an error."""
    stop = stop_of(text, error)
    return next(
        (Fault(text, *found) for rule in _RULES if (found := rule(stop))), Fault(text, stop.at, stop.plain_reason)
    )


_Found = tuple[int, str] | None
"""The place of a cause and its message, if a rule finds it."""


def _twice(stop: Stop) -> _Found:
    """A key or a table that exists already, also `[expect]` beside `[[expect]]`."""
    if not stop.reason.startswith("Cannot"):
        return None
    lines = stop.text[: stop.statement].split("\n")[:-1]
    statement = stop.text[stop.statement :].partition("\n")[0]
    if len(statement) > _LONG:
        return None
    if header := re.match(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(#.*)?$", statement):
        name = header[1]
        same = re.compile(rf"\s*\[{{1,2}}\s*{re.escape(name)}\s*\]{{1,2}}")
        advice = f"; each one of several is written [[{name}]]"
    else:
        name = statement.partition("=")[0].strip()
        last_table = max((i for i, line in enumerate(lines) if re.match(r"\s*\[", line)), default=-1)
        lines[: last_table + 1] = [""] * (last_table + 1)
        same, advice = re.compile(rf"\s*{re.escape(name)}\s*="), ""
    line = next((i for i, line in enumerate(lines, start=1) if same.match(line)), None)
    there = f"is already on line {line}" if line else "has a value already"
    return stop.statement, f"'{shortened(name)}' {there}{advice if line else ''}"


def _curly_quote(stop: Stop) -> _Found:
    """A quote that a word processor has written."""
    start = stop.at if stop.quote is None else stop.quote
    rest = stop.text[start:].partition("\n")[0]
    found = next((i for i, c in enumerate(rest) if c in CURLY), -1)
    if found == 0 or (found > 0 and stop.quote is not None):
        place = start + found
        return place, f'{stop.text[place]} is a curly quote; a text begins and ends with a straight one: "'
    return None


def _quote(stop: Stop) -> _Found:
    """A text that has no end, or none of its quotes."""
    if stop.quote is not None:
        return stop.quote, "the text that begins here has no closing quote"
    if stop.odd_quotes and (stop.reason == "Invalid value" or stop.reason.startswith("Unclosed")):
        return stop.at, "a quote is missing: every text begins and ends with one"
    return None


def _bracket(stop: Stop) -> _Found:
    """A bracket of an earlier line that is not closed where the next statement begins."""
    line_start = stop.text.rfind("\n", 0, stop.at) + 1
    at_end = not stop.text[stop.at :].strip()
    earlier = [place for place in stop.opened if place < line_start or at_end]
    if earlier and (at_end or _STATEMENT.match(stop.line)):
        line = stop.text.count("\n", 0, earlier[-1]) + 1
        return earlier[-1], f"the bracket {stop.text[earlier[-1]]} opened on line {line} is never closed"
    if stop.inside == "{" and not stop.rest.partition("#")[0].strip():
        return stop.opened[-1], "a table in braces { } must be on one line"
    return None


def _number(stop: Stop) -> _Found:
    """A number that TOML writes in another way."""
    start = max(stop.statement, stop.at - _LONG)
    rest, before = stop.rest, stop.text[start : stop.at]
    if match := re.match(r"[−–]([\d.][\w.+-]*)", rest):
        return stop.at, f"a minus sign is the - of the keyboard: write -{match[1]}"
    if (match := re.match(r"([+-]?)[.,](\d+)", rest)) and not before[-1:].isdigit():
        return stop.at, f"a number has a digit before its point: write {match[1]}0.{match[2]}"
    comma = re.search(r"([+-]?\d+),(\d+)\s*$", before)
    if comma and stop.inside == "{":
        return start + comma.start(), f"a number has a decimal point: write {comma[1]}.{comma[2]}"
    whole = _WHOLE_BEFORE.search(before)
    if not whole:
        return None
    if (match := re.match(r",(\d+)", rest)) and not stop.opened:
        return stop.at, f"a number has a decimal point: write {whole[0]}.{match[1]}"
    if re.match(r"\.(?!\d)", rest):
        return stop.at, f"a number has a digit after its point: write {whole[0]}.0"
    if whole[0].lstrip("+-") == "0" and (match := re.match(r"\d+", rest)):
        if comma := re.search(r"([+-]?\d+),0$", before):
            return start + comma.start(), f"a number has a decimal point: write {comma[1]}.0{match[0]}"
        return stop.at - 1, f"a number begins with no further 0: write {int(match[0])}"
    return (stop.at, "a number is written as a decimal, such as 0.5") if rest[:1] in ("/", "%") else None


def _value(stop: Stop) -> _Found:
    """A value that is missing, or a word without quotes."""
    if stop.reason != "Invalid value":
        return None
    if not stop.rest.partition("#")[0].strip():
        return stop.at, "a value is missing here"
    word = _WORD.match(stop.rest)
    if word is None:
        return stop.at, "expected a value: a text in quotes, a number, true, false, a list in [ ] or a table in { }"
    if word[0].lower() in ("true", "false"):
        return stop.at, f"write {word[0].lower()}, with small letters"
    if word[0].lower() in ("none", "null", "nil"):
        return stop.at, f"{word[0]} is not a value; leave the key out"
    whole = re.match(r"[^,\]}#\n]*", stop.rest)
    return stop.at, f'a text needs quotes: write "{shortened(whole[0].strip() if whole else word[0])}"'


def _key(stop: Stop) -> _Found:
    """A key that is missing, or needs quotes, or has no equals sign."""
    if not stop.reason.startswith(("Invalid statement", "Invalid initial", "Expected '=' after", "Expected ']")):
        return None
    start = stop.statement
    if stop.inside == "{":
        start = max(stop.opened[-1], stop.text.rfind(",", start, stop.at)) + 1
    line = stop.text[start:].partition("\n")[0]
    start, line = start + len(line) - len(line.lstrip()), line.strip()
    if line.startswith("//"):
        return start, "a comment begins with #"
    if header := re.match(r"(\[{1,2})([^\[\]]*)(\]{0,2})", line):
        opening, name, closing = header.groups()
        closed = "]" * len(opening)
        if closing != closed and _quoted_keys(name) == name.strip():
            return start, f"the name of a table needs as many brackets on both sides: {opening}{name}{closed}"
        return start, _needs_quotes(name, f"{opening}{_quoted_keys(name)}{closed}")
    key, equals, _ = line.partition("=")
    if colon := re.match(r"[\w\"' .-]+:", key):
        return start + colon.end() - 1, "write = between a key and its value, instead of :"
    if not equals:
        return start, "expected key = value, or [table]"
    return start, _needs_quotes(key, _quoted_keys(key)) if key.strip() else "a key is missing before ="


def _needs_quotes(key: str, quoted: str) -> str:
    """The advice for a key that is not made of plain letters; a Greek letter may mean its name."""
    if not key.strip():
        return "the name of the table is missing"
    greek = re.match(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)$", unicodedata.name(key.strip()[:1], ""))
    name = f", or give the key its name, {greek[1].lower()}" if greek and len(key.strip()) == 1 else ""
    plain = "a key that has other characters than a–z, A–Z, 0–9, _ and - needs quotes"
    return f"{plain}: write {shortened(quoted)}{name}"


def _quoted_keys(key: str) -> str:
    """A dotted key with quotes around the parts that need them."""
    parts = [part.strip().strip(CURLY + "\"'") for part in key.strip().split(".")]
    return key.strip() if all(map(BARE.fullmatch, key.strip().split("."))) else dotted(parts)


def _next(stop: Stop) -> _Found:
    """Something behind a value: a comma is missing before it, or it does not belong there."""
    if stop.reason.startswith("Unclosed"):
        return stop.at, "a comma is missing before this"
    if stop.reason.startswith("Expected newline"):
        if stop.rest[:1] in ("]", "}"):
            return stop.at, f"the bracket {stop.rest[0]} closes nothing"
        return stop.at, "nothing may follow a value on its line but a comment, which begins with #"
    return None


def _backslash(stop: Stop) -> _Found:
    """A backslash in a text."""
    if "\\" in stop.line and re.search(r"Unescaped|hex|escape", stop.reason):
        return stop.at, r"a backslash in a text is written \\, or the text needs single quotes"
    return None


_RULES: tuple[Callable[[Stop], _Found], ...] = (
    _twice, _curly_quote, _quote, _bracket, _number, _value, _key, _next, _backslash
)  # fmt: skip
