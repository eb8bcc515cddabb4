"""The handout of the arithmetic: every line is there, in three languages, whatever the words are."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

import hopattn as ha
from hopattn.scenario.loading import parse
from hopattn.views.handout import handout
from hopattn.views.markup import MARKUPS

ODD = r"""schema = 1
title = 'A & B_1: <b> 100 % of $x$ # {}'
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
'50%_&#{}~^\' = [1, 0]
'<b>*[a](b)*`|$x$</b>' = [0.5, -1]
[input]
tokens = ['50%_&#{}~^\', '<b>*[a](b)*`|$x$</b>']
[[layer]]
[[layer.head]]
separation = "softmax"
"""


def working(result):
    """The lines of all runs, without the pictures and the sign of powers."""
    lines = [line.strip().replace("^", "") for run in result.runs for line in run.working]
    return [line for line in lines if not re.fullmatch("[?·░▒▓█]+", line)]


class Lines(HTMLParser):
    """The texts of the elements of a page, and those of its pictures."""

    def __init__(self, page):
        super().__init__()
        self.lines, self.pictures, self.of = [], [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag != "sup":
            self.of = tag
            self.lines += [""] * (dict(attrs).get("class") == "work")

    def handle_data(self, data):
        if self.of == "p" and self.lines:
            self.lines[-1] += data.removesuffix("\n")
        self.pictures += [data] if self.of == "pre" else []


@pytest.mark.parametrize("text", [ODD, *(ha.load(name).text for name in ("bank", "scaling", "letters"))])
def test_a_page_and_a_text_hold_every_line_of_the_arithmetic(text):
    result = ha.run(parse(text, "f.toml", "f"), explain=True)
    page = handout(result, "html")
    read = Lines(page)
    assert [line.replace("^", "") for line in read.lines] == working(result) and page.isascii()
    assert bool(read.pictures) == (result.kind == "memory")
    inline = [token for token in MarkdownIt().parse(handout(result, "md")) if token.type == "inline"]
    written = ["".join(part.content for part in token.children).replace("^", "") for token in inline]
    kept = [line for line in written if line in working(result)]
    assert kept == working(result)
    assert written[0] == result.title


@pytest.mark.parametrize(
    "text",
    ["2. the end", "12) x", "- a", "+ a", "---", "+++", "% of 5", ":::{note}", "(a)=", "&lt;b&gt;", "# a", "2.5", "-1"],
)
def test_markdown_takes_a_text_for_nothing_but_text(text):
    tokens = MarkdownIt().parse(f"- {MARKUPS['md'].text(text)}\n")
    kinds = ["bullet_list_open", "list_item_open", "paragraph_open", "inline", "paragraph_close"]
    assert [token.type for token in tokens] == [*kinds, "list_item_close", "bullet_list_close"]
    assert "".join(part.content for part in tokens[3].children) == text
    assert MARKUPS["md"].text(text)[0] not in "%:("  # signs of MyST


@pytest.mark.parametrize("text", [ODD, *(ha.load(name).text for name in ("bank", "scaling", "letters"))])
def test_a_latex_file_holds_every_line_and_no_sign_that_breaks_it(text):
    result = ha.run(parse(text, "f.toml", "f"), explain=True)
    document = handout(result, "tex")
    assert document.isascii() and document.count(r"\work{") == len(working(result))
    assert document.count(r"\begin{verbatim}") == document.count(r"\end{verbatim}")
    body = re.sub(
        r"\\begin{verbatim}.*?\\end{verbatim}", "", document.partition(r"\begin{document}")[2], flags=re.DOTALL
    )
    bare = re.sub(r"\\[{}$&#%_]", "", body)
    assert not re.search(r"[%&#~]|_(?!0|\+)", bare) and bare.count("$") % 2 == 0
    depth = 0
    for sign in re.findall("[{}]", bare):
        depth += 1 if sign == "{" else -1
        assert depth >= 0
    assert depth == 0


def test_a_latex_file_has_the_fonts_of_every_engine_and_the_signs_of_mathematics():
    text = ODD.replace("A & B_1", "ˈʃteːt: ∑ β √ →")
    document = handout(ha.run(parse(text, "f.toml", "f"), explain=True), "tex")
    assert document.startswith("% Compile with lualatex")
    unicode, _, eight_bit = document.partition(r"\iftutex")[2].partition(r"\fi")[0].partition(r"\else")
    assert r"\usepackage{fontspec}" in unicode and r"\usepackage[T1]{fontenc}" in eight_bit
    assert r"\section*{ˈʃteːt: $\sum$ $\beta$ $\surd$ $\to$:" in document
