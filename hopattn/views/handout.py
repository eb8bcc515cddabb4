"""The arithmetic of a result as a handout for a course: Markdown, HTML or LaTeX."""

from hopattn.foundation.errors import InvalidInput, unknown
from hopattn.foundation.sentences import Sentence, in_words
from hopattn.scenario.result import Result
from hopattn.views.markup import MARKUPS, page

_PAGES = {
    "md": "# $title\n$text",
    "html": """<!doctype html>
<html lang="$lang">
<meta charset="utf-8">
<title>$title</title>
<style>body { max-width: 50em; margin: 2em auto; font-family: sans-serif }
$css</style>
<h1>$title</h1>
$text</html>
""",
    "tex": r"""% Compile with lualatex or xelatex; pdflatex does where all words are of Latin letters.
\documentclass[a4paper]{article}
$tex\setlength{\parindent}{0pt}
\begin{document}
\section*{$title}
$text\end{document}
""",
}


def handout(result: Result, format: str) -> str:
    """The title, the source and the arithmetic of a result, which was run with `explain`, as the text of a file.

    format: "md", "html" or "tex". An HTML file holds ASCII characters alone, so that no code page harms it. A LaTeX
    file is for LuaLaTeX and XeLaTeX; pdflatex reads it too where the words of the scenario are of Latin letters. Raises
    `InvalidInput` for another format.
    """
    if format not in MARKUPS:
        raise InvalidInput(f"format: {unknown(format, MARKUPS)}")
    markup, lang = MARKUPS[format], result.figure.lang
    source = result.source and in_words(Sentence("source: {}", result.source), lang)
    parts = [markup.paragraph(about) for about in (source, result.note) if about]
    for run in result.runs:
        name = markup.text(run.name or in_words(Sentence("as written"), lang))
        parts.append(markup.heading.format(text=name) if len(result.runs) > 1 else "\n")
        parts += markup.arithmetic(run.working)
    return page(_PAGES[format], title=markup.text(result.title), text="".join(parts), lang=lang)
