"""What a page of HTML needs for its readers: wide parts that scroll by keyboard, and pictures that load when seen."""

from typing import Any

from sphinx.application import Sphinx

_CHANGES = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    "<img ": '<img loading="lazy" ',
}


def _improved(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    for plain, improved in _CHANGES.items():
        context["body"] = context.get("body", "").replace(plain, improved)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change each page before it is written."""
    app.connect("html-page-context", _improved)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
