"""A page of HTML as a browser reads it."""

from html.parser import HTMLParser

VOID = {"img"}


class Page(HTMLParser):
    """A text as a browser reads it: the cells of its tables, its pictures and its words. Every tag must be closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.tables, self.pictures, self.words = [], set(), [], [], ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag in VOID:
            self.pictures.append(dict(attrs)["src"])
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[-1][-1][-1] += data
