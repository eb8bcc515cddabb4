"""What is wrong with a text before it is a document: it is too large, or not TOML. Hints for numbers with a comma.

The bounds are asked before `tomllib` reads the text: its time grows with the square of the depth, and a value takes it
and the checks that follow many times the memory that it takes in the file.

Of a text that is not TOML, `tomllib` says only where it could not go on. All before that place is TOML, so that a
simple reader of strings, comments and brackets suffices. Each rule looks at the place and knows one cause. The first
cause that is found gives the message.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from hopattn.foundation.errors import shortened
from hopattn.scenario.language.lines import QUOTES, dotted, tokens

MOST_DEPTH = 32
"""The most dots and brackets on the way to a value: dots of its table's name and of its key, brackets around it."""
MOST_VALUES = 80_000
"""The most values of a file, enough for the vectors of 300 words of 256 numbers each.

Each comma, equals sign and opening bracket counts as a value, and the bracket of a table as `TABLE` of them. A dot in
a key counts as many as there are dots and brackets before it, since `tomllib` goes through them again.
"""
TABLE = 4
"""How many values a table counts as, since checking it takes longer."""
MOST_VARIANTS = 1000
"""The most variants of a file."""
MOST_CHANGED = 500_000
"""The most changes of all variants of a file times its values: each change goes over all of them."""
CURLY = "“”„‟‘’‚‛«»"
"""Quotes that word processors write; TOML knows only the straight ones."""
_POSITION = re.compile(r" \(at line (\d+), column (\d+)\)$")
_STATEMENT = re.compile(r"\s*(\[{1,2}\s*[A-Za-z_\"'][^\[\]=]*\]{1,2}\s*(#.*)?$|[\w.\"'-]+\s*=)")
"""A line that begins a table or gives a key its value."""
_SHOWN = 76
"""The most letters of a line that are shown."""
_NUMBER_TEXT = re.compile(r"\s*([+-]?)(\d*)(?:[.,](\d*))?([eE][+-]?\d+)?\s*", re.ASCII)
_LARGEST = 2**53
"""Up to this number, a float holds every whole number."""
_LONG = 1000
"""A longer word is not a name or a number. The bound keeps the search short, whose time grows with the square of it."""

Causes = Iterator[tuple[int, str]]
"""The place of each cause that a rule finds, and its message."""


def too_large(text: str) -> tuple[int, str] | None:
    """The line on which a text goes beyond a bound, and what is wrong there; None if it keeps to all.

    The text need not be TOML: it is looked at up to a quote without a partner, as far as `tomllib` would read it.
    """
    values = depth = table = 0
    opened: list[tuple[int, bool]] = []  # for each open bracket the depth behind it, and whether keys follow
    in_key, in_header = True, False
    for mark, _, line in tokens(text):
        if mark in QUOTES:
            break
        if mark in ("[", "{") and in_key and not opened:  # the name of a table
            values, depth, in_header = values + TABLE, 0, True
        elif mark in ("[", "{"):
            values, depth, in_key = values + (TABLE if mark == "{" else 1), depth + 1, mark == "{"
            opened.append((depth, in_key))
        elif mark in ("]", "}") and opened:
            depth, in_key = opened.pop()[0] - 1, False
        elif mark == "." and in_key:
            depth += 1
            values += depth
        elif mark == ",":
            values += 1
            depth, in_key = opened[-1] if opened else (depth, in_key)
        elif mark == "=":
            values, in_key = values + 1, False
        elif mark == "\n" and not opened:
            table = depth if in_header else table  # the dots of the last table's name
            depth, in_key, in_header = table, True, False
        if depth > MOST_DEPTH:
            return line, f"is nested too deeply; at most {MOST_DEPTH} dots and brackets may lead to a value"
        if values > MOST_VALUES:
            return line, f"more than {MOST_VALUES:,} values up to here; a scenario is a page of text"
    return None


def too_many_variants(changes: Sequence[int], document: Mapping[str, Any]) -> str:
    """The words for variants that are too many to be checked, empty if they are not.

    changes: the number of changes of each variant. document: what each of them changes.
    """
    if len(changes) > MOST_VARIANTS:
        return f"are {len(changes):,} variants; expected at most {MOST_VARIANTS:,}"
    n, size = sum(changes), _count(document)
    if n * size > MOST_CHANGED:
        message = f"{n:,} changes, each of a file of {size:,} values"
        return f"{message}; expected at most {MOST_CHANGED:,} for changes × values"
    return ""


def _count(node: Any) -> int:
    """The number of keys and entries in a document."""
    entries = node.values() if isinstance(node, Mapping) else node if isinstance(node, list) else ()
    return sum(1 + _count(entry) for entry in entries)


class Stop:
    """The place where `tomllib` stopped reading a text; it is the last letter if the text ends too early.

    reason: that of `tomllib`. opened: the place of each open bracket, the innermost last; inside: that bracket, or
    nothing. quote: the place of the quote that begins a text without an end. statement: the start of the statement.
    line: the whole line; rest: that from the place on.
    """

    def __init__(self, text: str, error: tomllib.TOMLDecodeError) -> None:
        self.text, self.reason, self.at = text, str(error).partition(" (at ")[0], len(text.rstrip())
        if position := _POSITION.search(str(error)):
            before = text.split("\n")[: int(position[1]) - 1]
            self.at = sum(len(line) + 1 for line in before) + int(position[2]) - 1
        self.opened, self.statement = list[int](), 0
        self.quote: int | None = None
        for mark, start, _ in tokens(text):
            if start >= self.at or self.quote is not None:
                break
            if mark in QUOTES:
                self.quote = start
            elif mark in ("[", "{"):
                self.opened.append(start)
            elif mark in ("]", "}"):
                del self.opened[-1:]
            elif mark == "\n" and not self.opened:
                self.statement = start + 1
        self.inside = text[self.opened[-1]] if self.opened else ""
        self.rest, self.line = self.line_from(self.at), self.line_from(text.rfind("\n", 0, self.at) + 1)

    def line_from(self, start: int) -> str:
        """The text from a place to the end of its line."""
        return self.text[start:].partition("\n")[0]


def syntax_fault(text: str, error: tomllib.TOMLDecodeError) -> tuple[int, str, str]:
    """What is wrong with a text that `tomllib` refused: the number of the line, the fault in words, and the excerpt."""
    place, message = next(_causes(Stop(text, error)))
    return text.count("\n", 0, place) + 1, message, _excerpt(text, place)


def _excerpt(text: str, place: int) -> str:
    """The line of a place, and below it a caret under the place, by the columns that letters take on a terminal."""
    start = text.rfind("\n", 0, place) + 1
    column = place - start
    first = max(0, column - _SHOWN + 16)
    line = "".join(c if c.isprintable() else " " for c in text[start:].partition("\n")[0])
    shown = "…" * (first > 0) + line[first : first + _SHOWN].rstrip()
    letters = [c for c in line[first:column] if not unicodedata.combining(c)]
    before = (first > 0) + sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in letters)
    return f"  {shown}\n  {' ' * before}^"


def _causes(stop: Stop) -> Causes:
    """Every likely cause; at the end, the reason that `tomllib` gives."""
    for rule in (_twice, _quote, _bracket, _number, _value, _key, _next):
        yield from rule(stop)
    yield stop.at, shortened(stop.reason[:1].lower() + stop.reason[1:], 200)


def _twice(stop: Stop) -> Causes:
    """A key or a table that exists already, also `[expect]` beside `[[expect]]`."""
    statement = stop.line_from(stop.statement)
    if not stop.reason.startswith("Cannot") or len(statement) > _LONG:
        return
    lines, first, advice = stop.text[: stop.statement].split("\n")[:-1], 0, ""
    if header := re.match(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(#.*)?$", statement):
        name, form = header[1], r"\s*\[{{1,2}}\s*{}\s*\]{{1,2}}"
        advice = f"; each one of several is written [[{name}]]"
    else:
        name, form = statement.partition("=")[0].strip(), r"\s*{}\s*="
        first = max((i for i, line in enumerate(lines, start=1) if re.match(r"\s*\[", line)), default=0)
    same = re.compile(form.format(re.escape(name)))
    number = next((i for i, line in enumerate(lines[first:], start=first + 1) if same.match(line)), None)
    there = f"is already on line {number}{advice}" if number else "has a value already"
    yield stop.statement, f"'{shortened(name)}' {there}"


def _quote(stop: Stop) -> Causes:
    """A quote that a word processor has written; a text that has no end, or none of its quotes."""
    start = stop.at if stop.quote is None else stop.quote
    curly = re.search(f"[{CURLY}]", stop.line_from(start))
    if curly and (curly.start() == 0 or stop.quote is not None):
        advice = 'a text begins and ends with a straight one: "'
        yield start + curly.start(), f"{curly[0]} is a curly quote; {advice}"
    if stop.quote is not None:
        yield stop.quote, "the text that begins here has no closing quote"
    odd = any(re.sub(r"\\.", "", stop.line).count(quote) % 2 for quote in "\"'")
    if odd and (stop.reason == "Invalid value" or stop.reason.startswith("Unclosed")):
        yield stop.at, "a quote is missing: every text begins and ends with one"


def _bracket(stop: Stop) -> Causes:
    """A bracket of an earlier line that is not closed where the next statement begins."""
    line_start = stop.text.rfind("\n", 0, stop.at) + 1
    at_end = not stop.text[stop.at :].strip()
    earlier = [place for place in stop.opened if place < line_start or at_end]
    if earlier and (at_end or _STATEMENT.match(stop.line)):
        number = stop.text.count("\n", 0, earlier[-1]) + 1
        yield earlier[-1], f"the bracket {stop.text[earlier[-1]]} opened on line {number} is never closed"
    if stop.inside == "{" and not stop.rest.partition("#")[0].strip():
        yield stop.opened[-1], "a table in braces { } must be on one line"


def _number(stop: Stop) -> Causes:
    """A number that TOML writes in another way."""
    start = max(stop.statement, stop.at - _LONG)
    rest, before, point = stop.rest, stop.text[start : stop.at], "a number has a decimal point: write"
    if match := re.match(r"[−–]([\d.][\w.+-]*)", rest):
        yield stop.at, f"a minus sign is the - of the keyboard: write -{match[1]}"
    if (match := re.match(r"([+-]?)[.,](\d+)", rest)) and not before[-1:].isdigit():
        yield stop.at, f"a number has a digit before its point: write {match[1]}0.{match[2]}"
    if stop.inside == "{" and (comma := re.search(r"([+-]?\d+),(\d+)\s*$", before)):
        yield start + comma.start(), f"{point} {comma[1]}.{comma[2]}"
    if not (whole := re.search(r"(?<![\w.])[+-]?\d[\d_]*$", before)):
        return
    if not stop.opened and (match := re.match(r",(\d+)", rest)):
        yield stop.at, f"{point} {whole[0]}.{match[1]}"
    if re.match(r"\.(?!\d)", rest):
        yield stop.at, f"a number has a digit after its point: write {whole[0]}.0"
    if whole[0].lstrip("+-") == "0" and (match := re.match(r"\d+", rest)):
        if comma := re.search(r"([+-]?\d+),0$", before):
            yield start + comma.start(), f"{point} {comma[1]}.0{match[0]}"
        yield stop.at - 1, f"a number begins with no further 0: write {int(match[0])}"
    if rest[:1] in ("/", "%"):
        yield stop.at, "a number is written as a decimal, such as 0.5"


def _value(stop: Stop) -> Causes:
    """A value that is missing, or a word without quotes."""
    word = re.match(r"[^\W\d][\w-]*", stop.rest)
    small = word[0].lower() if word else ""
    if stop.reason != "Invalid value":
        return
    if not stop.rest.partition("#")[0].strip():
        yield stop.at, "a value is missing here"
    elif not word:
        yield stop.at, "expected a value: a text in quotes, a number, true, false, a list in [ ] or a table in { }"
    elif small in ("true", "false"):
        yield stop.at, f"write {small}, with small letters"
    elif small in ("none", "null", "nil"):
        yield stop.at, f"{word[0]} is not a value; leave the key out"
    else:
        words = re.split(r"[,\]}#]", stop.rest)[0].strip()
        yield stop.at, f'a text needs quotes: write "{shortened(words)}"'


def _key(stop: Stop) -> Causes:
    """A key that is missing, or needs quotes, or has no equals sign."""
    if not stop.reason.startswith(("Invalid statement", "Invalid initial", "Expected '=' after", "Expected ']")):
        return
    start = stop.statement
    if stop.inside == "{":
        start = max(stop.opened[-1], stop.text.rfind(",", start, stop.at)) + 1
    line = stop.line_from(start)
    start, line = start + len(line) - len(line.lstrip()), line.strip()
    key, equals, _ = line.partition("=")
    if line.startswith("//"):
        yield start, "a comment begins with #"
    elif header := re.match(r"(\[{1,2})([^\[\]]*)(\]{0,2})", line):
        opening, name, closing = header.groups()
        closed = "]" * len(opening)
        if closing != closed and _quoted_keys(name) == name.strip():
            yield start, f"the name of a table needs as many brackets on both sides: {opening}{name}{closed}"
        missing = "the name of the table is missing"
        yield start, _needs_quotes(name, f"{opening}{_quoted_keys(name)}{closed}") if name.strip() else missing
    elif colon := re.match(r"[\w\"' .-]+:", key):
        yield start + colon.end() - 1, "write = between a key and its value, instead of :"
    elif not equals:
        yield start, "expected key = value, or [table]"
    else:
        yield start, _needs_quotes(key, _quoted_keys(key)) if key.strip() else "a key is missing before ="


def _needs_quotes(key: str, quoted: str) -> str:
    """The advice for a key that is not made of plain letters; a Greek letter may mean its name."""
    greek = re.match(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)$", unicodedata.name(key.strip()[:1], ""))
    name = f", or give the key its name, {greek[1].lower()}" if greek and len(key.strip()) == 1 else ""
    plain = "a key that has other characters than a–z, A–Z, 0–9, _ and - needs quotes"
    return f"{plain}: write {shortened(quoted)}{name}"


def _quoted_keys(key: str) -> str:
    """A dotted key with quotes around the parts that need them."""
    return dotted(part.strip().strip(CURLY + "\"'") for part in key.split("."))


def _next(stop: Stop) -> Causes:
    """Something behind a value, where a comma is missing or nothing may follow; a backslash in a text."""
    if stop.reason.startswith("Unclosed"):
        yield stop.at, "a comma is missing before this"
    if stop.reason.startswith("Expected newline"):
        if stop.rest[:1] in ("]", "}"):
            yield stop.at, f"the bracket {stop.rest[0]} closes nothing"
        yield stop.at, "nothing may follow a value on its line but a comment, which begins with #"
    if "\\" in stop.line and re.search(r"Unescaped|hex|escape", stop.reason):
        yield stop.at, r"a backslash in a text is written \\, or the text needs single quotes"


def comma_hint(values: Any, wanted: int) -> str:
    """The hint for a vector, or for the first row of a matrix, in which decimal commas are likely; else empty.

    They are likely if a row has the wanted number of entries once its whole numbers are paired, and none is left
    over: in TOML, `0,6` is two numbers.

    >>> comma_hint([0, 6, 0, 8], 2)
    '; if the commas are decimal ones, write 0.6 instead of 0,6'
    >>> comma_hint([0.6, 0, 8], 2), comma_hint([0, 6, 0.5, 8], 2), comma_hint([0, 6, 0], 2)
    ('; if the commas are decimal ones, write 0.8 instead of 0,8', '', '')
    """
    rows = values if values and isinstance(values[0], Sequence) else [values]
    pair = next((pair for row in rows if (pair := _first_pair(row, wanted))), None)
    if pair is None:
        return ""
    whole, decimals = map(int, pair)
    return f"; if the commas are decimal ones, write {whole}.{decimals} instead of {whole},{decimals}"


def _first_pair(row: Sequence[float], wanted: int) -> Sequence[float]:
    """The first two whole numbers of a row that has the wanted number of entries if its whole numbers are pairs.

    Empty for another row, and where a second number of a pair has a minus sign, as decimals have none.
    """
    runs = [list(run) for whole, run in groupby(row, lambda x: abs(x) < _LARGEST and x == int(x)) if whole]
    pairs = [run[i : i + 2] for run in runs for i in range(0, len(run), 2)]
    likely = pairs and len(row) - len(pairs) == wanted and all(len(pair) == 2 and pair[1] >= 0 for pair in pairs)
    return pairs[0] if likely else ()


def text_hint(value: Any, form: str = "{}", whole: bool = False) -> str:
    """The hint for a text given instead of a number; empty for any other value.

    form: how the number is to be written, `[{}]` in a list. whole: whether a whole number is wanted.

    >>> text_hint("0,6"), text_hint("-.5", "[{}]"), text_hint("3", whole=True)
    ('; write 0.6, without quotes', '; write [-0.5], without quotes', '; write 3, without quotes')
    >>> text_hint("much"), text_hint("0.6", whole=True)
    ('', '')
    """
    match = _NUMBER_TEXT.fullmatch(value.replace("−", "-")) if isinstance(value, str) else None
    if match is None or not (match[2] or match[3]):
        return ""
    decimals = f".{match[3]}" if match[3] else ""
    number = f"{match[1]}{(match[2] or '').lstrip('0') or '0'}{decimals}{match[4] or ''}"  # as TOML writes it
    wrong = whole and not number.lstrip("+-").isdigit()
    return "" if wrong else f"; write {form.format(shortened(number))}, without quotes"
