"""How Sphinx makes the site. Nothing in it needs the network: neither to build it, nor to read it."""

from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from hopattn.foundation.version import __version__

project = "hopattn"
author = "The hopattn authors"
project_copyright = author
version = release = __version__
extensions = ["myst_parser", "docs.builder.mathml", "docs.builder.linking", "docs.builder.reading"]
myst_enable_extensions = ["attrs_block", "dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
smartquotes = False
html_title = f"hopattn {__version__}"
html_math_renderer = "mathml"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_search_scorer = str(Path(__file__).parent / "static" / "scorer.js")
html_extra_path = ["_build/pages/extra"]
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = "#"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
add_module_names = False
toc_object_entries = False
maximum_signature_line_length = 88
nitpick_ignore_regex = [("py:class", ".*")]  # types are words in a signature, and no links
suppress_warnings = ["config.cache", "ref.python"]  # `Hopfield` is also in `ha.torch` and `ha.jax`


def setup(app: Sphinx) -> None:
    """The blocks that `tests/` read, such as the order of rooms, have no colours."""
    app.add_lexer("order", TextLexer)
