"""An HTML file for the screen and for paper: ASCII alone, and no page break within a problem."""

from dataclasses import dataclass
from html import escape

from hopattn.practice.formats.base import Format
from hopattn.practice.formats.prose import HTML, remark
from hopattn.practice.problem import Sheet
from hopattn.views.handout import LINES_CSS
from hopattn.views.visible import visible

_STYLE = f"""body {{ max-width: 45em; margin: 2em auto; padding: 0 1em; font: 1em/1.4 sans-serif }}
h1 {{ font-size: 1.5em; margin: 0 0 .5em }}
h2 {{ font-size: 1.1em; margin: 1.6em 0 .4em }}
h2 {{ break-after: avoid }}
p {{ margin: .5em 0 }}
.problem {{ break-inside: avoid }}
table {{ border-collapse: collapse; margin: .5em 0 }}
th, td {{ padding: .15em .7em; text-align: right; border-bottom: 1px solid #ccc; font-variant-numeric: tabular-nums }}
th[scope=row] {{ text-align: left }}
li {{ padding-left: .3em; margin: .2em 0 }}
{LINES_CSS}
@media print {{ @page {{ margin: 1.5cm 2cm }} body {{ margin: 0; padding: 0; max-width: none; font-size: 10.5pt }} }}
"""


@dataclass(frozen=True)
class Page(Format):
    """An HTML file that needs no other file."""

    name = "html"
    ending = ".html"

    def sheet(self, sheet: Sheet) -> str:
        texts = [(problem.number, HTML.posed(problem) + HTML.choices(problem)) for problem in sheet.problems]
        return _page(sheet, "practice", "", texts, "problem")

    def key(self, sheet: Sheet) -> str:
        texts = [(problem.number, HTML.paragraph(problem.question) + text) for problem, text in HTML.key(sheet)]
        return _page(sheet, "key", HTML.letters(sheet), texts, "answer")


def _page(sheet: Sheet, kind: str, before: str, texts: list[tuple[int, str]], role: str) -> str:
    words = sheet.texts["format"]
    title = f"{words[kind]}: {sheet.title}"
    source = HTML.paragraph(sheet.source, f"{words['source']}:") if sheet.source else ""
    sections = [
        f'<section class="{role}">\n<h2>{HTML.text(words["problem"])} {number}</h2>\n{text}</section>\n'
        for number, text in texts
    ]
    page = (
        f'<!doctype html>\n{remark(sheet)}<html lang="{sheet.language}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(visible(title))}</title>\n<style>\n{_STYLE}</style>\n<h1>{HTML.text(title)}</h1>\n"
        f"{source}{before}{''.join(sections)}</html>\n"
    )
    return page.encode("ascii", "xmlcharrefreplace").decode()
