"""`make site`: lay the pages out, and let Sphinx make HTML of them, every warning an error.

With `--undrawn`, pictures that are not in the repository are empty: for tests of pages and links.
"""

import os
import sys

from docs.builder.layout import lay_out
from docs.builder.places import ROOT

BUILD = ROOT / "docs" / "_build"


def main() -> int:
    """Build the site into docs/_build/html; the exit code is Sphinx's."""
    from sphinx.cmd.build import main as sphinx

    os.environ.pop("COLUMNS", None)  # what commands print is as wide as in a pipe
    lay_out(BUILD / "pages", drawn="--undrawn" not in sys.argv)
    options = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet", "--jobs", "auto", "--builder", "html"]
    folders = ["--conf-dir", ROOT / "docs", "--doctree-dir", BUILD / "doctrees", BUILD / "pages", BUILD / "html"]
    code: int = sphinx([*options, *map(str, folders)])
    if code == 0:
        sys.stdout.write("the site is in docs/_build/html: open index.html\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
