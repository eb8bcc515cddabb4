"""Parts of a page in Markdown: code, tables, plain text, and docstrings."""

import re
from collections.abc import Iterable, Sequence

_CODE = re.compile(r"(`+[^`]+`+)")
_SPECIAL = re.compile(r"([\\*_<>\[\]{}$#|~])")
_LISTED = re.compile(r"[-*] ")
_SECTION = re.compile(r"([A-Z]\w+)\n-{3,}\n")
_OF_NAMES = "Parameters", "Attributes", "Raises"


def fenced(text: str, language: str) -> str:
    """A block of code. Its fence is longer than any row of backticks in the text."""
    longest = max((len(row) for row in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def plain(text: str) -> str:
    """A text that shows itself: what Markdown would read as a mark is escaped, inline code stays."""
    parts = _CODE.split(text)
    return "".join(part if i % 2 else _SPECIAL.sub(r"\\\1", part) for i, part in enumerate(parts))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; its cells are Markdown, in which a bar is escaped already."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def first_paragraph(doc: str) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(doc.split("\n\n")[0].split())


def from_docstring(doc: str, names: Iterable[str] = ()) -> str:
    """A docstring as Markdown: paragraphs, lists, indented formulas, examples, and the sections of numpydoc.

    names: the parameters; where a sentence begins to describe one of them, its name is bold.

    >>> print(from_docstring("A sum.\\n\\nParameters\\n----------\\nx, y : (n,)\\n    at most 1\\nz : a number."))
    A sum.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - **x**, **y** `(n,)`: at most 1
    - **z**: a number.
    >>> from_docstring("x: one number. y: two.", ["x", "y"])
    '**x**: one number. **y**: two.'
    """
    return "\n\n".join(_paragraph(part, tuple(names)) for part in re.split(r"\n\s*\n", doc.strip("\n")) if part.strip())


def _paragraph(part: str, names: tuple[str, ...]) -> str:
    if section := _SECTION.match(part):
        rest = part[section.end() :]
        return f"**{section[1]}**\n\n{_entries(rest) if section[1] in _OF_NAMES else _paragraph(rest, names)}"
    lines = part.split("\n")
    if part.startswith(">>>"):
        return fenced(part, "python")
    if all(line.startswith("    ") for line in lines):
        return fenced("\n".join(line[4:] for line in lines), "text")
    if _LISTED.match(part):
        return "\n".join(f"{line[:2]}{plain(line[2:])}" if _LISTED.match(line) else plain(line) for line in lines)
    return _with_bold_names(plain(" ".join(line.strip() for line in lines)), names)


def _entries(text: str) -> str:
    """The entries of a section as a list: a line `name : words`, or `name : shape` with indented words below it."""
    items = []
    for entry in re.split(r"\n(?! )", text):
        first, *below = entry.split("\n")
        names, _, words = first.partition(" : ")
        bold = ", ".join(f"**{plain(name)}**" for name in names.split(", "))
        shape = re.sub(r"\([^()]*\)", r"`\g<0>`", words) if below or words.startswith("(") else ""
        said = plain(" ".join([*([] if shape else [words]), *map(str.strip, below)]).strip())
        items.append(f"- {bold} {shape}".rstrip() + f": {said}" * bool(said))
    return "\n".join(items)


def _with_bold_names(text: str, names: tuple[str, ...]) -> str:
    """The text with the names before a colon in bold: "**keys**: …", "**query**, **key**: …"."""
    if not names:
        return text
    one = "|".join(re.escape(plain(name)) for name in sorted(names, key=len, reverse=True))
    described = re.compile(rf"(?:^|(?<=[.;] ))(?:{one})(?:, (?:{one}))*(?=:)")
    return described.sub(lambda match: re.sub(rf"{one}", lambda name: f"**{name[0]}**", match[0]), text)
