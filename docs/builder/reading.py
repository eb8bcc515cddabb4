"""What a page of HTML needs: dark pictures, their sizes, wide parts that scroll by keyboard, a short side bar."""

import posixpath
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from docs.builder.picture_sizes import with_sizes

_CHANGES = {
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}


class DarkPictures(SphinxTransform):  # type: ignore[misc]  # Sphinx is not part of a usual set-up
    """A picture with a namesake in the folder `dark` beside it is replaced by that one on a dark page."""

    default_priority = 210

    def apply(self, **_: Any) -> None:
        home = Path(self.env.doc2path(self.env.docname)).parent
        for light in list(self.document.findall(nodes.image)):
            folder, name = posixpath.split(light["uri"])
            uri = posixpath.join(folder, "dark", name)
            if (home / uri).is_file():
                dark = light.deepcopy()
                dark["uri"] = uri
                light["classes"].append("only-light")
                dark["classes"].append("only-dark")
                light.parent.insert(light.parent.index(light) + 1, dark)


def _improved(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    body = context.get("body", "")
    for plain, improved in _CHANGES.items():
        body = body.replace(plain, improved)
    files = {file: Path(app.srcdir, uri) for uri, file in app.builder.images.items()}
    context["body"] = with_sizes(body, lambda address: files[posixpath.basename(address)].read_bytes())


def _short_side_bar(app: Sphinx, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Open only the branch of the page in the side bar. All branches on all pages took most of the time of a build."""
    if "toctree" in context:
        whole = context["toctree"]
        context["toctree"] = lambda **options: whole(**{**options, "collapse": True})


def setup(app: Sphinx) -> dict[str, bool]:
    """Change each page before it is written."""
    app.add_transform(DarkPictures)
    app.connect("html-page-context", _improved)
    app.connect("html-page-context", _short_side_bar, priority=100)  # before the theme asks for the tree
    return {"parallel_read_safe": True, "parallel_write_safe": True}
