"""Files of lecturers as lines of text: Markdown, LaTeX, plain text, pages of HTML, notebooks; documents are refused."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.files import read_text

WEB = (".html", ".htm", ".xhtml")
KINDS = dict.fromkeys((".tex", ".ltx", ".latex"), "tex")
KINDS |= dict.fromkeys((".md", ".markdown", ".qmd", ".rmd", ".ipynb", *WEB), "md")
"""How a file is read, by its ending, once a page of HTML or a notebook is Markdown; any other is plain text."""
CONVERTED = dict.fromkeys((".docx", ".odt", ".rtf", ".epub"), "pandoc {0} -t markdown -o {1}.md")
CONVERTED |= {".pptx": "markitdown {0} -o {1}.md", ".pdf": "pdftotext -layout {0} {1}.txt"}
"""The commands that convert documents, by their endings."""
_PICTURE = re.compile(
    r"(?:!\[[^\]]*\]\()?https?://[\w.]*(?:codecogs|latex|math)[\w.]*/[^\s?]*\?(?:%5Cbg_\w+%20)?([^\s)\"]+)\)?"
)
"""The picture of a formula: its address ends with the formula in LaTeX."""


class Page(NamedTuple):
    """The text of a file. places: where each of its lines stands in the file, such as "7" or "cell 3, line 2"."""

    text: str
    kind: str
    places: tuple[str, ...]


def read_page(file: Path) -> Page:
    """The text of a file; raises `InvalidInput` for one that cannot be read, and for a document to be converted."""
    ending = file.suffix.lower()
    if command := CONVERTED.get(ending):
        names = (str(file), str(file.with_suffix("")))
        line = command.format(*(f"'{name}'" if re.search(r"[^\w./\\-]", name) else name for name in names))
        raise InvalidInput(f"{file}: is a document, and only text is read; convert it: `{line}`")
    text = read_text(file, "text")
    if ending == ".ipynb":
        lines = _of_notebook(text, file)
    elif ending in WEB:
        parser = _Html()
        parser.feed(text)
        parser.close()
        parser.end()
        lines = parser.lines
    else:
        lines = [(line, str(i)) for i, line in enumerate(text.split("\n"), 1)]
    texts, places = zip(*lines or [("", "1")], strict=True)
    shown = [_PICTURE.sub(lambda found: f"${unquote(found[1])}$", line) for line in texts]
    return Page("\n".join(shown), KINDS.get(ending, ""), places)


def _of_notebook(text: str, file: Path) -> list[tuple[str, str]]:
    """The text cells of a notebook; code and what it printed as blocks of code."""
    found: list[tuple[str, str]] = []
    try:
        for number, cell in enumerate(json.loads(text)["cells"], 1):
            outputs = [one.get("text") or one.get("data", {}).get("text/plain", "") for one in cell.get("outputs", ())]
            for source, place in ((cell["source"], "line"), *((one, "output line") for one in outputs)):
                lines = enumerate("".join(source).rstrip().split("\n"), 1)
                own = [(line, f"cell {number}, {place} {i}") for i, line in lines]
                fence = [("```", own[0][1])] if cell["cell_type"] == "code" else []
                found += [*fence, *own, *fence, ("", own[-1][1])]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidInput(
            f"{file}: is no notebook; expected JSON with cells that have a cell_type and a source"
        ) from None
    return found


class _Html(HTMLParser):
    """A page of HTML as lines of Markdown: a row of a table is a line `| a | b |`, a formula stays in LaTeX."""

    _BLOCK = re.compile("p|div|br|table|section|article|[uod]l|li|d[dt]|figure|caption|h[1-6]")
    _HIDDEN = re.compile("script|style|math|svg|head|template")
    _VOID = re.compile("[bhw]b?r|img|meta|link|input|col")
    _TEX = "formula in TeX"

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[tuple[str, str]] = []
        self.text, self.hidden = "", list[str]()

    def end(self, *more: str) -> None:
        """End a line that has text, and add other lines; an empty one not twice."""
        for line in (*([self.text] if self.text.strip() else []), *more):
            if line or (self.lines and self.lines[-1][0]):
                self.lines.append((line, str(self.getpos()[0])))
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "annotation" or values.get("type", "").startswith("math/tex"):
            self.hidden.append(self._TEX)
            self.text += "$"
        elif self.hidden or self._HIDDEN.fullmatch(tag) or "katex-html" in values.get("class", ""):
            self.hidden += [] if self._VOID.fullmatch(tag) else [tag]
        elif tag == "tr":
            self.end()
            self.text = "|"
        elif tag == "pre":
            self.end("```")
        elif self._BLOCK.fullmatch(tag) and not self.text.startswith("|"):
            self.end("")
            self.text = "- " if tag == "li" else "# " if re.fullmatch(r"h\d", tag) else ""
        else:
            self.text += {"sub": "_{", "sup": "^{"}.get(tag, "")

    def handle_endtag(self, tag: str) -> None:
        if self.hidden:
            self.text += "$ " if self.hidden[-1] == self._TEX else ""
            while self.hidden and self.hidden.pop() not in (tag, self._TEX):
                pass
        elif tag in ("tr", "pre"):
            self.end(*["```"] * (tag == "pre"))
        elif self._BLOCK.fullmatch(tag) and not self.text.startswith("|"):
            self.end("")
        else:
            self.text += {"td": " |", "th": " |", "sub": "}", "sup": "}"}.get(tag, "")

    def handle_data(self, data: str) -> None:
        if self.text.startswith("|"):
            data = re.sub(r"\s+|\|", " ", data)
        if not self.hidden or self.hidden[-1] == self._TEX:
            line = self.getpos()[0]
            for i, part in enumerate(data.split("\n")):
                if i and self.text.strip():
                    self.lines.append((self.text, str(line + i - 1)))
                self.text = part if i else self.text + part

    def handle_comment(self, data: str) -> None:
        if "hopattn:" in data:
            self.end(f"<!--{data}-->")
