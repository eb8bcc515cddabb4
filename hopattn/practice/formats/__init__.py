"""The formats of practice sheets: for paper, for pages, for notebooks, and for learning platforms.

- `prose.py`: the parts of a problem in Markdown, HTML and LaTeX
- `paper.py`: Markdown, HTML and LaTeX for people to read
- `plain_data.py`: all of a sheet as JSON
- `notebook.py`: a Jupyter notebook that checks the answers
- `moodle.py`: questions for Moodle
- `qti.py`: questions for Canvas and other platforms that read QTI 1.2
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

from hopattn.foundation.sentences import language
from hopattn.practice.formats import moodle, notebook, plain_data, qti
from hopattn.practice.formats.paper import HTML, LATEX, MARKDOWN, markdown_key
from hopattn.practice.problem import Sheet

Text = TypeVar("Text", str, bytes, str | bytes)


class Format(NamedTuple):
    """A way to write sheets of problems.

    sheet: the text or the bytes of the file of a sheet. key: the text of the key: the answers, the working, and the
    errors behind the wrong answers. upload: whether a learning platform or a program reads the sheet, which therefore
    holds the answers; the key is then Markdown.
    """

    sheet: Callable[[Sheet], str | bytes]
    key: Callable[[Sheet], str]
    upload: bool = False


def _in_its_language(write: Callable[[Sheet], Text]) -> Callable[[Sheet], Text]:
    def written(sheet: Sheet) -> Text:
        with language(sheet.language):
            return write(sheet)

    return written


formats: Mapping[str, Format] = {
    name: Format(_in_its_language(sheet), _in_its_language(key), upload=name in ("json", "xml", "zip"))
    for name, sheet, key in (
        ("html", HTML.sheet, HTML.key),
        ("json", plain_data.sheet, MARKDOWN.key),
        ("md", MARKDOWN.sheet, MARKDOWN.key),
        ("xml", moodle.sheet, markdown_key),
        ("ipynb", notebook.sheet, notebook.key),
        ("zip", qti.sheet, markdown_key),
        ("tex", LATEX.sheet, LATEX.key),
    )
}
"""The formats by the endings of their files."""
